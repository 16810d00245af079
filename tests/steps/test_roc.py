"""A study of kind `roc` from tables of scores to tables, pages and figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mtsig.contracts import TABLES, scores_schema
from mtsig.errors import ConfigError, InputError
from mtsig.io import read_table, write_table
from mtsig.kinds import study_kind
from mtsig.report.roc import curves_figure, decision_tables, precision_figure
from mtsig.steps.paper_studies import paper_studies
from mtsig.steps.study import study
from mtsig.steps.study_report import study_report

N = 60
QE = ["sharp", "blunt", "penalty"]
SETTINGS = {
    "gold": "people",
    "qe": QE,
    "cutoffs": ["<0", "<=-5"],
    "systems": None,
    "domains": False,
    "review_budgets": [10, 50],
    "risk_targets": [10],
    "costs": ["1:1", "10:1"],
    "class_ratios": ["sample"],
    "keep_shares": [50],
    "reviewer_miss": [0],
    "partial_fpr": 0.2,
    "seed": 1,
    "n_resamples": 60,
    "confidence_level": 0.9,
    "resample_unit": "segment",
}
METRICS = {
    name: {"kind": "precomputed", "higher_is_better": name != "penalty"}
    for name in ("people", "sharp", "blunt", "penalty")
}
ROC_TABLES = [table.name for table in study_kind("roc").tables]


def write_scores(path: Path, metric: str, scores: dict[str, Any]) -> Path:
    """A table of scores of a mean-type metric."""
    rows = [
        {
            "testset": "toy",
            "langpair": "xx-en",
            "metric": metric,
            "system": system,
            "segment": segment,
            "score": None if np.isnan(value) else float(value),
            "value": None if np.isnan(value) else float(value),
        }
        for system in sorted(scores)
        for segment, value in enumerate(scores[system])
    ]
    write_table(path, rows, scores_schema(("value",)))
    return path


def write_segments(path: Path) -> Path:
    rows = [
        {
            "testset": "toy",
            "langpair": "xx-en",
            "segment": segment,
            "segment_id": str(segment + 1),
            "document": f"d{segment // 6}",
            "domain": "news" if segment < N // 2 else "talk",
            "source": "a",
            "references": ["b"],
        }
        for segment in range(N)
    ]
    write_table(path, rows, TABLES["segments"], metadata={"references": '["refA"]'})
    return path


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Human and QE scores of two MT systems; people have not judged the last ten segments."""
    folder = tmp_path_factory.mktemp("scores")
    rng = np.random.default_rng(3)
    people, scores = {}, {}
    for system in ("A", "B"):
        penalty = rng.choice([0.0, -0.0, -1.0, -5.0, -4.999999999999999], N)
        penalty[-10:] = np.nan
        people[system] = penalty
        scores[system] = np.nan_to_num(penalty)
    tables = {
        "people": people,
        "sharp": {system: values + rng.normal(scale=1.0, size=N) for system, values in scores.items()},
        "blunt": {system: np.round(values / 4 + rng.normal(size=N)) for system, values in scores.items()},
    }
    tables["penalty"] = {system: -values for system, values in tables["sharp"].items()}
    paths = {name: write_scores(folder / f"{name}.parquet", name, values) for name, values in tables.items()}
    return {"segments": write_segments(folder / "segments.parquet"), **paths}


def run(inputs: dict[str, Path], folder: Path, *, missing: str = "intersect", **options: Any) -> dict[str, Path]:
    outputs = {table: folder / "toy" / f"{table}.parquet" for table in ROC_TABLES}
    study(
        kind="roc",
        tables=list(outputs.values()),
        segments=inputs["segments"],
        scores=[inputs[name] for name in METRICS],
        metrics=METRICS,
        study="study",
        testset="toy",
        langpair="xx-en",
        settings={**SETTINGS, **options},
        missing=missing,
    )
    return outputs


def report(parts: dict[str, Path], files: list[Path]) -> None:
    options = {"qe": QE, "shown_qe": None, "show_bands": True}
    study_report(kind="roc", study="study", options=options, about="", parts=list(parts.values()), files=files)


