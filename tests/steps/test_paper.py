"""The step `paper`."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess

import pytest
from mtsig.contracts import TABLES
from mtsig.errors import ConfigError
from mtsig.io import read_table, write_table
from mtsig.report.results import read_results
from mtsig.report.verdicts import best_systems
from mtsig.steps.paper import paper
from simulated_results import names, write_results

SYSTEMS = [*names(5), r"b_x&1%#{}~^\ [q]"]
TABLE = {
    "testsets": ["one", "two"],
    "suites": [],
    "metrics": ["bleu", "ter"],
    "systems": None,
    "order": "score",
    "baseline": None,
    "marks": "stars",
    "clusters": [],
    "koehn": False,
    "intervals": False,
    "digits": None,
    "columns": 1,
    "caption": None,
    "label": None,
}
FIGURE = {"kind": "matrix", "testset": "one", "suite": None, "metric": "bleu", "columns": 1}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    return [
        write_results(folder / testset, SYSTEMS, metric=metric, testset=testset, seed=seed, higher_is_better=higher)
        for seed, testset in enumerate(("one", "two"))
        for metric, higher in (("bleu", True), ("ter", False))
    ]


def _paper(folder, results, tables, figures=None):
    files = [f"{name}.{suffix}" for name in tables for suffix in ("csv", "md", "tex", "table.tex")]
    files += [f"{name}.{suffix}" for name in figures or {} for suffix in ("pdf", "svg")]
    files += ["methods.md", "methods.tex"]
    systems, pairs = zip(*results, strict=True)
    settings = {"tables": tables, "figures": figures or {}}
    paper(systems=systems, pairs=pairs, settings=settings, suites={}, files=[folder / name for name in files])
    return {name: (folder / name).read_bytes() for name in files}


def test_every_cell_comes_from_the_rows_of_the_results(tmp_path, results):
    files = _paper(tmp_path, results, {"main": TABLE})
    text = files["main.csv"].decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 4 * len(SYSTEMS)
    expected = {
        (row["testset"], row["metric"], row["system"]): row
        for systems, _ in results
        for row in read_table(systems).to_pylist()
    }
    markdown = files["main.md"].decode()
    for row in rows:
        source = expected[row["testset"], row["metric"], row["system"]]
        assert float(row["score"]) == source["score"]
        assert f"{source['score']:.2f}" in markdown
        assert f"{source['score']:.2f}" in files["main.tex"].decode()


def test_bold_is_the_best_with_all_that_are_not_significantly_worse(tmp_path, results):
    files = _paper(tmp_path, results, {"main": TABLE})
    found = {
        (row["testset"], row["metric"], row["system"])
        for row in csv.DictReader(io.StringIO(files["main.csv"].decode()))
        if row["best"] == "true"
    }
    read = read_results(*zip(*results, strict=True))
    assert found == {(result.testset, result.metric, name) for result in read for name in best_systems(result)}
    assert files["main.md"].decode().count("<b>") == len(found) == files["main.table.tex"].decode().count("\\textbf")


def test_marks_are_those_of_the_test_against_the_baseline(tmp_path, results):
    files = _paper(tmp_path, results, {"main": {**TABLE, "baseline": "ONLINE-A", "marks": "daggers"}})
    read = {(result.testset, result.metric): result for result in read_results(*zip(*results, strict=True))}
    marked = 0
    for row in csv.DictReader(io.StringIO(files["main.csv"].decode())):
        comparison = read[row["testset"], row["metric"]].compare(row["system"], "ONLINE-A")
        expected = {"": "", "*": "†", "**": "‡"}[comparison.stars] if comparison else ""
        assert row["mark"] == expected
        marked += bool(expected)
        if comparison:
            assert float(row["delta"]) == comparison.delta
    assert marked
    assert "\\rlap{$^{\\ddagger}$}" in files["main.table.tex"].decode()


def test_systems_digits_and_order_can_be_set(tmp_path, results):
    table = {**TABLE, "systems": ["lab_submission", "ONLINE-A"], "order": "given", "digits": 0, "testsets": ["one"]}
    markdown = _paper(tmp_path, results[:2], {"t": table})["t.md"].decode()
    body = [line for line in markdown.splitlines() if line.startswith("| ")][2:]
    assert [line.split("|")[1].strip() for line in body] == ["lab_submission", "ONLINE-A"]
    assert all(re.fullmatch(r"(<b>)?\d+(</b>)?", line.split("|")[2].strip()) for line in body)


def test_the_note_says_what_a_reviewer_asks_for(tmp_path, results):
    files = _paper(tmp_path, results, {"main": TABLE})
    for text in (files["main.md"].decode(), files["methods.md"].decode()):
        for wanted in ("bleu\\|simulated", "200", "seed 12345", "mtsig", "sacrebleu", "not corrected"):
            assert wanted in text


def test_methods_tell_how_many_segments_each_metric_has(tmp_path):
    """Human scores cover a part of a test set only."""
    both = [
        write_results(tmp_path, SYSTEMS, metric="mqm", testset="one", n_segments=60),
        write_results(tmp_path, SYSTEMS, metric="bleu", testset="one", n_segments=200),
    ]
    text = _paper(tmp_path, both, {"main": {**TABLE, "testsets": ["one"], "metrics": ["mqm", "bleu"]}})["methods.md"]
    assert "200 segments, mqm on 60" in text.decode()


def test_unknown_systems_are_refused_by_name(tmp_path, results):
    with pytest.raises(ConfigError, match=r"paper\.tables\.t\.systems: there is no system 'nobody'"):
        _paper(tmp_path, results, {"t": {**TABLE, "systems": ["nobody"]}})
    with pytest.raises(ConfigError, match=r"paper\.tables\.t\.baseline"):
        _paper(tmp_path, results, {"t": {**TABLE, "baseline": "nobody"}})


def test_the_same_results_give_the_same_texts(tmp_path, results):
    one, two = (_paper(tmp_path / name, results, {"main": TABLE}, {"fig": FIGURE}) for name in "ab")
    assert {name: one[name] for name in one if not name.endswith("pdf")} == {
        name: two[name] for name in two if not name.endswith("pdf")
    }


@pytest.mark.parametrize("columns", [1, 2])
def test_figures_have_the_width_of_their_columns_and_embed_their_fonts(tmp_path, results, columns):
    figures = {
        "matrix": {**FIGURE, "columns": columns},
        "intervals": {**FIGURE, "kind": "intervals", "columns": columns},
    }
    files = _paper(tmp_path, results, {}, figures)
    limit = {1: 275, 2: 530}[columns]
    for name in figures:
        width = float(re.search(rb'<svg[^>]* width="([\d.]+)"', files[f"{name}.svg"])[1])
        assert 150 < width < limit
        assert b"/FontFile" in files[f"{name}.pdf"]


def test_the_document_compiles(tmp_path, results):
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    tables = {"main": {**TABLE, "baseline": "ONLINE-A", "intervals": True, "clusters": ["bleu"], "columns": 2}}
    _paper(tmp_path, results, tables)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "main.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout[-2000:]


def test_wins_stand_beside_the_scores_on_request(tmp_path, results):
    """The share of resamples in which the system is better than the baseline, from the columns of Koehn's test."""
    table = {**TABLE, "testsets": ["one"], "metrics": ["ter"], "baseline": SYSTEMS[0], "koehn": True}
    files = _paper(tmp_path, results, {"main": table})
    rows = {row["system"]: row for row in csv.DictReader(io.StringIO(files["main.csv"].decode()))}
    pairs = read_table(results[1][1]).to_pylist()
    for pair in pairs:
        if SYSTEMS[0] in (pair["system_a"], pair["system_b"]):
            own, other = ("b", "system_b") if pair["system_a"] == SYSTEMS[0] else ("a", "system_a")
            assert float(rows[pair[other]]["koehn"]) == pair[f"koehn_{own}"]
    assert rows[SYSTEMS[0]]["koehn"] == ""
    page = files["main.md"].decode()
    assert re.search(r"\| +wins \|", page)
    assert f"Wins: the share of resamples in which a system is better than {SYSTEMS[0]}" in page
    assert b"wins |" not in _paper(tmp_path, results, {"main": {**table, "koehn": False}})["main.md"]


