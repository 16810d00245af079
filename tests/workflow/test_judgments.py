"""Studies of human judgments as users run them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml
from mtsig.config import load
from mtsig.io import read_table
from workflow_project import Project

SYSTEMS = ("good", "fair", "poor")


@pytest.fixture(scope="module")
def judged(fresh, tmp_path_factory) -> Project:
    """A test set in the layout of mt-metrics-eval, with MQM on all but the last two segments, and two studies."""
    project = Project(tmp_path_factory.mktemp("judged"), fresh.home, dict(fresh.environment))
    lines = (fresh.folder / "in" / "reference.txt").read_text(encoding="utf-8").splitlines()
    project.write("wmt/sources/de-en.txt", lines)
    project.write("wmt/references/de-en.refA.txt", lines)
    rng = np.random.default_rng(1)
    people, estimates = [], []
    for strictness, system in enumerate(SYSTEMS):
        outputs = (fresh.folder / "in" / "out" / f"{system}.txt").read_text(encoding="utf-8").splitlines()
        project.write(f"wmt/system-outputs/de-en/{system}.txt", outputs)
        penalties = -rng.choice([0, 0, 1, 5], len(lines)) * strictness
        people += [f"{system}\t{'None' if k >= 10 else float(score)}" for k, score in enumerate(penalties)]
        estimates += [f"{system}\t{score + rng.normal():.4f}" for score in penalties]
    project.write("wmt/human-scores/de-en.mqm.seg.score", people)
    project.write("wmt/metric-scores/de-en/Estimate-src.seg.score", estimates)
    project.configure(
        {
            "testsets": {"wmt": {"format": "mtme", "root": "wmt", "langpair": "de-en"}},
            "missing": "intersect",
            "metrics": {
                "mqm": {"kind": "mtme", "name": "mqm"},
                "estimate": {"kind": "mtme", "name": "Estimate"},
                "bleu": {},
                "gtm": {"exponent": 1.5},
            },
            "studies": {
                "qe": {
                    "kind": "roc",
                    "testset": "wmt",
                    "gold": "mqm",
                    "qe": ["estimate", "gtm"],
                    "cutoffs": ["<0"],
                    "n_resamples": [20, 30],
                },
                "who": {
                    "kind": "meta",
                    "testset": "wmt",
                    "gold": "mqm",
                    "metrics": ["estimate", "bleu", "gtm"],
                    "n_trials": 20,
                },
            },
            "n_resamples": 40,
            "n_trials": 40,
        }
    )
    project.run("results/studies/qe/auc.md", "results/studies/who/figures/agreement.svg")
    return project


def test_tables_hold(judged: Project, repository: Path) -> None:
    qe, who = (judged.folder / "results" / "studies" / name for name in ("qe", "who"))
    rows = read_table(qe / "auc.parquet").to_pylist()
    # Nothing is wrong with the good system, so there is no curve for it.
    assert {(row["system"], row["auc"] is None) for row in rows} == {("good", True), ("fair", False), ("poor", False)}
    assert {(row["qe"], row["n_resamples"]) for row in rows} == {(q, n) for q in ("estimate", "gtm") for n in (20, 30)}
    assert {row["n_segments"] for row in rows} == {10}
    agreement = read_table(who / "correlations.parquet").to_pylist()
    assert {row["metric_name"] for row in agreement} == {"estimate", "bleu", "gtm"}
    assert {row["n_systems"] for row in agreement} == {3}
    checker = repository.parent / "shared" / "checks" / "contract.py"
    if checker.exists():
        subprocess.run([sys.executable, str(checker), str(judged.folder / "results")], check=True)


def test_a_second_run_has_nothing_to_do(judged: Project) -> None:
    targets = ("results/studies/qe/auc.md", "results/studies/who/figures/agreement.svg")
    assert judged.planned(*targets) == {}


def test_an_option_of_one_study_reruns_that_study(judged: Project, tmp_path: Path) -> None:
    project = judged.copy(tmp_path / "copy")
    config = project.config
    config["studies"]["qe"]["costs"] = ["3:1"]
    project.configure(config)
    planned = project.planned("results/studies/qe/auc.md", "results/studies/who/figures/agreement.svg")
    assert planned == {"roc": 1, "roc_report": 1}


def test_a_metric_without_direction_ends_in_one_message(judged: Project, tmp_path: Path) -> None:
    project = judged.copy(tmp_path / "copy")
    config = project.config
    config["metrics"]["length_ratio"] = {}
    config["studies"]["qe"]["qe"] = ["length_ratio"]
    project.configure(config)
    run = project.run("results/studies/qe/auc.md", check=False)
    assert run.status != 0
    assert run.last_line.startswith("error: qe: length_ratio has no direction")


@pytest.mark.parametrize("name", ["qe-roc-wmt23", "meta-wmt23", "gtm-wmt23"])
def test_shipped_studies_are_valid(repository: Path, name: str) -> None:
    path = repository / "config" / "studies" / f"{name}.yaml"
    config = yaml.safe_load(path.read_text(encoding="utf-8"))
    settings = load(config, repository / "workflow" / "schemas", files=[path])
    assert {its["root"] for its in settings["testsets"].values()} == {"data/mt-metrics-eval-v2/wmt23"}
