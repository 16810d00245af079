"""A folder in which Snakemake runs, and what its runs say."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import yaml


@dataclass
class Project:
    """A folder with texts and a configuration in which Snakemake runs."""

    folder: Path
    home: Path
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
        snakemake = [sys.executable, "-m", "snakemake", *arguments, "--snakefile", str(self.home / "Snakefile")]
        given = {"--cores", "-n", "--workflow-profile"} & set(arguments)
        return [*snakemake, *chosen, *([] if given else ["--cores", "2"])]

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

    def without_results(self, folder: Path) -> Project:
        """The same texts and configuration in another folder, in which nothing has run."""
        shutil.copytree(self.folder / "in", folder / "in")
        shutil.copy(self.folder / "study.yaml", folder)
        return Project(folder, self.home, dict(self.environment))

    def copy(self, folder: Path) -> Project:
        """The same project, results included, with all times kept."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return Project(folder, self.home, dict(self.environment))


def new_project(folder: Path, home: Path, cache: Path) -> Project:
    """An empty project whose runs take the package of `home`, not an installed one, and touch nobody's cache."""
    folder.mkdir(exist_ok=True)
    environment = {"PYTHONPATH": str(home / "scripts"), "XDG_CACHE_HOME": str(cache)}
    # Compiled once instead of in every job.
    return Project(folder, home, {**environment, "PYTHONDONTWRITEBYTECODE": ""})


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


def copy_of_workflow(repository: Path, home: Path) -> Path:
    """All of the repository that a run needs, somewhere else."""
    home.mkdir()
    shutil.copy(repository / "Snakefile", home)
    for folder in ("workflow", "scripts", "profiles", "config"):
        shutil.copytree(repository / folder, home / folder, ignore=shutil.ignore_patterns("__pycache__"))
    return home
