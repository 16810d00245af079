"""Scores from sums: bit for bit what sacreBLEU computes from the same sums in the same precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mtsig import kernels
from mtsig.metrics import arithmetic, create_metric
from mtsig.metrics.base import Metric
from sacrebleu.metrics import BLEU, CHRF, TER

OPTIONS: list[tuple[str, Any, dict[str, Any]]] = [
    ("bleu", BLEU, {}),
    ("bleu", BLEU, {"smooth_method": "none"}),
    ("bleu", BLEU, {"smooth_method": "floor"}),
    ("bleu", BLEU, {"smooth_method": "floor", "smooth_value": 0.37}),
    ("bleu", BLEU, {"smooth_method": "add-k"}),
    ("bleu", BLEU, {"smooth_method": "add-k", "smooth_value": 0.37}),
    ("bleu", BLEU, {"max_ngram_order": 6}),
    ("chrf", CHRF, {}),
    ("chrf", CHRF, {"beta": 1, "char_order": 3}),
    ("chrf", CHRF, {"beta": 3, "word_order": 2}),
    ("chrf", CHRF, {"eps_smoothing": True}),
    ("ter", TER, {}),
]


@pytest.fixture(params=["compiled", "python"], autouse=True)
def path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run every test with the compiled formulas and with those in Python."""
    if request.param == "python":
        monkeypatch.setattr(kernels, "score_sums", None)
    return str(request.param)


def random_sums(metric: Metric, rng: np.random.Generator, n: int) -> np.ndarray:
    """Sums as they can occur, many of them degenerate: nothing matched, nothing in the reference, no long n-grams."""
    if metric.kind == "bleu":
        order = len(metric.statistic_names) // 2 - 1
        hyp_len = rng.integers(0, 60, n) * rng.integers(0, 2, n)
        total = np.maximum(0, hyp_len[:, None] - 3 * np.arange(order))
        correct = np.minimum(total, rng.integers(0, 60, (n, order)) * rng.integers(0, 2, (n, order)))
        return np.column_stack([hyp_len, rng.integers(0, 60, n), correct, total])
    if metric.kind == "ter":
        return np.column_stack([rng.integers(0, 30, n), rng.integers(0, 40, n) * rng.integers(0, 2, n)])
    order = len(metric.statistic_names) // 3
    ref = np.maximum(0, rng.integers(0, 300, n)[:, None] * rng.integers(0, 2, n)[:, None] - 60 * np.arange(order))
    hyp = np.where(ref > 0, np.maximum(0, rng.integers(0, 300, n)[:, None] - 50 * np.arange(order)), 0)
    match = np.minimum(np.minimum(hyp, ref), rng.integers(0, 200, (n, order)) * rng.integers(0, 2, (n, 1)))
    return np.stack([hyp, ref, match], axis=-1).reshape(n, 3 * order)


@pytest.mark.parametrize(("key", "peer_class", "options"), OPTIONS, ids=[f"{o[0]}-{o[2]}" for o in OPTIONS])
def test_scores_of_float32_sums(key: str, peer_class: Any, options: dict[str, Any]) -> None:
    """As the paired bootstrap of sacreBLEU computes them."""
    metric, peer = create_metric(key, options, "de-en"), peer_class(**options)
    sums = random_sums(metric, np.random.default_rng(3), 400).astype(np.float32)
    expected = [peer._compute_score_from_stats(row.copy()).score for row in sums]
    scores = metric.sacrebleu_scores(sums)
    assert scores is not None
    np.testing.assert_array_equal(scores, np.asarray(expected).astype(scores.dtype))
    if key != "bleu":
        doubles = [isinstance(score, float) and not isinstance(score, np.floating) for score in expected]
        np.testing.assert_array_equal(metric.sacrebleu_doubles(sums), doubles)


@pytest.mark.parametrize(("key", "peer_class", "options"), OPTIONS, ids=[f"{o[0]}-{o[2]}" for o in OPTIONS])
def test_scores_of_integer_sums(key: str, peer_class: Any, options: dict[str, Any]) -> None:
    """As its randomization test computes them, from arrays of 64-bit integers."""
    metric, peer = create_metric(key, options, "de-en"), peer_class(**options)
    sums = random_sums(metric, np.random.default_rng(4), 400)
    expected = [peer._compute_score_from_stats(row.copy()).score for row in sums]
    np.testing.assert_array_equal(metric.sacrebleu_scores(sums.astype(np.float64)), expected)


@pytest.mark.parametrize(("key", "peer_class", "options"), OPTIONS, ids=[f"{o[0]}-{o[2]}" for o in OPTIONS])
def test_corpus_scores(key: str, peer_class: Any, options: dict[str, Any]) -> None:
    """As it scores a corpus, from Python's integers; over any leading axes, NaN for NaN."""
    metric, peer = create_metric(key, options, "de-en"), peer_class(**options)
    sums = random_sums(metric, np.random.default_rng(5), 400)
    expected = np.array([peer._compute_score_from_stats(row.tolist()).score for row in sums])
    given = sums.astype(np.float64)
    given[7, 1] = expected[7] = np.nan
    np.testing.assert_array_equal(metric.corpus_scores(given), expected)
    np.testing.assert_array_equal(metric.corpus_scores(given.reshape(20, 20, -1)), expected.reshape(20, 20))
    assert metric.corpus_scores(given[0]).shape == ()


def test_compensated_sums(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """Where Python's `sum` compensates rounding (from 3.12 on), BLEU's sum of logarithms does too."""
    if path == "compiled":
        pytest.skip("the compiled formula has a test of its own")
    import math

    monkeypatch.setattr(arithmetic, "_COMPENSATED_SUM", True)
    rng = np.random.default_rng(6)
    total = np.array([97.0, 91, 83, 71])
    correct = rng.integers(1, 71, (500, 4)).astype(float)
    sums = np.column_stack([np.full((500, 2), 97.0), correct, np.broadcast_to(total, (500, 4))])
    logs = [[math.log(100.0 * c / t) for c, t in zip(row, total, strict=True)] for row in correct.tolist()]
    expected = [math.exp(_neumaier(row) / 4) for row in logs]
    np.testing.assert_array_equal(arithmetic.bleu(sums), expected)


def _neumaier(values: list[float]) -> float:
    """The summation of Neumaier (1974), which CPython 3.12 took over."""
    total, lost = 0.0, 0.0
    for value in values:
        new = total + value
        lost += (total - new) + value if abs(total) >= abs(value) else (value - new) + total
        total = new
    return total + lost
