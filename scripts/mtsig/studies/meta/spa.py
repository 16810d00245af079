"""Soft pairwise accuracy (Thompson, Mathur, Deutsch and Khayrallah 2024).

Pairwise accuracy asks whether a metric puts two systems in the same order as humans do, however close they are. The
soft form asks whether it is as *sure*: both sides give a p-value of "the first is better than the second" from a
paired permutation test, and a pair scores 1 - |p_human - p_metric|.

Tied permutations count in full, so the value depends on which system of a pair comes first. Rule here: systems are
compared in the order of their rows. The meta-evaluation sorts them by human score, best first.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from mtsig.resampling.draws import is_enumerable, n_swaps, swaps

__all__ = ["one_sided_p_values", "soft_accuracies"]

Floats = npt.NDArray[np.float64]

_TOLERANCE = 1e-9  # of the score's scale: closer differences are equal


def one_sided_p_values(
    columns: npt.ArrayLike,
    corpus_scores: Callable[[Floats], Floats],
    *,
    scale: float,
    n_trials: int,
    seed: int,
) -> Floats:
    """Paired permutation tests of "the first system is better" for all pairs of rows.

    Segments are swapped between the two systems, the same segments for all pairs. Where all 2^n swaps are no more than
    `n_trials` they are enumerated and p is the exact share; otherwise p is (count + 1) / (trials + 1).

    Parameters
    ----------
    columns
        (n_systems, n_segments, n_columns) what is summed over segments.
    corpus_scores
        From sums (..., n_columns) to scores (...), higher is better.
    scale
        Size of a good score: differences within 1e-9 of it are equal.
    n_trials
        Number of random swaps.
    seed
        Seed of the swaps.

    Returns
    -------
    numpy.ndarray
        (n_pairs,) in the order of ``numpy.triu_indices(n_systems, 1)``.

    Examples
    --------
    >>> human = np.array([[1.0, 2, 3], [2, 3, 4]])[..., None]
    >>> one_sided_p_values(human, lambda sums: sums[..., 0] / 3, scale=1, n_trials=1000, seed=1).tolist()
    [1.0]
    """
    values = np.asarray(columns, dtype=np.float64)
    n_systems, n_segments, n_columns = values.shape
    first, second = np.triu_indices(n_systems, 1)
    totals = values.sum(axis=1)
    # (n_segments, n_pairs * n_columns): what a swap moves from the first system to the second.
    moved = (values[first] - values[second]).transpose(1, 0, 2).reshape(n_segments, -1)
    observed = corpus_scores(totals[first]) - corpus_scores(totals[second])
    exact = is_enumerable(n_segments, n_trials)
    trials = n_swaps(n_segments, n_trials)
    reached = np.zeros(len(first), dtype=np.int64)
    for block in swaps(seed, n_segments, n_trials, dtype=np.float64):
        shift = ((1 - block) @ moved).reshape(len(block), len(first), n_columns)
        difference = corpus_scores(totals[first] - shift) - corpus_scores(totals[second] + shift)
        reached += (difference >= observed - _TOLERANCE * scale).sum(axis=0)
    return reached / trials if exact else (reached + 1) / (trials + 1)


def soft_accuracies(human: npt.ArrayLike, metric: npt.ArrayLike) -> Floats:
    """Score of each pair from the p-values of both sides; their mean is the soft pairwise accuracy.

    Parameters
    ----------
    human, metric
        (n_pairs,) p-values of `one_sided_p_values`.

    Returns
    -------
    numpy.ndarray
        (n_pairs,) 1 - |p_human - p_metric|.
    """
    return np.asarray(1.0 - np.abs(np.asarray(human, dtype=np.float64) - np.asarray(metric, dtype=np.float64)))
