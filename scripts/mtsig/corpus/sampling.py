"""Smaller test sets out of a large one: the sampling schemes of Koehn (2004), section 4.

A subset is a sorted array of segment positions. The subsets of one scheme and size are disjoint, and together they use
every segment exactly once, so a study of ``K`` subsets draws all its evidence from the test set that it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mtsig.errors import ConfigError

__all__ = ["SCHEMES", "n_subsets", "sample", "subsets"]

#: The names of the schemes, in the order in which the paper meets the first two.
SCHEMES = ("broad", "consecutive", "random")

Positions = npt.NDArray[np.int64]


def n_subsets(n_segments: int, subset_size: int) -> int:
    """How many subsets of about `subset_size` segments a test set of `n_segments` gives: the whole part of the ratio.

    Examples
    --------
    >>> n_subsets(30000, 300), n_subsets(31, 10), n_subsets(31, 32)
    (100, 3, 0)
    """
    if subset_size < 1:
        raise ConfigError(f"subset size {subset_size}: a subset needs at least 1 segment.")
    return n_segments // subset_size


def subsets(scheme: str, *, n_segments: int, subset_size: int, seed: int = 0) -> tuple[Positions, ...]:
    """Divide a test set into disjoint subsets.

    Parameters
    ----------
    scheme
        ``broad``: subset ``k`` of ``K`` holds the segments ``i`` with ``i mod K = k``, spread over the whole test set.
        ``consecutive``: ``K`` runs of neighbouring segments. ``random``: a random division.
    n_segments
        Number of segments of the test set.
    subset_size
        Wanted size. With ``K = n_segments // subset_size`` subsets, sizes differ by at most one, and they are larger
        than `subset_size` where it does not divide `n_segments`, since no segment is left over.
    seed
        For ``random`` only. Each (seed, number of segments, size) has its own division.

    Returns
    -------
    tuple of ndarray
        ``K`` sorted arrays of 0-based positions; none where `subset_size` exceeds `n_segments`.

    Raises
    ------
    mtsig.errors.ConfigError
        If the scheme is unknown or the size is below 1.

    Examples
    --------
    >>> [subset.tolist() for subset in subsets("broad", n_segments=7, subset_size=2)]
    [[0, 3, 6], [1, 4], [2, 5]]
    >>> [subset.tolist() for subset in subsets("consecutive", n_segments=7, subset_size=2)]
    [[0, 1, 2], [3, 4], [5, 6]]
    """
    count = n_subsets(n_segments, subset_size)
    if scheme not in SCHEMES:
        raise ConfigError(f"sampling scheme {scheme!r} is unknown; there are {', '.join(SCHEMES)}.")
    if count == 0:
        return ()
    positions = np.arange(n_segments, dtype=np.int64)
    if scheme == "broad":
        return tuple(positions[k::count] for k in range(count))
    if scheme == "random":
        entropy: Any = (seed, n_segments, subset_size)
        positions = np.random.default_rng(entropy).permutation(positions)
    return tuple(np.sort(part) for part in np.array_split(positions, count))


def sample(
    scheme: str,
    *,
    n_segments: int,
    subset_size: int,
    number: int = 1,
    seed: int = 0,
    strata: Sequence[str] | None = None,
) -> Positions:
    """As many segments as are asked for, one of ``K`` disjoint samples; with `strata` in proportion to them.

    Where the size does not divide the number of segments, steps of a broad sample are not all of one length, and what
    is left over is in no sample.

    Parameters
    ----------
    scheme, n_segments, subset_size, seed
        As for `subsets`.
    number
        Which of the ``K`` subsets, from 1.
    strata
        (n_segments,) the stratum of each segment, such as its domain. Segments are put into the order of their strata
        (at random within each for ``random``) and taken at equal steps, so that the sample has each stratum in
        proportion, to within one segment.

    Returns
    -------
    ndarray
        (subset_size,) sorted positions.

    Raises
    ------
    mtsig.errors.ConfigError
        If there is no such subset, or strata are asked of consecutive segments.

    Examples
    --------
    >>> sample("broad", n_segments=7, subset_size=2, number=2).tolist()
    [1, 4]
    >>> sample("broad", n_segments=7, subset_size=5).tolist()
    [0, 1, 2, 4, 5]
    >>> sample("broad", n_segments=6, subset_size=2, strata=list("ababab")).tolist()
    [0, 1]
    """
    count = n_subsets(n_segments, subset_size)
    if count == 0:
        raise ConfigError(f"{subset_size} segments are more than the {n_segments} that there are.")
    if not 1 <= number <= count:
        raise ConfigError(f"there is no sample {number}; {n_segments} segments give {count} of {subset_size}.")
    if strata is not None and scheme not in ("broad", "random"):
        raise ConfigError(f"{scheme} samples cannot be spread over strata; broad and random ones can.")
    if scheme not in ("broad", "random"):
        return subsets(scheme, n_segments=n_segments, subset_size=subset_size)[number - 1][:subset_size]
    order = np.arange(n_segments, dtype=np.int64)
    if scheme == "random":
        entropy: Any = (seed, n_segments, subset_size)
        order = np.random.default_rng(entropy).permutation(order)
    if strata is not None:
        order = np.array(sorted(order.tolist(), key=lambda position: strata[position]), dtype=np.int64)
    places = (np.arange(subset_size) * count + number - 1) * n_segments // (subset_size * count)
    return np.sort(order[places])
