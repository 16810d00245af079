"""What calibration, null and power studies have in common: the statistics of a metric, the pairs, the files."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mtsig.contracts import TABLES
from mtsig.errors import ConfigError, InputError
from mtsig.io import StrPath, arrow_schema, read_metadata, read_table, write_table
from mtsig.resampling.scorer import Scorer
from mtsig.resampling.units import document_labels
from mtsig.steps.comparison import scorer_of
from mtsig.steps.gaps import refuse_gaps
from mtsig.steps.resample import read_statistics

__all__ = ["Studied", "read_studied", "write_parts"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Studied:
    """The statistics of one metric on one test set.

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
    """

    scorer: Scorer
    systems: tuple[str, ...]
    columns: Floats
    documents: Ints | None

    def pairs(self, named: Sequence[Sequence[str]] | None) -> list[tuple[int, int]]:
        """Positions of the systems of each pair: all pairs where none are named, none for a metric without direction.

        Raises
        ------
        ConfigError
            If a named system is not there, or a pair is one system twice.
        """
        if self.scorer.higher_is_better is None:
            return []
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


def read_studied(
    *,
    segments: StrPath,
    scores: StrPath,
    langpair: str,
    metric: str,
    metric_settings: Mapping[str, Any],
    missing: str,
    systems: Sequence[str] | None = None,
) -> Studied:
    """Read what a study works on.

    Parameters
    ----------
    segments, scores
        The tables of ingest and score.
    langpair, metric, metric_settings
        Of the scores.
    missing
        ``error`` refuses missing scores; ``intersect`` keeps the segments on which all systems have one.
    systems
        Systems wanted; all where it is None.

    Raises
    ------
    ConfigError
        If a system is not there.
    InputError
        If scores are missing, or no segment is left.
    """
    scorer = scorer_of(metric, metric_settings, langpair)
    texts = read_table(segments, columns=["segment_id", "document", "domain"])
    statistics = read_statistics(scores, scorer.statistic_names, n_segments=texts.num_rows)
    for system in systems or ():
        _check_known(system, sorted(statistics), "systems")
    names = tuple(sorted(systems or statistics))
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
    return Studied(scorer, names, columns[:, kept], documents)


def _check_known(system: str, known: Sequence[str], option: str) -> None:
    if system not in known:
        raise ConfigError(f"{option}: there is no system {system!r}; there are {', '.join(known)}.")


def write_parts(paths: Mapping[str, StrPath], parts: Mapping[str, Sequence[pa.Table]], scores: StrPath) -> None:
    """Write the tables of a study: the rows of all its cells, and the signature of the scores that they come from.

    Parameters
    ----------
    paths, parts
        Name of a table to the file to write, and to the rows of each cell.
    scores
        The table of scores.
    """
    metadata = {"signature": read_metadata(scores).get("signature", "")}
    for table, path in paths.items():
        empty = arrow_schema(TABLES[table]).empty_table()
        write_table(path, pa.concat_tables([empty, *parts[table]]), TABLES[table], metadata=metadata)
