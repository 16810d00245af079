"""Averages over test sets, the tables of a paper, and a robustness study as users run them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from mtsig.io import read_table
from workflow_project import Project

STUDY = "results/studies/firm/agreement.md"


@pytest.fixture(scope="module")
def written(fresh, tmp_path_factory) -> tuple[Project, object]:
    """Two test sets, their average, a paper and a study, made by naming the target `paper` and one file."""
    project = Project(tmp_path_factory.mktemp("paper") / "o'brien (v1.0) & co", fresh.home, dict(fresh.environment))
    project.folder.mkdir()
    for path in (fresh.folder / "in").rglob("*.t*"):
        project.write(str(path.relative_to(fresh.folder)), path.read_bytes())
    config = fresh.config
    demo = config["testsets"]["demo"]
    config |= {
        "metrics": {"bleu": {}},
        "testsets": {"demo": demo, "more": {**demo, "references": "in/out/fair.txt", "exclude": ["fair"]}},
        "missing": "intersect",
        "equivalence_margin": {"bleu": 2.0},
        "suites": {"both": {"testsets": ["demo", "more"]}},
        "paper": {
            "tables": {"main": {"testsets": ["demo", "more"], "suites": ["both"], "metrics": ["bleu"]}},
            "figures": {"average": {"kind": "matrix", "suite": "both", "metric": "bleu"}},
        },
        "studies": {
            "firm": {"kind": "robustness", "testset": "demo", "metric": "bleu", "seeds": [1], "resamples": [40]}
        },
    }
    project.configure(config)
    return project, project.run("paper", STUDY)


def test_the_average_leaves_out_and_names_the_system_that_a_test_set_lacks(written):
    folder = written[0].folder / "results" / "suites" / "both"
    rows = {row["system"]: row for row in read_table(folder / "systems" / "bleu.parquet").to_pylist()}
    assert rows["fair"]["score"] is None
    assert "missing_testsets" in rows["fair"]["flags"]
    singles = [
        read_table(written[0].folder / "results" / testset / "systems" / "bleu.parquet").to_pylist()
        for testset in ("demo", "more")
    ]
    for system in ("good", "poor"):
        scores = [row["score"] for rows_of in singles for row in rows_of if row["system"] == system]
        assert rows[system]["score"] == pytest.approx(sum(scores) / 2, rel=1e-12)


def test_the_paper_holds_what_was_named_and_the_study_its_verdicts(written):
    project, run = written
    files = {path.name for path in (project.folder / "results" / "paper").iterdir()}
    names = {
        "main.csv",
        "main.md",
        "main.tex",
        "main.table.tex",
        "average.pdf",
        "average.svg",
        "methods.md",
        "methods.tex",
    }
    assert files == names
    assert "both is the unweighted mean over demo and more" in (
        project.folder / "results" / "paper" / "methods.md"
    ).read_text(encoding="utf-8")
    assert re.search(r"\d+/\d+", (project.folder / STUDY).read_text(encoding="utf-8"))
    assert "report" not in run.jobs


def test_a_second_run_has_nothing_to_do_and_another_caption_makes_the_paper_alone(written, tmp_path):
    project = written[0].copy(tmp_path / "project")
    assert project.planned("paper", STUDY) == {}
    config = project.config
    config["paper"]["tables"]["main"]["caption"] = "Another."
    project.configure(config)
    assert project.planned("paper", STUDY) == {"paper_files": 1, "paper": 1}


def test_equivalence_is_in_the_tables(written):
    rows = read_table(written[0].folder / "results" / "demo" / "pairs" / "bleu.parquet").to_pylist()
    assert {row["equivalence_margin"] for row in rows} == {2.0}
    assert all(row["p_noninferiority"] <= row["p_equivalence"] for row in rows)


def test_the_trees_hold_to_the_contract(written, repository):
    checker = repository.parent / "shared" / "checks" / "contract.py"
    if not checker.is_file():
        pytest.skip("the contract checker (../shared/checks) is not on this machine")
    results = written[0].folder / "results"
    done = subprocess.run([sys.executable, checker, results], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    for path in results.rglob("*.json"):
        json.loads(Path(path).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tables": {"methods": {"testsets": ["demo"], "metrics": ["bleu"]}}}, r"paper\.tables.*methods"),
        ({"tables": {"t": {"metrics": ["bleu"]}}}, r"paper\.tables\.t: .*testsets"),
        ({"tables": {"t": {"testsets": ["nowhere"], "metrics": ["bleu"]}}}, r"no test set 'nowhere'"),
        ({"figures": {"f": {"kind": "matrix", "suite": "none", "metric": "bleu"}}}, r"no suite 'none'"),
        ({"figures": {"f": {"kind": "pie", "testset": "demo", "metric": "bleu"}}}, r"paper\.figures\.f\.kind: 'pie'"),
    ],
)
def test_impossible_papers_are_refused_before_any_job(unstarted, change, message):
    unstarted.configure({**unstarted.config, "paper": change})
    run = unstarted.run("-n", check=False)
    assert run.status != 0
    assert re.search(message, run.last_line), run.last_line
