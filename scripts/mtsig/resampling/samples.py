"""Which systems are resampled together, and on which segments.

Usually all systems have scores on all segments, and there is one sample. Where segments are missing, a system's own
score uses its own segments and a pair uses the common ones; systems and pairs with the same segments share a sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mtsig.resampling.units import sum_units

__all__ = ["Sample", "joint_samples", "samples"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """Statistics of the systems for which the same segments count.

    Attributes
    ----------
    members
        Numbers of the systems, ascending.
    own
        Those members whose own segments these are.
    pairs
        Pairs of members whose common segments these are, (n_pairs, 2), numbers of systems.
    segments
        Statistics by segment, (n_members, n_segments, k).
    units
        Statistics by unit, (n_members, n_units, k).
    complete
        Whether these are all segments of the test set.
    """

    members: tuple[int, ...]
    own: tuple[int, ...]
    pairs: tuple[tuple[int, int], ...]
    segments: FloatArray
    units: FloatArray
    complete: bool

    @property
    def n_segments(self) -> int:
        """Number of segments."""
        return int(self.segments.shape[1])

    @property
    def n_units(self) -> int:
        """Number of units."""
        return int(self.units.shape[1])

    @property
    def places(self) -> NDArray[np.int64]:
        """The pairs as positions among the members."""
        position = {system: place for place, system in enumerate(self.members)}
        found = [(position[first], position[second]) for first, second in self.pairs]
        return np.array(found, dtype=np.int64).reshape(-1, 2)


def samples(columns: FloatArray, labels: NDArray[np.int64] | None) -> list[Sample]:
    """Group systems and pairs by the segments that count for them.

    Parameters
    ----------
    columns
        What is summed, (n_systems, n_segments, k), NaN where a segment is missing.
    labels
        Unit of every segment; None if segments are the units.

    Examples
    --------
    >>> columns = np.array([[[1.0], [2.0]], [[3.0], [4.0]], [[5.0], [np.nan]]])
    >>> [(sample.own, sample.pairs, sample.n_segments) for sample in samples(columns, None)]
    [((0, 1), ((0, 1),), 2), ((2,), ((0, 2), (1, 2)), 1)]
    """
    return [sample for (sample,) in joint_samples([columns], [labels])]


def joint_samples(
    columns: Sequence[FloatArray], labels: Sequence[NDArray[np.int64] | None]
) -> list[tuple[Sample, ...]]:
    """Group systems and pairs by the segments that count for them on all of several test sets.

    Parameters
    ----------
    columns, labels
        As of `samples`, for each test set; the systems are the same.

    Returns
    -------
    list of tuple of Sample
        For each group its samples, one per test set.
    """
    present: NDArray[np.bool_] = np.concatenate([~np.isnan(one).any(axis=-1) for one in columns], axis=1)
    masks: dict[bytes, NDArray[np.bool_]] = {}
    own: dict[bytes, list[int]] = {}
    pairs: dict[bytes, list[tuple[int, int]]] = {}
    for system, mask in enumerate(present):
        masks.setdefault(mask.tobytes(), mask)
        own.setdefault(mask.tobytes(), []).append(system)
    for first, second in combinations(range(len(present)), 2):
        mask = present[first] & present[second]
        masks.setdefault(mask.tobytes(), mask)
        pairs.setdefault(mask.tobytes(), []).append((first, second))
    starts = np.cumsum([one.shape[1] for one in columns])[:-1]
    return [
        tuple(
            _sample(one, its_labels, part, own.get(key, []), pairs.get(key, []))
            for one, its_labels, part in zip(columns, labels, np.split(mask, starts), strict=True)
        )
        for key, mask in masks.items()
    ]


def _sample(
    columns: FloatArray,
    labels: NDArray[np.int64] | None,
    mask: NDArray[np.bool_],
    own: list[int],
    pairs: list[tuple[int, int]],
) -> Sample:
    members = sorted({*own, *(system for pair in pairs for system in pair)})
    complete = bool(mask.all())
    segments = columns if complete and len(members) == len(columns) else columns[members][:, mask]
    units = segments if labels is None else sum_units(segments, labels[mask])
    return Sample(tuple(members), tuple(own), tuple(pairs), segments, units, complete)
