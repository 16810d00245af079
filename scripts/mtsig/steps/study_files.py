"""The gathered files of a study: its parts put together, as Parquet, csv, pages and figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from mtsig.contracts import TABLES
from mtsig.io import METADATA_PREFIX, StrPath, arrow_schema, read_metadata, read_table, write_table, write_text
from mtsig.report import figures as charts
from mtsig.report.render import Table, csv, latex, markdown

__all__ = ["Rows", "gather", "write_files"]

Rows = list[dict[str, Any]]

_ROWS_AT_ONCE = 10_000


def gather(parts: Iterable[StrPath], names: Sequence[str]) -> dict[str, pa.Table]:
    """The rows of each table from all parts, in the order of the parts; a part is called like its table."""
    paths = list(map(Path, parts))
    gathered = {}
    for name in names:
        own = [path for path in paths if path.stem == name]
        found = [read_table(path).replace_schema_metadata() for path in own]
        signatures = dict.fromkeys(read_metadata(path).get("signature", "") for path in own)
        table = pa.concat_tables([arrow_schema(TABLES[name]).empty_table(), *found])
        gathered[name] = table.replace_schema_metadata({f"{METADATA_PREFIX}signature": "; ".join(signatures)})
    return gathered


def write_files(
    files: Iterable[StrPath],
    tables: Mapping[str, pa.Table],
    *,
    study: str,
    pages: Mapping[str, Callable[[Rows], list[Table]]],
    titles: Mapping[str, str],
    figures: Mapping[str, Callable[[Mapping[str, Rows]], Any]],
) -> None:
    """Write the files of a study.

    Parameters
    ----------
    files
        Paths whose names say what they hold: ``{table}.{parquet,csv,md,tex}`` and ``figures/{figure}.{svg,png,pdf}``.
    tables
        The gathered tables.
    study
        Its name.
    pages, titles
        The tables for reading, made from the rows of a table, and what they are about.
    figures
        Charts made from the rows of all tables.
    """
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
            write_text(path, render(pages[name](rows[name]), title=f"{study}: {titles[name]}"))
    for name, paths in drawn.items():
        charts.save(figures[name](rows), paths)


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
