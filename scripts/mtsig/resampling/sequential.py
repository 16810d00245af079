"""Resamples until a decision stands: which tests need more of them, and how many.

A p-value from R resamples has a Monte Carlo error; where alpha lies within it, another seed may decide otherwise. Such
a test goes on with the same stream of draws, to twice the number, twice that, and so on up to a bound, until the
limits of p leave alpha (sequential Monte Carlo tests: Besag and Clifford 1991; with a bounded risk: Gandy 2009). The
limits are exact (Clopper and Pearson 1934): of 95% at the configured number, later such that all further looks
together err in at most 1% of cases, half of them on either side. So at most 2.5% + 0.5% of seeds decide otherwise than
infinitely many resamples would, whatever p is. What is open at the bound says so.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mtsig.resampling.montecarlo import clopper_pearson
from mtsig.resampling.results import PairResult
from mtsig.resampling.settings import ResamplingSettings

__all__ = ["FURTHER_ERROR", "Resample", "further_numbers", "open_tests", "resample_open_tests", "side_of_alpha"]

#: The two-sided error of all looks after the first together.
FURTHER_ERROR = 0.01

#: Makes rows anew: from a test (``bootstrap`` or ``randomization``), the numbers of the rows and a number of resamples
#: or trials to the fields of each row, with the set ``flags``; None where more resamples leave a score undefined.
Resample = Callable[[str, Sequence[int], int], Sequence[Mapping[str, Any] | None]]

# What a bootstrap says of a pair anew.
_BOOTSTRAP_FLAGS = {"boundary", "degenerate_interval"}


def further_numbers(first: int, most: int) -> tuple[int, ...]:
    """The numbers of resamples, or trials, to which a test goes on after the first look.

    Examples
    --------
    >>> further_numbers(1000, 10_000), further_numbers(1000, 0)
    ((2000, 4000, 8000, 10000), ())
    """
    numbers: list[int] = []
    n = first
    while n < most:
        n = min(2 * n, most)
        numbers.append(n)
    return tuple(numbers)


@functools.lru_cache(maxsize=10_000)
def side_of_alpha(count: int, n: int, alpha: float, *, first: int, most: int, factor: float = 1.0) -> int:
    """On which side of alpha p lies: -1 below, 1 above, 0 where the limits of p leave that open.

    Parameters
    ----------
    count, n
        `count` of `n` resamples are extreme.
    alpha
        Significance level.
    first, most
        The configured number and the bound.
    factor
        What the share of extreme resamples is multiplied by to give p: 2 for two sides, and the adjustment.

    Examples
    --------
    >>> [side_of_alpha(count, 1000, 0.05, first=1000, most=10_000, factor=2) for count in (10, 25, 40)]
    [-1, 0, 1]
    """
    level = 0.95 if n <= first else 1 - FURTHER_ERROR / len(further_numbers(first, most))
    low, high = clopper_pearson(count, n, confidence_level=level)
    return -1 if factor * high < alpha else 1 if factor * low > alpha else 0


def open_tests(row: PairResult, decisive: float, settings: ResamplingSettings) -> set[str]:
    """The tests of a pair on which more resamples, or trials, could change the decision.

    Parameters
    ----------
    row
        The pair, with p-values.
    decisive
        The p-value that decides, adjusted or not.
    settings
        Level, numbers and bound.
    """
    assert row.p_value is not None
    assert row.p_ar is not None
    assert row.n_resamples is not None
    assert row.n_trials is not None
    bounds = {"alpha": settings.alpha, "most": settings.max_resamples}
    # The adjustment multiplies p, and so the limits of its Monte Carlo error.
    factor = decisive / row.p_value
    if row.n_resamples == settings.n_resamples:
        low, high = (factor * (limit or 0.0) for limit in (row.p_value_low, row.p_value_high))
        bootstrap = -1 if high < settings.alpha else 1 if low > settings.alpha else 0
    else:
        tail = min(row.wins_a or 0, row.wins_b or 0) + (row.ties or 0)
        bootstrap = side_of_alpha(tail, row.n_resamples, first=settings.n_resamples, factor=2 * factor, **bounds)
    if "few_units" not in row.flags:
        return set() if bootstrap else {"bootstrap"}
    if row.ar_exact:
        randomization = -1 if row.p_ar < settings.alpha else 1
    else:
        count = round(row.p_ar * (row.n_trials + 1)) - 1
        randomization = side_of_alpha(count, row.n_trials, first=settings.n_trials, **bounds)
    # Both have to reject: one that does not is enough.
    if 1 in (bootstrap, randomization):
        return set()
    sides = {"bootstrap": bootstrap, "randomization": randomization}
    return {test for test, side in sides.items() if side == 0}


@dataclass(frozen=True)
class _Number:
    """Where a row counts the resamples of a test, and how many it starts with."""

    name: str

    def of(self, row: PairResult | ResamplingSettings) -> int:
        return getattr(row, self.name)  # type: ignore[no-any-return]


_NUMBERS = {"bootstrap": _Number("n_resamples"), "randomization": _Number("n_trials")}


def resample_open_tests(
    rows: Sequence[PairResult],
    open_of: Callable[[Sequence[PairResult]], Sequence[set[str]]],
    settings: ResamplingSettings,
    resample: Resample,
) -> list[PairResult]:
    """Resample on until no decision is open, or the bound is reached.

    Parameters
    ----------
    rows
        All pairs of a family, from the configured numbers.
    open_of
        The `open_tests` of every row, in the light of all.
    settings
        Numbers and bound.
    resample
        Gives the fields of rows from more resamples.

    Returns
    -------
    list of PairResult
        The rows, each with the numbers that it came to.
    """
    current = list(rows)
    stuck: set[tuple[int, str]] = set()
    while True:
        wanted: dict[tuple[str, int], list[int]] = {}
        for number, tests in enumerate(open_of(current)):
            for test in sorted(tests):
                used, first = (_NUMBERS[test].of(source) for source in (current[number], settings))
                more = next((n for n in further_numbers(first, settings.max_resamples) if n > used), None)
                if more is not None and (number, test) not in stuck:
                    wanted.setdefault((test, more), []).append(number)
        if not wanted:
            return current
        for (test, n), numbers in wanted.items():
            for number, fields in zip(numbers, resample(test, numbers, n), strict=True):
                if fields is None:
                    stuck.add((number, test))
                else:
                    current[number] = _renewed(current[number], test, n, fields)


def _renewed(row: PairResult, test: str, n: int, fields: Mapping[str, Any]) -> PairResult:
    flags = set(row.flags)
    if test == "bootstrap":
        flags = (flags - _BOOTSTRAP_FLAGS) | set(fields["flags"])
    return replace(row, **{**fields, _NUMBERS[test].name: n, "flags": tuple(sorted(flags))})
