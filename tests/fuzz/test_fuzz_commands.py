"""Commands on hostile files and arguments: done, or one line of error; nothing on the terminal but printable text."""

from __future__ import annotations

import io
import json
import os
import sys
import tempfile
import unicodedata
from pathlib import Path
from unittest import mock

import mtsig.cli
import pytest
import yaml
from hostile import CATEGORIES, HOSTILE, SCORES, TESTSETS, any_bytes, any_text, examples, json_value, mutated, name
from hypothesis import given
from hypothesis import strategies as st
from simulated_results import write_results

FEW = ("--n-resamples", "20", "--n-trials", "20")


def command(*arguments: object) -> tuple[int, str, str]:
    """Exit status, output and messages of a command."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="\n") for _ in range(2))
    words = ["mtsig", *map(str, arguments)]
    with (
        mock.patch.multiple(sys, argv=words, stdout=out, stderr=err, stdin=io.TextIOWrapper(io.BytesIO())),
        pytest.raises(SystemExit) as left,
    ):
        mtsig.cli.main()
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode("utf-8"))
    return int(left.value.code or 0), *texts


def harmless(*arguments: object) -> int:
    """The exit status of a command, which ends as commands may end and writes what a terminal may show."""
    status, out, err = command(*arguments)
    assert status in (0, 1, 2), err
    for text in (out, err):
        assert not {c for c in text if c not in "\n\t" and unicodedata.category(c) in ("Cc", "Zl", "Zp", "Cs")}
    if status == 1:
        assert err.split("\n")[-2].startswith("error: ")
        assert out == ""
    return status


def texts(folder: str, content: bytes) -> list[Path]:
    """A reference and two systems, of which the first holds `content`."""
    paths = [Path(folder, f"{name}.txt") for name in ("ref", "A", "B")]
    for path, data in zip(paths, (b"a b c\nd e f g\nh\n", content, b"a b d\nd e f h\nh\n"), strict=True):
        path.write_bytes(data)
    return paths


@pytest.mark.parametrize(
    "words", [("compare", *FEW), ("score",), ("ci", *FEW[:2]), ("lint",)], ids=lambda words: words[0]
)
@examples(0.15)
@given(content=st.one_of(any_bytes, mutated(b"a b c\nd e g g\nh\n")))
def test_texts(words, content):
    with tempfile.TemporaryDirectory() as folder:
        harmless(*words, *texts(folder, content))


@examples(0.3)
@given(called=st.one_of(name, any_text.filter(lambda text: "\0" not in text)))
def test_names_of_systems(called):
    """As given on the command line; half characters come from bytes that are no UTF-8."""
    with tempfile.TemporaryDirectory() as folder:
        reference, a, b = texts(folder, b"a b c\nd e f g\nh\n")
        harmless("score", reference, f"{called}={a}", b)
        harmless("score", "--metric", f"bleu:{called}", reference, a)
        harmless("score", "--metric", called, reference, a)
        harmless("score", "--langpair", called, reference, a)
        harmless("score", called, called)


@pytest.mark.parametrize("words", [("compare",), ("significance",), ("test",), ("lint",)], ids=lambda words: words[0])
@examples(0.15)
@given(data=st.data())
def test_reports(words, data):
    _, files = TESTSETS["arena"]
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, file) for file in files]
        for path, content in zip(paths, files.values(), strict=True):
            path.write_bytes(content)
        value = data.draw(json_value)
        field = data.draw(st.sampled_from(["id", "exact_match", "comet_score", "plugin_metrics", "error", "x"]))
        report = {
            "run_id": value,
            "entries": [{"id": i, "expected": "r", "predicted": "a", field: value} for i in "012"],
        }
        content = data.draw(st.one_of(any_bytes, mutated(files["a.json"]), st.just(json.dumps(report).encode())))
        paths[0].write_bytes(content)
        harmless(*words, *(paths[:1] if words == ("test",) else paths))


@examples(0.3)
@given(data=st.data())
def test_scores(data):
    which = data.draw(st.sampled_from(["m.seg.score", "m.tsv", "comet.json", "A.txt"]))
    with tempfile.TemporaryDirectory() as folder:
        gold, qe = Path(folder, "gold.txt"), Path(folder, which)
        gold.write_bytes(SCORES["A.txt"])
        qe.write_bytes(data.draw(mutated(SCORES[which])))
        harmless("roc", gold, qe, "--cutoff", "<2", "--n-resamples", "20")
        harmless("roc", qe, gold, "--cutoff", "<2", "--n-resamples", "20")


@examples(0.3)
@given(hypothesis=any_text, reference=any_text)
def test_grid(hypothesis, reference):
    harmless("grid", "--", hypothesis, reference)


@examples(0.3)
@given(files=st.dictionaries(any_text, any_bytes, max_size=4))
def test_folders_of_any_files(files):
    """What `init` writes is YAML that names what is there, whatever files are called."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "in")
        folder.mkdir()
        for called, content in {**files, "reference.txt": b"a\n", "A.txt": b"a\n"}.items():
            # Cut anywhere, so that some names are no UTF-8.
            path = folder / os.fsdecode(called.replace("/", "_").replace("\0", "").encode("utf-8", "replace")[:200])
            if not path.exists():
                path.write_bytes(content)
        config = Path(place, "c.yaml")
        if harmless("init", folder, "--output", config) == 0:
            assert isinstance(yaml.safe_load(config.read_text(encoding="utf-8")), dict)
        assert sorted(path.name for path in Path(place).iterdir()) in (["in"], ["c.yaml", "in"])


@examples(0.2)
@given(data=st.data())
def test_damaged_results(data, tmp_path_factory):
    """`show` on tables of which one was changed by somebody."""
    folder = tmp_path_factory.mktemp("results")
    systems, _ = write_results(folder / "t", ["A", "B"], n_segments=5)
    systems.write_bytes(data.draw(mutated(systems.read_bytes())))
    harmless("show", folder)


@examples(0.3)
@given(content=st.one_of(any_bytes, st.binary(max_size=300).map(lambda data: b"SQLite format 3\0" + data)))
def test_any_store(content):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "store.sqlite")
        path.write_bytes(content)
        harmless("store", "--path", path)


@pytest.mark.parametrize(
    "content", [b"a: &a [*a]\n", b"a: !!python/name:os.system\n", b"__use_yte__: true\n", b"\xff\xfe"]
)
def test_run_refuses_before_snakemake_reads(tmp_path, monkeypatch, content):
    monkeypatch.setattr("subprocess.Popen", lambda *_, **__: pytest.fail("Snakemake was started"))
    path = tmp_path / "c.yaml"
    path.write_bytes(content)
    assert harmless("run", path) == 1


@pytest.mark.parametrize("called", ["\x1b[31m", "a\nb", "\u202egnp", "x" * 300, *CATEGORIES.values(), *HOSTILE[:30]])
def test_names_of_files(tmp_path, called):
    """Files that are not there are named without what moves a cursor."""
    assert harmless("score", tmp_path / called.replace("\0", ""), tmp_path / "b") in (1, 2)
