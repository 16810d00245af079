"""Calibration, null and power studies from files to files, on simulated texts."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from mtsig import config
from mtsig.contracts import FLAGS, TABLES, scores_schema
from mtsig.errors import ConfigError, InputError
from mtsig.io import read_metadata, read_table, write_table
from mtsig.kinds import study_kind
from mtsig.steps.ingest import ingest
from mtsig.steps.score import score
from mtsig.steps.study import study
from mtsig.steps.study_report import study_report
from mtsig.steps.truth import truth

SYSTEMS = {"A": 0.62, "B": 0.6, "same as B": 0.6, "C": 0.5}
TEXTS = {"format": "simulated", "langpair": "xx-yy", "segments": 240, "systems": SYSTEMS, "truth_segments": 2000}
METRICS = {"bleu": {}, "exact_match": {}, "length_ratio": {}}
TABLES_OF = {kind: [table.name for table in study_kind(kind).tables] for kind in ("calibration", "null", "power")}
CALIBRATION_TABLES = TABLES_OF["calibration"]


class Project:
    """A test set with the scores of all metrics, and its settings."""

    def __init__(self, folder: Path, schemas: Path, texts=TEXTS) -> None:
        self.folder = folder
        self.schemas = schemas
        self.settings = config.load({"testsets": {"sim": texts}, "metrics": METRICS}, schemas)
        self.testset = self.settings["testsets"]["sim"]
        self.segments = folder / "segments.parquet"
        hypotheses = folder / "hypotheses.parquet"
        ingest(
            testset="sim",
            settings=self.testset,
            segments=self.segments,
            hypotheses=hypotheses,
            lint=folder / "lint.json",
        )
        for metric in METRICS:
            score(
                segments=self.segments,
                hypotheses=hypotheses,
                testset="sim",
                langpair="xx-yy",
                metric=metric,
                settings=self.settings["metrics"][metric],
                missing="error",
                scores=folder / f"{metric}.parquet",
            )

    def options(self, kind, **given):
        study = {"kind": kind, "testset": "sim", "metric": "bleu", "n_resamples": 60, **given}
        loaded = {"testsets": {"sim": TEXTS}, "metrics": METRICS, "studies": {"mine": study}}
        return config.load(loaded, self.schemas)["studies"]["mine"]

    def run(self, kind, out, *, metric="bleu", scores=None, truth=(), missing="error", threads=1, **given):
        paths = {table: out / f"{table}.parquet" for table in TABLES_OF[kind]}
        study(
            kind=kind,
            tables=list(paths.values()),
            segments=self.segments,
            scores=[scores or self.folder / f"{metric}.parquet"],
            study="mine",
            testset="sim",
            langpair="xx-yy",
            metrics={metric: self.settings["metrics"][metric]},
            settings=self.options(kind, metric=metric, **given),
            missing=missing,
            truth=truth,
            threads=threads,
        )
        return {table: read_table(path).to_pylist() for table, path in paths.items()}

    def calibrate(self, out, **given):
        options = {"subset_sizes": [40], "n_trials": 60, **given}
        return self.run("calibration", out, **options)


@pytest.fixture(scope="module")
def project(tmp_path_factory, repository):
    return Project(tmp_path_factory.mktemp("sim"), repository / "workflow" / "schemas")


def report(kind, folders, files):
    options = {"confidence_level": 0.95, "alpha": 0.05, "target_power": 0.8}
    parts = [folder / f"{table}.parquet" for folder in folders for table in TABLES_OF[kind]]
    study_report(kind=kind, study="mine", options=options, about="", parts=parts, files=files)


def written(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_calibration_writes_every_table_for_every_swept_cell(project, tmp_path):
    """Two seeds and two numbers of resamples are four cells, and columns of all tables."""
    found = project.calibrate(tmp_path, seed=[1, 2], n_resamples=[20, 30], schemes=["broad"])
    for table, rows in found.items():
        assert {(row["seed"], row["n_resamples"]) for row in rows} == {(1, 20), (1, 30), (2, 20), (2, 30)}, table
        assert {row["study"] for row in rows} == {"mine"}
        assert read_table(tmp_path / f"{table}.parquet").schema.names == list(TABLES[table])
        assert read_metadata(tmp_path / f"{table}.parquet")["signature"].startswith("nrefs:1")
        assert {flag for row in rows for flag in row.get("flags", ())} <= FLAGS.keys()
    assert len(found["conclusions"]) == 4 * 6 * 6
    assert len(found["verdicts"]) == 4 * 6 * 6 * 8
    assert sum(row["conclusions"] for row in found["calibration"]) == 4 * 6 * 6


def test_truth_of_the_generator(project, tmp_path):
    """Equal qualities have equal true scores, so that their pair is a true tie; better ones have higher scores."""
    truth(
        testset="sim",
        langpair="xx-yy",
        testset_settings=project.testset,
        metric="bleu",
        settings=project.settings["metrics"]["bleu"],
        truth=tmp_path / "truth.parquet",
    )
    rows = {row["system"]: row for row in read_table(tmp_path / "truth.parquet").to_pylist()}
    assert rows["A"]["score"] > rows["B"]["score"] == rows["same as B"]["score"] > rows["C"]["score"]
    assert {row["n_segments"] for row in rows.values()} == {2000}
    assert all(0.1 < row["standard_error"] < 3 for row in rows.values())
    found = project.calibrate(tmp_path, truth=[tmp_path / "truth.parquet"], subset_sizes=[120])
    assert {row["truth"] for row in found["subsets"] if row["system"] == "B"} == {rows["B"]["score"]}
    tie = [row for row in found["power"] if (row["system_a"], row["system_b"]) == ("B", "same as B")]
    assert {row["truth"] for row in tie} == {"tie"}
    assert all("subset_in_truth" not in row["flags"] for row in found["coverage"])


def test_threads_and_order_change_nothing(project, tmp_path):
    """The same tables from one thread and from two."""
    one = project.calibrate(tmp_path / "1", schemes=["random"])
    assert one == project.calibrate(tmp_path / "2", schemes=["random"], threads=2)


def test_named_pairs_and_systems(project, tmp_path):
    """Pairs come out sorted, each once; systems left out are left out everywhere."""
    found = project.calibrate(
        tmp_path, systems=["C", "A", "B"], pairs=[["C", "A"], ["A", "C"], ["A", "B"]], schemes=["broad"]
    )
    assert {(row["system_a"], row["system_b"]) for row in found["power"]} == {("A", "B"), ("A", "C")}
    assert {row["system"] for row in found["coverage"]} == {"A", "B", "C"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"systems": ["A", "Z"]}, "systems: there is no system 'Z'; there are A, B, C, same as B"),
        ({"pairs": [["A", "Z"]]}, "pairs: there is no system 'Z'"),
        ({"pairs": [["A", "A"]]}, "is no pair"),
    ],
)
def test_unknown_systems_are_refused_and_nothing_is_written(project, tmp_path, given, message):
    """The message lists what is there."""
    with pytest.raises(ConfigError, match=message):
        project.calibrate(tmp_path, **given)
    assert written(tmp_path) == set()


def test_metric_without_direction(project, tmp_path):
    """The length ratio has intervals and ranges, no conclusions; the other studies refuse it."""
    found = project.calibrate(tmp_path, metric="length_ratio")
    assert len(found["coverage"]) == 3 * 4
    assert found["conclusions"] == found["power"] == []
    for kind in ("null", "power"):
        with pytest.raises(ConfigError, match="no direction"):
            project.run(kind, tmp_path, metric="length_ratio")


def rewritten(project, path, change):
    """The BLEU scores with some rows changed."""
    table = read_table(project.folder / "bleu.parquet")
    statistics = tuple(table.schema.names[6:])
    rows = table.to_pylist()
    change(rows, statistics)
    write_table(path, rows, scores_schema(statistics), metadata={"signature": "x"})
    return path


def test_ties_everywhere(project, tmp_path):
    """All systems have the statistics of the first: all resamples tie, nothing is significant, right or wrong."""

    def equal(rows, statistics):
        for position, row in enumerate(rows):
            row.update({name: rows[position % 240][name] for name in ("score", *statistics)})

    found = project.calibrate(tmp_path, scores=rewritten(project, tmp_path / "equal.parquet", equal))
    assert {row["ties"] for row in found["conclusions"]} == {60}
    assert {row["koehn_verdict"] for row in found["conclusions"]} == {"none"}
    assert {row["correct"] for row in found["conclusions"]} == {None}
    files = [tmp_path / "out" / name for name in ("calibration.md", "figures/reliability.svg", "figures/power.svg")]
    report("calibration", [tmp_path], files)
    assert "No conclusion is right or wrong" in files[1].read_text()


def test_missing_scores_are_refused_or_left_out(project, tmp_path):
    """`error` names the system and segment; `intersect` studies the segments that all systems have."""

    def gaps(rows, statistics):
        for row in rows[240:250]:
            row.update(dict.fromkeys(("score", *statistics)))

    broken = rewritten(project, tmp_path / "broken.parquet", gaps)
    with pytest.raises(InputError, match="system B has no score on 10 of 240 segments, the first is segment 1 "):
        project.calibrate(tmp_path, scores=broken)
    found = project.calibrate(tmp_path, scores=broken, missing="intersect", schemes=["broad"])
    assert sum(row["n_segments"] for row in found["subsets"] if row["system"] == "A") == 230


def test_null_study_swaps_what_it_tests_and_shows_the_mismatch_apart(project, tmp_path):
    """By default segments, and documents in rows that say so; what is asked for alone otherwise; both nulls."""
    options = {"subset_sizes": [30, 1000], "n_null": 20, "n_trials": 40, "nulls": ["swap", "recentred"]}
    rows = project.run("null", tmp_path, pairs=[["A", "B"]], **options)["rejections"]
    units = {(row["null"], row["swap_unit"], "mismatched_units" in row["flags"]) for row in rows}
    assert units == {
        ("swap", "segment", False),
        ("swap", "document", True),
        ("recentred", "segment", False),
        ("recentred", "document", False),
    }
    assert all("subset_too_large" in row["flags"] for row in rows if row["subset_size"] == 1000)
    rows = project.run("null", tmp_path, swap_unit="segment", **options)["rejections"]
    assert {row["swap_unit"] for row in rows} == {"segment"}
    assert len(rows) == 6 * 2 * 2 * 8
    rows = project.run("null", tmp_path, resample_unit="document", **options)["rejections"]
    assert {(row["swap_unit"], "mismatched_units" in row["flags"]) for row in rows} == {("document", False)}


def test_power_study_answers_in_words(project, tmp_path):
    """The test set's own size is among the rows, the answer is a sentence, larger sizes are marked."""
    found = project.run("power", tmp_path, sizes=[60, 1000], n_simulations=40, difference=[1, 4])
    own = [row for row in found["planning"] if row["size"] == 240]
    assert len(own) == 6 * 2
    assert all(
        row["sentence"].startswith("With 240 segments this test set detects differences of about") for row in own
    )
    assert all("BLEU with 80% power. A difference of" in row["sentence"] for row in own)
    assert {row["size"] for row in found["planning"] if row["extrapolated"]} == {1000}
    needed = {row["difference"]: row["segments_needed"] for row in own if row["system_b"] == "C"}
    assert needed[1.0] > needed[4.0]
    at_zero = [row["power"] for row in found["power_curve"] if row["difference"] == 0]
    assert np.mean(at_zero) < 0.15
    by_document = project.run("power", tmp_path, sizes=[60], n_simulations=20, resample_unit="document")
    assert {row["n_units"] for row in by_document["power_curve"] if row["size"] == 60} < set(range(1, 30))
    assert {tuple(row["flags"]) for row in by_document["planning"]} == {("few_units",)}


