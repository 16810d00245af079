"""Agreement at the segment level, for the data as they are and for all resamples at once.

Cells are the outputs that humans and metric have both scored: one per system and segment. They are compared within a
*grouping*: ``item`` compares the systems on each segment and averages over segments, ``system`` compares the segments
of each system and averages over systems, ``none`` compares everything with everything.

A resample is given by how often each segment (`w`) and each system (`v`) occurs. Two copies of a unit are not compared
with each other: they would be perfect ties that no data have shown.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from mtsig.metrics.base import divide
from mtsig.studies.meta.pairs import PAIR_STATISTICS, PairCounts, pair_kinds, pair_signs, tau_c_factor

__all__ = ["GROUPINGS", "Weights", "group_values", "pair_replicates", "pearson_replicates"]

Floats = npt.NDArray[np.float64]
Weights = Floats | None

GROUPINGS = ("none", "item", "system")

_BLOCK_CELLS = 4_000_000  # numbers held at a time
_MANY_UNITS = 200  # from here on pairs of units are kept as matrices


def _mean_of_groups(values: Floats, weights: Weights, n_resamples: int) -> Floats:
    """Mean over groups (last axis), each counting as often as it was drawn; undefined groups are left out."""
    values = np.atleast_2d(values)
    defined = ~np.isnan(values)
    counted = np.where(defined, values, 0.0)
    if weights is None:
        sums, numbers = counted.sum(axis=1), defined.sum(axis=1).astype(np.float64)
    elif len(values) == 1:
        sums, numbers = weights @ counted[0], weights @ defined[0].astype(np.float64)
    else:
        sums, numbers = (weights * counted).sum(axis=1), (weights * defined).sum(axis=1)
    means = divide(sums, numbers)
    return np.broadcast_to(means, (n_resamples,)) if len(means) == 1 else means


def _number(w: Weights, v: Weights) -> int:
    """Number of resamples; one for the data as they are."""
    return len(w) if w is not None else len(v) if v is not None else 1


def _blocks(n_resamples: int, cells: int) -> Iterator[slice]:
    size = max(1, _BLOCK_CELLS // max(1, cells))
    for start in range(0, n_resamples, size):
        yield slice(start, start + size)


def _part(weights: Weights, block: slice) -> Weights:
    return None if weights is None else weights[block]


def pearson_replicates(human: Floats, metric: Floats, *, grouping: str, w: Weights = None, v: Weights = None) -> Floats:
    """Pearson correlation of every resample.

    Parameters
    ----------
    human, metric
        (n_systems, n_segments) scores; NaN where there is none.
    grouping
        One of `GROUPINGS`.
    w, v
        (n_resamples, n_segments) and (n_resamples, n_systems) draw counts; None where segments or systems stay.

    Returns
    -------
    numpy.ndarray
        (n_resamples,) correlations, (1,) without weights; NaN where undefined.
    """
    n_systems, n_segments = human.shape
    total = _number(w, v)
    if grouping == "none":
        x, y = human.reshape(-1, 1), metric.reshape(-1, 1)
        parts = []
        for block in _blocks(total, n_systems * n_segments):
            of_systems = np.ones((1, n_systems)) if v is None else v[block]
            of_segments = np.ones((1, n_segments)) if w is None else w[block]
            cells = of_systems[:, :, None] * of_segments[:, None, :]
            parts.append(_grouped_pearson(x, y, cells.reshape(len(cells), -1))[:, 0])
        return np.concatenate(parts)
    if grouping == "system":
        human, metric, w, v = human.T, metric.T, v, w
    # Now groups are the last axis of the scores, with weights `w`, and units the first one, with weights `v`.
    parts = []
    for block in _blocks(total, human.shape[1]):
        units = np.ones((1, len(human))) if v is None else v[block]
        values = _grouped_pearson(human, metric, units)
        parts.append(_mean_of_groups(values, _part(w, block), len(range(*block.indices(total)))))
    return np.concatenate(parts)


def _grouped_pearson(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Correlations (n_resamples, n_groups) from scores (n_units, n_groups) and weights (n_resamples, n_units)."""
    present = ~(np.isnan(x) | np.isnan(y))
    mask = present.astype(np.float64)

    def centred(scores: Floats) -> Floats:
        counts = np.maximum(mask.sum(axis=0), 1.0)
        mean = np.where(present, scores, 0.0).sum(axis=0) / counts
        return np.where(present, scores - mean, 0.0)

    x, y = centred(x), centred(y)
    number = weights @ mask
    safe = np.where(number > 0, number, 1.0)
    mean_x, mean_y = weights @ x / safe, weights @ y / safe
    var_x, var_y = weights @ (x * x) / safe - mean_x**2, weights @ (y * y) / safe - mean_y**2
    covariance = weights @ (x * y) / safe - mean_x * mean_y
    # A variance below rounding is that of equal scores.
    tiny_x, tiny_y = (1e-13 * (1e-300 + (scores**2).max(axis=0)) for scores in (x, y))
    defined = (var_x > tiny_x) & (var_y > tiny_y)
    norm = np.sqrt(np.where(defined, var_x * var_y, 1.0))
    return np.where(defined, np.clip(covariance / norm, -1.0, 1.0), np.nan)


