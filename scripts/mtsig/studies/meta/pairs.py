"""Agreement over pairs: Kendall's tau in its variants, and pairwise accuracy.

Every statistic here is a function of five numbers of pairs: concordant, discordant, tied only by the human scores,
tied only by the metric, and tied by both. The numbers may be weighted (by draw counts) and come in arrays, so that
all groups of units and all resamples are handled at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mtsig.metrics.base import divide

__all__ = ["PAIR_STATISTICS", "PairCounts", "count_pairs", "merge_equal", "pair_signs", "tau_c_factor"]

Floats = npt.NDArray[np.float64]
Signs = npt.NDArray[np.int8]

_TOLERANCE = 1e-9  # of the largest score: closer scores are equal


@dataclass(frozen=True)
class PairCounts:
    """How many pairs of units agree and disagree, in arrays of any common shape.

    Attributes
    ----------
    concordant, discordant
        Pairs put in the same, or in the opposite, order by the human scores and the metric.
    human_ties, metric_ties, both_ties
        Pairs tied only by the human scores, only by the metric, by both.
    """

    concordant: Floats
    discordant: Floats
    human_ties: Floats
    metric_ties: Floats
    both_ties: Floats

    @property
    def total(self) -> Floats:
        """Number of pairs."""
        return self.concordant + self.discordant + self.human_ties + self.metric_ties + self.both_ties


def merge_equal(scores: npt.ArrayLike) -> Floats:
    """Make scores that differ only by rounding (1e-9 of the largest) exactly equal.

    Sums of the same penalties in another order differ in the last digit (-5.2 and -5.199999999999999); they are ties.

    Parameters
    ----------
    scores
        Scores of any shape; NaN stays NaN.

    Returns
    -------
    numpy.ndarray
        The scores, each replaced by the smallest of its equals.

    Examples
    --------
    >>> merged = merge_equal([-5.2, -5.199999999999999, -5.1])
    >>> bool(merged[0] == merged[1]), bool(merged[1] == merged[2])
    (True, False)
    """
    values = np.asarray(scores, dtype=np.float64)
    present = ~np.isnan(values)
    if not present.any():
        return values
    unique, index = np.unique(values[present], return_inverse=True)
    starts = np.concatenate(([True], np.diff(unique) > _TOLERANCE * np.abs(unique).max()))
    merged = np.full_like(values, np.nan)
    merged[present] = unique[starts][np.cumsum(starts) - 1][index]
    return merged


def pair_signs(first: npt.ArrayLike, second: npt.ArrayLike, *, epsilon: float = 0.0) -> Signs:
    """Sign of the difference of two scores; 0 where they differ by at most `epsilon`, or one is NaN.

    Examples
    --------
    >>> pair_signs([1.0, 2.0, 3.0], [1.0, 1.5, 5.0], epsilon=0.5).tolist()
    [0, 0, -1]
    """
    difference = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    slack = epsilon + _TOLERANCE * max(epsilon, 0.0)
    return (difference > slack).astype(np.int8) - (difference < -slack).astype(np.int8)


def count_pairs(human: npt.ArrayLike, metric: npt.ArrayLike, *, epsilon: float = 0.0) -> PairCounts:
    """Count the pairs of each group of units.

    Parameters
    ----------
    human, metric
        (..., n_units) scores; units with NaN in either take part in no pair.
    epsilon
        The metric's scores tie when they differ by at most this.

    Returns
    -------
    PairCounts
        Arrays of shape (...).

    Examples
    --------
    >>> counts = count_pairs([1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3])
    >>> int(counts.concordant), int(counts.discordant), int(counts.human_ties)
    (6, 3, 1)
    """
    human, metric = merge_equal(human), merge_equal(metric)
    first, second = np.triu_indices(human.shape[-1], 1)
    missing = np.isnan(human) | np.isnan(metric)
    present = ~(missing[..., first] | missing[..., second])
    of_human = pair_signs(human[..., first], human[..., second])
    of_metric = pair_signs(metric[..., first], metric[..., second], epsilon=epsilon)
    return PairCounts(
        *(np.asarray((kind & present).sum(axis=-1), dtype=np.float64) for kind in pair_kinds(of_human, of_metric))
    )


def pair_kinds(of_human: Signs, of_metric: Signs) -> tuple[npt.NDArray[np.bool_], ...]:
    """Which pairs are of which kind, in the order of `PairCounts`, from the signs of their differences."""
    human_tie, metric_tie = of_human == 0, of_metric == 0
    agreement = of_human * of_metric
    return (
        agreement > 0,
        agreement < 0,
        human_tie & ~metric_tie,
        ~human_tie & metric_tie,
        human_tie & metric_tie,
    )


def _tau_b(counts: PairCounts) -> Floats:
    ordered = counts.concordant + counts.discordant
    denominator = np.sqrt((ordered + counts.metric_ties) * (ordered + counts.human_ties))
    return divide(counts.concordant - counts.discordant, denominator)


#: Statistic to its formula. `kendall_10`, `_13` and `_14` are the variants of the WMT metrics tasks of those years;
#: `acc_eq` and `kendall_eq` (Deutsch, Foster and Freitag 2023) credit a metric for ties that the human scores have.
#: `kendall_c` is `kendall_a` times `tau_c_factor`.
PAIR_STATISTICS: dict[str, Callable[[PairCounts], Floats]] = {
    "kendall_a": lambda c: divide(c.concordant - c.discordant, c.total),
    "kendall_b": _tau_b,
    "kendall_c": lambda c: divide(c.concordant - c.discordant, c.total),
    "kendall_10": lambda c: divide(
        c.concordant - c.discordant - c.metric_ties, c.concordant + c.discordant + c.metric_ties
    ),
    "kendall_13": lambda c: divide(c.concordant - c.discordant, c.concordant + c.discordant),
    "kendall_14": lambda c: divide(c.concordant - c.discordant, c.concordant + c.discordant + c.metric_ties),
    "kendall_eq": lambda c: divide(c.concordant + c.both_ties - c.discordant - c.human_ties - c.metric_ties, c.total),
    "acc_eq": lambda c: divide(c.concordant + c.both_ties, c.total),
    "pairwise_accuracy": lambda c: divide(c.concordant + c.both_ties, c.total),
    "pairwise_accuracy_untied": lambda c: divide(c.concordant, c.concordant + c.discordant + c.metric_ties),
}


def tau_c_factor(human: npt.ArrayLike, metric: npt.ArrayLike) -> Floats:
    """What Stuart's tau-c multiplies tau-a by: (N - 1) / N * m / (m - 1), m the smaller number of distinct scores.

    Parameters
    ----------
    human, metric
        (..., n_units) scores; units with NaN in either do not count.

    Returns
    -------
    numpy.ndarray
        Factors of shape (...); NaN where one side is constant.

    Examples
    --------
    >>> round(float(0.3 * tau_c_factor([1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3])), 12)
    0.32
    """
    human, metric = merge_equal(human), merge_equal(metric)
    missing = np.isnan(human) | np.isnan(metric)
    units = (~missing).sum(axis=-1)
    distinct = np.minimum(*(_distinct(np.where(missing, np.nan, scores)) for scores in (human, metric)))
    defined = (distinct > 1) & (units > 1)
    factor = (units - 1) / np.maximum(units, 1) * distinct / np.maximum(distinct - 1, 1)
    return np.where(defined, factor, np.nan)


def _distinct(scores: Floats) -> npt.NDArray[np.intp]:
    """Number of different values along the last axis, NaN left out."""
    ordered = np.sort(scores, axis=-1)  # NaN comes last
    fresh = np.diff(ordered, axis=-1) > 0
    return np.asarray(fresh.sum(axis=-1) + ~np.isnan(ordered[..., 0]))
