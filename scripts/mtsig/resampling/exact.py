"""Levels as the decimal numbers they are written as, so that ranks and verdicts are decided in whole numbers."""

from __future__ import annotations

from fractions import Fraction

__all__ = ["as_fraction", "tail_rank"]


def as_fraction(level: float) -> Fraction:
    """The decimal number that `level` is written as.

    Examples
    --------
    >>> as_fraction(0.95)
    Fraction(19, 20)
    """
    return Fraction(str(float(level)))


def tail_rank(share: float | Fraction, n_resamples: int) -> int:
    """How many of `n_resamples` sorted replicates lie in one tail: ``floor(share * n_resamples / 2)``.

    Parameters
    ----------
    share
        Share of both tails together: ``1 - confidence_level``, or alpha.
    n_resamples
        Number of replicates.

    Examples
    --------
    In floating point the first of these would be 49.

    >>> tail_rank(1 - as_fraction(0.9), 1000), tail_rank(0.05, 1000)
    (50, 25)
    """
    exact = share if isinstance(share, Fraction) else as_fraction(share)
    return int(exact * n_resamples / 2)
