"""Whole analyses on arrays: what the tables say in the cases that matter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mtsig.contracts import FLAGS
from mtsig.errors import ConfigError, InputError
from mtsig.metrics import create_metric
from mtsig.resampling.adjust import adjust_p_values
from mtsig.resampling.analysis import analyse
from mtsig.resampling.results import Analysis, PairResult
from mtsig.resampling.scorer import MeanScorer
from mtsig.resampling.settings import ResamplingSettings
from texts import evaluation_set

UP, DOWN, NEITHER = (MeanScorer(higher_is_better=direction) for direction in (True, False, None))


def run(scores: dict[str, Any], scorer: Any = UP, *, threads: int = 1, **options: Any) -> Analysis:
    """Analyse scores per segment (or statistics), with documents and domains among the options."""
    places = {name: options.pop(name) for name in ("documents", "domains") if name in options}
    arrays = {name: np.asarray(values, dtype=np.float64) for name, values in scores.items()}
    arrays = {name: values[:, None] if values.ndim == 1 else values for name, values in arrays.items()}
    settings = ResamplingSettings(**{"seed": 12345, "n_trials": 2000, **options})
    found = analyse(arrays, scorer, settings, threads=threads, **places)
    check(found, settings)
    return found


def check(found: Analysis, settings: ResamplingSettings) -> None:
    """What holds for every analysis."""
    for rows in (found.systems, found.pairs, found.groups):
        for row in rows:
            assert set(row.flags) <= set(FLAGS)
            assert list(row.flags) == sorted(row.flags)
    for row in found.pairs:
        assert row.system_a < row.system_b
        assert bool(row.winner) == row.significant
        assert isinstance(row.significant, bool)
        if row.wins_a is not None:
            assert row.wins_a + row.wins_b + row.ties == row.n_resamples  # type: ignore[operator]
        assert settings.n_resamples <= row.n_resamples <= max(settings.n_resamples, settings.max_resamples)  # type: ignore[operator]
        for p in (row.p_value, row.p_one_sided, row.p_shift, row.p_ar, row.p_sacrebleu_bs, row.p_sacrebleu_ar):
            assert p is None or 0 < p <= 1


def only(found: Analysis) -> PairResult:
    (row,) = found.pairs
    return row


@pytest.fixture(scope="module")
def noisy() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    base = rng.normal(size=120)
    return {name: base + rng.normal(shift, 0.5, size=120) for name, shift in (("a", 0.0), ("b", 0.1), ("c", 0.6))}


def test_identical_outputs() -> None:
    """B01: difference 0, p exactly 1, interval [0, 0], no star, and the flag; sacreBLEU's p are at their floors."""
    metric = create_metric("bleu", {}, "xx-en")
    rows = np.sort(np.random.default_rng(0).integers(0, 20, size=(200, 10)), axis=1)[:, ::-1]
    row = only(run({"A": rows, "B": rows.copy()}, metric))
    assert (row.delta, row.ci_low, row.ci_high) == (0, 0, 0)
    assert row.p_value == row.p_ar == row.p_shift == row.p_one_sided == row.p_value_high == 1
    assert (row.wins_a, row.wins_b, row.ties) == (0, 0, 1000)
    assert row.koehn_verdict == "none"
    assert row.winner is None
    assert row.flags == ("degenerate_interval", "identical_output")
    assert (row.p_sacrebleu_bs, row.p_sacrebleu_ar) == (1 / 1001, 1 / 2001)


def test_one_differing_segment_gets_no_star() -> None:
    """B02: randomization says 1, and Koehn's share of wins is 0.632, whatever other definitions say."""
    a = np.zeros(1000)
    a[0] = 1
    row = only(run({"A": a, "B": np.zeros(1000)}))
    assert row.p_ar == 1
    # Four standard errors at 1000 resamples.
    assert row.koehn_a == pytest.approx(0.632, abs=4 * np.sqrt(0.632 * 0.368 / 1000))
    assert not row.significant


