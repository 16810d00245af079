"""Reading and writing of files: atomic, deterministic, and strict about what a table holds.

Everything that mtsig writes goes through this module. A file appears under its name only when it is complete: it is
written beside itself under a unique temporary name and then renamed, so neither a killed job nor a second one leaves
a half-written file behind.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from mtsig import __version__
from mtsig.errors import InputError, UnavailableError

__all__ = [
    "METADATA_PREFIX",
    "Schema",
    "StrPath",
    "arrow_schema",
    "atomic",
    "read_json",
    "read_metadata",
    "read_parts",
    "read_table",
    "table_shape",
    "write_json",
    "write_table",
    "write_tables",
    "write_text",
]

METADATA_PREFIX = "mtsig."

StrPath = str | os.PathLike[str]
#: Column name to its type: Arrow's name of it, as in `mtsig.contracts`, or the type itself.
Schema = Mapping[str, str | pa.DataType]
#: Column name to values, a list of rows, or a table.
Columns: TypeAlias = Mapping[str, Any] | list[dict[str, Any]] | pa.Table


@contextlib.contextmanager
def atomic(path: StrPath) -> Iterator[Path]:
    """Give a temporary path in the folder of `path`; on success rename it to `path`, on failure remove it.

    Parameters
    ----------
    path
        The file to be written. Its folder is made where it is missing.

    Yields
    ------
    pathlib.Path
        A unique path that ends like `path`, so that writers which look at the suffix do the right thing.

    Raises
    ------
    UnavailableError
        If there is no room, no permission, or something else in the way.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> with atomic(folder / "note.txt") as temporary:
    ...     _ = temporary.write_text("complete")
    >>> [file.name for file in folder.iterdir()]
    ['note.txt']
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # A name of its own for every writer: an orphan of a killed run may still be writing the same file.
        handle, name = tempfile.mkstemp(prefix=".", suffix="." + path.name[-60:], dir=path.parent)
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            temporary.chmod(0o666 & ~_umask())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else error
        raise UnavailableError(f"{path}: cannot be written ({reason}). Fix this and run again.") from None


def _umask() -> int:
    """The process's file mode creation mask (which can only be read by setting it)."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_text(path: StrPath, text: str) -> None:
    """Write `text` as UTF-8 with line feeds, atomically."""
    with atomic(path) as temporary:
        temporary.write_bytes(text.encode("utf-8"))


def write_json(path: StrPath, value: Any) -> None:
    """Write `value` as strict JSON (no NaN, no infinity), atomically.

    Raises
    ------
    ValueError
        If `value` holds NaN or an infinity.
    """
    write_text(path, json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n")


def read_json(path: StrPath) -> Any:
    """Read strict JSON; NaN and infinities are refused like any other syntax error."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        return json.loads(text, parse_constant=_refuse_constant)
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: cannot be read as JSON ({error}). Delete it and run again.") from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def write_table(
    path: StrPath,
    columns: Columns,
    schema: Schema,
    *,
    metadata: Mapping[str, object] | None = None,
) -> None:
    """Write a Parquet table with exactly the columns of `schema`, atomically.

    Parameters
    ----------
    path
        The Parquet file.
    columns
        Column name to values, a list of rows, or a table, in any order. Values are cast to the types of `schema`.
    schema
        One of `mtsig.contracts`.
    metadata
        Entries for the file's key-value metadata, written under ``mtsig.<key>``; ``mtsig.version`` is always there.

    Raises
    ------
    ValueError
        If a column of `schema` is missing or another one is there, or if a real column holds NaN or an infinity.
    """
    write_tables(path, [columns], schema, metadata=metadata)


def write_tables(
    path: StrPath, parts: Iterable[Columns], schema: Schema, *, metadata: Mapping[str, object] | None = None
) -> None:
    """Write a Parquet table part by part, so that only one part is held at a time; see `write_table`."""
    entries = {"version": __version__, **(metadata or {})}
    texts = {METADATA_PREFIX + key: str(value) for key, value in sorted(entries.items())}
    typed = arrow_schema(schema).with_metadata(texts)
    options = {"compression": "zstd", "write_page_checksum": True}
    with atomic(path) as temporary, pq.ParquetWriter(temporary, typed, **options) as writer:
        for columns in parts:
            writer.write_table(_conforming(columns, typed, path))


