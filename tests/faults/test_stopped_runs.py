"""Runs that are killed or interrupted: nothing that looks complete is not, and the documented command goes on."""

from __future__ import annotations

import os
import random
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from disturbed import refusal, results, start, stop, wait_for

#: When the kills come, as shares of an undisturbed run.
SHARES = [random.Random(seed).random() for seed in range(20)]


def complete_so_far(project, undisturbed) -> None:
    """Whatever has its final name is what an undisturbed run makes of it."""
    left = results(project)
    assert [name for name in left if left[name] != undisturbed.results[name]] == []


def stopped_after(project, seconds: float, number: signal.Signals) -> str:
    process = start(project)
    time.sleep(seconds)
    return stop(process, number)


def test_killed_three_times_on_the_way(unstarted, undisturbed):
    """B79: kill -9, and what the README says; again before that is done, and again."""
    for seed in range(3):
        stopped_after(unstarted, (0.2 + 0.3 * SHARES[seed]) * undisturbed.seconds, signal.SIGKILL)
        complete_so_far(unstarted, undisturbed)
        unstarted.run("--unlock")
    unstarted.run()
    assert results(unstarted) == undisturbed.results


def killed_in_a_job(project) -> int:
    """The process of a run that was killed once it had begun to compute."""
    process = start(project)
    wait_for(process, "rule ingest:")
    stop(process, signal.SIGKILL)
    assert locked(project)
    return process.pid


def test_quiet_run_after_a_kill(unstarted, undisturbed):
    """It names the run that was killed, and the command in its last line mends the folder."""
    killed = killed_in_a_job(unstarted)
    run = unstarted.run("-q", "all", check=False)
    assert run.status != 0
    what, _, unlock = run.last_line.rpartition(": snakemake ")
    assert what.startswith(f"error: the last run in this folder (process {killed}) was killed and left it locked.")
    unstarted.run(*shlex.split(unlock), config=False)
    assert not locked(unstarted)
    unstarted.run("-q", "all")
    assert results(unstarted) == undisturbed.results


def test_command_that_runs_the_workflow_after_a_kill(unstarted):
    """It says that it unlocks the folder, and goes on."""
    killed_in_a_job(unstarted)
    environment = {**os.environ, **unstarted.environment}
    run = subprocess.run(
        command("run", "study.yaml", "results/a/segments.parquet"),
        cwd=unstarted.folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "The last run in this folder was killed; this one unlocks the folder and goes on." in run.stderr
    assert (unstarted.folder / "results/a/segments.parquet").exists()


def test_two_runs_at_once(unstarted):
    """The second one says who works there, and takes no lock away."""
    process = start(unstarted)
    wait_for(process, "rule ingest:")
    message = unstarted.run("-q", "all", check=False).last_line
    assert message.startswith(f"error: another run works in this folder (process {process.pid} on ")
    assert locked(unstarted)
    stop(process, signal.SIGINT)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_killed_at_any_time(unstarted, undisturbed, seed):
    """B79: kill -9 at a random moment, and what the README says."""
    stopped_after(unstarted, SHARES[seed] * undisturbed.seconds, signal.SIGKILL)
    complete_so_far(unstarted, undisturbed)
    unstarted.run("--unlock")
    unstarted.run()
    assert results(unstarted) == undisturbed.results


def locked(project) -> list[Path]:
    return list((project.folder / ".snakemake").glob("locks/*"))


def stopped_in_a_job(project, undisturbed, number: signal.Signals, rule: str) -> None:
    """Over at once, said in one line, nothing half-written, and no unlocking needed."""
    process = start(project)
    wait_for(process, f"rule {rule}:")
    time.sleep(0.7)
    assert "was stopped from outside" in stop(process, number).rstrip("\n").rpartition("\n")[2]
    complete_so_far(project, undisturbed)
    assert not [path for path in (project.folder / "results").rglob(".*") if path.is_file()]
    assert not locked(project)


def test_interrupted(unstarted, undisturbed):
    """Ctrl-C."""
    stopped_in_a_job(unstarted, undisturbed, signal.SIGINT, "score")


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["ingest", "resample", "testset_figures", "null", "report"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_or_terminated_anywhere(unstarted, undisturbed, number, rule):
    """Ctrl-C, and what a cluster sends before it takes a node away."""
    stopped_in_a_job(unstarted, undisturbed, number, rule)
    unstarted.run()
    assert results(unstarted) == undisturbed.results


@pytest.mark.slow
def test_asked_to_end(unstarted, undisturbed):
    """SIGTERM to Snakemake alone: it waits for the jobs that run, and starts no others."""
    process = start(unstarted)
    wait_for(process, "rule score:")
    process.terminate()
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "rule report" not in said
    complete_so_far(unstarted, undisturbed)
    unstarted.run()
    assert results(unstarted) == undisturbed.results


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-c", "from mtsig.cli import main; main()", *arguments]


def test_interrupted_command_that_runs_the_workflow(unstarted):
    """Ctrl-C on `mtsig run`: Snakemake is given the time to unlock the folder."""
    process = start(unstarted, command=command("run", "study.yaml", "--cores", "2"))
    while not list((unstarted.folder / "logs").rglob("*.log")) and process.poll() is None:
        time.sleep(0.05)
    assert refusal_after(process) == "error: interrupted"
    assert not locked(unstarted)


def test_interrupted_comparison(unstarted):
    """Ctrl-C on `mtsig compare`."""
    texts = (f"in/a/{name}" for name in ("reference.txt", "out/x.txt", "out/y.txt"))
    process = start(unstarted, command=command("compare", *texts, "--n-resamples", "100000000"))
    time.sleep(2)
    assert refusal(stop(process, signal.SIGINT)) == "error: interrupted"
    assert process.returncode == 130


def refusal_after(process) -> str:
    said = stop(process, signal.SIGINT)
    assert process.returncode == 130
    return said.rstrip("\n").rpartition("\n")[2]


def test_two_runs_in_one_folder(unstarted, undisturbed):
    """The second says what goes on, and the first is not harmed."""
    targets = ["results/a/systems/bleu.parquet"]
    first = start(unstarted, *targets)
    wait_for(first, "rule ingest:")
    # The first stands still while the second looks, so that it is never over by then.
    os.killpg(first.pid, signal.SIGSTOP)
    second = unstarted.run(*targets, check=False)
    os.killpg(first.pid, signal.SIGCONT)
    assert second.status != 0
    assert "Directory cannot be locked" in second.output
    assert "Traceback" not in second.output
    first.communicate(timeout=60)
    assert first.returncode == 0
    complete_so_far(unstarted, undisturbed)
    assert "a/systems/bleu.parquet" in results(unstarted)
