"""The ten-segment corpus: every test's value for BLEU, chrF2, chrF2++ and TER, with sacreBLEU's own draws.

Wins, intervals and p-values were taken from runs of sacreBLEU 2.6.0 and of independent scripts on its index matrix
(seed 12345, 1000 resamples); exact randomization from an enumeration of all 2**10 swaps.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mtsig.corpus.model import EvaluationSet
from mtsig.metrics import create_metric
from mtsig.metrics.base import Metric
from mtsig.resampling.analysis import analyse
from mtsig.resampling.bootstrap import bootstrap_replicates
from mtsig.resampling.draws import draw_counts
from mtsig.resampling.pairs import p_moses, paired_bootstrap, wins
from mtsig.resampling.results import Analysis
from mtsig.resampling.settings import ResamplingSettings

#: metric: wins of A, of B, ties, interval of A, of B, of the difference, 1 - wins of the better (its tail), then counts
#: behind the p-values of 1001 (one-sided, two-sided, shift, sacreBLEU) and of 1000 (Moses).
KNOWN: dict[str, dict[str, Any]] = {
    "bleu": {
        "wins": (983, 17, 0),
        "a": (62.60736262932987, 87.19396363429888),
        "b": (44.06653401549785, 75.6098936663137),
        "delta": (1.9203325660346877, 31.940401169926055),
        "one_sided": 18,
        "two_sided": 0.035964,
        "shift": 0.044955,
        "sacrebleu": 27 / 1001,
        "moses": 0.026,
        "swaps": (72, 80),
        "sacrebleu_ar": 0.0685931406859314,
    },
    "chrf": {
        "wins": (734, 266, 0),
        "a": (76.78076171875, 91.8210983),
        "b": (75.3358993, 88.6719131),
        "delta": (-6.4036484, 11.3644943),
        "one_sided": 267,
        "two_sided": 0.533467,
        "shift": 0.505495,
        "sacrebleu": 174 / 1001,
        "moses": 0.173,
        "swaps": (584, 592),
        "sacrebleu_ar": 0.5656434356564344,
    },
    "chrf++": {
        "wins": (806, 194, 0),
        "a": (77.1216812, 91.8281326),
        "b": (74.5646744, 88.2610016),
        "delta": (-5.0570984, 11.6145554),
        "one_sided": 195,
        "two_sided": 0.389610,
        "shift": 0.354645,
        "sacrebleu": 123 / 1001,
        "moses": 0.122,
    },
    "ter": {
        "wins": (921, 53, 26),
        "a": (6.8181820, 20.2247181),
        "b": (10.9890108, 31.8181820),
        "delta": (-18.3908043, 2.1505365),
        "one_sided": 80,
        "two_sided": 0.159840,
        "shift": 0.146853,
        "sacrebleu": 65 / 1001,
        "moses": 0.064,
        "swaps": (128, 288),
        "sacrebleu_ar": 0.12398760123987601,
    },
}
SCORES = {
    "bleu": (75.37619097398905, 59.56236475473167),
    "chrf": (84.4358382882539, 81.53164912159829),
    "chrf++": (84.54031733656137, 80.80022673092847),
    "ter": (13.48314606741573, 21.34831460674157),
}
#: Bootstrap means and half widths that sacreBLEU prints.
PRINTED = {
    "bleu": ((75.40928916296849, 12.293300502484506), (59.50999715457994, 15.771679825407922)),
    "chrf": ((84.4895, 7.5202), (81.7627, 6.6680)),
    "ter": ((13.3641, 6.7033), (21.0582, 10.4146)),
}
#: sacreBLEU computes replicates in single precision, we do in double.
SINGLE_PRECISION = 1e-5

metrics = pytest.mark.parametrize("name", KNOWN)


def statistics(t10: dict[str, list[str]], metric: Metric) -> dict[str, np.ndarray]:
    n = len(t10["reference"])
    evaluation = EvaluationSet(
        testset="t10",
        langpair="xx-en",
        segment_ids=tuple(str(number + 1) for number in range(n)),
        documents=(None,) * n,
        domains=(None,) * n,
        sources=(None,) * n,
        references={"ref": tuple(t10["reference"])},
        systems={"A": tuple(t10["A"]), "B": tuple(t10["B"])},
        findings=(),
    )
    return metric.statistics(evaluation)


def analysed(t10: dict[str, list[str]], name: str, **options: Any) -> Analysis:
    metric = create_metric(name, {}, "xx-en")
    return analyse(statistics(t10, metric), metric, ResamplingSettings(**{"seed": 12345, **options}))


@metrics
def test_scores_wins_intervals_and_p_values(t10: dict[str, list[str]], name: str, resampling_path: str) -> None:
    """A row of the table of known answers."""
    known, found = KNOWN[name], analysed(t10, name)
    pair = found.pairs[0]
    assert [row.score for row in found.systems] == [pytest.approx(score, rel=1e-14) for score in SCORES[name]]
    assert (pair.wins_a, pair.wins_b, pair.ties) == known["wins"]
    assert (pair.koehn_a, pair.koehn_b) == (known["wins"][0] / 1000, known["wins"][1] / 1000)
    for row, key in ((found.systems[0], "a"), (found.systems[1], "b"), (pair, "delta")):
        assert (row.ci_low, row.ci_high) == pytest.approx(known[key], rel=SINGLE_PRECISION)
    assert pair.p_one_sided == known["one_sided"] / 1001
    assert pair.p_value == pytest.approx(known["two_sided"], abs=5e-7)
    assert pair.p_shift == pytest.approx(known["shift"], abs=5e-7)
    assert pair.p_sacrebleu_bs == known["sacrebleu"]


@metrics
def test_moses_p_value(t10: dict[str, list[str]], name: str) -> None:
    """The column of Moses' script, which has no place in our tables."""
    metric = create_metric(name, {}, "xx-en")
    arrays = statistics(t10, metric)
    rows = np.stack([arrays["A"], arrays["B"]])
    replicates = bootstrap_replicates(rows, metric.corpus_scores, draw_counts(12345, 10, 1000))
    scores = metric.corpus_scores(rows.sum(axis=1))
    found = p_moses(replicates[0] - replicates[1], scores[0] - scores[1], tolerance=1e-7)
    assert float(found) == KNOWN[name]["moses"]


