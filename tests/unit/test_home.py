"""Where the package looks for its workflow."""

from __future__ import annotations

import shutil

import pytest
from mtsig import home
from mtsig.errors import UnavailableError


@pytest.fixture
def package(tmp_path, repository, monkeypatch):
    """The module as if it lay in a package of another place."""
    folder = tmp_path / "scripts" / "mtsig"
    folder.mkdir(parents=True)
    shutil.copy(repository / "scripts" / "mtsig" / "home.py", folder)
    monkeypatch.setattr(home, "__file__", str(folder / "home.py"))
    monkeypatch.setattr(home, "CARRIED", folder / "checkout")
    return folder


def test_in_a_checkout(package, tmp_path):
    (tmp_path / "Snakefile").touch()
    assert home.workflow_home() == tmp_path


def test_what_a_wheel_carries_comes_first(package, tmp_path):
    (tmp_path / "Snakefile").touch()
    (package / "checkout").mkdir()
    (package / "checkout" / "Snakefile").touch()
    assert home.workflow_home() == package / "checkout"


def test_neither(package):
    with pytest.raises(UnavailableError, match=r"not beside the package in .*mtsig\. Install mtsig again"):
        home.workflow_home()
