"""Ranks with their uncertainty, and clusters of systems that no test separates.

Everything here comes from scores and from one matrix that says which system significantly beats which, so nothing
depends on the order in which the systems stand.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["clusters", "competition_ranks", "rank_ranges"]

IntArray = NDArray[np.int64]


def competition_ranks(scores: ArrayLike, *, higher_is_better: bool, tolerance: float = 0.0) -> IntArray:
    """Rank of every system: 1 plus the number of systems with a better score, so that ties share the better rank.

    Parameters
    ----------
    scores
        Corpus scores, (n_systems,), none of them NaN.
    higher_is_better
        The direction.
    tolerance
        Scores that differ by at most this much are tied.

    Examples
    --------
    >>> competition_ranks([30.0, 35.0, 30.0, 20.0], higher_is_better=True).tolist()
    [2, 1, 2, 4]
    """
    goodness = _goodness(scores, higher_is_better=higher_is_better)
    better: IntArray = np.sum(goodness[None, :] - goodness[:, None] > tolerance, axis=1)
    return better + 1


def rank_ranges(beats: ArrayLike) -> tuple[IntArray, IntArray]:
    """Best and worst rank that the tests leave to every system.

    Parameters
    ----------
    beats
        Square matrix: whether the row's system is significantly better than the column's.

    Returns
    -------
    rank_low, rank_high : numpy.ndarray
        1 plus the number of systems significantly better; the number of systems minus those significantly worse.

    Examples
    --------
    >>> low, high = rank_ranges([[0, 0, 1], [0, 0, 0], [0, 0, 0]])
    >>> list(zip(low.tolist(), high.tolist()))
    [(1, 2), (1, 3), (2, 3)]
    """
    matrix = np.asarray(beats, dtype=bool)
    return 1 + matrix.sum(axis=0), len(matrix) - matrix.sum(axis=1)


def clusters(scores: ArrayLike, beats: ArrayLike, *, higher_is_better: bool) -> IntArray:
    """Number of the cluster of every system, from 1 for the best.

    Going down from the best score, a cluster ends where every system above significantly beats every system below.

    Parameters
    ----------
    scores
        Corpus scores, (n_systems,), none of them NaN.
    beats
        Square matrix: whether the row's system is significantly better than the column's.
    higher_is_better
        The direction.

    Examples
    --------
    >>> beats = [[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0]]
    >>> clusters([4.0, 3.0, 2.0, 1.0], beats, higher_is_better=True).tolist()
    [1, 1, 2, 2]
    """
    goodness = _goodness(scores, higher_is_better=higher_is_better)
    matrix = np.asarray(beats, dtype=bool)
    order = np.argsort(-goodness, kind="stable")
    ordered = matrix[np.ix_(order, order)]
    number = np.ones(len(order), dtype=np.int64)
    for position in range(1, len(order)):
        ends = goodness[order[position - 1]] > goodness[order[position]] and ordered[:position, position:].all()
        number[order[position]] = number[order[position - 1]] + ends
    return number


def _goodness(scores: ArrayLike, *, higher_is_better: bool) -> NDArray[np.float64]:
    values = np.asarray(scores, dtype=np.float64)
    return values if higher_is_better else -values
