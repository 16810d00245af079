"""The whole ROC analysis of one MT system: all QE systems against one human score with one cutoff.

Tables come out as columns without the keys (study, test set, system, human score, cutoff), which the caller knows.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from mtsig.resampling.intervals import percentile_interval
from mtsig.resampling.pairs import TOLERANCE, count_signs, p_value
from mtsig.studies.replicates import defined_interval
from mtsig.studies.roc.bootstrap import CurveReplicates, resample_curves, stratified_counts, unit_counts
from mtsig.studies.roc.curve import (
    PrecisionRecall,
    RocCurve,
    convex_hull,
    hanley_mcneil_error,
    hull_auc,
    partial_auc,
    precision_recall,
    roc_curve,
    union_hull,
)
from mtsig.studies.roc.decisions import (
    Outcome,
    data_cleaning,
    errors_left_with_random_ties,
    iso_performance_slope,
    least_cost,
    outcome,
    parse_ratio,
    review_budget,
    risk_target,
)

__all__ = ["SMALL_CLASS", "QeScores", "RocAnalysis", "RocSettings", "analyse"]

Floats = npt.NDArray[np.float64]
Rows = list[dict[str, Any]]

#: Fewer segments of either class than this are flagged.
SMALL_CLASS = 50


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
class RocAnalysis:
    """Rows of the tables of a ROC study, see the table contracts for their columns."""

    auc: Rows = field(default_factory=list)
    auc_pairs: Rows = field(default_factory=list)
    curve: Rows = field(default_factory=list)
    bands: Rows = field(default_factory=list)
    hulls: Rows = field(default_factory=list)
    decisions: Rows = field(default_factory=list)


def analyse(
    gold: npt.ArrayLike,
    errors: npt.ArrayLike,
    qe: Mapping[str, QeScores],
    settings: RocSettings,
    *,
    segments: npt.ArrayLike,
    documents: npt.ArrayLike | None = None,
    flags: Sequence[str] = (),
) -> RocAnalysis:
    """Analyse all QE systems on the outputs of one MT system.

    Parameters
    ----------
    gold
        (n_segments,) human scores.
    errors
        (n_segments,) true where they mean an error.
    qe
        QE system to its scores.
    settings
        What is asked.
    segments
        (n_segments,) row position of each segment in its test set.
    documents
        (n_segments,) number of each segment's document, where whole documents are resampled; None for segments, drawn
        from their own class.
    flags
        Flags of the data, for every row.

    Returns
    -------
    RocAnalysis
        With one class only: areas that are null and flagged, and nothing else.
    """
    scores, labels = np.asarray(gold, dtype=np.float64), np.asarray(errors, dtype=bool)
    positives = int(labels.sum())
    sizes = {"n_segments": len(labels), "positives": positives, "negatives": len(labels) - positives}
    names = sorted(qe)
    if not 0 < positives < len(labels):
        return _undefined(names, sizes, sorted({*flags, "one_class", "small_class", "undefined"}))
    noted = {*flags, *({"small_class"} if min(positives, len(labels) - positives) < SMALL_CLASS else ())}
    curves = {name: roc_curve(labels, qe[name].scores, higher_is_better=qe[name].higher_is_better) for name in names}
    precision = {
        name: precision_recall(labels, qe[name].scores, higher_is_better=qe[name].higher_is_better) for name in names
    }
    grid = np.arange(sizes["negatives"] + 1) / sizes["negatives"]
    draws = (
        stratified_counts(labels, n_resamples=settings.n_resamples, seed=settings.seed)
        if documents is None
        else unit_counts(documents, n_resamples=settings.n_resamples, seed=settings.seed)
    )
    replicates = resample_curves(labels, {name: qe[name].risks for name in names}, draws, grid=grid)
    bands = {name: _band(replicates[name], settings.confidence_level) for name in names}
    units = np.arange(len(labels)) if documents is None else np.asarray(documents)
    whatever = unit_counts(units, n_resamples=settings.n_resamples, seed=settings.seed)
    counts = np.concatenate(list(whatever)).astype(np.float64)
    return RocAnalysis(
        auc=[
            {"qe": name, **sizes, **_auc_row(curves[name], precision[name], replicates[name], settings, noted)}
            for name in names
        ],
        auc_pairs=[
            {"qe_a": a, "qe_b": b, **_pair_row(curves, replicates, a, b, settings, noted)} for a, b in _pairs(names)
        ],
        curve=[
            row | {"qe": name}
            for name in names
            for row in _table(curves[name], precision[name], scores, qe[name], np.asarray(segments))
        ],
        bands=[
            {"qe": name, "fpr": x, "tpr": y, "tpr_low": low, "tpr_high": high}
            for name in names
            for x, y, low, high in zip(
                grid.tolist(),
                np.interp(grid, curves[name].fpr, curves[name].tpr).tolist(),
                bands[name][0].tolist(),
                bands[name][1].tolist(),
                strict=True,
            )
        ],
        hulls=_hull_rows(curves),
        decisions=[
            {"qe": name, **row}
            for name in names
            for row in _Decider(
                curves[name], qe[name], bands[name], labels, counts, settings.confidence_level, noted
            ).rows(settings)
        ],
    )


def _undefined(names: Sequence[str], sizes: Mapping[str, int], flags: list[str]) -> RocAnalysis:
    """What is left to say with one class only."""
    areas = (
        "auc",
        "ci_low",
        "ci_high",
        "se_hanley_mcneil",
        "partial_auc_low",
        "partial_auc_high",
        "hull_auc",
        "average_precision",
        "pr_auc",
        "best_f1",
        "best_f1_threshold",
    )
    differences = ("delta", "ci_low", "ci_high", "p_value")
    return RocAnalysis(
        auc=[{"qe": name, **sizes, **dict.fromkeys(areas), "flags": flags} for name in names],
        auc_pairs=[{"qe_a": a, "qe_b": b, **dict.fromkeys(differences), "flags": flags} for a, b in _pairs(names)],
    )


def _pairs(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    return itertools.combinations(names, 2)


def _band(replicates: CurveReplicates, confidence_level: float) -> tuple[Floats, Floats]:
    """Pointwise limits of the curve, from the resamples that have one."""
    defined = replicates.tpr[~np.isnan(replicates.auc)]
    if not len(defined):
        nothing = np.full(replicates.tpr.shape[1], np.nan)
        return nothing, nothing
    interval = percentile_interval(defined.T, confidence_level=confidence_level)
    return interval.low, interval.high


def _auc_row(
    curve: RocCurve,
    precision: PrecisionRecall,
    replicates: CurveReplicates,
    settings: RocSettings,
    flags: set[str],
) -> dict[str, Any]:
    interval = defined_interval(replicates.auc, confidence_level=settings.confidence_level, flags=sorted(flags))
    found = set(interval.flags)
    if interval.low is not None and interval.high is not None and interval.low <= 0.5 <= interval.high:
        found.add("chance_level")
    best = int(np.argmax(precision.f1))
    return {
        "auc": curve.auc,
        "ci_low": interval.low,
        "ci_high": interval.high,
        "se_hanley_mcneil": hanley_mcneil_error(curve.auc, curve.positives, curve.negatives),
        "partial_auc_low": partial_auc(curve, 0.0, settings.partial_fpr),
        "partial_auc_high": partial_auc(curve, 1.0 - settings.partial_fpr, 1.0),
        "hull_auc": hull_auc(convex_hull(curve)),
        "average_precision": precision.average_precision,
        "pr_auc": precision.auc,
        "best_f1": float(precision.f1[best]),
        "best_f1_threshold": float(curve.thresholds[best]),
        "flags": sorted(found),
    }


def _pair_row(
    curves: Mapping[str, RocCurve],
    replicates: Mapping[str, CurveReplicates],
    a: str,
    b: str,
    settings: RocSettings,
    flags: set[str],
) -> dict[str, Any]:
    differences = replicates[a].auc - replicates[b].auc
    interval = defined_interval(differences, confidence_level=settings.confidence_level, flags=sorted(flags))
    defined = differences[~np.isnan(differences)]
    p = float(p_value(count_signs(defined, tolerance=TOLERANCE))) if len(defined) else None
    return {
        "delta": curves[a].auc - curves[b].auc,
        "ci_low": interval.low,
        "ci_high": interval.high,
        "p_value": p,
        "flags": list(interval.flags),
    }


def _table(
    curve: RocCurve, precision: PrecisionRecall, gold: Floats, qe: QeScores, segments: npt.NDArray[np.int64]
) -> Iterator[dict[str, Any]]:
    """The QE-ROC table: one row per segment, worst first, between the two endpoints; tied rows repeat their numbers."""
    order = np.argsort(-qe.risks, kind="stable")
    # Thresholds ascend in risk's opposite: the point of a segment is the one of its own score.
    risks = -curve.thresholds if qe.higher_is_better else curve.thresholds
    points = 1 + np.searchsorted(-risks, -qe.risks[order])
    p, n = curve.positives, curve.negatives

    def row(point: int) -> dict[str, Any]:
        tp, fp = int(curve.true_positives[point]), int(curve.false_positives[point])
        return {"tp": tp, "fn": p - tp, "fp": fp, "tn": n - fp, "tpr": tp / p, "fpr": fp / n}

    unknown = dict.fromkeys(("segment", "gold_score", "qe_score", "threshold", "precision", "f1"))
    yield {**unknown, **row(0)}
    for segment, point in zip(order.tolist(), points.tolist(), strict=True):
        yield {
            "segment": int(segments[segment]),
            "gold_score": float(gold[segment]),
            "qe_score": float(qe.scores[segment]),
            "threshold": float(curve.thresholds[point - 1]),
            **row(point),
            "precision": float(precision.precision[point - 1]),
            "f1": float(precision.f1[point - 1]),
        }
    yield {**unknown, **row(len(curve.true_positives) - 1)}


def _hull_rows(curves: Mapping[str, RocCurve]) -> Rows:
    """Corners of each QE system's hull and of the hull of all, with what a saved miss costs on the way to each."""
    rows = []
    for hull, group in [*((name, {name: curve}) for name, curve in curves.items()), ("", dict(curves))]:
        vertices = union_hull(group)
        for index, vertex in enumerate(vertices):
            before = vertices[index - 1] if index else None
            saved = vertex.true_positives - before.true_positives if before else 0
            added = vertex.false_positives - before.false_positives if before else 0
            any_curve = next(iter(group.values()))
            rows.append(
                {
                    "hull": hull or None,
                    "vertex": index,
                    "qe": vertex.name,
                    "threshold": vertex.threshold,
                    "tp": vertex.true_positives,
                    "fp": vertex.false_positives,
                    "tpr": vertex.true_positives / any_curve.positives,
                    "fpr": vertex.false_positives / any_curve.negatives,
                    "fp_per_fn_saved": added / saved if saved else None,
                    "hull_auc": hull_auc(vertices),
                }
            )
    return rows


