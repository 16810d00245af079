"""One test set and one metric: intervals of all systems, tests of all pairs, ranks and groups.

Everything that the tables ``systems``, ``pairs`` and ``groups`` say is computed here, from arrays of sufficient
statistics. A number of one pair depends on these two systems only: not on the other systems, their order, the number
of threads or the size of blocks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mtsig.errors import InputError
from mtsig.metrics.cautions import Cautions
from mtsig.resampling import draws
from mtsig.resampling.bootstrap import SacrebleuReplicates, bootstrap_replicates, bootstrap_with_sacrebleu
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
from mtsig.resampling.groups import group_results
from mtsig.resampling.pairs import TOLERANCE, p_randomization, p_sacrebleu_randomization
from mtsig.resampling.randomization import SwapCounts, count_swaps
from mtsig.resampling.results import Analysis, PairResult, SystemResult
from mtsig.resampling.samples import Sample, samples
from mtsig.resampling.scorer import Scorer, score_rows
from mtsig.resampling.settings import VERY_FEW_UNITS, ResamplingSettings
from mtsig.resampling.units import document_labels

__all__ = ["Progress", "analyse"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# So many replicates of differences are held at a time.
_CELLS_AT_ONCE = 2_000_000


class Progress(Protocol):
    """Counts resamples and trials, as `mtsig.progress.Progress` does."""

    def expect(self, amount: int, /) -> None:
        """There will be `amount` more."""

    def __call__(self, amount: int, /) -> None:
        """`amount` more are done."""


def analyse(
    statistics: Mapping[str, FloatArray],
    scorer: Scorer,
    settings: ResamplingSettings,
    *,
    documents: Sequence[str | None] | None = None,
    domains: Sequence[str | None] | None = None,
    cautions: Cautions | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> Analysis:
    """Resample a test set and test all pairs of its systems.

    Parameters
    ----------
    statistics
        Sufficient statistics per system, (n_segments, n_statistics), NaN where a segment is missing. A system's own
        score uses its own segments, a pair uses the common ones.
    scorer
        The metric.
    settings
        How to resample and test.
    documents, domains
        Names per segment, for groups and for documents as units; None where there are none.
    cautions
        Flags that the texts or scores give to systems and pairs.
    threads
        How many threads work; no number depends on it.
    progress
        Is told how many resamples and trials there are and are done.

    Raises
    ------
    ConfigError
        If documents are wanted as units and there are none, or if no pair could be significant after adjustment.
    InputError
        If some segments have a document and others none, or a statistic is infinite.

    Examples
    --------
    >>> from mtsig.resampling.scorer import MeanScorer
    >>> rng = np.random.default_rng(1)
    >>> scores = {"worse": rng.normal(0, 1, (200, 1)), "better": rng.normal(1, 1, (200, 1))}
    >>> analysis = analyse(scores, MeanScorer(higher_is_better=True), ResamplingSettings(seed=12345))
    >>> [(row.system, row.rank) for row in analysis.systems]
    [('better', 1), ('worse', 2)]
    >>> analysis.pairs[0].winner, analysis.pairs[0].koehn_verdict
    ('better', 'a')
    """
    names = sorted(statistics)
    for name in names:
        infinite = np.isinf(statistics[name]).any(axis=-1)
        if infinite.any():
            raise InputError(
                f"system {name}: the score of segment {int(infinite.argmax()) + 1} is infinite, so no mean and no test "
                "is defined. Give a number, or NaN where there is no score."
            )
    columns = np.stack([scorer.columns(statistics[name]) for name in names]) if names else np.zeros((0, 0, 1))
    unnamed = [None] * columns.shape[1]
    documents, domains = documents or unnamed, domains or unnamed
    labels = document_labels(documents, domains) if settings.resample_unit == "document" else None

    parts = samples(columns, labels)
    if progress is not None:
        for sample in parts:
            swaps = draws.n_swaps(sample.n_units, settings.n_trials) if scorer.higher_is_better is not None else 0
            progress.expect(settings.n_resamples + swaps * bool(sample.pairs))
    system_rows: dict[int, SystemResult] = {}
    pair_rows: dict[tuple[int, int], PairResult] = {}
    for sample in parts:
        resampled = _ResampledSample(sample, scorer, settings, cautions or Cautions(), threads, progress)
        system_rows.update({system: resampled.system_row(system, names[system]) for system in sample.own})
        pair_rows.update(resampled.pair_rows(names))

    order = sorted(pair_rows)
    further = _FurtherResamples(parts, order, scorer, settings, threads, progress)
    pairs = decided([pair_rows[pair] for pair in order], scorer, settings, further)
    systems = with_ranks([system_rows[system] for system in sorted(system_rows)], pairs, scorer)
    groups = group_results(
        dict(zip(names, columns, strict=True)),
        scorer,
        settings,
        documents=documents,
        domains=domains,
        labels=labels,
        threads=threads,
    )
    return Analysis(tuple(systems), tuple(pairs), groups)


class _ResampledSample:
    """One sample, resampled once: what it says about its systems and pairs."""

    def __init__(
        self,
        sample: Sample,
        scorer: Scorer,
        settings: ResamplingSettings,
        cautions: Cautions,
        threads: int,
        progress: Progress | None,
    ) -> None:
        self.sample = sample
        self.scorer = scorer
        self.settings = settings
        self.cautions = cautions
        self.work: dict[str, Any] = {"threads": threads, "progress": progress}
        self.tolerance = TOLERANCE * scorer.scale
        self.scores = score_rows(sample.segments, scorer)
        self.replicates, self.sacrebleu = self._replicates()
        self.defined = ~(np.isnan(self.scores) | np.isnan(self.replicates).any(axis=-1))

    def _replicates(self) -> tuple[FloatArray, SacrebleuReplicates | None]:
        units, seed, n_resamples = self.sample.units, self.settings.seed, self.settings.n_resamples
        if self.sample.n_units == 0:
            return np.full((len(units), n_resamples), np.nan), None
        if self.settings.resample_unit == "segment":
            return bootstrap_with_sacrebleu(units, self.scorer, seed=seed, n_resamples=n_resamples, **self.work)
        counts = draws.draw_counts(seed, self.sample.n_units, n_resamples)
        return bootstrap_replicates(units, self.scorer.corpus_scores, counts, **self.work), None

    def _flags(self) -> set[str]:
        """What is to be said about everything that comes from this sample."""
        n_units, complete = self.sample.n_units, self.sample.complete
        return common_flags(n_units, complete=complete, metric=self.scorer, settings=self.settings)

    def system_row(self, system: int, name: str) -> SystemResult:
        """Score and interval of one system."""
        place = self.sample.members.index(system)
        row = SystemResult(
            system=name,
            n_segments=self.sample.n_segments,
            n_units=self.sample.n_units,
            score=number_or_none(self.scores[place]),
            flags=ordered(self._flags() | self.cautions.of_system(name) | holding(undefined=not self.defined[place])),
        )
        return with_interval(row, self.replicates[place], self.scorer, self.settings) if self.defined[place] else row

    def pair_rows(self, names: Sequence[str]) -> dict[tuple[int, int], PairResult]:
        """All that can be said about single pairs; decisions may also depend on the other pairs."""
        places = self.sample.places
        usable: NDArray[np.bool_] = np.all(self.defined[places], axis=1)
        rows = {
            pair: self._bare_row(pair, first, second, names)
            for pair, (first, second) in zip(self.sample.pairs, places, strict=True)
        }
        tested = [pair for pair, defined in zip(self.sample.pairs, usable, strict=True) if defined]
        places = places[usable]
        updates = self._bootstrap(places)
        if self.scorer.higher_is_better is not None:
            for update, randomization in zip(updates, self._randomization(places), strict=True):
                update.update(randomization)
        return rows | {pair: with_fields(rows[pair], update) for pair, update in zip(tested, updates, strict=True)}

    def _bare_row(self, pair: tuple[int, int], first: int, second: int, names: Sequence[str]) -> PairResult:
        score_a, score_b = self.scores[first], self.scores[second]
        segments = self.sample.segments
        flags = self._flags() | holding(
            identical_output=bool(score_a == score_b and np.array_equal(segments[first], segments[second])),
            undefined=not (self.defined[first] and self.defined[second]),
            very_few_units=self.sample.n_units < VERY_FEW_UNITS,
            one_unit=self.sample.n_units == 1,
        )
        flags |= self.cautions.of_pair(names[pair[0]], names[pair[1]])
        return PairResult(
            system_a=names[pair[0]],
            system_b=names[pair[1]],
            n_segments=self.sample.n_segments,
            n_units=self.sample.n_units,
            score_a=number_or_none(score_a),
            score_b=number_or_none(score_b),
            delta=number_or_none(score_a - score_b),
            n_resamples=self.settings.n_resamples,
            n_trials=self.settings.n_trials,
            flags=ordered(flags),
        )

    def _observed(self, places: IntArray) -> FloatArray:
        observed: FloatArray = self.scores[places[:, 0]] - self.scores[places[:, 1]]
        return observed

    def _bootstrap(self, places: IntArray) -> list[dict[str, Any]]:
        """Intervals and bootstrap tests of pairs, as fields of their rows."""
        step = max(1, _CELLS_AT_ONCE // self.settings.n_resamples)
        fields: list[dict[str, Any]] = []
        for start in range(0, len(places), step):
            part = places[start : start + step]
            differences = self.replicates[part[:, 0]] - self.replicates[part[:, 1]]
            fields.extend(bootstrap_fields(differences, self._observed(part), self.scorer, self.settings))
        if self.sacrebleu is not None and self.scorer.higher_is_better is not None:
            p_values = self.sacrebleu.p_values(places, self._observed(places))
            for update, value in zip(fields, p_values, strict=True):
                update["p_sacrebleu_bs"] = float(value)
        return fields

    def _randomization(self, places: IntArray) -> list[dict[str, Any]]:
        """Randomization tests of pairs, as fields of their rows."""
        if not len(places):
            return []
        scorer, settings, units = self.scorer, self.settings, self.sample.units
        n_units, observed = self.sample.n_units, self._observed(places)
        exact, counts = _count_swaps(units, scorer, places, observed, settings, **self.work)
        fields = _randomization_fields(exact, counts)
        if self.sacrebleu is None:
            return fields
        if exact or scorer.formula != scorer.sacrebleu_formula:
            signs = draws.swap_signs(settings.seed, n_units, settings.n_trials)
            formula, threads = scorer.sacrebleu_formula, self.work["threads"]
            counts = count_swaps(
                units, scorer.sacrebleu_scores, places, observed, signs, formula=formula, threads=threads
            )
        for update, value in zip(fields, p_sacrebleu_randomization(counts.more, counts.n_trials), strict=True):
            update["p_sacrebleu_ar"] = float(value)
        return fields


def _count_swaps(
    units: FloatArray,
    scorer: Scorer,
    places: IntArray,
    observed: FloatArray,
    settings: ResamplingSettings,
    *,
    threads: int,
    progress: Progress | None,
) -> tuple[bool, SwapCounts]:
    """Whether all ways to swap were tried, and how many trials are extreme."""
    n_units = units.shape[1]
    counts = count_swaps(
        units,
        scorer.corpus_scores,
        places,
        observed,
        draws.swaps(settings.seed, n_units, settings.n_trials),
        tolerance=TOLERANCE * scorer.scale,
        formula=scorer.formula,
        threads=threads,
        progress=progress,
    )
    return draws.is_enumerable(n_units, settings.n_trials), counts


def _randomization_fields(exact: bool, counts: SwapCounts) -> list[dict[str, Any]]:
    p_values = p_randomization(counts.at_least, counts.n_trials, exact=exact)
    return [{"p_ar": float(value), "ar_exact": exact} for value in p_values]


class _FurtherResamples:
    """Tests some pairs again with more resamples or trials of the same streams of draws."""

    def __init__(
        self,
        parts: Sequence[Sample],
        order: Sequence[tuple[int, int]],
        scorer: Scorer,
        settings: ResamplingSettings,
        threads: int,
        progress: Progress | None,
    ) -> None:
        self.origin = {
            pair: (sample, place)
            for sample in parts
            for pair, place in zip(sample.pairs, sample.places.tolist(), strict=True)
        }
        self.order = order
        self.scorer = scorer
        self.settings = settings
        self.work: dict[str, Any] = {"threads": threads, "progress": progress}

    def __call__(self, test: str, numbers: Sequence[int], n: int) -> list[dict[str, Any] | None]:
        """Fields of the pairs with these numbers from `n` resamples or trials, as `sequential.Resample` says."""
        make = {"bootstrap": self._bootstrap, "randomization": self._randomization}[test]
        step = max(1, _CELLS_AT_ONCE // n)
        by_sample: dict[int, list[int]] = {}
        for position, number in enumerate(numbers):
            by_sample.setdefault(id(self.origin[self.order[number]][0]), []).append(position)
        found: list[dict[str, Any] | None] = [None] * len(numbers)
        for positions in by_sample.values():
            for start in range(0, len(positions), step):
                chosen = positions[start : start + step]
                origins = [self.origin[self.order[numbers[position]]] for position in chosen]
                members, places = np.unique([place for _, place in origins], return_inverse=True)
                sample = origins[0][0]
                scores = score_rows(sample.segments[members], self.scorer)
                places = places.reshape(-1, 2)
                if self.work["progress"] is not None:
                    self.work["progress"].expect(n)
                rows = make(sample.units[members], places, scores[places[:, 0]] - scores[places[:, 1]], n)
                for position, row in zip(chosen, rows, strict=True):
                    found[position] = row
        return found

    def _bootstrap(
        self, units: FloatArray, places: IntArray, observed: FloatArray, n: int
    ) -> list[dict[str, Any] | None]:
        counts = draws.draw_counts(self.settings.seed, units.shape[1], n)
        replicates = bootstrap_replicates(units, self.scorer.corpus_scores, counts, **self.work)
        differences = replicates[places[:, 0]] - replicates[places[:, 1]]
        return further_fields(differences, observed, self.scorer, replace(self.settings, n_resamples=n))

    def _randomization(
        self, units: FloatArray, places: IntArray, observed: FloatArray, n: int
    ) -> list[dict[str, Any] | None]:
        settings = replace(self.settings, n_trials=n)
        return [*_randomization_fields(*_count_swaps(units, self.scorer, places, observed, settings, **self.work))]
