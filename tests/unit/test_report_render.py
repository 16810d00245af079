"""Tables as text: whatever a name holds, it comes out literally and breaks nothing."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess

import pytest
from mtsig.report.render import Column, Table, escape_markdown, json_rows, latex, markdown
from mtsig.report.render import csv as csv_text

HOSTILE = [
    r"b_x&1%#{}~^\ ",
    "a|b",
    "*bold* _it_ `code`",
    "<script>alert(1)</script>",
    "&amp;",
    "=SUM(A1)",
    "NA",
    "007",
    'say "hi", ok',
    "[x](y)",
    "-rf",
    "$x$",
    "..",
    "line\nbreak\ttab",
]


def test_csv_gives_every_text_back_unchanged():
    """B40: a name that looks like a number, a null or a formula comes out as it went in."""
    text = csv_text([{"system": name, "score": 0.1} for name in HOSTILE], ["system", "score"])
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["system"] for row in rows] == HOSTILE


def test_csv_tells_null_from_the_empty_string_and_from_the_word():
    text = csv_text([{"a": None, "b": "", "c": "None", "d": True, "e": 0.1 + 0.2}], ["a", "b", "c", "d", "e"])
    assert text.splitlines()[1] == ',"","None",true,0.30000000000000004'


def test_json_is_strict_and_keeps_numbers_as_numbers():
    def refuse(name):
        raise AssertionError(name)

    text = json_rows([{"system": HOSTILE[0], "p": None, "n": 3, "x": 0.1, "s": True}], ["system", "p", "n", "x", "s"])
    assert json.loads(text, parse_constant=refuse) == {
        "schema_version": 1,
        "rows": [{"system": HOSTILE[0], "p": None, "n": 3, "x": 0.1, "s": True}],
    }
    with pytest.raises(ValueError, match="JSON"):
        json_rows([{"x": float("nan")}], ["x"])


def test_a_table_without_rows_is_still_json_with_the_same_shape():
    assert json.loads(json_rows([], ["x"])) == {"schema_version": 1, "rows": []}


def test_markdown_has_as_many_cells_in_every_line():
    """An escaped bar is no cell boundary, and a line break cannot end a row."""
    table = Table("t", (Column("name"), Column.number("x")), tuple((name, "1") for name in HOSTILE))
    lines = [line for line in markdown([table], title="page").splitlines() if line.startswith("|")]
    assert len(lines) == len(HOSTILE) + 2
    assert {line.replace("\\\\", "").replace("\\|", "").count("|") for line in lines} == {3}


def test_markdown_leaves_plain_names_and_numbers_alone():
    assert escape_markdown("lab_a v1.2 [+0.1, -0.3] < 0.001 0.5**") == "lab_a v1.2 [+0.1, -0.3] < 0.001 0.5**"


def _document(body: str) -> str:
    return f"\\documentclass{{article}}\n\\usepackage{{booktabs}}\n\\begin{{document}}\n{body}\\end{{document}}\n"


def test_latex_compiles_with_booktabs_alone(tmp_path):
    """B67: whatever characters names, captions and notes hold."""
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    columns = (Column("System"), Column.number("A - B"), Column.number("p"))
    rows = tuple((name, "-0.31*", "< 0.001") for name in HOSTILE if "\n" not in name)
    table = Table(HOSTILE[0], columns, rows, notes=tuple(HOSTILE[:-1]), bold=frozenset({(0, 1)}))
    (tmp_path / "t.tex").write_text(_document(latex([table], title=HOSTILE[0])), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout[-2000:]


def test_latex_sets_signs_of_numbers_in_math_and_hangs_stars_out():
    """B67: numbers stay aligned, and hyphens of names stay hyphens."""
    table = Table("t", (Column.number("x"), Column("y")), (("-0.31**", "-rf"), ("[-0.3, +0.1]", "2-3"), ("2-4", "")))
    text = latex([table], title="t")
    assert "$-$0.31\\rlap{$^{**}$} & -rf" in text
    assert "{[}$-$0.3, +0.1]" in text
    assert "2--4 & " in text
