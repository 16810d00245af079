"""What to do with a QE system's scores: how much to review, at which threshold, and what it leaves behind.

Every decision is a point of the ROC curve: the segments worse than or equal to a threshold are reviewed (or, when
data are cleaned, thrown away) and the rest is left as it is. Segments with the same score cannot be told apart, so
they are reviewed together or not at all. Settings are compared with counts in exact arithmetic.

Reviewers who miss a share m of the errors that they see leave ``FN + m TP`` errors behind.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from mtsig.errors import ConfigError
from mtsig.studies.roc.curve import RocCurve

__all__ = [
    "Outcome",
    "data_cleaning",
    "error_share",
    "errors_left_with_random_ties",
    "iso_performance_slope",
    "least_cost",
    "least_share",
    "outcome",
    "parse_ratio",
    "review_budget",
    "risk_target",
    "share_for_target",
]


#: Rates that differ by less are equal.
_ROUNDING = 1e-12

#: Costs and classes differ by no more than that.
_LARGEST_RATIO = 10**9


@dataclass(frozen=True)
class Outcome:
    """What follows from reviewing up to one point of the curve.

    Attributes
    ----------
    point
        Index of the point; 0 reviews nothing.
    threshold
        Segments worse than or equal to it are reviewed; None where nothing is.
    true_positives, false_negatives, false_positives, true_negatives
        Errors reviewed and left, good segments reviewed and left.
    errors_left
        Errors left, those that the reviewers miss included.
    review_share
        Share of the segments that is reviewed.
    errors_left_per_100
        Errors left per 100 segments.
    kept_errors_per_100
        Errors per 100 segments of those not reviewed; None where all are reviewed.
    """

    point: int
    threshold: float | None
    true_positives: int
    false_negatives: int
    false_positives: int
    true_negatives: int
    errors_left: float
    review_share: float
    errors_left_per_100: float
    kept_errors_per_100: float | None


def outcome(curve: RocCurve, point: int, *, reviewer_miss: float = 0.0) -> Outcome:
    """Count what happens at one point of the curve.

    Parameters
    ----------
    curve
        The ROC curve.
    point
        Index of the point; 0 reviews nothing.
    reviewer_miss
        Share of the errors that the reviewers do not see, 0 to 1.

    Returns
    -------
    Outcome
        Counts and rates.
    """
    true_positives, false_positives = int(curve.true_positives[point]), int(curve.false_positives[point])
    missed = curve.positives - true_positives
    left = missed + reviewer_miss * true_positives
    kept = curve.n_segments - true_positives - false_positives
    return Outcome(
        point=point,
        threshold=float(curve.thresholds[point - 1]) if point else None,
        true_positives=true_positives,
        false_negatives=missed,
        false_positives=false_positives,
        true_negatives=curve.negatives - false_positives,
        errors_left=left,
        review_share=(true_positives + false_positives) / curve.n_segments,
        errors_left_per_100=100 * left / curve.n_segments,
        kept_errors_per_100=100 * missed / kept if kept else None,
    )


def _exact(number: float | Fraction) -> Fraction:
    """A number as it is written: 0.1 is a tenth."""
    return number if isinstance(number, Fraction) else Fraction(str(number))


def error_share(curve: RocCurve, classes: tuple[Fraction, Fraction] | None) -> Fraction:
    """Share of segments with an error where the system is used.

    Parameters
    ----------
    curve
        The ROC curve, for its class ratio.
    classes
        Segments with and without an error there; those of the curve if None.

    Examples
    --------
    >>> from mtsig.studies.roc.curve import roc_curve
    >>> error_share(roc_curve([1, 0], [1.0, 2.0]), (Fraction(1), Fraction(5)))
    Fraction(1, 6)
    """
    positives, negatives = classes or (Fraction(curve.positives), Fraction(curve.negatives))
    return positives / (positives + negatives)


def least_share(curve: RocCurve) -> float:
    """The smallest share of segments that can be reviewed: those with the worst score, which come together.

    Examples
    --------
    >>> from mtsig.studies.roc.curve import roc_curve
    >>> least_share(roc_curve([1, 0, 1, 0], [1.0, 1.0, 2.0, 3.0]))
    0.5
    """
    return float(curve.reviewed[1] / curve.n_segments)


def share_for_target(
    curve: RocCurve,
    fpr: npt.ArrayLike,
    tpr: npt.ArrayLike,
    per_100: float,
    *,
    reviewer_miss: float = 0.0,
) -> float | None:
    """Share of segments to review until at most `per_100` errors are left in 100 segments, going along any curve.

    Parameters
    ----------
    curve
        The ROC curve, for the numbers of segments.
    fpr, tpr
        (n_points,) points of the curve to go along, such as the edge of a band; it starts in (0, 0), is straight
        between points, and never falls.
    per_100
        Errors tolerated per 100 segments, 0 to 100.
    reviewer_miss
        Share of the errors that the reviewers do not see, 0 to 1.

    Returns
    -------
    float or None
        The share; None where the curve never gets there.

    Examples
    --------
    One error in two may be left, so half of the errors have to be found: on a straight line, after half of all.

    >>> from mtsig.studies.roc.curve import roc_curve
    >>> share_for_target(roc_curve([1, 0], [1.0, 1.0]), [0.0, 1.0], [0.0, 1.0], 25)
    0.5
    """
    xs, ys = (np.concatenate(([0.0], np.asarray(values, dtype=np.float64))) for values in (fpr, tpr))
    left = _exact(per_100) * curve.n_segments / (100 * curve.positives)
    seen = _exact(1) - _exact(reviewer_miss)
    if left >= 1:
        return 0.0
    if seen == 0:
        return None
    wanted = float((1 - left) / seen)
    reached = ys >= wanted - _ROUNDING
    if wanted > 1 + _ROUNDING or not reached.any():
        return None
    after = int(np.argmax(reached))
    x0, y0, x1, y1 = xs[after - 1], ys[after - 1], xs[after], ys[after]
    x = x1 if y1 == y0 else x0 + (x1 - x0) * min((wanted - y0) / (y1 - y0), 1.0)
    return float((wanted * curve.positives + x * curve.negatives) / curve.n_segments)


def review_budget(curve: RocCurve, percent: float) -> int:
    """The point that reviews as much as `percent` of the segments allow, the worst first.

    Parameters
    ----------
    curve
        The ROC curve.
    percent
        Budget, 0 to 100.

    Returns
    -------
    int
        Index of the point.
    """
    most = _exact(percent) * curve.n_segments / 100
    return int(np.searchsorted(curve.reviewed, int(most), side="right")) - 1


def errors_left_with_random_ties(curve: RocCurve, percent: float) -> float:
    """Errors left, on average, when the budget is used up by drawing lots among the next tied segments.

    Parameters
    ----------
    curve
        The ROC curve.
    percent
        Budget, 0 to 100.

    Returns
    -------
    float
        Expected number of errors left.
    """
    point = review_budget(curve, percent)
    left = int(curve.false_negatives[point])
    if point + 1 == len(curve.reviewed):
        return float(left)
    spare = _exact(percent) * curve.n_segments / 100 - int(curve.reviewed[point])
    tied = int(curve.reviewed[point + 1] - curve.reviewed[point])
    errors = int(curve.true_positives[point + 1] - curve.true_positives[point])
    return float(left - spare * errors / tied)


def risk_target(curve: RocCurve, per_100: float, *, reviewer_miss: float = 0.0) -> int | None:
    """The point with the least review that leaves at most `per_100` errors in 100 segments.

    Parameters
    ----------
    curve
        The ROC curve.
    per_100
        Errors tolerated per 100 segments, 0 to 100.
    reviewer_miss
        Share of the errors that the reviewers do not see, 0 to 1.

    Returns
    -------
    int or None
        Index of the point; None where even reviewing everything leaves too many.
    """
    most = _exact(per_100) * curve.n_segments / 100
    found = _exact(1) - _exact(reviewer_miss)
    for point, true_positives in enumerate(curve.true_positives.tolist()):
        if curve.positives - found * true_positives <= most:
            return point
    return None


def data_cleaning(curve: RocCurve, percent: float) -> int:
    """The point that throws away the worst segments so that the best, at most `percent` of all, are kept.

    Parameters
    ----------
    curve
        The ROC curve.
    percent
        Share to be kept, 0 to 100.

    Returns
    -------
    int
        Index of the point.
    """
    least = (100 - _exact(percent)) * curve.n_segments / 100
    return int(np.searchsorted(curve.reviewed, -int(-least // 1), side="left"))


def parse_ratio(text: str, what: str) -> tuple[Fraction, Fraction]:
    """Read a ratio such as ``10:1``.

    Parameters
    ----------
    text
        Two positive numbers with a colon between them, of which none is more than a billion times the other.
    what
        The key, for the message.

    Returns
    -------
    tuple of Fraction
        Both numbers.

    Raises
    ------
    ConfigError
        If it is no such ratio.

    Examples
    --------
    >>> parse_ratio("10:1", "costs")
    (Fraction(10, 1), Fraction(1, 1))
    """
    try:
        first, second = (Fraction(part.strip()) for part in text.split(":"))
        if first > 0 and second > 0 and 1 / _LARGEST_RATIO <= first / second <= _LARGEST_RATIO:
            return first, second
    except (ValueError, ZeroDivisionError):
        pass
    raise ConfigError(
        f'{what}: {text!r} is no ratio of two positive numbers up to 1000000000:1; write it like "10:1", in quotes.'
    )


def iso_performance_slope(
    curve: RocCurve, costs: tuple[Fraction, Fraction], classes: tuple[Fraction, Fraction] | None = None
) -> Fraction:
    """Slope of the lines of equal cost in ROC space: what a step in FPR must bring in TPR.

    Parameters
    ----------
    curve
        The ROC curve, for its class ratio.
    costs
        Cost of a missed error (FN) and of a good segment reviewed for nothing (FP).
    classes
        Segments with and without an error where the system is used; those of the curve if None.

    Returns
    -------
    Fraction
        (cost of FP / cost of FN) / (positives / negatives).
    """
    positives, negatives = classes or (Fraction(curve.positives), Fraction(curve.negatives))
    return (costs[1] / costs[0]) / (positives / negatives)


def least_cost(
    curve: RocCurve,
    costs: tuple[Fraction, Fraction],
    classes: tuple[Fraction, Fraction] | None = None,
    *,
    reviewer_miss: float = 0.0,
) -> list[int]:
    """The points at which a line of equal cost touches the curve from the upper left.

    Parameters
    ----------
    curve
        The ROC curve.
    costs
        Cost of a missed error (FN) and of a good segment reviewed for nothing (FP).
    classes
        Segments with and without an error where the system is used; those of the curve if None.
    reviewer_miss
        Share of the errors that the reviewers do not see, 0 to 1.

    Returns
    -------
    list of int
        Indices of all points of least cost; several where they tie exactly.
    """
    slope = iso_performance_slope(curve, costs, classes)
    found = _exact(1) - _exact(reviewer_miss)
    # Maximising found * TPR - slope * FPR, times P N to stay with whole numbers.
    gains = [
        found * true_positives * curve.negatives - slope * false_positives * curve.positives
        for true_positives, false_positives in zip(
            curve.true_positives.tolist(), curve.false_positives.tolist(), strict=True
        )
    ]
    best = max(gains)
    return [point for point, gain in enumerate(gains) if gain == best]
