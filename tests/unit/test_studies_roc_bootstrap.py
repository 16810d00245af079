"""Bootstrap of ROC curves: exact distributions of small examples, and the grid's convention."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mtsig.studies.roc.bootstrap import resample_curves, stratified_counts, unit_counts
from mtsig.studies.roc.curve import roc_curve

ERRORS = np.array([1, 0, 1, 1, 0, 0, 1, 1, 0, 1], dtype=bool)
RISKS = -np.array([25.0, 75, 93, 95, 95, 95, 99, 99, 100, 100])
GRID = np.arange(5) / 4


def test_moments_and_quantiles_of_table_3() -> None:
    """Exact values by enumeration of all 11,943,936 stratified resamples; bounds are five standard errors."""
    n = 20000
    draws = stratified_counts(ERRORS, n_resamples=n, seed=7)
    auc = resample_curves(ERRORS, {"qe": RISKS}, draws, grid=GRID)["qe"].auc
    sd = 0.19117728888923213
    assert auc.mean() == pytest.approx(23 / 48, abs=5 * sd / math.sqrt(n))
    assert auc.std() == pytest.approx(sd, rel=5 / math.sqrt(2 * n))
    share = 0.5628478752732767
    assert (auc <= 0.5 + 1e-12).mean() == pytest.approx(share, abs=5 * math.sqrt(share * (1 - share) / n))
    for probability, quantile in ((0.025, 1 / 12), (0.5, 23 / 48), (0.975, 5 / 6)):
        assert np.quantile(auc, probability) == pytest.approx(quantile, abs=0.022)


def test_one_stream_of_draws_positives_first() -> None:
    """The numbers that numpy's generator gives for seed 12345, positives drawn before negatives."""
    draws = stratified_counts(ERRORS, n_resamples=1000, seed=12345)
    replicates = resample_curves(ERRORS, {"qe": RISKS}, draws, grid=GRID)["qe"]
    assert np.percentile(replicates.auc, [2.5, 97.5]).tolist() == [0.0625, 0.8125]
    low, high = np.percentile(replicates.tpr, [2.5, 97.5], axis=0)
    assert low == pytest.approx([0, 0, 0, 1 / 9, 1], abs=1e-12)
    assert high == pytest.approx([2 / 3, 5 / 6, 1, 1, 1], abs=1e-12)


def test_blocks_do_not_change_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = np.concatenate(list(stratified_counts(ERRORS, n_resamples=50, seed=1)))
    monkeypatch.setattr("mtsig.studies.roc.bootstrap._BLOCK_CELLS", 70)
    blocks = list(stratified_counts(ERRORS, n_resamples=50, seed=1))
    assert len(blocks) > 1
    assert (np.concatenate(blocks) == whole).all()


def test_grid_reads_the_upper_end_of_a_vertical_stretch() -> None:
    once = iter([np.ones((1, 10), dtype=np.int64)])
    replicates = resample_curves(ERRORS, {"qe": RISKS}, once, grid=GRID)["qe"]
    assert replicates.tpr[0] == pytest.approx([1 / 6, 1 / 3, 5 / 12, 5 / 6, 1])
    assert replicates.auc[0] == pytest.approx(23 / 48)


def test_replicates_are_the_curves_of_the_copied_segments() -> None:
    rng = np.random.default_rng(2)
    errors, risks = rng.random(60) < 0.5, rng.integers(0, 9, 60).astype(float)
    counts = np.concatenate(list(stratified_counts(errors, n_resamples=30, seed=3)))
    replicates = resample_curves(errors, {"qe": risks}, iter([counts]), grid=[0.5])["qe"]
    for row, auc, tpr in zip(counts, replicates.auc, replicates.tpr, strict=True):
        curve = roc_curve(np.repeat(errors, row), np.repeat(risks, row), higher_is_better=False)
        assert auc == pytest.approx(curve.auc, abs=1e-12)
        assert tpr[0] == pytest.approx(np.interp(0.5, curve.fpr, curve.tpr), abs=1e-12)


def test_errors_left_at_a_fixed_threshold_are_binomial() -> None:
    """Four of the six errors lie above the threshold 93, so a stratified resample misses Binomial(6, 2/3) of them."""
    n = 20000
    counts = np.concatenate(list(stratified_counts(ERRORS, n_resamples=n, seed=11)))
    missed = counts[:, ERRORS & (RISKS < -93)].sum(axis=1)
    probabilities = [0.00137, 0.01646, 0.0823, 0.21948, 0.32922, 0.26337, 0.08779]
    for errors, probability in enumerate(probabilities):
        bound = 5 * math.sqrt(probability * (1 - probability) / n) + 5e-6
        assert (missed == errors).mean() == pytest.approx(probability, abs=bound)
    ordered = np.sort(100 * missed / 10)
    assert (ordered[n // 40], ordered[n - n // 40 - 1]) == (20, 60)


def test_documents_are_drawn_whole_and_one_class_gives_no_curve() -> None:
    errors, documents = np.array([1, 1, 0, 0], dtype=bool), np.array([0, 0, 1, 1])
    draws = unit_counts(documents, n_resamples=4000, seed=5)
    replicates = resample_curves(errors, {"qe": np.array([4.0, 3, 2, 1])}, draws, grid=[0.0, 1.0])["qe"]
    undefined = np.isnan(replicates.auc)
    assert undefined.mean() == pytest.approx(0.5, abs=5 * math.sqrt(0.25 / 4000))
    assert (replicates.auc[~undefined] == 1).all()
    assert (np.isnan(replicates.tpr).all(axis=1) == undefined).all()