@pytest.mark.parametrize("n", range(1, 11))
def test_few_segments_get_no_star_that_randomization_does_not_support(n: int) -> None:
    """One to ten segments on which a is always better by the same: p_ar is 2/2**n, exactly."""
    row = only(run({"A": np.ones(n), "B": np.zeros(n)}))
    assert row.p_ar == 2 / 2**n
    assert row.ar_exact
    assert row.significant == (2 / 2**n < 0.05)
    assert {"few_units"} <= set(row.flags)
    assert ("very_few_units" in row.flags) == (n < 10)
    assert ("one_unit" in row.flags) == (row.p_value is None) == (row.p_one_sided is None) == (n == 1)


@pytest.mark.parametrize(("scorer", "winner"), [(UP, "b"), (DOWN, "a")])
def test_direction(scorer: MeanScorer, winner: str) -> None:
    """B09: wins, verdict, winner and rank follow the direction; difference and interval stay a minus b."""
    rng = np.random.default_rng(2)
    found = run({"a": rng.normal(20, 5, size=80), "b": rng.normal(40, 5, size=80)}, scorer)
    row = only(found)
    assert row.delta is not None
    assert row.delta < -15
    assert row.winner == winner
    assert row.koehn_verdict == winner
    assert (row.wins_a, row.wins_b) == ((0, 1000) if winner == "b" else (1000, 0))
    assert row.p_one_sided == 1 / 1001
    assert {system.system: system.rank for system in found.systems} == {winner: 1, "ab".replace(winner, ""): 2}


def test_a_constant_difference_is_certain() -> None:
    """B12: b is a plus 0.1 everywhere and a scatters: the pair's interval has no width and p is at its floor."""
    a = np.random.default_rng(6).normal(0, 10, size=50)
    row = only(run({"a": a, "b": a + 0.1}))
    assert (row.delta, row.ci_low, row.ci_high) == pytest.approx((-0.1, -0.1, -0.1), rel=1e-9)
    assert row.p_value == 2 / 1001
    assert row.p_ar == 1 / 2001
    assert row.winner == "b"
    assert "degenerate_interval" in row.flags


def test_a_metric_without_direction_has_intervals_only(noisy: dict[str, np.ndarray]) -> None:
    """Wins, verdicts, tests, ranks and winners are undefined, with a flag; stars are false."""
    found = run(noisy, NEITHER)
    for system in found.systems:
        assert system.ci_low is not None
        assert (system.rank, system.rank_low, system.rank_high, system.cluster) == (None, None, None, None)
        assert system.flags == ("no_direction",)
    for row in found.pairs:
        assert row.ci_low is not None
        assert row.delta is not None
        undefined = (row.wins_a, row.koehn_a, row.koehn_verdict, row.p_value, row.p_ar, row.ar_exact, row.winner)
        assert undefined == (None,) * 7
        assert row.significant is False


def test_swapping_names_mirrors_the_pair(noisy: dict[str, np.ndarray]) -> None:
    """B06: with a and b exchanged, the interval is mirrored and two-sided p-values are the same."""
    there = only(run({"a": noisy["a"], "b": noisy["c"]}))
    back = only(run({"a": noisy["c"], "b": noisy["a"]}))
    assert there.delta == -back.delta  # type: ignore[operator]
    assert (there.ci_low, there.ci_high) == (-back.ci_high, -back.ci_low)  # type: ignore[operator]
    assert (there.wins_a, there.wins_b) == (back.wins_b, back.wins_a)
    assert (there.p_value, there.p_shift, there.p_ar) == (back.p_value, back.p_shift, back.p_ar)
    assert {there.winner, back.winner} == {"a", "b"}


