"""Pearson and Spearman correlations, weighted by draw counts and for many resamples at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["weighted_pearson", "weighted_ranks", "weighted_spearman"]

Floats = npt.NDArray[np.float64]


def weighted_pearson(first: npt.ArrayLike, second: npt.ArrayLike, weights: npt.ArrayLike) -> Floats:
    """Pearson correlations of units that occur several times.

    Parameters
    ----------
    first, second
        (..., n_units) scores.
    weights
        (..., n_units) how often each unit occurs, for each resample.

    Returns
    -------
    numpy.ndarray
        Correlations of the broadcast shape (...); NaN where the units that occur have one and the same score.

    Examples
    --------
    >>> weighted_pearson([1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3], [1, 1, 1, 1, 1]).round(6).tolist()
    0.5547
    """
    x, y, w = (np.asarray(values, dtype=np.float64) for values in (first, second, weights))
    total = _sum(w, np.ones(w.shape[-1]))
    defined = total > 0
    total = np.where(defined, total, 1.0)
    # Centred first: the moments of scores far from zero would lose their digits.
    x, y = x - x.mean(axis=-1, keepdims=True), y - y.mean(axis=-1, keepdims=True)
    mean_x, mean_y = _sum(w, x) / total, _sum(w, y) / total
    var_x = _sum(w, x * x) / total - mean_x**2
    var_y = _sum(w, y * y) / total - mean_y**2
    covariance = _sum(w, x * y) / total - mean_x * mean_y
    # A variance below rounding is that of equal scores.
    defined &= (var_x > 1e-14 * (1e-300 + (x * x).max(axis=-1))) & (var_y > 1e-14 * (1e-300 + (y * y).max(axis=-1)))
    norm = np.sqrt(np.where(defined, var_x * var_y, 1.0))
    return np.where(defined, np.clip(covariance / norm, -1.0, 1.0), np.nan)


def _sum(weights: Floats, values: Floats) -> Floats:
    """Weighted sums over units; a matrix product where all resamples share the values."""
    if values.ndim == 1:
        return np.asarray(weights @ values)
    return np.asarray((weights * values).sum(axis=-1))


def weighted_ranks(scores: npt.ArrayLike, weights: npt.ArrayLike) -> Floats:
    """Mean ranks of units that occur several times: copies and equal scores share the mean of their places.

    Parameters
    ----------
    scores
        (n_units,) scores, or (n_resamples, n_units) where they differ by resample.
    weights
        (n_resamples, n_units) how often each unit occurs.

    Returns
    -------
    numpy.ndarray
        (n_resamples, n_units) ranks from 1, of the units that occur (others have a rank without meaning).

    Examples
    --------
    >>> weighted_ranks([10.0, 20.0, 20.0, 30.0], [[1, 1, 1, 1], [2, 1, 0, 1]]).tolist()
    [[1.0, 2.5, 2.5, 4.0], [1.5, 3.0, 3.0, 4.0]]
    """
    values, w = np.asarray(scores, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    if values.ndim == 2:
        below = (values[:, None, :] < values[:, :, None]) @ w[:, :, None]
        equal = (values[:, None, :] == values[:, :, None]) @ w[:, :, None]
        return np.asarray(below + (equal + 1) / 2)[..., 0]
    order = np.argsort(values, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(values[order]) > 0), len(order) - 1)
    upto = np.cumsum(w[:, order], axis=1)[:, ends]
    before = np.concatenate((np.zeros((len(w), 1)), upto[:, :-1]), axis=1)
    group = np.empty(len(order), dtype=np.intp)
    group[order] = np.repeat(np.arange(len(ends)), np.diff(np.append(-1, ends)))
    return np.asarray((before + upto + 1) / 2)[:, group]


def weighted_spearman(first: npt.ArrayLike, second: npt.ArrayLike, weights: npt.ArrayLike) -> Floats:
    """Spearman correlations of units that occur several times.

    Parameters
    ----------
    first, second
        (n_units,) scores, or (n_resamples, n_units) where they differ by resample. Ties must be exact.
    weights
        (n_resamples, n_units) how often each unit occurs.

    Returns
    -------
    numpy.ndarray
        (n_resamples,) correlations; NaN where the units that occur have one and the same score.

    Examples
    --------
    >>> weighted_spearman([1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3], [[1, 1, 1, 1, 1]]).round(6).tolist()
    [0.564288]
    """
    w = np.asarray(weights, dtype=np.float64)
    return weighted_pearson(weighted_ranks(first, w), weighted_ranks(second, w), w)
