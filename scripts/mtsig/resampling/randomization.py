"""Approximate randomization: are the two systems' outputs exchangeable, unit by unit?

If neither system is better, swapping their outputs of any segment (or document) changes nothing but chance. The
observed difference is compared with those of random swaps, or of all of them where there are few (Noreen 1989; Riezler
and Maxwell 2005).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtsig import kernels
from mtsig.kernels.formulas import Formula
from mtsig.resampling.pairs import at_least
from mtsig.resampling.products import Advance, Products, each_block

__all__ = ["SwapCounts", "count_swaps", "swap_differences"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class SwapCounts:
    """How many trials have a difference at least as large as the observed one; arrays of shape (n_pairs,).

    Attributes
    ----------
    at_least
        #{|d_swap| >= |d|}, as `mtsig.resampling.pairs.at_least` has it.
    more
        #{|d_swap| > |d|}, strict and without a tolerance, as sacreBLEU counts.
    n_trials
        Number of trials.
    """

    at_least: IntArray
    more: IntArray
    n_trials: int


def count_swaps(
    statistics: NDArray[Any],
    score_function: Callable[[Any], Any],
    pairs: NDArray[np.int64],
    observed: FloatArray,
    signs: Iterable[NDArray[Any]],
    *,
    tolerance: float = 0.0,
    formula: Formula | None = None,
    threads: int = 1,
    progress: Advance | None = None,
) -> SwapCounts:
    """Compare the observed difference of every pair with those of all trials.

    Parameters
    ----------
    statistics
        Array (n_systems, n_units, k) without NaN.
    score_function
        From sums (..., k) to scores (...).
    pairs
        Numbers of the two systems of every pair, (n_pairs, 2).
    observed
        Their differences, first minus second, (n_pairs,).
    signs
        Blocks (block, n_units) of zeros and ones: `mtsig.resampling.draws.swap_signs` or `all_swaps`.
    tolerance
        Differences within it are equal.
    formula
        The same as `score_function` for the compiled kernels, which are used if they are there.
    threads, progress
        As in `mtsig.resampling.bootstrap.bootstrap_replicates`.

    Examples
    --------
    Six differences that sum to -0.2: every way to flip their signs sums to at least 0.2 in size.

    >>> from mtsig.resampling.draws import all_swaps
    >>> values = np.array([[-0.2, 0.0, -0.2, -0.2, 0.2, 0.2], [0.0] * 6])
    >>> statistics = np.stack([values, np.ones_like(values)], axis=-1)
    >>> def mean(sums):
    ...     return sums[..., 0] / sums[..., 1]
    >>> counts = count_swaps(
    ...     statistics, mean, np.array([[0, 1]]), np.array([-0.2 / 6]), all_swaps(6), tolerance=1e-9
    ... )
    >>> int(counts.at_least[0]), counts.n_trials
    (64, 64)
    """
    products = Products(statistics)
    totals = np.ascontiguousarray(products.totals)
    found: list[NDArray[np.int64]] = []

    def work(start: int, block: NDArray[Any]) -> None:
        del start
        kept = products.sums(block, shared=False)
        if kernels.count_swaps is not None and formula is not None:
            found.append(kernels.count_swaps(formula, kept, totals, pairs, observed, tolerance))
            return
        differences = _differences(kept, totals, pairs, score_function)
        extreme = at_least(differences, observed, tolerance=tolerance)
        more = np.abs(differences) > np.abs(observed)[:, None]
        found.append(np.stack([np.count_nonzero(chosen, axis=1) for chosen in (extreme, more)], axis=1))

    n_trials = each_block(signs, work, threads=threads, progress=progress)
    counts: NDArray[np.int64] = np.sum(found, axis=0)
    return SwapCounts(counts[:, 0], counts[:, 1], n_trials)


def swap_differences(
    statistics: NDArray[Any],
    score_function: Callable[[Any], Any],
    pairs: NDArray[np.int64],
    signs: Iterable[NDArray[Any]],
    *,
    formula: Formula | None = None,
    threads: int = 1,
) -> FloatArray:
    """Differences of the two shuffled systems for every pair and trial; arguments as in `count_swaps`.

    Returns
    -------
    numpy.ndarray
        Shape (n_pairs, n_trials).
    """
    products = Products(statistics)
    totals = np.ascontiguousarray(products.totals)
    found: dict[int, FloatArray] = {}

    def work(start: int, block: NDArray[Any]) -> None:
        kept = products.sums(block, shared=False)
        if kernels.swap_differences is not None and formula is not None:
            found[start] = kernels.swap_differences(formula, kept, totals, pairs)
        else:
            found[start] = _differences(kept, totals, pairs, score_function)

    each_block(signs, work, threads=threads)
    return np.concatenate([found[start] for start in sorted(found)], axis=1)


def _differences(
    kept: NDArray[Any], totals: FloatArray, pairs: NDArray[np.int64], score_function: Callable[[Any], Any]
) -> FloatArray:
    """Differences of the two shuffled systems, (n_pairs, n_trials).

    `kept` are sums over the units that the first system of a pair keeps, (n_trials, n_systems, k). They serve all
    pairs, and columns that are the same for all systems cannot move.
    """
    differences = np.empty((len(pairs), len(kept)))
    for number, (first, second) in enumerate(pairs):
        moved = kept[:, first].astype(np.float64) - kept[:, second]
        differences[number] = score_function(moved + totals[second]) - score_function(totals[first] - moved)
    return differences
