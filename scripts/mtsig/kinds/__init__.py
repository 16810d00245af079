"""The kinds of studies: each is declared once, in a module here, and everything else looks it up.

A declaration is light: it names functions and holds none, so that the workflow can read it before any job. Its module
is called like the kind and holds a `StudyKind` called ``KIND``. What the parts mean to each other:

* the rules take inputs, outputs, memory and time from it (`mtsig.plan`);
* the step `study` calls its analysis for one test set (and metric), and writes the tables that come back;
* the step `study_report` puts these together, writes them for reading and draws the figures;
* the page and the paper show the same tables and figures (`mtsig.report.studies`).
"""

from __future__ import annotations

import importlib
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Figure", "StudyKind", "Table", "study_kind"]


@dataclass(frozen=True)
class Table:
    """A table of a study; its columns stand in `mtsig.contracts.TABLES` under the same name.

    Attributes
    ----------
    name
        Of the table and its files.
    title
        What it tells, as the heading of its page; empty for a table that is not for reading.
    function
        Function of the kind's report module that makes tables for reading of its rows.
    options
        Options of the study that this function takes, by their names.
    """

    name: str
    title: str = ""
    function: str = ""
    options: Sequence[str] = ()


@dataclass(frozen=True)
class Figure:
    """A figure of a study.

    Attributes
    ----------
    name
        Of its files.
    function
        Function of the kind's module for figures that draws it.
    tables
        The tables whose rows the function takes, in the order of its arguments.
    options
        Options of the study that it takes, by their names.
    """

    name: str
    function: str
    tables: Sequence[str]
    options: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class StudyKind:
    """All that is to be known of a kind of study, except its options, which its schema describes.

    Attributes
    ----------
    about
        Caption of its figures, in which ``{option}`` stands for the value of an option of the study.
    step
        Module whose function of the kind's name analyses one `mtsig.steps.study.StudyJob`.
    report
        Module with the functions of its tables for reading.
    drawing
        Module with those of its figures; the same if not given.
    tables, figures
        What it makes, in the order in which the page shows it.
    metrics
        The options that name metrics whose scores are needed.
    per_metric
        Whether each metric has a job of its own, instead of one job for all of a test set.
    inputs
        What is needed besides segments and scores: ``hypotheses``, ``systems``, ``truth``.
    packages
        Packages whose version may change a number.
    threads
        That the analysis can use.
    memory, runtime, report_memory, report_runtime
        Arguments of `mtsig.plan.resources.Amounts.grows` for the analysis and the report.
    guide
        Terms and what they mean, for the page's part on how to read it.
    """

    about: str
    step: str
    report: str
    drawing: str = ""
    tables: Sequence[Table]
    figures: Sequence[Figure]
    metrics: Sequence[str]
    per_metric: bool = False
    inputs: Sequence[str] = ()
    packages: Sequence[str]
    threads: int = 4
    memory: Mapping[str, float]
    runtime: Mapping[str, float]
    report_memory: Mapping[str, float] = field(default_factory=lambda: {"base": 700, "tables": 1000})
    report_runtime: Mapping[str, float] = field(default_factory=lambda: {"base": 30, "tables": 10})
    guide: Sequence[tuple[str, str]] = ()

    @property
    def read(self) -> list[Table]:
        """The tables for reading."""
        return [table for table in self.tables if table.function]

    @property
    def shown_options(self) -> list[str]:
        """The options on which tables for reading, figures or their caption depend."""
        parts: list[Table | Figure] = [*self.read, *self.figures]
        return sorted({*(option for part in parts for option in part.options), *_names_in(self.about)})

    def files(self) -> list[str]:
        """The files of a study, below its folder: tables, pages of those for reading, and figures."""
        return [
            *(f"{table.name}.{suffix}" for table in self.tables for suffix in ("parquet", "csv")),
            *(f"{table.name}.{suffix}" for table in self.read for suffix in ("md", "tex")),
            *(f"figures/{figure.name}.{suffix}" for figure in self.figures for suffix in ("svg", "png", "pdf")),
        ]

    def function(self, part: Table | Figure) -> Callable[..., Any]:
        """The function that makes a table for reading, or draws a figure."""
        module = self.drawing or self.report if isinstance(part, Figure) else self.report
        made: Callable[..., Any] = getattr(importlib.import_module(module), part.function)
        return made


def _names_in(text: str) -> list[str]:
    """The names in braces."""
    return [name for _, name, _, _ in string.Formatter().parse(text) if name]


def study_kind(name: str) -> StudyKind:
    """The declaration of a kind of study.

    Examples
    --------
    >>> [table.name for table in study_kind("null").tables]
    ['rejections']
    """
    kind: StudyKind = importlib.import_module(f"{__name__}.{name}").KIND
    return kind
