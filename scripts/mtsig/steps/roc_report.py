"""A ROC study's parts put together: its tables, and their csv, md, tex and figures."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mtsig.report import figures as charts
from mtsig.report import roc as pages
from mtsig.report.render import Table
from mtsig.steps.gathering import gathered, write_table_files
from mtsig.steps.roc import ROC_TABLES

__all__ = ["roc_report"]

StrPath = str | os.PathLike[str]
Rows = list[dict[str, Any]]

#: Tables for reading; curves and bands have too many rows for it.
_READING: dict[str, Callable[[Rows], list[Table]]] = {
    "auc": pages.auc_tables,
    "auc_pairs": pages.pair_tables,
    "decisions": pages.decision_tables,
    "hulls": pages.hull_tables,
}
_TITLES = {
    "auc": "areas under the curves",
    "auc_pairs": "differences of areas",
    "decisions": "what to review",
    "hulls": "which QE system to use where",
}


def roc_report(*, study: str, parts: Sequence[StrPath], tables: Sequence[StrPath], figures: Sequence[StrPath]) -> None:
    """Put the parts of a ROC study together.

    Parameters
    ----------
    study
        Name of the study.
    parts
        The tables of each test set.
    tables
        The files to write, ``{table}.{parquet,csv,md,tex}``.
    figures
        The figures to write, ``curves`` and ``hulls`` with a format (svg, png, pdf).
    """
    found = {name: gathered(parts, name) for name in ROC_TABLES}
    rows: dict[str, Rows] = {name: table.to_pylist() for name, table in found.items()}
    for name in ROC_TABLES:
        write_table_files(
            [path for path in map(Path, tables) if path.stem == name],
            name,
            found[name],
            _READING[name](rows[name]) if name in _READING else [],
            title=f"{study}: {_TITLES.get(name, name)}",
        )
    charts_of: Mapping[str, Callable[[], Any]] = {
        "curves": lambda: pages.curves_figure(rows["curve"], rows["bands"], rows["auc"]),
        "hulls": lambda: pages.hulls_figure(rows["curve"], rows["hulls"], rows["decisions"]),
    }
    for name, chart in charts_of.items():
        charts.save(chart(), [path for path in map(Path, figures) if path.stem == name])
