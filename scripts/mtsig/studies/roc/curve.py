"""ROC and precision-recall curves of a quality estimation (QE) system against segments with and without errors.

A segment with an error is a *positive*. Segments are sorted by QE score, worst first; at each threshold the ones worse
than or equal to it are reviewed. Segments with the same score enter together (one point per unique score), so ties
make a slanted line and not a staircase. Points are kept as counts, which are exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mtsig.errors import InputError

__all__ = [
    "HullVertex",
    "PrecisionRecall",
    "RocCurve",
    "area_up_to",
    "convex_hull",
    "hanley_mcneil_error",
    "hull_auc",
    "mcclish",
    "partial_auc",
    "precision_recall",
    "roc_curve",
    "union_hull",
]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class RocCurve:
    """The points of a ROC curve, from (0, 0), where nothing is reviewed, to (1, 1), where everything is.

    Attributes
    ----------
    thresholds
        (n_points - 1,) unique QE scores on the system's own scale, worst first. Point k + 1 reviews the segments that
        are worse than or equal to ``thresholds[k]``; point 0 reviews none.
    true_positives, false_positives
        (n_points,) segments with and without an error that are reviewed.
    positives, negatives
        Number of segments with and without an error.
    """

    thresholds: Floats
    true_positives: Integers
    false_positives: Integers
    positives: int
    negatives: int

    @property
    def n_segments(self) -> int:
        """Number of segments."""
        return self.positives + self.negatives

    @property
    def reviewed(self) -> Integers:
        """(n_points,) number of reviewed segments."""
        return self.true_positives + self.false_positives

    @property
    def false_negatives(self) -> Integers:
        """(n_points,) errors that are not reviewed."""
        return self.positives - self.true_positives

    @property
    def tpr(self) -> Floats:
        """(n_points,) true positive rate: the share of the errors that is reviewed."""
        return self.true_positives / self.positives

    @property
    def fpr(self) -> Floats:
        """(n_points,) false positive rate: the share of the good segments that is reviewed."""
        return self.false_positives / self.negatives

    @property
    def auc(self) -> float:
        """Area under the curve by the trapezoidal rule, 0 to 1; 0.5 is chance."""
        from sklearn import metrics

        return float(metrics.auc(self.fpr, self.tpr))


def _check(errors: npt.ArrayLike, scores: npt.ArrayLike) -> tuple[npt.NDArray[np.bool_], Floats]:
    """Labels and scores as arrays of one length, both classes present and every score a finite number."""
    labels, values = np.asarray(errors, dtype=bool), np.asarray(scores, dtype=np.float64)
    if labels.ndim != 1 or labels.shape != values.shape:
        raise InputError(
            f"Labels and scores differ in shape: {labels.shape} and {values.shape}; give one each a segment."
        )
    if not np.isfinite(values).all():
        segment = int(np.flatnonzero(~np.isfinite(values))[0])
        raise InputError(f"The QE score of segment {segment} is {values[segment]}; leave such segments out first.")
    if labels.all() or not labels.any():
        kind = "with" if labels.any() else "without"
        raise InputError(f"All {len(labels)} segments are {kind} an error: a ROC curve needs both kinds.")
    return labels, values


def roc_curve(errors: npt.ArrayLike, scores: npt.ArrayLike, *, higher_is_better: bool = True) -> RocCurve:
    """Compute the ROC curve of a QE system, with one point per unique score.

    Parameters
    ----------
    errors
        (n_segments,) true where the segment has an error.
    scores
        (n_segments,) QE scores on the system's own scale.
    higher_is_better
        False where a high score announces an error.

    Returns
    -------
    RocCurve
        The points, worst scores first.

    Raises
    ------
    InputError
        If the shapes differ, a score is not finite, or all segments are of one class: then no curve is defined.

    Examples
    --------
    >>> curve = roc_curve([1, 0, 1, 0], [0.2, 0.2, 0.5, 0.9])
    >>> curve.thresholds.tolist(), curve.true_positives.tolist(), curve.false_positives.tolist()
    ([0.2, 0.5, 0.9], [0, 1, 2, 2], [0, 1, 1, 2])
    >>> curve.auc
    0.625
    """
    from sklearn import metrics

    labels, values = _check(errors, scores)
    sign = -1.0 if higher_is_better else 1.0
    fpr, tpr, thresholds = metrics.roc_curve(labels, sign * values, drop_intermediate=False)
    positives = int(labels.sum())
    negatives = len(labels) - positives
    return RocCurve(
        thresholds=sign * thresholds[1:],
        true_positives=np.rint(tpr * positives).astype(np.int64),
        false_positives=np.rint(fpr * negatives).astype(np.int64),
        positives=positives,
        negatives=negatives,
    )


def hanley_mcneil_error(auc: float, positives: int, negatives: int) -> float:
    """Standard error of an AUC by Hanley and McNeil (1982).

    Parameters
    ----------
    auc
        Area under the curve, 0 to 1.
    positives, negatives
        Number of segments with and without an error, at least one each.

    Returns
    -------
    float
        The standard error; 0 for an AUC of 0 or 1, where the formula has nothing to say.

    Examples
    --------
    >>> round(hanley_mcneil_error(23 / 48, 6, 4), 6)
    0.19573
    """
    both_positive = auc / (2 - auc)
    both_negative = 2 * auc**2 / (1 + auc)
    variance = (
        auc * (1 - auc) + (positives - 1) * (both_positive - auc**2) + (negatives - 1) * (both_negative - auc**2)
    ) / (positives * negatives)
    return float(np.sqrt(max(variance, 0.0)))


def partial_auc(curve: RocCurve, low: float, high: float) -> float:
    """Area under the part of the curve between two false positive rates.

    Low rates (early retrieval) matter when reviews are dear, high ones (late retrieval) when misses are.

    Parameters
    ----------
    curve
        The ROC curve.
    low, high
        Limits of the false positive rate, 0 <= low < high <= 1.

    Returns
    -------
    float
        The area, at most ``high - low``.

    Examples
    --------
    >>> curve = roc_curve([1, 1, 0, 0], [1.0, 3.0, 2.0, 4.0])
    >>> partial_auc(curve, 0.0, 0.5), partial_auc(curve, 0.5, 1.0), curve.auc
    (0.25, 0.5, 0.75)
    """
    from sklearn import metrics

    if not 0 <= low < high <= 1:
        raise InputError(f"False positive rates {low} to {high} are no part of 0 to 1.")
    fpr, tpr = curve.fpr, curve.tpr
    inside = (fpr > low) & (fpr < high)
    # On a vertical stretch the part starts at its top and ends at its top: the stretch itself has no area.
    xs = np.concatenate(([low], fpr[inside], [high]))
    ys = np.concatenate(([np.interp(low, fpr, tpr)], tpr[inside], [_lower_value(high, fpr, tpr)]))
    return float(metrics.auc(xs, ys))


def mcclish(area: float, low: float, high: float) -> float:
    """A partial area rescaled as McClish (1989) did, so that 0.5 is chance and 1 is perfect.

    Parameters
    ----------
    area
        Area between two false positive rates, see `partial_auc`.
    low, high
        These rates, not the whole of 1 as a single point.

    Examples
    --------
    >>> mcclish(0.125, 0.0, 0.5), mcclish(0.5, 0.0, 0.5), mcclish(0.375, 0.5, 1.0)
    (0.5, 1.0, 0.5)
    """
    chance, perfect = (high**2 - low**2) / 2, high - low
    return 0.5 * (1 + (area - chance) / (perfect - chance))


def area_up_to(fpr: Floats, tpr: Floats, limit: float) -> float:
    """Area under the part of a curve up to a false positive rate.

    Parameters
    ----------
    fpr, tpr
        (n_points,) corners of the curve, from (0, 0) to (1, 1).
    limit
        The rate, 0 to 1.

    Examples
    --------
    >>> area_up_to(np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.5, 1.0]), 0.5)
    0.3125
    """
    last = int(np.searchsorted(fpr, limit, side="left"))
    if last == 0:
        return 0.0
    whole = (np.diff(fpr[:last]) * (tpr[1:last] + tpr[: last - 1])).sum() / 2
    before, width = last - 1, fpr[last] - fpr[last - 1]
    reached = tpr[before] + (tpr[last] - tpr[before]) * (limit - fpr[before]) / width
    return float(whole + (limit - fpr[before]) * (tpr[before] + reached) / 2)


def _lower_value(x: float, fpr: Floats, tpr: Floats) -> float:
    """The curve's value at `x`, the lower one on a vertical stretch."""
    return float(-np.interp(-x, -fpr[::-1], -tpr[::-1]))


