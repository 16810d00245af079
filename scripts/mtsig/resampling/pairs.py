"""Every test of a pair of systems, as a function of replicates.

Write d for the observed difference of two corpus scores (a minus b) and d* for a resampled one. Arrays of d* have the
shape (..., n_resamples) and those of d the shape (...), with any leading axes: pairs, subsets, both. All functions
decide equality with a tolerance (1e-9 of the metric's scale), so rounding neither makes nor breaks a tie.

The definitions are those of Koehn (2004), Riezler and Maxwell (2005), Noreen (1989), and of the programs that the
field uses; sacreBLEU's two p-values are kept to the last digit, for comparison only.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mtsig.resampling.exact import as_fraction, tail_rank
from mtsig.resampling.intervals import percentile_interval
from mtsig.resampling.montecarlo import p_value_limits

__all__ = [
    "TOLERANCE",
    "PairedBootstrap",
    "SignCounts",
    "at_least",
    "count_signs",
    "detectable_difference",
    "equivalence",
    "koehn_verdict",
    "on_boundary",
    "p_moses",
    "p_one_sided",
    "p_randomization",
    "p_sacrebleu_bootstrap",
    "p_sacrebleu_randomization",
    "p_shift",
    "p_value",
    "paired_bootstrap",
    "wins",
]

#: Share of the metric's scale within which two scores are equal.
TOLERANCE = 1e-9

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class SignCounts:
    """How many replicates of the difference are above, below and at zero; arrays of shape (...)."""

    positive: IntArray
    negative: IntArray
    ties: IntArray

    @property
    def n_resamples(self) -> int:
        """Number of replicates."""
        return int(np.ravel(self.positive + self.negative + self.ties)[0])

    @property
    def smaller_tail(self) -> IntArray:
        """Number of replicates on or beyond zero, in the direction in which there are fewer: min(#d*<=0, #d*>=0)."""
        return np.minimum(self.negative, self.positive) + self.ties


def count_signs(differences: ArrayLike, *, tolerance: float = 0.0) -> SignCounts:
    """Count the signs of d*.

    Parameters
    ----------
    differences
        Replicates of the difference, (..., n_resamples).
    tolerance
        Differences of at most this size are ties.

    Examples
    --------
    >>> count_signs([1.0, 0.0, 2.0, -1.0])
    SignCounts(positive=np.int64(2), negative=np.int64(1), ties=np.int64(1))
    """
    values = np.asarray(differences)
    positive = np.count_nonzero(values > tolerance, axis=-1)
    negative = np.count_nonzero(values < -tolerance, axis=-1)
    ties = values.shape[-1] - positive - negative
    return SignCounts(*(np.asarray(count, dtype=np.int64)[()] for count in (positive, negative, ties)))


def wins(signs: SignCounts, *, higher_is_better: bool) -> tuple[IntArray, IntArray]:
    """In how many resamples a is better, and in how many b is; the rest are ties.

    Examples
    --------
    >>> [int(number) for number in wins(count_signs([1.0, 0.0, 2.0, -1.0]), higher_is_better=False)]
    [1, 2]
    """
    return (signs.positive, signs.negative) if higher_is_better else (signs.negative, signs.positive)


def koehn_verdict(wins_a: ArrayLike, wins_b: ArrayLike, n_resamples: int, *, alpha: float = 0.05) -> NDArray[np.int8]:
    """Koehn's verdict: 1 for a, -1 for b, 0 for none.

    A system is called better if its share of wins is at least 1 - alpha; a is asked first. Decided in whole numbers.

    Parameters
    ----------
    wins_a, wins_b
        Numbers of resamples in which a, or b, is better, shape (...).
    n_resamples
        Number of resamples, ties included.
    alpha
        Significance level.

    Examples
    --------
    >>> koehn_verdict([950, 949, 50, 0], [50, 51, 950, 0], 1000).tolist()
    [1, 0, -1, 0]
    """
    share = 1 - as_fraction(alpha)
    needed = -(-share.numerator * n_resamples // share.denominator)  # rounded up
    a_wins, b_wins = np.asarray(wins_a) >= needed, np.asarray(wins_b) >= needed
    return np.where(a_wins, 1, np.where(b_wins, -1, 0)).astype(np.int8)[()]


def p_value(signs: SignCounts) -> FloatArray:
    """Two-sided p: min(1, 2 min((#{d* <= 0} + 1)/(R + 1), (#{d* >= 0} + 1)/(R + 1))).

    Exactly 1 for identical outputs, never 0.

    Examples
    --------
    >>> float(p_value(count_signs(np.r_[np.ones(983), -np.ones(17)]))) == 36 / 1001
    True
    """
    return np.minimum(1.0, 2 * (signs.smaller_tail + 1) / (signs.n_resamples + 1))


def p_one_sided(signs: SignCounts, observed: ArrayLike, *, tolerance: float = 0.0) -> FloatArray:
    """One-sided p: (#{sign(d) d* <= 0} + 1)/(R + 1), and 1 for d = 0 (the form of Evaluatio's BLEU test).

    Examples
    --------
    >>> float(p_one_sided(count_signs(np.r_[np.ones(983), -np.ones(17)]), 0.5)) == 18 / 1001
    True
    """
    difference = np.asarray(observed)
    against = np.where(difference > 0, signs.negative, signs.positive) + signs.ties
    return np.where(np.abs(difference) <= tolerance, 1.0, (against + 1) / (signs.n_resamples + 1))[()]


def p_shift(differences: ArrayLike, observed: ArrayLike, *, tolerance: float = 0.0) -> FloatArray:
    """Shifted two-sided p: (#{|d* - d| >= |d|} + 1)/(R + 1).

    Examples
    --------
    >>> float(p_shift([0.0, 1.0, 2.0, 3.0], 1.5))
    0.6
    """
    shifted = np.asarray(differences) - np.asarray(observed)[..., None]
    return _share_of(at_least(shifted, observed, tolerance=tolerance), extra=1)


def equivalence(
    differences: ArrayLike, observed: ArrayLike, margin: float, *, tolerance: float = 0.0
) -> tuple[FloatArray, FloatArray]:
    """P-values of two one-sided tests against a margin (Schuirmann 1987), from the same replicates.

    Parameters
    ----------
    differences, observed
        Replicates (..., n_resamples) and observed differences (...).
    margin
        The largest difference, in the metric's unit, that does not matter in practice.
    tolerance
        Differences of the margin's size within this much are not inside it.

    Returns
    -------
    p_equivalence, p_noninferiority : numpy.ndarray
        The first is the larger of (#{d* <= -margin} + 1)/(R + 1) and (#{d* >= margin} + 1)/(R + 1): small where the
        two systems differ by less than the margin, whichever is better. The second is the one of the two on the side
        of d: small where the system with the worse score is worse by less than the margin.

    Examples
    --------
    >>> p_equivalence, p_noninferiority = equivalence([0.1, 0.2, 0.4, -0.6], 0.3, 0.5)
    >>> float(p_equivalence), float(p_noninferiority)
    (0.4, 0.2)
    """
    values, difference = np.asarray(differences), np.asarray(observed)
    below = _share_of(values <= -margin + tolerance, extra=1)
    above = _share_of(values >= margin - tolerance, extra=1)
    larger = np.maximum(below, above)
    side = np.where(difference > tolerance, above, np.where(difference < -tolerance, below, larger))
    return larger, side[()]


def at_least(differences: ArrayLike, observed: ArrayLike, *, tolerance: float = 0.0) -> NDArray[np.bool_]:
    """Which differences are at least as large as the observed one, whatever their signs; undefined ones are.

    A swap that leaves a score undefined speaks for nothing, so it counts against the difference.

    Parameters
    ----------
    differences
        (..., n), NaN where undefined.
    observed
        (...).
    tolerance
        Sizes within this much of the observed one are as large.

    Examples
    --------
    >>> at_least([-2.0, -1.0, 0.5, np.nan], 1.0).tolist()
    [True, True, False, True]
    """
    smaller = np.abs(np.asarray(differences)) < np.abs(np.asarray(observed))[..., None] - tolerance
    return np.asarray(~smaller)


def detectable_difference(differences: ArrayLike, *, alpha: float = 0.05, power: float = 0.8) -> FloatArray:
    """The smallest true difference that a two-sided test on as many units finds with this power.

    By the normal law: (z_(1 - alpha/2) + z_power) times the standard error, that of the replicates.

    Parameters
    ----------
    differences
        Replicates (..., n_resamples); of fewer than two it is NaN.
    alpha, power
        Of the test.

    Examples
    --------
    Of a standard error of 1 a difference of 2.8 is found in four of five test sets.

    >>> float(detectable_difference([-1.0, 0.0, 1.0]).round(3))
    2.802
    """
    quantile = NormalDist().inv_cdf
    values = np.asarray(differences)
    if values.shape[-1] < 2:
        return np.full(values.shape[:-1], np.nan)
    error: FloatArray = np.std(values, axis=-1, ddof=1)
    return (quantile(1 - alpha / 2) + quantile(power)) * error


def p_randomization(count: ArrayLike, n_trials: int, *, exact: bool) -> FloatArray:
    """P of approximate randomization from #{|d_swap| >= |d|}.

    Parameters
    ----------
    count
        Number of trials whose difference is `at_least` as large as the observed one, shape (...).
    n_trials
        Number of trials.
    exact
        Whether the trials are all ways to swap, the identity among them: p is then the share itself. Otherwise the
        observed difference counts as one more trial.

    Examples
    --------
    >>> float(p_randomization(2, 8, exact=True)), float(p_randomization(2, 9, exact=False))
    (0.25, 0.3)
    """
    extreme = np.asarray(count)
    return (extreme / n_trials if exact else (extreme + 1) / (n_trials + 1))[()]


def p_moses(differences: ArrayLike, observed: ArrayLike, *, tolerance: float = 0.0) -> FloatArray:
    """Moses' bootstrap p: #{|d*| - mean|d*| >= |d|} / R. It can be 0, and is no valid two-sided p.

    Examples
    --------
    >>> float(p_moses([0.0, 1.0, 2.0, 3.0], 1.5))
    0.25
    """
    sizes = np.abs(np.asarray(differences))
    excess = sizes - sizes.mean(axis=-1, keepdims=True)
    return _share_of(excess >= np.abs(np.asarray(observed))[..., None] - tolerance, extra=0)


def _share_of(extreme: NDArray[np.bool_], *, extra: int) -> FloatArray:
    """Share of extreme replicates, where `extra` more are counted as extreme: (#extreme + extra)/(R + extra)."""
    count = np.asarray(np.count_nonzero(extreme, axis=-1))
    share: FloatArray = (count + extra) / (extreme.shape[-1] + extra)
    return share


def p_sacrebleu_bootstrap(replicates_a: ArrayLike, replicates_b: ArrayLike, observed: ArrayLike) -> FloatArray:
    """SacreBLEU's ``--paired-bs`` p: (#{|d*| - mean|d*| > |d|} + 1)/(R + 1), in the precision of the replicates.

    Strict, without a tolerance, so that identical outputs come out significant as they do there.

    Parameters
    ----------
    replicates_a, replicates_b
        The systems' replicates in sacreBLEU's own arithmetic and precision, (..., n_resamples).
    observed
        Difference of the corpus scores in double precision, (...).

    Examples
    --------
    >>> float(p_sacrebleu_bootstrap([1.0, 1.0, 1.0], [1.0, 1.0, 1.0], 0.0))
    0.25
    """
    sizes = np.abs(np.subtract(replicates_b, replicates_a))
    excess = sizes - sizes.mean(axis=-1, keepdims=True)
    # numpy 2 compares a single-precision array with a Python float in single precision.
    threshold = np.abs(np.asarray(observed, dtype=np.float64)).astype(sizes.dtype)[..., None]
    return _share_of(excess > threshold, extra=1)


def p_sacrebleu_randomization(more_extreme: ArrayLike, n_trials: int) -> FloatArray:
    """SacreBLEU's ``--paired-ar`` p: (#{|d_swap| > |d|} + 1)/(trials + 1), strict and without a tolerance.

    Examples
    --------
    >>> float(p_sacrebleu_randomization(0, 9999))
    0.0001
    """
    return ((np.asarray(more_extreme) + 1) / (n_trials + 1))[()]


def on_boundary(signs: SignCounts, *, alpha: float = 0.05) -> NDArray[np.bool_]:
    """Whether exactly floor(alpha R / 2) replicates lie on or beyond zero.

    Only then the p-value and the interval of the same level may disagree, because p counts the observed difference
    as one more replicate.

    Examples
    --------
    >>> bool(on_boundary(count_signs(np.r_[np.ones(975), -np.ones(25)])))
    True
    """
    return np.asarray(signs.smaller_tail == tail_rank(alpha, signs.n_resamples))[()]


@dataclass(frozen=True)
class PairedBootstrap:
    """What the paired bootstrap says about pairs; every array has the shape (...) of the observed differences.

    Attributes
    ----------
    delta
        The observed difference, a minus b.
    ci_low, ci_high
        Percentile interval of the difference.
    signs
        Counts of the replicates' signs (not yet of who is better).
    p_value, p_value_low, p_value_high
        Two-sided p and the 95% limits of its Monte Carlo error.
    p_one_sided, p_shift
        See the functions of those names.
    boundary, degenerate
        Whether p and interval may disagree; whether all replicates are equal.
    """

    delta: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    signs: SignCounts
    p_value: FloatArray
    p_value_low: FloatArray
    p_value_high: FloatArray
    p_one_sided: FloatArray
    p_shift: FloatArray
    boundary: NDArray[np.bool_]
    degenerate: NDArray[np.bool_]


def paired_bootstrap(
    differences: ArrayLike,
    observed: ArrayLike,
    *,
    tolerance: float = 0.0,
    alpha: float = 0.05,
    confidence_level: float = 0.95,
) -> PairedBootstrap:
    """All bootstrap quantities of pairs, from replicates without NaN.

    Parameters
    ----------
    differences
        Replicates of the difference of two systems scored on the same resamples, (..., n_resamples).
    observed
        The difference on the full test set, (...).
    tolerance
        Differences of at most this size are ties.
    alpha
        Significance level, for `boundary`.
    confidence_level
        Of the interval.

    Examples
    --------
    >>> result = paired_bootstrap(np.zeros(1000), 0.0)
    >>> float(result.p_value), float(result.ci_low), float(result.ci_high), bool(result.degenerate)
    (1.0, 0.0, 0.0, True)
    """
    values, delta = np.asarray(differences, dtype=np.float64), np.asarray(observed, dtype=np.float64)
    signs = count_signs(values, tolerance=tolerance)
    interval = percentile_interval(values, confidence_level=confidence_level)
    low, high = p_value_limits(signs.smaller_tail, signs.n_resamples)
    return PairedBootstrap(
        delta=delta,
        ci_low=interval.low,
        ci_high=interval.high,
        signs=signs,
        p_value=p_value(signs),
        p_value_low=low,
        p_value_high=high,
        p_one_sided=p_one_sided(signs, delta, tolerance=tolerance),
        p_shift=p_shift(values, delta, tolerance=tolerance),
        boundary=on_boundary(signs, alpha=alpha),
        degenerate=values.max(axis=-1) - values.min(axis=-1) <= tolerance,
    )
