"""Which units each resample draws, and which each trial of a randomization test swaps.

The numbers come from the stream of numpy's default generator, block by block, so that no array ever holds all of
them: one matrix of draws per seed, number of units and number of resamples, the same for all systems and metrics, and
the same as sacreBLEU's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from mtsig import kernels
from mtsig.errors import ConfigError

__all__ = ["all_swaps", "block_rows", "draw_counts", "is_enumerable", "n_swaps", "swap_signs", "swaps"]

# Blocks of so many bytes stay in the cache between the draws and the matrix product.
_BLOCK_BYTES = 1_600_000
_MOST_ROWS = 256
# With a multiple of 32 rows the bits of a block fill whole halves of the generator's words, whatever the units.
_ROW_MULTIPLE = 32
# The last matrix of draws is kept for the next metric if it is no larger than this.
_KEPT_BYTES = 64_000_000


_kept: dict[tuple[int, int, int, str], list[NDArray[Any]]] = {}


def block_rows(n_units: int, dtype: DTypeLike = np.float32) -> int:
    """How many resamples or trials one block holds: fewer for many units, and always a multiple of 32."""
    rows = _BLOCK_BYTES // (np.dtype(dtype).itemsize * max(n_units, 1))
    return min(max(rows // _ROW_MULTIPLE, 1) * _ROW_MULTIPLE, _MOST_ROWS)


def draw_counts(seed: int, n_units: int, n_resamples: int, *, dtype: DTypeLike = np.float32) -> Iterator[NDArray[Any]]:
    """Draw counts of a bootstrap: how often each unit occurs in each resample.

    Parameters
    ----------
    seed
        Of the generator; 0 is a seed like any other.
    n_units
        Number of units, all of which are drawn from in every draw.
    n_resamples
        Number of resamples.
    dtype
        float32 or float64.

    Yields
    ------
    numpy.ndarray
        Blocks (block, n_units) whose rows follow each other as in
        ``numpy.random.default_rng(seed).choice(n_units, size=(n_resamples, n_units))``.

    Examples
    --------
    >>> next(draw_counts(12345, 10, 1000))[0].tolist()
    [0.0, 0.0, 2.0, 2.0, 0.0, 0.0, 3.0, 2.0, 0.0, 1.0]
    """
    rng = _generator(seed)
    key = (int(seed), n_units, n_resamples, np.dtype(dtype).str)
    if key in _kept:
        yield from _kept[key]
        return
    keeps = n_units * n_resamples * np.dtype(dtype).itemsize <= _KEPT_BYTES
    blocks = []
    for rows in _blocks(n_units, n_resamples, "n_resamples", dtype):
        counts = np.empty((rows, n_units), dtype=dtype)
        kernels.draw_counts(rng, counts)
        if keeps:
            counts.setflags(write=False)
            blocks.append(counts)
        yield counts
    if keeps:
        _kept.clear()
        _kept[key] = blocks


def swap_signs(seed: int, n_units: int, n_trials: int, *, dtype: DTypeLike = np.float32) -> Iterator[NDArray[Any]]:
    """Random swaps of approximate randomization: 1 where the first system keeps a unit, 0 where it is swapped.

    Parameters
    ----------
    seed
        Of the generator.
    n_units
        Number of units.
    n_trials
        Number of trials.
    dtype
        float32 or float64.

    Yields
    ------
    numpy.ndarray
        Blocks (block, n_units) whose rows follow each other as in
        ``numpy.random.default_rng(seed).integers(2, size=(n_trials, n_units), dtype=bool)``.

    Examples
    --------
    >>> next(swap_signs(12345, 8, 10000))[0].tolist()
    [1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 1.0]
    """
    rng = _generator(seed)
    for rows in _blocks(n_units, n_trials, "n_trials", dtype):
        signs = np.empty((rows, n_units), dtype=dtype)
        kernels.swap_signs(rng, signs)
        yield signs


def is_enumerable(n_units: int, n_trials: int) -> bool:
    """Whether there are so few ways to swap that all of them can take the place of random trials."""
    return n_units < 63 and 2**n_units <= n_trials


def n_swaps(n_units: int, n_trials: int) -> int:
    """How many swaps are tried: all there are, or `n_trials` random ones."""
    return 2**n_units if is_enumerable(n_units, n_trials) else n_trials


def swaps(seed: int, n_units: int, n_trials: int, *, dtype: DTypeLike = np.float32) -> Iterator[NDArray[Any]]:
    """All swaps where there are no more than `n_trials`, else so many random ones; arguments as in `swap_signs`.

    Examples
    --------
    >>> sum(map(len, swaps(12345, 2, 10000))), sum(map(len, swaps(12345, 20, 10000)))
    (4, 10000)
    """
    if is_enumerable(n_units, n_trials):
        return all_swaps(n_units, dtype=dtype)
    return swap_signs(seed, n_units, n_trials, dtype=dtype)


def all_swaps(n_units: int, *, dtype: DTypeLike = np.float32) -> Iterator[NDArray[Any]]:
    """All 2**n_units ways to keep (1) or swap (0) units, in blocks as those of `swap_signs`.

    Examples
    --------
    >>> next(all_swaps(2)).tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
    """
    start, bits = 0, np.arange(n_units)
    for rows in _blocks(n_units, 2**n_units, "n_trials", dtype):
        numbers = np.arange(start, start + rows)
        yield (numbers[:, None] >> bits & 1).astype(dtype)
        start += rows


def _generator(seed: int) -> np.random.Generator:
    if not isinstance(seed, (int, np.integer)) or isinstance(seed, bool) or seed < 0:
        raise ConfigError(f"seed: expected a whole number from 0 up, found {seed!r}.")
    return np.random.default_rng(int(seed))


def _blocks(n_units: int, n_rows: int, name: str, dtype: DTypeLike) -> Iterator[int]:
    """Numbers of rows of the blocks."""
    if n_rows < 1:
        raise ConfigError(f"{name}: expected a number from 1 up, found {n_rows}.")
    rows = block_rows(n_units, dtype)
    for start in range(0, n_rows, rows):
        yield min(rows, n_rows - start)