def test_nothing_depends_on_order_threads_or_other_systems() -> None:
    """B18: exactly the same rows for whole statistics."""
    metric = create_metric("chrf", {}, "xx-en")
    rng = np.random.default_rng(3)
    systems = {
        name: np.sort(rng.integers(0, 40, size=(70, 18)), axis=1)[:, ::-1].astype(float)
        for name in ("x", "y", "z", "w")
    }
    domains = ["news"] * 30 + ["speech"] * 40
    everyone = run(systems, metric, domains=domains)
    turned = run(dict(reversed(systems.items())), metric, domains=domains, threads=3)
    assert turned == everyone
    fewer = run({name: systems[name] for name in ("x", "z")}, metric, domains=domains)
    assert only(fewer) == next(row for row in everyone.pairs if (row.system_a, row.system_b) == ("x", "z"))
    assert [row for row in everyone.groups if row.system in ("x", "z")] == list(fewer.groups)


def test_seeds_0_and_1_differ_and_repeat(noisy: dict[str, np.ndarray]) -> None:
    """B18: seed 0 is a seed like any other."""
    first, again, other = (run(noisy, seed=seed) for seed in (0, 0, 1))
    assert first == again
    assert [row.ci_low for row in first.systems] != [row.ci_low for row in other.systems]


def test_the_number_of_resamples_that_is_said_is_the_number_used() -> None:
    """B32: no early stopping where nothing is open."""
    row = only(run({"a": np.ones(40), "b": np.zeros(40)}, n_resamples=777))
    assert row.wins_a == 777
    assert row.p_one_sided == 1 / 778


def test_constant_scores_have_a_degenerate_interval() -> None:
    """B20: all segments 100: [100, 100] and a flag, no NaN."""
    found = run({"a": np.full(50, 100.0), "b": np.zeros(50)})
    for system, value in zip(found.systems, (100.0, 0.0), strict=True):
        assert (system.ci_low, system.ci_high, system.boot_se) == (value, value, 0.0)
        assert "degenerate_interval" in system.flags
    assert "degenerate_interval" in only(found).flags
    assert only(found).winner == "a"


@pytest.mark.parametrize("name", ["bleu", "chrf", "ter"])
def test_perfect_and_empty_texts_have_degenerate_intervals(name: str) -> None:
    """B20: all segments right, and all of them empty, under metrics of the corpus."""
    metric = create_metric(name, {}, "xx-en")
    texts = ["a b c d e", "f g h i"] * 20
    rows = metric.statistics(evaluation_set([texts], {"right": texts, "empty": [""] * 40}))
    found = run(rows, metric)
    best, worst = (0.0, 100.0) if name == "ter" else (100.0, 0.0)
    for system, value in zip(found.systems, (worst, best), strict=True):
        assert (system.score, system.ci_low, system.ci_high) == pytest.approx((value,) * 3)
        assert system.flags == ("degenerate_interval",)
    assert only(found).winner == "right"


def test_one_system_has_no_pairs(noisy: dict[str, np.ndarray]) -> None:
    """B16: its interval and rank are there, and the pairs are empty."""
    found = run({"a": noisy["a"]}, adjust="holm")
    assert found.pairs == ()
    (system,) = found.systems
    assert (system.rank, system.rank_low, system.rank_high, system.cluster) == (1, 1, 1, 1)


def test_no_systems_at_all() -> None:
    """Nothing to say."""
    assert run({}) == Analysis((), (), ())


def test_ranks_and_clusters(noisy: dict[str, np.ndarray]) -> None:
    """c beats a and b, which are not separated: clusters {c} and {a, b}."""
    found = run(noisy)
    ranks = {row.system: (row.rank, row.rank_low, row.rank_high, row.cluster) for row in found.systems}
    assert ranks == {"a": (3, 2, 3, 2), "b": (2, 2, 3, 2), "c": (1, 1, 1, 1)}


