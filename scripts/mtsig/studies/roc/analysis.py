"""The whole ROC analysis of one MT system: all QE systems against one human score with one cutoff.

Tables come out as columns without the keys (study, test set, system, human score, cutoff), which the caller knows.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from mtsig.resampling.pairs import TOLERANCE, count_signs, p_value
from mtsig.studies.replicates import defined_interval
from mtsig.studies.roc.answers import Decider, QeScores, RocSettings, around, band, points_of, questions
from mtsig.studies.roc.bootstrap import CurveReplicates, hull_areas, resample_curves, stratified_counts, unit_counts
from mtsig.studies.roc.curve import (
    PrecisionRecall,
    RocCurve,
    convex_hull,
    hanley_mcneil_error,
    hull_auc,
    mcclish,
    partial_auc,
    precision_recall,
    roc_curve,
    union_hull,
)
from mtsig.studies.roc.delong import auc_covariances, normal_interval, normal_p_value

__all__ = ["SMALL_CLASS", "QeScores", "RocAnalysis", "RocSettings", "analyse"]

Floats = npt.NDArray[np.float64]
Rows = list[dict[str, Any]]

#: Fewer segments of either class than this are flagged.
SMALL_CLASS = 50
#: Intervals of an area wider than this are flagged: about what 50 segments of each class give at an area of 0.7.
WIDE = 0.2


@dataclass(frozen=True)
class RocAnalysis:
    """Rows of the tables of a ROC study, see the table contracts for their columns."""

    auc: Rows = field(default_factory=list)
    auc_pairs: Rows = field(default_factory=list)
    curve: Rows = field(default_factory=list)
    bands: Rows = field(default_factory=list)
    hulls: Rows = field(default_factory=list)
    decisions: Rows = field(default_factory=list)
    partial_auc: Rows = field(default_factory=list)
    partial_pairs: Rows = field(default_factory=list)


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
    risks = {name: qe[name].risks for name in names}
    asked = {name: list(questions(curves[name], settings)) for name in names}
    points = {name: points_of(curves[name], asked[name]) for name in names}
    replicates = resample_curves(
        labels,
        risks,
        draws,
        grid=grid,
        points={name: found for name, (_, found) in points.items()},
        partial_fpr=settings.partial_fpr,
    )
    bands = {name: band(replicates[name].tpr, settings.confidence_level) for name in names}
    units = np.arange(len(labels)) if documents is None else np.asarray(documents)
    whatever = unit_counts(units, n_resamples=settings.n_resamples, seed=settings.seed)
    counts = np.concatenate(list(whatever)).astype(np.float64)
    covariances = auc_covariances(labels, risks)
    areas = [
        {
            "qe": name,
            **sizes,
            **_auc_row(curves[name], precision[name], replicates[name], settings, noted),
            **_delong(curves[name].auc, covariances.get((name, name)), settings.confidence_level),
        }
        for name in names
    ]
    decisions = [
        {"qe": name, **row}
        for name, area in zip(names, areas, strict=True)
        for row in Decider(
            curve=curves[name],
            qe=qe[name],
            asked=asked[name],
            points=points[name][0],
            at_points=band(replicates[name].at_points, settings.confidence_level),
            grid=grid,
            edges=bands[name],
            errors=labels,
            counts=counts,
            confidence_level=settings.confidence_level,
            flags={*noted, *({"wide_interval"} & set(area["flags"]))},
        ).rows()
    ]
    _mark_cheapest(decisions)
    return RocAnalysis(
        auc=areas,
        auc_pairs=[
            {
                "qe_a": a,
                "qe_b": b,
                **_difference(curves[a].auc, curves[b].auc, replicates[a].auc, replicates[b].auc, settings, noted),
                "p_delong": _delong_p_value(curves[a].auc - curves[b].auc, covariances, a, b),
            }
            for a, b in _pairs(names)
        ],
        partial_auc=list(_partial_rows(curves, replicates, settings, noted)),
        partial_pairs=list(_partial_pairs(curves, replicates, settings, noted)),
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
        hulls=_hull_rows(curves, replicates, settings.confidence_level),
        decisions=decisions,
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
        "se_delong",
        "delong_low",
        "delong_high",
    )
    differences = ("delta", "ci_low", "ci_high", "p_value", "p_delong")
    return RocAnalysis(
        auc=[{"qe": name, **sizes, **dict.fromkeys(areas), "flags": flags} for name in names],
        auc_pairs=[{"qe_a": a, "qe_b": b, **dict.fromkeys(differences), "flags": flags} for a, b in _pairs(names)],
    )


def _pairs(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    return itertools.combinations(names, 2)


def _auc_row(
    curve: RocCurve,
    precision: PrecisionRecall,
    replicates: CurveReplicates,
    settings: RocSettings,
    flags: set[str],
) -> dict[str, Any]:
    interval = defined_interval(replicates.auc, confidence_level=settings.confidence_level, flags=sorted(flags))
    low, high = around(curve.auc, interval.low, interval.high)
    found = set(interval.flags)
    if low is not None and high is not None:
        found |= {"chance_level"} if low <= 0.5 <= high else set()
        found |= {"wide_interval"} if high - low > WIDE else set()
    best = int(np.argmax(precision.f1))
    return {
        "auc": curve.auc,
        "ci_low": low,
        "ci_high": high,
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


def _delong(area: float, variance: float | None, confidence_level: float) -> dict[str, Any]:
    """Standard error and interval of an area by DeLong; nothing with fewer than two segments of a class."""
    if variance is None:
        return dict.fromkeys(("se_delong", "delong_low", "delong_high"))
    low, high = normal_interval(area, variance, confidence_level=confidence_level)
    return {"se_delong": max(variance, 0.0) ** 0.5, "delong_low": low, "delong_high": high}


def _delong_p_value(delta: float, covariances: Mapping[tuple[str, str], float], a: str, b: str) -> float | None:
    if not covariances:
        return None
    return normal_p_value(delta, covariances[a, a] + covariances[b, b] - 2 * covariances[a, b])


def _difference(
    one: float, other: float, ones: Floats, others: Floats, settings: RocSettings, flags: set[str]
) -> dict[str, Any]:
    """A difference of two areas, from the areas and their replicates on the same draws."""
    differences = ones - others
    interval = defined_interval(differences, confidence_level=settings.confidence_level, flags=sorted(flags))
    defined = differences[~np.isnan(differences)]
    p = float(p_value(count_signs(defined, tolerance=TOLERANCE))) if len(defined) else None
    return {
        "delta": one - other,
        "ci_low": interval.low,
        "ci_high": interval.high,
        "p_value": p,
        "flags": list(interval.flags),
    }


def _parts(settings: RocSettings) -> dict[str, tuple[float, float]]:
    """The parts of the range of false positive rates of which areas are taken."""
    return {"low": (0.0, settings.partial_fpr), "high": (1.0 - settings.partial_fpr, 1.0)}


def _partial(replicates: CurveReplicates, part: str) -> Floats:
    return replicates.partial_low if part == "low" else replicates.partial_high


def _partial_rows(
    curves: Mapping[str, RocCurve], replicates: Mapping[str, CurveReplicates], settings: RocSettings, flags: set[str]
) -> Iterator[dict[str, Any]]:
    """Areas under parts of the curves, as they are and rescaled, with intervals."""
    for (name, curve), (part, limits) in itertools.product(curves.items(), _parts(settings).items()):
        area = partial_auc(curve, *limits)
        values = _partial(replicates[name], part)
        interval = defined_interval(values, confidence_level=settings.confidence_level, flags=sorted(flags))
        low, high = around(area, interval.low, interval.high)
        yield {
            "qe": name,
            "part": part,
            "fpr_low": limits[0],
            "fpr_high": limits[1],
            "area": area,
            "ci_low": low,
            "ci_high": high,
            "standardized": mcclish(area, *limits),
            "standardized_low": None if low is None else mcclish(low, *limits),
            "standardized_high": None if high is None else mcclish(high, *limits),
            "flags": list(interval.flags),
        }


def _partial_pairs(
    curves: Mapping[str, RocCurve], replicates: Mapping[str, CurveReplicates], settings: RocSettings, flags: set[str]
) -> Iterator[dict[str, Any]]:
    """Differences of two QE systems' partial areas."""
    for (a, b), (part, limits) in itertools.product(_pairs(list(curves)), _parts(settings).items()):
        areas = (partial_auc(curves[a], *limits), partial_auc(curves[b], *limits))
        values = (_partial(replicates[a], part), _partial(replicates[b], part))
        yield {"qe_a": a, "qe_b": b, "part": part, **_difference(*areas, *values, settings, flags)}


