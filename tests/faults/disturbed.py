"""What is done to runs of a small study, and what they must have left."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time

import psutil
import pyarrow.parquet as pq
from mtsig.io import read_json
from workflow_project import Project

WORDS = ["the", "cat", "sat", "on", "a", "mat", "while", "dogs", "ran", "across", "fields", "all", "day"]
#: Share of words that a system gets wrong.
SYSTEMS = {"x": 0.1, "y": 0.2, "z": 0.4}
N_SEGMENTS = 60


def write_study(project: Project) -> None:
    """Two test sets, three systems, two metrics, and a study."""
    rng = random.Random(1)
    testsets = {}
    for testset in "ab":
        folder = f"in/{testset}"
        reference = [rng.choices(WORDS, k=rng.randint(6, 20)) for _ in range(N_SEGMENTS)]
        project.write(f"{folder}/source.txt", [f"Satz {number}" for number in range(N_SEGMENTS)])
        project.write(f"{folder}/reference.txt", [" ".join(words) for words in reference])
        for system, wrong in SYSTEMS.items():
            texts = [[word if rng.random() > wrong else rng.choice(WORDS) for word in words] for words in reference]
            project.write(f"{folder}/out/{system}.txt", [" ".join(words) for words in texts])
        testsets[testset] = {
            "langpair": "de-en",
            "source": f"{folder}/source.txt",
            "references": f"{folder}/reference.txt",
            "systems": f"{folder}/out/*.txt",
        }
    null = {"kind": "null", "testset": "a", "metric": "bleu", "subset_sizes": [20], "n_null": 10, "n_trials": 50}
    project.configure(
        {
            "testsets": testsets,
            "metrics": {"bleu": {}, "chrf": {}},
            "n_resamples": 50,
            "n_trials": 50,
            "studies": {"errors": null},
        }
    )


def start(project: Project, *arguments: str, command: list[str] | None = None) -> subprocess.Popen[str]:
    """Start Snakemake, or another command, at the head of a process group of its own."""
    # What is started in the background of a script ignores Ctrl-C, and hands that on.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return subprocess.Popen(
        command or project.command(*arguments),
        cwd=project.folder,
        env={**os.environ, **project.environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def stop(process: subprocess.Popen[str], number: signal.Signals) -> str:
    """Send a signal to a whole process group; what it said until it was over, soon and without leaving a process."""
    os.killpg(process.pid, number)
    said, _ = process.communicate(timeout=60)
    # Killed processes may need a moment to be gone.
    for _ in range(50):
        if not members(process.pid):
            return said
        time.sleep(0.1)
    raise AssertionError(f"still running: {members(process.pid)}")


def members(group: int) -> list[psutil.Process]:
    """The live processes of a process group."""
    found = []
    for process in psutil.process_iter():
        try:
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (psutil.NoSuchProcess, ProcessLookupError):
            pass
    return found


def wait_for(process: subprocess.Popen[str], text: str) -> None:
    """Read what a process says until it says this."""
    assert process.stdout is not None
    for line in process.stdout:
        if text in line:
            return
    raise AssertionError(f"never said: {text}")


def results(project: Project) -> dict[str, object]:
    """Every file of the results by its path: tables as tables, all other files as bytes.

    PDF files are never the same twice: they count as complete where they end as such files do. Reading a file that is
    not complete fails.
    """
    found: dict[str, object] = {}
    folder = project.folder / "results"
    for path in sorted(path for path in folder.rglob("[!.]*") if path.is_file()):
        content = path.read_bytes()
        if path.suffix == ".json":
            read_json(path)
        if path.suffix == ".parquet":
            table = pq.read_table(path)
            found[str(path.relative_to(folder))] = (table, table.schema.metadata)
        else:
            found[str(path.relative_to(folder))] = content if path.suffix != ".pdf" else content.rstrip()[-5:]
    return found


def refusal(said: str) -> str:
    """The last line of what a run that failed said: a message, and no traceback before it."""
    assert "Traceback" not in said, said
    last = said.rstrip("\n").rpartition("\n")[2]
    assert last.startswith("error: "), said
    return last