def test_unequal_numbers_of_segments() -> None:
    """B26: c lacks 30 of 100 segments: each pair uses its common ones, and ranks are undefined."""
    rng = np.random.default_rng(4)
    scores = {name: rng.normal(shift, 1, size=100) for name, shift in (("a", 0), ("b", 0.2), ("c", 0.4))}
    scores["c"][40:70] = np.nan
    found = run(scores)
    assert [row.n_segments for row in found.systems] == [100, 100, 70]
    kept = ~np.isnan(scores["c"])
    for row in found.pairs:
        used = kept if "c" in (row.system_a, row.system_b) else slice(None)
        assert row.n_segments == (70 if "c" in (row.system_a, row.system_b) else 100)
        assert row.score_a == pytest.approx(scores[row.system_a][used].mean())
        assert row.score_b == pytest.approx(scores[row.system_b][used].mean())
        assert ("missing_segments" in row.flags) == (row.n_segments == 70)
    alone = only(run({"a": scores["a"][kept], "c": scores["c"][kept]}))
    shared = next(row for row in found.pairs if (row.system_a, row.system_b) == ("a", "c"))
    assert (shared.ci_low, shared.p_value, shared.p_ar) == (alone.ci_low, alone.p_value, alone.p_ar)
    for row in found.systems:
        assert row.rank is None
        assert row.cluster is None
        assert row.rank_low is not None
        assert "unequal_segments" in row.flags
    assert [("missing_segments" in row.flags) for row in found.systems] == [False, False, True]


def test_equal_numbers_of_different_segments_are_ranked() -> None:
    """Only the numbers have to be equal for ranks; the pair uses what both have."""
    scores = {"a": np.arange(40.0), "b": np.arange(40.0)}
    scores["a"][0] = scores["b"][1] = np.nan
    found = run(scores)
    assert [row.rank for row in found.systems] == [2, 1] or [row.rank for row in found.systems] == [1, 2]
    assert only(found).n_segments == 38
    assert "identical_output" in only(found).flags


def test_a_missing_score_is_no_victory() -> None:
    """B48: a has 1 and nothing, b has 1 and 0: the one common segment decides nothing."""
    row = only(run({"a": [1.0, np.nan], "b": [1.0, 0.0]}))
    assert row.n_segments == 1
    assert row.delta == 0
    assert not row.significant


def test_systems_without_common_segments_are_not_compared() -> None:
    """Undefined, with flags, and nothing is NaN."""
    scores = {"a": [1.0, 2.0, np.nan, np.nan], "b": [np.nan, np.nan, 1.0, 2.0], "c": [np.nan] * 4}
    found = run(scores)
    for row in found.pairs:
        assert row.n_segments == 0
        assert (row.score_a, row.delta, row.ci_low, row.p_value, row.wins_a) == (None,) * 5
        assert {"undefined", "missing_segments"} <= set(row.flags)
    assert found.systems[2].score is None
    assert found.systems[2].rank_low is None
    assert "undefined" in found.systems[2].flags


@pytest.mark.parametrize("name", ["bleu", "chrf", "ter", "nist", "wer", "cer", "exact_match", "length_ratio"])
@pytest.mark.parametrize("unit", ["segment", "document"])
def test_no_segments_have_no_score(name: str, unit: str) -> None:
    """Whatever a metric makes of empty sums (0 for BLEU, a perfect 0 for TER), a system that is nowhere has no score.

    Two such systems are not identical either, and nobody beats or equals them.
    """
    metric = create_metric(name, {}, "xx-en")
    shape = (12, len(metric.statistic_names))
    rows = np.sort(np.random.default_rng(0).integers(1, 20, size=shape), axis=1)[:, ::-1].astype(float)
    nowhere = np.full(shape, np.nan)
    places = {"documents": [f"d{row // 3}" for row in range(12)], "domains": ["news"] * 12}
    found = run({"a": rows, "b": nowhere, "c": nowhere}, metric, n_resamples=50, resample_unit=unit, **places)
    assert [row.score is None for row in found.systems] == [False, True, True]
    assert [row.rank_low is None for row in found.systems] == [name == "length_ratio", True, True]
    for row in found.pairs:
        assert (row.score_a, row.score_b, row.delta, row.p_value, row.winner) == (None,) * 5
        assert "undefined" in row.flags
        assert "identical_output" not in row.flags
    assert {(row.score is None, "undefined" in row.flags) for row in found.groups if row.system != "a"} == {
        (True, True)
    }


