"""The target `comet`: real runs of Snakemake with tiny models."""

from __future__ import annotations

import copy
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml
from neural_setup import OFFLINE, REPOSITORY
from tiny_comet import SENTENCES

WORDS = " ".join(SENTENCES).split()
N_SEGMENTS = 12


class Project:
    """A folder with texts, a configuration, and runs of Snakemake in it."""

    def __init__(self, folder: Path, checkpoints: Path, comet_python: str | None) -> None:
        self.folder = folder
        (folder / "systems").mkdir()
        self.write("source", 0)
        self.write("reference", 3)
        for position, system in enumerate("abc"):
            self.write(f"systems/{system}", 7 * position)
        self.config = {
            "testsets": {
                "demo": {
                    "langpair": "de-en",
                    "source": "source.txt",
                    "references": {"refA": "reference.txt"},
                    "systems": "systems/*.txt",
                }
            },
            "metrics": {
                "bleu": {},
                "comet": {"model": str(checkpoints / "reference-based")},
                "kiwi": {"kind": "comet", "model": str(checkpoints / "reference-free")},
                "xcomet": {"kind": "comet", "model": str(checkpoints / "xcomet")},
            },
            "n_resamples": 100,
            "n_trials": 100,
            "neural": {"python": comet_python, "devices": "cpu", "store": "store.sqlite", "local_files_only": True},
        }

    def write(self, name: str, start: int) -> None:
        lines = [" ".join(WORDS[start + i : start + 2 * i + 4]) for i in range(N_SEGMENTS)]
        (self.folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    def run(self, *arguments: str, python: str = sys.executable, check: bool = True) -> tuple[int, str]:
        (self.folder / "study.yaml").write_text(yaml.safe_dump(self.config), encoding="utf-8")
        finished = subprocess.run(
            [
                *(python, "-m", "snakemake", *arguments, "--snakefile", str(REPOSITORY / "Snakefile")),
                *("--configfile", "study.yaml", "--cores", "2"),
            ],
            cwd=self.folder,
            env={**os.environ, **OFFLINE},
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        output = finished.stdout + finished.stderr
        assert finished.returncode == 0 or not check, output
        return finished.returncode, output

    def planned(self, *targets: str) -> dict[str, int]:
        """Rule to number of jobs that a run would start."""
        _, output = self.run(*targets, "-n")
        if "Nothing to be done" in output:
            return {}
        table = output.split("Job stats:")[1].split("total")[0].splitlines()
        return {row.split()[0]: int(row.split()[1]) for row in table[3:] if len(row.split()) == 2}

    def table(self, kind: str, metric: str):
        return pq.read_table(self.folder / "results" / "demo" / kind / f"{metric}.parquet")


@pytest.fixture(scope="module")
def finished(tmp_path_factory, checkpoints, comet_python):
    """A project after `snakemake`, and then `snakemake comet` with a Python of its own for COMET."""
    project = Project(tmp_path_factory.mktemp("project"), checkpoints, comet_python)
    project.run()
    project.page_before = (project.folder / "results" / "report.html").read_text(encoding="utf-8")
    project.run("comet")
    return project


@pytest.fixture
def project(finished):
    """The project; its configuration is as before after each test."""
    before = copy.deepcopy(finished.config)
    yield finished
    finished.config = before


def test_without_the_target_nothing_neural_is_made(project):
    assert "The metric comet was not computed here; neural metrics run under the target" in project.page_before


def test_the_target_makes_every_file(project):
    results = project.folder / "results" / "demo"
    for metric in ("bleu", "comet", "kiwi", "xcomet"):
        assert project.table("scores", metric).num_rows == 3 * N_SEGMENTS
        assert project.table("systems", metric).num_rows == 3
        assert project.table("pairs", metric).num_rows == 3
        assert (results / "figures" / f"{metric}.matrix.svg").is_file()
    systems = json.loads((results / "tables" / "systems.json").read_text(encoding="utf-8"))
    assert {row["metric"] for row in systems["rows"]} == {"bleu", "comet", "kiwi", "xcomet"}
    page = (project.folder / "results" / "report.html").read_text(encoding="utf-8")
    assert "was not computed here" not in page


def test_every_table_of_a_metric_has_one_signature(project):
    """B70"""
    (signature,) = set(project.table("systems", "kiwi")["signature"].to_pylist())
    assert signature.startswith("Python3")
    assert "|fp32|reference-free|r0|sha256:" in signature
    assert set(project.table("pairs", "kiwi")["signature"].to_pylist()) == {signature}
    assert json.loads((project.folder / "results/demo/neural/kiwi.json").read_text())["signature"] == signature


def test_error_spans_are_kept(project):
    spans = project.table("scores", "xcomet")["error_spans"].to_pylist()
    assert any(spans)
    one = next(marked for marked in spans if marked)[0]
    assert set(one) == {"reference", "start", "end", "text", "severity", "confidence"}
    assert "error_spans" not in project.table("scores", "comet").column_names


def test_nothing_is_done_twice(project):
    assert project.planned("comet") == {}
    assert project.planned() == {}


def test_results_hold_the_contract(project):
    checker = REPOSITORY.parent / "shared" / "checks" / "contract.py"
    if not checker.is_file():
        pytest.skip("the contract's checker is not here")
    finished = subprocess.run(
        [sys.executable, str(checker), str(project.folder / "results")], capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stdout


def test_other_runs_never_start_a_model(project):
    """Texts read again, another precision: without the target, scores that lie there are shown or left out."""
    lint = project.folder / "results" / "demo" / "lint.json"
    content = lint.read_bytes()
    lint.unlink()
    planned = project.planned()
    assert planned["ingest"] == 1
    assert planned["resample"] == 4
    assert "comet_score" not in planned
    lint.write_bytes(content)
    project.config["neural"]["precision"] = "bf16"
    assert "comet_score" not in project.planned()
    assert project.planned("comet")["comet_score"] == 3
    project.config["neural"]["precision"] = "fp32"
    assert project.planned("comet") == {}


def test_how_it_is_computed_is_no_reason_to_compute_again(project):
    project.config["neural"] |= {"store": "other.sqlite", "devices": "auto", "local_files_only": False}
    # The page shows the configuration.
    assert project.planned("comet") == {"report": 1, "comet": 1}


def test_a_changed_hypothesis_costs_one_triple(project):
    path = project.folder / "systems" / "b.txt"
    before = path.read_text(encoding="utf-8")
    path.write_text(before.replace(before.splitlines()[2], "another hypothesis"), encoding="utf-8")
    _, output = project.run("results/demo/scores/comet.parquet")
    assert re.findall(r"^(\d+) of \d+ distinct triples", output, re.MULTILINE) == ["1"]
    path.write_text(before, encoding="utf-8")
    _, output = project.run("comet")
    assert re.findall(r"^(\d+) of \d+ distinct triples", output, re.MULTILINE) == ["0", "0", "0"]


def test_what_is_in_the_way_is_said_before_any_job(project):
    """B75: one message, nothing started; other targets go on as ever."""
    project.config["metrics"]["kiwi"]["model"] = "Unbabel/wmt22-cometkiwi-da"
    status, output = project.run("comet", check=False)
    assert status == 1
    last = output.strip().splitlines()[-1]
    assert last.startswith("error: metrics.kiwi: the model Unbabel/wmt22-cometkiwi-da is not in the local cache")
    assert "Finished jobid" not in output
    assert "comet_score" not in project.planned()


def test_a_python_without_comet_is_named(project):
    if subprocess.run([sys.executable, "-c", "import comet"], capture_output=True, check=False).returncode == 0:
        pytest.skip("this Python has COMET")
    project.config["neural"]["python"] = None
    status, output = project.run("comet", "--forceall", check=False)
    assert status == 1
    assert output.strip().splitlines()[-1].startswith("error: neural metrics need the package")


def test_one_environment_gives_the_same(project, tmp_path, checkpoints, comet_python):
    """Snakemake and COMET in one Python."""
    if subprocess.run([comet_python, "-c", "import snakemake, altair"], capture_output=True, check=False).returncode:
        pytest.skip("the Python that has COMET has no Snakemake")
    other = Project(tmp_path, checkpoints, None)
    del other.config["metrics"]["xcomet"], other.config["metrics"]["kiwi"]
    other.run("comet", python=comet_python)
    assert other.table("scores", "comet")["score"].equals(project.table("scores", "comet")["score"])
    assert other.table("pairs", "comet").num_rows == 3
