"""What is asked of a QE system, and its answers: how much to review up to which score, with intervals.

Every interval contains its estimate. Two kinds of intervals are there: with the threshold fixed, all segments are
resampled, whatever their class; *by the band*, the resampled curves are read at the operating point.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from mtsig.resampling.intervals import percentile_interval
from mtsig.studies.replicates import defined_interval
from mtsig.studies.roc.bootstrap import Points
from mtsig.studies.roc.curve import RocCurve
from mtsig.studies.roc.decisions import (
    Outcome,
    data_cleaning,
    error_share,
    errors_left_with_random_ties,
    iso_performance_slope,
    least_cost,
    least_share,
    outcome,
    parse_ratio,
    review_budget,
    risk_target,
    share_for_target,
)

__all__ = ["Decider", "QeScores", "Question", "RocSettings", "around", "band", "points_of", "questions"]

Floats = npt.NDArray[np.float64]
Limits = tuple[float | None, float | None]


@dataclass(frozen=True)
class QeScores:
    """Scores of one QE system.

    Attributes
    ----------
    scores
        (n_segments,) on the system's own scale.
    higher_is_better
        False where a high score announces an error.
    """

    scores: Floats
    higher_is_better: bool

    @property
    def risks(self) -> Floats:
        """Scores turned so that high ones announce errors."""
        return -self.scores if self.higher_is_better else self.scores


@dataclass(frozen=True, kw_only=True)
class RocSettings:
    """What is asked, and how resamples are drawn.

    Attributes
    ----------
    review_budgets
        Shares of the segments that can be reviewed, in percent.
    risk_targets
        Errors tolerated per 100 segments.
    costs
        Ratios of the cost of a missed error to that of a useless review, such as ``10:1``.
    class_ratios
        Ratios of segments with to segments without an error, such as ``1:5``; ``sample`` for that of the data.
    keep_shares
        Shares of the segments to be kept when data are cleaned, in percent.
    reviewer_miss
        Shares of the errors that reviewers overlook.
    partial_fpr
        False positive rate up to which (and, counted from 1, from which on) partial areas are taken.
    seed, n_resamples, confidence_level
        Of the bootstrap.
    """

    review_budgets: Sequence[float] = ()
    risk_targets: Sequence[float] = ()
    costs: Sequence[str] = ()
    class_ratios: Sequence[str] = ("sample",)
    keep_shares: Sequence[float] = ()
    reviewer_miss: Sequence[float] = (0.0,)
    partial_fpr: float = 0.2
    seed: int = 12345
    n_resamples: int = 1000
    confidence_level: float = 0.95


@dataclass(frozen=True)
class Question:
    """What is asked of a QE system, and the point of its curve that answers.

    Attributes
    ----------
    scenario, setting
        As in the table ``decisions``.
    point
        Index of the point; None where no point gives what is asked for.
    reviewer_miss
        Share of the errors that reviewers overlook.
    flags
        What is to be said of the answer.
    slope
        Of the lines of equal cost.
    errors_with_ties, review_with_ties
        Errors left per 100 segments, and the share that is reviewed, when lots are drawn among tied segments.
    error_share
        Share of segments with an error where the system will be used; None for that of the data.
    target
        Errors tolerated per 100 segments, of a risk target.
    """

    scenario: str
    setting: str
    point: int | None
    reviewer_miss: float = 0.0
    flags: tuple[str, ...] = ()
    slope: float | None = None
    errors_with_ties: float | None = None
    review_with_ties: float | None = None
    error_share: float | None = None
    target: float | None = None


def questions(curve: RocCurve, settings: RocSettings) -> Iterator[Question]:
    """All scenarios and settings, for each share of errors that reviewers overlook."""
    for miss in settings.reviewer_miss:
        for percent in settings.review_budgets:
            expected = errors_left_with_random_ties(curve, percent)
            expected += miss * (curve.positives - expected)
            point = review_budget(curve, percent)
            tied = point == 0 and percent * curve.n_segments >= 100
            yield Question(
                "review_budget",
                f"{percent:g}",
                point,
                miss,
                ("ties_exceed_budget",) if tied else (),
                errors_with_ties=100 * expected / curve.n_segments,
            )
        for per_100 in settings.risk_targets:
            yield _risk_question(curve, per_100, miss, settings.review_budgets)
        for costs, classes in itertools.product(settings.costs, settings.class_ratios):
            ratio = parse_ratio(costs, "costs")
            population = None if classes == "sample" else parse_ratio(classes, "class_ratios")
            points = least_cost(curve, ratio, population, reviewer_miss=miss)
            flags = ("tied_optimum",) if len(points) > 1 else ()
            for point in points:
                yield Question(
                    "cost",
                    costs if population is None else f"{costs} at {classes}",
                    point,
                    miss,
                    flags if population is None else (*flags, "assumed_ratio"),
                    slope=float(iso_performance_slope(curve, ratio, population)),
                    error_share=None if population is None else float(error_share(curve, population)),
                )
    # What is thrown away is not reviewed, so reviewers do not matter.
    for percent in settings.keep_shares:
        yield Question("data_cleaning", f"{percent:g}", data_cleaning(curve, percent))


def _risk_question(curve: RocCurve, per_100: float, miss: float, budgets: Sequence[float]) -> Question:
    chosen = risk_target(curve, per_100, reviewer_miss=miss)
    flags: tuple[str, ...] = ("unreachable",) if chosen is None else ()
    if chosen is not None and budgets and Fraction(100 * int(curve.reviewed[chosen]), curve.n_segments) > max(budgets):
        flags = ("beyond_budget",)
    share = share_for_target(curve, curve.fpr, curve.tpr, per_100, reviewer_miss=miss)
    return Question("risk_target", f"{per_100:g}", chosen, miss, flags, review_with_ties=share, target=per_100)


def points_of(curve: RocCurve, asked: Sequence[Question]) -> tuple[list[int], Points]:
    """The points that answer, and where they lie on vertical stretches of the curve."""
    points = sorted({question.point for question in asked if question.point is not None})
    heights = []
    for point in points:
        same = curve.true_positives[curve.false_positives == curve.false_positives[point]]
        low, high = int(same[0]), int(same[-1])
        heights.append((int(curve.true_positives[point]) - low) / (high - low) if high > low else 1.0)
    return points, Points(curve.fpr[points], np.array(heights))


def band(tpr: Floats, confidence_level: float) -> tuple[Floats, Floats]:
    """Pointwise limits of resampled curves (n_resamples, n_points), from the resamples that have one."""
    defined = tpr[~np.isnan(tpr).any(axis=1)]
    if not len(defined):
        nothing = np.full(tpr.shape[1], np.nan)
        return nothing, nothing
    interval = percentile_interval(defined.T, confidence_level=confidence_level)
    return interval.low, interval.high


def around(estimate: float | None, low: float | None, high: float | None) -> Limits:
    """An interval that contains its estimate: a percentile interval of few or skewed values may miss it.

    Examples
    --------
    >>> around(0.3, 0.4, 0.5), around(0.3, None, None)
    ((0.3, 0.5), (None, None))
    """
    if low is None or high is None or estimate is None:
        return low, high
    return min(low, estimate), max(high, estimate)


@dataclass(frozen=True, kw_only=True)
class Decider:
    """Answers for one QE system, with intervals.

    Attributes
    ----------
    curve, qe
        The QE system's curve and scores.
    asked
        The questions.
    points
        Indices of the points of the curve that answer them, ascending.
    at_points
        Limits of the resampled curves at these points.
    grid, edges
        False positive rates, and the limits of the resampled curves there.
    errors
        (n_segments,) true where there is an error.
    counts
        (n_resamples, n_segments) draw counts of segments (or documents) whatever their class.
    confidence_level
        Of the intervals.
    flags
        Flags of the data.
    """

    curve: RocCurve
    qe: QeScores
    asked: Sequence[Question]
    points: Sequence[int]
    at_points: tuple[Floats, Floats]
    grid: Floats
    edges: tuple[Floats, Floats]
    errors: npt.NDArray[np.bool_]
    counts: Floats
    confidence_level: float
    flags: set[str]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Rows of the decisions table."""
        limits = np.append(np.inf, -self.curve.thresholds if self.qe.higher_is_better else self.curve.thresholds)
        reviewed = self.qe.risks[:, None] >= limits[list(self.points)]
        # In each resample: segments reviewed, errors reviewed, errors not reviewed.
        masks = np.stack([reviewed, reviewed & self.errors[:, None], ~reviewed & self.errors[:, None]])
        sums = dict(zip(self.points, np.moveaxis(self.counts @ masks.astype(np.float64), -1, 0), strict=True))
        for question in self.asked:
            row = {
                "scenario": question.scenario,
                "setting": question.setting,
                "reviewer_miss": question.reviewer_miss,
                "slope": question.slope,
                "errors_left_per_100_random_ties": question.errors_with_ties,
                "review_share_random_ties": question.review_with_ties,
                "least_review_share": least_share(self.curve) if question.scenario == "review_budget" else None,
                **dict.fromkeys(("band_review_low", "band_review_high", "cheapest")),
            }
            flags = {*self.flags, *question.flags}
            if question.point is None:
                yield {**row, **dict.fromkeys(_ANSWER), "flags": sorted(flags)}
            else:
                yield {**row, **self._answer(question, sums[question.point], flags)}

    def _answer(self, question: Question, sums: Floats, flags: set[str]) -> dict[str, Any]:
        assert question.point is not None
        chosen = outcome(self.curve, question.point, reviewer_miss=question.reviewer_miss)
        estimate, share = self._estimate(question, chosen)
        per_100, shares = self._replicates(question, sums)
        interval = defined_interval(per_100, confidence_level=self.confidence_level)
        review = defined_interval(shares, confidence_level=self.confidence_level)
        flags = {*flags, *(interval.flags if estimate is not None else ["undefined"])} - {"degenerate_interval"}
        low, high = around(estimate, interval.low, interval.high)
        band_low, band_high = around(estimate, *self._band_route(question, chosen))
        review_limits: Limits = (review.low, review.high)
        edges: dict[str, float | None] = {}
        if question.target is not None:
            # The upper edge of the band gets to the target first.
            first, last = (self._share_on(edge, question) for edge in (self.edges[1], self.edges[0]))
            review_limits = (first, last)
            limits = around(question.review_with_ties, first, last)
            edges = dict(zip(("band_review_low", "band_review_high"), limits, strict=True))
        review_low, review_high = around(share, *review_limits)
        return {
            "threshold": chosen.threshold,
            "review_share": share,
            "review_low": review_low,
            "review_high": review_high,
            "errors_left_per_100": estimate,
            "low": low,
            "high": high,
            "band_low": band_low,
            "band_high": band_high,
            "tp": chosen.true_positives,
            "fn": chosen.false_negatives,
            "fp": chosen.false_positives,
            "tn": chosen.true_negatives,
            **edges,
            "flags": sorted(flags),
        }

    def _estimate(self, question: Question, chosen: Outcome) -> tuple[float | None, float]:
        """Errors left per 100 segments, and the share of segments that is reviewed."""
        if question.scenario == "data_cleaning":
            return chosen.kept_errors_per_100, chosen.review_share
        if question.error_share is None:
            return chosen.errors_left_per_100, chosen.review_share
        tpr = chosen.true_positives / self.curve.positives
        fpr = chosen.false_positives / self.curve.negatives
        left = 100 * question.error_share * (1 - (1 - question.reviewer_miss) * tpr)
        return left, question.error_share * tpr + (1 - question.error_share) * fpr

    def _replicates(self, question: Question, sums: Floats) -> tuple[Floats, Floats]:
        """The same in every resample with the threshold fixed, NaN where it is undefined."""
        reviewed, errors_reviewed, errors_missed = sums
        totals = self.counts.sum(axis=1)
        if question.scenario == "data_cleaning":
            return _ratio(100 * errors_missed, totals - reviewed), reviewed / totals
        if question.error_share is None:
            return 100 * (errors_missed + question.reviewer_miss * errors_reviewed) / totals, reviewed / totals
        errors = errors_reviewed + errors_missed
        tpr, fpr = _ratio(errors_reviewed, errors), _ratio(reviewed - errors_reviewed, totals - errors)
        left = 100 * question.error_share * (1 - (1 - question.reviewer_miss) * tpr)
        return left, question.error_share * tpr + (1 - question.error_share) * fpr

    def _band_route(self, question: Question, chosen: Outcome) -> Limits:
        """Errors left per 100 where the resampled curves are read at the operating point.

        That keeps the class ratio and the false positive rate fixed, so it understates what may happen.
        """
        limits: list[float | None] = []
        place = self.points.index(chosen.point)
        miss = question.reviewer_miss
        for tpr in (self.at_points[1][place], self.at_points[0][place]):
            if np.isnan(tpr):
                limits.append(None)
                continue
            missed = (1 - tpr) * self.curve.positives
            left, of = missed + miss * tpr * self.curve.positives, float(self.curve.n_segments)
            if question.error_share is not None:
                left, of = question.error_share * (1 - (1 - miss) * tpr), 1.0
            elif question.scenario == "data_cleaning":
                of = missed + chosen.true_negatives
            limits.append(float(100 * left / of) if of > 0 else None)
        return limits[0], limits[1]

    def _share_on(self, edge: Floats, question: Question) -> float | None:
        """Share of the segments to review until an edge of the band reaches the risk target."""
        if question.target is None or np.isnan(edge).any():
            return None
        return share_for_target(self.curve, self.grid, edge, question.target, reviewer_miss=question.reviewer_miss)


def _ratio(part: Floats, of: Floats) -> Floats:
    return np.divide(part, of, out=np.full_like(of, np.nan), where=of > 0)


_ANSWER = (
    "threshold",
    "review_share",
    "review_low",
    "review_high",
    "errors_left_per_100",
    "low",
    "high",
    "band_low",
    "band_high",
    "tp",
    "fn",
    "fp",
    "tn",
)
