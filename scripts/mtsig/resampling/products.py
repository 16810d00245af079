"""Sums of statistics over many resamples or swaps at once, as matrix products.

A block of draw counts (rows x units) times the statistics (units x columns) gives the sums that a program with an
array of indices would gather row by row. Sums of whole numbers are exact: single precision is used as long as all of
them stay below 2**24, where it holds every integer, and double precision otherwise.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["EXACT_BELOW", "Advance", "Products", "each_block"]

#: Is told how many more resamples or trials are done.
Advance = Callable[[int], object]

#: Single precision holds all whole numbers below this one.
EXACT_BELOW = 2.0**24

# Sums of resamples scatter around the total; beyond this share of the bound it is not worth trying single precision.
_WORTH_TRYING = 0.8
# Wider products are computed in parts that stay in the cache.
_PART_COLUMNS = 1024


class Products:
    """Statistics laid out for matrix products.

    Columns that are the same for all systems, such as lengths of a reference, are multiplied once.

    Parameters
    ----------
    statistics
        Array (..., n_systems, n_units, k) without NaN.

    Attributes
    ----------
    shape
        The leading axes and n_systems.
    whole
        Which of (..., n_systems) have only whole and non-negative statistics, whose sums are exact.
    totals
        Sums over all units, (..., n_systems, k).
    dtype
        Precision in which weights (counts, signs) are wanted.
    """

    def __init__(self, statistics: NDArray[Any]) -> None:
        *shape, n_units, k = statistics.shape
        self.shape = tuple(shape)
        self._statistics = np.asarray(statistics, dtype=np.float64).reshape(-1, shape[-1], n_units, k)
        self.totals: NDArray[np.float64] = (np.ones(n_units) @ self._statistics).reshape(*shape, k)
        self.whole: NDArray[np.bool_] = np.array(
            [bool((np.rint(rows) == rows).all() and rows.min(initial=0) >= 0) for rows in self._each_system()]
        ).reshape(shape)
        self._shared = self._shared_columns()
        self._own = np.delete(np.arange(k), self._shared)
        single = self.whole.all() and (self.totals < _WORTH_TRYING * EXACT_BELOW).all()
        self.dtype: type[np.floating[Any]] = np.float32 if single else np.float64
        step = max(1, _PART_COLUMNS // max(shape[-1] * len(self._own) + len(self._shared), 1))
        self._parts = [slice(first, first + step) for first in range(0, len(self._statistics), step)]
        self._matrices = self._lay_out(self.dtype)

    def _each_system(self) -> Iterable[NDArray[np.float64]]:
        return (rows for block in self._statistics for rows in block)

    def _shared_columns(self) -> NDArray[np.int64]:
        """Numbers of the columns in which all systems agree on every unit."""
        if self.shape[-1] == 1:
            return np.zeros(0, dtype=np.int64)
        # Columns with different sums need no closer look.
        sums = self.totals.reshape(len(self._statistics), self.shape[-1], -1)
        candidates = np.flatnonzero((sums == sums[:, :1]).all(axis=(0, 1)))
        same = [column for column in candidates if self._is_shared(int(column))]
        return np.array(same, dtype=np.int64)

    def _is_shared(self, column: int) -> bool:
        return all(bool((block[1:, :, column] == block[:1, :, column]).all()) for block in self._statistics)

    def _lay_out(self, dtype: type[np.floating[Any]]) -> list[NDArray[Any]]:
        """A matrix (n_units, columns) per part: for each leading position the systems' own columns, then the shared."""
        _, n_systems, n_units, _ = self._statistics.shape
        width = n_systems * len(self._own) + len(self._shared)
        matrices = []
        for part in self._parts:
            blocks = self._statistics[part]
            matrix = np.empty((n_units, len(blocks), width), dtype=dtype)
            for number, block in enumerate(blocks):
                for place, column in enumerate(self._own):
                    matrix[:, number, place : n_systems * len(self._own) : len(self._own)] = block[:, :, column].T
                matrix[:, number, n_systems * len(self._own) :] = block[0][:, self._shared]
            matrices.append(matrix.reshape(n_units, -1))
        return matrices

    @functools.cached_property
    def _double_matrices(self) -> list[NDArray[Any]]:
        return self._lay_out(np.float64)

    def parts(self, weights: NDArray[Any], *, shared: bool = True) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Weighted sums of the statistics for every row of weights, a few leading positions at a time.

        Parameters
        ----------
        weights
            Non-negative whole numbers, (rows, n_units).
        shared
            Whether to fill in the columns that are the same for all systems; else they are zero.

        Yields
        ------
        positions : slice
            Which of the leading positions, counted through if there are several leading axes.
        sums : numpy.ndarray
            Their sums (rows, positions, n_systems, k); single precision only if all are exact in it.
        """
        weights = weights.astype(self.dtype, copy=False)
        for number, part in enumerate(self._parts):
            sums = self._multiply(weights, self._matrices[number], shared=shared)
            # All terms are non-negative, so a sum below the bound had no partial sum beyond it either.
            if self.dtype is np.float32 and sums.max(initial=0) >= EXACT_BELOW:
                sums = self._multiply(weights.astype(np.float64), self._double_matrices[number], shared=shared)
            yield part, sums

    def sums(self, weights: NDArray[Any], *, shared: bool = True) -> NDArray[Any]:
        """All sums at once, (rows, ..., n_systems, k); see `parts`."""
        parts = [sums for _, sums in self.parts(weights, shared=shared)]
        whole = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
        return whole.reshape(len(weights), *self.shape, whole.shape[-1])

    def _multiply(self, weights: NDArray[Any], matrix: NDArray[Any], *, shared: bool) -> NDArray[Any]:
        n_systems, k, n_own = self.shape[-1], self._statistics.shape[-1], len(self._own)
        width = n_systems * n_own + len(self._shared)
        rows, n_blocks = len(weights), matrix.shape[1] // width
        if not shared and n_blocks == 1:
            matrix = matrix[:, : n_systems * n_own]
        product: NDArray[Any] = (weights @ matrix).reshape(rows, n_blocks, -1)
        if not len(self._shared):
            return product.reshape(rows, n_blocks, n_systems, k)
        sums = np.zeros((rows, n_blocks, n_systems, k), dtype=weights.dtype)
        sums[..., self._own] = product[..., : n_systems * n_own].reshape(rows, n_blocks, n_systems, n_own)
        if shared:
            sums[..., self._shared] = product[:, :, None, n_systems * n_own :]
        return sums


def each_block(
    blocks: Iterable[NDArray[Any]],
    work: Callable[[int, NDArray[Any]], None],
    *,
    threads: int = 1,
    progress: Advance | None = None,
) -> int:
    """Call `work` with the first row number of every block and the block itself.

    The blocks are made one after the other by the calling thread, ahead of the threads that work on them; only a few
    exist at a time. The linear algebra library is held to one thread meanwhile, since its own threads get in the way
    of ours on products as small as these.

    Parameters
    ----------
    blocks
        Arrays whose first axis counts resamples or trials.
    work
        Does not depend on the order of the calls, and writes to places of its own.
    threads
        How many threads work.
    progress
        Is told the number of rows of every finished block.

    Returns
    -------
    int
        Number of rows of all blocks.
    """

    def finish(pending: Future[None], rows: int) -> None:
        pending.result()
        if progress is not None:
            progress(rows)

    start = 0
    with _single_threaded_blas(), ThreadPoolExecutor(max_workers=max(threads, 1)) as pool:
        waiting: deque[tuple[Future[None], int]] = deque()
        for block in blocks:
            if threads > 1:
                waiting.append((pool.submit(work, start, block), len(block)))
                if len(waiting) > threads:
                    finish(*waiting.popleft())
            else:
                work(start, block)
                if progress is not None:
                    progress(len(block))
            start += len(block)
        while waiting:
            finish(*waiting.popleft())
    return start


def _single_threaded_blas() -> AbstractContextManager[Any]:
    limits: AbstractContextManager[Any] = _thread_pools().limit(limits=1, user_api="blas")
    return limits


@functools.cache
def _thread_pools() -> Any:
    """The libraries with thread pools of their own that numpy has loaded."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
