"""How much a p-value owes to the number of resamples: exact binomial limits (Clopper and Pearson 1934).

scipy has the same limits as quantiles of beta distributions. They are computed here all the same, because loading
scipy takes longer than a whole comparison of two systems.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["clopper_pearson", "p_value_limits"]

FloatArray = NDArray[np.float64]

# Newton's method doubles the number of right digits in every step, so a few are enough.
_LAST_STEP = 1e-10
_MOST_STEPS = 60
_LAST_FACTOR = 1e-14
_MOST_TERMS = 100_000


def clopper_pearson(count: ArrayLike, n: ArrayLike, *, confidence_level: float = 0.95) -> tuple[FloatArray, FloatArray]:
    """Exact limits of a probability from `count` successes in `n` trials.

    Parameters
    ----------
    count, n
        Whole numbers, 0 <= count <= n and n >= 1, of shapes that broadcast.
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
    successes, trials = np.broadcast_arrays(np.asarray(count, dtype=np.float64), np.asarray(n, dtype=np.float64))
    # By symmetry a high limit is a low limit of failures. Many pairs of systems share the same few counts.
    wanted = np.stack([np.stack([successes, trials - successes]), np.stack([trials, trials])], axis=-1)
    distinct, position = np.unique(wanted.reshape(-1, 2), axis=0, return_inverse=True)
    limits = np.zeros(len(distinct))
    some = distinct[:, 0] > 0
    limits[some] = _lower_limits(distinct[some, 0], distinct[some, 1], (1 - confidence_level) / 2)
    low, mirrored = limits[position.ravel()].reshape(2, *successes.shape)
    return low[()], (1 - mirrored)[()]


def _lower_limits(count: FloatArray, n: FloatArray, tail: float) -> FloatArray:
    """The probabilities at which `count` (at least 1) or more successes have probability `tail`.

    That probability is the regularized incomplete beta function I_p(count, n - count + 1), which grows with p. The
    root is found by Newton's method, kept inside an interval that shrinks around it.
    """
    a, b = count, n - count + 1
    log_beta = np.array([math.lgamma(x) + math.lgamma(y) - math.lgamma(x + y) for x, y in zip(a, b, strict=True)])
    # Wilson's limit is close to the root.
    z = -NormalDist().inv_cdf(tail)
    share = count / n
    p = (share + z * z / (2 * n) - z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))) / (1 + z * z / n)
    p = np.clip(p, 1e-12, 1 - 1e-12)
    below, above = np.zeros(len(a)), np.ones(len(a))
    active = np.arange(len(a))
    for _ in range(_MOST_STEPS):
        if not len(active):
            break
        x, shape = p[active], (a[active], b[active])
        error = _incomplete_beta(*shape, x, log_beta[active]) - tail
        below[active] = np.where(error < 0, x, below[active])
        above[active] = np.where(error < 0, above[active], x)
        density = np.exp((shape[0] - 1) * np.log(x) + (shape[1] - 1) * np.log1p(-x) - log_beta[active])
        newton = x - np.divide(error, density, out=np.full(len(x), 2.0), where=density > 0)
        inside = (newton >= below[active]) & (newton <= above[active])
        p[active] = np.where(inside, newton, (below[active] + above[active]) / 2)
        active = active[np.abs(p[active] - x) > _LAST_STEP * x]
    return p


def _incomplete_beta(a: FloatArray, b: FloatArray, x: FloatArray, log_beta: FloatArray) -> FloatArray:
    """Regularized incomplete beta function I_x(a, b), by its continued fraction (Lentz's method)."""
    # The fraction converges fast on one side of the mean; the other side follows by symmetry.
    mirrored = x > (a + 1) / (a + b + 2)
    front = np.exp(a * np.log(x) + b * np.log1p(-x) - log_beta)
    a, b, x = np.where(mirrored, b, a), np.where(mirrored, a, b), np.where(mirrored, 1 - x, x)
    d = 1 / (1 - (a + b) * x / (a + 1))
    c, fraction = np.ones(len(x)), d
    for m in range(1, _MOST_TERMS):
        for coefficient in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + coefficient * d)
            c = 1 + coefficient / c
            fraction = fraction * c * d
        if (np.abs(c * d - 1) < _LAST_FACTOR).all():
            break
    value = front * fraction / a
    return np.where(mirrored, 1 - value, value)


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
