"""What is in the source distribution and the wheel, and that the wheel alone is enough."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from email.parser import Parser
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tracked(repository) -> set[str]:
    """The files of the repository."""
    if shutil.which("git") is None or not (repository / ".git").exists():
        pytest.skip("only a clone knows which files are the repository's")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=repository, capture_output=True, text=True, check=True)
    return {name for name in listed.stdout.split("\0") if (repository / name).is_file()}


@pytest.fixture(scope="module")
def source(tracked, repository, tmp_path_factory) -> Path:
    """A fresh clone, as it were."""
    folder = tmp_path_factory.mktemp("clone") / "mtsig"
    for name in tracked:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(repository / name, folder / name)
    return folder


def build(kind: str, source: Path, target: Path) -> Path:
    """What pip and build do, without fetching setuptools anew."""
    code = f"import sys; from setuptools import build_meta; build_meta.build_{kind}(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, str(target)], cwd=source, capture_output=True, check=True)
    (built,) = target.iterdir()
    return built


@pytest.fixture(scope="module")
def sdist(source, tmp_path_factory) -> Path:
    return build("sdist", source, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def unpacked(sdist, tmp_path_factory) -> Path:
    """The folder in the source distribution."""
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (only,) = folder.iterdir()
    return only


@pytest.fixture(scope="module")
def wheel(unpacked, tmp_path_factory) -> Path:
    """Built as a release builds it, from the source distribution."""
    return build("wheel", unpacked, tmp_path_factory.mktemp("wheel"))


def test_source_distribution_is_the_repository(unpacked, tracked):
    """Every file of the repository, tests and C sources included, and besides only what setuptools adds."""
    files = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}
    added = {name for name in files - tracked if not name.startswith("scripts/mtsig.egg-info/")}
    assert tracked - files == set()
    assert added <= {"PKG-INFO", "setup.cfg"}


def test_wheel_is_package_and_workflow(wheel, tracked):
    """The package, the workflow in mtsig/checkout, the extension, the metadata; no tests."""
    with zipfile.ZipFile(wheel) as archive:
        files = {name for name in archive.namelist() if ".dist-info/" not in name}
    package = {name.removeprefix("scripts/") for name in tracked if name.startswith("scripts/mtsig/")}
    folders = ("workflow/", "config/", "profiles/")
    entries = {name for name in tracked if name.startswith("scripts/") and name.count("/") == 1}
    workflow = {name for name in tracked if name.startswith(folders)} | entries | {"Snakefile"}
    extension = {name for name in files if name.startswith("mtsig/kernels/_native.") and name.endswith((".so", ".pyd"))}
    assert len(extension) == 1
    assert "mtsig/py.typed" in files
    assert files == package | {f"mtsig/checkout/{name}" for name in workflow} | extension
    assert "-cp311-abi3-" in wheel.name


def test_metadata(wheel):
    """What a package index shows and pip goes by."""
    with zipfile.ZipFile(wheel) as archive:
        names = {name.partition(".dist-info/")[2] for name in archive.namelist()}
        (metadata,) = (archive.read(name) for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        (scripts,) = (archive.read(name) for name in archive.namelist() if name.endswith("/entry_points.txt"))
    fields = Parser().parsestr(metadata.decode())
    assert "licenses/LICENSE" in names
    assert scripts.decode().split() == ["[console_scripts]", "mtsig", "=", "mtsig.cli:main"]
    assert (fields["Name"], fields["License-Expression"], fields["Requires-Python"]) == (
        "mtsig",
        "Apache-2.0",
        ">=3.11",
    )
    assert fields["Description-Content-Type"] == "text/markdown"
    assert fields.get_payload().startswith("# mtsig\n")


def test_same_wheel_from_a_clone(wheel, source, tmp_path):
    """It does not matter whether the source distribution comes in between; compilers, though, write down folders."""

    def contents(path):
        with zipfile.ZipFile(path) as archive:
            kept = (info for info in archive.infolist() if not info.filename.endswith((".so", "/RECORD")))
            return {info.filename: info.CRC for info in kept}

    assert contents(build("wheel", source, tmp_path)) == contents(wheel)


@pytest.fixture(scope="module")
def scripts(wheel, tmp_path_factory) -> Path:
    """An environment with the wheel alone, and what it depends on from the one that runs the tests."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True, symlinks=os.name != "nt")
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(f"{Path(np.__file__).parents[1]}\n", encoding="utf-8")
    pip = [folder / "bin" / "pip", "install", "--quiet", "--no-index", "--no-deps", "--force-reinstall", wheel]
    subprocess.run(pip, check=True)
    return folder / "bin"


@pytest.fixture
def run(scripts, tmp_path):
    """Runs a command of the environment in an empty folder, without anything that leads to the checkout."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "MTSIG"))}

    def run(command, *arguments):
        finished = subprocess.run(
            [scripts / command, *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert finished.returncode == 0, finished.stderr
        return finished

    return run


@pytest.fixture
def texts(scripts) -> Path:
    (folder,) = scripts.parent.glob("lib/python*/site-packages/mtsig/checkout/config/example")
    return folder


def test_installed_functions(run, scripts):
    """Public names, from the environment's own copy, with the compiled kernels."""
    code = (
        "import mtsig, mtsig.kernels; from mtsig import analyse, create_metric, read;"
        "print(mtsig.kernels.NATIVE, mtsig.__file__)"
    )
    native, place = run("python", "-W", "error", "-c", code).stdout.split(maxsplit=1)
    assert native == "True"
    assert Path(place).is_relative_to(scripts.parent)


def test_installed_commands(run, texts):
    """A comparison with all that it prints."""
    files = [str(texts / "reference.en.txt"), str(texts / "systems/atlas.txt"), str(texts / "systems/dune.txt")]
    document = json.loads(run("mtsig", "compare", "--json", *files, "--metric", "bleu").stdout)
    (pair,) = document["pairs"]
    assert pair["winner"] == "atlas"


def test_installed_workflow(run, texts, tmp_path):
    """The whole workflow, without a checkout; a second run has nothing to do."""
    run("mtsig", "init", str(texts), "--output", str(tmp_path / "my.yaml"))
    finished = run("mtsig", "run", "my.yaml", "--cores", "2")
    assert "warning: mtsig is installed" not in finished.stderr
    assert (tmp_path / "results" / "report.html").is_file()
    assert "Nothing to be done" in run("mtsig", "run", "my.yaml", "--dry-run").stdout