def arrow_schema(schema: Schema) -> pa.Schema:
    """Columns of `mtsig.contracts` as Arrow takes them.

    Examples
    --------
    >>> arrow_schema({"flags": "list<string>"}).field("flags").type
    ListType(list<item: string>)
    """
    return pa.schema([(name, _arrow_type(kind)) for name, kind in schema.items()])


def _arrow_type(kind: str | pa.DataType) -> pa.DataType:
    if not isinstance(kind, str):
        return kind
    inner = kind.removeprefix("list<")
    return pa.type_for_alias(kind) if inner == kind else pa.list_(_arrow_type(inner.removesuffix(">")))


def _conforming(columns: Columns, schema: pa.Schema, path: StrPath) -> pa.Table:
    """The columns of a schema as a table of its types, without NaN and infinities."""
    _check_names(path, columns, schema)
    if isinstance(columns, pa.Table):
        table = columns.select(schema.names)
        # A cast loads pyarrow.compute, as long as a small job takes.
        table = table if table.schema.equals(schema) else table.cast(schema)
    elif isinstance(columns, list):
        table = pa.Table.from_pylist(columns, schema=schema)
    else:
        table = pa.table({name: columns[name] for name in schema.names}, schema=schema)
    for field in schema:
        if pa.types.is_floating(field.type):
            column = table[field.name]
            if np.isfinite(column.to_numpy()).sum() + column.null_count < len(column):
                raise ValueError(f"{path}: column {field.name} holds NaN or an infinity")
    return table.replace_schema_metadata(schema.metadata)


def _check_names(path: StrPath, columns: Columns, schema: pa.Schema) -> None:
    """Refuse columns that the schema does not name, and the lack of those that it names."""
    wanted = set(schema.names)
    if isinstance(columns, list):
        wrong = next((wanted ^ row.keys() for row in columns if row.keys() != wanted), set())
    else:
        wrong = wanted ^ set(columns.column_names if isinstance(columns, pa.Table) else columns)
    if wrong:
        raise ValueError(f"{path}: columns missing or unknown: {', '.join(sorted(wrong))}")


def read_table(path: StrPath, columns: list[str] | None = None) -> pa.Table:
    """Read a Parquet table, or say which file is damaged.

    Raises
    ------
    InputError
        If the file is missing, is no Parquet file, or lacks a column.
    """
    # Not `pq.read_table`, which loads what folders of tables and their filters need.
    with _readable(path), _checked(path) as file:
        table = file.read(columns=columns)
        return table if columns is None else table.select(columns)


def read_parts(path: StrPath, columns: list[str] | None, n_rows: int) -> Iterator[pa.Table]:
    """Read columns of a Parquet table `n_rows` rows at a time, so that only one part is held; see `read_table`."""
    with _readable(path), _checked(path) as file:
        for batch in file.iter_batches(batch_size=n_rows, columns=columns):
            part = pa.Table.from_batches([batch])
            yield part if columns is None else part.select(columns)


def table_shape(path: StrPath) -> tuple[int, int]:
    """Numbers of rows and columns that a Parquet file says it has; see `read_table`."""
    with _readable(path):
        metadata = pq.read_metadata(path)
        return metadata.num_rows, metadata.num_columns


def _checked(path: StrPath) -> pq.ParquetFile:
    """A Parquet file whose pages are compared with their checksums (where it has any), so that no bit flips unseen."""
    return pq.ParquetFile(path, page_checksum_verification=True)


@contextlib.contextmanager
def _readable(path: StrPath) -> Iterator[None]:
    """Say which Parquet file is damaged."""
    try:
        yield
    except (OSError, KeyError, UnicodeError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{path}: cannot be read as Parquet ({reason}). Delete it and run again.") from None


def read_metadata(path: StrPath) -> dict[str, str]:
    """The ``mtsig.*`` entries of a Parquet file's metadata, without their prefix."""
    with _readable(path):
        entries = pq.read_schema(path).metadata or {}
    prefix = METADATA_PREFIX.encode()
    return {key[len(prefix) :].decode(): value.decode() for key, value in entries.items() if key.startswith(prefix)}
