"""Digests of code and of contents."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from mtsig import provenance

STEPS = sorted(path.stem for path in (Path(__file__).parents[2] / "scripts").glob("*.py"))


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A small package that is taken for mtsig: file name to text; gives the modules that an entry reaches."""

    def made(files: dict[str, str], entry: str = "import mtsig.a", **options) -> list[str]:
        root = tmp_path / "mtsig"
        for name, text in {"__init__.py": "", **files}.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text), encoding="utf-8")
        (tmp_path / "entry.py").write_text(entry, encoding="utf-8")
        monkeypatch.setattr(provenance, "_ROOT", root)
        for cached in (provenance._module_path, provenance._references, provenance._lazy):
            cached.cache_clear()
        found = list(provenance.modules(tmp_path / "entry.py", **options))
        for cached in (provenance._module_path, provenance._references, provenance._lazy):
            cached.cache_clear()
        return found

    return made


def test_imports_are_followed(package):
    """At the top, inside functions, relative, by name and with the packages in between; unused modules are not."""
    files = {
        "a.py": "from mtsig import b\ndef f():\n    import mtsig.sub.c\n",
        "b.py": "from . import d\nfrom .sub.e import thing\n",
        "d.py": "",
        "sub/__init__.py": "",
        "sub/c.py": "from . import f\nfrom ..g import x\n",
        "sub/e.py": "",
        "sub/f.py": "",
        "g.py": "",
        "unused.py": "",
    }
    found = package(files)
    names = ["a", "b", "d", "g", "sub", "sub.c", "sub.e", "sub.f"]
    assert found == ["mtsig", *(f"mtsig.{name}" for name in names)]


def test_strings_that_name_modules_are_followed(package):
    """Registries name what they import on demand; other strings, and names of no module, reach nothing."""
    files = {"a.py": 'KINDS = {"b": "mtsig.b", "c": "mtsig.c.d", "e": "mtsig.gone", "f": "mtsig"}', "b.py": ""}
    assert package(files) == ["mtsig", "mtsig.a", "mtsig.b"]


def test_lazily_offered_names(package):
    """Public names of a package reach their module from where they are used, by import or attribute, and only there."""
    offering = """
    _HOMES = {"one": "mtsig.sub.b", "two": "mtsig.sub.c", "three": "mtsig.sub.d"}
    def __getattr__(name):
        pass
    """
    files = {"sub/__init__.py": offering, "sub/b.py": "", "sub/c.py": "", "sub/d.py": ""}
    assert package({**files, "a.py": "from mtsig.sub import one"})[2:] == ["mtsig.sub", "mtsig.sub.b"]
    assert package({**files, "a.py": "from mtsig import sub\nsub.two()"})[2:] == ["mtsig.sub", "mtsig.sub.c"]
    assert package({**files, "a.py": "import mtsig.sub"})[2:] == ["mtsig.sub"]


def test_imports_for_type_checkers_do_not_count(package):
    """They never run."""
    files = {"a.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import mtsig.b\n", "b.py": ""}
    assert package(files) == ["mtsig", "mtsig.a"]


def test_registries_can_be_narrowed(package):
    """Of what a registry reaches on demand, the chosen modules; everything if one of those is unknown to it."""
    files = {
        "a.py": 'import mtsig.base\nKINDS = ["mtsig.b", "mtsig.c"]\ndef f():\n    import mtsig.d\n',
        **{f"{name}.py": "" for name in ("base", "b", "c", "d")},
    }
    everything = [f"mtsig.{name}" for name in ("a", "b", "base", "c", "d")]
    assert package(files)[1:] == everything
    assert package(files, chosen={"mtsig.a": ["mtsig.c"]})[1:] == ["mtsig.a", "mtsig.base", "mtsig.c"]
    assert package(files, chosen={"mtsig.a": ["mtsig.d"]})[1:] == ["mtsig.a", "mtsig.base", "mtsig.d"]
    assert package(files, chosen={"mtsig.a": ["mtsig.elsewhere"]})[1:] == everything


def test_sources_and_templates_belong_to_their_package(package):
    """C sources beside a package's modules are part of it, those of other packages are not."""
    files = {
        "a.py": "import mtsig.sub.b",
        "sub/__init__.py": "",
        "sub/b.py": "",
        "sub/kernel.c": "",
        "sub/parts/kernel.h": "",
        "sub/notes.txt": "",
        "other/__init__.py": "",
        "other/kernel.c": "",
    }
    assert package(files)[4:] == ["mtsig/sub/kernel.c", "mtsig/sub/parts/kernel.h"]


