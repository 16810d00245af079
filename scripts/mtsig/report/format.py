"""How numbers are written for people: in tables, figures, the console and the report, all through this one module.

Digits follow the uncertainty, so that a table claims no more than was measured. Machine-readable files (csv, json,
Parquet) carry raw numbers and do not pass through here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

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
    "star_levels",
    "star_words",
    "stars",
]

#: What stands in the place of a number that does not exist.
UNDEFINED = "undefined"

#: More decimals than this are never written, however narrow the interval.
MAX_DECIMALS = 6

#: Where nothing is known of the uncertainty (one segment, all replicates equal).
_DEFAULT_DECIMALS = 2

#: One star at alpha, two at this share of it: the usual 0.05 and 0.01.
_TWO_STARS = 5


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


def star_levels(alpha: float) -> tuple[float, float]:
    """The levels below which p has one star, and two.

    Examples
    --------
    >>> star_levels(0.05), star_levels(0.001)
    ((0.05, 0.01), (0.001, 0.0002))
    """
    return alpha, float(Fraction(repr(alpha)) / _TWO_STARS)


def star_words(alpha: float, marks: tuple[str, str] = ("*", "**")) -> str:
    """What the stars mean.

    Examples
    --------
    >>> star_words(0.05), star_words(0.1, ("†", "‡"))
    ('* p < 0.05, ** p < 0.01', '† p < 0.1, ‡ p < 0.02')
    """
    return ", ".join(f"{mark} p < {level:g}" for mark, level in zip(marks, star_levels(alpha), strict=True))


def p_value(p: float | None, *, alpha: float = 0.05, floor: bool = False) -> str:
    """A p-value with three decimals, never as 0, and never rounded onto or over a threshold it does not reach.

    Parameters
    ----------
    p
        The p-value in (0, 1], or None.
    alpha
        The significance level in use; the thresholds are the levels of its stars.
    floor
        Whether no smaller p was possible with as many resamples or trials, so that it is an upper limit.

    Examples
    --------
    >>> p_value(0.0314), p_value(0.0002), p_value(1.0), p_value(None)
    ('0.031', '< 0.001', '1.000', 'undefined')

    A p just below a threshold stays below it:

    >>> p_value(0.04996), p_value(0.05)
    ('0.04996', '0.050')

    An upper limit is rounded up:

    >>> p_value(2 / 1001, floor=True), p_value(2 / 801, floor=True)
    ('<= 0.002', '<= 0.003')
    """
    if p is None:
        return UNDEFINED
    levels = star_levels(alpha)
    least = min(0.001, alpha)
    if p < least:
        return f"< {least:g}"
    for places in range(3, MAX_DECIMALS + 1):
        # A limit that is rounded down would be none.
        text = f"{math.ceil(p * 10**places) / 10**places if floor else p:.{places}f}"
        if all((p < level) == (float(text) < level) for level in levels):
            return f"<= {text}" if floor else text
    return f"<= {p!r}" if floor else repr(p)


def stars(significant: bool, p: float | None, *, alpha: float = 0.05) -> str:
    """One star for what is significant at alpha, two for p below a fifth of it, none for what is not significant.

    Examples
    --------
    >>> stars(True, 0.004), stars(True, 0.03), stars(False, 0.004), stars(True, None), stars(True, 0.2, alpha=0.9)
    ('**', '*', '', '', '*')
    """
    if not significant or p is None:
        return ""
    one, two = star_levels(alpha)
    return "**" if p < two else "*" if p < one else ""


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
