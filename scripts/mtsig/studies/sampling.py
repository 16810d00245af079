"""Smaller test sets out of a large one: the sampling schemes of Koehn (2004), section 4.

A subset is a sorted array of segment positions. The subsets of one scheme and size are disjoint, and together they use
every segment exactly once, so a study of ``K`` subsets draws all its evidence from the test set that it has.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mtsig.errors import ConfigError

__all__ = ["SCHEMES", "n_subsets", "subsets"]

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
