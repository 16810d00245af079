"""Sums over many resamples at once: exact, in bounded blocks, on any number of threads."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from mtsig.metrics import create_metric
from mtsig.resampling import products as products_module
from mtsig.resampling.bootstrap import bootstrap_replicates, bootstrap_with_sacrebleu
from mtsig.resampling.draws import draw_counts
from mtsig.resampling.products import EXACT_BELOW, Products, each_block
from mtsig.resampling.scorer import MeanScorer


def statistics(*shape: int, high: int = 50, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, high, size=shape).astype(np.float64)


def counts(n_units: int, n_resamples: int = 70) -> np.ndarray:
    return np.concatenate(list(draw_counts(3, n_units, n_resamples)))


def gathered(rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Sums (rows, ..., n_systems, k) in whole numbers, the slow way."""
    return np.einsum("ru,...uk->r...k", weights.astype(np.int64), rows.astype(np.int64))


@pytest.mark.parametrize("leading", [(), (4,), (2, 3)])
@pytest.mark.parametrize("n_systems", [1, 3])
def test_sums_are_those_of_gathered_rows(leading: tuple[int, ...], n_systems: int) -> None:
    """Any leading axes, one system or several."""
    rows = statistics(*leading, n_systems, 20, 5)
    sums = Products(rows).sums(counts(20))
    assert sums.dtype == np.float32
    np.testing.assert_array_equal(sums, gathered(rows, counts(20)))


def test_columns_that_all_systems_share_come_out_the_same() -> None:
    """They are multiplied once and copied, or left at zero where only differences matter."""
    rows = statistics(3, 20, 4)
    rows[:, :, 1] = rows[0, :, 1]
    np.testing.assert_array_equal(Products(rows).sums(counts(20)), gathered(rows, counts(20)))
    moved = Products(rows).sums(counts(20), shared=False)
    assert not moved[..., 1].any()
    np.testing.assert_array_equal(moved[..., [0, 2, 3]], gathered(rows, counts(20))[..., [0, 2, 3]])


def test_wide_products_are_computed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The parts do not show in the sums."""
    rows = statistics(7, 2, 20, 3)
    monkeypatch.setattr(products_module, "_PART_COLUMNS", 12)
    np.testing.assert_array_equal(Products(rows).sums(counts(20)), gathered(rows, counts(20)))


@pytest.mark.parametrize("largest", [6_000_000, 20_000_000])
def test_sums_stay_exact_where_single_precision_would_not(largest: int) -> None:
    """Up to 2**24 in single precision, beyond it in double: drawn three times, the largest segment exceeds it."""
    rows = statistics(2, 12, 3, high=1000)
    rows[0, 0] = largest + 1
    weights = counts(12)
    exact = gathered(rows, weights)
    assert exact.max() > EXACT_BELOW
    products = Products(rows)
    np.testing.assert_array_equal(products.sums(weights), exact)
    assert products.sums(weights).dtype == np.float64
    if largest < EXACT_BELOW:
        small = weights[exact.max(axis=(1, 2)) < EXACT_BELOW]
        assert products.sums(small).dtype == np.float32
        np.testing.assert_array_equal(products.sums(small), gathered(rows, small))


def test_fractions_and_negative_numbers_use_double_precision() -> None:
    """Only whole non-negative statistics have exact sums in single precision."""
    fractional, negative = statistics(2, 9, 2), statistics(2, 9, 2)
    fractional[1, 0, 0] += 1 / 3
    negative[0, 0, 0] = -4
    assert Products(fractional).whole.tolist() == [True, False]
    assert Products(negative).whole.tolist() == [False, True]
    assert Products(fractional).dtype is np.float64
    expected = np.einsum("ru,suk->rsk", counts(9).astype(np.float64), fractional)
    np.testing.assert_allclose(Products(fractional).sums(counts(9)), expected, rtol=1e-14)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_blocks_are_all_worked_on_in_bounded_number(threads: int) -> None:
    """No more blocks exist at a time than threads can use, and progress counts all rows."""
    made, finished, most, done = 0, 0, 0, []
    lock = threading.Lock()

    def blocks() -> object:
        nonlocal made, most
        for number in range(40):
            with lock:
                made += 1
                most = max(most, made - finished)
            yield np.full(3, number)

    seen = []

    def work(start: int, block: np.ndarray) -> None:
        nonlocal finished
        with lock:
            seen.append((start, int(block[0])))
            finished += 1

    assert each_block(blocks(), work, threads=threads, progress=done.append) == 120  # type: ignore[arg-type]
    assert sorted(seen) == [(3 * number, number) for number in range(40)]
    assert sum(done) == 120
    assert most <= threads + 2


def test_a_failing_block_ends_the_work() -> None:
    """The error of a thread reaches the caller."""

    def work(start: int, block: np.ndarray) -> None:
        raise ValueError("no score")

    with pytest.raises(ValueError, match="no score"):
        each_block(iter([np.zeros(1)] * 10), work, threads=2)


@pytest.mark.parametrize("name", ["bleu", "chrf", "ter"])
def test_replicates_do_not_depend_on_threads_blocks_or_other_systems(
    name: str, resampling_path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B18: exactly, for whole statistics."""
    from mtsig.resampling import draws

    metric = create_metric(name, {}, "xx-en")
    k = len(metric.statistic_names)
    rows = np.sort(statistics(4, 60, k, seed=5), axis=-1)[..., ::-1].copy()
    seed = {"seed": 12345, "n_resamples": 500}
    replicates, single = bootstrap_with_sacrebleu(rows, metric, **seed)
    monkeypatch.setattr(draws, "_kept", {})
    monkeypatch.setattr(draws, "_BLOCK_BYTES", 8000)
    threaded, threaded_single = bootstrap_with_sacrebleu(rows, metric, **seed, threads=3)
    turned, turned_single = bootstrap_with_sacrebleu(rows[::-1], metric, **seed)
    np.testing.assert_array_equal(threaded, replicates)
    np.testing.assert_array_equal(turned[::-1], replicates)
    assert single is not None
    assert threaded_single is not None
    assert turned_single is not None
    np.testing.assert_array_equal(threaded_single.scores, single.scores)
    np.testing.assert_array_equal(turned_single.scores[::-1], single.scores)
    alone, _ = bootstrap_with_sacrebleu(rows[1:2], metric, **seed)
    np.testing.assert_array_equal(alone[0], replicates[1])


