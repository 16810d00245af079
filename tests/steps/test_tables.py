"""The step `tables`."""

from __future__ import annotations

import csv
import io
import json

import pytest
from mtsig.contracts import FLAGS, TABLES
from mtsig.io import read_table, write_table
from mtsig.steps.summary import summary
from mtsig.steps.tables import tables
from simulated_results import names, write_results

FILES = [f"{table}.{suffix}" for table in ("systems", "pairs", "matrix") for suffix in ("csv", "md", "tex", "json")]


def _write(folder, paths):
    systems, pairs = zip(*paths, strict=True)
    tables(systems=systems, pairs=pairs, tables=[folder / name for name in FILES])
    return {name: (folder / name).read_text(encoding="utf-8") for name in FILES}


@pytest.fixture
def two_metrics(tmp_path):
    return [
        write_results(tmp_path / "results", names(5), metric="bleu"),
        write_results(tmp_path / "results", names(5), metric="ter", higher_is_better=False, seed=2),
    ]


def test_raw_tables_hold_the_parquet_rows(tmp_path, two_metrics):
    texts = _write(tmp_path, two_metrics)
    for kind, at in (("systems", 0), ("pairs", 1)):
        expected = [row for paths in two_metrics for row in read_table(paths[at]).to_pylist()]
        raw = json.loads(texts[f"{kind}.json"])["rows"]
        verdicts = [row.pop("verdict") for row in raw if kind == "pairs"]
        assert raw == expected
        assert all(set(verdict) == {"kind", "because"} for verdict in verdicts)
        rows = list(csv.DictReader(io.StringIO(texts[f"{kind}.csv"])))
        for row, source in zip(rows, expected, strict=True):
            for column, value in source.items():
                if isinstance(value, float):
                    assert float(row[column]) == value


def test_the_same_rows_give_the_same_bytes(tmp_path, two_metrics):
    assert _write(tmp_path / "a", two_metrics) == _write(tmp_path / "b", two_metrics)


@pytest.mark.parametrize(("n_systems", "n_metrics"), [(1, 1), (1, 2), (2, 1), (2, 2)])
def test_the_shape_does_not_depend_on_counts(tmp_path, n_systems, n_metrics):
    paths = [write_results(tmp_path, names(n_systems), metric=f"m{i}") for i in range(n_metrics)]
    texts = _write(tmp_path, paths)
    for kind in ("systems", "pairs", "matrix"):
        assert json.loads(texts[f"{kind}.json"])["schema_version"] == 1
        assert texts[f"{kind}.csv"].startswith("testset,langpair,metric,system")


def test_rounded_numbers_come_from_the_same_rows(tmp_path, two_metrics):
    texts = _write(tmp_path, two_metrics)
    for row in json.loads(texts["systems.json"])["rows"]:
        assert f"{row['score']:.2f}" in texts["systems.md"]
        assert f"{row['score']:.2f}" in texts["systems.tex"]
    for row in json.loads(texts["pairs.json"])["rows"]:
        assert f"{row['delta']:+.2f}" in texts["pairs.md"]


def test_stars_stand_only_where_significant(tmp_path, two_metrics):
    rows = json.loads(_write(tmp_path, two_metrics)["matrix.json"])["rows"]
    assert any(row["stars"] for row in rows)
    assert all(row["significant"] or not row["stars"] for row in rows)


def test_every_cell_of_the_matrix_says_its_segments_and_what_was_left_out(tmp_path):
    """B26: pairs with other numbers of segments carry their own, with the flag and what it means."""
    systems_path, pairs_path = write_results(tmp_path, names(3))
    table = read_table(pairs_path)
    rows = table.to_pylist()
    rows[0] |= {"n_segments": 70, "flags": ["missing_segments"]}
    write_table(pairs_path, rows, TABLES["pairs"])
    texts = _write(tmp_path, [(systems_path, pairs_path)])
    pair = {rows[0]["system_a"], rows[0]["system_b"]}
    for row in json.loads(texts["matrix.json"])["rows"]:
        special = {row["system"], row["other"]} == pair
        assert (row["n_segments"], row["flags"]) == ((70, ["missing_segments"]) if special else (200, []))
    assert f"missing_segments: {FLAGS['missing_segments']}" in texts["pairs.md"]


def test_the_number_of_comparisons_and_their_correction_are_said(tmp_path):
    """B63: 15 systems make 105 comparisons, said with the pairs and with the matrix, which comes in two blocks."""
    texts = _write(tmp_path, [write_results(tmp_path, names(15))])
    for table in ("pairs", "matrix"):
        for suffix in ("md", "tex"):
            text = " ".join(texts[f"{table}.{suffix}"].split())
            assert "105 comparisons, not corrected for multiple comparisons" in text
    assert "against systems 13 to 15" in texts["matrix.md"]


def test_the_summary_shows_the_same_numbers(two_metrics):
    systems, pairs = zip(*two_metrics, strict=True)
    text = summary(systems=systems, pairs=pairs)
    for path in systems:
        for row in read_table(path).to_pylist():
            assert f"{row['score']:.2f}" in text
    assert text == summary(systems=systems, pairs=pairs)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_narrow_summary_puts_metrics_below_each_other(tmp_path, width):
    """Neither a name nor a number is cut."""
    systems, pairs = zip(*(write_results(tmp_path, names(5), metric=f"m{i}") for i in range(6)), strict=True)
    text = summary(systems=systems, pairs=pairs, width=width)
    table = [line for line in text.splitlines() if line.startswith(tuple(names(5)))]
    assert max(map(len, table)) <= width
    assert {line.split("  ")[0] for line in table} == set(names(5))
    for path in systems:
        for row in read_table(path).to_pylist():
            assert any(f"{row['score']:.2f} [" in line for line in table)
