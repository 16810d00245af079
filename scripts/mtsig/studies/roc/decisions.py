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

from mtsig.errors import ConfigError
from mtsig.studies.roc.curve import RocCurve

__all__ = [
    "Outcome",
    "data_cleaning",
    "errors_left_with_random_ties",
    "iso_performance_slope",
    "least_cost",
    "outcome",
    "parse_ratio",
    "review_budget",
    "risk_target",
]


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
        Two positive numbers with a colon between them.
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
        if first > 0 and second > 0:
            return first, second
    except (ValueError, ZeroDivisionError):
        pass
    raise ConfigError(f'{what}: {text!r} is no ratio of two positive numbers; write it like "10:1", in quotes.')


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
