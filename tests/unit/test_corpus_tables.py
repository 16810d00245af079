"""Test sets in tables: tsv, csv, JSON lines, Parquet."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mtsig import read
from mtsig.corpus import tablefiles
from mtsig.corpus.textfiles import Text
from mtsig.errors import ConfigError, InputError

#: Texts that other readers turn into something else.
TRICKY = ["null", "NA", "None", "nan", "TRUE", "007", "1e5", "=SUM(A1)", '"quoted', "-", "", " padded ", "a\u2028b"]
ROWS = [{"segment_id": f"s{row}", "source": "Quelle", "reference": "ref", "A": text} for row, text in enumerate(TRICKY)]


def written(folder: Path, file_format: str, rows: list[dict[str, Any]]) -> str:
    """Rows in a file of the given format, written by other software."""
    path = folder / f"table.{file_format}"
    names = list(rows[0])
    if file_format == "tsv":
        lines = ["\t".join(names), *("\t".join(row[name] for name in names) for row in rows)]
        path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    elif file_format == "csv":
        with path.open("w", newline="", encoding="utf-8") as stream:
            csv.writer(stream).writerows([names, *([row[name] for name in names] for row in rows)])
    elif file_format == "jsonl":
        path.write_bytes("".join(json.dumps(row) + "\n" for row in rows).encode())
    else:
        pq.write_table(pa.Table.from_pylist(rows), path)
    return str(path)


FORMATS = pytest.mark.parametrize("file_format", ["tsv", "csv", "jsonl", "parquet"])


@FORMATS
def test_text_is_text(tmp_path: Path, file_format: str) -> None:
    """B40: the same strings come out of every format, and as many."""
    settings = {"format": file_format, "langpair": "de-en", "path": written(tmp_path, file_format, ROWS)}
    evaluation = read("t", settings)
    assert evaluation.systems == {"A": tuple(TRICKY)}
    assert evaluation.segment_ids == tuple(f"s{row}" for row in range(len(TRICKY)))
    assert evaluation.sources == ("Quelle",) * len(TRICKY)
    assert evaluation.references == {"reference": ("ref",) * len(TRICKY)}


@FORMATS
def test_columns_can_be_named(tmp_path: Path, file_format: str) -> None:
    """Any column can be anything; what is not named is not taken."""
    rows = [
        {"id": str(row), "src": "s", "r1": "x", "r2": "y", "mt 1": "h", "note": "n", "doc": "d"} for row in range(2)
    ]
    settings = {
        "format": file_format,
        "langpair": "de-en",
        "path": written(tmp_path, file_format, rows),
        "segment_id": "id",
        "source": "src",
        "references": {"first": "r1", "second": "r2"},
        "systems": {"System 1": "mt 1"},
        "document": "doc",
    }
    evaluation = read("t", settings)
    assert list(evaluation.references) == ["first", "second"]
    assert evaluation.systems == {"System 1": ("h", "h")}
    assert evaluation.documents == ("d", "d")
    for key, value in (("source", "sources"), ("systems", ["mt"]), ("references", "ref")):
        with pytest.raises(ConfigError, match=rf"testsets\.t\.{key}: .* has no column"):
            read("t", {**settings, key: value})


@FORMATS
def test_long_tables_are_taken_apart(tmp_path: Path, file_format: str) -> None:
    """One row per system and segment; a row that is not there is a missing hypothesis."""
    rows = [
        {"system": system, "segment_id": segment, "reference": f"r{segment}", "hypothesis": f"{system}{segment}"}
        for system in ("B", "A")
        for segment in ("2", "1", "3")
        if (system, segment) != ("A", "1")
    ]
    settings = {"format": file_format, "langpair": "de-en", "path": written(tmp_path, file_format, rows)}
    evaluation = read("t", settings)
    assert evaluation.segment_ids == ("2", "1", "3")
    assert evaluation.systems == {"A": ("A2", None, "A3"), "B": ("B2", "B1", "B3")}
    assert evaluation.references == {"reference": ("r2", "r1", "r3")}
    rows[-1]["reference"] = "other"
    with pytest.raises(InputError, match="segment '3' has another reference"):
        read("t", {**settings, "path": written(tmp_path, file_format, rows)})
    with pytest.raises(InputError, match="system 'B' has segment '2' twice"):
        read("t", {**settings, "path": written(tmp_path, file_format, [*rows[:-1], rows[0]])})


@pytest.mark.parametrize("file_format", ["jsonl", "parquet"])
def test_null_is_missing_and_empty_is_empty(tmp_path: Path, file_format: str) -> None:
    """B43: formats that have a null keep it apart from the empty text."""
    rows = [{"reference": "r", "A": "x"}, {"reference": None, "A": ""}, {"reference": "", "A": None}]
    evaluation = read("t", {"format": file_format, "langpair": "de-en", "path": written(tmp_path, file_format, rows)})
    assert evaluation.systems["A"] == ("x", "", None)
    assert evaluation.references["reference"] == ("r", None, "")


@pytest.mark.parametrize("file_format", ["tsv", "csv"])
def test_a_cell_may_stand_for_a_missing_text(tmp_path: Path, file_format: str) -> None:
    """B43: formats without a null say which text means one."""
    rows = [{"reference": "\\N", "A": "x"}, {"reference": "", "A": "\\N"}]
    settings = {"format": file_format, "langpair": "de-en", "path": written(tmp_path, file_format, rows)}
    evaluation = read("t", {**settings, "missing_text": "\\N"})
    assert evaluation.systems["A"] == ("x", None)
    assert evaluation.references["reference"] == (None, "")


@pytest.mark.parametrize("file_format", ["jsonl", "parquet"])
def test_numbers_are_refused_as_texts(tmp_path: Path, file_format: str) -> None:
    """B40: nothing is converted; the row is named."""
    rows: list[dict[str, Any]] = [{"A": "x", "score": 0.5}]
    settings = {"format": file_format, "langpair": "de-en", "path": written(tmp_path, file_format, rows)}
    with pytest.raises(InputError, match=r"(line|row) 1: 'score' holds 0\.5, but text is needed"):
        read("t", settings)
    assert list(read("t", {**settings, "exclude": ["score"]}).systems) == ["A"]


@pytest.mark.parametrize("rows", [[{"A": "x", "score": 0.5}], [{"system": "A", "hypothesis": "x"}]])
def test_systems_to_exclude_must_be_there(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    """Columns and names in a column alike; before any column is read that was to be left out."""
    settings = {"format": "jsonl", "langpair": "de-en", "path": written(tmp_path, "jsonl", rows), "exclude": ["socre"]}
    with pytest.raises(ConfigError, match=r"^testsets\.t\.exclude: there is no system 'socre'\..* There are: A"):
        read("t", settings)


@pytest.mark.parametrize("file_format", ["jsonl", "parquet"])
def test_lists_and_maps_of_references(tmp_path: Path, file_format: str) -> None:
    """B45: one column with several references; shorter lists leave the last ones missing."""
    rows = [{"A": "x", "references": ["a1", "b1"]}, {"A": "y", "references": ["a2"]}]
    settings = {"format": file_format, "langpair": "de-en", "path": written(tmp_path, file_format, rows)}
    assert read("t", settings).references == {"ref1": ("a1", "a2"), "ref2": ("b1", None)}
    rows = [
        {"A": "x", "references": {"refA": "a1", "refB": "b1"}},
        {"A": "y", "references": {"refA": "a2", "refB": None}},
    ]
    settings["path"] = written(tmp_path, file_format, rows)
    assert read("t", settings).references == {"refA": ("a1", "a2"), "refB": ("b1", None)}


def test_fields_inside_objects(tmp_path: Path) -> None:
    """Dots lead into nested objects, as in the files of WMT25."""
    rows = [
        {"doc_id": "d1", "refs": {"refA": {"ref": "r"}}, "tgt_text": {"sys-1.5": "h"}},
        {"doc_id": "d2", "refs": {}},
    ]
    settings = {
        "format": "jsonl",
        "langpair": "de-en",
        "path": written(tmp_path, "jsonl", rows),
        "segment_id": "doc_id",
        "references": {"refA": "refs.refA.ref"},
        "systems": {"sys-1.5": "tgt_text.sys-1.5"},
    }
    evaluation = read("t", settings)
    assert evaluation.references == {"refA": ("r", None)}
    assert evaluation.systems == {"sys-1.5": ("h", None)}


def test_square_and_oblong_references_keep_their_orientation(tmp_path: Path) -> None:
    """B45: two references of two segments; columns are references, rows are segments."""
    rows = [{"A": "x", "r1": "a1", "r2": "b1"}, {"A": "y", "r1": "a2", "r2": "b2"}]
    settings = {
        "format": "tsv",
        "langpair": "de-en",
        "path": written(tmp_path, "tsv", rows),
        "references": ["r1", "r2"],
    }
    assert read("t", settings).references == {"r1": ("a1", "a2"), "r2": ("b1", "b2")}


class TestOutputs:
    def test_are_joined_by_id(self, tmp_path: Path) -> None:
        """Tables of systems may come in another order and lack segments, but may not have others."""
        main = tmp_path / "main.jsonl"
        main.write_text('{"segment_id": 1, "reference": "r1"}\n{"segment_id": 2, "reference": "r2"}\n')
        (tmp_path / "A.jsonl").write_text(
            '{"segment_id": "2", "hypothesis": "a2"}\n{"segment_id": "1", "hypothesis": "a1"}\n'
        )
        (tmp_path / "B.jsonl").write_text('{"segment_id": 1, "hypothesis": "b1"}\n')
        settings = {"format": "jsonl", "langpair": "de-en", "path": str(main), "outputs": str(tmp_path / "[AB].jsonl")}
        assert read("t", settings).systems == {"A": ("a1", "a2"), "B": ("b1", None)}
        (tmp_path / "B.jsonl").write_text('{"segment_id": 7, "hypothesis": "b1"}\n')
        with pytest.raises(InputError, match=r"B\.jsonl: has the segment id '7'"):
            read("t", settings)

    def test_may_be_all_there_is(self, tmp_path: Path) -> None:
        """Without a table of segments, the outputs' ids are the segments."""
        (tmp_path / "A.jsonl").write_text('{"id": "de-en_#_news_#_d1", "text": "a\\n\\nb"}\n')
        settings = {
            "format": "jsonl",
            "langpair": "de-en",
            "outputs": {"A": str(tmp_path / "A.jsonl")},
            "segment_id": "id",
            "hypothesis": "text",
        }
        evaluation = read("t", settings)
        assert (evaluation.domains, evaluation.documents) == (("news",), ("d1",))
        assert [finding.code for finding in evaluation.findings] == ["line_breaks_inside"]

    def test_can_be_split_into_paragraphs(self, tmp_path: Path) -> None:
        """Paragraphs become segments of their document, and must be equally many in all texts."""
        (tmp_path / "A.jsonl").write_text('{"segment_id": "d1", "hypothesis": "a\\n\\nb"}\n')
        (tmp_path / "B.jsonl").write_text('{"segment_id": "d1", "hypothesis": "x\\ny\\n\\nz"}\n')
        settings = {"format": "jsonl", "langpair": "de-en", "outputs": str(tmp_path / "*.jsonl"), "paragraphs": True}
        evaluation = read("t", settings)
        assert evaluation.systems == {"A": ("a", "b"), "B": ("x\ny", "z")}
        assert evaluation.segment_ids == ("d1:1", "d1:2")
        assert evaluation.documents == ("d1", "d1")
        (tmp_path / "B.jsonl").write_text('{"segment_id": "d1", "hypothesis": "x"}\n')
        with pytest.raises(InputError, match=r"different numbers of paragraphs \(A 2, B 1\)"):
            read("t", settings)


