"""Ranks, rank ranges and clusters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mtsig.resampling.ranks import clusters, competition_ranks, rank_ranges


def _beats(names: str, pairs: str) -> np.ndarray:
    matrix = np.zeros((len(names), len(names)), dtype=bool)
    for pair in pairs.split():
        matrix[names.index(pair[0]), names.index(pair[1])] = True
    return matrix


def test_two_clusters_where_each_above_beats_each_below() -> None:
    """AC, AD, BC, BD significant: {A, B} and {C, D}."""
    assert clusters([4, 3, 2, 1], _beats("ABCD", "AC AD BC BD"), higher_is_better=True).tolist() == [1, 1, 2, 2]


def test_one_missing_victory_joins_the_clusters() -> None:
    """Without BC there is one cluster, and the rank ranges are A 1-2, B 1-3, C 2-4, D 3-4."""
    beats = _beats("ABCD", "AC AD BD")
    assert clusters([4, 3, 2, 1], beats, higher_is_better=True).tolist() == [1, 1, 1, 1]
    low, high = rank_ranges(beats)
    assert list(zip(low.tolist(), high.tolist(), strict=True)) == [(1, 2), (1, 3), (2, 4), (3, 4)]


def test_adjacent_victories_alone_make_no_cluster() -> None:
    """p: AB .30, AC .01, AD .001, BC .20, BD .002, CD .40: B does not beat C, so there is one cluster."""
    assert clusters([4, 3, 2, 1], _beats("ABCD", "AC AD BD"), higher_is_better=True).max() == 1


def test_lower_is_better() -> None:
    """B09: the lowest error rate ranks first and leads the first cluster."""
    scores = [0.4, 0.2, 0.3]
    assert competition_ranks(scores, higher_is_better=False).tolist() == [3, 1, 2]
    beats = np.array([[0, 0, 0], [1, 0, 1], [0, 0, 0]], dtype=bool)
    assert clusters(scores, beats, higher_is_better=False).tolist() == [2, 1, 2]


def test_ties_within_the_tolerance_share_the_better_rank() -> None:
    """1, 2, 2, 4."""
    scores = [10.0, 9.0, 9.0 + 1e-8, 1.0]
    assert competition_ranks(scores, higher_is_better=True, tolerance=1e-7).tolist() == [1, 2, 2, 4]


def test_one_system() -> None:
    """It is first in the only cluster."""
    assert competition_ranks([3.0], higher_is_better=True).tolist() == [1]
    assert clusters([3.0], [[False]], higher_is_better=True).tolist() == [1]
    assert [limit.tolist() for limit in rank_ranges([[False]])] == [[1], [1]]


@given(st.integers(1, 7), st.randoms(use_true_random=False), st.booleans())
def test_nothing_depends_on_the_order_of_the_systems(n: int, random: object, higher: bool) -> None:
    """Permuting scores and victories permutes the results."""
    rng = np.random.default_rng(random.randrange(2**32))  # type: ignore[attr-defined]
    scores = rng.integers(0, 4, size=n).astype(float)
    goodness = scores if higher else -scores
    beats = (goodness[:, None] > goodness[None, :]) & (rng.random((n, n)) < 0.7)
    order = rng.permutation(n)
    permuted = beats[np.ix_(order, order)]
    found = clusters(scores[order], permuted, higher_is_better=higher)
    np.testing.assert_array_equal(found, clusters(scores, beats, higher_is_better=higher)[order])
    ranks = competition_ranks(scores[order], higher_is_better=higher)
    np.testing.assert_array_equal(ranks, competition_ranks(scores, higher_is_better=higher)[order])
    for permuted_limit, limit in zip(rank_ranges(permuted), rank_ranges(beats), strict=True):
        np.testing.assert_array_equal(permuted_limit, limit[order])


@pytest.mark.parametrize("n", [2, 5])
def test_the_rank_lies_within_its_range(n: int) -> None:
    """With all victories won, range and rank are the same; with none, the range is everything."""
    scores = np.arange(n, dtype=float)
    beats = scores[:, None] > scores[None, :]
    low, high = rank_ranges(beats)
    np.testing.assert_array_equal(low, competition_ranks(scores, higher_is_better=True))
    np.testing.assert_array_equal(high, low)
    low, high = rank_ranges(np.zeros((n, n), dtype=bool))
    assert set(low) == {1}
    assert set(high) == {n}
