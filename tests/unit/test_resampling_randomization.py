"""Approximate randomization: one product for all pairs, both ways to compute it, and its null distribution."""

from __future__ import annotations

import numpy as np
import pytest
from mtsig.metrics import create_metric
from mtsig.resampling.analysis import analyse
from mtsig.resampling.draws import all_swaps, swap_signs
from mtsig.resampling.pairs import p_randomization
from mtsig.resampling.randomization import count_swaps, swap_differences
from mtsig.resampling.scorer import MeanScorer
from mtsig.resampling.settings import ResamplingSettings
from mtsig.resampling.suites import SuiteMember, analyse_suite
from mtsig.studies.evidence import Settings, evidence_of, judge

PAIRS = np.array([[0, 1], [0, 2], [1, 2]])


def rows_of(name: str, n_systems: int = 3, n: int = 40) -> np.ndarray:
    """Statistics of systems that share their reference lengths."""
    rng = np.random.default_rng(3)
    k = len(create_metric(name, {}, "xx-en").statistic_names)
    rows = np.sort(rng.integers(0, 30, size=(n_systems, n, k)), axis=-1)[..., ::-1].astype(np.float64)
    rows[:, :, 1] = rows[0, :, 1]
    return rows


@pytest.mark.parametrize("name", ["bleu", "chrf", "ter"])
def test_differences_are_those_of_swapped_outputs(name: str, resampling_path: str) -> None:
    """Trial by trial, as if the outputs had been swapped and scored again."""
    metric, rows = create_metric(name, {}, "xx-en"), rows_of(name)
    signs = np.concatenate(list(swap_signs(5, 40, 70)))
    found = swap_differences(rows, metric.corpus_scores, PAIRS, swap_signs(5, 40, 70), formula=metric.formula)
    assert found.shape == (3, 70)
    for number, (first, second) in enumerate(PAIRS):
        for trial, keeps in enumerate(signs.astype(bool)):
            a = np.where(keeps[:, None], rows[first], rows[second]).sum(axis=0)
            b = np.where(keeps[:, None], rows[second], rows[first]).sum(axis=0)
            assert found[number, trial] == metric.corpus_scores(a) - metric.corpus_scores(b)


@pytest.mark.parametrize("threads", [1, 3])
def test_counts_are_those_of_the_differences(threads: int, resampling_path: str) -> None:
    """At least as large within the tolerance, and strictly larger."""
    metric, rows = create_metric("chrf", {}, "xx-en"), rows_of("chrf")
    scores = metric.corpus_scores(rows.sum(axis=1))
    observed = scores[PAIRS[:, 0]] - scores[PAIRS[:, 1]]
    differences = swap_differences(rows, metric.corpus_scores, PAIRS, swap_signs(5, 40, 500), formula=metric.formula)
    counts = count_swaps(
        rows,
        metric.corpus_scores,
        PAIRS,
        observed,
        swap_signs(5, 40, 500),
        tolerance=0.01,
        formula=metric.formula,
        threads=threads,
    )
    sizes, limit = np.abs(differences), np.abs(observed)[:, None]
    np.testing.assert_array_equal(counts.at_least, (sizes >= limit - 0.01).sum(axis=1))
    np.testing.assert_array_equal(counts.more, (sizes > limit).sum(axis=1))
    assert counts.n_trials == 500


def test_a_pair_does_not_depend_on_other_systems(resampling_path: str) -> None:
    """B18: the same counts from two systems alone, in either order."""
    metric, rows = create_metric("bleu", {}, "xx-en"), rows_of("bleu")
    scores = metric.corpus_scores(rows.sum(axis=1))
    observed = scores[PAIRS[:, 0]] - scores[PAIRS[:, 1]]
    options = {"tolerance": 1e-7, "formula": metric.formula}
    everyone = count_swaps(rows, metric.corpus_scores, PAIRS, observed, swap_signs(5, 40, 300), **options)
    alone = count_swaps(rows[1:], metric.corpus_scores, PAIRS[:1], observed[2:], swap_signs(5, 40, 300), **options)
    turned = count_swaps(rows[:0:-1], metric.corpus_scores, PAIRS[:1], -observed[2:], swap_signs(5, 40, 300), **options)
    assert everyone.at_least[2] == alone.at_least[0] == turned.at_least[0]
    assert everyone.more[2] == alone.more[0] == turned.more[0]


