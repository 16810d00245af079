"""Another workflow, outside the repository, loads this one as a module and goes on from its results."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from textwrap import dedent

import pyarrow.parquet as pq
import pytest
import yaml


class Parent:
    """A workflow that loads ours and adds a rule of its own."""

    def __init__(self, project, snakefile: str, where: str) -> None:
        self.folder = project.folder
        self.config = project.config
        self.environment = dict(project.environment)
        (self.folder / "study.yaml").unlink()
        self.configure(self.config)
        text = f"""
        configfile: "parent.yaml"

        module mtsig:
            snakefile: {snakefile}
            config: config["mtsig"]
            {where}

        use rule * from mtsig as mtsig_*

        use rule resample from mtsig as mtsig_resample with:
            threads: 2

        rule best:
            default_target: True
            input: "evaluation/results/demo/systems/exact_match.parquet"
            output: "best.txt"
            shell: "echo done > {{output}}"
        """
        (self.folder / "Snakefile").write_text(dedent(text), encoding="utf-8")

    def configure(self, config: dict) -> None:
        (self.folder / "parent.yaml").write_text(yaml.safe_dump({"mtsig": config}), encoding="utf-8")

    def snakemake(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "snakemake", *arguments, "--cores", "2"],
            cwd=self.folder,
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def check_whole_use(self) -> None:
        """Results and logs lie where the parent says, texts stay where they are, and a second run has nothing to do."""
        run = self.snakemake()
        assert run.returncode == 0, run.stderr
        assert (self.folder / "best.txt").exists()
        assert pq.read_table(self.folder / "evaluation/results/demo/systems/exact_match.parquet").num_rows == 3
        assert (self.folder / "evaluation/logs/demo/ingest.log").exists()
        assert not (self.folder / "results").exists()
        assert "Nothing to be done" in self.snakemake().stderr
        run = self.snakemake("mtsig_all", "--dry-run")
        assert run.returncode == 0, run.stderr


@pytest.fixture(scope="module")
def hosted(home, tmp_path_factory) -> dict[str, str]:
    """An environment in which them/mtsig on GitHub, with the tag v1, is a repository of this machine."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    base = tmp_path_factory.mktemp("hosted")
    work = shutil.copytree(home, base / "work", ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.egg-info"))
    name = ["-c", "user.name=them", "-c", "user.email=them@example.org"]
    for command in (["init", "-q"], ["add", "."], [*name, "commit", "-q", "-m", "First"], ["tag", "v1"]):
        subprocess.run(["git", *command], cwd=work, check=True)
    subprocess.run(["git", "clone", "--quiet", "--bare", str(work), str(base / "them" / "mtsig")], check=True)
    return {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{base.as_uri()}/.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://github.com/",
        "GITHUB_TOKEN": "",
        # Where Snakemake keeps what it fetched.
        "XDG_CACHE_HOME": str(base / "cache"),
    }


@pytest.fixture
def by_path(unstarted) -> Parent:
    """Ours by the path of its Snakefile, under a prefix."""
    return Parent(unstarted, repr(str(unstarted.home / "Snakefile")), 'prefix: "evaluation"')


@pytest.fixture
def by_tag(unstarted, hosted) -> Parent:
    """Ours from a tag, with path variables; only the package is installed."""
    snakefile = 'github("them/mtsig", path="workflow/Snakefile", tag="v1")'
    parent = Parent(unstarted, snakefile, 'pathvars: results="evaluation/results", logs="evaluation/logs"')
    parent.environment |= hosted
    return parent


def test_by_path(by_path):
    """A prefix moves results and logs, and leaves texts alone."""
    by_path.check_whole_use()


def test_by_tag(by_tag):
    """Rules and scripts come from the tag, schemas and all that they name from the installed package."""
    by_tag.check_whole_use()


def test_tag_of_another_version(by_tag, tmp_path):
    """Rules of one version and a package of another do not go together."""
    package = tmp_path / "older" / "mtsig"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('__version__ = "0.0.1"\n', encoding="utf-8")
    by_tag.environment["PYTHONPATH"] = str(package.parent)
    run = by_tag.snakemake("--dry-run")
    assert run.returncode != 0
    last = run.stderr.rstrip().splitlines()[-1]
    assert last.startswith("error: this workflow comes from a git repository and needs mtsig ")
    assert "which has 0.0.1" in last


def test_bad_configuration(by_path):
    """The message is ours there, too."""
    by_path.configure(by_path.config | {"alhpa": 1})
    run = by_path.snakemake("--dry-run")
    assert run.returncode != 0
    assert run.stderr.rstrip().splitlines()[-1].startswith("error: alhpa: unknown key")


def test_no_place_for_results(by_path):
    """What is checked before any job is the place below the prefix."""
    (by_path.folder / "evaluation").write_text("", encoding="utf-8")
    run = by_path.snakemake("--dry-run")
    assert run.returncode != 0
    assert "evaluation: is a file, but a folder is needed" in run.stderr.rstrip().splitlines()[-1]


def test_example_of_the_readme(unstarted, hosted, repository):
    """What the README shows, with the names of this test."""
    readme = (repository / "README.md").read_text(encoding="utf-8")
    example = re.search(r"<!-- module -->\n```python\n(.*?)```", readme, re.DOTALL)[1]
    for shown, here in {"OWNER": "them", "v0.2.0": "v1", "wmt23-en-de": "demo"}.items():
        assert shown in example
        example = example.replace(shown, here)
    parent = Parent(unstarted, "None", "")
    (parent.folder / "Snakefile").write_text(f'configfile: "parent.yaml"\n{example}', encoding="utf-8")
    (parent.folder / "best.py").write_text("", encoding="utf-8")
    parent.environment |= hosted
    run = parent.snakemake("best", "--dry-run")
    assert run.returncode == 0, run.stderr
    assert "evaluation/demo/systems/bleu.parquet" in run.stdout + run.stderr
