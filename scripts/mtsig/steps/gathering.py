"""Tables of a study: its parts put together, and written in every format."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import pyarrow as pa

from mtsig.contracts import TABLES
from mtsig.io import read_table, write_table, write_text
from mtsig.report.render import Table, csv, latex, markdown

__all__ = ["gathered", "write_table_files"]


def gathered(parts: Iterable[str | os.PathLike[str]], name: str) -> pa.Table:
    """The rows of one table from all parts, in the order of the parts; they are told apart by their file names."""
    found = [read_table(path) for path in map(Path, parts) if path.stem == name]
    return pa.concat_tables([table.replace_schema_metadata() for table in found])


def write_table_files(
    paths: Iterable[Path], name: str, table: pa.Table, reading: Sequence[Table], *, title: str
) -> None:
    """Write one table of a study.

    Parameters
    ----------
    paths
        Files whose suffixes say the format: parquet and csv hold the rows, md and tex the tables for reading.
    name
        Name of the table in `mtsig.contracts.TABLES`.
    table
        All rows.
    reading
        The tables for reading.
    title
        Their heading.
    """
    for path in paths:
        if path.suffix == ".parquet":
            write_table(path, table, TABLES[name])
        elif path.suffix == ".csv":
            write_text(path, csv(table.to_pylist(), TABLES[name].names))
        else:
            write_text(path, {".md": markdown, ".tex": latex}[path.suffix](reading, title=title))
