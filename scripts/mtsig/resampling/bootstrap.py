"""Bootstrap replicates of corpus scores: the score of the summed statistics of every resample.

The replicates of all systems come from the same draws, so differences between systems are paired (Koehn 2004).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtsig import kernels
from mtsig.resampling.draws import block_rows, draw_counts
from mtsig.resampling.pairs import p_sacrebleu_bootstrap
from mtsig.resampling.products import EXACT_BELOW, Advance, Products, each_block
from mtsig.resampling.scorer import Scorer

__all__ = ["SacrebleuReplicates", "bootstrap_replicates", "bootstrap_with_sacrebleu", "sacrebleu_replicates"]

FloatArray = NDArray[np.float64]

# Replicates of so many pairs' differences are held at a time.
_PAIRS_AT_ONCE = 64


def bootstrap_replicates(
    statistics: NDArray[Any],
    score_function: Callable[[Any], Any],
    counts: Iterable[NDArray[Any]],
    *,
    threads: int = 1,
    progress: Advance | None = None,
) -> FloatArray:
    """Scores of all systems on all resamples.

    Parameters
    ----------
    statistics
        Array (..., n_systems, n_units, k) without NaN. Leading axes are, for example, subsets of one size, which
        then share the draws.
    score_function
        From sums (..., k) in double precision to scores (...), such as `Metric.corpus_scores`.
    counts
        Blocks (block, n_units) of draw counts, such as `draw_counts` gives; or an enumeration of all resamples.
    threads
        How many threads work; the result does not depend on it.
    progress
        Is told how many more resamples are done.

    Returns
    -------
    numpy.ndarray
        Replicates (..., n_systems, n_resamples).

    Examples
    --------
    >>> statistics = np.array([[[1.0, 1.0], [0.0, 1.0], [0.0, 1.0]]])  # one system, three segments: value and number
    >>> def mean(sums):
    ...     return sums[..., 0] / sums[..., 1]
    >>> bootstrap_replicates(statistics, mean, draw_counts(0, 3, 4)).round(2).tolist()
    [[0.0, 1.0, 1.0, 0.0]]
    """
    products = Products(statistics)
    found: dict[int, FloatArray] = {}

    def work(start: int, block: NDArray[Any]) -> None:
        scores = [score_function(sums.astype(np.float64, copy=False)) for _, sums in products.parts(block)]
        found[start] = np.concatenate([np.moveaxis(part, 0, -1) for part in scores])

    each_block(counts, work, threads=threads, progress=progress)
    replicates = np.concatenate([found[start] for start in sorted(found)], axis=-1)
    return replicates.reshape(*products.shape, -1)


@dataclass(frozen=True)
class SacrebleuReplicates:
    """Replicates as sacreBLEU computes them, in single precision.

    Attributes
    ----------
    scores
        Array (..., n_systems, n_resamples) in double precision, holding the values that sacreBLEU has.
    double
        Whether sacreBLEU's array of a system's replicates is double precision, (..., n_systems).
    """

    scores: FloatArray
    double: NDArray[np.bool_]

    def p_values(self, pairs: NDArray[np.int64], observed: FloatArray) -> FloatArray:
        """SacreBLEU's p of the paired bootstrap for pairs of systems, each in the precision that numpy gives it.

        Parameters
        ----------
        pairs
            Numbers of the two systems of every pair, (n_pairs, 2); the replicates have no leading axes here.
        observed
            Differences of the corpus scores, (n_pairs,).

        Returns
        -------
        numpy.ndarray
            Shape (n_pairs,).
        """
        p_values = np.empty(len(pairs))
        double = self.double[pairs].any(axis=1)
        for dtype, members in ((np.float64, np.flatnonzero(double)), (np.float32, np.flatnonzero(~double))):
            if not len(members):
                continue
            scores = self.scores.astype(dtype, copy=False)
            for part in np.array_split(members, -(-len(members) // _PAIRS_AT_ONCE)):
                first, second = pairs[part].T
                p_values[part] = p_sacrebleu_bootstrap(scores[first], scores[second], observed[part])
        return p_values


def bootstrap_with_sacrebleu(
    statistics: FloatArray,
    metric: Scorer,
    *,
    seed: int,
    n_resamples: int,
    threads: int = 1,
    progress: Advance | None = None,
) -> tuple[FloatArray, SacrebleuReplicates | None]:
    """Replicates of a metric's scores, ours in double precision and sacreBLEU's, from the same sums.

    Parameters
    ----------
    statistics
        Array (..., n_systems, n_units, k) without NaN.
    metric
        What computes scores from sums.
    seed, n_resamples
        Of the draws.
    threads, progress
        As in `bootstrap_replicates`.

    Returns
    -------
    replicates : numpy.ndarray
        Array (..., n_systems, n_resamples).
    sacrebleu : SacrebleuReplicates or None
        None if sacreBLEU lacks the metric.
    """
    if metric.sacrebleu_scores(np.zeros((1, statistics.shape[-1]), dtype=np.float32)) is None:
        counts = draw_counts(seed, statistics.shape[-2], n_resamples)
        return bootstrap_replicates(statistics, metric.corpus_scores, counts, threads=threads, progress=progress), None
    ours = np.empty((*statistics.shape[:-2], n_resamples))
    theirs = sacrebleu_replicates(
        statistics, metric, seed=seed, n_resamples=n_resamples, threads=threads, progress=progress, ours=ours
    )
    return ours, theirs


def sacrebleu_replicates(
    statistics: FloatArray,
    metric: Scorer,
    *,
    seed: int,
    n_resamples: int,
    threads: int = 1,
    progress: Advance | None = None,
    ours: FloatArray | None = None,
) -> SacrebleuReplicates:
    """Replicates in sacreBLEU's arithmetic only, for a metric that it has.

    Parameters
    ----------
    statistics, metric, seed, n_resamples, threads, progress
        As in `bootstrap_with_sacrebleu`.
    ours
        Array to be filled with our replicates, (..., n_systems, n_resamples).
    """
    products = Products(statistics)
    n_systems, n_units, k = statistics.shape[-3:]
    scores = np.empty((products.totals.size // (n_systems * k), n_systems, n_resamples))
    our_scores = None if ours is None else ours.reshape(scores.shape)
    double = np.zeros(scores.shape[:-1], dtype=bool)
    exact = products.whole.reshape(double.shape).copy()

    def work(start: int, block: NDArray[Any]) -> None:
        rows = slice(start, start + len(block))
        for part, sums in products.parts(block):
            if our_scores is not None:
                our_scores[part, :, rows] = np.moveaxis(metric.corpus_scores(sums), 0, -1)
            single = sums.astype(np.float32, copy=False)
            scores[part, :, rows] = np.moveaxis(np.asarray(metric.sacrebleu_scores(single)), 0, -1)
            # Flags only ever change one way, so threads cannot undo each other's.
            double[part][metric.sacrebleu_doubles(single).any(axis=0)] = True
            if single is not sums:
                exact[part][(sums >= EXACT_BELOW).any(axis=(0, -1))] = False

    counts = draw_counts(seed, n_units, n_resamples, dtype=products.dtype)
    each_block(counts, work, threads=threads, progress=progress)
    rows_of = statistics.reshape(*double.shape, n_units, k)
    for system in zip(*np.nonzero(~exact), strict=True):
        sequential = _sequential_sums(rows_of[system], seed=seed, n_resamples=n_resamples)
        scores[system] = np.asarray(metric.sacrebleu_scores(sequential))
        double[system] = metric.sacrebleu_doubles(sequential).any()
    return SacrebleuReplicates(scores.reshape(*products.shape, -1), double.reshape(products.shape))


def _sequential_sums(statistics: FloatArray, *, seed: int, n_resamples: int) -> NDArray[np.float32]:
    """Sums of every resample as sacreBLEU adds them: row by row, in the order of the draws, in single precision."""
    single = np.ascontiguousarray(statistics, dtype=np.float32)
    sums = np.empty((n_resamples, single.shape[1]), dtype=np.float32)
    rng = np.random.default_rng(seed)
    step = block_rows(len(single))
    for start in range(0, n_resamples, step):
        kernels.sequential_sums(rng, single, sums[start : start + step])
    return sums
