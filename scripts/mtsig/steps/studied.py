"""What calibration, null and power studies have in common: the statistics of a metric, pairs, cells, and tables."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mtsig.contracts import TABLES
from mtsig.errors import ConfigError, InputError
from mtsig.io import arrow_schema, read_metadata, read_table
from mtsig.resampling.scorer import Scorer
from mtsig.resampling.units import document_labels
from mtsig.steps.cells import as_columns, swept
from mtsig.steps.comparison import scorer_of
from mtsig.steps.gaps import refuse_gaps
from mtsig.steps.resample import read_statistics
from mtsig.steps.study import StudyJob, StudyTables
from mtsig.studies.evidence import NO_DIRECTION, Settings

__all__ = ["Studied", "read_studied", "studied_of"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Studied:
    """The statistics of one metric on one test set, and what a study asks of them.

    Attributes
    ----------
    scorer
        What turns sums into scores.
    systems
        Names, sorted.
    columns
        (n_systems, n_segments, k) columns to be summed, without NaN.
    documents
        (n_segments,) number of each segment's document; None where the test set has none.
    settings
        The study's options.
    keys
        What all rows share: names of test set, language pair, metric and study.
    signature
        Of the scores.
    """

    scorer: Scorer
    systems: tuple[str, ...]
    columns: Floats
    documents: Ints | None
    settings: Mapping[str, Any]
    keys: Mapping[str, str]
    signature: str

    def refuse_undirected(self) -> None:
        """Refuse a metric by which nothing is better.

        Raises
        ------
        ConfigError
            If the metric has no direction.
        """
        if self.scorer.higher_is_better is None:
            raise ConfigError(NO_DIRECTION)

    def pairs(self) -> list[tuple[int, int]]:
        """Positions of the systems of each pair: all pairs where none are named, none for a metric without direction.

        Raises
        ------
        ConfigError
            If a named system is not there, or a pair is one system twice.
        """
        if self.scorer.higher_is_better is None:
            return []
        named: Sequence[Sequence[str]] | None = self.settings["pairs"]
        if named is None:
            return list(itertools.combinations(range(len(self.systems)), 2))
        chosen = set()
        for pair in named:
            for system in pair:
                _check_known(system, self.systems, "pairs")
            first, second = sorted(map(self.systems.index, pair))
            if first == second:
                raise ConfigError(f"pairs: {list(pair)} is no pair; name two systems.")
            chosen.add((first, second))
        return sorted(chosen)

    def cells(self) -> Iterator[tuple[dict[str, Any], Settings]]:
        """The swept seeds and numbers of resamples, and with each how its tests are run."""
        names = [field.name for field in fields(Settings)]
        given = {name: self.settings[name] for name in names if name in self.settings}
        for cell in swept(self.settings):
            yield cell, Settings(**{**given, **cell})

    def table(
        self, name: str, values: Mapping[str, Any] | Sequence[Mapping[str, Any]], cell: Mapping[str, Any]
    ) -> pa.Table:
        """Rows or columns that were found in one cell, as part of the table `name`."""
        return as_columns(values, TABLES[name], {**self.keys, **cell})

    def together(self, parts: Mapping[str, Sequence[pa.Table]]) -> dict[str, pa.Table]:
        """The tables of a study, from the parts that its cells have found."""
        return {name: pa.concat_tables([arrow_schema(TABLES[name]).empty_table(), *parts[name]]) for name in parts}

    def signed(self, tables: Mapping[str, pa.Table]) -> StudyTables:
        """Tables with the signature of the scores."""
        return StudyTables(tables, metadata={"signature": self.signature})


def read_studied(job: StudyJob) -> Studied:
    """Read what a study of one metric works on.

    Raises
    ------
    ConfigError
        If a system is not there.
    InputError
        If scores are missing, or no segment is left.
    """
    ((metric, options),) = job.metrics.items()
    (scores,) = job.scores
    scorer = scorer_of(metric, options, job.langpair)
    texts = read_table(job.segments, columns=["segment_id", "document", "domain"])
    statistics = read_statistics(scores, scorer.statistic_names, n_segments=texts.num_rows)
    chosen = job.settings["systems"]
    if job.missing == "error":
        there = {name: rows for name, rows in statistics.items() if not chosen or name in chosen}
        refuse_gaps(there, texts["segment_id"].to_pylist(), scores)
    return studied_of(
        statistics,
        scorer,
        documents=texts["document"].to_pylist(),
        domains=texts["domain"].to_pylist(),
        settings=job.settings,
        keys={**job.keys, "metric": metric},
        signature=read_metadata(scores).get("signature", ""),
    )


def studied_of(
    statistics: Mapping[str, Floats],
    scorer: Scorer,
    *,
    documents: Sequence[str | None],
    domains: Sequence[str | None],
    settings: Mapping[str, Any],
    keys: Mapping[str, str],
    signature: str,
) -> Studied:
    """What a study works on, from the statistics of all systems.

    Segments on which a system has no score are left out.

    Parameters
    ----------
    statistics
        System to its statistics, (n_segments, n_statistics), NaN where there are none.
    documents, domains
        (n_segments,) names; None where the input has none.
    scorer, settings, keys, signature
        As in `Studied`.

    Raises
    ------
    ConfigError
        If a system is not there.
    InputError
        If no segment is left.
    """
    chosen = settings["systems"]
    for system in chosen or ():
        _check_known(system, sorted(statistics), "systems")
    names = tuple(sorted(chosen or statistics))
    columns = np.stack([scorer.columns(statistics[name]) for name in names])
    kept = np.flatnonzero(~np.isnan(columns).any(axis=(0, 2)))
    if not len(kept):
        place = f"{keys['testset']}, {keys['metric']}"
        raise InputError(f"{place}: there is no segment on which all of {', '.join(names)} have a score.")
    numbers = None
    if any(document is not None for document in documents):
        labels = document_labels(documents, domains)
        numbers = np.unique(labels[kept], return_inverse=True)[1].astype(np.int64)
    return Studied(scorer, names, columns[:, kept], numbers, settings, keys, signature)


def _check_known(system: str, known: Sequence[str], option: str) -> None:
    if system not in known:
        raise ConfigError(f"{option}: there is no system {system!r}; there are {', '.join(known)}.")
