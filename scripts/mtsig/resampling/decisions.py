"""From the numbers of pairs to rows of results: fields, decisions, winners, ranks and clusters.

What is decided here is the same for a test set and for an average over several.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mtsig.metrics.cautions import NO_VERDICT
from mtsig.resampling.adjust import adjust_p_values, check_resamples
from mtsig.resampling.intervals import percentile_interval
from mtsig.resampling.pairs import TOLERANCE, detectable_difference, equivalence, koehn_verdict, paired_bootstrap, wins
from mtsig.resampling.ranks import clusters, competition_ranks, rank_ranges
from mtsig.resampling.results import PairResult, SystemResult
from mtsig.resampling.sequential import Resample, open_tests, resample_open_tests
from mtsig.resampling.settings import FEW_UNITS, ResamplingSettings

__all__ = [
    "Directed",
    "bootstrap_fields",
    "common_flags",
    "decided",
    "further_fields",
    "holding",
    "number_or_none",
    "ordered",
    "with_decisions",
    "with_fields",
    "with_interval",
    "with_ranks",
]


# P-values of the bootstrap, sacreBLEU's apart.
_P_VALUES = (
    "p_value",
    "p_value_low",
    "p_value_high",
    "p_one_sided",
    "p_shift",
    "p_equivalence",
    "p_noninferiority",
)


class Directed(Protocol):
    """The direction and scale of a metric."""

    @property
    def higher_is_better(self) -> bool | None:
        """The direction, None for a metric without one."""

    @property
    def scale(self) -> float:
        """The size of a good score."""


def common_flags(n_units: int, *, complete: bool, metric: Directed, settings: ResamplingSettings) -> set[str]:
    """The flags of everything that comes from `n_units` units, which are `complete` if no segment was left out."""
    return holding(
        few_units=n_units < FEW_UNITS,
        missing_segments=not complete,
        no_direction=metric.higher_is_better is None,
        one_document=settings.resample_unit == "document" and n_units == 1,
    )


def with_interval(
    row: SystemResult, replicates: NDArray[np.float64], metric: Directed, settings: ResamplingSettings
) -> SystemResult:
    """The row of a system with what its replicates (n_resamples,), none of them NaN, say about its score."""
    interval = percentile_interval(replicates, confidence_level=settings.confidence_level)
    degenerate = np.ptp(replicates) <= TOLERANCE * metric.scale
    return replace(
        row,
        ci_low=float(interval.low),
        ci_high=float(interval.high),
        boot_mean=float(replicates.mean()),
        boot_se=float(replicates.std(ddof=1)) if len(replicates) > 1 else None,
        flags=ordered({*row.flags, *holding(degenerate_interval=degenerate)}),
    )


def with_fields(row: PairResult, fields: Mapping[str, Any]) -> PairResult:
    """The row of a pair with further fields, of which ``flags`` are added to those that it has.

    With one unit every resample is the test set itself, so the bootstrap has no p-value.
    """
    untested = dict.fromkeys(_P_VALUES) if "one_unit" in row.flags else {}
    return replace(row, **{**fields, **untested, "flags": ordered({*row.flags, *fields["flags"]})})


def bootstrap_fields(
    differences: NDArray[np.float64], observed: NDArray[np.float64], metric: Directed, settings: ResamplingSettings
) -> list[dict[str, Any]]:
    """Fields of `PairResult` for every pair of a bootstrap, and the flags that follow from it.

    Parameters
    ----------
    differences
        Replicates of the differences, (n_pairs, n_resamples), without NaN.
    observed
        The differences, (n_pairs,).
    metric
        Its direction and scale. Without a direction there are intervals and no tests.
    settings
        How was resampled.

    Returns
    -------
    list of dict
        One per pair, with the set ``flags`` besides the fields.
    """
    tolerance, higher_is_better = TOLERANCE * metric.scale, metric.higher_is_better
    levels = {"alpha": settings.alpha, "confidence_level": settings.confidence_level}
    result = paired_bootstrap(differences, observed, tolerance=tolerance, **levels)
    shared = ("ci_low", "ci_high")
    directed = ("p_value", "p_value_low", "p_value_high", "p_one_sided", "p_shift")
    names = shared if higher_is_better is None else shared + directed
    fields: list[dict[str, Any]] = [
        {name: float(getattr(result, name)[number]) for name in names} for number in range(len(result.delta))
    ]
    for number, update in enumerate(fields):
        update["flags"] = holding(degenerate_interval=result.degenerate[number])
    if settings.equivalence_margin is not None:
        both = equivalence(differences, observed, settings.equivalence_margin, tolerance=tolerance)
        for update, larger, side in zip(fields, *both, strict=True):
            update.update(p_equivalence=float(larger), p_noninferiority=float(side))
    if higher_is_better is None:
        return fields
    n_resamples = settings.n_resamples
    detectable = detectable_difference(differences, alpha=settings.alpha)
    wins_a, wins_b = wins(result.signs, higher_is_better=higher_is_better)
    verdicts = koehn_verdict(wins_a, wins_b, n_resamples, alpha=settings.alpha)
    for number, update in enumerate(fields):
        update.update(
            wins_a=int(wins_a[number]),
            wins_b=int(wins_b[number]),
            ties=int(result.signs.ties[number]),
            koehn_a=float(wins_a[number] / n_resamples),
            koehn_b=float(wins_b[number] / n_resamples),
            koehn_verdict={1: "a", -1: "b", 0: "none"}[int(verdicts[number])],
        )
        update["flags"] |= holding(boundary=result.boundary[number])
        if not result.degenerate[number]:
            update["detectable_difference"] = float(detectable[number])
    return fields


def further_fields(
    differences: NDArray[np.float64], observed: NDArray[np.float64], metric: Directed, settings: ResamplingSettings
) -> list[dict[str, Any] | None]:
    """`bootstrap_fields` of pairs that are resampled on; None where a further resample has no score."""
    usable: NDArray[np.bool_] = np.all(~np.isnan(differences), axis=-1)
    fields = iter(bootstrap_fields(differences[usable], observed[usable], metric, settings))
    return [next(fields) if each else None for each in usable]


def decided(
    rows: Sequence[PairResult], metric: Directed, settings: ResamplingSettings, resample: Resample
) -> list[PairResult]:
    """Decide about all pairs of a family, with as many resamples as the decisions need.

    Parameters
    ----------
    rows
        All pairs, from the configured numbers of resamples and trials.
    metric
        Its direction and scale.
    settings
        Level, adjustment, numbers and bound.
    resample
        Gives the fields of rows from more resamples.

    Raises
    ------
    ConfigError
        If after adjustment no pair could ever be significant.
    """
    n_defined = sum(row.p_value is not None for row in rows)
    check_resamples(settings.adjust, n_pairs=n_defined, n_resamples=settings.n_resamples, alpha=settings.alpha)

    def open_of(current: Sequence[PairResult]) -> list[set[str]]:
        return [
            set() if decisive is None or _never_wins(row, metric) else open_tests(row, decisive, settings)
            for row, _, decisive in _deciding(current, settings)
        ]

    return with_decisions(resample_open_tests(rows, open_of, settings, resample), metric, settings)


def _deciding(
    rows: Sequence[PairResult], settings: ResamplingSettings
) -> list[tuple[PairResult, float | None, float | None]]:
    """Every pair with its adjusted p-value and the one that decides, None where the pair is not tested."""
    adjusted = adjust_p_values([row.p_value for row in rows], settings.adjust)
    found = []
    for row, p_adjusted in zip(rows, adjusted, strict=True):
        decisive = row.p_value if settings.adjust == "none" else p_adjusted
        tested = row.p_value is not None and row.p_ar is not None and row.delta is not None
        found.append((row, p_adjusted, decisive if tested else None))
    return found


def _never_wins(row: PairResult, metric: Directed) -> bool:
    """Whether neither system can win, whatever p is."""
    tie = row.delta is None or abs(row.delta) <= TOLERANCE * metric.scale
    return tie or not NO_VERDICT.isdisjoint(row.flags)


def with_decisions(rows: Sequence[PairResult], metric: Directed, settings: ResamplingSettings) -> list[PairResult]:
    """Adjust the p-values, and say which differences are significant and who wins.

    Parameters
    ----------
    rows
        All pairs of one family. Those with the flag ``few_units`` also have to pass the randomization test; those
        with a flag of `NO_VERDICT` are never significant.
    metric
        Its direction and scale.
    settings
        Level and adjustment.
    """
    decided = []
    for row, p_adjusted, decisive in _deciding(rows, settings):
        if decisive is None:
            decided.append(row)
            continue
        assert row.p_ar is not None
        assert row.delta is not None
        hopeless = _never_wins(row, metric)
        significant = decisive < settings.alpha and not hopeless
        if "few_units" in row.flags:
            significant = significant and row.p_ar < settings.alpha
        better = row.system_a if (row.delta > 0) == metric.higher_is_better else row.system_b
        undecided = not hopeless and bool(open_tests(row, decisive, settings))
        decided.append(
            replace(
                row,
                p_adjusted=p_adjusted,
                significant=significant,
                winner=better if significant else None,
                flags=ordered({*row.flags, *holding(monte_carlo=undecided)}),
            )
        )
    return decided


def with_ranks(rows: list[SystemResult], pairs: Sequence[PairResult], metric: Directed) -> list[SystemResult]:
    """Ranks, their ranges and clusters of the systems that have a score.

    Parameters
    ----------
    rows
        All systems.
    pairs
        All pairs, with their winners.
    metric
        Its direction and scale.
    """
    unequal = len({row.n_segments for row in rows}) > 1
    if unequal:
        rows = [replace(row, flags=ordered({*row.flags, "unequal_segments"})) for row in rows]
    scored = [row for row in rows if row.score is not None]
    if metric.higher_is_better is None or not scored:
        return rows
    place = {row.system: number for number, row in enumerate(scored)}
    beats = np.zeros((len(scored), len(scored)), dtype=bool)
    for pair in pairs:
        if pair.winner is not None and pair.system_a in place and pair.system_b in place:
            loser = pair.system_b if pair.winner == pair.system_a else pair.system_a
            beats[place[pair.winner], place[loser]] = True
    scores = np.array([row.score for row in scored], dtype=np.float64)
    low, high = rank_ranges(beats)
    order = competition_ranks(scores, higher_is_better=metric.higher_is_better, tolerance=TOLERANCE * metric.scale)
    cluster = clusters(scores, beats, higher_is_better=metric.higher_is_better)
    ranked = {
        row.system: replace(
            row,
            rank=None if unequal else int(order[number]),
            rank_low=int(low[number]),
            rank_high=int(high[number]),
            cluster=None if unequal else int(cluster[number]),
        )
        for number, row in enumerate(scored)
    }
    return [ranked.get(row.system, row) for row in rows]


def holding(**conditions: Any) -> set[str]:
    """The flags whose conditions hold.

    Examples
    --------
    >>> holding(undefined=False, boundary=True)
    {'boundary'}
    """
    return {flag for flag, holds in conditions.items() if holds}


def ordered(flags: set[str]) -> tuple[str, ...]:
    """Flags in the order of the tables."""
    return tuple(sorted(flags))


def number_or_none(value: float) -> float | None:
    """NaN as None.

    Examples
    --------
    >>> number_or_none(0.5), number_or_none(float("nan"))
    (0.5, None)
    """
    return None if np.isnan(value) else float(value)