@pytest.fixture(scope="module")
def parts(inputs: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return run(inputs, tmp_path_factory.mktemp("parts"))


def test_every_table_has_its_rows(parts: dict[str, Path]) -> None:
    auc = read_table(parts["auc"]).to_pylist()
    assert len(auc) == 2 * 3 * 2
    assert {row["n_segments"] for row in auc} == {50}
    assert {(row["system"], row["cutoff"]) for row in auc} == {(s, c) for s in "AB" for c in ("<0", "<=-5")}
    curve = read_table(parts["curve"]).to_pylist()
    assert len(curve) == 12 * 52
    assert max(row["segment"] for row in curve if row["segment"] is not None) == 49
    assert len(read_table(parts["auc_pairs"])) == 2 * 2 * 3


def test_a_qe_system_in_which_low_is_better_is_the_same_turned_round(parts: dict[str, Path]) -> None:
    rows = {(row["system"], row["cutoff"], row["qe"]): row for row in read_table(parts["auc"]).to_pylist()}
    for system in "AB":
        assert rows[system, "<0", "penalty"]["auc"] == rows[system, "<0", "sharp"]["auc"]
        assert rows[system, "<0", "penalty"]["ci_low"] == rows[system, "<0", "sharp"]["ci_low"]
    pairs = read_table(parts["auc_pairs"]).to_pylist()
    assert {row["p_value"] for row in pairs if (row["qe_a"], row["qe_b"]) == ("penalty", "sharp")} == {1}


def test_domains_and_documents(inputs: dict[str, Path], tmp_path: Path) -> None:
    outputs = run(inputs, tmp_path, domains=["talk"], resample_unit="document", qe=["sharp"], cutoffs=["<0"])
    rows = read_table(outputs["auc"]).to_pylist()
    assert {(row["domain"], row["n_segments"]) for row in rows} == {(None, 50), ("talk", 20)}
    assert {row["resample_unit"] for row in rows} == {"document"}
    for row in rows:
        assert ("mixed_domains" in row["flags"], "small_domain" in row["flags"]) == (
            row["domain"] is None,
            row["domain"] is not None,
        )


def test_sweeps_are_rows_and_curves_stand_once(inputs: dict[str, Path], tmp_path: Path) -> None:
    outputs = run(inputs, tmp_path, seed=[0, 1], n_resamples=[20, 40], qe=["sharp"], cutoffs=["<0"], systems=["B"])
    rows = read_table(outputs["auc"]).to_pylist()
    assert [(row["seed"], row["n_resamples"]) for row in rows] == [(0, 20), (0, 40), (1, 20), (1, 40)]
    assert len({row["auc"] for row in rows}) == 1
    assert len(read_table(outputs["curve"])) == 52


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"systems": ["C"]}, "there is no system 'C'. There are: A, B"),
        ({"domains": ["poems"]}, "there is no domain 'poems'"),
        ({"cutoffs": ["low"]}, "no comparison"),
        ({"costs": ["ten"]}, "no ratio"),
        ({"class_ratios": ["1:0"]}, "no ratio"),
        ({"shown_qe": ["other"]}, "shown_qe: other is not among qe, which has sharp, blunt, penalty"),
    ],
)
def test_impossible_options_are_refused(
    inputs: dict[str, Path], tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        run(inputs, tmp_path, **options)


def test_missing_qe_scores_are_refused_or_left_out(inputs: dict[str, Path], tmp_path: Path) -> None:
    scores = read_table(inputs["sharp"]).to_pylist()
    gaps = {system: [row["score"] for row in scores if row["system"] == system] for system in "AB"}
    gaps["B"][3] = float("nan")
    broken = {**inputs, "sharp": write_scores(tmp_path / "sharp.parquet", "sharp", gaps)}
    with pytest.raises(InputError, match=r"sharp has no score for 1 of the 50 segments of system B .*row 4\."):
        run(broken, tmp_path, missing="error")
    rows = read_table(run(broken, tmp_path, missing="intersect")["auc"]).to_pylist()
    flags = {
        (row["system"], row["n_segments"], "missing_segments" in row["flags"]) for row in rows if row["qe"] == "blunt"
    }
    assert flags == {("A", 50, False), ("B", 49, True)}


def test_unjudged_systems_are_refused(inputs: dict[str, Path], tmp_path: Path) -> None:
    none = {system: np.full(N, np.nan) for system in "AB"}
    silent = {**inputs, "people": write_scores(tmp_path / "people.parquet", "people", none)}
    with pytest.raises(InputError, match="people has no score for any segment of system A"):
        run(silent, tmp_path)


def test_report_writes_every_format(parts: dict[str, Path], tmp_path: Path) -> None:
    tables = [tmp_path / f"{table}.{suffix}" for table in ROC_TABLES for suffix in ("parquet", "csv")]
    tables += [
        tmp_path / f"{table}.{suffix}"
        for table in ("auc", "decisions", "hulls", "auc_pairs")
        for suffix in ("md", "tex")
    ]
    figures = [
        tmp_path / "figures" / f"{name}.{suffix}" for name in ("curves", "hulls", "precision") for suffix in ("svg",)
    ]
    report(parts, [*tables, *figures])
    assert all(path.stat().st_size > 0 for path in [*tables, *figures])
    page = (tmp_path / "auc.md").read_text(encoding="utf-8")
    assert "| MT system | with error | without | sharp | blunt | penalty |" in " ".join(page.split())
    row = next(row for row in read_table(parts["auc"]).to_pylist() if row["qe"] == "sharp")
    assert f"{row['auc']:.3f} [{row['ci_low']:.3f}, {row['ci_high']:.3f}]" in page
    assert "errors left per 100" in (tmp_path / "decisions.md").read_text(encoding="utf-8").lower()
    assert read_table(tmp_path / "auc.parquet").schema.names == list(TABLES["auc"])


def test_decisions_have_a_table_for_each_share_that_reviewers_overlook(inputs: dict[str, Path], tmp_path: Path) -> None:
    """In each, the QE systems under a question stand in the order of the configuration."""
    outputs = run(inputs, tmp_path, systems=["A"], cutoffs=["<0"], reviewer_miss=[0, 0.1])
    tables = decision_tables(read_table(outputs["decisions"]).to_pylist(), qe=QE)
    assert ["overlook 10 % of the errors" in table.title for table in tables] == [False, True]
    for table in tables:
        asked = [row[1] for row in table.rows if row[0] == "Review 50 % of the segments"]
        assert asked == QE
    keep = "Keep the best 50 % of the segments"
    assert [any(row[0] == keep for row in table.rows) for table in tables] == [True, False]


def test_one_class_makes_a_page_without_curves(inputs: dict[str, Path], tmp_path: Path) -> None:
    outputs = run(inputs, tmp_path, cutoffs=[">5"])
    assert {row["auc"] for row in read_table(outputs["auc"]).to_pylist()} == {None}
    page = tmp_path / "auc.md"
    report(outputs, [page, tmp_path / "curves.svg"])
    (row, *_) = (line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("| A "))
    assert "undefined" in row
    assert "sharp: one_class" in row


def test_several_mt_systems_on_one_plot_are_refused(parts: dict[str, Path]) -> None:
    """Rows that claim to be of one place but are of two MT systems."""
    curve, auc = (
        [{**row, "testset": "toy"} for row in read_table(parts[name]).to_pylist() if row["cutoff"] == "<0"]
        for name in ("curve", "auc")
    )
    from mtsig.report.roc import _one_system

    with pytest.raises(ConfigError, match="do not belong on one ROC plot"):
        _one_system([*curve, *auc])
    assert curves_figure(curve, [], auc, qe=QE).to_dict()["concat"][0]["title"]["text"].startswith("A ")


def test_a_paper_shows_tables_and_figures_of_studies(parts: dict[str, Path], tmp_path: Path) -> None:
    """The table as text, and in LaTeX to be read in and alone; the figure in two formats."""
    named = {
        "areas": {"study": "toy", "table": "auc", "figure": None},
        "hull": {"study": "toy", "table": None, "figure": "hulls"},
    }
    suffixes = {"areas": ("csv", "md", "tex", "standalone.tex"), "hull": ("svg", "pdf")}
    files = [tmp_path / f"{name}.{suffix}" for name, own in suffixes.items() for suffix in own]
    studies = {"toy": {"kind": "roc", "qe": QE, "shown_qe": None, "show_bands": True}}
    paper_studies(tables=list(parts.values()), named=named, studies=studies, files=files)
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in files}
    fragment = (tmp_path / "areas.tex").read_text(encoding="utf-8")
    assert "documentclass" not in fragment
    assert fragment in (tmp_path / "areas.standalone.tex").read_text(encoding="utf-8")
    assert (tmp_path / "areas.md").read_text(encoding="utf-8").startswith("# areas\n")
    assert len((tmp_path / "areas.csv").read_text(encoding="utf-8").splitlines()) == 1 + len(read_table(parts["auc"]))
    assert (tmp_path / "hull.pdf").read_bytes().startswith(b"%PDF")


def test_figures_show_chosen_qe_systems_with_bands_or_without(parts: dict[str, Path]) -> None:
    """Drawn are the curves, areas and bands of those that are named; colours stay those of all."""
    rows = {
        name: [row for row in read_table(parts[name]).to_pylist() if row["cutoff"] == "<0" and row["system"] == "A"]
        for name in ("curve", "bands", "auc")
    }

    def drawn(chart: Any) -> str:
        return str(chart.to_dict())

    every = drawn(curves_figure(rows["curve"], rows["bands"], rows["auc"], qe=QE))
    some = drawn(curves_figure(rows["curve"], rows["bands"], rows["auc"], qe=QE, shown_qe=["blunt"], show_bands=False))
    assert "sharp  0." in every
    assert "sharp  0." not in some
    assert "blunt  0." in some
    assert ("Shaded" in every, "Shaded" in some) == (True, False)
    precision = drawn(precision_figure(rows["curve"], rows["auc"], qe=QE, shown_qe=["sharp", "blunt"]))
    area = next(row["average_precision"] for row in rows["auc"] if row["qe"] == "sharp")
    assert f"sharp  {area:.3f}" in precision
    assert "penalty  0." not in precision
