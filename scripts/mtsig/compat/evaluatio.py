"""Evaluatio's two functions about BLEU, with its signatures and definitions, and a seed.

Evaluatio draws without a seed, so its numbers differ from run to run; these repeat. Texts may stand in any ordered
collection: lists, tuples, numpy arrays, columns of pandas, Polars and Arrow.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any

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
    references: Iterable[Iterable[str | None]],
    hypotheses: Iterable[str],
    iterations: int = 1000,
    alpha: float = 0.05,
    effective_order: bool = True,
    *,
    seed: int = 12345,
) -> ScoreInterval:
    """Bootstrap interval of corpus BLEU, as Evaluatio's function of that name.

    Parameters
    ----------
    references
        For every segment its references, (n_segments, n_references); None for one that a segment lacks.
    hypotheses
        (n_segments,).
    iterations
        Number of resamples.
    alpha
        1 minus the confidence level, between 0 and 1.
    effective_order
        Whether orders without any n-gram are left out of the mean. (The package leaves them out whatever this says.)
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
    TypeError
        If an argument has another shape, such as one text per segment where lists of references are due.

    Examples
    --------
    >>> ci = bleu_ci([["He wrote a short letter."], ["It is free."]], ["He wrote a letter.", "It is free."], 99)
    >>> ci.lower <= ci.mean <= ci.upper
    True
    """
    if not 0 < alpha < 1:
        raise ConfigError(f"alpha: expected a number between 0 and 1, found {alpha}.")
    columns = _statistics(_references(references), _texts(hypotheses, "hypotheses"))
    replicates = np.sort(_replicates(columns, iterations, seed, effective_order))
    low, high = math.floor(alpha / 2 * (iterations - 1)), math.ceil((1 - alpha / 2) * (iterations - 1))
    return ScoreInterval(
        mean=float(bleu(columns.sum(axis=0), effective_order=effective_order)),
        lower=float(replicates[low]),
        upper=float(replicates[high]),
    )


def bleu_bootstrap_test(
    references: Iterable[Iterable[str | None]],
    hypotheses1: Iterable[str],
    hypotheses2: Iterable[str],
    iterations: int = 1000,
    effective_order: bool = True,
    *,
    seed: int = 12345,
) -> float:
    """One-sided p of the paired bootstrap of BLEU, as Evaluatio's function of that name.

    Parameters
    ----------
    references
        For every segment its references, (n_segments, n_references); None for one that a segment lacks.
    hypotheses1, hypotheses2
        Outputs of the two systems, (n_segments,).
    iterations
        Number of resamples.
    effective_order
        Whether orders without any n-gram are left out of the mean.
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
    TypeError
        If an argument has another shape, such as one text per segment where lists of references are due.

    Examples
    --------
    >>> bleu_bootstrap_test([["It is free."]] * 20, ["It is free."] * 20, ["It is free."] * 20, 99)
    1.0
    """
    rows = _references(references)
    columns = [
        _statistics(rows, _texts(hypotheses, name))
        for name, hypotheses in (("hypotheses1", hypotheses1), ("hypotheses2", hypotheses2))
    ]
    first, second = (_replicates(each, iterations, seed, effective_order) for each in columns)
    scores = [bleu(each.sum(axis=0), effective_order=effective_order) for each in columns]
    tolerance = 100 * TOLERANCE
    return float(
        p_one_sided(count_signs(first - second, tolerance=tolerance), scores[0] - scores[1], tolerance=tolerance)
    )


def _references(references: Iterable[Iterable[str | None]]) -> list[list[str | None]]:
    """References per segment, from any collection of collections; None where a segment lacks one."""
    rows: list[list[str | None]] = []
    for number, row in enumerate(_items(references, "references", "lists of references, one list per segment")):
        name = f"references[{number}]"
        rows.append(
            [
                # What frames and arrays put where a row is shorter than others.
                None if text is None or (isinstance(text, float) and math.isnan(text)) else _text(text, f"{name}[{at}]")
                for at, text in enumerate(_items(row, name, "a list of references"))
            ]
        )
    return rows


def _texts(texts: Iterable[str], name: str) -> list[str]:
    return [_text(text, f"{name}[{number}]") for number, text in enumerate(_items(texts, name, "texts"))]


def _items(values: Any, name: str, due: str) -> Collection[Any]:
    """The members of any ordered collection; a text, whose members are characters, is none."""
    if hasattr(values, "to_pylist"):  # Arrow's members are no Python objects
        items: Collection[Any] = values.to_pylist()
        return items
    if getattr(values, "ndim", 1) == 2:  # a frame's members are the names of its columns
        return list(np.asarray(values, dtype=object).tolist())
    if isinstance(values, str | bytes | Mapping | Set) or not isinstance(values, Iterable):
        shown = repr(values) if isinstance(values, str) else type(values).__name__
        raise TypeError(f"{name}: expected {due}, found {shown[:60]}.")
    return list(values)


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a text, found {type(value).__name__}.")
    return str(value)


def _statistics(references: list[list[str | None]], hypotheses: list[str]) -> FloatArray:
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


def _replicates(columns: FloatArray, iterations: int, seed: int, effective_order: bool) -> FloatArray:
    """BLEU of every resample, (iterations,)."""
    return np.concatenate(
        [
            bleu(counts @ columns, effective_order=effective_order)
            for counts in draw_counts(seed, len(columns), iterations, dtype=np.float64)
        ]
    )
