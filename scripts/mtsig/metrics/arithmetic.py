"""Scores from sums of statistics, in sacreBLEU's own order of operations.

Every function works on the last axis and over any leading axes, and in the precision of its input: sums in double
give sacreBLEU's corpus scores to the last bit, sums in single precision give what its bootstrap computes from
float32 statistics. Rows with NaN give NaN.

The last bit depends on two things outside: numpy before version 2 promotes a float32 scalar to double wherever a
Python number meets it (quotients of two float32 scalars stay float32), and Python from version 3.12 on compensates the
rounding of `sum`. Both are followed here, so that the results equal those of a sacreBLEU in the same environment.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from mtsig import kernels
from mtsig.kernels.formulas import Formula

__all__ = ["bleu", "bleu_formula", "chrf", "chrf_formula", "ter", "ter_formula"]

Array = NDArray[Any]

SMOOTHING_DEFAULTS = {"none": None, "floor": 0.1, "add-k": 1.0, "exp": None}

_LOG_OF_ZERO = -9999999999.0
_COMPENSATED_SUM = sys.version_info >= (3, 12)


def bleu(
    sums: Array,
    *,
    max_ngram_order: int = 4,
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    effective_order: bool = False,
    integer_sums: bool = False,
) -> Array:
    """BLEU, 0 to 100, from ``hyp_len, ref_len, correct_1.., total_1..``.

    Parameters
    ----------
    sums
        Array (..., 2 + 2 * `max_ngram_order`), single or double precision.
    max_ngram_order, smooth_method, smooth_value, effective_order
        As in sacreBLEU.
    integer_sums
        Keep the sums whole under add-k smoothing, as an integer array does in sacreBLEU's randomization test.

    Returns
    -------
    numpy.ndarray
        Double precision, shape (...).

    Examples
    --------
    >>> round(float(bleu(np.array([16.0, 16, 13, 9, 6, 4, 16, 15, 14, 13]))), 12)
    50.353378875559
    """
    formula = bleu_formula(smooth_method, smooth_value, effective_order=effective_order, integer_sums=integer_sums)
    options = (max_ngram_order, smooth_method, smooth_value, effective_order, integer_sums)
    return _over_rows(_bleu_rows, sums, np.float64, *options, formula=formula)


def bleu_formula(
    smooth_method: str, smooth_value: float | None, *, effective_order: bool = False, integer_sums: bool = False
) -> Formula:
    """BLEU as the compiled kernels know it, with the arguments of `bleu`."""
    value = SMOOTHING_DEFAULTS[smooth_method] if smooth_value is None else smooth_value
    whole = integer_sums and smooth_method == "add-k" and value is not None and not float(value).is_integer()
    return Formula("bleu", smooth_method, value or 0.0, effective_order=effective_order, whole_sums=whole)


def _bleu_rows(
    rows: Array,
    max_ngram_order: int,
    smooth_method: str,
    smooth_value: float | None,
    effective_order: bool,
    integer_sums: bool,
) -> Array:
    dtype = _scalar_precision(rows.dtype)
    if smooth_value is None:
        smooth_value = SMOOTHING_DEFAULTS[smooth_method]
    hyp_len, ref_len = (np.trunc(rows[:, column].astype(np.float64)) for column in (0, 1))
    correct, total = rows[:, 2 : 2 + max_ngram_order], rows[:, 2 + max_ngram_order : 2 + 2 * max_ngram_order]

    counted = np.ones(len(rows), dtype=bool)  # orders up to the first one without any n-gram
    order = np.full(len(rows), 0 if effective_order else max_ngram_order)
    halvings = np.ones(len(rows))
    log_sum = np.zeros(len(rows))
    lost = np.zeros(len(rows))
    for n in range(max_ngram_order):
        matches, ngrams = correct[:, n].astype(dtype), total[:, n].astype(dtype)
        if smooth_method == "add-k" and n > 0:
            matches, ngrams = (
                _stored(values + dtype(smooth_value), rows.dtype, integer_sums).astype(dtype)
                for values in (matches, ngrams)
            )
        counted &= ngrams != 0
        if effective_order:
            order[counted] = n + 1
        divisor = np.where(counted, ngrams, dtype(1))
        precision = dtype(100) * matches / divisor
        unmatched = counted & (matches == 0)
        if smooth_method == "exp":
            halvings = np.where(unmatched, halvings * 2, halvings)
            precision = np.where(unmatched, dtype(100) / (halvings.astype(dtype) * divisor), precision)
        elif smooth_method == "floor":
            precision = np.where(unmatched, dtype(100.0 * (smooth_value or 0.0)) / divisor, precision)
        precision = np.where(counted, precision, dtype(0))
        log_precision = np.full(len(rows), _LOG_OF_ZERO)
        positive = precision != 0
        log_precision[positive] = _by_libm(math.log, precision[positive])
        log_sum, lost = _sum_step(log_sum, lost, log_precision, n < order)

    if _COMPENSATED_SUM:
        log_sum = log_sum + lost
    score = np.zeros(len(rows))
    matched = (correct != 0).any(axis=1)
    score[matched] = _by_libm(math.exp, log_sum[matched] / order[matched])
    score *= _brevity_penalty(hyp_len, ref_len)
    return score


def _brevity_penalty(hyp_len: Array, ref_len: Array) -> Array:
    penalty = np.ones(len(hyp_len))
    penalty[(hyp_len < ref_len) & (hyp_len <= 0)] = 0.0
    short = (hyp_len < ref_len) & (hyp_len > 0)
    penalty[short] = _by_libm(math.exp, 1 - ref_len[short] / hyp_len[short])
    return penalty


def _sum_step(total: Array, lost: Array, term: Array, included: Array) -> tuple[Array, Array]:
    """One step of Python's `sum`: the new total, and the rounding errors that Python 3.12 and later add at the end."""
    new_total = np.where(included, total + term, total)
    if _COMPENSATED_SUM:
        error = np.where(np.abs(total) >= np.abs(term), (total - new_total) + term, (term - new_total) + total)
        lost = np.where(included, lost + error, lost)
    return new_total, lost


