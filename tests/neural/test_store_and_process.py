"""The scorer's process: what it computes again, and what becomes of it when it is killed or disturbed."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from mtsig.corpus.model import EvaluationSet
from mtsig.metrics.neural.store import ScoreStore
from mtsig.steps.evaluation_set import save
from neural_setup import OFFLINE, REPOSITORY
from tiny_comet import SENTENCES

WORDS = " ".join(SENTENCES).split()


@pytest.fixture(scope="module")
def counted(call, checkpoints, tmp_path_factory):
    return call("score_texts.py", checkpoints, tmp_path_factory.mktemp("store"))


def test_exactly_what_changed_is_computed(counted):
    """B70: a system, a hypothesis, the precision, the batches, the checkpoint."""
    assert counted["computed"] == {
        "first": 20,
        "again": 0,
        "a system more": 10,
        "one hypothesis changed": 1,
        "other precision": 20,
        "other batches": 20,
        "other checkpoint": 20,
        "the same checkpoint elsewhere": 0,
    }


def test_what_was_stored_changes_no_score(counted):
    scores = counted["scores"]
    assert scores["again"] == scores["first"]
    assert all(scores["a system more"][system] == scores["first"][system] for system in ("a", "b"))
    assert scores["other precision"] != scores["first"]
    assert scores["other checkpoint"] != scores["first"]


class Scorer:
    """Texts in files, and the process that scores them."""

    def __init__(self, folder: Path, python: str, model: Path, n_segments: int = 400) -> None:
        self.folder, self.python, self.model = folder, python, model
        rng = random.Random(2)
        texts = [[" ".join(rng.choices(WORDS, k=rng.randint(5, 25))) for _ in range(n_segments)] for _ in range(5)]
        evaluation = EvaluationSet(
            testset="demo",
            langpair="de-en",
            segment_ids=tuple(map(str, range(n_segments))),
            documents=(None,) * n_segments,
            domains=(None,) * n_segments,
            sources=tuple(texts[0]),
            references={"refA": tuple(texts[1])},
            systems={name: tuple(rows) for name, rows in zip("abc", texts[2:], strict=True)},
            findings=(),
        )
        save(evaluation, segments=folder / "segments.parquet", hypotheses=folder / "hypotheses.parquet")
        self.n_triples = 3 * n_segments

    def start(self, store: str, output: str, **settings: object) -> subprocess.Popen[str]:
        job = {
            "testset": "demo",
            "langpair": "de-en",
            "metric": "comet",
            "settings": {"model": str(self.model), "batch_size": 4, **settings},
            "missing": "error",
            "made_from": {},
        }
        runtime = {"devices": "cpu", "store": str(self.folder / store), "local_files_only": True, "threads": 1}
        inputs = [f"--{name}={self.folder / name}.parquet" for name in ("segments", "hypotheses")]
        outputs = [f"--scores={self.folder / output}.parquet", f"--notes={self.folder / output}.json"]
        return subprocess.Popen(
            [
                self.python,
                str(REPOSITORY / "scripts" / "comet_score.py"),
                *inputs,
                *outputs,
                f"--job={json.dumps(job)}",
                f"--runtime={json.dumps(runtime)}",
            ],
            env={**os.environ, **OFFLINE},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, store: str, output: str, **settings: object) -> tuple[int, str, str]:
        process = self.start(store, output, **settings)
        said, log = process.communicate(timeout=300)
        return process.returncode, said, log

    def scores(self, output: str):
        return pq.read_table(self.folder / f"{output}.parquet")


def computed(said: str) -> int:
    return int(re.search(r"^(\d+) of \d+ distinct triples computed", said, re.MULTILINE)[1])


@pytest.fixture(scope="module")
def scorer(comet_python, checkpoints, tmp_path_factory):
    return Scorer(tmp_path_factory.mktemp("scorer"), comet_python, checkpoints / "reference-based")


@pytest.fixture(scope="module")
def undisturbed(scorer):
    """What a run that nothing happens to gives; its store is left for other tests to copy."""
    status, said, log = scorer.run("whole.sqlite", "whole")
    assert status == 0, log
    assert computed(said) == scorer.n_triples
    return scorer.scores("whole")


def stored(path: Path) -> int:
    """Scores in a store, read beside the process that fills it."""
    try:
        with closing(sqlite3.connect(path)) as connection, connection:
            return connection.execute("SELECT count(*) FROM scores").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def test_a_killed_run_loses_its_last_batches_only(scorer, undisturbed):
    """B74: kill -9 on the way: no table, and what was computed is not computed again."""
    store = scorer.folder / "killed.sqlite"
    process = scorer.start(store.name, "killed")
    while not stored(store) and process.poll() is None:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    kept = stored(store)
    assert 0 < kept < scorer.n_triples
    assert not list(scorer.folder.glob("*killed*.parquet"))
    status, said, log = scorer.run(store.name, "killed")
    assert status == 0, log
    assert computed(said) == scorer.n_triples - kept
    assert scorer.scores("killed").equals(undisturbed, check_metadata=True)


def test_two_runs_at_once_agree(scorer, undisturbed):
    processes = [scorer.start("both.sqlite", name) for name in ("one", "other")]
    for process in processes:
        _, log = process.communicate(timeout=300)
        assert process.returncode == 0, log
    assert scorer.scores("one").equals(undisturbed)
    assert scorer.scores("other").equals(undisturbed)
    assert stored(scorer.folder / "both.sqlite") == scorer.n_triples


def test_a_truncated_store_is_set_aside(scorer, undisturbed):
    store = scorer.folder / "cut.sqlite"
    store.write_bytes((scorer.folder / "whole.sqlite").read_bytes()[:-20_000])
    status, said, log = scorer.run(store.name, "cut")
    assert status == 0, log
    assert "set aside" in said
    assert computed(said) == scorer.n_triples
    assert scorer.scores("cut").equals(undisturbed)
    with ScoreStore(store) as opened:
        assert opened.info().n_scores == scorer.n_triples


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"references": ["refX"]}, "metrics.comet: references: demo has no reference refX. It has: refA."),
        ({"model": "no/such/model.ckpt"}, "there is no checkpoint"),
        ({"model": "../ranking"}, "class_identifier is 'ranking_metric'"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(scorer, settings, message):
    if settings.get("model", "").startswith(".."):
        settings = {"model": str(scorer.model.parent / "ranking")}
    status, _, log = scorer.run("unused.sqlite", "refused", **settings)
    assert status == 1
    (line,) = [line for line in log.splitlines() if line.startswith("error: ")]
    assert line.startswith("error: metrics.comet: ")
    assert message in line
    assert "Traceback" not in log
    assert not list(scorer.folder.glob("*refused*"))