@dataclass(frozen=True)
class _Question:
    """What is asked of a QE system, and the point of its curve that answers."""

    scenario: str
    setting: str
    point: int | None
    reviewer_miss: float = 0.0
    flags: tuple[str, ...] = ()
    slope: float | None = None
    with_random_ties: float | None = None


def _questions(curve: RocCurve, settings: RocSettings) -> Iterator[_Question]:
    """All scenarios and settings, for each share of errors that reviewers overlook."""
    for miss in settings.reviewer_miss:
        for percent in settings.review_budgets:
            expected = errors_left_with_random_ties(curve, percent)
            expected += miss * (curve.positives - expected)
            yield _Question(
                "review_budget",
                f"{percent:g}",
                review_budget(curve, percent),
                miss,
                with_random_ties=100 * expected / curve.n_segments,
            )
        for per_100 in settings.risk_targets:
            point = risk_target(curve, per_100, reviewer_miss=miss)
            yield _Question("risk_target", f"{per_100:g}", point, miss, () if point is not None else ("unreachable",))
        for costs, classes in itertools.product(settings.costs, settings.class_ratios):
            ratio = parse_ratio(costs, "costs")
            population = None if classes == "sample" else parse_ratio(classes, "class_ratios")
            points = least_cost(curve, ratio, population, reviewer_miss=miss)
            setting = costs if population is None else f"{costs} at {classes}"
            slope = float(iso_performance_slope(curve, ratio, population))
            for point in points:
                tied = ("tied_optimum",) if len(points) > 1 else ()
                yield _Question("cost", setting, point, miss, tied, slope=slope)
    # What is thrown away is not reviewed, so reviewers do not matter.
    for percent in settings.keep_shares:
        yield _Question("data_cleaning", f"{percent:g}", data_cleaning(curve, percent))


