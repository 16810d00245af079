"""Averages over test sets: intervals and tests of the mean of their corpus scores.

The score of a suite is the unweighted mean of the corpus scores of its test sets, the "average" column of many papers.
A replicate of it is the mean of one replicate per test set, each test set drawn by itself: its segments say nothing
about those of another, so draws of their own are independent. Of a pair of systems, both use the same draws, on the
segments that both have; a number of one pair depends on these two systems only.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtsig.errors import InputError
from mtsig.metrics.cautions import Cautions
from mtsig.resampling import draws
from mtsig.resampling.bootstrap import bootstrap_replicates
from mtsig.resampling.decisions import (
    bootstrap_fields,
    common_flags,
    decided,
    further_fields,
    holding,
    number_or_none,
    ordered,
    with_fields,
    with_interval,
    with_ranks,
)
from mtsig.resampling.pairs import TOLERANCE, at_least, p_randomization
from mtsig.resampling.randomization import swap_differences
from mtsig.resampling.results import PairResult, SystemResult
from mtsig.resampling.samples import Sample, joint_samples
from mtsig.resampling.scorer import Scorer, score_rows
from mtsig.resampling.settings import VERY_FEW_UNITS, ResamplingSettings
from mtsig.resampling.units import document_labels

__all__ = ["SuiteAnalysis", "SuiteMember", "analyse_suite", "member_seed"]

FloatArray = NDArray[np.float64]

# So many differences of trials or resamples are held at a time.
_CELLS_AT_ONCE = 10_000_000


@dataclass(frozen=True)
class SuiteMember:
    """One test set of a suite.

    Attributes
    ----------
    testset
        Its name, which its draws depend on.
    statistics
        Sufficient statistics per system, (n_segments, n_statistics), NaN where a segment is missing.
    scorer
        The metric on this test set.
    documents, domains
        Names per segment, for documents as units.
    """

    testset: str
    statistics: Mapping[str, FloatArray]
    scorer: Scorer
    documents: Sequence[str | None]
    domains: Sequence[str | None]


@dataclass(frozen=True)
class SuiteAnalysis:
    """Results of a suite, sorted by names.

    Attributes
    ----------
    systems, pairs
        Rows of results. Systems that some test set lacks are among `systems`, undefined, and in no pair.
    wins
        (system_a, system_b) to the numbers of test sets on which a, and on which b, has the better score.
    """

    systems: tuple[SystemResult, ...]
    pairs: tuple[PairResult, ...]
    wins: Mapping[tuple[str, str], tuple[int, int]]


def member_seed(seed: int, testset: str) -> int:
    """The seed of one test set's draws, from the seed of all and its name.

    With one seed for all, test sets of equal size would share their draws, and their replicates would move together.

    Examples
    --------
    >>> member_seed(1, "one") == member_seed(1, "one"), member_seed(1, "one") == member_seed(1, "two")
    (True, False)
    """
    digest = hashlib.sha256(f"{seed}\0{testset}".encode()).digest()
    return int.from_bytes(digest[:8], "little")


def analyse_suite(
    members: Sequence[SuiteMember],
    settings: ResamplingSettings,
    *,
    missing: str = "error",
    cautions: Cautions | None = None,
    threads: int = 1,
) -> SuiteAnalysis:
    """Resample all test sets of a suite and test all pairs of systems by the mean of their scores.

    Parameters
    ----------
    members
        The test sets, at least one.
    settings
        How to resample and test.
    missing
        ``error`` refuses systems that some test set lacks, and segments without a score; with ``intersect`` such
        systems are undefined, a system's own score uses its own segments, and a pair uses the common ones.
    cautions
        Flags that texts or scores of any test set give to systems and pairs.
    threads
        How many threads work; no number depends on it.

    Raises
    ------
    InputError
        If something is missing and `missing` is ``error``, or if no system is on all test sets.
    ConfigError
        If documents are wanted as units and there are none.

    Examples
    --------
    >>> from mtsig.resampling.scorer import MeanScorer
    >>> rng = np.random.default_rng(1)
    >>> members = [
    ...     SuiteMember(
    ...         name,
    ...         {"worse": rng.normal(0, 1, (100, 1)), "better": rng.normal(1, 1, (100, 1))},
    ...         MeanScorer(higher_is_better=True),
    ...         [None] * 100,
    ...         [None] * 100,
    ...     )
    ...     for name in ("one", "two")
    ... ]
    >>> analysis = analyse_suite(members, ResamplingSettings(seed=0, n_trials=1000))
    >>> analysis.pairs[0].winner, analysis.wins["better", "worse"]
    ('better', (2, 0))
    """
    everywhere = sorted(set.intersection(*(set(member.statistics) for member in members)))
    somewhere = sorted(set.union(*(set(member.statistics) for member in members)))
    if missing == "error":
        _refuse_absent(members, somewhere)
    if not everywhere:
        raise InputError("no system was scored on all test sets of the suite, so there is nothing to average.")
    columns = [np.stack([its.scorer.columns(its.statistics[name]) for name in everywhere]) for its in members]
    if missing == "error":
        _refuse_gaps(members, columns, everywhere)
    by_document = settings.resample_unit == "document"
    labels = [document_labels(its.documents, its.domains) if by_document else None for its in members]
    metric = members[0].scorer
    system_rows: list[SystemResult] = []
    pair_rows: list[PairResult] = []
    wins: dict[tuple[str, str], tuple[int, int]] = {}
    origin: dict[tuple[str, str], tuple[_AveragedSamples, int]] = {}
    for parts in joint_samples(columns, labels):
        averaged = _AveragedSamples(parts, members, everywhere, settings, cautions or Cautions(), threads)
        system_rows += averaged.system_rows()
        rows = averaged.pair_rows()
        pair_rows += rows
        origin |= {(row.system_a, row.system_b): (averaged, number) for number, row in enumerate(rows)}
        wins |= averaged.testset_wins()
    pair_rows.sort(key=lambda row: (row.system_a, row.system_b))

    def further(test: str, numbers: Sequence[int], n: int) -> list[dict[str, Any] | None]:
        places: dict[_AveragedSamples, list[int]] = {}
        for number in numbers:
            averaged, place = origin[pair_rows[number].system_a, pair_rows[number].system_b]
            places.setdefault(averaged, []).append(place)
        found = {
            (averaged, place): fields
            for averaged, chosen in places.items()
            for place, fields in zip(chosen, averaged.tested_further(test, chosen, n), strict=True)
        }
        return [found[origin[pair_rows[number].system_a, pair_rows[number].system_b]] for number in numbers]

    pairs = decided(pair_rows, metric, settings, further)
    systems = with_ranks(sorted(system_rows, key=lambda row: row.system), pairs, metric)
    lacking = [
        SystemResult(system=name, n_segments=0, n_units=0, flags=("missing_testsets", "undefined"))
        for name in somewhere
        if name not in everywhere
    ]
    return SuiteAnalysis(tuple(sorted([*systems, *lacking], key=lambda row: row.system)), tuple(pairs), wins)


def _refuse_absent(members: Sequence[SuiteMember], systems: Sequence[str]) -> None:
    for member in members:
        for system in systems:
            if system not in member.statistics:
                raise InputError(
                    f"test set {member.testset}: system {system} is missing there, and other test sets of the suite "
                    "have it. Add it, exclude it from the others, or set `missing: intersect`."
                )


def _refuse_gaps(members: Sequence[SuiteMember], columns: Sequence[FloatArray], systems: Sequence[str]) -> None:
    for member, values in zip(members, columns, strict=True):
        gaps = np.argwhere(np.isnan(values).any(axis=-1))
        if len(gaps):
            system, segment = gaps[0]
            raise InputError(
                f"test set {member.testset}: system {systems[system]} has no score on segment {segment + 1}. Complete "
                "the input, or set `missing: intersect`."
            )


class _AveragedSamples:
    """One sample of each test set, of the same systems and pairs, resampled once: what their mean says about them."""

    def __init__(
        self,
        parts: Sequence[Sample],
        members: Sequence[SuiteMember],
        names: Sequence[str],
        settings: ResamplingSettings,
        cautions: Cautions,
        threads: int,
    ) -> None:
        self.parts = parts
        self.members = members
        self.own = [parts[0].members.index(system) for system in parts[0].own]
        self.places = parts[0].places
        self.names = [names[system] for system in parts[0].members]
        self.settings = settings
        self.cautions = cautions
        self.threads = threads
        self.metric = members[0].scorer
        self.tolerance = TOLERANCE * self.metric.scale
        self.n_segments = sum(part.n_segments for part in parts)
        self.n_units = sum(part.n_units for part in parts)
        # The mean is as uncertain as its most uncertain part.
        self.fewest_units = min(part.n_units for part in parts)
        self.by_testset = np.stack(
            [score_rows(part.segments, member.scorer) for part, member in zip(parts, members, strict=True)]
        )
        self.scores = self.by_testset.mean(axis=0)
        self.replicates = self._replicates(slice(None), settings.n_resamples)
        self.defined = ~(np.isnan(self.scores) | np.isnan(self.replicates).any(axis=1))

    def _seed(self, member: SuiteMember) -> int:
        return member_seed(self.settings.seed, member.testset)

    def _replicates(self, chosen: Any, n_resamples: int) -> FloatArray:
        """Averages of the chosen systems on resamples."""
        total = np.zeros((len(self.scores[chosen]), n_resamples))
        for member, part in zip(self.members, self.parts, strict=True):
            if not part.n_units:
                return np.full_like(total, np.nan)
            counts = draws.draw_counts(self._seed(member), part.n_units, n_resamples)
            total += bootstrap_replicates(part.units[chosen], member.scorer.corpus_scores, counts, threads=self.threads)
        return total / len(self.members)

    def tested_further(self, test: str, chosen: Sequence[int], n: int) -> list[dict[str, Any] | None]:
        """Fields of pairs from `n` resamples or trials, as `sequential.Resample` says."""
        found: list[dict[str, Any] | None] = []
        step = max(1, _CELLS_AT_ONCE // n)
        for start in range(0, len(chosen), step):
            places = self.places[chosen[start : start + step]]
            observed = self.scores[places[:, 0]] - self.scores[places[:, 1]]
            if test == "randomization":
                found += self._randomization(places, observed, n)
                continue
            members, positions = np.unique(places, return_inverse=True)
            replicates = self._replicates(members, n)
            first, second = positions.reshape(-1, 2).T
            differences = replicates[first] - replicates[second]
            found += further_fields(differences, observed, self.metric, replace(self.settings, n_resamples=n))
        return found

    def _flags(self) -> set[str]:
        complete = all(part.complete for part in self.parts)
        return common_flags(self.fewest_units, complete=complete, metric=self.metric, settings=self.settings)

    def system_rows(self) -> list[SystemResult]:
        """Score and interval of every system whose own segments these are."""
        rows = []
        for number in self.own:
            row = SystemResult(
                system=self.names[number],
                n_segments=self.n_segments,
                n_units=self.n_units,
                score=number_or_none(self.scores[number]),
                flags=ordered(
                    self._flags()
                    | self.cautions.of_system(self.names[number])
                    | holding(undefined=not self.defined[number])
                ),
            )
            if self.defined[number]:
                row = with_interval(row, self.replicates[number], self.metric, self.settings)
            rows.append(row)
        return rows

    def pair_rows(self) -> list[PairResult]:
        """All that can be said about single pairs; decisions may also depend on the other pairs."""
        rows = [self._bare_row(first, second) for first, second in self.places]
        tested = np.flatnonzero(self.defined[self.places].all(axis=1))
        longest = max(self.settings.n_resamples, self.settings.n_trials)
        step = max(1, _CELLS_AT_ONCE // longest)
        for start in range(0, len(tested), step):
            numbers = tested[start : start + step]
            part = self.places[numbers]
            observed = self.scores[part[:, 0]] - self.scores[part[:, 1]]
            differences = self.replicates[part[:, 0]] - self.replicates[part[:, 1]]
            updates = bootstrap_fields(differences, observed, self.metric, self.settings)
            if self.metric.higher_is_better is not None:
                for update, randomization in zip(
                    updates, self._randomization(part, observed, self.settings.n_trials), strict=True
                ):
                    update.update(randomization)
            for number, update in zip(numbers, updates, strict=True):
                rows[number] = with_fields(rows[number], update)
        return rows

    def _bare_row(self, first: int, second: int) -> PairResult:
        identical = self.fewest_units > 0 and all(
            np.array_equal(part.units[first], part.units[second]) for part in self.parts
        )
        flags = self._flags() | holding(
            identical_output=identical,
            undefined=not (self.defined[first] and self.defined[second]),
            very_few_units=self.fewest_units < VERY_FEW_UNITS,
            one_unit=all(part.n_units == 1 for part in self.parts),
        )
        flags |= self.cautions.of_pair(self.names[first], self.names[second])
        return PairResult(
            system_a=self.names[first],
            system_b=self.names[second],
            n_segments=self.n_segments,
            n_units=self.n_units,
            score_a=number_or_none(self.scores[first]),
            score_b=number_or_none(self.scores[second]),
            delta=number_or_none(self.scores[first] - self.scores[second]),
            n_resamples=self.settings.n_resamples,
            n_trials=self.settings.n_trials,
            flags=ordered(flags),
        )

    def _randomization(self, places: NDArray[np.int64], observed: FloatArray, n_trials: int) -> list[dict[str, Any]]:
        """Randomization tests of the mean: units of every test set are swapped, each by itself."""
        exact = draws.is_enumerable(self.n_units, n_trials)
        total = np.zeros((len(places), 1))
        for member, part in zip(self.members, self.parts, strict=True):
            signs = (
                draws.all_swaps(part.n_units) if exact else draws.swap_signs(self._seed(member), part.n_units, n_trials)
            )
            differences = swap_differences(
                part.units,
                member.scorer.corpus_scores,
                places,
                signs,
                formula=member.scorer.formula,
                threads=self.threads,
            )
            # Every way to swap on one test set goes with every way on another; random trials go together.
            total = (
                (total[:, :, None] + differences[:, None, :]).reshape(len(places), -1) if exact else total + differences
            )
        extreme = at_least(total / len(self.members), observed, tolerance=self.tolerance)
        p_values = p_randomization(np.count_nonzero(extreme, axis=1), extreme.shape[1], exact=exact)
        return [{"p_ar": float(value), "ar_exact": exact} for value in p_values]

    def testset_wins(self) -> dict[tuple[str, str], tuple[int, int]]:
        """On how many test sets either system of a pair has the better score."""
        found = {}
        for first, second in self.places:
            gains = self.by_testset[:, first] - self.by_testset[:, second]
            gains = -gains if self.metric.higher_is_better is False else gains
            found[self.names[first], self.names[second]] = (
                int(np.count_nonzero(gains > self.tolerance)),
                int(np.count_nonzero(gains < -self.tolerance)),
            )
        return found
