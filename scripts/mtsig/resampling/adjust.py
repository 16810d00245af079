"""Corrections for testing many pairs at once.

The family is all pairs of one test set and metric whose p-value is defined. A pair without one (None) stays None and
does not count, since it cannot be rejected.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from mtsig.errors import ConfigError, InputError
from mtsig.resampling.exact import as_fraction

__all__ = ["ADJUSTMENTS", "adjust_p_values", "benjamini_hochberg", "check_resamples", "holm"]

#: The values of the configuration key ``adjust``.
ADJUSTMENTS = ("none", "holm", "bh")


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down adjustment (Holm 1979): controls the probability of any false star.

    Parameters
    ----------
    p_values
        One per pair, None where undefined. Undefined ones stay None and are no part of the family.

    Returns
    -------
    list
        Adjusted p-values in the same order.

    Examples
    --------
    >>> holm([0.01, None, 0.02, 0.04])
    [0.03, None, 0.04, 0.04]
    """
    defined = _defined(p_values)
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for position, (p_value, index) in enumerate(defined):
        largest = max(largest, min(1.0, p_value * (len(defined) - position)))
        adjusted[index] = largest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """Step-up adjustment of Benjamini and Hochberg (1995): controls the expected share of false stars.

    Parameters
    ----------
    p_values
        One per pair, None where undefined. Undefined ones stay None and are no part of the family.

    Returns
    -------
    list
        Adjusted p-values in the same order.

    Examples
    --------
    >>> benjamini_hochberg([0.01, None, 0.02, 0.04])
    [0.03, None, 0.03, 0.04]
    """
    defined = _defined(p_values)
    adjusted: list[float | None] = [None] * len(p_values)
    smallest = 1.0
    for position in range(len(defined), 0, -1):
        p_value, index = defined[position - 1]
        smallest = min(smallest, p_value * len(defined) / position)
        adjusted[index] = smallest
    return adjusted


def _defined(p_values: Sequence[float | None]) -> list[tuple[float, int]]:
    """The defined p-values with their positions, smallest first."""
    for position, p_value in enumerate(p_values):
        if p_value is not None and not 0 <= p_value <= 1:
            raise InputError(f"p-value {position + 1}: expected a number from 0 to 1, found {p_value}.")
    return sorted((p_value, index) for index, p_value in enumerate(p_values) if p_value is not None)


def adjust_p_values(p_values: Sequence[float | None], adjust: str) -> list[float | None]:
    """Apply the adjustment of the configuration key ``adjust``; ``none`` gives no adjusted p-values at all."""
    if adjust == "holm":
        return holm(p_values)
    if adjust == "bh":
        return benjamini_hochberg(p_values)
    if adjust == "none":
        return [None] * len(p_values)
    raise ConfigError(f"adjust: expected one of {', '.join(ADJUSTMENTS)}, found {adjust!r}.")


def check_resamples(adjust: str, *, n_pairs: int, n_resamples: int, alpha: float) -> None:
    """Refuse an adjustment under which no pair could ever be significant.

    The smallest two-sided bootstrap p-value is ``2 / (n_resamples + 1)``. Holm multiplies it by the number of pairs;
    Benjamini and Hochberg leave it as it is where all pairs have it.

    Raises
    ------
    ConfigError
        Saying how many resamples are needed.

    Examples
    --------
    >>> check_resamples("holm", n_pairs=190, n_resamples=10_000, alpha=0.05)
    >>> check_resamples("holm", n_pairs=190, n_resamples=1000, alpha=0.05)
    Traceback (most recent call last):
    mtsig.errors.ConfigError: adjust: with holm, 190 pairs and alpha 0.05 no pair can be significant in 1000 resamples.
    Set n_resamples to at least 7600.
    """
    if adjust == "none" or n_pairs == 0:
        return
    factor = n_pairs if adjust == "holm" else 1
    level = as_fraction(alpha)
    if Fraction(2 * factor, n_resamples + 1) < level:
        return
    needed = int(2 * factor / level)  # the smallest R with 2 factor / (R + 1) < alpha
    pairs = "1 pair" if n_pairs == 1 else f"{n_pairs} pairs"
    raise ConfigError(
        f"adjust: with {adjust}, {pairs} and alpha {alpha} no pair can be significant in {n_resamples} resamples. "
        f"Set n_resamples to at least {needed}."
    )
