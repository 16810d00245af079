"""Soft pairwise accuracy, tests between metrics, and ranks of metrics."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from mtsig.studies.meta.comparison import assign_ranks, standardize, two_sided_p, williams_test
from mtsig.studies.meta.spa import one_sided_p_values, soft_accuracies

TWO_HUMAN, TWO_METRIC = [[1, 2, 3], [2, 3, 4]], [[2, 2, 4], [1, 3, 5]]
THREE_HUMAN = [[3, 4, 5, 4], [3, 3, 4, 4], [1, 2, 2, 5]]
THREE_METRIC = [[7, 8, 9, 9], [8, 8, 9, 9], [5, 6, 4, 8]]


def _p_values(scores: npt.ArrayLike, *, n_trials: int = 1000) -> npt.NDArray[np.float64]:
    columns = np.asarray(scores, dtype=float)[..., None]
    n_segments = columns.shape[1]
    return one_sided_p_values(columns, lambda sums: sums[..., 0] / n_segments, scale=1.0, n_trials=n_trials, seed=4)


def test_two_systems() -> None:
    assert _p_values(TWO_HUMAN).tolist() == [1]
    assert _p_values(TWO_METRIC).tolist() == [7 / 8]
    assert soft_accuracies(_p_values(TWO_HUMAN), _p_values(TWO_METRIC)).mean() == 7 / 8


def test_three_systems_and_why_their_order_is_fixed() -> None:
    human, metric = _p_values(THREE_HUMAN), _p_values(THREE_METRIC)
    assert human.tolist() == [1 / 4, 1 / 8, 3 / 16]
    assert metric.tolist() == [1, 1 / 16, 1 / 16]
    assert soft_accuracies(human, metric).mean() == pytest.approx(11 / 16)
    backwards = soft_accuracies(_p_values(THREE_HUMAN[::-1]), _p_values(THREE_METRIC[::-1]))
    assert backwards.mean() == pytest.approx(19 / 24)


def test_random_swaps_approach_the_exact_share() -> None:
    n = 4
    p = _p_values(np.tile(THREE_HUMAN, (1, n))[:, : 4 * n], n_trials=4000)
    exact = _p_values(np.tile(THREE_HUMAN, (1, n))[:, : 4 * n], n_trials=2 ** (4 * n))
    for found, share in zip(p, exact, strict=True):
        assert found == pytest.approx(share, abs=5 * math.sqrt(share * (1 - share) / 4000) + 1 / 4000)


def test_williams() -> None:
    assert williams_test(0.9, 0.8, 0.7, 20) == pytest.approx(2 * 0.0938983394, abs=1e-9)
    assert williams_test(0.8, 0.9, 0.7, 20) == pytest.approx(0.1877966789, abs=1e-9)


def test_two_sided_p_is_never_zero_and_counts_ties() -> None:
    assert two_sided_p(0.5, np.zeros(99)) == 0.01
    assert two_sided_p(0.0, np.zeros(99)) == 1
    assert two_sided_p(0.5, [np.nan, 0.0, 0.0]) == 0.5
    assert two_sided_p(float("nan"), [0.0]) is None


@pytest.mark.parametrize(
    ("p_values", "alpha", "ranks"),
    [
        ([[0, 1, 0, 1], [0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 0, 0]], 0.5, [1, 1, 2, 2]),
        ([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0]], 0.5, [1, 2, 2, 3]),
        ([[0, 0.3, 0.01, 0.001], [0, 0, 0.2, 0.002], [0, 0, 0, 0.4], [0, 0, 0, 0]], 0.05, [1, 1, 2, 2]),
        ([[0]], 0.05, [1]),
    ],
)
def test_ranks_begin_anew_where_a_member_is_beaten(p_values: list[list[float]], alpha: float, ranks: list[int]) -> None:
    assert assign_ranks(np.triu(np.array(p_values) < alpha, 1)) == ranks


def test_standard_scores() -> None:
    assert standardize([1.0, 3.0, np.nan]) == pytest.approx([-1, 1, np.nan], nan_ok=True)
    assert standardize([5.0, 5.0]).tolist() == [0, 0]
