"""Which files a test set consists of, and the names they give."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from mtsig.corpus import files, rawfiles
from mtsig.errors import ConfigError


@pytest.fixture
def outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with outputs, which is the working folder."""
    for name in ("out/A.txt", "out/a.b.txt", "out/GPT-4.5.txt.gz", "run1/out.txt", "run2/out.txt", "source.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"x\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_pattern_gives_stems_in_order(outputs: Path) -> None:
    """B55: dots inside a name belong to it."""
    assert list(files.named_files("out/*", "systems")) == ["A", "GPT-4.5", "a.b"]


def test_an_empty_pattern_is_refused(outputs: Path) -> None:
    """B62: the pattern is shown."""
    with pytest.raises(ConfigError, match=r"systems: no file matches 'nothing/\*.txt'"):
        files.named_files("nothing/*.txt", "systems")


def test_equal_stems_are_refused_with_the_way_out(outputs: Path) -> None:
    """B59: two files that would go by one name."""
    with pytest.raises(ConfigError, match=r"would both be called 'out'. Name them: systems: \{NAME: run1"):
        files.named_files(["run1/out.txt", "run2/out.txt"], "systems")
    assert list(files.named_files({"one": "run1/out.txt", "two": "run2/out.txt"}, "systems")) == ["one", "two"]


def test_a_file_listed_twice_is_one_system(outputs: Path) -> None:
    """A pattern and a path may name the same file."""
    assert list(files.named_files(["out/A.txt", "out/A*.txt"], "systems")) == ["A"]


@pytest.mark.parametrize("name", ["[x].txt", "a*b.txt", "what?.txt"])
def test_an_existing_path_is_no_pattern(outputs: Path, name: str) -> None:
    """B60: names that look like patterns are taken literally where the file is there."""
    (outputs / name).write_bytes(b"x\n")
    assert [path.name for path in files.named_files(name, "systems").values()] == [name]


def test_file_names_in_other_encodings_are_refused(outputs: Path) -> None:
    """B50: a name in Latin-1 is no text, neither in a table nor for Snakemake."""
    try:
        (outputs / "out" / os.fsdecode(b"caf\xe9.txt")).write_bytes(b"x\n")
    except OSError:
        pytest.skip("the file system has names in UTF-8 only")
    with pytest.raises(ConfigError, match=r"systems: the file name 'out/caf\\udce9\.txt' is not in UTF-8"):
        files.named_files("out/*", "systems")


def test_missing_files_and_folders_name_the_key(outputs: Path) -> None:
    """Everything is said before any job runs."""
    with pytest.raises(ConfigError, match=r"^source: there is no file 'absent.txt'"):
        files.one_file("absent.txt", "source")
    with pytest.raises(ConfigError, match=r"systems: 'out' is a folder; write a pattern such as 'out/\*.txt'"):
        files.named_files("out", "systems")
    with pytest.raises(ConfigError, match=r"^testsets\.t\.references\.A: there is no file"):
        rawfiles.testset_files({"systems": "out/*.txt", "references": {"A": "no.txt"}}, prefix="testsets.t.")


@pytest.mark.parametrize("value", [1.1, None, True, ""])
def test_values_that_are_no_text_are_refused(value: object) -> None:
    """B56: what YAML reads as a number, a truth value or null is not turned into a path or a name."""
    with pytest.raises(ConfigError, match="quotes"):
        files.named_files({"A": value}, "systems")
    with pytest.raises(ConfigError, match="quotes"):
        files.named_files({value: "x"}, "systems")


def test_excluded_systems_are_no_input(outputs: Path) -> None:
    """What is left out is not read, so that a change in it changes nothing."""
    settings = {"source": "source.txt", "systems": "out/*.txt", "exclude": ["A"]}
    assert rawfiles.testset_files(settings) == [Path("out/a.b.txt"), Path("source.txt")]
    with pytest.raises(ConfigError, match="no system is left"):
        rawfiles.testset_files({**settings, "exclude": ["A", "a.b"]})


def test_systems_to_exclude_must_be_there(outputs: Path) -> None:
    """A misspelt name would leave a system in without a word."""
    with pytest.raises(ConfigError, match=r"^t\.exclude: there is no system 'ab'\. Did you mean a\.b\? "):
        rawfiles.testset_files({"systems": "out/*.txt", "exclude": ["ab"]}, prefix="t.")


def test_names_to_exclude_are_compared_in_one_unicode_form(outputs: Path) -> None:
    """B57: composed and decomposed letters are one name."""
    (outputs / "out" / "cafe\u0301.txt").write_bytes(b"x\n")
    assert "cafe\u0301" not in files.system_files({"systems": "out/*.txt", "exclude": ["caf\u00e9"]})


def test_nothing_heavy_is_imported() -> None:
    """The module is loaded while the workflow is parsed."""
    import subprocess
    import sys

    heavy = ("numpy", "pandas", "pyarrow", "sacrebleu")
    code = f"import sys, mtsig.corpus.rawfiles; print([m for m in {heavy} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
