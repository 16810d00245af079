"""PERM-BOTH: what the difference of two metrics would be if their scores were interchangeable.

All functions take standardised scores of two metrics and blocks of zeros and ones: one where a cell keeps the first
metric's score as the first's, zero where the two are swapped. They return, for every row of the block, the statistic of
the first mixture minus that of the second.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from mtsig.metrics.base import divide
from mtsig.studies.meta.pairs import PAIR_STATISTICS, PairCounts, pair_kinds, pair_signs
from mtsig.studies.meta.systems import system_replicates

__all__ = ["permuted_items", "permuted_pair_statistics", "permuted_pearson", "permuted_systems"]

Floats = npt.NDArray[np.float64]
Blocks = Iterable[Floats]


def permuted_systems(human: Floats, first: Floats, second: Floats, statistic: str, blocks: Blocks) -> Floats:
    """Differences at the system level, where the scores of whole systems are swapped.

    Parameters
    ----------
    human, first, second
        (n_systems,) scores.
    statistic
        One of `SYSTEM_STATISTICS`.
    blocks
        Blocks (n, n_systems).

    Returns
    -------
    numpy.ndarray
        (n_trials,) differences.
    """
    return np.concatenate(
        [
            system_replicates(human[None], second + keep * (first - second), statistic)
            - system_replicates(human[None], first + keep * (second - first), statistic)
            for keep in blocks
        ]
    )


def permuted_pearson(human: Floats, first: Floats, second: Floats, grouping: str, blocks: Blocks) -> Floats:
    """Differences of Pearson correlations at the segment level.

    Parameters
    ----------
    human, first, second
        (n_systems, n_segments) scores; NaN where there is none.
    grouping
        ``none``, ``item`` or ``system``.
    blocks
        Blocks (n, n_systems * n_segments).

    Returns
    -------
    numpy.ndarray
        (n_trials,) differences.
    """
    shape = human.shape
    present = ~np.isnan(human + first + second)
    axis = {"none": (1, 2), "item": (1,), "system": (2,)}[grouping]
    groups = tuple(index - 1 for index in axis)
    number = np.maximum(present.sum(axis=groups), 1)

    def centred(scores: Floats) -> Floats:
        mean = np.where(present, scores, 0.0).sum(axis=groups, keepdims=True) / np.expand_dims(number, groups)
        return np.where(present, scores - mean, 0.0)

    # One shift for both metrics, so that a mixture is shifted as a whole.
    x = centred(human)
    middle = np.where(present, (first + second) / 2, 0.0)
    shift = middle.sum(axis=groups, keepdims=True) / np.expand_dims(number, groups)
    a, b = (np.where(present, scores - shift, 0.0) for scores in (first, second))
    spread = (x * x).sum(axis=groups)
    # Sums of a mixture are those of the second metric and, for each kept cell, the difference of the two.
    sums_b = [(values).sum(axis=groups) for values in (b, b * b, b * x)]
    sums_a = [(values).sum(axis=groups) for values in (a, a * a, a * x)]
    changes = [a - b, a * a - b * b, (a - b) * x]

    def correlation(sums: Sequence[Floats]) -> Floats:
        total, squares, products = sums
        variance = squares - total * total / number
        defined = (variance > 1e-12 * np.maximum(squares, 1e-300)) & (spread > 0)
        norm = np.sqrt(np.where(defined, variance * spread, 1.0))
        return np.where(defined, products / norm, np.nan)

    differences = []
    for keep in blocks:
        cells = keep.reshape(-1, *shape)
        moved = [(cells * change).sum(axis=axis) for change in changes]
        one = correlation([start + move for start, move in zip(sums_b, moved, strict=True)])
        other = correlation([start - move for start, move in zip(sums_a, moved, strict=True)])
        differences.append(_mean(one) - _mean(other))
    return np.concatenate(differences)


def _mean(values: Floats) -> Floats:
    """Mean over groups that are defined; the values themselves where there is no grouping."""
    if values.ndim == 1:
        return values
    defined = ~np.isnan(values)
    return divide(np.where(defined, values, 0.0).sum(axis=1), defined.sum(axis=1, dtype=np.float64))


def permuted_pair_statistics(
    human: Floats, first: Floats, second: Floats, statistics: Sequence[str], blocks: Blocks
) -> dict[str, Floats]:
    """Differences of pair statistics that compare the systems on each segment.

    Parameters
    ----------
    human, first, second
        (n_systems, n_segments) scores with exact ties; NaN where there is none.
    statistics
        Names of `PAIR_STATISTICS`; ``kendall_c`` is not normalised.
    blocks
        Blocks (n, n_systems * n_segments).

    Returns
    -------
    dict
        Statistic to (n_trials,) differences.
    """
    n_systems, n_segments = human.shape
    present = ~np.isnan(human + first + second)
    forms = _quadratic_forms(human, first, second, present)
    outputs = present.sum(axis=0)
    total = (outputs * (outputs - 1) / 2)[None, :]
    found: dict[str, list[Floats]] = {name: [] for name in statistics}
    for keep in blocks:
        # (n_segments, n, n_systems)
        cells = keep.reshape(-1, n_systems, n_segments).transpose(2, 0, 1).astype(np.float32)
        counts = [form.both(cells) for form in forms]
        one, other = (_with_last_kind([pair[side] for pair in counts], total) for side in (0, 1))
        for name in statistics:
            found[name].append(_mean(PAIR_STATISTICS[name](one)) - _mean(PAIR_STATISTICS[name](other)))
    return {name: np.concatenate(values) for name, values in found.items()}


def _with_last_kind(kinds: Sequence[Floats], total: Floats) -> PairCounts:
    """All pairs are of one kind or another, so the last kind is what is left."""
    concordant, discordant, human_ties, metric_ties = kinds
    rest = total - concordant - discordant - human_ties - metric_ties
    return PairCounts(concordant, discordant, human_ties, metric_ties, rest)


class _Form:
    """Number of pairs of one kind within each segment, as a function of which cells keep the first metric's score.

    With k = 1 for a kept cell, a pair of systems (s, t) counts c11 if both are kept, c10, c01 and c00 otherwise; the
    sum over pairs is k'Qk + l'k + c. For the complement 1 - k only the linear part and the constant are others.
    """

    def __init__(self, n_systems: int, n_segments: int) -> None:
        self.quadratic = np.zeros((n_segments, n_systems, n_systems), dtype=np.float32)
        self.linear = np.zeros((n_segments, n_systems), dtype=np.float32)
        self.constant = np.zeros(n_segments)

    def add(self, s: int, t: int, kept: Floats, first_kept: Floats, second_kept: Floats, swapped: Floats) -> None:
        self.quadratic[:, s, t] += kept - first_kept - second_kept + swapped
        self.linear[:, s] += first_kept - swapped
        self.linear[:, t] += second_kept - swapped
        self.constant += swapped

    def both(self, cells: npt.NDArray[np.float32]) -> tuple[Floats, Floats]:
        """(n, n_segments) numbers of pairs for cells (n_segments, n, n_systems) and for their complement."""
        squares = ((cells @ self.quadratic) * cells).sum(axis=2)
        rows, columns = self.quadratic.sum(axis=2), self.quadratic.sum(axis=1)
        complement = -(rows + columns + self.linear)
        linear = cells @ np.stack([self.linear, complement], axis=2)
        rest = self.constant + rows.sum(axis=1) + self.linear.sum(axis=1)
        return (
            np.asarray((squares + linear[..., 0]).T + self.constant, dtype=np.float64),
            np.asarray((squares + linear[..., 1]).T + rest, dtype=np.float64),
        )


def _quadratic_forms(human: Floats, first: Floats, second: Floats, present: npt.NDArray[np.bool_]) -> list[_Form]:
    """One form for each kind of pair but the last, in the order of `PairCounts`."""
    n_systems, n_segments = human.shape
    forms = [_Form(n_systems, n_segments) for _ in range(4)]
    for s, t in combinations(range(n_systems), 2):
        both = present[s] & present[t]
        of_human = pair_signs(human[s], human[t])
        versions = [(first, first), (first, second), (second, first), (second, second)]
        kinds = [
            [kind & both for kind in pair_kinds(of_human, pair_signs(one[s], other[t]))] for one, other in versions
        ]
        for index, form in enumerate(forms):
            form.add(s, t, *(np.asarray(kind[index], dtype=np.float64) for kind in kinds))
    return forms


def permuted_items(first: Floats, second: Floats, blocks: Blocks) -> Floats:
    """Differences of means over segments, where all scores of a segment are swapped together (PERM-INPUTS).

    Parameters
    ----------
    first, second
        (n_segments,) values of both metrics; NaN where undefined (such segments stay out of both means).
    blocks
        Blocks (n, n_segments).

    Returns
    -------
    numpy.ndarray
        (n_trials,) differences.
    """
    difference = first - second
    defined = ~np.isnan(difference)
    signed = np.where(defined, difference, 0.0) / max(int(defined.sum()), 1)
    return np.concatenate([(2 * keep - 1) @ signed for keep in blocks])
