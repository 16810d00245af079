"""What calibration, null and power studies have in common: the statistics of a metric, the pairs, the swept cells."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mtsig.errors import ConfigError, InputError
from mtsig.io import read_table
from mtsig.resampling.scorer import Scorer
from mtsig.resampling.units import document_labels
from mtsig.steps.resample import read_statistics, scorer_of

__all__ = ["Studied", "as_columns", "joined", "read_studied", "swept"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Path = str | os.PathLike[str]


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
    segments: Path,
    scores: Path,
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
    columns = np.stack([scorer.columns(statistics[name]) for name in names])
    there = np.asarray(~np.isnan(columns).any(axis=2))
    if missing == "error" and not there.all():
        row, segment = (int(found[0]) for found in np.nonzero(~there))
        raise InputError(
            f"{scores}: system {names[row]} has no score on {int((~there[row]).sum())} of {len(there[row])} segments, "
            f"the first is segment {texts['segment_id'][segment].as_py()} (row {segment + 1}). Complete the input, or "
            "set `missing: intersect`."
        )
    kept = np.flatnonzero(there.all(axis=0))
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


def swept(settings: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
    """The seeds and numbers of resamples of a study, each with each."""
    options = ([value] if isinstance(value, int) else value for value in (settings["seed"], settings["n_resamples"]))
    seeds, sizes = options
    yield from itertools.product(seeds, sizes)


def as_columns(
    values: Mapping[str, Any] | Sequence[Mapping[str, Any]], keys: Mapping[str, Any], schema: pa.Schema
) -> pa.Table:
    """Rows or columns of a study with the columns that are equal in all rows; NaN is null.

    Parameters
    ----------
    values
        Column name to array, or rows.
    keys
        Column name to the one value of all rows.
    schema
        The table's columns.
    """
    if isinstance(values, Mapping):
        n_rows = len(next(iter(values.values())))
        found = dict(values)
    else:
        n_rows = len(values)
        own = [name for name in schema.names if name not in keys]
        found = {name: [row[name] for row in values] for name in own}
    columns = {**{key: [value] * n_rows for key, value in keys.items()}, **found}
    return pa.table(
        {field.name: pa.array(columns[field.name], type=field.type, from_pandas=True) for field in schema},
        schema=schema,
    )


def joined(parts: Iterable[pa.Table], schema: pa.Schema) -> pa.Table:
    """All rows, also of no parts."""
    return pa.concat_tables([schema.empty_table(), *parts])
