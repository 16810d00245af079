"""Bootstrap of ROC curves: replicates of the AUC and of the curve on a grid, for several QE systems on the same draws.

Curves are recounted from draw counts and never from copied segments: a resample says how often each segment occurs,
and running sums of these numbers in the order of the QE scores are the points of the resampled curve. Ties keep
entering together.

Two ways of drawing. *Stratified* (the field's usual one): as many segments with an error, and as many without, as
there are, each drawn from their own kind, so that the class ratio is fixed. *By document*: whole documents, so that
the ratio varies; a resample with one class only has no curve.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from mtsig.resampling.draws import draw_counts
from mtsig.studies.roc.curve import area_up_to

__all__ = ["CurveReplicates", "Points", "hull_areas", "resample_curves", "stratified_counts", "unit_counts"]

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

_BLOCK_CELLS = 1_000_000  # draw counts held at a time: 8 MB


@dataclass(frozen=True)
class CurveReplicates:
    """Resampled ROC curves of one QE system.

    Attributes
    ----------
    auc
        (n_resamples,) area under each curve; NaN where the resample has one class only.
    tpr
        (n_resamples, n_grid) true positive rate at the false positive rates of the grid; NaN likewise. Between points
        the curve is a straight line; where it rises vertically the *upper* end counts (what can be reached at that
        false positive rate).
    at_points
        (n_resamples, n_points) true positive rate at the points that were asked for; NaN likewise.
    partial_low, partial_high
        (n_resamples,) areas up to the first and from the second limit of the false positive rate; NaN likewise.
    """

    auc: Floats
    tpr: Floats
    at_points: Floats
    partial_low: Floats
    partial_high: Floats


@dataclass(frozen=True)
class Points:
    """Points of a curve at which its resamples are read.

    Attributes
    ----------
    fpr
        (n_points,) false positive rates.
    height
        (n_points,) where on the vertical stretch of the curve at this rate each point lies, from 0 (its lower end) to
        1 (its upper end, or no such stretch). Resampled curves are read at the same height of theirs.
    """

    fpr: Floats
    height: Floats


_NO_POINTS = Points(np.empty(0), np.empty(0))


def stratified_counts(errors: npt.ArrayLike, *, n_resamples: int, seed: int) -> Iterator[Counts]:
    """Draw counts that keep the number of segments with and without an error.

    Each replicate draws first the positives, then the negatives, from one generator seeded with `seed`.

    Parameters
    ----------
    errors
        (n_segments,) true where the segment has an error.
    n_resamples
        Number of resamples.
    seed
        Seed of the draws.

    Yields
    ------
    numpy.ndarray
        Blocks (n, n_segments): how often each segment occurs in each resample.

    Examples
    --------
    >>> blocks = list(stratified_counts([True, False, True], n_resamples=4, seed=1))
    >>> counts = np.concatenate(blocks)
    >>> counts[:, 1].tolist(), counts.sum(axis=1).tolist()
    ([1, 1, 1, 1], [3, 3, 3, 3])
    """
    labels = np.asarray(errors, dtype=bool)
    positives, negatives = np.flatnonzero(labels), np.flatnonzero(~labels)
    rng = np.random.default_rng(seed)
    for size in _blocks(n_resamples, len(labels)):
        counts = np.empty((size, len(labels)), dtype=np.int64)
        for replicate in counts:
            drawn = [rng.choice(group, len(group)) for group in (positives, negatives) if len(group)]
            replicate[:] = np.bincount(np.concatenate(drawn), minlength=len(labels))
        yield counts


def unit_counts(labels: npt.ArrayLike, *, n_resamples: int, seed: int) -> Iterator[Counts]:
    """Draw counts of segments when whole units are drawn, whatever their class.

    Parameters
    ----------
    labels
        (n_segments,) number of each segment's unit (its document, or itself), 0 to n_units - 1.
    n_resamples
        Number of resamples.
    seed
        Seed of the draws, which are those of all other tests with this seed and number of units.

    Yields
    ------
    numpy.ndarray
        Blocks (n, n_segments): how often each segment occurs in each resample.

    Examples
    --------
    >>> counts = np.concatenate(list(unit_counts([0, 0, 1], n_resamples=5, seed=1)))
    >>> bool((counts[:, 0] == counts[:, 1]).all())
    True
    """
    index = np.asarray(labels, dtype=np.int64)
    for block in draw_counts(seed, int(index.max()) + 1, n_resamples):
        yield block.astype(np.int64)[:, index]


def _blocks(n_resamples: int, n_segments: int) -> Iterator[int]:
    """Sizes of blocks of resamples that fit in memory together."""
    size = max(1, _BLOCK_CELLS // max(1, n_segments))
    for start in range(0, n_resamples, size):
        yield min(size, n_resamples - start)


def resample_curves(
    errors: npt.ArrayLike,
    risks: Mapping[str, npt.ArrayLike],
    draws: Iterator[Counts],
    *,
    grid: npt.ArrayLike,
    points: Mapping[str, Points] | None = None,
    partial_fpr: float = 1.0,
) -> dict[str, CurveReplicates]:
    """Recompute the ROC curves of several QE systems on the same draws.

    Parameters
    ----------
    errors
        (n_segments,) true where the segment has an error.
    risks
        QE system to (n_segments,) scores, *high where an error is likely*: negate scores where higher is better.
    draws
        Blocks of draw counts (n, n_segments), from `stratified_counts` or `unit_counts`.
    grid
        (n_grid,) ascending false positive rates at which the curves are read.
    points
        QE system to further points at which its curves are read.
    partial_fpr
        False positive rate up to which, and, counted from 1, from which on partial areas are taken.

    Returns
    -------
    dict
        QE system to its replicates, all in the order of the draws.

    Examples
    --------
    >>> errors, risks = [True, True, False, False], {"qe": [3.0, 1.0, 2.0, 0.0]}
    >>> draws = stratified_counts(errors, n_resamples=2000, seed=1)
    >>> replicates = resample_curves(errors, risks, draws, grid=[0.0, 0.5, 1.0])["qe"]
    >>> values, times = np.unique(replicates.auc, return_counts=True)
    >>> values.tolist(), (16 * times / 2000).round().tolist()
    ([0.0, 0.5, 0.75, 1.0], [1.0, 4.0, 4.0, 7.0])
    """
    labels = np.asarray(errors, dtype=bool)
    rates = np.asarray(grid, dtype=np.float64)
    orders = {name: _Order.of(np.asarray(values, dtype=np.float64), labels) for name, values in risks.items()}
    parts: dict[str, list[CurveReplicates]] = {name: [] for name in orders}
    for counts in draws:
        for name, order in orders.items():
            parts[name].append(order.replicates(counts, rates, (points or {}).get(name, _NO_POINTS), partial_fpr))
    return {
        name: CurveReplicates(
            *(np.concatenate([getattr(part, field.name) for part in blocks]) for field in fields(CurveReplicates))
        )
        for name, blocks in parts.items()
    }


@dataclass(frozen=True)
class _Order:
    """Segments in the order of one QE system, riskiest first, and where each unique score ends in it."""

    order: npt.NDArray[np.intp]
    ends: npt.NDArray[np.intp]
    labels: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, risks: Floats, labels: npt.NDArray[np.bool_]) -> _Order:
        order = np.argsort(-risks, kind="stable")
        ranked = risks[order]
        ends = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]), len(ranked) - 1)
        return cls(order, ends, labels[order])

    def replicates(self, counts: Counts, rates: Floats, points: Points, partial_fpr: float) -> CurveReplicates:
        """AUC and curve of every resample in a block of draw counts."""
        ranked = counts[:, self.order]
        reviewed = _running(ranked, self.ends)
        true_positives = _running(np.where(self.labels, ranked, 0), self.ends)
        false_positives = reviewed - true_positives
        positives, negatives = true_positives[:, -1], false_positives[:, -1]
        # Twice the number of (positive, negative) pairs in the right order, ties counting one half: whole numbers.
        doubled = (np.diff(false_positives) * (true_positives[:, 1:] + true_positives[:, :-1])).sum(axis=1)
        pairs = positives * negatives
        auc = np.where(pairs > 0, doubled / np.maximum(2 * pairs, 1), np.nan)
        tpr = np.full((len(counts), len(rates)), np.nan)
        at_points = np.full((len(counts), len(points.fpr)), np.nan)
        partial = np.full((2, len(counts)), np.nan)
        stretches = bool((points.height < 1).any())
        for row in np.flatnonzero(pairs > 0):
            xs, ys = false_positives[row] / negatives[row], true_positives[row] / positives[row]
            # numpy.interp takes the last of several equal abscissae: the upper end of a vertical stretch.
            tpr[row] = np.interp(rates, xs, ys)
            at_points[row] = np.interp(points.fpr, xs, ys)
            if stretches:
                lower = -np.interp(-points.fpr, -xs[::-1], -ys[::-1])
                at_points[row] = lower + points.height * (at_points[row] - lower)
            partial[0, row] = area_up_to(xs, ys, partial_fpr)
            partial[1, row] = auc[row] - area_up_to(xs, ys, 1 - partial_fpr)
        return CurveReplicates(auc, tpr, at_points, *partial)


def _running(counts: Counts, ends: npt.NDArray[np.intp]) -> Counts:
    """Running sums of each row at `ends`, with a zero before the first."""
    sums = np.zeros((len(counts), len(ends) + 1), dtype=np.int64)
    sums[:, 1:] = np.cumsum(counts, axis=1)[:, ends]
    return sums


def hull_areas(tpr: Floats) -> Floats:
    """Areas under the convex hulls of resampled curves.

    Parameters
    ----------
    tpr
        (n_resamples, n_grid) true positive rates at equally spaced false positive rates from 0 to 1; of several QE
        systems, the greatest of each. Rows with NaN have no area.

    Examples
    --------
    >>> hull_areas(np.array([[0.0, 0.5, 1.0], [0.5, 0.5, 1.0], [0.0, 0.0, 1.0]])).tolist()
    [0.5, 0.75, 0.5]
    """
    from scipy.optimize import isotonic_regression

    areas = np.full(len(tpr), np.nan)
    for row in np.flatnonzero(~np.isnan(tpr).any(axis=1)):
        # Slopes of the least concave curve above are the antitonic regression of the curve's own.
        slopes = isotonic_regression(np.diff(tpr[row]), increasing=False).x
        hull = np.concatenate(([tpr[row, 0]], tpr[row, 0] + np.cumsum(slopes)))
        areas[row] = (hull[1:] + hull[:-1]).sum() / (2 * len(slopes))
    return areas