def pair_replicates(
    human: Floats,
    metric: Floats,
    statistics: Sequence[str],
    *,
    grouping: str,
    epsilon: float = 0.0,
    w: Weights = None,
    v: Weights = None,
) -> dict[str, Floats]:
    """Pair statistics (Kendall's tau and its kin) of every resample.

    Parameters
    ----------
    human, metric
        (n_systems, n_segments) scores with exact ties (see `merge_equal`); NaN where there is none.
    statistics
        Names of `PAIR_STATISTICS`.
    grouping
        One of `GROUPINGS`.
    epsilon
        The metric's scores tie when they differ by at most this.
    w, v
        (n_resamples, n_segments) and (n_resamples, n_systems) draw counts; None where segments or systems stay.

    Returns
    -------
    dict
        Statistic to (n_resamples,) values, (1,) without weights; NaN where undefined.

    Raises
    ------
    ValueError
        For grouping ``none`` with both weights: each pair of cells would have to be visited in each resample.
    """
    total = _number(w, v)
    if grouping == "none":
        if w is not None and v is not None:
            raise ValueError("pairs of all cells can be weighted by segments or by systems, not by both")
        counts = _all_pairs(human, metric, epsilon, w, v)
        factor = tau_c_factor(human.reshape(-1), metric.reshape(-1))
        return {name: group_values(name, counts, factor) for name in statistics}
    if grouping == "system":
        human, metric, w, v = human.T, metric.T, v, w
    # Now groups are the last axis of the scores, with weights `w`, and units the first one, with weights `v`.
    if v is not None and len(human) > _MANY_UNITS:
        return _many_units(human, metric, statistics, epsilon, w, v)
    parts: dict[str, list[Floats]] = {name: [] for name in statistics}
    first, second = np.triu_indices(len(human), 1)
    kinds = _kinds(human, metric, first, second, epsilon)
    factor = tau_c_factor(human.T, metric.T)
    for block in _blocks(total, 5 * human.shape[1]):
        if v is None:
            counts = PairCounts(*(kind.sum(axis=0, dtype=np.float64)[None] for kind in kinds))
        else:
            pairs = v[block][:, first] * v[block][:, second]
            counts = PairCounts(*(pairs @ kind.astype(np.float64) for kind in kinds))
        size = len(range(*block.indices(total)))
        for name in statistics:
            parts[name].append(_mean_of_groups(group_values(name, counts, factor), _part(w, block), size))
    return {name: np.concatenate(values) for name, values in parts.items()}


def group_values(statistic: str, counts: PairCounts, factor: Floats) -> Floats:
    """A pair statistic from its counts; `factor` is the one of `tau_c_factor`, used by ``kendall_c`` only."""
    values = PAIR_STATISTICS[statistic](counts)
    return values * factor if statistic == "kendall_c" else values


def _kinds(
    human: Floats, metric: Floats, first: npt.NDArray[np.intp], second: npt.NDArray[np.intp], epsilon: float
) -> list[npt.NDArray[np.bool_]]:
    """Kinds of the pairs of rows, each (n_pairs, n_groups); pairs with a missing score are of no kind."""
    present = ~(np.isnan(human) | np.isnan(metric))
    both = present[first] & present[second]
    of_human = pair_signs(human[first], human[second])
    of_metric = pair_signs(metric[first], metric[second], epsilon=epsilon)
    return [kind & both for kind in pair_kinds(of_human, of_metric)]


