"""The score store: found again only where it would come out the same, whatever happens to the file."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from mtsig.errors import ConfigError, UnavailableError
from mtsig.metrics.neural.store import Entry, ScoreStore, context_digest, default_path, triple_key

CONTEXT = {"checkpoint": "sha256:0a1b", "precision": "fp32"}


def keys(number: int, context: dict[str, str] = CONTEXT) -> list[bytes]:
    return [triple_key(context_digest(context), f"source {i}", f"hypothesis {i}", None) for i in range(number)]


def filled(path: Path, number: int = 2000) -> dict[bytes, Entry]:
    entries = {key: Entry(i / 7, f'{{"i": {i}}}') for i, key in enumerate(keys(number))}
    with ScoreStore(path) as store:
        store.add(entries, CONTEXT, model="tiny")
    return entries


def test_scores_are_found_again_exactly(tmp_path):
    entries = filled(tmp_path / "s.sqlite")
    with ScoreStore(tmp_path / "s.sqlite") as store:
        assert store.lookup(entries) == entries
        assert store.lookup(keys(3, {**CONTEXT, "precision": "fp16"})) == {}


def test_the_first_of_two_equal_keys_stays(tmp_path):
    (key,) = keys(1)
    with ScoreStore(tmp_path) as store:
        store.add({key: Entry(0.5)}, CONTEXT, model="tiny")
        store.add({key: Entry(0.25)}, CONTEXT, model="tiny")
        assert store.lookup([key])[key].score == 0.5


@pytest.mark.parametrize("score", [float("nan"), float("inf")])
def test_undefined_scores_are_refused(tmp_path, score):
    """B48: a score that is no number is never kept, and the rest of its batch neither."""
    one, two = keys(2)
    with ScoreStore(tmp_path) as store:
        with pytest.raises(ValueError, match="finite"):
            store.add({one: Entry(0.5), two: Entry(score)}, CONTEXT, model="tiny")
        assert store.info().n_scores == 0


def test_info_and_clear_by_model(tmp_path):
    other = {**CONTEXT, "checkpoint": "rev:2c3d"}
    with ScoreStore(tmp_path / "s.sqlite") as store:
        store.add(dict.fromkeys(keys(5), Entry(0.5)), CONTEXT, model="tiny")
        store.add(dict.fromkeys(keys(3, other), Entry(0.5)), other, model="large")
        info = store.info()
        assert [(name, number) for name, _, number in info.contexts] == [("large", 3), ("tiny", 5)]
        assert info.n_scores == 8
        assert info.n_bytes == (tmp_path / "s.sqlite").stat().st_size
        assert store.clear(model="large") == 3
        assert store.info().n_scores == 5
        assert store.clear() == 5
        assert store.info().contexts == ()


def damage_truncated(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def damage_pages(path: Path) -> None:
    with path.open("r+b") as stream:
        stream.seek(4096)
        stream.write(b"\xff" * (path.stat().st_size - 4096))


def damage_header(path: Path) -> None:
    with path.open("r+b") as stream:
        stream.write(b"not a database at all")


@pytest.mark.parametrize("damage", [damage_truncated, damage_pages, damage_header])
def test_a_damaged_store_is_set_aside(tmp_path, damage):
    path = tmp_path / "s.sqlite"
    entries = filled(path)
    damage(path)
    lines: list[str] = []
    with ScoreStore(path, report=lines.append) as store:
        assert store.lookup(entries) == {}
        store.add(entries, CONTEXT, model="tiny")
        assert store.lookup(entries) == entries
        assert len(store.info().set_aside) == 1
    assert len(lines) == 1
    assert "set aside" in lines[0]


def test_damage_while_open_is_noticed(tmp_path):
    """A file that is cut short under a running process gives unknown scores, never wrong ones."""
    path = tmp_path / "s.sqlite"
    entries = filled(path)
    with ScoreStore(path, report=lambda _: None) as store:
        damage_truncated(path)
        assert store.lookup(entries).items() <= entries.items()
        store.add(entries, CONTEXT, model="tiny")
        assert store.lookup(entries) == entries


def test_a_changed_value_fails_its_checksum(tmp_path):
    path = tmp_path / "s.sqlite"
    entries = filled(path, 10)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE scores SET score = score + 0.001 WHERE extra = '{\"i\": 3}'")
    lines: list[str] = []
    with ScoreStore(path, report=lines.append) as store:
        assert len(store.lookup(entries)) == 9
        assert "1 damaged" in lines[0]
        store.add(entries, CONTEXT, model="tiny")
        assert store.lookup(entries) == entries


def test_files_of_other_programs_are_left_alone(tmp_path):
    database, text = tmp_path / "other.sqlite", tmp_path / "config.yaml"
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("CREATE TABLE theirs (a)")
    text.write_text("alpha: 0.05\n" * 100)
    for path in (database, text):
        before = path.read_bytes()
        with pytest.raises(ConfigError, match=r"neural\.store"):
            ScoreStore(path)
        assert path.read_bytes() == before


def test_a_path_that_cannot_be_written_names_the_key(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UnavailableError, match=r"neural\.store"):
        ScoreStore(tmp_path / "file" / "s.sqlite")


def test_default_path_is_in_the_cache_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_path() == tmp_path / "mtsig" / "scores.sqlite"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert default_path().parts[-3:] == (".cache", "mtsig", "scores.sqlite")


def add_one_by_one(path: Path, first: int, number: int) -> None:
    with ScoreStore(path) as store:
        for i in range(first, first + number):
            store.add({keys(i + 1)[i]: Entry(float(i))}, CONTEXT, model="tiny")


def test_several_processes_add_at_once(tmp_path):
    """Four writers with overlapping keys, one of them killed on the way: nothing else is lost."""
    path = tmp_path / "s.sqlite"
    start = multiprocessing.get_context("spawn").Process
    writers = [start(target=add_one_by_one, args=(path, 15 * i, 30)) for i in range(3)]
    victim = start(target=add_one_by_one, args=(path, 0, 100_000))
    for process in (victim, *writers):
        process.start()
    while not path.exists() or not path.stat().st_size:
        time.sleep(0.01)
    time.sleep(0.1)
    os.kill(victim.pid, signal.SIGKILL)
    for process in (victim, *writers):
        process.join(60)
    assert [process.exitcode for process in writers] == [0, 0, 0]
    wanted = keys(60)
    with ScoreStore(path) as store:
        assert {key: entry.score for key, entry in store.lookup(wanted).items()} == {
            key: float(i) for i, key in enumerate(wanted)
        }
        assert store.info().set_aside == ()
