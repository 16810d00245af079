r"""The one place where text is read from files.

Bytes become text by strict UTF-8, lines end at ``"\n"`` and nowhere else, and whatever is dropped on the way (a
byte-order mark at the start, the carriage return of a Windows line end) is counted, so that it can be reported.
"""

from __future__ import annotations

import gzip
import json
import lzma
import os
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mtsig.corpus.model import Finding
from mtsig.errors import InputError

__all__ = [
    "COMPRESSED",
    "Text",
    "decode",
    "decompressed_limit",
    "parse_json",
    "read_bytes",
    "read_json",
    "read_lines",
    "read_text",
    "repeated",
]

#: Suffixes of files that are decompressed while they are read.
COMPRESSED = (".gz", ".xz")

# A compressed file may grow to this factor of its size, but is always allowed the floor and never more than the
# ceiling: real text grows tenfold, a compression bomb a thousandfold.
_GROWTH, _FLOOR, _CEILING = 200, 64 << 20, 4 << 30
_CHUNK = 1 << 20
_BOM = "\ufeff"


@dataclass(frozen=True)
class Text:
    """The decoded text of a file, and what was dropped from it.

    Parameters
    ----------
    path
        The file.
    text
        Its text without a byte-order mark at the start, line ends as in the file.
    byte_order_mark
        Whether there was one.
    """

    path: Path
    text: str
    byte_order_mark: bool

    def lines(self) -> list[str]:
        r"""The lines: split at line feeds only, without the one carriage return that may stand before each.

        A line feed at the very end closes the last line and opens no other.

        Examples
        --------
        >>> Text(Path("x"), "a\u2028b\r\nc\rd\n", False).lines()
        ['a\u2028b', 'c\rd']
        """
        text = self.text.replace("\r\n", "\n")
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()
        return lines

    def findings(self, system: str | None = None) -> tuple[Finding, ...]:
        """Report what was dropped, in the name of a system where the file holds one system's output."""
        found = []
        if self.byte_order_mark:
            message = f"{self.path} starts with a byte-order mark (U+FEFF); it was dropped. Save the file without it."
            found.append(Finding("warning", "byte_order_mark", message, system, 0))
        windows = self.text.count("\r\n")
        if windows:
            total = self.text.count("\n")
            message = (
                f"{self.path} has Windows line ends on {windows} of {total} lines; the carriage returns were "
                "dropped. Save the file with plain line feeds."
            )
            found.append(Finding("warning", "windows_line_ends", message, system))
        return tuple(found)


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file, decompressed where its name ends in ``.gz`` or ``.xz``.

    Raises
    ------
    InputError
        If the file cannot be read, is damaged, or grows beyond all reason when decompressed.
    """
    path = Path(path)
    try:
        if path.suffix not in COMPRESSED:
            return path.read_bytes()
        limit = decompressed_limit(path)
        with gzip.open(path) if path.suffix == ".gz" else lzma.open(path) as file:
            return _bounded(path, file, limit)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file.") from None
    except IsADirectoryError:
        raise InputError(f"{path}: this is a folder, but a file is needed.") from None
    except (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error) as error:
        raise InputError(f"{path}: cannot be decompressed ({error}); the file is damaged or misnamed.") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}).") from None
    except MemoryError:
        # An xz file says itself how much memory its reader needs.
        raise InputError(f"{path}: needs more memory than there is.") from None


def decompressed_limit(path: Path) -> int:
    """What a compressed file may grow to, in bytes."""
    return min(_CEILING, max(_FLOOR, _GROWTH * path.stat().st_size))


def _bounded(path: Path, file: gzip.GzipFile | lzma.LZMAFile, limit: int) -> bytes:
    """Read everything from `file`, or refuse once it exceeds `limit` bytes."""
    chunks, size = [], 0
    while chunk := file.read(_CHUNK):
        size += len(chunk)
        if size > limit:
            raise InputError(
                f"{path}: decompresses to more than {limit:,} bytes; decompress it by hand if that is meant."
            )
        chunks.append(chunk)
    return b"".join(chunks)


def decode(data: bytes, path: str | os.PathLike[str]) -> Text:
    r"""Decode strict UTF-8.

    Raises
    ------
    InputError
        If `data` is not UTF-8, naming the line and the byte.

    Examples
    --------
    >>> decode(b"gut\ncaf\xe9\n", "outputs/A.txt")
    Traceback (most recent call last):
    mtsig.errors.InputError: outputs/A.txt, line 2: byte 4 (0xE9) is not UTF-8. Convert the file, for example with
    "iconv -f LATIN1 -t UTF-8".
    """
    path = Path(path)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(
            f'{path}: this is UTF-16, not UTF-8. Convert the file, for example with "iconv -f UTF-16 -t UTF-8".'
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = error.start - data.rfind(b"\n", 0, error.start)
        raise InputError(
            f"{path}, line {line}: byte {byte} (0x{data[error.start]:02X}) is not UTF-8. Convert the file, for example "
            'with "iconv -f LATIN1 -t UTF-8".'
        ) from None
    marked = text.startswith(_BOM)
    return Text(path, text[1:] if marked else text, marked)


def read_text(path: str | os.PathLike[str]) -> Text:
    """Read and decode a file; see `read_bytes` and `decode` for the errors."""
    return decode(read_bytes(path), path)


def read_json(path: str | os.PathLike[str]) -> Any:
    """The content of a JSON file.

    Raises
    ------
    InputError
        If the file is not JSON; see also `read_text`.
    """
    text = read_text(path).text
    try:
        return parse_json(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: is not JSON ({error}).") from None


def parse_json(text: str) -> Any:
    """The value that a JSON text spells.

    Raises
    ------
    ValueError, RecursionError
        If the text is no JSON, an object has a name twice, or brackets are nested too deep.
    """
    return json.loads(text, object_pairs_hook=_object)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object whose names are unique."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError(f"the name {repeated(name for name, _ in pairs)!r} occurs twice")
    return found


def repeated(names: Iterable[str]) -> str | None:
    """The first name that occurred before; None if all differ.

    Examples
    --------
    >>> repeated(["a", "b", "a", "b"])
    'a'
    """
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def read_lines(path: str | os.PathLike[str]) -> list[str]:
    """The lines of a text file, for files in which nothing that is dropped needs a report."""
    return read_text(path).lines()
