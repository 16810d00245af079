"""Real runs of Snakemake on a tiny project, shared where possible."""

from __future__ import annotations

import os

import pytest
from workflow_project import Project, Run, new_project

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


@pytest.fixture(scope="session")
def fresh(tmp_path_factory, home) -> Project:
    """A project in which nothing has run: 12 segments, three systems, two metrics."""
    # Blanks, quotes and dots in a path are ordinary.
    folder = tmp_path_factory.mktemp("run") / "it's a v1.2 project"
    project = new_project(folder, home, tmp_path_factory.mktemp("cache"))
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
            "n_trials": 40,
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
    return fresh.without_results(tmp_path / "project")
