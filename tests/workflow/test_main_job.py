"""One full run from texts to the report, and what is left when it is over."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

JOBS = {"ingest": 1, "score": 2, "resample": 2, "testset_tables": 1, "testset_figures": 2, "page_part": 1, "report": 1}


def test_every_job_ran_once(first_run):
    """The rules, each as often as there are test sets and metrics."""
    assert first_run[1].jobs == JOBS


def test_results_tree(first_run):
    """Every file of the contract, and nothing else: no temporary file is left."""
    project, _ = first_run
    results = project.folder / "results"
    expected = {"report.html", "provenance.json"}
    expected |= {f"demo/{name}" for name in ("segments.parquet", "hypotheses.parquet", "lint.json", "page.json")}
    for metric in ("bleu", "exact_match"):
        expected |= {f"demo/{kind}/{metric}.parquet" for kind in ("scores", "systems", "pairs", "groups")}
        expected |= {f"demo/figures/{metric}.{f}.{e}" for f in ("intervals", "matrix") for e in ("svg", "png", "pdf")}
    expected |= {f"demo/tables/{t}.{e}" for t in ("systems", "pairs", "matrix") for e in ("csv", "md", "tex", "json")}
    assert {path.relative_to(results).as_posix() for path in results.rglob("*") if path.is_file()} == expected


def test_contract(first_run, repository):
    """The tables hold what the design says, checked by the program beside the repository."""
    check = repository.parent / "shared" / "checks" / "contract.py"
    if not check.exists():
        pytest.skip("the contract's checker (../shared/checks/contract.py) is not on this machine")
    results = first_run[0].folder / "results"
    run = subprocess.run([sys.executable, str(check), str(results)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


def test_tables_carry_the_settings(first_run):
    """Configured numbers reach the results."""
    project, _ = first_run
    rows = pq.read_table(project.folder / "results/demo/pairs/bleu.parquet").to_pylist()
    assert len(rows) == 3
    for row in rows:
        assert (row["testset"], row["langpair"], row["metric"]) == ("demo", "de-en", "bleu")
        # Open pairs are resampled on: 50, 100, 200 and so on; likewise the trials.
        doubled = [2**times for times in range(12)]
        assert row["n_resamples"] in [50 * factor for factor in doubled]
        assert row["n_trials"] in [40 * factor for factor in doubled]
        assert (row["seed"], row["alpha"]) == (12345, 0.05)
        assert (row["n_segments"], row["resample_unit"], row["adjust"]) == (12, "segment", "none")


def test_provenance(first_run):
    """The settings with all defaults, and digests of texts and code."""
    record = json.loads((first_run[0].folder / "results/provenance.json").read_text(encoding="utf-8"))
    assert record["config"]["testsets"]["demo"]["format"] == "text"
    assert len(record["digests"]["test sets"]["demo"]) == 64
    assert set(record["digests"]["code"]) == {"ingest", "score", "resample", "tables", "figures", "page_part", "report"}


def test_console_shows_the_result(first_run):
    """The last thing a run says: scores and verdicts, and where the page is."""
    end = first_run[1].errors.rpartition("Elapsed time")[2]
    for part in ("demo (de-en)", "good", "fair", "poor", "bleu", "exact_match", "results/report.html"):
        assert part in end


def test_console_names_no_page_that_is_older_than_its_tables(finished):
    """A target that leaves the page alone says where it lies only while it shows what the tables say."""
    table, page = (finished.folder / "results" / name for name in ("demo/tables/pairs.md", "report.html"))
    table.unlink()
    assert "report.html" in finished.run("tables").errors
    table.unlink()
    os.utime(page, (0, 0))
    assert "report.html" not in finished.run("tables").errors


def test_nothing_is_written_outside(first_run):
    """Results, logs and Snakemake's own folder; the texts are untouched."""
    project, _ = first_run
    assert {path.name for path in project.folder.iterdir()} == {"in", "study.yaml", "results", "logs", ".snakemake"}
    logs = {path.relative_to(project.folder / "logs").as_posix() for path in (project.folder / "logs").rglob("*.log")}
    metrics = ("bleu", "exact_match")
    by_metric = {f"demo/{rule}.{metric}.log" for rule in ("score", "resample", "figures") for metric in metrics}
    assert logs == {"report.log", "demo/ingest.log", "demo/tables.log", "demo/page.log", *by_metric}


def test_same_results_in_another_order(first_run, unstarted):
    """B18, B69: other names for nothing but the order, another place, one core: the same rows in every table."""
    project, _ = first_run
    config = unstarted.config
    systems = {name: f"in/out/{name}.txt" for name in ("poor", "good", "fair")}
    config["testsets"]["demo"]["systems"] = systems
    unstarted.configure(config)
    tables = [f"results/demo/{kind}/{m}.parquet" for m in ("bleu", "exact_match") for kind in ("systems", "pairs")]
    unstarted.run(*tables, "--cores", "1", PYTHONHASHSEED="7")
    for table in tables:
        assert pq.read_table(unstarted.folder / table).equals(pq.read_table(project.folder / table)), table


def test_one_system(unstarted):
    """B16, B66: no pairs, intervals all the same, and every file of the contract."""
    config = unstarted.config
    config["testsets"]["demo"]["systems"] = ["in/out/good.txt"]
    config["metrics"] = {"exact_match": None}
    unstarted.configure(config)
    unstarted.run()
    assert pq.read_table(unstarted.folder / "results/demo/pairs/exact_match.parquet").num_rows == 0
    (row,) = pq.read_table(unstarted.folder / "results/demo/systems/exact_match.parquet").to_pylist()
    assert row["ci_low"] <= row["score"] <= row["ci_high"]
    assert unstarted.planned() == {}


HOSTILE = [
    "a",
    "a.b",
    "org/model v1.2",
    "x y",
    "..",
    "c++",
    "-rf",
    "B_vs_C",
    "A_vs_B",
    "ü%{}<b>&|$",
    "n" * 200,
    "=1+1",
    "GPT-4",
    "gpt-4",
]


def test_hostile_system_names(unstarted):
    """B55, B57, B60: a system's name is a value in a column; no path or pattern is made of it."""
    config = unstarted.config
    texts = sorted((unstarted.folder / "in/out").glob("*.txt"))
    systems = {name: f"in/out/{texts[n % 3].name}" for n, name in enumerate(HOSTILE)}
    config["testsets"]["demo"]["systems"] = systems
    config["metrics"] = {"bleu++": {"kind": "bleu"}}
    unstarted.configure(config)
    unstarted.run()
    assert pq.read_table(unstarted.folder / "results/demo/systems/bleu++.parquet")["system"].to_pylist() == sorted(
        HOSTILE
    )
    pairs = pq.read_table(unstarted.folder / "results/demo/pairs/bleu++.parquet")
    assert pairs.num_rows == len(HOSTILE) * (len(HOSTILE) - 1) // 2
    assert {path.name for path in unstarted.folder.parent.iterdir()} == {"project"}


def test_snakemake_report(finished):
    """B80: Snakemake's own report of the figures, from a folder with blanks and quotes in its name."""
    finished.run("--report", "own report.html", "--cores", "1")
    page = (finished.folder / "own report.html").read_text(encoding="utf-8")
    assert "bleu" in page
    assert "demo" in page