def chrf(sums: Array, *, order: int, beta: int = 2, eps_smoothing: bool = False) -> Array:
    """chrF, 0 to 100, from triples (hypothesis, reference, matching n-grams) of every order.

    Parameters
    ----------
    sums
        Array (..., 3 * `order`), single or double precision.
    order
        Number of n-gram orders, of characters and words together.
    beta, eps_smoothing
        As in sacreBLEU.

    Returns
    -------
    numpy.ndarray
        Same precision as `sums`, shape (...).

    Examples
    --------
    >>> float(chrf(np.array([4.0, 4, 4, 3, 3, 3]), order=2))
    100.0
    """
    sums = np.asarray(sums)
    formula = chrf_formula(beta=beta, eps_smoothing=eps_smoothing)
    return _over_rows(_chrf_rows, sums, _scalar_precision(sums.dtype), order, beta, eps_smoothing, formula=formula)


def chrf_formula(*, beta: int, eps_smoothing: bool) -> Formula | None:
    """The formula of `chrf` for the compiled kernels, which do not know epsilon smoothing."""
    return None if eps_smoothing else Formula("chrf", beta=beta)


def _chrf_rows(rows: Array, order: int, beta: int, eps_smoothing: bool) -> Array:
    dtype = _scalar_precision(rows.dtype)
    factor = beta**2
    eps = 1e-16
    precision_sum, recall_sum = np.zeros(len(rows), dtype=dtype), np.zeros(len(rows), dtype=dtype)
    effective_order = np.zeros(len(rows), dtype=dtype)
    # The sum of F-scores is a Python float, thus double, as long as only epsilons have been added to it.
    f_sum = np.zeros(len(rows))
    single = np.zeros(len(rows), dtype=bool)
    for n in range(order):
        hyp, ref, match = (rows[:, 3 * n + column] for column in range(3))
        precision = np.where(hyp > 0, _quotient(match, hyp).astype(dtype), dtype(eps))
        recall = np.where(ref > 0, _quotient(match, ref).astype(dtype), dtype(eps))
        both = (hyp > 0) & (ref > 0)
        precision_sum = precision_sum + np.where(both, precision, dtype(0))
        recall_sum = recall_sum + np.where(both, recall, dtype(0))
        effective_order = effective_order + both
        if eps_smoothing:
            denominator = dtype(factor) * precision + recall
            f_score = dtype(1 + factor) * precision * recall / np.where(denominator > 0, denominator, dtype(1))
            term = np.where(denominator > 0, f_score.astype(np.float64), eps)
            neither = (hyp <= 0) & (ref <= 0)
            term = np.where(neither, (1 + factor) * eps * eps / (factor * eps + eps), term)
            single |= (denominator > 0) & ~neither
            f_sum = np.where(single, f_sum.astype(dtype) + term.astype(dtype), f_sum + term)
    score: Array
    if eps_smoothing:
        score = np.where(single, dtype(100) * f_sum.astype(dtype) / dtype(order), 100 * f_sum / order)
        return score.astype(dtype)
    divisor = np.where(effective_order > 0, effective_order, dtype(1)).astype(dtype)
    precision, recall = precision_sum / divisor, recall_sum / divisor
    defined = precision + recall != 0
    denominator = np.where(defined, dtype(factor) * precision + recall, dtype(1))
    score = np.where(defined, dtype(100) * (dtype(1 + factor) * precision * recall / denominator), dtype(0))
    return score


