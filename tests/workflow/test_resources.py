"""What jobs ask for, as Snakemake's own plan shows it before anything has run."""

from __future__ import annotations

import re
from importlib.util import find_spec

import pytest
import yaml
from workflow_project import Project

STUDIES = {
    "small-tests": {"kind": "calibration", "testset": "large", "metric": "bleu"},
    "equal": {"kind": "null", "testset": "demo", "metric": "bleu"},
    "sizes": {"kind": "power", "testset": "demo", "metric": "bleu"},
    "choices": {"kind": "robustness", "testset": "demo", "metric": "bleu"},
    "estimates": {"kind": "roc", "testset": "demo", "gold": "exact_match", "cutoffs": ["<1"], "qe": ["bleu"]},
    "agreement": {"kind": "meta", "testset": "demo", "gold": "exact_match", "metrics": ["bleu"]},
}
ASKED = ("mem_mb", "runtime")


@pytest.fixture(scope="module")
def project(fresh, tmp_path_factory) -> Project:
    """Texts of two sizes, and a study of every kind."""
    project = fresh.without_results(tmp_path_factory.mktemp("asked") / "project")
    config = project.config
    systems = {"good": 0.6, "fair": 0.5, "poor": 0.4}
    config["testsets"]["large"] = {"format": "simulated", "langpair": "de-en", "segments": 50_000, "systems": systems}
    config["suites"] = {"both": {"testsets": ["demo", "large"], "metrics": ["bleu"]}}
    config["studies"] = STUDIES
    config["paper"] = {"tables": {"main": {"testsets": ["demo"], "metrics": ["bleu"]}}}
    project.configure(config)
    return project


def plan(project: Project, *arguments: str) -> dict[tuple[str, str], dict[str, str]]:
    """(rule, test set or study or suite) to what its job asks for."""
    found = {}
    for block in re.split(r"\n(?=(?:local)?rule \w+:)", project.run("-n", "--cores", "8", *arguments).output):
        rule = re.match(r"rule (\w+):", block)
        if rule is None or not _line(block, "output"):
            continue
        wildcards = dict(pair.split("=") for pair in re.findall(r"\w+=\w[\w-]*", _line(block, "wildcards")))
        where = next((wildcards[name] for name in ("testset", "study", "suite") if name in wildcards), "")
        found[rule[1], where] = {
            **dict(re.findall(r"(\w+)=([^,\n]+)", _line(block, "resources"))),
            "threads": _line(block, "threads") or "1",
        }
    return found


@pytest.fixture(scope="module")
def jobs(project) -> dict[tuple[str, str], dict[str, str]]:
    """What the jobs ask for at their first attempt."""
    return plan(project)


def _line(block: str, name: str) -> str:
    found = re.search(rf"^ +{name}: (.*)$", block, re.MULTILINE)
    return found[1] if found else ""


def test_every_job_states_memory_and_time(jobs):
    """In numbers, before its input is there: what a group of jobs asks for is the most that one of them needs.

    Those that put the parts of a study together are in no group, and wait for the size of the parts.
    """
    rules = {rule for rule, _ in jobs}
    assert {"ingest", "score", "truth", "suite_average", "paper_files", "roc", "meta_report", "report"} <= rules
    for job, asked in jobs.items():
        for name in ASKED:
            stated = asked.get(name, "")
            assert stated.isdigit() or (stated == "<TBD>" and re.fullmatch(r"\w+_report", job[0])), (job, asked)


def test_larger_texts_get_more(jobs):
    """Memory and threads grow with the texts of a job's test set."""
    for rule in ("ingest", "score", "resample"):
        small, large = jobs[rule, "demo"], jobs[rule, "large"]
        assert int(small["mem_mb"]) < int(large["mem_mb"])
        assert int(small["runtime"]) <= int(large["runtime"])
    for rule in ("score", "resample"):
        assert (jobs[rule, "demo"]["threads"], jobs[rule, "large"]["threads"]) == ("1", "4")


def test_more_resamples_get_more_time(jobs, project):
    """Jobs that resample, and no others."""
    more = plan(project, "--config", "n_resamples=100000")
    for job in (("resample", "large"), ("calibration", "large")):
        assert int(more[job]["runtime"]) > 2 * int(jobs[job]["runtime"])
    assert more["ingest", "large"] == jobs["ingest", "large"]


def test_another_attempt_gets_twice_as_much(jobs, project):
    """Of memory and time, at every rule; of threads no more."""
    second = plan(project, "--attempt", "2")
    assert jobs.keys() == second.keys()
    for job, asked in jobs.items():
        for name in [name for name in ASKED if asked[name].isdigit()]:
            assert int(second[job][name]) == pytest.approx(2 * int(asked[name]), abs=1), (job, name)
        assert second[job]["threads"] == asked["threads"]


def test_other_resources_are_no_reason_to_run_again(finished):
    """Neither memory nor threads nor time changes a result."""
    others = ["score:mem_mb=9999", "ingest:mem_mb=9999", "resample:runtime=9999", "report:mem_mb=9999"]
    assert finished.planned("--set-resources", *others, "--set-threads", "score=7", "resample=3") == {}


@pytest.mark.skipif(find_spec("snakemake_executor_plugin_slurm") is None, reason="needs: pip install 'mtsig[slurm]'")
@pytest.mark.parametrize("profile", ["slurm", "slurm-gpu"])
def test_profiles_are_accepted(unstarted, profile):
    """Snakemake and its plugin know every option of the profile."""
    path = unstarted.home / "profiles" / profile
    assert unstarted.planned("--workflow-profile", str(path))["ingest"] == 1


def test_profiles_agree(repository):
    """What decides about results is the same in all; the two for SLURM differ in GPUs alone."""
    default, slurm, gpu = (
        yaml.safe_load((repository / "profiles" / name / "config.yaml").read_text(encoding="utf-8"))
        for name in ("default", "slurm", "slurm-gpu")
    )
    for key in ("scheduler", "keep-going", "rerun-incomplete", "rerun-triggers"):
        assert default[key] == slurm[key] == gpu[key]
    assert slurm.pop("set-resources") == {"comet_score": {"gpu": 0}}
    assert gpu.pop("resources").keys() == {"gpu"}
    assert slurm == gpu
