"""The step `figures`."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from mtsig.report import format as fmt
from mtsig.report.figures import interval_plot, to_svg
from mtsig.report.results import read_results
from mtsig.steps.figures import figures
from simulated_results import names, write_results


def _draw(folder, systems, **options):
    systems_path, pairs_path = write_results(folder, systems, **options)
    paths = [folder / f"m.{kind}.{suffix}" for kind in ("intervals", "matrix") for suffix in ("svg", "png", "pdf")]
    figures(systems=systems_path, pairs=pairs_path, figures=paths)
    return {path.name: path.read_bytes() for path in paths}


def _texts(svg: bytes) -> list[str]:
    root = ET.fromstring(svg)
    return [
        element.text or "" for tag in ("text", "tspan") for element in root.iter(f"{{http://www.w3.org/2000/svg}}{tag}")
    ]


@pytest.mark.parametrize("number", [1, 2, 5])
def test_every_format_is_what_it_says(tmp_path, number):
    files = _draw(tmp_path, names(number))
    for name, content in files.items():
        start = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}[name.rsplit(".", 1)[1]]
        assert content.startswith(start)


def test_figures_name_every_system_and_show_its_numbers(tmp_path):
    systems = [*names(5), "<b>&amp;</b>", "نظام", "x" * 200]
    files = _draw(tmp_path, systems)
    (result,) = read_results([tmp_path / "systems" / "bleu.parquet"], [tmp_path / "pairs" / "bleu.parquet"])
    scores = _texts(files["m.intervals.svg"])
    assert all(f"{row['score']:.2f}" in scores for row in result.systems)
    differences = _texts(files["m.matrix.svg"])
    for row in result.pairs:
        for value in (row["delta"], -row["delta"]):
            assert fmt.number(value, result.decimals_of(row), signed=True, minus="−") in differences
    for kind in ("intervals", "matrix"):
        texts = _texts(files[f"m.{kind}.svg"])
        for name in systems[:-1]:
            assert name in texts
        assert any(text.startswith("xxx") and "…" in text for text in texts)


def test_the_same_rows_give_the_same_svg(tmp_path):
    one, two = _draw(tmp_path / "a", names(4)), _draw(tmp_path / "b", names(4))
    assert {name: one[name] for name in one if name.endswith("svg")} == {
        name: two[name] for name in two if name.endswith("svg")
    }


def test_metrics_without_direction_have_figures_without_stars(tmp_path):
    files = _draw(tmp_path, names(4), metric="length_ratio", higher_is_better=None)
    texts = _texts(files["m.matrix.svg"])
    assert "No system is better: nothing is tested" in texts
    assert not any("*" in text for text in texts)


@pytest.mark.slow
def test_a_hundred_and_twenty_systems_do_not_crash(tmp_path):
    files = _draw(tmp_path, names(120))
    assert len(files["m.matrix.svg"]) < 3_000_000


def test_lines_between_clusters_lie_between_their_systems(tmp_path):
    systems_path, pairs_path = write_results(tmp_path, names(6))
    (result,) = read_results([systems_path], [pairs_path])
    rows = tuple({**row, "cluster": 1 + i // 2} for i, row in enumerate(result.systems))
    root = ET.fromstring(to_svg(interval_plot(replace(result, systems=rows))))
    at = [
        (element.get("aria-roledescription"), element.get("stroke-dasharray"), element.get("transform"))
        for element in root.iter()
        if element.get("transform", "").startswith("translate(")
    ]
    dashed = sorted(float(where.split(",")[1].rstrip(")")) for _, dash, where in at if dash)
    points = sorted(float(where.split(",")[1].rstrip(")")) for role, _, where in at if role == "point")
    assert len(points) == 6
    assert dashed == pytest.approx([(points[1] + points[2]) / 2, (points[3] + points[4]) / 2], abs=1)
