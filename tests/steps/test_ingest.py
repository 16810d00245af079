"""The ingest step: files in, tables and findings out."""

from __future__ import annotations

import dataclasses
import json
import logging
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from mtsig import read
from mtsig.contracts import TABLES
from mtsig.errors import InputError
from mtsig.io import arrow_schema
from mtsig.steps.evaluation_set import load
from mtsig.steps.ingest import ingest

Paths = dict[str, Path]


@pytest.fixture
def outputs(tmp_path: Path) -> Paths:
    return {
        "segments": tmp_path / "results" / "segments.parquet",
        "hypotheses": tmp_path / "results" / "hypotheses.parquet",
        "lint": tmp_path / "results" / "lint.json",
    }


def jsonl(folder: Path, rows: list[dict[str, Any]]) -> dict[str, Any]:
    path = folder / "texts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return {"format": "jsonl", "langpair": "de-en", "path": str(path), "references": {"r1": "r1", "r2": "r2"}}


ROWS = [
    {
        "segment_id": "s1",
        "source": "x",
        "r1": "Ein Satz.",
        "r2": None,
        "b": "null",
        "org/a v1.2": "NA",
        "document": "d",
    },
    {"segment_id": "s2", "source": "", "r1": None, "r2": "", "b": None, "org/a v1.2": '"q', "document": "e"},
]


def test_tables_keep_to_the_contract(tmp_path: Path, outputs: Paths) -> None:
    """B40, B43, B55: order, types, null and empty, and names as data."""
    ingest(testset="t", settings=jsonl(tmp_path, ROWS), **outputs)
    segments, hypotheses = pq.read_table(outputs["segments"]), pq.read_table(outputs["hypotheses"])
    assert segments.schema.equals(arrow_schema(TABLES["segments"]))
    assert hypotheses.schema.equals(arrow_schema(TABLES["hypotheses"]))
    assert segments["references"].to_pylist() == [["Ein Satz.", None], [None, ""]]
    assert segments["segment"].to_pylist() == [0, 1]
    assert segments["segment_id"].to_pylist() == ["s1", "s2"]
    assert json.loads(segments.schema.metadata[b"mtsig.references"]) == ["r1", "r2"]
    assert hypotheses["system"].to_pylist() == ["b", "b", "org/a v1.2", "org/a v1.2"]
    assert hypotheses["hypothesis"].to_pylist() == ["null", None, "NA", '"q']


def test_what_was_written_is_read_back(tmp_path: Path, outputs: Paths) -> None:
    """Everything but the findings, which stand in lint.json."""
    settings = jsonl(tmp_path, ROWS)
    ingest(testset="t", settings=settings, **outputs)
    expected = dataclasses.replace(read("t", settings), findings=())
    assert load(outputs["segments"], outputs["hypotheses"]) == expected


def test_without_references_lists_are_empty(tmp_path: Path, outputs: Paths) -> None:
    """A test set for metrics from files."""
    settings = {**jsonl(tmp_path, ROWS), "references": None, "systems": ["b"]}
    ingest(testset="t", settings=settings, **outputs)
    assert pq.read_table(outputs["segments"])["references"].to_pylist() == [[], []]
    assert load(outputs["segments"], outputs["hypotheses"]).references == {}


def test_findings_are_written_and_warnings_are_said(
    tmp_path: Path, outputs: Paths, caplog: pytest.LogCaptureFixture
) -> None:
    """B41: counts reach the file and the console."""
    with caplog.at_level(logging.WARNING):
        ingest(testset="t", settings=jsonl(tmp_path, ROWS), **outputs)
    written = json.loads(outputs["lint"].read_text())
    assert written["schema_version"] == 1
    assert [(row["level"], row["code"], row["system"], row["segment"]) for row in written["findings"]] == [
        ("warning", "missing_hypotheses", "b", 1),
        ("warning", "missing_references", None, 0),
        ("warning", "missing_references", None, 1),
        ("warning", "blank_references", None, 1),
        ("warning", "blank_sources", None, 1),
    ]
    assert "t: system b: 1 of 2 (50.0%) hypotheses are missing" in caplog.text


def test_a_failure_leaves_nothing_behind(tmp_path: Path, outputs: Paths) -> None:
    """Nothing is written before everything is known to be right."""
    with pytest.raises(InputError, match="occurs twice"):
        ingest(testset="t", settings=jsonl(tmp_path, [ROWS[0], ROWS[0]]), **outputs)
    assert not outputs["segments"].parent.exists()


def test_tables_of_two_runs_do_not_mix(tmp_path: Path, outputs: Paths) -> None:
    """Hypotheses of another number of segments are refused."""
    ingest(testset="t", settings=jsonl(tmp_path, ROWS), **outputs)
    other = {**outputs, "segments": tmp_path / "other.parquet"}
    ingest(testset="t", settings=jsonl(tmp_path, ROWS[:1]), **{**other, "hypotheses": tmp_path / "h.parquet"})
    with pytest.raises(InputError, match="does not belong to"):
        load(other["segments"], outputs["hypotheses"])


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_the_same_texts_give_the_same_tables(tmp_path: Path, outputs: Paths, suffix: str) -> None:
    """B37, B69: byte-order mark, line ends, compression and the order of systems leave no trace in the tables."""
    import gzip
    import lzma

    compress = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress}[suffix]
    for name, data in (("A", b"\xef\xbb\xbfone\r\ntwo\r\n"), ("B", b"eins\nzwei"), ("plainA", b"one\ntwo\n")):
        (tmp_path / f"{name}.txt{suffix}").write_bytes(compress(data))
    paths = {name: str(tmp_path / f"{name}.txt{suffix}") for name in ("A", "B", "plainA")}
    ingest(testset="t", settings={"langpair": "de-en", "systems": {"B": paths["B"], "A": paths["A"]}}, **outputs)
    first = pq.read_table(outputs["hypotheses"])
    ingest(testset="t", settings={"langpair": "de-en", "systems": {"A": paths["plainA"], "B": paths["B"]}}, **outputs)
    assert pq.read_table(outputs["hypotheses"]).equals(first)


@pytest.mark.parametrize(
    ("testset", "langpair", "n_segments", "n_systems"),
    [
        ("wmt23", "en-de", 557, 12),
        ("wmt23", "zh-en", 1976, 15),
        ("wmt22", "en-zh", 2037, 13),
        ("wmt24", "en-is", 998, 4),
    ],
)
def test_shared_data(
    shared_data: Path, outputs: Paths, testset: str, langpair: str, n_segments: int, n_systems: int
) -> None:
    """Real test sets, with documents and domains."""
    settings = {"format": "mtme", "langpair": langpair, "root": str(shared_data / "mtme" / testset)}
    ingest(testset=testset, settings=settings, **outputs)
    evaluation = load(outputs["segments"], outputs["hypotheses"])
    assert (evaluation.n_segments, len(evaluation.systems)) == (n_segments, n_systems)
    assert pq.read_table(outputs["hypotheses"]).num_rows == n_segments * n_systems
