"""Real runs on a real SLURM of one node, which is started for them (root and Debian's slurm-wlm are needed)."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from slurm_node import Node, obstacle
from workflow_project import Project, Run

pytestmark = pytest.mark.slow

#: A target for which one job is enough.
TEXTS = "results/demo/hypotheses.parquet"
CALIBRATION = {
    "testsets": {
        "simulated": {
            "format": "simulated",
            "langpair": "de-en",
            "segments": 400,
            "systems": {"good": 0.6, "fair": 0.5, "poor": 0.4},
        }
    },
    "metrics": {"bleu": {}},
    "n_resamples": 100,
    "n_trials": 100,
    "studies": {"tests": {"kind": "calibration", "testset": "simulated", "metric": "bleu", "subset_sizes": [50, 100]}},
}


@pytest.fixture(scope="module")
def node(tmp_path_factory) -> Iterator[Node]:
    """A running SLURM."""
    if find_spec("snakemake_executor_plugin_slurm") is None:
        pytest.skip("needs the extra slurm: pip install 'mtsig[slurm]'")
    if (reason := obstacle()) is not None:
        pytest.skip(reason)
    node = Node(tmp_path_factory.mktemp("slurm"))
    node.start()
    yield node
    node.stop()


class Cluster:
    """Runs of one project's Snakemake on the node, and what the node was asked for by them."""

    def __init__(self, node: Node, project: Project, profile: str = "slurm") -> None:
        self.node, self.project, self.profile = node, project, profile
        self.before = len(node.jobs())

    def command(self, *arguments: str, config: bool = True) -> list[str]:
        # SLURM is asked more often than one would ask a cluster.
        quick = ["--latency-wait", "20", "--slurm-init-seconds-before-status-checks", "1"]
        profile = ["--workflow-profile", str(self.project.home / "profiles" / self.profile), *quick]
        return self.project.command(*arguments, *profile, config=config)

    def run(self, *arguments: str, config: bool = True, check: bool = True) -> Run:
        return self.start(*arguments, config=config).end(check=check)

    def start(self, *arguments: str, config: bool = True) -> Started:
        process = subprocess.Popen(
            self.command(*arguments, config=config),
            cwd=self.project.folder,
            env={**os.environ, **self.project.environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            # Heard also where the tests run in the background of a shell, which has it ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        return Started(process)

    def jobs(self) -> list[dict[str, str]]:
        """The jobs that have ended since the beginning."""
        return self.node.jobs()[self.before :]

    def states(self) -> list[str]:
        return [job["JobState"] for job in self.jobs()]


class Started:
    """A run that goes on."""

    def __init__(self, process: subprocess.Popen) -> None:
        self.process = process

    def end(self, *, check: bool = True) -> Run:
        try:
            output, _ = self.process.communicate(timeout=400)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        run = Run(self.process.returncode, output, output)
        assert run.status == 0 or not check, run.output
        return run


@pytest.fixture
def cluster(node, unstarted) -> Cluster:
    """The tiny project of the other tests, before anything has run."""
    return Cluster(node, unstarted)


def empty_project(home: Path, folder: Path, environment: dict[str, str]) -> Project:
    folder.mkdir()
    return Project(folder, home, dict(environment))


def contents(folder: Path) -> dict[str, bytes | int]:
    """Name to bytes of every file below a folder; of a PDF to its size: it lists fonts in an order left to chance."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {
        str(path.relative_to(folder)): path.stat().st_size if path.suffix == ".pdf" else path.read_bytes()
        for path in files
    }


def assert_same_results(one: Project, other: Project) -> None:
    """Every file of both, byte for byte."""
    left, right = (contents(project.folder / "results") for project in (one, other))
    assert left.keys() == right.keys()
    assert [name for name in left if left[name] != right[name]] == []


def seen(condition: Callable[[], object], what: str, seconds: float = 120) -> object:
    """What a condition gives once it gives something."""
    give_up = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < give_up, f"waited in vain for {what}"
        time.sleep(0.05)
    return value


def working(script: str, folder: Path) -> int | None:
    """The process that runs an entry script for a project."""
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = place.joinpath("cmdline").read_text().split("\0")
            there = place.joinpath("cwd").resolve() == folder.resolve()
            # Not the shell that started it.
            if there and "python" in Path(words[0]).name and any(word.endswith(script) for word in words):
                return int(place.name)
        except OSError:
            continue
    return None


def test_example_equals_a_local_run(node, fresh, tmp_path):
    """The embedded example; what belongs to one metric is one submission."""
    here, there = (empty_project(fresh.home, tmp_path / name, fresh.environment) for name in ("here", "there"))
    here.run(config=False)
    cluster = Cluster(node, there)
    run = cluster.run(config=False)
    # ingest, three metrics, tables, report
    assert cluster.states() == ["COMPLETED"] * 6
    assert "example (de-en)" in run.output
    assert_same_results(here, there)


def test_calibration_study_equals_a_local_run(node, fresh, tmp_path):
    """A study on simulated texts, and what its jobs ask for reaches SLURM."""
    here, there = (empty_project(fresh.home, tmp_path / name, fresh.environment) for name in ("here", "there"))
    for project in (here, there):
        project.configure(CALIBRATION)
    here.run()
    cluster = Cluster(node, there)
    cluster.run()
    assert set(cluster.states()) == {"COMPLETED"}
    assert all("mem=" in job["Tres"] and int(job["TimeLimit"]) > 0 for job in cluster.jobs())
    assert any("cpu=4" in job["Tres"] for job in cluster.jobs())
    assert_same_results(here, there)


@pytest.mark.parametrize(("profile", "gpus"), [("slurm-gpu", 1), ("slurm", 0)])
def test_comet_equals_a_local_run(node, fresh, unstarted, tmp_path, profile, gpus):
    """The target `comet` with a tiny model; each neural metric gets a GPU by one profile, and none by the other."""
    python = os.environ.get("MTSIG_COMET_PYTHON")
    if not python:
        pytest.skip("needs COMET: set MTSIG_COMET_PYTHON to a Python that has it (see workflow/envs/README.md)")
    tiny = Path(__file__).parents[1] / "neural" / "tiny_comet.py"
    subprocess.run([python, str(tiny), str(tmp_path), "reference-based"], check=True, capture_output=True)
    config = unstarted.config
    config["metrics"]["comet"] = {"model": str(tmp_path / "reference-based")}
    config["neural"] = {"python": python, "local_files_only": True}
    unstarted.configure(config)
    unstarted.environment["HF_HUB_OFFLINE"] = "1"
    here = unstarted.copy(tmp_path / "here")
    here.run("comet")
    cluster = Cluster(node, unstarted, profile)
    cluster.run("comet")
    assert set(cluster.states()) == {"COMPLETED"}
    # What has ended is still known for minutes. Without a database SLURM keeps no record of GPUs.
    known = Node.ask("scontrol", "--oneliner", "show", "job").splitlines()
    mine = [job for job in known if f"WorkDir={unstarted.folder} " in job]
    assert sum("TresPerJob=gres:gpu:1" in job for job in mine) == gpus
    assert_same_results(here, unstarted)


def assert_texts(cluster: Cluster, undisturbed: Project) -> None:
    """The files of TEXTS are what they always are."""
    left, right = (contents(project.folder / "results") for project in (undisturbed, cluster.project))
    assert right == {
        name: left[name] for name in ("demo/segments.parquet", "demo/hypotheses.parquet", "demo/lint.json")
    }


def test_too_little_memory(cluster, first_run):
    """A job that SLURM kills is submitted again, asks for more, and ends as if nothing had happened."""
    cluster.run(TEXTS, "--set-resources", "ingest:mem_mb=100 * 8 ** (attempt - 1)")
    killed, done = cluster.jobs()
    assert (killed["JobState"], done["JobState"]) == ("FAILED", "COMPLETED")
    assert ("mem=100M" in killed["Tres"], "mem=800M" in done["Tres"]) == (True, True)
    assert_texts(cluster, first_run[0])


def test_too_little_time(cluster, first_run):
    """A job that hangs is ended at its limit, submitted again, and asks for more."""
    started = cluster.start(TEXTS, "--set-resources", "ingest:runtime=attempt")
    os.kill(seen(lambda: working("ingest.py", cluster.project.folder), "the job"), signal.SIGSTOP)
    started.end()
    killed, done = cluster.jobs()
    assert (killed["JobState"], killed["TimeLimit"]) == ("TIMEOUT", "1")
    assert (done["JobState"], done["TimeLimit"]) == ("COMPLETED", "2")
    assert_texts(cluster, first_run[0])


def test_job_cancelled_by_someone(cluster, first_run):
    """As a job whose node fails: it is submitted again."""
    started = cluster.start(TEXTS)
    os.kill(seen(lambda: working("ingest.py", cluster.project.folder), "the job"), signal.SIGSTOP)
    Node.ask("scancel", *Node.ask("squeue", "--noheader", "--format=%i").split())
    started.end()
    assert cluster.states() == ["CANCELLED", "COMPLETED"]
    assert_texts(cluster, first_run[0])


def test_never_enough_memory(node, finished):
    """After the profile's two retries the run ends; the same command without the limit goes on from there."""
    cluster = Cluster(node, finished)
    page = finished.folder / "results/report.html"
    whole = page.read_bytes()
    page.unlink()
    run = cluster.run("--set-resources", "report:mem_mb=100", check=False)
    assert run.status != 0
    assert "no memory, time or room left" in run.last_line
    assert cluster.states() == ["FAILED"] * 3
    assert not page.exists()
    cluster.run()
    assert page.read_bytes() == whole


def test_failure_of_a_job_is_the_last_line(cluster):
    """What is wrong with a text, not that a job of SLURM failed."""
    cluster.project.write("in/out/fair.txt", ["only one line"])
    run = cluster.run(TEXTS, "--retries", "0", check=False)
    assert run.status != 0
    assert cluster.states() == ["FAILED"]
    assert run.last_line.startswith("error: ")
    assert "fair" in run.last_line


def test_interrupt(cluster, first_run):
    """Ctrl-C takes the jobs out of SLURM; the same command goes on."""
    started = cluster.start(TEXTS)
    os.kill(seen(lambda: working("ingest.py", cluster.project.folder), "the job"), signal.SIGSTOP)
    started.process.send_signal(signal.SIGINT)
    assert started.end(check=False).status != 0
    seen(lambda: not Node.ask("squeue", "--noheader"), "an empty queue")
    assert cluster.states() == ["CANCELLED"]
    cluster.run(TEXTS)
    assert_texts(cluster, first_run[0])
