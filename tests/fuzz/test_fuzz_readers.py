"""Readers of test sets and scores: whatever a file holds is read, and can then be kept, or is refused in one line."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hostile import (
    CATEGORIES,
    HOSTILE,
    SCORES,
    TESTSETS,
    any_bytes,
    any_text,
    compressed,
    examples,
    json_value,
    mutated,
    parquet,
    refused,
    write_testset,
)
from hypothesis import given
from hypothesis import strategies as st
from mtsig.corpus.model import EvaluationSet
from mtsig.corpus.reading import read
from mtsig.corpus.scorefiles import join_scores
from mtsig.corpus.textfiles import read_bytes
from mtsig.io import read_table
from mtsig.steps.ingest import ingest
from sacrebleu.dataset import DATASETS

FORMATS = pytest.mark.parametrize("which", list(TESTSETS))
SCORE_FILES = pytest.mark.parametrize("file", list(SCORES))


def ingested(which: str, content: bytes | None = None, *, suffix: str = "") -> str | None:
    """The refusal of a test set whose main file holds `content`; None where all its tables were written."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        before = write_testset(folder / "in", which, content, suffix=suffix)
        out = {name: folder / "out" / f"{name}.parquet" for name in ("segments", "hypotheses", "lint")}
        message = refused(lambda: ingest(testset="t", settings=before, **out))
        written = sorted(path.name for path in folder.rglob("*") if "in" not in path.relative_to(folder).parts)
        if message is None:
            assert read_table(out["segments"]).num_rows
            assert written == ["hypotheses.parquet", "lint.parquet", "out", "segments.parquet"]
        else:
            assert written == []
        return message


def joined(file: str, content: bytes) -> str | None:
    """The refusal of a file of scores; None where scores were read, each finite or absent."""
    ids, nothing = ("0", "1", "2"), (None,) * 3
    texts = {name: tuple(f"{name.lower()} {i}" for i in range(3)) for name in "AB"}
    evaluation = EvaluationSet("t", "de-en", ids, ("d", "d", "e"), nothing, nothing, {}, texts)

    def read() -> None:
        for scores in join_scores({"A": path}, evaluation).values():
            assert scores.shape == (3,)
            assert not np.isinf(scores).any()

    with tempfile.TemporaryDirectory() as place:
        path = Path(place, file)
        path.write_bytes(content)
        return refused(read)


@FORMATS
def test_the_unharmed_files_are_read(which):
    """Else the tests below would show nothing."""
    assert ingested(which) is None


@SCORE_FILES
def test_the_unharmed_scores_are_read(file):
    assert joined(file, SCORES[file]) is None


@FORMATS
@examples(0.2)
@given(data=st.data())
def test_any_bytes_as_a_test_set(which, data):
    ingested(which, data.draw(any_bytes))


@FORMATS
@examples(0.4)
@given(data=st.data())
def test_valid_test_sets_with_hostile_pieces(which, data):
    ingested(which, data.draw(mutated(next(iter(TESTSETS[which][1].values())))))


@SCORE_FILES
@examples(0.3)
@given(data=st.data())
def test_any_bytes_and_hostile_pieces_as_scores(file, data):
    joined(file, data.draw(st.one_of(any_bytes, mutated(SCORES[file]))))


@examples(0.5)
@given(data=st.data())
def test_any_bytes_and_hostile_pieces_in_the_cache_of_sacrebleu(data):
    """In its plain texts and in the XML that they are made from; nothing is downloaded."""
    dataset = DATASETS["wmt22"]
    xml = TESTSETS["wmt-xml"][1]["t.xml"]
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder, "raw", "wmt22-news-systems-1.1", "xml", "wmttest2022.liv-en.all.xml")
        plain = {field: Path(folder, f"wmt22.liv-en.{field}") for field in ("src", "ref", "A")}
        if data.draw(st.booleans()):
            raw.parent.mkdir(parents=True)
            raw.write_bytes(data.draw(st.one_of(any_bytes, mutated(xml))))
        else:
            for path in plain.values():
                path.write_bytes(data.draw(st.one_of(any_bytes, mutated(b"a\nb\nc\n"))))
        offline = mock.patch("urllib.request.urlopen", side_effect=OSError("no network in tests"))
        with mock.patch.multiple(dataset, _outdir=folder, _rawdir=str(Path(folder, "raw"))), offline:
            refused(lambda: read("t", {"format": "sacrebleu", "testset": "wmt22", "langpair": "liv-en"}))


