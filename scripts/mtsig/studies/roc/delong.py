"""Areas under ROC curves by the method of DeLong, DeLong and Clarke-Pearson (1988): covariances without resampling."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

__all__ = ["auc_covariances", "normal_interval", "normal_p_value"]

Floats = npt.NDArray[np.float64]


def auc_covariances(errors: npt.ArrayLike, risks: Mapping[str, npt.ArrayLike]) -> dict[tuple[str, str], float]:
    """Covariance of the areas of each two QE systems, of each with itself too, on the same segments.

    Parameters
    ----------
    errors
        (n_segments,) true where the segment has an error.
    risks
        QE system to (n_segments,) scores, high where an error is likely.

    Returns
    -------
    dict
        Covariances, both orders of a pair included; empty if there are fewer than two segments of either class.

    Examples
    --------
    >>> covariances = auc_covariances([1, 1, 0, 0], {"qe": [3, 1, 2, 0]})
    >>> covariances["qe", "qe"]
    0.125
    """
    labels = np.asarray(errors, dtype=bool)
    positives, negatives = int(labels.sum()), int((~labels).sum())
    if min(positives, negatives) < 2:
        return {}
    names = list(risks)
    placements = [_placements(np.asarray(risks[name], dtype=np.float64), labels) for name in names]
    by_positive = np.atleast_2d(np.cov([found[0] for found in placements]))
    by_negative = np.atleast_2d(np.cov([found[1] for found in placements]))
    covariance = by_positive / positives + by_negative / negatives
    return {(a, b): float(covariance[i, j]) for i, a in enumerate(names) for j, b in enumerate(names)}


def _placements(risks: Floats, labels: npt.NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """For each segment with an error the share of good ones below it, for each good one that of errors above it.

    Ties count one half.
    """

    def share_below(values: Floats, others: Floats) -> Floats:
        ordered = np.sort(others)
        both = np.searchsorted(ordered, values, side="left") + np.searchsorted(ordered, values, side="right")
        return np.asarray(both / (2 * len(others)), dtype=np.float64)

    with_error, without = risks[labels], risks[~labels]
    return share_below(with_error, without), 1 - share_below(without, with_error)


def normal_interval(value: float, variance: float, *, confidence_level: float) -> tuple[float, float]:
    """Interval of an area from its variance, cut off at 0 and 1.

    Examples
    --------
    >>> low, high = normal_interval(0.75, 0.01, confidence_level=0.95)
    >>> round(low, 4), round(high, 4)
    (0.554, 0.946)
    """
    reach = NormalDist().inv_cdf(0.5 + confidence_level / 2) * math.sqrt(max(variance, 0.0))
    return max(value - reach, 0.0), min(value + reach, 1.0)


def normal_p_value(delta: float, variance: float) -> float | None:
    """Two-sided p-value of a difference from its variance; None where it has none.

    Examples
    --------
    >>> round(normal_p_value(0.196, 0.01), 3), normal_p_value(0.0, 0.0)
    (0.05, None)
    """
    if variance <= 1e-15:
        return None
    return 2 * NormalDist().cdf(-abs(delta) / math.sqrt(variance))