class TestCsv:
    @given(
        st.lists(st.lists(st.text(st.sampled_from('ab,"\n\u2028 =1'), max_size=5), min_size=3, max_size=3)),
        st.sampled_from(["\n", "\r\n"]),
        st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    )
    def test_reads_what_python_writes(self, rows: list[list[str]], end: str, quoting: Any) -> None:
        """RFC 4180: quotes, commas and line breaks inside cells."""
        stream = io.StringIO()
        csv.writer(stream, lineterminator=end, quoting=quoting).writerows([["a", "b", "c"], *rows])
        found = [row for _, row in tablefiles._csv_rows(Text(Path("x.csv"), stream.getvalue(), False))]
        assert found[1:] == rows

    @pytest.mark.parametrize(
        ("content", "problem"),
        [
            ('a,b\n"x,y\n', "line 2: a quoted cell is not closed"),
            ('a,b\n"x"z,y\n', "line 2: a quoted cell is not closed, or something follows"),
            ('a,b\n1,2\n"x\ny",2\nz\n', "line 5: has 1 cells, but the header has 2"),
            ("a,a\n1,2\n", "two columns are called 'a'"),
            ("", "the first line must name the columns"),
        ],
    )
    def test_refuses_what_is_malformed(self, tmp_path: Path, content: str, problem: str) -> None:
        """The line is named."""
        path = tmp_path / "x.csv"
        path.write_bytes(content.encode())
        with pytest.raises(InputError, match=problem):
            tablefiles.read_table_file(path, "csv")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('{"A": "x"}\n\n', "line 2: is blank"),
        ('{"A": "x"}\n{"A": }\n', "line 2: is not JSON"),
        ('["x"]\n', "line 1: is JSON, but not an object"),
        ('{"A": "x", "A": "y"}\n', "line 1: is not JSON .the name 'A' occurs twice"),
        ("[" * 100_000 + "\n", "line 1: is not JSON"),
    ],
)
def test_json_lines_are_strict(tmp_path: Path, content: str, problem: str) -> None:
    """The line is named."""
    path = tmp_path / "x.jsonl"
    path.write_text(content)
    with pytest.raises(InputError, match=problem):
        tablefiles.read_table_file(path, "jsonl")


