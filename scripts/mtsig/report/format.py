"""How numbers are written for people: in tables, figures, the console and the report, all through this one module.

Digits follow the uncertainty, so that a table claims no more than was measured. Machine-readable files (csv, json,
Parquet) carry raw numbers and do not pass through here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

__all__ = [
    "MAX_DECIMALS",
    "UNDEFINED",
    "count",
    "decimals",
    "interval",
    "number",
    "p_value",
    "percent",
    "rank",
    "significant",
    "stars",
]

#: What stands in the place of a number that does not exist.
UNDEFINED = "undefined"

#: More decimals than this are never written, however narrow the interval.
MAX_DECIMALS = 6

#: Where nothing is known of the uncertainty (one segment, all replicates equal).
_DEFAULT_DECIMALS = 2

_STAR_LEVELS = (0.05, 0.01)


def decimals(half_widths: Iterable[float | None]) -> int:
    """The number of decimals at which values with these uncertainties are written.

    The median half-width of the intervals is shown to two significant digits, which is the usual advice for stating
    a measured value: 24.3 with an interval of half-width 1.1, 0.8531 with one of half-width 0.0042.

    Parameters
    ----------
    half_widths
        Half the widths of the values' intervals; None and 0 say nothing and are passed over.

    Returns
    -------
    int
        Between 0 and `MAX_DECIMALS`.

    Examples
    --------
    >>> decimals([1.1]), decimals([0.35]), decimals([0.0042]), decimals([12.0]), decimals([None, 0.0])
    (1, 2, 4, 0, 2)
    """
    known = sorted(width for width in half_widths if width is not None and width > 0)
    if not known:
        return _DEFAULT_DECIMALS
    return min(max(1 - math.floor(math.log10(known[len(known) // 2])), 0), MAX_DECIMALS)


def number(value: float | None, places: int, *, signed: bool = False, minus: str = "-") -> str:
    """`value` with `places` decimals; None as "undefined"; never a negative zero.

    Parameters
    ----------
    value
        The number, or None where it is undefined.
    places
        Decimals, as `decimals` gives them.
    signed
        Write a plus sign before positive numbers, as is usual for differences.
    minus
        The minus sign. Only where nobody will copy the number is the typographic one better.

    Examples
    --------
    >>> number(24.251, 1), number(-0.04, 1), number(1.26, 1, signed=True), number(None, 1)
    ('24.3', '0.0', '+1.3', 'undefined')
    """
    if value is None:
        return UNDEFINED
    text = f"{abs(value):.{places}f}"
    if float(text) == 0:
        return text
    return (minus if value < 0 else "+" if signed else "") + text


def interval(low: float | None, high: float | None, places: int, *, signed: bool = False, minus: str = "-") -> str:
    """An interval as ``[low, high]``.

    Examples
    --------
    >>> interval(-0.31, 1.24, 1, signed=True), interval(None, None, 1)
    ('[-0.3, +1.2]', 'undefined')
    """
    if low is None or high is None:
        return UNDEFINED
    return f"[{number(low, places, signed=signed, minus=minus)}, {number(high, places, signed=signed, minus=minus)}]"


def significant(value: float | None, digits: int = 4) -> str:
    """A number of unknown uncertainty, to some significant digits, without an exponent where it can be helped.

    Examples
    --------
    >>> significant(0.123456), significant(1234.56), significant(20.0), significant(1e-9), significant(None)
    ('0.1235', '1235', '20', '1e-09', 'undefined')
    """
    if value is None:
        return UNDEFINED
    if abs(value) >= 1000:
        return f"{value:.0f}"
    return f"{value:.{digits}g}"


def p_value(p: float | None, *, alpha: float | None = None) -> str:
    """A p-value with three decimals, never as 0, and never rounded onto or over a threshold it does not reach.

    Parameters
    ----------
    p
        The p-value in (0, 1], or None.
    alpha
        The significance level in use; it is a threshold like those of the stars (0.05 and 0.01).

    Examples
    --------
    >>> p_value(0.0314), p_value(0.0002), p_value(1.0), p_value(None)
    ('0.031', '< 0.001', '1.000', 'undefined')

    A p just below a threshold stays below it:

    >>> p_value(0.04996), p_value(0.05)
    ('0.04996', '0.050')
    """
    if p is None:
        return UNDEFINED
    if p < 0.001:
        return "< 0.001"
    thresholds = [*_STAR_LEVELS, alpha] if alpha is not None else _STAR_LEVELS
    for places in range(3, MAX_DECIMALS + 1):
        text = f"{p:.{places}f}"
        if all((p < level) == (float(text) < level) for level in thresholds):
            return text
    return repr(p)


def stars(significant: bool, p: float | None) -> str:
    """Two stars for p < 0.01, one for p < 0.05, and none for what is not significant.

    Examples
    --------
    >>> stars(True, 0.004), stars(True, 0.03), stars(False, 0.004), stars(True, None)
    ('**', '*', '', '')
    """
    if not significant or p is None:
        return ""
    return "**" if p < 0.01 else "*" if p < 0.05 else ""


def rank(low: int | None, high: int | None) -> str:
    """A range of ranks: ``1``, ``2-4``, or "undefined".

    Examples
    --------
    >>> rank(1, 1), rank(2, 4), rank(None, None)
    ('1', '2-4', 'undefined')
    """
    if low is None or high is None:
        return UNDEFINED
    return str(low) if low == high else f"{low}-{high}"


def count(value: int | None) -> str:
    """A whole number with its thousands set apart.

    Examples
    --------
    >>> count(12345), count(None)
    ('12,345', 'undefined')
    """
    return UNDEFINED if value is None else f"{value:,}"


def percent(share: float | None, places: int = 1) -> str:
    """A share as a percentage; shares that are not exactly 0 or 1 are not rounded to them.

    Examples
    --------
    >>> percent(0.983), percent(1.0), percent(0.9999), percent(0.0001), percent(None)
    ('98.3 %', '100 %', '> 99.9 %', '< 0.1 %', 'undefined')
    """
    if share is None:
        return UNDEFINED
    if share in (0, 1):
        return f"{share * 100:.0f} %"
    text = f"{share * 100:.{places}f}"
    step = 10**-places
    if float(text) == 0:
        return f"< {step:.{places}f} %"
    if float(text) == 100:
        return f"> {100 - step:.{places}f} %"
    return f"{text} %"
