"""Full disks, missing permissions, files in the way: said in one line, and nothing is lost once that is mended."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess

import pytest
from disturbed import refusal, results
from workflow_project import Project

BLOCK = 4096
NO_ROOM = "No space left on device"
TARGET = "results/a/systems/bleu.parquet"


@pytest.fixture
def disk():
    """A function that makes a folder a small disk of its own, of so many blocks, or gives that disk another size."""
    folders = []

    def resize(folder, blocks: int) -> None:
        option = "remount,size" if folder in folders else "size"
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"{option}={blocks * BLOCK}", "tmpfs", folder], check=False
        )
        if mounted.returncode and folder not in folders:
            pytest.skip("this machine lets nobody mount a small disk")
        folders.append(folder)

    if os.getuid() != 0 or not shutil.which("mount"):
        pytest.skip("only root can mount a small disk")
    yield resize
    for folder in set(folders):
        subprocess.run(["umount", "--lazy", folder], check=True)


def blocks(project: Project) -> int:
    """What all files of a project take."""
    return sum(-(-path.stat().st_size // BLOCK) for path in project.folder.rglob("*") if path.is_file())


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.06, 0.1, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9])
def test_full_disk(fresh, undisturbed, disk, tmp_path, share):
    """B74: wherever the room ends, for Snakemake, too: it is said, and with room the same command goes on."""
    disk(tmp_path, int(share * blocks(undisturbed.project)))
    project = fresh.without_results(tmp_path)
    run = project.run(check=False)
    assert run.status != 0
    assert NO_ROOM in "\n".join(run.output.splitlines()[-12:])
    assert "mtsig/entry.py" not in run.output
    left = results(project)
    assert [name for name in left if left[name] != undisturbed.results[name]] == []
    disk(tmp_path, 10_000)
    project.run()
    assert results(project) == undisturbed.results


def test_full_disk_of_results(unstarted, disk):
    """The last line says which file had no room; what was complete before is kept."""
    folder = unstarted.folder / "results"
    folder.mkdir()
    # Segments, hypotheses and what the lint found take five blocks.
    disk(folder, 6)
    message = refusal(unstarted.run("results/a/scores/bleu.parquet", check=False).output)
    assert message == f"error: results/a/scores/bleu.parquet: cannot be written ({NO_ROOM}). Fix this and run again."
    assert sorted(results(unstarted)) == ["a/hypotheses.parquet", "a/lint.json", "a/segments.parquet"]
    disk(folder, 100)
    assert unstarted.run("results/a/scores/bleu.parquet").jobs == {"score": 1}


@pytest.fixture
def unprivileged(monkeypatch):
    """Runs for which permissions count, also where the tests are run by root."""
    if os.getuid() == 0:
        if not shutil.which("setpriv"):
            pytest.skip("permissions do not bind root, and there is no setpriv")
        without = "-dac_override,-dac_read_search"
        command = Project.command
        prefix = ["setpriv", f"--bounding-set={without}", f"--inh-caps={without}"]
        monkeypatch.setattr(
            Project, "command", lambda self, *arguments, **options: [*prefix, *command(self, *arguments, **options)]
        )


def said(project: Project) -> str:
    """The last line of a run that fails, after which nothing is locked."""
    run = project.run(TARGET, check=False)
    assert run.status != 0
    assert not list((project.folder / ".snakemake").glob("locks/*"))
    return refusal(run.output)


@contextlib.contextmanager
def permissions(path, mode: int):
    """Other permissions for a while."""
    before = path.stat().st_mode
    path.chmod(mode)
    try:
        yield
    finally:
        path.chmod(before)


@pytest.mark.parametrize(
    ("name", "mode", "message"),
    [
        ("", 0o555, "results: cannot be made, since there is no permission to write to "),
        (".snakemake", 0o555, "locks: cannot be made, since there is no permission to write to "),
        ("in/a/out/x.txt", 0, "in/a/out/x.txt: there is no permission to read this file."),
        ("in/a/out", 0, "in/a/out/*.txt"),
    ],
)
def test_no_permission(unstarted, unprivileged, name, mode, message):
    """Said before any job; with the permission the same command works."""
    path = unstarted.folder / name
    if name == ".snakemake":
        path.mkdir()
    with permissions(path, mode):
        assert message in said(unstarted)


def test_no_permission_to_write_a_result(finished, unprivileged, undisturbed):
    """A folder of results that was made read-only: the file is named, and the rest goes on afterwards."""
    (finished.folder / TARGET).unlink()
    with permissions((finished.folder / TARGET).parent, 0o555):
        assert said(finished) == f"error: {TARGET}: cannot be written (Permission denied). Fix this and run again."
    finished.run(TARGET)
    assert results(finished) == undisturbed.results


@pytest.mark.slow
def test_no_permission_for_results(unstarted, unprivileged):
    """Snakemake makes the folders of results, and says which one it could not make."""
    (unstarted.folder / "results").mkdir(mode=0o555)
    run = unstarted.run(TARGET, check=False)
    assert run.status != 0
    assert "Permission denied: 'results/a'" in run.output
    assert "Traceback" not in run.output


@pytest.mark.parametrize("name", ["results", "logs"])
def test_file_in_the_way(unstarted, name):
    """Said before any job."""
    (unstarted.folder / name).write_text("mine", encoding="utf-8")
    assert said(unstarted) == f"error: {name}: is a file, but a folder is needed to write to. Move it away."
    assert (unstarted.folder / name).read_text(encoding="utf-8") == "mine"