def test_half_a_surrogate_pair_is_refused(tmp_path: Path) -> None:
    """JSON can spell what no file in UTF-8 can hold."""
    path = tmp_path / "x.jsonl"
    path.write_text('{"A": "x\\ud800"}\n')
    with pytest.raises(InputError, match="A, segment 1: character 2 is half a surrogate pair"):
        read("t", {"format": "jsonl", "langpair": "de-en", "path": str(path)})


def test_a_tsv_row_with_another_number_of_cells_is_refused(tmp_path: Path) -> None:
    """A tab inside a text shifts the rest of the row."""
    path = tmp_path / "x.tsv"
    path.write_bytes(b"A\tB\nx\ty\nx\ty\tz\n")
    with pytest.raises(InputError, match="line 3: has 3 cells, but the header has 2"):
        read("t", {"format": "tsv", "langpair": "de-en", "path": str(path)})


@FORMATS
def test_ids_are_unique(tmp_path: Path, file_format: str) -> None:
    """B29: a repeated id is refused with both rows."""
    rows = [{"segment_id": "1", "A": "x"}, {"segment_id": "1", "A": "y"}]
    settings = {"format": file_format, "langpair": "de-en", "path": written(tmp_path, file_format, rows)}
    with pytest.raises(InputError, match=r"'1' occurs twice \(rows 1 and 2\)"):
        read("t", settings)


