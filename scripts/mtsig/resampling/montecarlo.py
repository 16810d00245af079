"""How much a p-value owes to the number of resamples: exact binomial limits (Clopper and Pearson 1934)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["clopper_pearson", "p_value_limits"]

FloatArray = NDArray[np.float64]


def clopper_pearson(count: ArrayLike, n: ArrayLike, *, confidence_level: float = 0.95) -> tuple[FloatArray, FloatArray]:
    """Exact limits of a probability from `count` successes in `n` trials.

    Parameters
    ----------
    count, n
        Whole numbers, 0 <= count <= n and n > 0, of shapes that broadcast.
    confidence_level
        Between 0 and 1.

    Returns
    -------
    low, high : numpy.ndarray
        Between 0 and 1; low is 0 for no successes and high is 1 for no failures.

    Examples
    --------
    >>> low, high = clopper_pearson(50, 1000)
    >>> print(f"{low:.5f} {high:.5f}")
    0.03734 0.06539
    """
    from scipy.special import betaincinv

    successes, trials = np.asarray(count, dtype=np.float64), np.asarray(n, dtype=np.float64)
    failures = trials - successes
    tail = (1 - confidence_level) / 2
    # The parameters of a beta distribution must be positive; at the ends the limits are 0 and 1 anyway.
    low = np.where(successes > 0, betaincinv(np.maximum(successes, 1), failures + 1, tail), 0.0)
    high = np.where(failures > 0, betaincinv(successes + 1, np.maximum(failures, 1), 1 - tail), 1.0)
    return low[()], high[()]


def p_value_limits(tail_count: ArrayLike, n_resamples: int) -> tuple[FloatArray, FloatArray]:
    """95% limits of a two-sided bootstrap p-value: those of the smaller tail's share, doubled, at most 1.

    Parameters
    ----------
    tail_count
        Number of replicates on or beyond 0 in the smaller tail, shape (...).
    n_resamples
        Number of replicates.

    Examples
    --------
    >>> low, high = p_value_limits([25, 1000], 1000)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.032, 1.0], [0.073, 1.0])
    """
    low, high = clopper_pearson(tail_count, n_resamples)
    return np.minimum(2 * low, 1.0), np.minimum(2 * high, 1.0)
