"""Fixtures that all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the repository."""
    return ROOT


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
