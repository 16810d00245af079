"""Is one metric better than another? Permutation and Williams tests, and ranks of metrics.

PERM-BOTH (Deutsch, Dror and Roth 2021): under the null hypothesis the two metrics are interchangeable, so each score
of the one (standardised, since their scales differ) may be swapped with the other's score of the same output. The
difference of the two correlations is compared with what such swaps give.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["assign_ranks", "standardize", "two_sided_p", "williams_test"]

Floats = npt.NDArray[np.float64]

_TOLERANCE = 1e-9  # correlations are of scale 1


def standardize(scores: npt.ArrayLike) -> Floats:
    """Scores with mean 0 and standard deviation 1 (NaN left out; constant scores become 0)."""
    values = np.asarray(scores, dtype=np.float64)
    spread = np.nanstd(values)
    return np.asarray((values - np.nanmean(values)) / (spread if spread > 0 else 1.0))


def two_sided_p(observed: float, permuted: npt.ArrayLike, *, exact: bool = False) -> float | None:
    """P-value of a difference: the share of permutations that give at least as large a one.

    Parameters
    ----------
    observed
        The difference.
    permuted
        (n_trials,) differences under permutation. Undefined ones count as at least as large, the cautious side.
    exact
        Whether they are all permutations, the identity among them. Otherwise the observed difference counts as one
        more, so that p is never 0.

    Returns
    -------
    float or None
        None where the observed difference is undefined.

    Examples
    --------
    >>> two_sided_p(0.5, [0.1, -0.5, 0.2, 0.6])
    0.6
    >>> two_sided_p(0.5, [0.5, -0.5, 0.2, -0.2], exact=True)
    0.5
    """
    if not np.isfinite(observed):
        return None
    values = np.abs(np.asarray(permuted, dtype=np.float64))
    reached = int((~(values < abs(observed) - _TOLERANCE)).sum())
    return reached / len(values) if exact else (reached + 1) / (len(values) + 1)


def williams_test(first: float, second: float, between: float, n_units: int) -> float:
    """Williams's test of two dependent Pearson correlations, two-sided.

    Parameters
    ----------
    first, second
        Correlation of either metric with the human scores.
    between
        Correlation of the two metrics.
    n_units
        Number of units, more than 3.

    Returns
    -------
    float
        The p-value; half of it is the one-sided one.

    Examples
    --------
    >>> round(williams_test(0.9, 0.8, 0.7, 20), 10)
    0.1877966789
    """
    from scipy import stats

    determinant = 1 - first**2 - second**2 - between**2 + 2 * first * second * between
    mean = (first + second) / 2
    top = (first - second) * np.sqrt((n_units - 1) * (1 + between))
    bottom = np.sqrt(2 * (n_units - 1) / (n_units - 3) * determinant + mean**2 * (1 - between) ** 3)
    return float(2 * stats.t.sf(abs(top / bottom), n_units - 3))


def assign_ranks(better: npt.ArrayLike) -> list[int]:
    """Ranks from the top: a new rank begins where a member of the current one is significantly better.

    Parameters
    ----------
    better
        (n, n) true where the row's metric is significantly better than the column's; rows sorted best first.

    Returns
    -------
    list of int
        Ranks from 1, in the order of the rows.

    Examples
    --------
    >>> assign_ranks([[0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    [1, 1, 2, 2]
    """
    wins = np.asarray(better, dtype=bool)
    ranks: list[int] = []
    start = 0
    for row in range(len(wins)):
        if wins[start:row, row].any():
            start = row
        ranks.append(ranks[-1] + (start == row) if ranks else 1)
    return ranks
