"""All test definitions on many small test sets at once: the numbers are those of each set alone, and of sacreBLEU."""

from __future__ import annotations

import numpy as np
import pytest
import sacrebleu
from mtsig.corpus.simulated import Simulation, evaluation_set
from mtsig.errors import ConfigError
from mtsig.metrics import create_metric
from mtsig.resampling import pairs as pair_tests
from mtsig.studies.evidence import TESTS, Settings, evidence_of, judge
from sacrebleu.significance import PairedTest
from study_data import MEAN, Mean, columns_of

ALL_PAIRS = [(0, 1), (0, 2), (1, 2)]


@pytest.fixture(scope="module")
def evaluation():
    return evaluation_set("demo", "xx-yy", Simulation(systems={"A": 0.6, "B": 0.57, "C": 0.5}, segments=120, seed=4))


@pytest.fixture(scope="module")
def bleu_columns(evaluation):
    metric = create_metric("bleu", {"kind": "bleu"}, "xx-yy")
    statistics = metric.statistics(evaluation)
    return metric, np.stack([metric.columns(statistics[name]) for name in "ABC"])


def test_every_set_gets_what_it_gets_alone(bleu_columns):
    """Sets that are resampled side by side share their draws and nothing else."""
    metric, columns = bleu_columns
    sets = np.stack([columns[:, :60], columns[:, 60:]])
    settings = Settings(n_resamples=200, n_trials=200)
    together = evidence_of(metric, sets, ALL_PAIRS, settings)
    for position, alone in enumerate(sets):
        single = evidence_of(metric, alone[None], ALL_PAIRS, settings)
        for test in TESTS:
            one, many = judge(test, single, settings), judge(test, together, settings)
            np.testing.assert_array_equal(one.p_value[0], many.p_value[position])
            np.testing.assert_array_equal(one.winner[0], many.winner[position])


@pytest.mark.parametrize("key", ["bleu", "chrf"])
def test_sacrebleu_columns_equal_sacrebleu(evaluation, key):
    """On a subset, at the same seed, sacreBLEU itself prints the same p-values."""
    metric = create_metric(key, {"kind": key}, "xx-yy")
    part = slice(10, 60)
    statistics = metric.statistics(evaluation)
    columns = np.stack([metric.columns(statistics[name][part]) for name in "AB"])
    settings = Settings(tests=["p_sacrebleu_bs", "p_sacrebleu_ar"], n_resamples=300, n_trials=300)
    found = evidence_of(metric, columns[None], [(0, 1)], settings)
    systems = [(name, list(evaluation.systems[name][part])) for name in "AB"]
    references = [list(evaluation.references["reference"][part])]
    peer = {"bleu": sacrebleu.BLEU, "chrf": sacrebleu.CHRF}[key]
    for name, test in (("bs", "p_sacrebleu_bs"), ("ar", "p_sacrebleu_ar")):
        _, scores = PairedTest(systems, {key: peer(references=references)}, None, test_type=name, n_samples=300)()
        expected = next(value[1] for header, value in scores.items() if header != "System").p_value
        assert judge(test, found, settings).p_value[0, 0] == pytest.approx(expected, abs=1e-12)


def test_lower_is_better_turns_the_winner_and_nothing_else():
    """Under an error rate the system with the lower scores wins; p-values do not change."""
    rng = np.random.default_rng(1)
    values = rng.normal([[0.0], [0.5]], size=(2, 80))
    settings = Settings(n_resamples=200, n_trials=200)
    up = evidence_of(MEAN, columns_of(*values)[None], [(0, 1)], settings)
    down = evidence_of(Mean(higher_is_better=False), columns_of(*values)[None], [(0, 1)], settings)
    for test in TESTS:
        a, b = judge(test, up, settings), judge(test, down, settings)
        np.testing.assert_array_equal(a.p_value, b.p_value)
        assert a.winner[0, 0] == -b.winner[0, 0] == -1


def test_identical_outputs_are_never_different():
    """All valid tests give p = 1 and no winner. sacreBLEU's two give the smallest p there is, which names no winner."""
    values = np.random.default_rng(2).normal(size=50)
    settings = Settings(n_resamples=99, n_trials=99)
    evidence = evidence_of(MEAN, columns_of(values, values)[None], [(0, 1)], settings)
    for test in ("p_value", "p_one_sided", "p_shift", "p_ar", "significant"):
        assert judge(test, evidence, settings).p_value[0, 0] == 1
    assert not judge("koehn", evidence, settings).significant.any()
    assert evidence.signs.ties[0, 0] == 99
    for test in TESTS:
        assert judge(test, evidence, settings).winner[0, 0] == 0


def test_few_units_need_randomization_for_a_star():
    """Five segments of equal sign: the bootstrap's p is at its floor, all 32 swaps give 1/16, so there is no star."""
    settings = Settings(n_resamples=1000, n_trials=1000)
    evidence = evidence_of(MEAN, columns_of([1.0, 2, 3, 4, 5], np.zeros(5))[None], [(0, 1)], settings)
    assert evidence.exact
    assert judge("p_value", evidence, settings).significant[0, 0]
    assert judge("p_ar", evidence, settings).p_value[0, 0] == 2 / 32
    assert not judge("significant", evidence, settings).significant[0, 0]


def test_undefined_scores_are_undefined_verdicts():
    """A score that does not exist gives no p-value and no winner, and does not touch its neighbours."""
    sums = columns_of(np.ones(40), np.zeros(40), np.linspace(0, 1, 40))
    sums[1, :, 1] = 0.0
    settings = Settings(n_resamples=50, n_trials=50)
    with np.errstate(invalid="ignore"):
        evidence = evidence_of(MEAN, sums[None], ALL_PAIRS, settings)
        verdicts = {test: judge(test, evidence, settings) for test in TESTS}
    for test, verdict in verdicts.items():
        assert np.isnan(verdict.p_value[0, 0]), test
        assert verdict.winner[0].tolist()[::2] == [0, 0]
        assert verdict.winner[0, 1] == 1


def test_koehn_counts_wins_exactly():
    """95% of 1000 resamples are 950 wins, not one less."""
    settings = Settings(tests=["koehn"], n_resamples=1000)
    rng = np.random.default_rng(3)
    evidence = evidence_of(MEAN, columns_of(*rng.normal(size=(2, 30)))[None], [(0, 1)], settings)
    wins = pair_tests.wins(evidence.signs, higher_is_better=True)
    expected = 1 if wins[0][0, 0] >= 950 else -1 if wins[1][0, 0] >= 950 else 0
    assert judge("koehn", evidence, settings).winner[0, 0] == expected


def test_unknown_tests_and_metrics_without_direction_are_refused():
    """The message names the test, or says why nothing can be tested."""
    with pytest.raises(ConfigError, match="p_welch"):
        Settings(tests=["p_welch"])
    with pytest.raises(ConfigError, match="no direction"):
        evidence_of(Mean(higher_is_better=None), columns_of([1.0], [2.0])[None], [(0, 1)], Settings())
