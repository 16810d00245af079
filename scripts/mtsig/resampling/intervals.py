"""Confidence intervals from bootstrap replicates.

The percentile interval is the one that tables show. Basic and BCa intervals (Davison and Hinkley 1997, chapter 5;
Efron 1987) are there for comparison.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mtsig.errors import ConfigError
from mtsig.resampling.exact import as_fraction, tail_rank

__all__ = ["ConfidenceInterval", "basic_interval", "bca_interval", "percentile_interval"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class ConfidenceInterval:
    """Lower and upper limits, each of the shape of the quantity; NaN where undefined."""

    low: FloatArray
    high: FloatArray


def percentile_interval(replicates: ArrayLike, *, confidence_level: float = 0.95) -> ConfidenceInterval:
    """The interval [s(k+1), s(R-k)] of the sorted replicates, k = floor((1 - level) R / 2).

    With 1000 replicates and 95% these are the 26th and the 975th value, as in Koehn (2004). Both limits are
    replicates: there is no interpolation, and the same number lies beyond either of them.

    Parameters
    ----------
    replicates
        Array (..., n_resamples). One NaN makes an interval undefined.
    confidence_level
        Between 0 and 1.

    Returns
    -------
    ConfidenceInterval
        Limits of shape (...).

    Raises
    ------
    ConfigError
        If there are no replicates or the level is not between 0 and 1.

    Examples
    --------
    >>> percentile_interval(np.arange(1, 1001.0))
    ConfidenceInterval(low=np.float64(26.0), high=np.float64(975.0))
    """
    values = np.asarray(replicates, dtype=np.float64)
    n_resamples = _check(values, confidence_level)
    k = tail_rank(1 - as_fraction(confidence_level), n_resamples)
    ordered = np.partition(values, (k, n_resamples - k - 1), axis=-1)
    # NaN sorts last, so one look at the end finds it.
    undefined = np.isnan(values).any(axis=-1)
    low, high = ordered[..., k], ordered[..., n_resamples - k - 1]
    return ConfidenceInterval(np.where(undefined, np.nan, low)[()], np.where(undefined, np.nan, high)[()])


def basic_interval(replicates: ArrayLike, observed: ArrayLike, *, confidence_level: float = 0.95) -> ConfidenceInterval:
    """The percentile interval reflected at the observed value: [2 t - high, 2 t - low].

    Parameters
    ----------
    replicates
        Array (..., n_resamples).
    observed
        The value on the full sample, shape (...).
    confidence_level
        Between 0 and 1.

    Examples
    --------
    >>> basic_interval(np.arange(1, 1001.0), 500.0)
    ConfidenceInterval(low=np.float64(25.0), high=np.float64(974.0))
    """
    percentile = percentile_interval(replicates, confidence_level=confidence_level)
    doubled = 2 * np.asarray(observed, dtype=np.float64)
    return ConfidenceInterval(doubled - percentile.high, doubled - percentile.low)


def bca_interval(
    replicates: ArrayLike,
    observed: float,
    jackknife: ArrayLike,
    *,
    confidence_level: float = 0.95,
    tolerance: float = 0.0,
) -> ConfidenceInterval:
    """Bias-corrected and accelerated interval of one quantity (Efron 1987).

    Replicates equal to the observed value count one half in the bias correction; with discrete scores, leaving them
    out moves the limits visibly. Limits are replicates, as in `percentile_interval`.

    Parameters
    ----------
    replicates
        Array (n_resamples,).
    observed
        The value on the full sample.
    jackknife
        The values with one unit left out each, shape (n_units,).
    confidence_level
        Between 0 and 1.
    tolerance
        Replicates that differ from `observed` by at most this much are ties.

    Returns
    -------
    ConfidenceInterval
        NaN limits where the correction is undefined: all replicates on one side of the observed value, or fewer than
        two units. Where all values are equal, both limits are that value.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=50)
    >>> means = x[rng.integers(0, 50, size=(999, 50))].mean(axis=1)
    >>> left_out = (x.sum() - x) / 49
    >>> interval = bca_interval(means, x.mean(), left_out)
    >>> bool(interval.low < x.mean() < interval.high)
    True
    """
    values = np.sort(np.asarray(replicates, dtype=np.float64))
    n_resamples = _check(values, confidence_level)
    left_out = np.asarray(jackknife, dtype=np.float64)
    undefined = ConfidenceInterval(np.float64(np.nan), np.float64(np.nan))  # type: ignore[arg-type]
    if np.isnan(values).any() or np.isnan(left_out).any() or len(left_out) < 2:
        return undefined
    if values[-1] - values[0] <= tolerance:
        return ConfidenceInterval(values[0], values[-1])
    below = np.count_nonzero(values < observed - tolerance)
    ties = np.count_nonzero(np.abs(values - observed) <= tolerance)
    share = (below + ties / 2) / n_resamples
    if not 0 < share < 1:
        return undefined
    normal = NormalDist()
    bias = normal.inv_cdf(share)
    deviations = left_out.mean() - left_out
    spread = np.sum(deviations**2)
    acceleration = np.sum(deviations**3) / (6 * spread**1.5) if spread > 0 else 0.0

    def limit(probability: float) -> Any:
        z = bias + normal.inv_cdf(probability)
        corrected = normal.cdf(bias + z / (1 - acceleration * z))
        return values[min(max(int(np.ceil(corrected * n_resamples)), 1), n_resamples) - 1]

    tail = float((1 - as_fraction(confidence_level)) / 2)
    return ConfidenceInterval(limit(tail), limit(1 - tail))


def _check(values: FloatArray, confidence_level: float) -> int:
    """The number of replicates; refuses none, and levels outside (0, 1)."""
    if not 0 < confidence_level < 1:
        raise ConfigError(f"confidence_level: expected a number between 0 and 1, found {confidence_level}.")
    if values.ndim == 0 or values.shape[-1] == 0:
        raise ConfigError("n_resamples: an interval needs at least one replicate.")
    return int(values.shape[-1])