def test_default_difference_is_a_hundredth_of_the_scale(project, tmp_path):
    """One point of BLEU."""
    found = project.run("power", tmp_path, sizes=[60], n_simulations=10)
    assert {row["difference"] for row in found["planning"]} == {1.0}


def test_reports_of_all_three_studies(project, tmp_path):
    """Parquet and csv hold the rows of all parts, md and tex the tables for reading, figures in three formats."""
    for metric in ("bleu", "exact_match"):
        project.calibrate(tmp_path / metric, metric=metric, schemes=["broad", "consecutive"])
    folders = [tmp_path / metric for metric in ("bleu", "exact_match")]
    out = tmp_path / "calibration"
    names = [f"{table}.{suffix}" for table in CALIBRATION_TABLES for suffix in ("parquet", "csv")]
    names += [f"{table}.{suffix}" for table in list(CALIBRATION_TABLES)[3:] for suffix in ("md", "tex")]
    figures = ("reliability", "power", "tests", "coverage", "ranges", "differences")
    names += [f"figures/{figure}.svg" for figure in figures] + ["figures/power.png", "figures/power.pdf"]
    report("calibration", folders, [out / name for name in names])
    assert written(out) == set(names)
    rows = read_table(out / "subsets.parquet").to_pylist()
    assert {row["metric"] for row in rows} == {"bleu", "exact_match"}
    assert len((out / "subsets.csv").read_text().splitlines()) == len(rows) + 1
    page = (out / "calibration.md").read_text()
    assert page.startswith("# mine: is confidence honest?\n")
    assert "BLEU on sim (xx-yy)" in page
    assert "| 95-97.9%" in page
    assert "A > C" in (out / "power.md").read_text()
    # Decimals follow the spread of each metric: BLEU counts to 100, exact match to 1.
    ranges = (out / "ranges.md").read_text()
    sections = {
        metric: next(part for part in ranges.split("## ")[1:] if metric in part.splitlines()[0])
        for metric in ("BLEU", "exact_match")
    }
    assert re.search(r"\d\.\d to \d+\.\d \(", sections["BLEU"])
    assert re.search(r"0\.\d{3,} to 0\.\d{3,} \(0\.\d{3,}\)", sections["exact_match"])

    project.run("null", tmp_path, subset_sizes=[30], n_null=10, n_trials=20)
    out = tmp_path / "null"
    names = ["rejections.md", "rejections.tex", "rejections.csv", "rejections.parquet", "figures/rejections.svg"]
    report("null", [tmp_path], [out / name for name in names])
    assert written(out) == set(names)
    page = (out / "rejections.md").read_text()
    assert "Null: segments given to either system at random; tests by segment." in page
    assert "documents swapped and segments tested" in page

    project.run("power", tmp_path, sizes=[60], n_simulations=10)
    out = tmp_path / "power"
    names = ["planning.md", "planning.tex", "power_curve.csv", "figures/power_curve.svg", "figures/detectable.svg"]
    report("power", [tmp_path], [out / name for name in names])
    assert written(out) == set(names)
    assert "this test set detects" in (out / "planning.md").read_text()