#: Places in a JSON document where a value stands.
_REPORT_FIELDS = ["id", "expected", "predicted", "error", "source", "exact_match"]


@examples(0.5)
@given(field=st.sampled_from(_REPORT_FIELDS), value=json_value, top=json_value)
def test_any_json_in_a_report(field, value, top):
    """Also texts that no file can hold, which JSON spells as escapes."""
    report = {"run_id": top, "entries": [{"id": 1, "expected": "r", "predicted": "a", field: value}]}
    ingested("arena", json.dumps(report).encode())
    ingested("arena", json.dumps(top).encode())


@examples(0.5)
@given(
    row=st.dictionaries(st.sampled_from(["segment_id", "document", "domain", "source", "A", "references"]), json_value)
)
def test_any_json_in_a_table(row):
    rows = [{"segment_id": "1", "A": "a", "reference": "r"}, {"segment_id": "2", "A": "b", **row}]
    ingested("jsonl", "".join(json.dumps(each) + "\n" for each in rows).encode())


@examples(0.5)
@given(key=any_text, value=json_value)
def test_any_name_of_a_column_or_system(key, value):
    ingested("jsonl", json.dumps({"A": "a", key: value}).encode())
    ingested("jsonl", json.dumps({"system": key, "hypothesis": "x", "segment_id": 1, "reference": "r"}).encode())


@examples(0.5)
@given(field=st.sampled_from(["system", "segment", "segment_id", "score", "mt", "domain"]), value=json_value)
def test_any_json_as_scores(field, value):
    row = {"system": "A", "segment_id": "1", "score": 1, field: value}
    joined("m.jsonl", json.dumps(row).encode())
    joined("comet.json", json.dumps({"A": [{"COMET": 0.5, **row}] * 3}).encode())
    joined("A.json", json.dumps({"entries": [{"id": 1, "predicted": "a 1", **row}]}).encode())


@pytest.mark.parametrize("category", CATEGORIES)
@pytest.mark.parametrize("which", ["text", "tsv", "csv", "jsonl", "wmt-xml", "wmt-sgm", "arena"])
def test_every_category_of_characters(which, category):
    """Texts of any category come out as they went in, or are refused; half a surrogate pair is no UTF-8."""
    character = CATEGORIES[category]
    content = next(iter(TESTSETS[which][1].values()))
    escaped = json.dumps(character)[1:-1].encode() if which in ("jsonl", "arena") else None
    targets = {"text": b"a\n", "tsv": b"a 1", "csv": b"b 1", "jsonl": b"A 1", "wmt-xml": b">on<", "arena": b"a 1"}
    target = {**targets, "wmt-sgm": b">on<"}[which]
    piece = escaped or character.encode("utf-8", "surrogatepass")
    message = ingested(which, content.replace(target, target[:1] + piece + target[1:], 1))
    harmless = category not in ("Cs", "Cc") or (category == "Cc" and which not in ("wmt-xml",))
    assert (message is None) == harmless, message


