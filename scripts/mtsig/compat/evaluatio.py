"""Evaluatio's two functions about BLEU, with its signatures and definitions, and a seed.

Evaluatio draws without a seed, so its numbers differ from run to run; these repeat.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mtsig.corpus.model import EvaluationSet
from mtsig.errors import ConfigError, InputError
from mtsig.metrics import create_metric
from mtsig.metrics.arithmetic import bleu
from mtsig.resampling.draws import draw_counts
from mtsig.resampling.pairs import TOLERANCE, count_signs, p_one_sided

__all__ = ["ScoreInterval", "bleu_bootstrap_test", "bleu_ci"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class ScoreInterval:
    """An interval with the score that it belongs to.

    Attributes
    ----------
    mean
        The score of the original corpus (not the mean of the resamples, in spite of its name).
    lower, upper
        Limits.
    """

    mean: float
    lower: float
    upper: float


def bleu_ci(
    references: Sequence[Sequence[str]],
    hypotheses: Sequence[str],
    iterations: int = 1000,
    alpha: float = 0.05,
    *,
    seed: int = 12345,
) -> ScoreInterval:
    """Bootstrap interval of corpus BLEU with effective order, as Evaluatio's function of that name.

    Parameters
    ----------
    references
        For every segment its references, (n_segments, n_references).
    hypotheses
        (n_segments,).
    iterations
        Number of resamples.
    alpha
        1 minus the confidence level, between 0 and 1.
    seed
        Of the draws.

    Returns
    -------
    ScoreInterval
        The limits are the sorted replicates at floor(alpha/2 (N-1)) and ceil((1-alpha/2) (N-1)), counted from 0; they
        differ by one place from the intervals of the rest of mtsig.

    Raises
    ------
    ConfigError, InputError
        If there is nothing to draw, the lengths differ, or alpha is not between 0 and 1 (ValueErrors).

    Examples
    --------
    >>> ci = bleu_ci([["He wrote a short letter."], ["It is free."]], ["He wrote a letter.", "It is free."], 99)
    >>> ci.lower <= ci.mean <= ci.upper
    True
    """
    if not 0 < alpha < 1:
        raise ConfigError(f"alpha: expected a number between 0 and 1, found {alpha}.")
    columns = _statistics(references, hypotheses)
    replicates = np.sort(_replicates(columns, iterations, seed))
    low, high = math.floor(alpha / 2 * (iterations - 1)), math.ceil((1 - alpha / 2) * (iterations - 1))
    return ScoreInterval(
        mean=float(_bleu(columns.sum(axis=0))),
        lower=float(replicates[low]),
        upper=float(replicates[high]),
    )


def bleu_bootstrap_test(
    references: Sequence[Sequence[str]],
    hypotheses1: Sequence[str],
    hypotheses2: Sequence[str],
    iterations: int = 1000,
    *,
    seed: int = 12345,
) -> float:
    """One-sided p of the paired bootstrap of BLEU, as Evaluatio's function of that name.

    Parameters
    ----------
    references
        For every segment its references, (n_segments, n_references).
    hypotheses1, hypotheses2
        Outputs of the two systems, (n_segments,).
    iterations
        Number of resamples.
    seed
        Of the draws.

    Returns
    -------
    float
        (c + 1) / (iterations + 1), where c counts the resamples in which the system that is worse on the whole corpus
        is at least as good as the other. It is one-sided: under a true null it is below 0.05 in about 11% of cases.

    Raises
    ------
    ConfigError, InputError
        If there is nothing to draw or the lengths differ (ValueErrors).

    Examples
    --------
    >>> bleu_bootstrap_test([["It is free."]] * 20, ["It is free."] * 20, ["It is free."] * 20, 99)
    1.0
    """
    columns = [_statistics(references, hypotheses) for hypotheses in (hypotheses1, hypotheses2)]
    first, second = (_replicates(rows, iterations, seed) for rows in columns)
    observed = _bleu(columns[0].sum(axis=0)) - _bleu(columns[1].sum(axis=0))
    tolerance = 100 * TOLERANCE
    return float(p_one_sided(count_signs(first - second, tolerance=tolerance), observed, tolerance=tolerance))


def _statistics(references: Sequence[Sequence[str]], hypotheses: Sequence[str]) -> FloatArray:
    """BLEU statistics of every segment, (n_segments, 10)."""
    if not references:
        raise InputError("references: at least one segment is needed.")
    if len(references) != len(hypotheses):
        raise InputError(f"references has {len(references)} segments, hypotheses {len(hypotheses)}: give one for one.")
    width = max(map(len, references))
    by_reference = {
        str(number): tuple(row[number] if number < len(row) else None for row in references) for number in range(width)
    }
    nothing = (None,) * len(references)
    ids = tuple(map(str, range(len(references))))
    evaluation = EvaluationSet(
        "segments", "und-und", ids, nothing, nothing, nothing, by_reference, {"system": tuple(hypotheses)}
    )
    columns = create_metric("bleu", {"kind": "bleu"}, "und-und").statistics(evaluation)["system"]
    if np.isnan(columns).any():
        row = int(np.flatnonzero(np.isnan(columns).any(axis=1))[0])
        raise InputError(f"references[{row}]: a segment needs at least one reference.")
    return columns


def _bleu(sums: FloatArray) -> FloatArray:
    return bleu(sums, effective_order=True)


def _replicates(columns: FloatArray, iterations: int, seed: int) -> FloatArray:
    """BLEU of every resample, (iterations,)."""
    return np.concatenate(
        [_bleu(counts @ columns) for counts in draw_counts(seed, len(columns), iterations, dtype=np.float64)]
    )