def test_documents_of_unequal_length() -> None:
    """B29: documents of 1, 2 and 7 segments, scores constant within: 27 resamples, and no star with 2 of 8 swaps."""
    documents = ["d1"] + ["d2"] * 2 + ["d3"] * 7
    values = np.array([1.0] + [0.5] * 2 + [0.0] * 7)
    scores = {"a": values, "b": values - 1}
    by_segment = run(scores, documents=documents).systems[0]
    found = run(scores, documents=documents, resample_unit="document")
    by_document = found.systems[0]
    assert (by_document.n_segments, by_document.n_units, by_document.score) == (10, 3, pytest.approx(0.2))
    # The extremes of 27 equally likely resamples are likelier than 2.5%: only d1, only d3.
    assert (by_document.ci_low, by_document.ci_high) == (0, 1)
    assert by_segment.ci_high < 1  # type: ignore[operator]
    assert only(found).p_ar == 2 / 8
    assert not only(found).significant


def test_documents_as_units() -> None:
    """B29: scores are constant within documents, so drawing documents gives the wider interval."""
    rng = np.random.default_rng(5)
    documents = [f"d{number}" for number in range(40) for _ in range(6)]
    values = np.repeat(rng.normal(size=40), 6)
    scores = {"a": values, "b": values * 0.5 + rng.normal(0, 0.01, size=240)}
    by_segment = run(scores, documents=documents)
    by_document = run(scores, documents=documents, resample_unit="document")
    for segment, document in zip(by_segment.systems, by_document.systems, strict=True):
        assert (segment.n_units, document.n_units) == (240, 40)
        assert segment.score == pytest.approx(document.score)
        ratio = (document.ci_high - document.ci_low) / (segment.ci_high - segment.ci_low)  # type: ignore[operator]
        assert 1.7 < ratio < 3.2  # sqrt(6) = 2.4
    assert only(by_document).n_units == 40
    assert only(by_document).p_ar is not None