def test_real_valued_replicates_hardly_depend_on_other_systems() -> None:
    """To 1e-12 relative: the sums of reals are not associative."""
    scorer = MeanScorer(higher_is_better=True)
    rows = scorer.columns(np.random.default_rng(1).normal(0.8, 0.1, size=(5, 400, 1)))
    everyone = bootstrap_replicates(rows, scorer.corpus_scores, draw_counts(1, 400, 300))
    alone = bootstrap_replicates(rows[3:4], scorer.corpus_scores, draw_counts(1, 400, 300))
    np.testing.assert_allclose(everyone[3], alone[0], rtol=1e-12)


def test_subsets_of_one_size_share_their_draws() -> None:
    """A block of subsets gives what each subset gives by itself."""
    metric = create_metric("bleu", {}, "xx-en")
    rows = np.sort(statistics(6, 2, 30, 10, seed=2), axis=-1)[..., ::-1].copy()
    together = bootstrap_replicates(rows, metric.corpus_scores, draw_counts(9, 30, 200))
    assert together.shape == (6, 2, 200)
    for subset in range(6):
        alone = bootstrap_replicates(rows[subset], metric.corpus_scores, draw_counts(9, 30, 200))
        np.testing.assert_array_equal(together[subset], alone)
    with_single, single = bootstrap_with_sacrebleu(rows, metric, seed=9, n_resamples=200)
    np.testing.assert_array_equal(with_single, together)
    assert single is not None
    assert single.scores.shape == (6, 2, 200)
    assert single.double.shape == (6, 2)


def test_the_standard_error_of_a_mean_is_that_of_theory() -> None:
    """B10: 100 scores with sd 1 have a bootstrap standard error of 0.0995 (sqrt(99)/100), whatever the resamples."""
    scorer = MeanScorer(higher_is_better=True)
    values = np.random.default_rng(2).normal(size=100)
    values = (values - values.mean()) / values.std(ddof=1)
    rows = scorer.columns(values[None, :, None])
    for n_resamples in (1000, 10_000):
        replicates = bootstrap_replicates(rows, scorer.corpus_scores, draw_counts(1, 100, n_resamples))
        theory = np.sqrt(99) / 100
        # The standard error of a standard deviation is about itself over sqrt(2 R); four of them.
        assert replicates.std() == pytest.approx(theory, abs=4 * theory / np.sqrt(2 * n_resamples))


def test_the_standard_error_does_not_shrink_with_the_resamples() -> None:
    """B11: 500 scores: within 10% for 100, 1000 and 10,000 resamples."""
    scorer = MeanScorer(higher_is_better=True)
    rows = scorer.columns(np.random.default_rng(4).normal(size=(1, 500, 1)))
    errors = [
        bootstrap_replicates(rows, scorer.corpus_scores, draw_counts(1, 500, n)).std() for n in (100, 1000, 10_000)
    ]
    assert max(errors) < 1.2 * min(errors)
    assert errors[2] == pytest.approx(rows[0, :, 0].std() / np.sqrt(500), rel=0.05)


def test_pairing_is_kept() -> None:
    """B12: b is a plus 0.1 everywhere, so every replicate of the difference is 0.1 although the scores scatter."""
    scorer = MeanScorer(higher_is_better=True)
    a = np.random.default_rng(6).normal(0, 10, size=50)
    rows = scorer.columns(np.stack([a, a + 0.1])[..., None])
    replicates = bootstrap_replicates(rows, scorer.corpus_scores, draw_counts(1, 50, 1000))
    np.testing.assert_allclose(replicates[1] - replicates[0], 0.1, rtol=1e-10)
    assert replicates[0].std() > 1


def test_corpus_metrics_are_not_means_of_sentence_scores() -> None:
    """B23: a 6-token exact match and a 10-token failure: corpus BLEU 34.02, not the mean of 100 and 0."""
    metric = create_metric("bleu", {"tokenize": "none"}, "xx-en")
    match = [6, 6, 6, 5, 4, 3, 6, 5, 4, 3]
    failure = [10, 10, 0, 0, 0, 0, 10, 9, 8, 7]
    rows = np.array([[match, failure]], dtype=np.float64)
    assert metric.corpus_scores(rows.sum(axis=1))[0] == pytest.approx(34.02, abs=0.005)
    replicates = bootstrap_replicates(rows, metric.corpus_scores, draw_counts(1, 2, 200))
    assert set(replicates[0].round(2)) == {0.0, 34.02, 100.0}
