"""Files that other programs read: the workflow catalog, GitHub, those who cite."""

from __future__ import annotations

import re
import subprocess

import mtsig
import pytest
import yaml


def test_workflow_catalog(repository):
    """What Snakemake's workflow catalog asks of a repository that it shows with instructions."""
    catalog = yaml.safe_load((repository / ".snakemake-workflow-catalog.yml").read_text(encoding="utf-8"))
    assert set(catalog) == {"usage"}
    assert set(catalog["usage"]) <= {"mandatory-flags", "software-stack-deployment"}
    deployment = catalog["usage"]["software-stack-deployment"]
    assert set(deployment) <= {"conda", "apptainer", "apptainer+conda", "report"}
    assert deployment["conda"] is True
    assert deployment["report"] is True
    for name in ("workflow/Snakefile", "config/README.md", "workflow/rules/ingest.smk"):
        assert (repository / name).is_file(), name
    readme = (repository / "README.md").read_text(encoding="utf-8").lower()
    assert "snakemake" in readme
    assert "workflow" in readme


@pytest.mark.parametrize("name", ["ci", "release"])
def test_github_workflows(repository, name):
    """They parse, every action has a version, every job an end, and every script is one for bash."""
    text = (repository / ".github" / "workflows" / f"{name}.yml").read_text(encoding="utf-8")
    # YAML takes the key `on` for a truth value.
    workflow = yaml.safe_load(text)
    assert set(workflow) == {"name", True, "permissions", "jobs"}
    for job in workflow["jobs"].values():
        assert isinstance(job["timeout-minutes"], int)
        assert set(job.get("needs", [])) <= set(workflow["jobs"])
        assert all(("uses" in step) != ("run" in step) for step in job["steps"])
        for step in job["steps"]:
            if "uses" in step:
                assert re.fullmatch(r"[\w-]+/[\w-]+@(v\d+(\.\d+)*|release/v\d+)", step["uses"]), step["uses"]
            else:
                script = re.sub(r"\$\{\{.*?\}\}", "value", step["run"])
                subprocess.run(["bash", "-n", "-c", script], check=True)
    # An expression may name only what its job has.
    for context in re.findall(r"\$\{\{ (\w+)\.", text):
        assert context in {"matrix", "github", "runner"}


def test_one_version(repository):
    """The package, the citation and the changelog speak of the same version."""
    citation = yaml.safe_load((repository / "CITATION.cff").read_text(encoding="utf-8"))
    latest = re.search(r"^## (\S+)", (repository / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)[1]
    assert citation["version"] == latest == mtsig.__version__


def test_oldest_snakemake(repository):
    """The Snakefile and the package ask for the same one."""
    asked = re.search(r'min_version\("(.+)"\)', (repository / "Snakefile").read_text(encoding="utf-8"))[1]
    assert f'"snakemake>={asked}"' in (repository / "pyproject.toml").read_text(encoding="utf-8")
