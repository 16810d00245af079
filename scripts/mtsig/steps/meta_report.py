"""A meta-evaluation's parts put together: its tables, and their csv, md, tex and figures."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from mtsig.report import figures as charts
from mtsig.report import meta as pages
from mtsig.report.render import Table
from mtsig.steps.gathering import gathered, write_table_files
from mtsig.steps.meta import META_TABLES

__all__ = ["meta_report"]

StrPath = str | os.PathLike[str]
Rows = list[dict[str, Any]]

_TITLES = {
    "correlations": "agreement with human scores",
    "metric_pairs": "tests between metrics",
    "system_scores": "systems",
}


def meta_report(
    *,
    study: str,
    gold: str | Sequence[str],
    parts: Sequence[StrPath],
    tables: Sequence[StrPath],
    figures: Sequence[StrPath],
) -> None:
    """Put the parts of a meta-evaluation together.

    Parameters
    ----------
    study
        Name of the study.
    gold
        Its human scores.
    parts
        The tables of each test set.
    tables
        The files to write, ``{table}.{parquet,csv,md,tex}``.
    figures
        The figures to write, ``agreement`` and ``systems`` with a format (svg, png, pdf).
    """
    golds = [gold] if isinstance(gold, str) else list(gold)
    found = {name: gathered(parts, name) for name in META_TABLES}
    rows: dict[str, Rows] = {name: table.to_pylist() for name, table in found.items()}
    reading: dict[str, Callable[[Rows], list[Table]]] = {
        "correlations": pages.agreement_tables,
        "metric_pairs": pages.comparison_tables,
        "system_scores": partial(pages.standing_tables, golds=golds),
    }
    for name in META_TABLES:
        write_table_files(
            [path for path in map(Path, tables) if path.stem == name],
            name,
            found[name],
            reading[name](rows[name]),
            title=f"{study}: {_TITLES[name]}",
        )
    paths = {name: [path for path in map(Path, figures) if path.stem == name] for name in ("agreement", "systems")}
    charts.save(pages.agreement_figure(rows["correlations"]), paths["agreement"])
    charts.save(pages.standing_figure(rows["system_scores"], golds), paths["systems"])
