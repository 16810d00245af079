"""What every metric is: sufficient statistics per segment, and the score of their sum.

Corpus scores are never means of segment scores (except for mean-type metrics, where both are the same). A metric
turns an evaluation set into one vector of statistics per system and segment; resampling adds such vectors up and
hands the sums back to `Metric.corpus_scores`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mtsig.kernels.formulas import Formula
from mtsig.metrics.cautions import Cautions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mtsig.corpus.model import EvaluationSet

__all__ = ["Mean", "MeanMetric", "Metric", "Quotient", "divide", "reference_count"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Metric(ABC):
    """A metric with fixed options. Immutable; one instance serves any number of evaluation sets.

    Attributes
    ----------
    key
        The metric's name in the configuration, in paths and in tables.
    kind
        What it is, one of `mtsig.metrics.catalog.KINDS`.
    higher_is_better
        The direction; None for a metric without one (such as the length ratio), for which nothing wins.
    scale
        100.0 or 1.0: the size of a good score. Scores that differ by at most 1e-9 of it are tied.
    statistic_names
        Names of the sufficient statistics, in the order of the arrays' last axis.
    """

    key: str
    kind: str
    higher_is_better: bool | None
    scale: float
    statistic_names: tuple[str, ...]

    @abstractmethod
    def signature(self, n_references: int | str) -> str:
        """What fixes the scores: options and versions. `n_references` is "var" where it differs by segment."""

    @abstractmethod
    def statistics(self, evaluation: EvaluationSet, *, threads: int = 1) -> dict[str, FloatArray]:
        """Sufficient statistics of every system and segment.

        Parameters
        ----------
        evaluation
            The texts.
        threads
            How many threads may work on it; the numbers do not depend on it.

        Returns
        -------
        dict
            System name to an array (n_segments, n_statistics). A row is NaN where the hypothesis or every reference
            that the metric needs is missing.
        """

    @abstractmethod
    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        """Score of single segments from statistics (..., n_statistics); NaN where it is undefined."""

    @abstractmethod
    def corpus_scores(self, sums: FloatArray) -> FloatArray:
        """Scores from sums of `columns` over segments, shape (..., n_columns) to (...); NaN where undefined."""

    def columns(self, statistics: FloatArray) -> FloatArray:
        """The columns to be summed over segments: the statistics, and what else a corpus score needs."""
        return statistics

    @property
    def word_tokenizer(self) -> str | None:
        """The tokenizer that takes texts apart into words, as `tokenize` says; None for a metric without words."""
        return getattr(self, "tokenize", None)

    def cautions(self, evaluation: EvaluationSet, statistics: Mapping[str, FloatArray]) -> Cautions:
        """Flags for texts on which the metric's scores mean less than they seem to; `statistics` are those of them."""
        del evaluation, statistics
        return Cautions()

    def sacrebleu_scores(self, sums: NDArray[Any]) -> NDArray[Any] | None:
        """Scores in sacreBLEU's own arithmetic and in the precision of `sums`; None if sacreBLEU lacks the metric."""
        return None

    def sacrebleu_doubles(self, sums: NDArray[Any]) -> NDArray[np.bool_]:
        """For which of `sums` sacreBLEU's score is a Python float even if the sums are float32.

        One such score makes an array of replicates double precision, in which its bootstrap test then computes.
        """
        return np.ones(sums.shape[:-1], dtype=bool)

    @property
    def formula(self) -> Formula | None:
        """How the compiled kernels compute `corpus_scores`; None if they cannot."""
        return None

    @property
    def sacrebleu_formula(self) -> Formula | None:
        """How they compute `sacrebleu_scores` of sums in double precision."""
        return self.formula

    def corpus_score(self, statistics: FloatArray) -> float:
        """Corpus score of the segments that have statistics, from an array (n_segments, n_statistics).

        Missing segments (NaN rows) are left out. NaN where the score is undefined, and where all are missing.
        """
        columns = self.columns(statistics)
        present = ~np.isnan(columns).any(axis=-1)
        if not present.any():
            return float("nan")
        return float(self.corpus_scores(columns[present].sum(axis=0)))


class Quotient:
    """The arithmetic of scores that are one sum over another."""

    def corpus_scores(self, sums: FloatArray) -> FloatArray:
        """The first sum over the second; NaN where that is 0."""
        sums = np.asarray(sums, dtype=np.float64)
        return divide(sums[..., 0], sums[..., 1])

    @property
    def formula(self) -> Formula:
        """A quotient of two sums."""
        return Formula("ratio")


class Mean(Quotient):
    """The arithmetic of means: the values that are summed carry a column of ones, so that a sum knows their number."""

    def columns(self, statistics: FloatArray) -> FloatArray:
        """The values (n, 1) and a column of ones; both NaN where the value is missing."""
        values = np.asarray(statistics, dtype=np.float64)[..., 0]
        return np.stack([values, np.where(np.isnan(values), np.nan, 1.0)], axis=-1)


@dataclass(frozen=True, kw_only=True)
class MeanMetric(Mean, Metric):
    """A metric whose corpus score is the mean of its segment scores; its one statistic is called ``value``."""

    statistic_names: tuple[str, ...] = field(default=("value",), init=False)

    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        """The values themselves, (..., 1) to (...)."""
        return np.asarray(statistics, dtype=np.float64)[..., 0]


def divide(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """`numerator / denominator`, NaN where the denominator is zero, without warnings."""
    defined = denominator != 0
    quotient: FloatArray = np.true_divide(numerator, np.where(defined, denominator, 1.0))
    return np.where(defined, quotient, np.nan)


def reference_count(evaluation: EvaluationSet) -> int | str:
    """How many references the segments have: a number, or "var" where it differs (as in sacreBLEU's signatures).

    Segments without any reference are not scored and do not count.
    """
    counts = {sum(text is not None for text in texts) for texts in zip(*evaluation.references.values(), strict=True)}
    counts.discard(0)
    if len(counts) > 1:
        return "var"
    return counts.pop() if counts else 0