@dataclass(frozen=True)
class _Decider:
    """Answers for one QE system, with intervals.

    Attributes
    ----------
    curve, qe, band
        The QE system's curve, scores and the limits of the band around the curve.
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
    band: tuple[Floats, Floats]
    errors: npt.NDArray[np.bool_]
    counts: Floats
    confidence_level: float
    flags: set[str]

    def rows(self, settings: RocSettings) -> Iterator[dict[str, Any]]:
        """Rows of the decisions table."""
        questions = list(_questions(self.curve, settings))
        points = sorted({question.point for question in questions if question.point is not None})
        limits = np.append(np.inf, -self.curve.thresholds if self.qe.higher_is_better else self.curve.thresholds)
        reviewed = self.qe.risks[:, None] >= limits[points]
        # In each resample: segments reviewed, errors reviewed, errors not reviewed.
        masks = np.stack([reviewed, reviewed & self.errors[:, None], ~reviewed & self.errors[:, None]])
        sums = dict(zip(points, np.moveaxis(self.counts @ masks.astype(np.float64), -1, 0), strict=True))
        for question in questions:
            row = {
                "scenario": question.scenario,
                "setting": question.setting,
                "reviewer_miss": question.reviewer_miss,
                "slope": question.slope,
                "errors_left_per_100_random_ties": question.with_random_ties,
            }
            flags = {*self.flags, *question.flags}
            if question.point is None:
                yield {**row, **dict.fromkeys(_ANSWER), "flags": sorted(flags)}
            else:
                yield {**row, **self._answer(question, sums[question.point], flags)}

    def _answer(self, question: _Question, sums: Floats, flags: set[str]) -> dict[str, Any]:
        assert question.point is not None
        chosen = outcome(self.curve, question.point, reviewer_miss=question.reviewer_miss)
        reviewed, errors_reviewed, errors_missed = sums
        totals = self.counts.sum(axis=1)
        cleaning = question.scenario == "data_cleaning"
        if cleaning:
            kept = totals - reviewed
            per_100 = np.divide(100 * errors_missed, kept, out=np.full_like(kept, np.nan), where=kept > 0)
        else:
            per_100 = 100 * (errors_missed + question.reviewer_miss * errors_reviewed) / totals
        interval = defined_interval(per_100, confidence_level=self.confidence_level)
        review = defined_interval(reviewed / totals, confidence_level=self.confidence_level)
        if cleaning and chosen.kept_errors_per_100 is None:
            flags = {*flags, "undefined"}
        else:
            flags = {*flags, *interval.flags} - {"degenerate_interval"}
        band_low, band_high = self._band_route(chosen, question.reviewer_miss, cleaning=cleaning)
        return {
            "threshold": chosen.threshold,
            "review_share": chosen.review_share,
            "review_low": review.low,
            "review_high": review.high,
            "errors_left_per_100": chosen.kept_errors_per_100 if cleaning else chosen.errors_left_per_100,
            "low": interval.low,
            "high": interval.high,
            "band_low": band_low,
            "band_high": band_high,
            "tp": chosen.true_positives,
            "fn": chosen.false_negatives,
            "fp": chosen.false_positives,
            "tn": chosen.true_negatives,
            "flags": sorted(flags),
        }

    def _band_route(self, chosen: Outcome, miss: float, *, cleaning: bool) -> tuple[float | None, float | None]:
        """Errors left per 100 as read off the band of the curve at the point's false positive rate.

        That keeps the class ratio and the false positive rate fixed, so it understates what may happen.
        """
        limits: list[float | None] = []
        for tpr in (self.band[1][chosen.false_positives], self.band[0][chosen.false_positives]):
            missed = (1 - tpr) * self.curve.positives
            left = missed + miss * tpr * self.curve.positives
            of = missed + chosen.true_negatives if cleaning else self.curve.n_segments
            limits.append(float(100 * left / of) if of > 0 else None)
        return limits[0], limits[1]


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