@dataclass(frozen=True)
class PrecisionRecall:
    """Precision, recall and F1 of the reviewed set at every threshold.

    Attributes
    ----------
    precision, recall, f1
        (n_thresholds,) in the order of the ROC curve's thresholds, worst first.
    average_precision
        Precision weighted by the steps in recall.
    auc
        Area under the precision-recall curve by the trapezoidal rule (it is optimistic: see Davis and Goadrich 2006).
    """

    precision: Floats
    recall: Floats
    f1: Floats
    average_precision: float
    auc: float


def precision_recall(errors: npt.ArrayLike, scores: npt.ArrayLike, *, higher_is_better: bool = True) -> PrecisionRecall:
    """Compute the precision-recall curve of a QE system, with one point per unique score.

    Parameters
    ----------
    errors, scores, higher_is_better
        As for `roc_curve`.

    Returns
    -------
    PrecisionRecall
        Values at every threshold, worst scores first.

    Examples
    --------
    >>> curve = precision_recall([1, 1, 0, 0], [1.0, 3.0, 2.0, 4.0])
    >>> curve.precision.round(3).tolist(), curve.recall.tolist()
    ([1.0, 0.5, 0.667, 0.5], [0.5, 0.5, 1.0, 1.0])
    """
    from sklearn import metrics

    labels, values = _check(errors, scores)
    risks = -values if higher_is_better else values
    precision, recall, _ = metrics.precision_recall_curve(labels, risks)
    area = float(metrics.auc(recall, precision))
    # scikit-learn goes from the mildest threshold to the strictest and adds the point (recall 0, precision 1).
    precision, recall = precision[-2::-1], recall[-2::-1]
    total = precision + recall
    f1 = np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=total > 0)
    return PrecisionRecall(precision, recall, f1, float(metrics.average_precision_score(labels, risks)), area)


