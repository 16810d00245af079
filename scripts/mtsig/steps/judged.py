"""Scores of metrics and people as studies of judgments take them: one number per system and segment."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mtsig.errors import ConfigError, InputError
from mtsig.io import StrPath, read_metadata, read_table
from mtsig.resampling.units import document_labels

__all__ = ["Judged", "read_given_scores", "read_judged", "within"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Judged:
    """Scores of one test set.

    Attributes
    ----------
    systems
        Names, sorted.
    scores
        Metric to (n_systems, n_segments) scores of single segments; NaN where there is none.
    statistics
        Metric to (n_systems, n_segments, n_statistics) sufficient statistics.
    statistic_names
        Metric to their names.
    domains, documents
        (n_segments,) names; None where the input has none.
    """

    systems: tuple[str, ...]
    scores: Mapping[str, Floats]
    statistics: Mapping[str, Floats]
    statistic_names: Mapping[str, tuple[str, ...]]
    domains: tuple[str | None, ...]
    documents: tuple[str | None, ...]

    @property
    def n_segments(self) -> int:
        """Number of segments."""
        return len(self.domains)

    def units(self, kept: npt.NDArray[np.intp], resample_unit: str) -> npt.NDArray[np.int64]:
        """Number of the unit (the segment itself or its document) of each of the segments `kept`."""
        if resample_unit == "segment":
            return np.arange(len(kept))
        return document_labels([self.documents[i] for i in kept], [self.domains[i] for i in kept])


def read_judged(
    segments: StrPath,
    scores: Mapping[str, StrPath],
    *,
    systems: Sequence[str] | None = None,
    with_references: bool = False,
) -> Judged:
    """Read the scores of several metrics on one test set.

    Parameters
    ----------
    segments
        The table of segments.
    scores
        Metric to its table of scores.
    systems
        Systems wanted; all where it is None.
    with_references
        Keep systems that are called like a reference, which otherwise are left out unless `systems` names them.

    Returns
    -------
    Judged
        Arrays of all metrics, their systems in the same order.

    Raises
    ------
    ConfigError
        If a wanted system is not there.
    InputError
        If the tables do not belong together.
    """
    frame = read_table(segments, columns=["domain", "document"])
    n_segments = frame.num_rows
    tables = {metric: _read(path, n_segments) for metric, path in scores.items()}
    known = sorted({system for names, *_ in tables.values() for system in names})
    if systems is None:
        references = () if with_references else json.loads(read_metadata(segments).get("references", "[]"))
        chosen = [system for system in known if system not in references]
    else:
        missing = [system for system in systems if system not in known]
        if missing:
            raise ConfigError(f"systems: there is no system {missing[0]!r}. There are: {', '.join(known)}.")
        chosen = sorted(systems)

    def arranged(names: Sequence[str], values: Floats) -> Floats:
        found = np.full((len(chosen), *values.shape[1:]), np.nan)
        for row, system in enumerate(chosen):
            if system in names:
                found[row] = values[names.index(system)]
        return found

    return Judged(
        systems=tuple(chosen),
        scores={metric: arranged(names, values) for metric, (names, values, _, _) in tables.items()},
        statistics={metric: arranged(names, values) for metric, (names, _, values, _) in tables.items()},
        statistic_names={metric: columns for metric, (*_, columns) in tables.items()},
        domains=tuple(frame["domain"].to_pylist()),
        documents=tuple(frame["document"].to_pylist()),
    )


def read_given_scores(
    metrics: Mapping[str, Mapping[str, Any]], *, system: str, n_segments: int, documents: StrPath | None = None
) -> Judged:
    """Read scores of one system from files as they were given, without a test set.

    Parameters
    ----------
    metrics
        Metric to its options; all of kinds that read files.
    system
        The system that the scores are of.
    n_segments
        How many segments it has.
    documents
        File with a row per segment: ``document``, or ``domain<TAB>document``.
    """
    from mtsig.corpus.alignment import Part, check_counts
    from mtsig.corpus.model import EvaluationSet
    from mtsig.corpus.readers.text import document_rows, read_part
    from mtsig.metrics import create_metric

    nothing: tuple[None, ...] = (None,) * n_segments
    ids = tuple(str(row + 1) for row in range(n_segments))
    domains: Sequence[str | None] = nothing
    names: Sequence[str | None] = nothing
    if documents is not None:
        part = read_part(Path(documents), [])
        check_counts([Part("scores of people", nothing), part])
        domains, names = document_rows(part)
    evaluation = EvaluationSet("", "", ids, nothing, nothing, nothing, {}, {system: nothing})
    statistics = {
        name: create_metric(name, options, "").statistics(evaluation)[system][np.newaxis]
        for name, options in metrics.items()
    }
    return Judged(
        systems=(system,),
        scores={name: values[..., 0] for name, values in statistics.items()},
        statistics=statistics,
        statistic_names=dict.fromkeys(statistics, ("value",)),
        domains=tuple(domains),
        documents=tuple(names),
    )


def _read(path: StrPath, n_segments: int) -> tuple[list[str], Floats, Floats, tuple[str, ...]]:
    """Systems of a table of scores, their segment scores, their statistics and the names of these."""
    table = read_table(path)
    owners = table["system"].to_pylist()
    names = owners[:: n_segments or 1]
    if len(owners) != len(names) * n_segments or owners != [name for name in names for _ in range(n_segments)]:
        raise InputError(f"{path} does not belong to the test set's segments. Delete it and run again.")
    statistics = tuple(table.column_names[table.column_names.index("score") + 1 :])

    def column(name: str) -> Floats:
        values = table[name].to_numpy(zero_copy_only=False)
        return np.asarray(values, dtype=np.float64).reshape(len(names), n_segments)

    return names, column("score"), np.stack([column(name) for name in statistics], axis=-1), statistics


def within(judged: Judged, domains: bool | Sequence[str]) -> dict[str | None, npt.NDArray[np.intp]]:
    """Rows of the segments to be analysed together: all of them (None), and those of each domain that is asked for.

    Raises
    ------
    ConfigError
        If a domain is not there.
    """
    found: dict[str | None, npt.NDArray[np.intp]] = {None: np.arange(judged.n_segments)}
    known = sorted({domain for domain in judged.domains if domain is not None})
    wanted = known if domains is True else list(domains or ())
    for domain in wanted:
        if domain not in known:
            there = f"There are: {', '.join(known)}." if known else "The test set has none."
            raise ConfigError(f"domains: there is no domain {domain!r}. {there}")
        found[domain] = np.array([i for i, name in enumerate(judged.domains) if name == domain])
    return found
