"""Fixtures that all tests share."""

from __future__ import annotations

from pathlib import Path

import hypothesis
import pytest
from mtsig import kernels
from mtsig.kernels import _python_resampling
from workflow_project import copy_of_workflow

ROOT = Path(__file__).resolve().parents[1]

# The same examples in every run, and no clock that fails a test on a busy machine.
hypothesis.settings.register_profile("mtsig", deadline=None, derandomize=True)
hypothesis.settings.load_profile("mtsig")


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def home(tmp_path_factory, repository) -> Path:
    """The workflow as it was when the tests began: an edit while they run must not look like a rerun."""
    return copy_of_workflow(repository, tmp_path_factory.mktemp("home") / "mtsig")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real evaluation data beside the repository; tests that need it are skipped where it is not there."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the real evaluation data (../shared/data) is not on this machine")
    return folder


@pytest.fixture(scope="session")
def t10() -> dict[str, list[str]]:
    """The ten-segment corpus of the known answers: ``reference``, ``A`` and ``B``."""
    folder = Path(__file__).parent / "reference" / "t10"
    return {name: (folder / f"{name}.txt").read_text(encoding="utf-8").splitlines() for name in ("reference", "A", "B")}


@pytest.fixture(params=["native", "python"])
def resampling_path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a test twice: with the compiled kernels of resampling, and with their Python twins."""
    path: str = request.param
    if path == "native" and not kernels.NATIVE:
        pytest.skip("the native extension is not built")
    if path == "python":
        for name in ("draw_counts", "swap_signs", "sequential_sums"):
            monkeypatch.setattr(kernels, name, getattr(_python_resampling, name))
        for name in ("score_sums", "swap_differences", "count_swaps"):
            monkeypatch.setattr(kernels, name, None)
    return path
