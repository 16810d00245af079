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
from mtsig.io import StrPath, arrow_schema, read_metadata, read_table, write_table
from mtsig.resampling.scorer import Scorer
from mtsig.resampling.units import document_labels
from mtsig.steps.cells import as_columns, swept
from mtsig.steps.comparison import scorer_of
from mtsig.steps.gaps import refuse_gaps
from mtsig.steps.resample import read_statistics
from mtsig.studies.evidence import NO_DIRECTION, Settings

__all__ = ["Studied", "read_studied"]

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

    def write(self, paths: Mapping[str, StrPath], parts: Mapping[str, Sequence[pa.Table]]) -> None:
        """Write tables: by their names the files, and the parts that all cells have found."""
        for name, path in paths.items():
            empty = arrow_schema(TABLES[name]).empty_table()
            table = pa.concat_tables([empty, *parts[name]])
            write_table(path, table, TABLES[name], metadata={"signature": self.signature})


def read_studied(
    *,
    segments: StrPath,
    scores: StrPath,
    study: str,
    testset: str,
    langpair: str,
    metric: str,
    metric_settings: Mapping[str, Any],
    settings: Mapping[str, Any],
    missing: str,
    directed: bool = False,
) -> Studied:
    """Read what a study works on.

    Parameters
    ----------
    segments, scores
        The tables of ingest and score.
    study, testset, langpair, metric
        Names for the tables' keys.
    metric_settings
        The metric's options.
    settings
        The study's options.
    missing
        ``error`` refuses missing scores; ``intersect`` keeps the segments on which all systems have one.
    directed
        Whether the metric has to have a direction.

    Raises
    ------
    ConfigError
        If a system is not there, or the metric has no direction.
    InputError
        If scores are missing, or no segment is left.
    """
    scorer = scorer_of(metric, metric_settings, langpair)
    if directed and scorer.higher_is_better is None:
        raise ConfigError(NO_DIRECTION)
    texts = read_table(segments, columns=["segment_id", "document", "domain"])
    statistics = read_statistics(scores, scorer.statistic_names, n_segments=texts.num_rows)
    wanted = settings["systems"]
    for system in wanted or ():
        _check_known(system, sorted(statistics), "systems")
    names = tuple(sorted(wanted or statistics))
    if missing == "error":
        refuse_gaps({name: statistics[name] for name in names}, texts["segment_id"].to_pylist(), scores)
    columns = np.stack([scorer.columns(statistics[name]) for name in names])
    kept = np.flatnonzero(~np.isnan(columns).any(axis=(0, 2)))
    if not len(kept):
        raise InputError(f"{scores}: there is no segment on which all of {', '.join(names)} have a score.")
    documents = None
    if any(document is not None for document in texts["document"].to_pylist()):
        labels = document_labels(texts["document"].to_pylist(), texts["domain"].to_pylist())
        documents = np.unique(labels[kept], return_inverse=True)[1].astype(np.int64)
    keys = {"testset": testset, "langpair": langpair, "metric": metric, "study": study}
    signature = read_metadata(scores).get("signature", "")
    return Studied(scorer, names, columns[:, kept], documents, settings, keys, signature)


def _check_known(system: str, known: Sequence[str], option: str) -> None:
    if system not in known:
        raise ConfigError(f"{option}: there is no system {system!r}; there are {', '.join(known)}.")