def test_sacrebleu_columns_are_undefined_for_documents() -> None:
    """sacreBLEU knows no documents."""
    metric = create_metric("ter", {}, "xx-en")
    rows = np.random.default_rng(0).integers(1, 20, size=(2, 60, 2)).astype(float)
    options = {"documents": [str(number // 3) for number in range(60)], "resample_unit": "document"}
    row = only(run({"a": rows[0], "b": rows[1]}, metric, **options))
    assert (row.p_sacrebleu_bs, row.p_sacrebleu_ar) == (None, None)
    assert row.p_value is not None


def test_a_single_document_is_flagged_and_never_significant() -> None:
    """B29: one unit says nothing, whatever the scores."""
    found = run({"a": np.ones(50), "b": np.zeros(50)}, documents=["d"] * 50, resample_unit="document")
    assert "one_document" in only(found).flags
    assert "one_document" in found.systems[0].flags
    assert only(found).p_ar == 1
    assert only(found).p_value is None
    assert "one_unit" in only(found).flags
    assert not only(found).significant


def test_documents_are_needed_where_they_are_units(noisy: dict[str, np.ndarray]) -> None:
    """The key is named."""
    with pytest.raises(ConfigError, match="resample_unit"):
        run(noisy, resample_unit="document")


def test_adjustment_decides_stars_and_rank_ranges() -> None:
    """Holm over three pairs: what was just significant is not any more, and ranges widen."""
    rng = np.random.default_rng(11)
    base = rng.normal(size=100)
    scores = {name: base + rng.normal(shift, 0.7, size=100) for name, shift in (("a", 0), ("b", 0.12), ("c", 0.3))}
    plain, holm = run(scores, n_resamples=2000), run(scores, n_resamples=2000, adjust="holm")
    assert [row.p_adjusted for row in plain.pairs] == [None] * 3
    assert [row.p_value for row in plain.pairs] == [row.p_value for row in holm.pairs]
    # B15: the family is the three pairs.
    assert [row.p_adjusted for row in holm.pairs] == adjust_p_values([row.p_value for row in holm.pairs], "holm")
    for row in holm.pairs:
        assert row.p_adjusted is not None
        assert row.p_value is not None
        assert row.p_adjusted >= row.p_value
        assert row.significant == (row.p_adjusted < 0.05)
    assert sum(row.significant for row in holm.pairs) <= sum(row.significant for row in plain.pairs)
    for wide, narrow in zip(holm.systems, plain.systems, strict=True):
        assert wide.rank_low <= narrow.rank_low  # type: ignore[operator]
        assert wide.rank_high >= narrow.rank_high  # type: ignore[operator]


def test_an_adjustment_that_could_never_give_a_star_is_refused(noisy: dict[str, np.ndarray]) -> None:
    """Three pairs, 100 resamples: 3 * 2/101 is above 0.05."""
    with pytest.raises(ConfigError, match="Set n_resamples to at least 120"):
        run(noisy, adjust="holm", n_resamples=100)
    run(noisy, adjust="holm", n_resamples=120)


def test_a_verdict_within_monte_carlo_error_is_flagged() -> None:
    """p near alpha at 100 resamples; not at its floor or at 1."""
    rng = np.random.default_rng(0)
    flagged = {}
    for shift in (0.0, 0.21, 3.0):
        row = only(run({"a": rng.normal(shift, 1, size=100), "b": np.zeros(100)}, n_resamples=400, max_resamples=0))
        assert row.p_value_low is not None
        assert row.p_value_high is not None
        assert ("monte_carlo" in row.flags) == (row.p_value_low <= 0.05 <= row.p_value_high)
        flagged[shift] = "monte_carlo" in row.flags
    assert flagged == {0.0: False, 0.21: True, 3.0: False}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_resamples": 0}, "n_resamples: expected a whole number from 1 up, found 0"),
        ({"n_trials": 1.5}, "n_trials: expected a whole number from 1 up, found 1.5"),
        ({"seed": None}, "seed: expected a whole number from 0 up, found None"),
        ({"alpha": 1}, "alpha: expected a number between 0 and 1, found 1"),
        ({"confidence_level": 95}, "confidence_level: expected a number between 0 and 1, found 95"),
        ({"adjust": "bonferroni"}, "adjust: expected one of none, holm, bh, found 'bonferroni'"),
        ({"resample_unit": "domain"}, "resample_unit: expected one of segment, document, found 'domain'"),
    ],
)
def test_impossible_options_are_refused(options: dict[str, Any], message: str) -> None:
    """With the key, the value, and what is possible."""
    with pytest.raises(ConfigError, match=message):
        run({"a": [1.0, 2.0]}, **options)


def test_progress_counts_what_it_promised(noisy: dict[str, np.ndarray]) -> None:
    """All resamples and trials, no more and no fewer."""

    class Counter:
        expected = done = 0

        def expect(self, amount: int) -> None:
            self.expected += amount

        def __call__(self, amount: int) -> None:
            self.done += amount

    for scorer, scores in ((UP, noisy), (NEITHER, noisy), (UP, {"a": np.arange(5.0), "b": np.ones(5)})):
        counter = Counter()
        arrays = {name: np.asarray(values)[:, None] for name, values in scores.items()}
        analyse(arrays, scorer, ResamplingSettings(seed=1, n_trials=500), progress=counter)
        assert counter.expected == counter.done > 0


def test_infinite_scores_are_refused() -> None:
    """Their mean is no number; the system and the segment are named."""
    scores = {"A": np.array([[1.0], [np.inf], [2.0]]), "B": np.zeros((3, 1))}
    with pytest.raises(InputError, match="system A: the score of segment 2 is infinite"):
        analyse(scores, MeanScorer(higher_is_better=True), ResamplingSettings(seed=1, n_resamples=10))
