"""Studies through Snakemake: every file there, nothing to do afterwards, impossible ones refused before any job."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from mtsig.contracts import TABLES
from mtsig.io import read_table
from workflow_project import Project, new_project

CONFIG = {
    "testsets": {
        "sim": {
            "format": "simulated",
            "langpair": "xx-yy",
            "segments": 60,
            "truth_segments": 400,
            "systems": {"A": 0.6, "../b": 0.5},
        },
        "other": {
            "format": "simulated",
            "langpair": "xx-yy",
            "segments": 40,
            "systems": {"A": 0.6, "B": 0.5},
            "metrics": ["bleu"],
        },
    },
    "metrics": {"bleu": {}, "exact_match": {}},
    "n_resamples": 50,
    "n_trials": 50,
    "studies": {
        "koehn": {
            "kind": "calibration",
            "testset": "sim",
            "metric": ["bleu", "exact_match"],
            "subset_sizes": [20],
            "n_trials": 50,
            "seed": [1, 2],
        },
        "blocks": {
            "kind": "calibration",
            "testset": "other",
            "metric": "bleu",
            "subset_sizes": [20],
            "schemes": ["consecutive"],
            "tests": ["koehn"],
            "truth": "testset",
        },
        "errors": {
            "kind": "null",
            "testset": "sim",
            "metric": "bleu",
            "subset_sizes": [20],
            "n_null": 10,
            "n_trials": 50,
        },
        "plan": {"kind": "power", "testset": ["sim", "other"], "metric": "bleu", "sizes": [30], "n_simulations": 10},
    },
}


@pytest.fixture(scope="module")
def studied(tmp_path_factory, home) -> Project:
    """A project with three studies that have run."""
    project = new_project(tmp_path_factory.mktemp("studies") / "run", home, tmp_path_factory.mktemp("cache"))
    project.configure(CONFIG)
    project.run()
    return project


def studies_folder(project: Project) -> Path:
    return project.folder / "results" / "studies"


def test_every_file_of_every_study_is_there(studied):
    """Tables in Parquet and csv, those for reading in md and tex, figures in three formats."""
    tables = {
        "koehn": ("subsets", "conclusions", "verdicts", "calibration", "power", "tests", "coverage", "ranges"),
        "errors": ("rejections",),
        "plan": ("power_curve", "planning"),
    }
    for study, names in tables.items():
        folder = studies_folder(studied) / study
        for name in names:
            assert read_table(folder / f"{name}.parquet").schema.names == list(TABLES[name])
            assert (folder / f"{name}.csv").stat().st_size
        assert {path.suffix for path in folder.iterdir() if path.is_file()} == {".parquet", ".csv", ".md", ".tex"}
        figures = list((folder / "figures").iterdir())
        assert figures
        assert {path.suffix for path in figures} == {".svg", ".png", ".pdf"}


def test_swept_options_are_columns_of_one_table(studied):
    """Two metrics and two seeds in one study, two test sets in another."""
    rows = read_table(studies_folder(studied) / "koehn" / "conclusions.parquet").to_pylist()
    assert {(row["metric"], row["seed"]) for row in rows} == {
        (metric, seed) for metric in ("bleu", "exact_match") for seed in (1, 2)
    }
    rows = read_table(studies_folder(studied) / "plan" / "planning.parquet").to_pylist()
    assert {row["testset"] for row in rows} == {"sim", "other"}


def test_truth_is_the_generators_unless_the_study_wants_the_test_sets(studied):
    """The true scores of simulated systems are made where they are needed, and only there."""
    results = studied.folder / "results"
    truth = {row["system"]: row["score"] for row in read_table(results / "sim/truth/bleu.parquet").to_pylist()}
    rows = read_table(studies_folder(studied) / "koehn" / "coverage.parquet").to_pylist()
    assert {row["system"]: row["truth"] for row in rows if row["metric"] == "bleu"} == truth
    assert not (results / "other" / "truth").exists()
    scores = {row["system"]: row["score"] for row in read_table(results / "other/systems/bleu.parquet").to_pylist()}
    rows = read_table(studies_folder(studied) / "blocks" / "coverage.parquet").to_pylist()
    assert {row["system"]: row["truth"] for row in rows} == pytest.approx(scores)


def test_tables_hold_the_contract(studied, repository):
    """The check that others will run, where it is there."""
    check = repository.parent / "shared" / "checks" / "contract.py"
    if not check.exists():
        pytest.skip("the contract's own check (../shared/checks) is not on this machine")
    found = subprocess.run(
        [sys.executable, check, studied.folder / "results"], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stdout


def test_second_run_has_nothing_to_do(studied):
    """Content decides, so a finished study stays finished."""
    assert studied.planned() == {}


def test_change_of_an_option_runs_its_study_again_and_nothing_else(studied, tmp_path):
    """The null study alone, with its report."""
    project = studied.copy(tmp_path / "project")
    config = project.config
    config["studies"]["errors"]["n_null"] = 11
    project.configure(config)
    planned = project.planned()
    assert planned.pop("null") == 1
    assert planned.pop("null_report") == 1
    assert set(planned) <= {"report"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"metric": []}, "studies.koehn.metric"),
        ({"seed": []}, "studies.koehn.seed"),
        ({"tests": ["p_welch"]}, "studies.koehn.tests"),
        ({"subset_size": [10]}, "unknown key"),
    ],
)
def test_impossible_studies_are_refused_before_any_job(studied, tmp_path, change, message):
    """An empty sweep, an unknown name or key: one line that names it, and nothing runs."""
    project = Project(tmp_path, studied.home, dict(studied.environment))
    config = {**CONFIG, "studies": {"koehn": {**CONFIG["studies"]["koehn"], **change}}}
    project.configure(config)
    run = project.run("-n", check=False)
    assert run.status != 0
    assert message in run.last_line


def test_generator_as_truth_of_real_texts_is_refused(finished):
    """The message says what is needed instead."""
    config = finished.config
    config["studies"] = {
        "koehn": {"kind": "calibration", "testset": "demo", "metric": "bleu", "subset_sizes": [4], "truth": "generator"}
    }
    finished.configure(config)
    run = finished.run("-n", check=False)
    assert run.status != 0
    assert "studies.koehn.truth: generator needs a simulated test set" in run.last_line
