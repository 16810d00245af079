"""A ROC study's parts put together: its tables, and their csv, md, tex and figures."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from mtsig.contracts import TABLES
from mtsig.io import read_table, write_table, write_text
from mtsig.report import figures as charts
from mtsig.report import roc as pages
from mtsig.report.render import Table, csv, latex, markdown
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
    gathered = {name: _gathered(parts, name) for name in ROC_TABLES}
    rows: dict[str, Rows] = {name: table.to_pylist() for name, table in gathered.items()}
    for path in map(Path, tables):
        _write(path, gathered[path.stem], rows[path.stem], study)
    charts_of: Mapping[str, Callable[[], Any]] = {
        "curves": lambda: pages.curves_figure(rows["curve"], rows["bands"], rows["auc"]),
        "hulls": lambda: pages.hulls_figure(rows["curve"], rows["hulls"], rows["decisions"]),
    }
    for name, chart in charts_of.items():
        charts.save(chart(), [path for path in map(Path, figures) if path.stem == name])


def _gathered(parts: Iterable[StrPath], name: str) -> pa.Table:
    """The rows of one table from all test sets, in the order of the parts."""
    found = [read_table(path) for path in map(Path, parts) if path.stem == name]
    return pa.concat_tables([table.replace_schema_metadata() for table in found])


def _write(path: Path, table: pa.Table, rows: Rows, study: str) -> None:
    name = path.stem
    if path.suffix == ".parquet":
        write_table(path, table, TABLES[name])
    elif path.suffix == ".csv":
        write_text(path, csv(rows, TABLES[name].names))
    else:
        render = {".md": markdown, ".tex": latex}[path.suffix]
        write_text(path, render(_READING[name](rows), title=f"{study}: {_TITLES[name]}"))
