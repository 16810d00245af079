"""What resampling asks of a metric, and the one metric that it can make itself: a mean of given scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mtsig.kernels.formulas import Formula
from mtsig.metrics.base import Mean

__all__ = ["MeanScorer", "Scorer", "score_rows"]


class Scorer(Protocol):
    """The part of `mtsig.metrics.base.Metric` that turns statistics into scores; see there."""

    @property
    def statistic_names(self) -> tuple[str, ...]:
        """Names of the sufficient statistics."""

    @property
    def higher_is_better(self) -> bool | None:
        """The direction, None for a metric without one."""

    @property
    def scale(self) -> float:
        """The size of a good score."""

    @property
    def formula(self) -> Formula | None:
        """How the compiled kernels compute `corpus_scores`."""

    @property
    def sacrebleu_formula(self) -> Formula | None:
        """How they compute `sacrebleu_scores` of sums in double precision."""

    def columns(self, statistics: NDArray[np.float64], /) -> NDArray[np.float64]:
        """What is summed over segments."""

    def corpus_scores(self, sums: NDArray[Any], /) -> NDArray[np.float64]:
        """Scores of sums."""

    def sacrebleu_scores(self, sums: NDArray[Any], /) -> NDArray[Any] | None:
        """Scores of sums in sacreBLEU's arithmetic."""

    def sacrebleu_doubles(self, sums: NDArray[Any], /) -> NDArray[np.bool_]:
        """For which sums sacreBLEU's score is double precision even in its bootstrap."""


@dataclass(frozen=True, kw_only=True)
class MeanScorer(Mean):
    """Scores that are averaged, wherever they came from.

    Attributes
    ----------
    higher_is_better
        The direction.
    scale
        The size of a good score: differences within 1e-9 of it are ties.
    statistic_names
        The one statistic.
    """

    higher_is_better: bool | None
    scale: float = 1.0
    statistic_names: tuple[str, ...] = ("value",)

    @property
    def sacrebleu_formula(self) -> None:
        """No metric of sacreBLEU's."""
        return

    def sacrebleu_scores(self, sums: NDArray[Any], /) -> None:
        """SacreBLEU has no such metric."""
        del sums

    def sacrebleu_doubles(self, sums: NDArray[Any], /) -> NDArray[np.bool_]:
        """Does not arise."""
        return np.ones(np.shape(sums)[:-1], dtype=bool)


def score_rows(rows: NDArray[np.float64], scorer: Scorer) -> NDArray[np.float64]:
    """Corpus scores of rows of columns.

    Parameters
    ----------
    rows
        What is summed, (..., n_rows, k).
    scorer
        The metric.

    Returns
    -------
    numpy.ndarray
        Double precision, shape (...). Without any row the score is NaN, whatever the metric makes of empty sums: no
        text has no score, while an empty text has one.

    Examples
    --------
    >>> score_rows(np.array([[1.0, 1.0], [0.0, 1.0]]), MeanScorer(higher_is_better=True))
    array(0.5)
    """
    if rows.shape[-2] == 0:
        return np.full(rows.shape[:-2], np.nan)
    return np.asarray(scorer.corpus_scores(rows.sum(axis=-2)), dtype=np.float64)
