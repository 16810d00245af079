"""The step `study`: a study on one test set, or on one test set by one metric."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mtsig.contracts import TABLES
from mtsig.io import Columns, StrPath, write_table
from mtsig.kinds import study_kind
from mtsig.metrics.catalog import direction_of

__all__ = ["StudyJob", "StudyTables", "study"]


@dataclass(frozen=True, kw_only=True)
class StudyJob:
    """What the analysis of a study works on.

    Attributes
    ----------
    study, testset, langpair
        Names for the tables' keys.
    settings
        The study's options.
    metrics
        Metric to its options, in the order in which the study names them.
    missing
        ``error`` refuses missing scores; ``intersect`` leaves such segments out.
    segments
        What `ingest` wrote.
    scores
        What `score` wrote for each of `metrics`.
    hypotheses, systems, truth
        What `ingest` and `resample` wrote and the true scores, where the kind of study needs them.
    threads
        How many threads work; no number depends on it.
    """

    study: str
    testset: str
    langpair: str
    settings: Mapping[str, Any]
    metrics: Mapping[str, Mapping[str, Any]]
    missing: str
    segments: StrPath
    scores: Sequence[StrPath]
    hypotheses: StrPath = ""
    systems: Sequence[StrPath] = ()
    truth: Sequence[StrPath] = ()
    threads: int = 1

    @property
    def keys(self) -> dict[str, str]:
        """What the rows of all tables share."""
        return {"study": self.study, "testset": self.testset, "langpair": self.langpair}

    @property
    def directions(self) -> dict[str, bool | None]:
        """Metric to whether more is better."""
        return {name: direction_of(name, options) for name, options in self.metrics.items()}

    @property
    def score_files(self) -> dict[str, StrPath]:
        """Metric to its table of scores."""
        return dict(zip(self.metrics, self.scores, strict=True))


@dataclass(frozen=True)
class StudyTables:
    """What an analysis found.

    Attributes
    ----------
    tables
        Name of a table to its rows or columns.
    metadata
        Entries for the metadata of all files.
    """

    tables: Mapping[str, Columns]
    metadata: Mapping[str, object] = field(default_factory=dict)


def study(*, kind: str, tables: Sequence[StrPath], threads: int = 1, **work: Any) -> None:
    """Analyse one test set, and write what was found.

    Parameters
    ----------
    kind
        Kind of study.
    tables
        The tables to write, each called like the file.
    threads
        How many threads work; no number depends on it.
    **work
        The other attributes of `StudyJob`.

    Raises
    ------
    ConfigError
        If an option is impossible, or a system or domain is not there.
    InputError
        If scores are missing, or a table is damaged.
    """
    analyse: Callable[[StudyJob], StudyTables] = getattr(importlib.import_module(study_kind(kind).step), kind)
    made = analyse(StudyJob(threads=threads, **work))
    for path in tables:
        name = Path(path).stem
        write_table(path, made.tables[name], TABLES[name], metadata=made.metadata)
