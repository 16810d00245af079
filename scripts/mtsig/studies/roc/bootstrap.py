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
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mtsig.resampling.draws import draw_counts

__all__ = ["CurveReplicates", "resample_curves", "stratified_counts", "unit_counts"]

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
    """

    auc: Floats
    tpr: Floats


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
    errors: npt.ArrayLike, risks: Mapping[str, npt.ArrayLike], draws: Iterator[Counts], *, grid: npt.ArrayLike
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
            parts[name].append(order.replicates(counts, rates))
    return {
        name: CurveReplicates(
            np.concatenate([part.auc for part in blocks]), np.concatenate([part.tpr for part in blocks])
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

    def replicates(self, counts: Counts, rates: Floats) -> CurveReplicates:
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
        for row in np.flatnonzero(pairs > 0):
            # numpy.interp takes the last of several equal abscissae: the upper end of a vertical stretch.
            tpr[row] = np.interp(rates, false_positives[row] / negatives[row], true_positives[row] / positives[row])
        return CurveReplicates(auc, tpr)


def _running(counts: Counts, ends: npt.NDArray[np.intp]) -> Counts:
    """Running sums of each row at `ends`, with a zero before the first."""
    sums = np.zeros((len(counts), len(ends) + 1), dtype=np.int64)
    sums[:, 1:] = np.cumsum(counts, axis=1)[:, ends]
    return sums
