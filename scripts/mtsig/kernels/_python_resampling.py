"""Twins in numpy of the kernels in draws.h: same arguments, same numbers, same state of the generator afterwards."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["draw_counts", "sequential_sums", "swap_signs"]


def draw_counts(rng: np.random.Generator, counts: NDArray[Any]) -> None:
    """Fill every row of `counts` (n_resamples, n) with how often each of n units occurs in n draws with replacement.

    Successive calls continue the stream of ``rng.choice(n, size=(n_resamples, n))``.
    """
    n_resamples, n = counts.shape
    # The same stream as `choice`, whose indices are twice as wide.
    indices = rng.integers(0, n, size=(n_resamples, n), dtype=np.uint32)
    cells = indices + (np.arange(n_resamples, dtype=np.int64) * n)[:, None]
    counts[...] = np.bincount(cells.ravel(), minlength=n_resamples * n).reshape(n_resamples, n)


def swap_signs(rng: np.random.Generator, signs: NDArray[Any]) -> None:
    """Fill `signs` (n_trials, n) with random zeros and ones, as ``rng.integers(2, size=(n_trials, n), dtype=bool)``.

    Successive calls continue that stream if the number of cells is a multiple of 32 in all but the last.
    """
    signs[...] = rng.integers(2, size=signs.shape, dtype=bool)


def sequential_sums(rng: np.random.Generator, statistics: NDArray[np.float32], sums: NDArray[np.float32]) -> None:
    """Fill every row of `sums` (n_resamples, k) with the sum of n drawn rows of `statistics` (n, k).

    The rows are added one after the other, in the order of the draws and in single precision, as
    ``statistics[indices].sum(0)`` does for k > 1. The stream of draws is that of `draw_counts`.
    """
    n = len(statistics)
    for row in sums:
        row[:] = statistics[rng.integers(0, n, size=n, dtype=np.uint32)].sum(axis=0)