def test_a_damaged_parquet_file_is_named(tmp_path: Path) -> None:
    """Half a file is not read as a short one."""
    path = Path(written(tmp_path, "parquet", ROWS))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match=r"table\.parquet: cannot be read as Parquet"):
        read("t", {"format": "parquet", "langpair": "de-en", "path": str(path)})


def test_nothing_to_read_is_an_error() -> None:
    """Neither table nor outputs."""
    with pytest.raises(ConfigError, match=r"testsets\.t\.path: is missing"):
        read("t", {"format": "tsv", "langpair": "de-en"})


class TestSharedData:
    def test_koehn_pool(self, shared_data: Path) -> None:
        """28,278 segments of four systems, test sets as documents."""
        settings = {
            "format": "tsv",
            "langpair": "xx-en",
            "path": str(shared_data / "koehn" / "wmt21-23.x-en.online-ABGY.tsv.xz"),
            "document": "testset",
            "exclude": ["ref_id"],
        }
        evaluation = read("pool", settings)
        assert evaluation.n_segments == 28_278
        assert list(evaluation.systems) == ["ONLINE-A", "ONLINE-B", "ONLINE-G", "ONLINE-Y"]
        assert len(set(evaluation.documents)) == 18

    def test_bible(self, shared_data: Path) -> None:
        """31,084 verses, 8 systems; two of them differ in 757 verses only."""
        settings = {
            "format": "tsv",
            "langpair": "es-en",
            "path": str(shared_data / "koehn" / "bible.es-en.apertium.tsv.xz"),
            "segment_id": "verse",
            "source": "source_es",
            "references": {"kjv": "reference_kjv"},
        }
        evaluation = read("bible", settings)
        assert (evaluation.n_segments, len(evaluation.systems)) == (31_084, 8)
        pairs = zip(evaluation.systems["spa-eng"], evaluation.systems["spa-eng_US"], strict=True)
        assert sum(first != second for first, second in pairs) == 757

    def test_newstest2017(self, shared_data: Path) -> None:
        """3,004 segments, 16 systems."""
        path = shared_data / "peers" / "sacrebleu-wmt17-en-de" / "newstest2017.en-de.tsv.xz"
        evaluation = read("wmt17", {"format": "tsv", "langpair": "en-de", "path": str(path)})
        assert (evaluation.n_segments, len(evaluation.systems)) == (3004, 16)

    def test_comet_csv(self, shared_data: Path) -> None:
        """400 rows with quotes and commas."""
        settings = {
            "format": "csv",
            "langpair": "xx-en",
            "path": str(shared_data / "formats" / "comet.regression_data.csv"),
            "source": "src",
            "references": "ref",
            "systems": ["mt"],
        }
        evaluation = read("comet", settings)
        assert evaluation.n_segments == 400
        assert evaluation.references["ref"][1] == (
            'They get their name from the word "asbestiform" - which describes the fibrous structure which endows them '
            "with strength and flexibility."
        )

    @pytest.mark.parametrize(
        ("system", "langpair", "n_documents", "n_paragraphs"),
        [("CUNI-Transformer", "cs-uk", 230, 405), ("CUNI-DocTransformer", "en-cs", 113, 384)],
    )
    def test_wmt25(self, shared_data: Path, system: str, langpair: str, n_documents: int, n_paragraphs: int) -> None:
        """Documents with line breaks inside; as many paragraphs as there are published segment scores."""
        path = shared_data / "formats" / f"wmt25.systems.{system}.jsonl"
        settings = {"format": "jsonl", "langpair": langpair, "outputs": {system: str(path)}, "segment_id": "doc_id"}
        assert read("wmt25", settings).n_segments == n_documents
        assert read("wmt25", {**settings, "paragraphs": True}).n_segments == n_paragraphs

    def test_wmt24_metadata(self, shared_data: Path) -> None:
        """Domains and documents of 998 segments, to which outputs are joined by position."""
        folder = shared_data / "mtme" / "wmt24"
        rows = tablefiles.read_table_file(shared_data / "formats" / "wmt24.metadata.en-is.jsonl", "jsonl")
        evaluation = read("wmt24", {"format": "mtme", "langpair": "en-is", "root": str(folder)})
        assert tuple(rows.columns["domain"]) == evaluation.domains
        assert tuple(rows.columns["docid"]) == evaluation.documents