def test_digest_follows_every_file(tmp_path, repository, monkeypatch):
    """Another byte in any reached file gives another digest; in no other file; and time and place do not matter."""
    copy = tmp_path / "scripts"
    shutil.copytree(repository / "scripts", copy, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    monkeypatch.setattr(provenance, "_ROOT", copy / "mtsig")

    def digest() -> str:
        for cached in (provenance._module_path, provenance._references, provenance._lazy):
            cached.cache_clear()
        return provenance.code_digest(copy / "score.py")

    before = digest()
    reached = provenance.modules(copy / "score.py")
    assert "mtsig.steps.score" in reached
    assert "mtsig.steps.tables" not in reached
    for path in [copy / "score.py", *reached.values()]:
        original = path.read_bytes()
        path.write_bytes(original + b"\n")
        assert digest() != before, path
        path.write_bytes(original)
    for path in [copy / "mtsig/steps/tables.py", copy / "ingest.py"]:
        path.write_bytes(path.read_bytes() + b"\n")
    assert digest() == before
    for cached in (provenance._module_path, provenance._references, provenance._lazy):
        cached.cache_clear()


def test_packages_import_nothing_of_their_own(repository):
    """The package and its subpackages reach nothing by being imported, so that digests stay narrow."""
    for path in (repository / "scripts" / "mtsig").rglob("__init__.py"):
        name = ".".join(path.parent.relative_to(repository / "scripts").parts)
        reached = provenance._references(path, name).at_once
        assert all(name.startswith(other) or other.startswith(f"{name}.") for other in reached), (name, reached)
        if name in ("mtsig", "mtsig.steps"):
            assert not reached


@pytest.mark.parametrize("step", STEPS)
def test_nothing_runs_that_is_not_digested(repository, step):
    """What an entry script really imports at once is part of its digest."""
    code = f"""
    import importlib.util, sys
    spec = importlib.util.spec_from_file_location("entry", {str(repository / "scripts" / (step + ".py"))!r})
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
    print(*(name for name in sys.modules if name.partition(".")[0] == "mtsig"))
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True)
    imported = {name for name in run.stdout.split() if not name.endswith("._native")}
    assert imported <= provenance.modules(repository / "scripts" / f"{step}.py").keys()


@pytest.fixture
def files(tmp_path) -> list[Path]:
    """Two files with old times."""
    found = [tmp_path / "in" / name for name in ("a.txt", "b.txt")]
    found[0].parent.mkdir()
    for path in found:
        path.write_text(path.name, encoding="utf-8")
    return found


def test_content_digest_depends_on_contents_and_names(files, tmp_path):
    """Not on order, times or the folder; on bytes, names and which file has which bytes."""
    before = provenance.content_digest(files)
    assert provenance.content_digest(reversed(files)) == before
    moved = shutil.copytree(tmp_path / "in", tmp_path / "elsewhere")
    assert provenance.content_digest(sorted(moved.iterdir())) == before
    os.utime(files[0], (1, 1))
    assert provenance.content_digest(files) == before
    assert provenance.content_digest(files[:1]) != before
    assert provenance.content_digest([files[0], files[1].rename(tmp_path / "in" / "c.txt")]) != before
    files[0].write_text("b.txt", encoding="utf-8")
    (tmp_path / "in" / "c.txt").write_text("a.txt", encoding="utf-8")
    assert provenance.content_digest([files[0], tmp_path / "in" / "c.txt"]) != before


def test_missing_files_count_as_missing(files, tmp_path):
    """A missing file differs from an empty one."""
    empty = tmp_path / "in" / "empty.txt"
    without = provenance.content_digest([*files, empty])
    empty.touch()
    assert provenance.content_digest([*files, empty]) != without


def test_memo_spares_reading(files, tmp_path, monkeypatch):
    """Unchanged old files are not read again; recent ones are, since they may still change."""
    memo = tmp_path / "memo" / "digests.json"
    monkeypatch.setattr(provenance, "_RACY", -1.0)
    first = provenance.content_digest(files, memo=memo)
    assert len(json.loads(memo.read_text(encoding="utf-8"))) == 2
    monkeypatch.setattr(provenance, "_file_digest", lambda path: pytest.fail(f"{path} was read again"))
    assert provenance.content_digest(files, memo=memo) == first


def test_memo_does_not_hold_recent_files(files, tmp_path):
    """A file changed a moment ago may change again within the clock's resolution."""
    memo = tmp_path / "digests.json"
    provenance.content_digest(files, memo=memo)
    assert not memo.exists()


def test_memo_sees_changes_that_keep_size_and_time(files, tmp_path, monkeypatch):
    """Same size, same inode and a restored time of modification: the time of the status change tells."""
    memo = tmp_path / "digests.json"
    monkeypatch.setattr(provenance, "_RACY", -1.0)
    before = provenance.content_digest(files, memo=memo)
    status = files[0].stat()
    with files[0].open("r+", encoding="utf-8") as stream:
        stream.write("X")
    os.utime(files[0], ns=(status.st_atime_ns, status.st_mtime_ns))
    assert files[0].stat().st_size == status.st_size
    assert provenance.content_digest(files, memo=memo) != before


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"PATH": 1}', '{"PATH": [1, 2]}', '{"PATH": [1, 2, 3, 4, 5, 6]}'])
def test_damaged_memo_is_replaced(files, tmp_path, monkeypatch, damage):
    """The memo only saves time: whatever it holds, the digest is right."""
    memo = tmp_path / "digests.json"
    monkeypatch.setattr(provenance, "_RACY", -1.0)
    right = provenance.content_digest(files)
    memo.write_text(damage.replace("PATH", str(files[0])), encoding="utf-8")
    assert provenance.content_digest(files, memo=memo) == right
    assert json.loads(memo.read_text(encoding="utf-8"))[str(files[0])][-1]


def test_memo_that_cannot_be_written(files, tmp_path, monkeypatch):
    """No reason to stop."""
    monkeypatch.setattr(provenance, "_RACY", -1.0)
    (tmp_path / "file").touch()
    assert provenance.content_digest(files, memo=tmp_path / "file" / "memo.json") == provenance.content_digest(files)


def test_versions():
    """Installed packages by their versions, in order of names."""
    found = provenance.versions("pyyaml", "numpy")
    assert list(found) == ["numpy", "pyyaml"]
    assert found["numpy"][0].isdigit()


def test_another_copy_of_the_package(tmp_path, repository):
    """A copy is the same until one of its files differs."""
    source = repository / "scripts" / "mtsig"
    copy = shutil.copytree(source, tmp_path / "mtsig", ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    assert provenance.same_code(copy)
    (copy / "errors.py").write_text("", encoding="utf-8")
    assert not provenance.same_code(copy)
