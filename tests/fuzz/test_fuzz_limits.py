"""Inputs that are huge, or small and stand for something huge: done or refused in bounded time and memory."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import os
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hostile import TESTSETS, check_message, write_testset

#: What a command may use here: far less than the bombs stand for.
MEMORY, SECONDS = 3 << 30, 300

_CONFINED = """
import json, resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))
from mtsig.errors import MtsigError
from mtsig.steps.ingest import ingest
out = {{name: Path(sys.argv[1], name) for name in ("segments", "hypotheses", "lint")}}
try:
    ingest(testset="t", settings=json.loads(sys.argv[2]), **out)
except MtsigError as error:
    print(error)
"""


def confined(folder: Path, which: str, content: bytes, *, suffix: str = "") -> str:
    """What the step says about a test set, in a process with little memory and time; nothing where it was taken."""
    settings = write_testset(folder / "in", which, content)
    if suffix:
        main = next(iter(TESTSETS[which][1]))
        (folder / "in" / main).rename(folder / "in" / (main + suffix))
        settings = json.loads(json.dumps(settings).replace(main, main + suffix))
    message = run_confined(folder, settings)
    if message:
        check_message(message)
        assert sorted(path.name for path in folder.iterdir()) == ["in"]
    return message


def run_confined(folder: Path, settings: dict[str, Any]) -> str:
    """What the step says about these settings in such a process."""
    program = _CONFINED.format(memory=MEMORY)
    command = [sys.executable, "-W", "error", "-c", program, str(folder / "out"), json.dumps(settings)]
    # One thread: those of linear algebra take address space, which is what is limited.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "ARROW_NUM_THREADS": "1"}
    run = subprocess.run(
        command, capture_output=True, text=True, timeout=SECONDS, check=False, cwd=folder, env=environment
    )
    assert run.returncode == 0, run.stderr[-2000:]
    return run.stdout.removesuffix("\n")


def _xz_with_huge_dictionary() -> bytes:
    """An xz file whose header asks its reader for 4 GiB of memory."""
    data = bytearray(lzma.compress(b"a\nb\nc\n"))
    size = (data[12] + 1) * 4
    assert data[14:16] == b"\x21\x01"
    data[16] = 40
    data[12 + size - 4 : 12 + size] = zlib.crc32(data[12 : 12 + size - 4]).to_bytes(4, "little")
    return bytes(data)


def _parquet(table: pa.Table) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def _repeated_text() -> bytes:
    """A megabyte of text that twenty thousand rows refer to."""
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 20_000, pa.int32()), pa.array(["x" * 1_000_000]))
    return _parquet(pa.table({"A": column}))


BOMBS = {
    "gz": ("text", lambda: gzip.compress(bytes(30 << 20), 6) * 20, ".gz"),
    "xz": ("text", lambda: lzma.compress(bytes(30 << 20), preset=0) * 20, ".xz"),
    "xz that asks for memory": ("text", _xz_with_huge_dictionary, ".xz"),
    "Parquet of nulls": ("parquet", lambda: _parquet(pa.table({"A": pa.nulls(20_000_000)})), ""),
    "Parquet of one long text": ("parquet", _repeated_text, ""),
    "Parquet of empty texts": ("parquet", lambda: _parquet(pa.table({"A": [""] * 10_000_000})), ""),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_bombs_are_refused(tmp_path, bomb):
    which, content, suffix = BOMBS[bomb]
    assert confined(tmp_path, which, content(), suffix=suffix)


@pytest.mark.parametrize(
    ("which", "content"),
    [
        ("jsonl", b"[" * 100_000),
        ("jsonl", b'{"A": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
        ("arena", b'{"entries": ' + b'{"a":' * 100_000),
        ("arena", b'{"entries": [{"id": 1, "plugin_metrics": ' + b'{"a":' * 900 + b"1" + b"}" * 900 + b"}]}"),
        ("arena", b'{"entries": [{"id": ' + b"9" * 100_000 + b"}]}"),
        ("jsonl", b'{"A": ' + b"9" * 1_000_000 + b"}"),
        ("jsonl", b'{"A": "a", "A": "b"}'),
        ("arena", b'{"entries": [], "entries": [{"id": 1}]}'),
        ("jsonl", b"{" + b",".join(b'"k%d": 1' % i for i in range(100_000)) + b"}"),
        ("jsonl", b"{" + b",".join(b'"k%d": 1' % i for i in [*range(1_000_000), 999_999]) + b"}"),
        ("wmt-xml", b"<doc>" * 300_000),
        ("wmt-xml", b'<dataset><doc id="' + b"x" * 1_000_000 + b'"/></dataset>'),
        ("wmt-xml", b"<dataset " + b" ".join(b'a%d="1"' % i for i in range(100_000)) + b"/>"),
        ("wmt-sgm", b"<!--" * 300_000),
        ("wmt-sgm", b"<doc " * 300_000),
        ("wmt-sgm", b'<doc "' * 300_000),
        ("wmt-sgm", b"<!DOCTYPE " * 100_000),
        ("wmt-sgm", b"<tstset><doc docid=1>" + b"<seg id=1>" * 100_000),
        ("wmt-sgm", b"<tstset " + b"a" * 1_000_000),
        ("csv", b'A,B\n"' + b'""' * 2_000_000),
        ("csv", b"," * 1_000_000),
        ("tsv", b"\t" * 1_000_000),
        ("tsv", b"\n" * 1_000_000),
        ("csv", b"\n" * 1_000_000),
        ("jsonl", b"\n" * 1_000_000),
        ("text", b"\n" * 1_000_000),
        ("documents", b"\n" * 1_000_000),
        ("wmt-xml", b"\n" * 1_000_000),
        ("arena", b"\n" * 1_000_000),
    ],
    ids=lambda value: value if isinstance(value, str) else f"{value[:9]!r}x{len(value)}",
)
def test_what_strains_readers_is_refused(tmp_path, which, content):
    """Deep, wide and endless things, a line more than there should be a million times."""
    assert confined(tmp_path, which, content)


#: Long lines that have cost expressions and tokenizers dear.
LINES = [
    "x",
    " ",
    "\u3000",
    "&",
    "<",
    "1,",
    ".",
    "a.b",
    "-",
    "'\"",
    "\u0301",
    "\u65e5",
    "(",
    "http://",
    "a@",
    "\x85",
    "%",
]


@pytest.mark.slow
@pytest.mark.parametrize("piece", LINES)
def test_lines_of_a_megabyte_are_taken(tmp_path, piece):
    line = (piece * 1_000_000)[:1_000_000].encode()
    assert confined(tmp_path, "text", line + b"\nb\nc\n") == ""


def test_a_line_of_a_megabyte_is_taken(tmp_path):
    line = "".join(piece * 50_000 for piece in LINES).encode()
    assert confined(tmp_path, "text", line + b"\nb\nc\n") == ""


@pytest.mark.parametrize("n_lines", [100_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_as_many_empty_lines_everywhere_are_taken(tmp_path, n_lines):
    """They are that many empty segments."""
    for name in TESTSETS["text"][1]:
        (tmp_path / name).write_bytes(b"\n" * n_lines)
    settings = {"systems": [str(tmp_path / "A.txt")], "references": str(tmp_path / "ref.txt")}
    assert run_confined(tmp_path, {"format": "text", "langpair": "de-en", **settings}) == ""
