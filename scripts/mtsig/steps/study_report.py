"""The step `study_report`: a study's parts put together, as Parquet, csv, tables for reading and figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from mtsig.contracts import TABLES
from mtsig.io import METADATA_PREFIX, StrPath, arrow_schema, read_metadata, read_table, write_table, write_text
from mtsig.kinds import study_kind
from mtsig.report import figures as charts
from mtsig.report.render import csv, latex, markdown
from mtsig.report.studies import draw, tables_for_reading

__all__ = ["study_report"]

Rows = list[dict[str, Any]]

_ROWS_AT_ONCE = 10_000


def study_report(
    *,
    kind: str,
    study: str,
    options: Mapping[str, Any],
    about: str,
    parts: Sequence[StrPath],
    files: Sequence[StrPath],
) -> None:
    """Put the parts of a study together.

    Parameters
    ----------
    kind, study
        Kind and name of the study.
    options
        The options of the study that its tables for reading and its figures depend on.
    about
        Caption of the figures, for Snakemake's own report.
    parts
        The tables of each test set (and metric), each called like its file.
    files
        The files to write: ``{table}.{parquet,csv,md,tex}`` and ``figures/{figure}.{svg,png,pdf}``.
    """
    declared = study_kind(kind)
    titles = {table.name: table.title for table in declared.tables}
    tables = _gathered(parts, list(titles))
    rows = _RowsOf(tables)
    drawn: dict[str, list[Path]] = {}
    for path in map(Path, files):
        name = path.stem
        if path.suffix.removeprefix(".") in charts.FORMATS:
            drawn.setdefault(name, []).append(path)
        elif path.suffix == ".parquet":
            signature = (tables[name].schema.metadata or {}).get(f"{METADATA_PREFIX}signature".encode(), b"").decode()
            write_table(path, tables[name], TABLES[name], metadata={"signature": signature})
        elif path.suffix == ".csv":
            write_text(path, csv(_one_by_one(tables[name]), list(TABLES[name])))
        else:
            render = {".md": markdown, ".tex": latex}[path.suffix]
            shown = tables_for_reading(kind, name, rows[name], options)
            write_text(path, render(shown, title=f"{study}: {titles[name]}"))
    for name, paths in drawn.items():
        charts.save(draw(kind, name, rows, options), paths)


def _gathered(parts: Iterable[StrPath], names: Sequence[str]) -> dict[str, pa.Table]:
    """The rows of each table from all parts, in the order of the parts."""
    paths = list(map(Path, parts))
    gathered = {}
    for name in names:
        own = [path for path in paths if path.stem == name]
        found = [read_table(path).replace_schema_metadata() for path in own]
        signatures = dict.fromkeys(read_metadata(path).get("signature", "") for path in own)
        table = pa.concat_tables([arrow_schema(TABLES[name]).empty_table(), *found])
        gathered[name] = table.replace_schema_metadata({f"{METADATA_PREFIX}signature": "; ".join(signatures)})
    return gathered


class _RowsOf(dict[str, Rows]):
    """The rows of tables, made when they are asked for: those that nothing shows may be a hundred times as many."""

    def __init__(self, tables: Mapping[str, pa.Table]) -> None:
        super().__init__()
        self._tables = tables

    def __missing__(self, name: str) -> Rows:
        rows: Rows = self._tables[name].to_pylist()
        self[name] = rows
        return rows


def _one_by_one(table: pa.Table) -> Iterator[dict[str, Any]]:
    """The rows of a table, of which only some are held at a time."""
    for batch in table.to_batches(max_chunksize=_ROWS_AT_ONCE):
        yield from batch.to_pylist()
