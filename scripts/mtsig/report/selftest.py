"""Small cases with answers known exactly, computed anew for every report by the functions that made its numbers.

A case is a list of differences between two systems, one per segment, under a metric that is a mean. Its bootstrap
distribution can be enumerated: all n^n ways to draw n segments with replacement, all 2^n ways to swap the systems.
The exact answers are the shares among these, worked out by hand or in fractions; they are no output of this program.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np

from mtsig.report import format as fmt
from mtsig.resampling.pairs import (
    at_least,
    count_signs,
    koehn_verdict,
    p_moses,
    p_one_sided,
    p_randomization,
    p_shift,
    p_value,
    wins,
)

__all__ = ["cases"]

#: Differences to: shares of resamples won by either and tied; twice the smaller tail; the shares of the shifted
#: bootstrap and of Moses' form of it; the share of swaps at least as extreme. Each among all resamples or swaps.
_EXACT: dict[tuple[int, ...], tuple[str, str, str, str, str, str, str]] = {
    (0, 0, 0): ("0", "0", "1", "1", "1", "1", "1"),
    (1, -1): ("1/4", "1/4", "1/2", "1", "1", "1/2", "1"),
    (1, 0, 0, 0): ("175/256", "0", "81/256", "81/128", "37/64", "67/256", "1"),
    (1, 1, 1, 1): ("1", "0", "0", "0", "0", "0", "1/8"),
    (1, 1, -1): ("20/27", "7/27", "0", "14/27", "5/9", "1/3", "1"),
    (2, 1, -1, 1): ("219/256", "13/256", "3/32", "37/128", "35/128", "9/256", "1/2"),
    (3, -1, 1, 1, -1): ("2533/3125", "592/3125", "0", "1184/3125", "1173/3125", "581/3125", "11/16"),
    (5,): ("1", "0", "0", "0", "0", "0", "1"),
}

_TOLERANCE = 1e-9


def cases() -> list[dict[str, Any]]:
    """Compute all cases.

    Returns
    -------
    list of dict
        One row per case and quantity: ``differences``, ``quantity``, ``computed``, ``exact`` (texts) and ``agrees``.

    Examples
    --------
    >>> all(case["agrees"] for case in cases())
    True
    """
    return [row for differences, exact in _EXACT.items() for row in _case(differences, exact)]


def _case(differences: tuple[int, ...], exact: tuple[str, ...]) -> list[dict[str, Any]]:
    values = np.asarray(differences, dtype=np.float64)
    n_segments = len(values)
    draws = np.asarray(list(itertools.product(range(n_segments), repeat=n_segments)))
    signs = np.asarray(list(itertools.product((1.0, -1.0), repeat=n_segments)))
    replicates, observed = values[draws].mean(axis=1), values.mean()
    n_resamples = len(replicates)
    counted = count_signs(replicates, tolerance=_TOLERANCE)
    wins_a, wins_b = wins(counted, higher_is_better=True)
    extreme = at_least((signs * values).mean(axis=1), observed, tolerance=_TOLERANCE)
    won, lost, tied, tails, shift, moses, randomization = map(Fraction, exact)
    # p-values of finitely many resamples count the observed difference as one more.
    extra = Fraction(1, n_resamples + 1)
    rest = 1 - extra
    one_sided = Fraction(1) if observed == 0 else rest * ((lost if observed > 0 else won) + tied) + extra
    verdict = "a" if won >= Fraction(95, 100) else "b" if lost >= Fraction(95, 100) else "none"
    computed_verdict = {1: "a", -1: "b", 0: "none"}[int(koehn_verdict(wins_a, wins_b, n_resamples))]
    numbers = {
        "won by a": (wins_a / n_resamples, won),
        "won by b": (wins_b / n_resamples, lost),
        "tied": (counted.ties / n_resamples, tied),
        "p, two-sided bootstrap": (p_value(counted), min(Fraction(1), rest * tails + 2 * extra)),
        "p, one-sided bootstrap": (p_one_sided(counted, observed, tolerance=_TOLERANCE), one_sided),
        "p, shifted bootstrap": (p_shift(replicates, observed, tolerance=_TOLERANCE), rest * shift + extra),
        "p, Moses": (p_moses(replicates, observed, tolerance=_TOLERANCE), moses),
        "p, randomization": (p_randomization(np.count_nonzero(extreme), len(signs), exact=True), randomization),
    }
    name = ", ".join(map(str, differences))
    rows = [
        {
            "differences": name,
            "quantity": quantity,
            "computed": fmt.significant(float(computed), 6),
            "exact": str(answer),
            "agrees": abs(float(computed) - float(answer)) < 1e-12,
        }
        for quantity, (computed, answer) in numbers.items()
    ]
    rows.append(
        {
            "differences": name,
            "quantity": "Koehn's verdict at 95 %",
            "computed": computed_verdict,
            "exact": verdict,
            "agrees": computed_verdict == verdict,
        }
    )
    return rows