def test_nothing_to_show_is_said(repository, tmp_path):
    """One system, and sizes that exceed the test set: tables without rows, figures that say why."""
    tiny = Project(
        tmp_path,
        repository / "workflow" / "schemas",
        {**TEXTS, "segments": 3, "systems": {"A": 0.6}},
    )
    out = tmp_path / "out"
    found = tiny.calibrate(out, subset_sizes=[100])
    assert found["conclusions"] == found["power"] == found["subsets"] == []
    assert {tuple(row["flags"]) for row in found["coverage"]} == {("subset_too_large",)}
    figures = ("reliability", "power", "tests", "coverage", "ranges", "differences")
    files = [out / f"{figure}.svg" for figure in figures] + [out / f"{table}.md" for table in list(found)[3:]]
    report("calibration", [out], files)
    assert "No subset could be drawn" in (out / "ranges.svg").read_text()
    tiny.run("null", out, n_null=5)
    report("null", [out], [out / "rejections.svg", out / "rejections.md"])
    tiny.run("power", out, n_simulations=10)
    report("power", [out], [out / "power_curve.svg", out / "detectable.svg", out / "planning.md"])
    assert "There is no pair of systems" in (out / "power_curve.svg").read_text()


def test_koehn_study_on_simulated_texts(repository, tmp_path):
    """The shipped study: corpus BLEU of the paper, honest bins, intervals that hold, blocks that spread."""
    shipped = yaml.safe_load((repository / "config/studies/koehn2004.yaml").read_text())
    schemas = repository / "workflow" / "schemas"
    settings = config.load(shipped, schemas)
    name, texts = next(iter(settings["testsets"].items()))
    paths = {table: tmp_path / f"{table}.parquet" for table in ("segments", "hypotheses")}
    ingest(testset=name, settings=texts, lint=tmp_path / "lint.json", **paths)
    names = {"testset": name, "langpair": "xx-en", "metric": "bleu"}
    score(**paths, **names, settings=settings["metrics"]["bleu"], missing="error", scores=tmp_path / "scores.parquet")
    tables = {table: tmp_path / f"{table}.parquet" for table in CALIBRATION_TABLES}
    study(
        kind="calibration",
        tables=list(tables.values()),
        segments=paths["segments"],
        scores=[tmp_path / "scores.parquet"],
        study="koehn2004",
        testset=name,
        langpair="xx-en",
        metrics={"bleu": settings["metrics"]["bleu"]},
        settings={**settings["studies"]["koehn2004"], "tests": ["koehn"]},
        missing="error",
    )
    rows = {table: read_table(path).to_pylist() for table, path in tables.items()}
    paper = {"ES": 28.9, "PT": 27.4, "DA": 26.9, "EL": 25.3, "DE": 22.6, "FI": 20.2}
    truths = {row["system"]: row["truth"] for row in rows["coverage"]}
    assert truths == pytest.approx(paper, abs=0.1)
    broad = [row for row in rows["calibration"] if row["scheme"] == "broad"]
    assert sum(row["conclusions"] for row in broad) == 4140
    # Monotone, and right at least as often as the confidence says, up to chance.
    rates = [row["percent_correct"] for row in broad[:9]]
    assert rates == sorted(rates, reverse=True)
    assert all(row["percent_high"] >= 100 * row["mean_confidence"] for row in broad[:9])
    covered = [row["covered"] for row in rows["coverage"] if (row["scheme"], row["subset_size"]) == ("broad", 300)]
    assert all(87 <= count <= 100 for count in covered)
    ranges = {(row["scheme"], row["system"]): row for row in rows["ranges"] if row["subset_size"] == 300}
    for system in paper:
        one, other = ranges["broad", system], ranges["consecutive", system]
        assert other["maximum"] - other["minimum"] > 2 * (one["maximum"] - one["minimum"])
