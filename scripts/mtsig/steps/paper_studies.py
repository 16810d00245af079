"""The step `paper_studies`: tables and figures of studies for a paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mtsig import io
from mtsig.contracts import TABLES
from mtsig.io import StrPath
from mtsig.report import figures as charts
from mtsig.report.paper import document
from mtsig.report.render import csv, latex, markdown
from mtsig.report.studies import draw, tables_for_reading

__all__ = ["paper_studies"]


def paper_studies(
    *,
    tables: Sequence[StrPath],
    named: Mapping[str, Mapping[str, Any]],
    studies: Mapping[str, Mapping[str, Any]],
    files: Sequence[StrPath],
) -> None:
    """Write the tables and figures of studies that the configuration names for the paper.

    Parameters
    ----------
    tables
        The Parquet tables of these studies, as ``.../{study}/{table}.parquet``.
    named
        Name in the paper to ``study`` and ``table`` or ``figure``.
    studies
        Study to its ``kind`` and the options that its tables for reading and its figures depend on.
    files
        The files to write: ``{name}.csv``, ``.md``, ``.tex`` (to be read in) and ``.standalone.tex`` (compiles by
        itself) for every table, ``{name}.pdf`` and ``.svg`` for every figure.
    """
    paths = {(path.parent.name, path.stem): path for path in map(Path, tables)}
    for name, entry in named.items():
        study, table, figure = entry["study"], entry["table"], entry["figure"]
        kind = studies[study]["kind"]
        own = [path for path in map(Path, files) if path.name.partition(".")[0] == name]
        rows = {other: io.read_table(path).to_pylist() for (owner, other), path in paths.items() if owner == study}
        if table is None:
            charts.save(draw(kind, figure, rows, studies[study]), own)
            continue
        shown = tables_for_reading(kind, table, rows[table], studies[study])
        body = latex(shown, title=name)
        texts = {
            "csv": csv(rows[table], list(TABLES[table])),
            "md": markdown(shown, title=name),
            "tex": body,
            "standalone.tex": document(body),
        }
        for path in own:
            io.write_text(path, texts[path.name.partition(".")[2]])