def _blocks_of_pairs(n_units: int) -> Iterator[slice]:
    """Blocks of the second units of pairs, so that the pairs with all first units can be held at a time."""
    size = max(1, _BLOCK_CELLS // max(1, n_units))
    for start in range(0, n_units, size):
        yield slice(start, start + size)


def _block_kinds(
    human: tuple[Floats, Floats], metric: tuple[Floats, Floats], block: slice, epsilon: float
) -> Iterator[npt.NDArray[np.bool_]]:
    """Kinds of the pairs (one of the first row, one of a block of the second), each (n, size)."""
    (h1, h2), (m1, m2) = human, metric
    h2, m2 = h2[block], m2[block]
    both = ~(np.isnan(h1) | np.isnan(m1))[:, None] & ~(np.isnan(h2) | np.isnan(m2))[None, :]
    of_human = pair_signs(h1[:, None], h2[None, :])
    of_metric = pair_signs(m1[:, None], m2[None, :], epsilon=epsilon)
    for kind in pair_kinds(of_human, of_metric):
        yield kind & both


def _above_diagonal(square: npt.NDArray[np.bool_], block: slice) -> npt.NDArray[np.bool_]:
    """Each pair of one row's cells once: in the row's square with itself it stands twice, and each cell with itself."""
    return np.triu(square, 1 - block.start)


def _weighted(pairs: Floats, weights: Weights, block: slice) -> Floats:
    """Number of pairs (n, size) by the weights of both their units, for every resample."""
    if weights is None:
        return np.array([pairs.sum()])
    return np.asarray(((weights @ pairs) * weights[:, block]).sum(axis=1))


def _all_pairs(human: Floats, metric: Floats, epsilon: float, w: Weights, v: Weights) -> PairCounts:
    """Counts over all pairs of cells, weighted by segments or by systems."""
    n_systems, n_segments = human.shape
    of_systems = np.zeros((5, n_systems, n_systems))
    totals = np.zeros((5, _number(w, None)))
    for block in _blocks_of_pairs(n_segments):
        size = len(range(*block.indices(n_segments)))
        of_segments = np.zeros((5, n_segments, size))
        for one, other in itertools.combinations_with_replacement(range(n_systems), 2):
            squares = _block_kinds((human[one], human[other]), (metric[one], metric[other]), block, epsilon)
            for kind, square in enumerate(squares):
                pairs = _above_diagonal(square, block) if one == other else square
                if v is None:
                    of_segments[kind] += pairs
                else:
                    of_systems[kind, one, other] += np.count_nonzero(pairs)
        if v is None:
            totals += [_of_units(pairs, w, block) for pairs in of_segments]
    if v is not None:
        totals = np.array([_of_units(pairs, v, slice(0, n_systems)) for pairs in of_systems])
    return PairCounts(*totals)


def _of_units(pairs: Floats, weights: Weights, block: slice) -> Floats:
    """As `_weighted`, but pairs within one unit (of its cells) count by its own weight, once."""
    columns = np.arange(pairs.shape[1])
    rows = block.start + columns
    inside = pairs[rows, columns]
    pairs[rows, columns] = 0
    within = inside.sum() if weights is None else weights[:, block] @ inside
    return np.asarray(_weighted(pairs, weights, block) + within)


def _many_units(
    human: Floats, metric: Floats, statistics: Sequence[str], epsilon: float, w: Weights, v: Floats
) -> dict[str, Floats]:
    """Groups with many units each (the segments of a system): one group at a time, pairs as matrices."""
    n_groups = human.shape[1]
    values = {name: np.empty((len(v), n_groups)) for name in statistics}
    for group in range(n_groups):
        h, m = human[:, group], metric[:, group]
        counts = np.zeros((5, len(v)))
        for block in _blocks_of_pairs(len(h)):
            for kind, square in enumerate(_block_kinds((h, h), (m, m), block, epsilon)):
                counts[kind] += _weighted(_above_diagonal(square, block).astype(np.float64), v, block)
        for name in statistics:
            values[name][:, group] = group_values(name, PairCounts(*counts), tau_c_factor(h, m))
    return {name: _mean_of_groups(values[name], w, len(v)) for name in statistics}