def test_both_shuffled_systems_keep_the_total() -> None:
    """For a mean metric the two shuffled means sum to twice the overall mean: differences are symmetric around 0."""
    scorer = MeanScorer(higher_is_better=True)
    rows = scorer.columns(np.random.default_rng(0).normal(size=(2, 10, 1)))
    found = swap_differences(rows, scorer.corpus_scores, PAIRS[:1], all_swaps(10), formula=scorer.formula)
    assert found.shape == (1, 1024)
    np.testing.assert_allclose(np.sort(found[0]), -np.sort(found[0])[::-1], atol=1e-12)


def test_an_undefined_difference_counts_as_extreme() -> None:
    """A trial whose score is undefined cannot speak for a difference."""

    def undefined(sums: np.ndarray) -> np.ndarray:
        return np.full(sums.shape[:-1], np.nan)

    counts = count_swaps(rows_of("ter"), undefined, PAIRS, np.ones(3), swap_signs(1, 40, 64))
    assert counts.at_least.tolist() == [64, 64, 64]
    assert counts.more.tolist() == [0, 0, 0]


def test_an_undefined_swap_counts_in_both_kernels(resampling_path: str) -> None:
    """Two units, of which the second system has neither: swapping none or both leaves one side without a score.

    Swapping one leaves 3 and 4, a difference of 1: two of the four ways, which 0.5 does not exceed and 5 does.
    """
    rows = np.array([[[3.0, 1.0], [4.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]]])
    scorer = MeanScorer(higher_is_better=True)
    for observed, at_least, more in ((5.0, 2, 0), (1.0, 4, 0), (0.5, 4, 2)):
        counts = count_swaps(
            rows,
            scorer.corpus_scores,
            PAIRS[:1],
            np.array([observed]),
            all_swaps(2),
            tolerance=1e-9,
            formula=scorer.formula,
        )
        assert (int(counts.at_least[0]), int(counts.more[0])) == (at_least, more)


class PureScorer(MeanScorer):
    """A score that a mixture of both systems' outputs lacks: a has the first column, b the second."""

    def columns(self, statistics: np.ndarray) -> np.ndarray:
        return statistics

    @property
    def formula(self) -> None:
        return None

    def corpus_scores(self, sums: np.ndarray) -> np.ndarray:
        mixed = (sums[..., 0] > 0) & (sums[..., 1] > 0)
        return np.where(mixed, np.nan, sums[..., 0] - sums[..., 1])


def test_undefined_swaps_count_wherever_systems_are_compared() -> None:
    """Of 8 ways to swap three units 6 mix the systems and have no score; the other 2 are as large as the difference."""
    statistics = {"a": np.tile([1.0, 0.0], (3, 1)), "b": np.tile([0.0, 1.0], (3, 1))}
    scorer, unnamed = PureScorer(higher_is_better=True), [None] * 3
    settings = ResamplingSettings(seed=1, n_resamples=100)
    alone = analyse(statistics, scorer, settings).pairs[0]
    suite = analyse_suite([SuiteMember("t", statistics, scorer, unnamed, unnamed)], settings).pairs[0]
    sets = np.stack(list(statistics.values()))[None]
    study = Settings(tests=("p_ar",), n_resamples=100)
    evidence = evidence_of(scorer, sets, [(0, 1)], study)
    assert alone.p_ar == suite.p_ar == judge("p_ar", evidence, study).p_value[0, 0] == 1.0


def test_p_is_uniform_where_labels_are_exchangeable() -> None:
    """B28: 400 null pairs at 5%: rejections inside the 99.9% range of the binomial; the strict count rejects too often.

    Discrete scores with many ties: counting only larger differences, as sacreBLEU does, is what breaks the test.
    """
    rng = np.random.default_rng(8)
    scorer, trials = MeanScorer(higher_is_better=True), 199
    rejected, rejected_strictly = 0, 0
    for seed in range(400):
        values = rng.choice([0.0, 1.0], p=[0.9, 0.1], size=(2, 20))
        rows = scorer.columns(values[..., None])
        observed = values[:1].mean(axis=1) - values[1:].mean(axis=1)
        counts = count_swaps(
            rows, scorer.corpus_scores, PAIRS[:1], observed, swap_signs(seed, 20, trials), tolerance=1e-9
        )
        rejected += p_randomization(counts.at_least, trials, exact=False)[0] <= 0.05
        rejected_strictly += (counts.more[0] + 1) / (trials + 1) <= 0.05
    # P(X > 36) < 0.0005 for X ~ Binomial(400, 0.05).
    assert rejected <= 36
    assert rejected_strictly > 36
