"""Results that were cut off, overwritten or changed by a bit: never taken for whole, and made again once deleted."""

from __future__ import annotations

import os
import random
import sqlite3

import pyarrow.parquet as pq
import pytest
from disturbed import refusal, results
from mtsig.errors import InputError
from mtsig.io import read_json, read_table
from mtsig.metrics.neural.store import Entry, ScoreStore, context_digest, triple_key


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def emptied(content: bytes) -> bytes:
    return b""


def overwritten(content: bytes) -> bytes:
    return content[: len(content) // 4] + bytes(len(content) // 4) + content[len(content) // 2 :]


TARGET = "results/a/systems/bleu.parquet"
DAMAGES = (cut, emptied, overwritten)
DEFAULT = [("a/hypotheses.parquet", cut), ("a/scores/bleu.parquet", overwritten)]
SLOW = [
    *(
        (name, damage)
        for name in ("a/segments.parquet", "b/systems/chrf.parquet", "b/pairs/chrf.parquet", "b/groups/bleu.parquet")
        for damage in DAMAGES
    ),
    ("a/hypotheses.parquet", overwritten),
    ("a/scores/bleu.parquet", emptied),
    ("studies/errors/rejections.parquet", cut),
    ("studies/errors/rejections.parquet", overwritten),
    ("a/lint.json", cut),
]


@pytest.mark.parametrize(
    ("name", "damage", "target"),
    [
        *((name, damage, [TARGET, f"results/{name}"]) for name, damage in DEFAULT),
        *(pytest.param(*case, [], marks=pytest.mark.slow) for case in SLOW),
    ],
)
def test_damaged_result(finished, undisturbed, name, damage, target):
    """The message names the file and what to do; what was said to be done gives the same results as ever."""
    path = finished.folder / "results" / name
    path.write_bytes(damage(path.read_bytes()))
    message = refusal(finished.run(*target, check=False).output)
    assert f"results/{name}: cannot be read as " in message
    assert message.endswith("Delete it and run again.")
    path.unlink()
    finished.run(*target)
    assert results(finished) == undisturbed.results


def test_no_flipped_bit_gives_another_number(undisturbed, tmp_path):
    """One bit of a table's data is refused, or means nothing. (The footer, the list of contents, has no checksum.)"""
    rng = random.Random(1)
    found = {"refused": 0, "harmless": 0}
    for path in sorted((undisturbed.project.folder / "results").rglob("*.parquet")):
        content, table = path.read_bytes(), read_table(path)
        end_of_data = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
        for _ in range(40):
            position = rng.randrange(end_of_data)
            changed = bytearray(content)
            changed[position] ^= 1 << rng.randrange(8)
            (tmp_path / "changed.parquet").write_bytes(changed)
            try:
                again = read_table(tmp_path / "changed.parquet")
            except InputError:
                found["refused"] += 1
            else:
                assert again.to_pylist() == table.to_pylist()
                found["harmless"] += 1
    assert found["refused"] > found["harmless"] > 0


def test_no_cut_table_is_read(undisturbed, tmp_path):
    """However much of a table or a JSON file is there, less than all is refused."""
    folder = undisturbed.project.folder / "results" / "a"
    for path, read in ((folder / "pairs" / "bleu.parquet", read_table), (folder / "tables" / "pairs.json", read_json)):
        content = path.read_bytes()
        for length in range(0, len(content) - 2, 97):
            (tmp_path / path.name).write_bytes(content[:length])
            with pytest.raises(InputError, match=r"Delete it and run again\."):
                read(tmp_path / path.name)


def test_pages_have_checksums(undisturbed):
    """So that the file's reader, whoever it is, can compare them."""
    path = undisturbed.project.folder / "results" / "a" / "scores" / "bleu.parquet"
    content = bytearray(path.read_bytes())
    # Inside the first page of data, behind its header.
    content[pq.ParquetFile(path).metadata.row_group(0).column(0).data_page_offset + 40] ^= 1
    damaged = path.with_name(".damaged.parquet")
    damaged.write_bytes(content)
    try:
        with pytest.raises(OSError, match="CRC"):
            pq.read_table(damaged, page_checksum_verification=True)
    finally:
        damaged.unlink()


@pytest.mark.parametrize("seed", range(30))
def test_damaged_store_gives_no_wrong_score(tmp_path, seed):
    """Garbage anywhere in the store of neural scores, or no end: scores are right or unknown, and come back."""
    path, rng = tmp_path / "scores.sqlite", random.Random(seed)
    context = {"checkpoint": "one"}
    entries = {triple_key(context_digest(context), None, str(i), None): Entry(i / 7) for i in range(500)}
    with ScoreStore(path) as store:
        store.add(entries, context, model="one")
    size = path.stat().st_size
    if seed % 3 == 0:
        os.truncate(path, rng.randrange(size))
    else:
        with path.open("r+b") as stream:
            stream.seek(rng.randrange(size))
            stream.write(rng.randbytes(rng.choice([1, 20, 5000])))
        os.truncate(path, size)
    with ScoreStore(path, report=lambda _: None) as store:
        assert store.lookup(entries).items() <= entries.items()
        store.add(entries, context, model="one")
        assert store.lookup(entries) == entries
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA quick_check").fetchone() == ("ok",)
