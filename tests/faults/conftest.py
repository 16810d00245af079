"""A small study, and what an undisturbed run makes of it."""

from __future__ import annotations

import time
from dataclasses import dataclass

import pytest
from disturbed import results, write_study
from workflow_project import Project, new_project


@dataclass(frozen=True)
class Undisturbed:
    """A run that nothing happened to, and how long it took."""

    project: Project
    results: dict[str, object]
    seconds: float


@pytest.fixture(scope="session")
def fresh(tmp_path_factory, home) -> Project:
    """A study in which nothing has run."""
    project = new_project(tmp_path_factory.mktemp("fresh"), home, tmp_path_factory.mktemp("cache"))
    write_study(project)
    return project


@pytest.fixture(scope="session")
def undisturbed(fresh, tmp_path_factory) -> Undisturbed:
    """The truth that all other runs are compared with."""
    project = fresh.without_results(tmp_path_factory.mktemp("undisturbed"))
    started = time.monotonic()
    project.run()
    return Undisturbed(project, results(project), time.monotonic() - started)


@pytest.fixture
def unstarted(fresh, tmp_path) -> Project:
    """A study of one's own in which nothing has run."""
    return fresh.without_results(tmp_path / "study")


@pytest.fixture
def finished(undisturbed, tmp_path) -> Project:
    """A finished study of one's own."""
    return undisturbed.project.copy(tmp_path / "study")