@dataclass(frozen=True)
class HullVertex:
    """A corner of the convex hull: an operating point that is best for some ratio of costs.

    Attributes
    ----------
    false_positives, true_positives
        Coordinates in counts.
    name
        The QE system whose curve has the point; null at the two endpoints, which need none.
    threshold
        That system's threshold; null at (0, 0).
    """

    false_positives: int
    true_positives: int
    name: str | None
    threshold: float | None


def union_hull(curves: Mapping[str, RocCurve]) -> list[HullVertex]:
    """Convex hull of several QE systems' ROC curves on the same segments: which to use where.

    A point between two corners is reached by using the one system or the other at random.

    Parameters
    ----------
    curves
        System name to curve; all of the same segments.

    Returns
    -------
    list of HullVertex
        From (0, 0) to (N, P). Where systems share a corner, the first name (by code point) stands there.

    Raises
    ------
    InputError
        If the curves are of different segments.

    Examples
    --------
    >>> errors = [1, 1, 0, 0]
    >>> first = roc_curve(errors, [4, 1, 3, 2], higher_is_better=False)
    >>> second = roc_curve(errors, [3, 2, 4, 1], higher_is_better=False)
    >>> [(v.name, v.false_positives, v.true_positives) for v in union_hull({"first": first, "second": second})]
    [(None, 0, 0), ('first', 0, 1), ('second', 1, 2), (None, 2, 2)]
    """
    sizes = {(curve.positives, curve.negatives) for curve in curves.values()}
    if len(sizes) != 1:
        raise InputError(f"A hull needs curves of the same segments; (positives, negatives) are {sorted(sizes)}.")
    ((positives, negatives),) = sizes
    best: dict[int, HullVertex] = {0: HullVertex(0, 0, None, None)}
    for name, curve in sorted(curves.items()):
        points = zip(curve.false_positives[1:], curve.true_positives[1:], curve.thresholds, strict=True)
        for x, y, threshold in points:
            known = best.get(int(x))
            if known is None or y > known.true_positives:
                best[int(x)] = HullVertex(int(x), int(y), name, float(threshold))
    start = HullVertex(0, 0, None, None)
    vertices: list[HullVertex] = [start]
    for vertex in sorted(best.values(), key=lambda vertex: vertex.false_positives):
        while len(vertices) > 1 and _turn(vertices[-2], vertices[-1], vertex) >= 0:
            vertices.pop()
        if (vertex.false_positives, vertex.true_positives) != (0, 0):
            vertices.append(vertex)
    end = vertices[-1]
    if (end.false_positives, end.true_positives) == (negatives, positives):
        vertices[-1] = HullVertex(negatives, positives, None, end.threshold if len(curves) == 1 else None)
    return vertices


def convex_hull(curve: RocCurve) -> list[HullVertex]:
    """Convex hull of one ROC curve, as `union_hull`; thresholds belong to the one system.

    Examples
    --------
    >>> curve = roc_curve([1, 1, 0, 0], [4, 1, 3, 2], higher_is_better=False)
    >>> [(vertex.false_positives, vertex.true_positives) for vertex in convex_hull(curve)]
    [(0, 0), (0, 1), (2, 2)]
    """
    return union_hull({"": curve})


def hull_auc(vertices: list[HullVertex]) -> float:
    """Area under a hull, as a fraction of the whole square.

    Examples
    --------
    >>> hull_auc(convex_hull(roc_curve([1, 1, 0, 0], [4, 1, 3, 2], higher_is_better=False)))
    0.75
    """
    xs = [vertex.false_positives for vertex in vertices]
    ys = [vertex.true_positives for vertex in vertices]
    doubled = sum((xs[k + 1] - xs[k]) * (ys[k + 1] + ys[k]) for k in range(len(xs) - 1))
    return doubled / (2 * xs[-1] * ys[-1])


def _turn(first: HullVertex, second: HullVertex, third: HullVertex) -> int:
    """Positive for a turn to the left, 0 for a straight line."""
    ahead = (second.false_positives - first.false_positives) * (third.true_positives - first.true_positives)
    across = (second.true_positives - first.true_positives) * (third.false_positives - first.false_positives)
    return ahead - across