@pytest.mark.parametrize("column", ["segment_id", "document", "domain", "source", "reference", "A", "name"])
def test_half_a_surrogate_pair_is_refused_wherever_it_stands(column):
    row = {"segment_id": "1", "document": "d", "domain": "n", "source": "s", "reference": "r", "A": "a"}
    row |= {column: "\ud800"} if column != "name" else {"\ud800": "b"}
    assert ingested("jsonl", json.dumps(row).encode()) is not None


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1, 2], pa.timestamp("ns")),
        pa.array([2**62, -(2**62)], pa.timestamp("ms")),
        pa.array([1, 2], pa.duration("ns")),
        pa.array([1, 2], pa.time64("ns")),
        pa.array([2**31 - 1, -(2**31)], pa.date32()),
        pa.array([b"\xff", b"a"], pa.binary()),
        pa.array([{"x": 1}, None]),
        pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int64())),
        pa.array(["a", "b"]).dictionary_encode(),
        pa.array([None, None], pa.null()),
        pa.array([1, None], pa.decimal128(38, 2)),
        pa.StructArray.from_arrays([pa.array([1, 2]), pa.array([3, 4])], ["x", "x"]),
        pa.Array.from_buffers(
            pa.string(), 2, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0\2\0\0\0"), pa.py_buffer(b"\xff\xfe")]
        ),
    ],
    ids=lambda column: str(column.type),
)
def test_any_type_of_parquet(column):
    """Columns of any type are used or refused, wherever they stand."""
    for name in ("A", "segment_id", "document", "references", "source"):
        ingested("parquet", parquet({"segment_id": ["1", "2"], "B": ["x", "y"], name: column}))
    for name in ("system", "segment", "score", "hypothesis", "domain"):
        joined("m.parquet", parquet({"system": ["A", "B"], "segment": [0, 1], "score": [0.5, 1.0], name: column}))


@pytest.mark.parametrize(
    "encoding",
    ["x", "utf-16", "utf-7", "idna", "punycode", "zlib", "shift_jis", "undefined", "latin-1", "\u00e9", "a" * 5000],
)
def test_any_declared_encoding_of_xml(encoding):
    content = TESTSETS["wmt-xml"][1]["t.xml"].replace(b"utf-8", encoding.encode(), 1)
    message = ingested("wmt-xml", content)
    assert (message is None) == (encoding == "latin-1")


@pytest.mark.parametrize(
    "declared",
    [
        '<!DOCTYPE d SYSTEM "file:///etc/passwd">',
        '<!DOCTYPE d SYSTEM "http://localhost:9/d.dtd">',
        '<!DOCTYPE d [<!ELEMENT d ANY><!ATTLIST d a CDATA "x">]>',
        '<?xml-stylesheet href="http://localhost:9/x"?>',
    ],
)
def test_nothing_outside_of_an_xml_file_is_opened(declared, monkeypatch):
    """Declarations without entities change nothing, and no address is asked."""
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("an address was asked"))
    content = TESTSETS["wmt-xml"][1]["t.xml"].replace(b"<dataset", declared.encode() + b"<dataset", 1)
    assert ingested("wmt-xml", content) is None


@pytest.mark.parametrize("suffix", [".gz", ".xz"])
class TestCompressed:
    def test_members_in_a_row_are_one_file(self, tmp_path, suffix):
        path = tmp_path / f"a.txt{suffix}"
        path.write_bytes(compressed(suffix, b"a\n") + compressed(suffix, b"b\n"))
        assert read_bytes(path) == b"a\nb\n"

    def test_every_truncation_is_refused(self, tmp_path, suffix):
        whole = compressed(suffix, b"one\ntwo\nthree\n" * 20)
        path = tmp_path / f"a.txt{suffix}"
        for length in range(1, len(whole)):
            path.write_bytes(whole[:length])
            assert refused(lambda: read_bytes(path))

    @examples(0.5)
    @given(data=st.data())
    def test_any_damage_is_refused_or_harmless(self, suffix, data):
        content = data.draw(mutated(compressed(suffix, b"a\nb\nc\n")))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"a{suffix}")
            path.write_bytes(content)
            refused(lambda: read_bytes(path))

    def test_formats_can_be_read_through_it(self, suffix):
        for which in ("text", "tsv", "csv", "jsonl", "wmt-xml", "wmt-sgm", "arena"):
            assert ingested(which, suffix=suffix) is None


@pytest.mark.parametrize(
    "text", [piece for piece in HOSTILE if "\n" not in piece and not "\ud800" <= piece <= "\udfff"]
)
def test_spreadsheet_formulas_and_the_like_are_texts(text):
    """Nothing is interpreted: a line is that line in the table."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        content = f"x{text}y\nb\nc\n".encode()
        out = {name: folder / "out" / f"{name}.parquet" for name in ("segments", "hypotheses", "lint")}
        ingest(testset="t", settings=write_testset(folder, "text", content), **out)
        assert read_table(out["hypotheses"])["hypothesis"][0].as_py() == f"x{text}y"
