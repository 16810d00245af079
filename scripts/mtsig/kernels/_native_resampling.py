"""The kernels in draws.h and scores.h behind the signatures of their twins: checks, buffers and generator states."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtsig.kernels import _native  # type: ignore[attr-defined]
from mtsig.kernels.formulas import NAMES, SMOOTHING, Formula

__all__ = ["count_swaps", "draw_counts", "score_sums", "sequential_sums", "swap_differences", "swap_signs"]

MAX_COLUMNS = 512  # as in scores.h
_LOW = 2**64 - 1


@contextmanager
def _words(rng: np.random.Generator) -> Iterator[NDArray[np.uint64]]:
    """The generator's state as the words that draws.h reads and writes; handed back to the generator afterwards."""
    state = rng.bit_generator.state
    if state["bit_generator"] != "PCG64":
        raise TypeError(f"rng: expected numpy's PCG64 generator, found {state['bit_generator']}")
    inner = state["state"]
    words = np.array(
        [
            inner["state"] >> 64,
            inner["state"] & _LOW,
            inner["inc"] >> 64,
            inner["inc"] & _LOW,
            state["has_uint32"],
            state["uinteger"],
        ],
        dtype=np.uint64,
    )
    yield words
    high, low, _, _, has_half, half = (int(word) for word in words)
    inner["state"] = high << 64 | low
    rng.bit_generator.state = {**state, "has_uint32": has_half, "uinteger": half}


def _is_single(array: NDArray[Any]) -> bool:
    if array.dtype not in (np.float32, np.float64) or not array.flags.c_contiguous:
        raise TypeError(f"expected a contiguous array of float32 or float64, found {array.dtype}")
    return array.dtype == np.float32


def draw_counts(rng: np.random.Generator, counts: NDArray[Any]) -> None:
    """See `mtsig.kernels._python_resampling.draw_counts`."""
    n = _bounded(counts.shape[1])
    with _words(rng) as words:
        _native.draw_counts(words, n, counts, _is_single(counts))


def swap_signs(rng: np.random.Generator, signs: NDArray[Any]) -> None:
    """See `mtsig.kernels._python_resampling.swap_signs`."""
    with _words(rng) as words:
        _native.swap_signs(words, signs, _is_single(signs))


def sequential_sums(rng: np.random.Generator, statistics: NDArray[np.float32], sums: NDArray[np.float32]) -> None:
    """See `mtsig.kernels._python_resampling.sequential_sums`."""
    n = _bounded(len(statistics))
    if not (_is_single(statistics) and _is_single(sums)) or statistics.shape[1] != sums.shape[1]:
        raise TypeError("statistics and sums: expected float32 arrays of equal width")
    with _words(rng) as words:
        _native.sequential_sums(words, statistics, n, sums)


def _bounded(n: int) -> int:
    if not 0 < n < 2**32:
        raise ValueError(f"number of units: expected 1 to 2**32 - 1, found {n}")
    return n


def _description(formula: Formula) -> tuple[int, int, float, bool, bool, bool, float]:
    """The formula as scores.h reads it."""
    return (
        NAMES.index(formula.name),
        SMOOTHING.index(formula.smoothing),
        formula.smoothing_value,
        formula.effective_order,
        formula.whole_sums,
        sys.version_info >= (3, 12),
        formula.beta**2,
    )


def score_sums(formula: Formula, sums: NDArray[Any]) -> NDArray[np.float64]:
    """Scores of rows of sums, computed in the precision of the sums.

    Parameters
    ----------
    formula
        How a row becomes a score.
    sums
        Array (..., k) of float32 or float64. A row with NaN gives NaN.

    Returns
    -------
    numpy.ndarray
        Shape (...). Double precision, but with the values that single precision gives where the sums are single
        (BLEU ends in double precision all the same, as its logarithms do in sacreBLEU).
    """
    sums = np.ascontiguousarray(sums)
    if sums.shape[-1] > MAX_COLUMNS:
        raise ValueError(f"sums: at most {MAX_COLUMNS} statistics, found {sums.shape[-1]}")
    scores = np.empty(sums.shape[:-1])
    _native.score_sums(_description(formula), sums, sums.shape[-1], _is_single(sums), scores)
    return scores


def swap_differences(
    formula: Formula, products: NDArray[Any], totals: NDArray[np.float64], pairs: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Differences of the two shuffled systems' scores, for every pair and trial.

    Parameters
    ----------
    formula
        How a row of sums becomes a score.
    products
        Sums over the swapped units, (n_trials, n_systems, k), float32 or float64.
    totals
        Sums over all units, (n_systems, k).
    pairs
        System numbers, (n_pairs, 2).

    Returns
    -------
    numpy.ndarray
        Shape (n_pairs, n_trials).
    """
    k = _check(products, totals, pairs)
    differences = np.empty((len(pairs), len(products)))
    _native.swap_differences(_description(formula), products, _is_single(products), totals, k, pairs, differences)
    return differences


def count_swaps(
    formula: Formula,
    products: NDArray[Any],
    totals: NDArray[np.float64],
    pairs: NDArray[np.int64],
    observed: NDArray[np.float64],
    tolerance: float,
) -> NDArray[np.int64]:
    """Compare the sizes of such differences with those of the observed ones, without keeping them.

    Parameters
    ----------
    formula, products, totals, pairs
        As for `swap_differences`.
    observed
        Observed differences, (n_pairs,).
    tolerance
        Differences within it are equal.

    Returns
    -------
    numpy.ndarray
        For every pair the number of trials whose difference is at least as large as the observed one (or undefined),
        and the number of those whose is larger without regard to the tolerance, (n_pairs, 2).
    """
    k = _check(products, totals, pairs)
    counts = np.empty((len(pairs), 2), dtype=np.int64)
    observed = np.ascontiguousarray(observed, dtype=np.float64)
    if observed.shape != (len(pairs),):
        raise ValueError(f"observed: expected {(len(pairs),)}, found {observed.shape}")
    single = _is_single(products)
    _native.count_swaps(_description(formula), products, single, totals, k, pairs, observed, tolerance, counts)
    return counts


def _check(products: NDArray[Any], totals: NDArray[np.float64], pairs: NDArray[np.int64]) -> int:
    """The number of columns of arrays that belong together."""
    _, n_systems, k = products.shape
    if totals.shape != (n_systems, k) or k > MAX_COLUMNS:
        raise ValueError(f"totals: expected {(n_systems, k)} with at most {MAX_COLUMNS} columns, found {totals.shape}")
    for name, array, dtype in (("totals", totals, np.float64), ("pairs", pairs, np.int64)):
        if array.dtype != dtype or not array.flags.c_contiguous:
            raise TypeError(f"{name}: expected a contiguous array of {np.dtype(dtype)}, found {array.dtype}")
    if len(pairs) and not (pairs.min() >= 0 and pairs.max() < n_systems):
        raise ValueError("pairs: no such system")
    return int(k)