@pytest.mark.parametrize("name", [name for name in KNOWN if "swaps" in KNOWN[name]])
def test_exact_randomization(t10: dict[str, list[str]], name: str, resampling_path: str) -> None:
    """Over all 2**10 swaps; sacreBLEU's strict count halves TER's p, because of ties."""
    pair = analysed(t10, name, n_trials=10_000).pairs[0]
    assert pair.ar_exact
    assert pair.p_ar == KNOWN[name]["swaps"][1] / 1024
    assert pair.p_sacrebleu_ar == KNOWN[name]["sacrebleu_ar"]


@pytest.mark.parametrize("name", PRINTED)
def test_bootstrap_means_and_half_widths(t10: dict[str, list[str]], name: str) -> None:
    """What sacreBLEU prints behind the score: mean and half the width of the percentile interval."""
    for row, (mean, half_width) in zip(analysed(t10, name).systems, PRINTED[name], strict=True):
        assert row.ci_low is not None
        assert row.ci_high is not None
        assert row.boot_mean == pytest.approx(mean, rel=SINGLE_PRECISION)
        assert (row.ci_high - row.ci_low) / 2 == pytest.approx(half_width, rel=SINGLE_PRECISION)


@pytest.mark.parametrize("name", ["bleu", "ter"])
def test_who_is_better(t10: dict[str, list[str]], name: str) -> None:
    """A has more BLEU and less TER; ten segments are too few for a star without randomization."""
    found = analysed(t10, name)
    assert [row.rank for row in found.systems] == [1, 2]
    pair = found.pairs[0]
    assert pair.koehn_verdict == ("a" if name == "bleu" else "none")
    assert not pair.significant
    assert "few_units" in pair.flags
    assert "very_few_units" not in pair.flags


def test_a_star_of_few_units_needs_randomization_too(t10: dict[str, list[str]]) -> None:
    """BLEU's p_value 0.036 is below 0.05, but its p_ar of 0.078 is not."""
    pair = analysed(t10, "bleu").pairs[0]
    assert pair.p_value is not None
    assert pair.p_ar is not None
    assert pair.p_value < 0.05 < pair.p_ar
    assert pair.winner is None
    at_ten_percent = analysed(t10, "bleu", alpha=0.1).pairs[0]
    assert at_ten_percent.significant
    assert at_ten_percent.winner == "A"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "win", "two_sided"),
    [("bleu", 0.98446, 0.03108), ("chrf", 0.73468, 0.53063), ("chrf++", 0.80648, 0.38703), ("ter", 0.92460, 0.15080)],
)
def test_many_resamples(t10: dict[str, list[str]], name: str, win: float, two_sided: float) -> None:
    """Shares at 200,000 resamples of another generator, within five standard errors of both runs."""
    n = 200_000
    pair = analysed(t10, name, n_resamples=n).pairs[0]
    assert pair.koehn_a is not None
    error = 5 * np.sqrt(2 * win * (1 - win) / n)
    assert pair.koehn_a == pytest.approx(win, abs=error)
    assert pair.p_value == pytest.approx(two_sided, abs=2 * error)


def test_evaluatios_form_is_the_one_sided_p(t10: dict[str, list[str]]) -> None:
    """Evaluatio at 200,000 iterations gave 0.0158249 for BLEU; ours is within four standard errors at 20,000."""
    n = 20_000
    pair = analysed(t10, "bleu", n_resamples=n).pairs[0]
    assert pair.p_one_sided == pytest.approx(0.01554, abs=4 * np.sqrt(0.01554 * 0.98446 / n))


def test_arrays_and_analysis_agree(t10: dict[str, list[str]]) -> None:
    """The rows are nothing but the functions of `mtsig.resampling.pairs` on the replicates."""
    metric = create_metric("ter", {}, "xx-en")
    arrays = statistics(t10, metric)
    rows = np.stack([arrays["A"], arrays["B"]])
    replicates = bootstrap_replicates(rows, metric.corpus_scores, draw_counts(12345, 10, 1000))
    scores = metric.corpus_scores(rows.sum(axis=1))
    result = paired_bootstrap(replicates[0] - replicates[1], scores[0] - scores[1], tolerance=1e-7)
    pair = analysed(t10, "ter").pairs[0]
    assert wins(result.signs, higher_is_better=False) == (pair.wins_a, pair.wins_b)
    assert (result.p_value, result.p_value_low, result.p_shift) == (pair.p_value, pair.p_value_low, pair.p_shift)
