"""Real runs of Snakemake on a tiny project, shared where possible."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

SENTENCES = [
    "The cat sat on the mat.",
    "A dog ran across the wide field.",
    "It was raining all day in the old town.",
    "Nobody knew where the keys were.",
    "She opened the window and looked outside.",
    "The train to the coast leaves at nine.",
    "We had bread, cheese and a little wine.",
    "His brother lives in a house by the sea.",
    "The meeting was moved to the next week.",
    "They found the map under the table.",
    "Prices rose again in the spring.",
    "The children were playing in the garden.",
]


@dataclass
class Project:
    """A folder with texts and a configuration in which Snakemake runs."""

    folder: Path
    repository: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def config(self) -> dict:
        return yaml.safe_load((self.folder / "study.yaml").read_text(encoding="utf-8"))

    def configure(self, config: dict) -> None:
        (self.folder / "study.yaml").write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")

    def write(self, name: str, lines: list[str] | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(lines if isinstance(lines, bytes) else "".join(f"{line}\n" for line in lines).encode())
        return path

    def command(self, *arguments: str, config: bool = True) -> list[str]:
        chosen = ["--configfile", "study.yaml"] if config else []
        snakemake = [sys.executable, "-m", "snakemake", *arguments, "--snakefile", str(self.repository / "Snakefile")]
        return [*snakemake, *chosen, *([] if {"--cores", "-n"} & set(arguments) else ["--cores", "2"])]

    def run(self, *arguments: str, config: bool = True, check: bool = True, **environment: str) -> Run:
        """Run Snakemake; targets and options in the order of its own command line."""
        finished = subprocess.run(
            self.command(*arguments, config=config),
            cwd=self.folder,
            env={**os.environ, **self.environment, **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        run = Run(finished.returncode, finished.stdout + finished.stderr, finished.stderr)
        assert run.status == 0 or not check, run.output
        return run

    def planned(self, *arguments: str, **environment: str) -> dict[str, int]:
        """Which rules would run how often, without the target rule."""
        return self.run(*arguments, "-n", **environment).jobs

    def copy(self, folder: Path) -> Project:
        """The same project, results included, with all times kept."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return Project(folder, self.repository, dict(self.environment))


@dataclass
class Run:
    """What a run left on the terminal."""

    status: int
    output: str
    errors: str

    @property
    def jobs(self) -> dict[str, int]:
        """Rule to number of jobs in Snakemake's own table."""
        table = re.search(r"Job stats:\njob +count\n[- ]+\n(.*?)\ntotal", self.output, re.DOTALL)
        rows = [line.split() for line in table[1].splitlines()] if table else []
        return {rule: int(number) for rule, number in rows if rule not in {"all", "tables", "figures"}}

    @property
    def last_line(self) -> str:
        return self.errors.rstrip("\n").rpartition("\n")[2]


@pytest.fixture(scope="session")
def fresh(tmp_path_factory, repository) -> Project:
    """A project in which nothing has run: 12 segments, three systems, two metrics."""
    # Blanks, quotes and dots in a path are ordinary.
    project = Project(tmp_path_factory.mktemp("run") / "it's a v1.2 project", repository)
    project.folder.mkdir()
    project.environment["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cache"))
    project.write("in/source.txt", [f"Satz {number}" for number, _ in enumerate(SENTENCES)])
    project.write("in/reference.txt", SENTENCES)
    project.write("in/documents.tsv", [f"{'ab'[n // 6]}\tdoc{n // 3}" for n in range(len(SENTENCES))])
    project.write("in/out/good.txt", [text.replace("the", "a", 1) for text in SENTENCES])
    project.write("in/out/fair.txt", [text.replace(" in ", " at ").replace("was", "were") for text in SENTENCES])
    project.write("in/out/poor.txt", [" ".join(text.split()[::-1]) for text in SENTENCES])
    for path in (project.folder / "in").rglob("*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    project.configure(
        {
            "testsets": {
                "demo": {
                    "langpair": "de-en",
                    "source": "in/source.txt",
                    "references": "in/reference.txt",
                    "documents": "in/documents.tsv",
                    "systems": "in/out/*.txt",
                }
            },
            "metrics": {"bleu": {}, "exact_match": {}},
            "n_resamples": 50,
            "n_trials": 50,
        }
    )
    return project


@pytest.fixture(scope="session")
def first_run(fresh) -> tuple[Project, Run]:
    """The project after a full run, for tests that only look, and what the run said."""
    return fresh, fresh.run()


@pytest.fixture
def finished(first_run, tmp_path) -> Project:
    """A finished project of one's own."""
    return first_run[0].copy(tmp_path / "project")


@pytest.fixture
def unstarted(fresh, tmp_path) -> Project:
    """A project of one's own in which nothing has run."""
    folder = tmp_path / "project"
    folder.mkdir()
    shutil.copytree(fresh.folder / "in", folder / "in")
    shutil.copy(fresh.folder / "study.yaml", folder)
    return Project(folder, fresh.repository, dict(fresh.environment))
