"""What the tests with a real COMET share. They run where there is one: in this Python, or the one that
MTSIG_COMET_PYTHON names."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from neural_setup import HERE, OFFLINE, REPOSITORY


@pytest.fixture(scope="session")
def comet_python() -> str:
    """A Python that has COMET."""
    named = os.environ.get("MTSIG_COMET_PYTHON")
    if named:
        return str(Path(named).absolute())
    if find_spec("comet") and find_spec("torch"):
        return sys.executable
    return pytest.skip("needs COMET: set MTSIG_COMET_PYTHON to a Python that has it (see workflow/envs/README.md)")


@pytest.fixture(scope="session")
def call(comet_python):
    """Run one of the scripts beside this file in the Python that has COMET; what it writes, read as JSON."""

    def run(script: str, *arguments: object) -> object:
        finished = subprocess.run(
            [comet_python, str(HERE / script), *map(str, arguments)],
            env={**os.environ, **OFFLINE, "PYTHONPATH": str(REPOSITORY / "scripts")},
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        assert finished.returncode == 0, finished.stderr
        return json.loads((finished.stdout.splitlines() or ["null"])[-1])

    return run


@pytest.fixture(scope="session")
def checkpoints(call, tmp_path_factory) -> Path:
    """A folder with tiny checkpoints of every kind."""
    folder = tmp_path_factory.mktemp("checkpoints")
    kinds = ("reference-based", "reference-based:1", "reference-free", "unified", "unified-free", "spans", "xcomet")
    call("tiny_comet.py", folder, *kinds, "ranking")
    return folder