def ter(sums: Array) -> Array:
    """TER, 0 (best) upwards, 100 for as many edits as reference words, from ``edits, ref_len``.

    With empty references it is 100 if anything had to be deleted, else 0.

    Parameters
    ----------
    sums
        Array (..., 2), single or double precision.

    Returns
    -------
    numpy.ndarray
        Same precision as `sums`, shape (...).

    Examples
    --------
    >>> ter(np.array([[3.0, 12.0], [2.0, 0.0], [0.0, 0.0]]))
    array([ 25., 100.,   0.])
    """
    sums = np.asarray(sums)
    return _over_rows(_ter_rows, sums, _scalar_precision(sums.dtype), formula=ter_formula())


def ter_formula() -> Formula:
    """The formula of `ter` for the compiled kernels."""
    return Formula("ter")


def _ter_rows(rows: Array) -> Array:
    dtype = _scalar_precision(rows.dtype)
    edits, ref_len = rows[:, 0], rows[:, 1]
    rate = np.where(ref_len > 0, _quotient(edits, ref_len), edits > 0)
    score: Array = dtype(100) * rate.astype(dtype)
    return score


def _quotient(numerator: Array, denominator: Array) -> Array:
    """`numerator / denominator` in their own precision; something finite where the denominator is not positive."""
    quotient: Array = numerator / np.where(denominator > 0, denominator, numerator.dtype.type(1))
    return quotient


def _over_rows(
    function: Callable[..., Array], sums: Array, dtype: DTypeLike, *options: Any, formula: Formula | None
) -> Array:
    """Apply the compiled formula, else `function` to the rows that hold no NaN; the others give NaN."""
    sums = np.asarray(sums)
    if not np.issubdtype(sums.dtype, np.floating):
        sums = sums.astype(np.float64)
    compiled = kernels.score_sums
    if compiled is not None and formula is not None and _scalar_precision(sums.dtype) is sums.dtype.type:
        scores: Array = compiled(formula, sums).astype(dtype, copy=False)
        return scores
    rows = sums.reshape(-1, sums.shape[-1])
    present = ~np.isnan(rows).any(axis=1)
    if present.all():
        scores = function(rows, *options)
    else:
        scores = np.full(len(rows), np.nan, dtype=dtype)
        scores[present] = function(rows[present], *options)
    return scores.reshape(sums.shape[:-1])


def _scalar_precision(dtype: DTypeLike) -> Any:
    """The type in which a scalar of `dtype` and a Python float are combined: depends on the version of numpy."""
    one: Any = np.dtype(dtype).type(1)
    return type(one * 1.0)


def _stored(values: Array, dtype: DTypeLike, integer: bool) -> Array:
    """`values` as they come back after being stored in an array of the statistics' type."""
    return np.trunc(values) if integer else values.astype(dtype)


def _by_libm(function: Callable[[float], float], values: Array) -> Array:
    """Apply a function of `math` to each value.

    numpy's own logarithm and exponential are vectorised and may differ from the C library's in the last bit, which
    sacreBLEU uses.
    """
    return np.fromiter(map(function, values.tolist()), dtype=np.float64, count=len(values))
