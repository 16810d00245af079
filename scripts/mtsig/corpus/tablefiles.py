"""Tables in files: tab-separated, comma-separated (RFC 4180), JSON lines and Parquet, read without any guessing.

A cell of a tsv or csv file is text, whatever it looks like. JSON lines and Parquet have types; text columns must hold
text or null there, and nothing is converted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mtsig.corpus.files import uncompressed_name
from mtsig.corpus.model import Finding
from mtsig.corpus.reports import entry_value
from mtsig.corpus.textfiles import Text, decompressed_limit, parse_json, read_text, repeated
from mtsig.errors import ConfigError, InputError

__all__ = ["TABLE_FORMATS", "Table", "read_table_file", "table_format", "written"]

# Rows of a Parquet file that are unpacked at once, and the bytes that a cell takes at least.
_ROWS_AT_ONCE, _CELL = 1024, 8


@dataclass(frozen=True)
class Table:
    """The cells of a table file, column by column.

    Parameters
    ----------
    path
        The file.
    columns
        Column name to cells, None where a cell is null or absent.
    places
        (n_rows,) where each row stands, such as ``"line 3"``, for messages.
    findings
        What was dropped while reading.
    """

    path: Path
    columns: dict[str, list[Any]]
    places: Sequence[str]
    findings: tuple[Finding, ...] = ()

    @property
    def n_rows(self) -> int:
        """Number of rows, without the header."""
        return len(self.places)

    def find(self, column: str) -> list[Any] | None:
        """The cells of a column, or of a field inside a column of objects (``column.field``); None if there is none."""
        if column in self.columns:
            return self.columns[column]
        outer = column.partition(".")[0]
        if outer == column or outer not in self.columns:
            return None
        return [entry_value({outer: cell}, column) for cell in self.columns[outer]]

    def where(self, conditions: Mapping[str, Any] | None, key: str) -> Table:
        """The rows in which each column of `conditions` holds its value, or one of a list of values.

        Raises
        ------
        ConfigError
            If there is no such column, or no row is left.
        """
        rows = list(range(self.n_rows))
        for column, value in (conditions or {}).items():
            cells = self.cells(column, f"{key}.{column}")
            wanted = {written(item) for item in (value if isinstance(value, list | tuple) else [value])}
            there = dict.fromkeys(written(cells[row]) for row in rows)
            rows = [row for row in rows if written(cells[row]) in wanted]
            if not rows:
                listed = ", ".join(map(repr, list(there)[:8])) + (", ..." if len(there) > 8 else "")
                raise ConfigError(
                    f"{key}.{column}: {self.path} has no row with {' or '.join(map(repr, sorted(wanted)))}. The column "
                    f"holds {listed or 'nothing'}."
                )
        if len(rows) == self.n_rows:
            return self
        columns = {name: [cells[row] for row in rows] for name, cells in self.columns.items()}
        return Table(self.path, columns, [self.places[row] for row in rows], self.findings)

    def cells(self, column: str, key: str) -> list[Any]:
        """The cells of a column, as `find`, that the configuration key `key` names.

        Raises
        ------
        ConfigError
            If there is no such column.
        """
        cells = self.find(column)
        if cells is None:
            raise ConfigError(
                f"{key}: {self.path} has no column {column!r}. Its columns are {', '.join(map(repr, self.columns))}."
            )
        return cells

    def texts(self, column: str, key: str) -> list[str | None]:
        """The cells of a column that must hold text.

        Raises
        ------
        ConfigError
            If there is no such column.
        InputError
            If a cell is neither text nor null.
        """
        cells = self.cells(column, key)
        for place, cell in zip(self.places, cells, strict=True):
            if cell is not None and not isinstance(cell, str):
                raise InputError(
                    f"{self.path}, {place}: {column!r} holds {_shown(cell)}, but text is needed. Put it in quotes, or "
                    f"name the columns that hold texts with {key}."
                )
        return cells

    def ids(self, column: str, key: str) -> list[str]:
        """The cells of a column of identifiers as text; whole numbers are written out.

        Raises
        ------
        ConfigError
            If there is no such column.
        InputError
            If an identifier is missing or is neither text nor a whole number.
        """
        names = []
        for place, cell in zip(self.places, self.cells(column, key), strict=True):
            if isinstance(cell, bool) or not isinstance(cell, str | int):
                raise InputError(f"{self.path}, {place}: {column!r} holds {_shown(cell)}, which is no identifier.")
            names.append(str(cell))
        return names


def written(cell: object) -> str:
    """A cell, or a value of the configuration, as text tables write it.

    Examples
    --------
    >>> written("en-de"), written(3), written(True), written(None)
    ('en-de', '3', 'true', '')
    """
    return "" if cell is None else str(cell).lower() if isinstance(cell, bool) else str(cell)


def _shown(cell: object) -> str:
    text = "null" if cell is None else repr(cell)
    return text if len(text) <= 60 else text[:57] + "..."


def table_format(path: Path) -> str:
    """The format that a file's name announces.

    Raises
    ------
    ConfigError
        If it announces none of `TABLE_FORMATS`.

    Examples
    --------
    >>> table_format(Path("scores/A.tsv.gz")), table_format(Path("scores.parquet"))
    ('tsv', 'parquet')
    """
    suffix = Path(uncompressed_name(path)).suffix[1:].lower()
    if suffix not in TABLE_FORMATS:
        raise ConfigError(
            f"{path}: tables end in {', '.join('.' + name for name in TABLE_FORMATS)}, also with .gz or .xz."
        )
    return suffix


def read_table_file(path: Path, file_format: str) -> Table:
    """Read a table.

    Parameters
    ----------
    path
        The file; ``.gz`` and ``.xz`` are decompressed.
    file_format
        One of `TABLE_FORMATS`.

    Raises
    ------
    InputError
        If the file is not in that format, naming the line.
    """
    return TABLE_FORMATS[file_format](path)


def _tsv(path: Path) -> Table:
    """Cells separated by tabs, without any quoting."""
    text = read_text(path)
    rows = ((number, line.split("\t")) for number, line in enumerate(text.lines(), start=1))
    return _delimited(text, rows)


def _csv(path: Path) -> Table:
    """Cells separated by commas; quoted cells may hold commas, doubled quotes and line breaks (RFC 4180)."""
    text = read_text(path)
    return _delimited(text, _csv_rows(text))


# Possessive, so that a quote which is never closed costs one pass and no memory.
_CSV_CELL = re.compile(r'(?:"((?:[^"]++|"")*+)"|([^",\n][^,\n]*+|))(,|\r?\n|\Z)')


def _csv_rows(text: Text) -> Iterator[tuple[int, list[str]]]:
    content, position, line = text.text, 0, 1
    row: list[str] = []
    start = line
    while position < len(content) or row:
        match = _CSV_CELL.match(content, position)
        if match is None:
            raise InputError(
                f"{text.path}, line {line}: a quoted cell is not closed, or something follows its last quote."
            )
        quoted, plain, end = match.groups()
        if quoted is None and end == "\n" and plain.endswith("\r"):
            plain = plain[:-1]
        row.append(plain if quoted is None else quoted.replace('""', '"'))
        line += match.group().count("\n")
        position = match.end()
        if end != ",":
            yield start, row
            row, start = [], line


def _delimited(text: Text, rows: Iterator[tuple[int, list[str]]]) -> Table:
    """A table from rows of cells of which the first is the header."""
    _, header = next(rows, (0, []))
    _check_header(header, text.path)
    places, cells = [], []
    for number, row in rows:
        if len(row) != len(header):
            raise InputError(
                f"{text.path}, line {number}: has {len(row)} cells, but the header has {len(header)}. Each row needs "
                "one cell per column."
            )
        places.append(f"line {number}")
        cells.append(row)
    columns = map(list, zip(*cells, strict=True)) if cells else ([] for _ in header)
    return Table(text.path, dict(zip(header, columns, strict=True)), places, text.findings())


def _check_header(header: Sequence[str], path: Path) -> None:
    if not any(header):
        raise InputError(f"{path}: the first line must name the columns.")
    twice = repeated(header)
    if twice is not None:
        raise InputError(f"{path}: two columns are called {twice!r}; rename one.")


def _jsonl(path: Path) -> Table:
    """One JSON object per line; a key that a line lacks is null there."""
    text = read_text(path)
    places, rows = [], []
    for number, line in enumerate(text.lines(), start=1):
        if not line.strip():
            raise InputError(f"{path}, line {number}: is blank; every line must be a JSON object.")
        try:
            row = parse_json(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}, line {number}: is not JSON ({error}).") from None
        if not isinstance(row, dict):
            raise InputError(f"{path}, line {number}: is JSON, but not an object with named fields.")
        places.append(f"line {number}")
        rows.append(row)
    names = dict.fromkeys(name for row in rows for name in row)
    return Table(path, {name: [row.get(name) for row in rows] for name in names}, places, text.findings())


def _parquet(path: Path) -> Table:
    """The columns of a Parquet file as they are typed there."""
    # Arrow is needed for this format alone.
    from mtsig.io import read_parts, read_table, table_shape

    if not path.exists():
        raise InputError(f"{path}: there is no such file.")
    limit, n_rows = decompressed_limit(path), 0
    too_large = f"{path}: unpacks to more than {limit:,} bytes; write it as text if that is meant."
    columns: dict[str, list[Any]] = {}
    try:
        # A few bytes can stand for any number of rows or copies of a text, so what they come to is watched.
        size = _CELL * math.prod(table_shape(path))
        if size > limit:
            raise InputError(too_large)
        for part in read_parts(path, None, _ROWS_AT_ONCE):
            _check_header(part.column_names, path)
            n_rows += part.num_rows
            for name in part.column_names:
                for stored in part[name].chunks:
                    cells = stored.dictionary_decode() if hasattr(stored, "dictionary_decode") else stored
                    size += cells.nbytes
                    if size > limit:
                        raise InputError(too_large)
                    columns.setdefault(name, []).extend(cells.to_pylist())
        if not n_rows:
            names = read_table(path).column_names
            _check_header(names, path)
            columns = {name: [] for name in names}
    except InputError as error:
        raise InputError(str(error).replace(" Delete it and run again.", "")) from None
    except (ValueError, OverflowError) as error:
        raise InputError(f"{path}: holds what Python cannot: {error}. Store texts and plain numbers.") from None
    return Table(path, columns, [f"row {number}" for number in range(1, n_rows + 1)])


#: How each format of tables is read.
TABLE_FORMATS: dict[str, Callable[[Path], Table]] = {"tsv": _tsv, "csv": _csv, "jsonl": _jsonl, "parquet": _parquet}