def test_what_is_doubtful_stands_under_the_table(tmp_path, results):
    """A reference made from the best output: the note says it, of the column concerned only."""
    systems, pairs = (read_table(path).to_pylist() for path in results[0])
    best = max(systems, key=lambda row: row["score"])["system"]
    for row in systems:
        row["flags"] = ["post_edited_reference"] if row["system"] == best else []
    paths = tmp_path / "systems.parquet", tmp_path / "pairs.parquet"
    for path, rows, name in zip(paths, (systems, pairs), ("systems", "pairs"), strict=True):
        write_table(path, rows, TABLES[name], metadata={"signature": "s", "seed": 1})
    files = _paper(tmp_path, [paths, *results[1:]], {"main": TABLE})
    (note,) = [line for line in files["main.md"].decode().splitlines() if "post-edited" in line]
    assert note.startswith("one, bleu: Doubtful:")


def test_methods_name_what_the_tests_detect(tmp_path, results):
    """The smallest and largest detectable difference of each column, as the pairs tables have them."""
    page = _paper(tmp_path, results, {"main": TABLE})["methods.md"].decode()
    known = [row["detectable_difference"] for row in read_table(results[0][1]).to_pylist()]
    assert "With 80 % power the tests detect differences from these on" in page
    low, high = re.search(r"bleu on one ([\d.]+) to ([\d.]+)", page).groups()
    assert (float(low), float(high)) == pytest.approx((min(known), max(known)), abs=0.01)
    assert "takes segments for exchangeable" in page