def _mark_cheapest(decisions: Rows) -> None:
    """Say which QE systems answer each question of costs best: there the line of equal cost touches the hull of all."""
    gains: dict[tuple[str, float], list[tuple[float, dict[str, Any]]]] = {}
    for row in decisions:
        if row["scenario"] == "cost":
            tpr, fpr = row["tp"] / (row["tp"] + row["fn"]), row["fp"] / (row["fp"] + row["tn"])
            gain = (1 - row["reviewer_miss"]) * tpr - row["slope"] * fpr
            gains.setdefault((row["setting"], row["reviewer_miss"]), []).append((gain, row))
    for rows in gains.values():
        best = max(gain for gain, _ in rows)
        for gain, row in rows:
            row["cheapest"] = gain >= best - TOLERANCE * max(1.0, abs(best))


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


def _hull_rows(
    curves: Mapping[str, RocCurve], replicates: Mapping[str, CurveReplicates], confidence_level: float
) -> Rows:
    """Corners of each QE system's hull and of the hull of all, with the exchange between each and the one before."""
    rows = []
    for hull, group in [*((name, {name: curve}) for name, curve in curves.items()), ("", dict(curves))]:
        vertices = union_hull(group)
        areas = hull_areas(reduce(np.maximum, (replicates[name].tpr for name in group)))
        interval = defined_interval(areas, confidence_level=confidence_level)
        low, high = around(hull_auc(vertices), interval.low, interval.high)
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
                    "fn_per_fp_spared": saved / added if added else None,
                    "hull_auc_low": low,
                    "hull_auc_high": high,
                }
            )
    return rows
