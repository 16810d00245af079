"""Texts that change while a run reads them: no result stands for a text that it was not made from."""

from __future__ import annotations

import pytest
from disturbed import refusal, results, start, wait_for

TARGET = "results/a/systems/bleu.parquet"


def append(path):
    with path.open("a", encoding="utf-8") as stream:
        stream.write("One more line.\n")


def replace(path):
    path.with_name("new").write_bytes(path.with_name("z.txt").read_bytes())
    path.with_name("new").replace(path)


@pytest.mark.parametrize("change", [replace, pytest.param(append, marks=pytest.mark.slow)])
def test_text_that_changes_before_it_is_read(unstarted, change, tmp_path):
    """The digest that decides about reruns was taken before: the job refuses the text, and the next run takes it."""
    path = unstarted.folder / "in/a/out/x.txt"
    before = path.read_bytes()
    process = start(unstarted, TARGET)
    wait_for(process, "rule ingest:")
    change(path)
    message = refusal(process.communicate(timeout=60)[0])
    assert message.startswith("error: in/a/out/x.txt: ")
    assert results(unstarted) == {}
    if change is append:
        path.write_bytes(before)
    unstarted.run(TARGET)
    other = unstarted.without_results(tmp_path / "other")
    other.run(TARGET)
    assert results(unstarted) == results(other)
