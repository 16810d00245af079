"""From Snakemake's job to a step, and from a failure to one message."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import warnings
from types import SimpleNamespace

import pytest
from mtsig.entry import failures, run
from mtsig.errors import InputError
from mtsig.provenance import content_digest


@pytest.fixture(autouse=True)
def restored_logging():
    """`run` sets up the logging of a job's process; here that process goes on."""
    handlers, level, filters = logging.root.handlers[:], logging.root.level, warnings.filters[:]
    yield
    for handler in logging.root.handlers:
        if handler not in handlers:
            handler.close()
    logging.root.handlers[:] = handlers
    logging.root.setLevel(level)
    logging.captureWarnings(False)
    warnings.filters[:] = filters


@pytest.fixture
def job(tmp_path):
    """What Snakemake hands to a script."""
    return SimpleNamespace(
        input={"segments": "s.parquet", "systems": ["a.parquet", "b.parquet"]},
        output={"tables": ["t.csv"]},
        params={"settings": {"kind": "bleu"}, "code": "c", "packages": {}},
        log=[str(tmp_path / "logs" / "job.log")],
        threads=3,
        rule="score",
    )


def test_names_reach_the_step(job):
    """Inputs, outputs and params by name; digests stay behind; threads only where wanted."""
    calls = []
    run(lambda **arguments: calls.append(arguments), job)
    assert calls == [
        {
            "segments": "s.parquet",
            "systems": ["a.parquet", "b.parquet"],
            "tables": ["t.csv"],
            "settings": {"kind": "bleu"},
        }
    ]

    def step(*, threads: int, **others: object) -> None:
        calls.append(threads)

    run(step, job)
    assert calls[1] == 3


def test_log_messages_and_warnings_go_to_the_log(job, tmp_path):
    """Nothing else of a job is seen."""

    def step(**arguments: object) -> None:
        logging.getLogger("mtsig").info("half done")
        warnings.warn("look out", UserWarning, stacklevel=1)

    run(step, job)
    log = (tmp_path / "logs" / "job.log").read_text(encoding="utf-8")
    assert "INFO half done" in log
    assert "look out" in log


def test_expected_errors_become_one_message(job, tmp_path):
    """In the log and at the end of the job, without a traceback."""

    def step(**arguments: object) -> None:
        raise InputError("a.txt, line 3: bad. Mend it.")

    with pytest.raises(SystemExit) as caught:
        run(step, job)
    assert caught.value.code == "error: a.txt, line 3: bad. Mend it."
    log = tmp_path / "logs" / "job.log"
    assert log.read_text(encoding="utf-8") == "error: a.txt, line 3: bad. Mend it.\n"
    assert failures([tmp_path / "logs"], since=0.0) == "error: a.txt, line 3: bad. Mend it."


def test_unexpected_errors_keep_their_traceback_in_the_log(job, tmp_path, monkeypatch):
    """The message says where to look; the variable lets the traceback through."""

    def step(**arguments: object) -> None:
        raise ZeroDivisionError("oh")

    with pytest.raises(SystemExit, match=r"unexpected failure in score \(ZeroDivisionError: oh\), see .*job\.log"):
        run(step, job)
    log = (tmp_path / "logs" / "job.log").read_text(encoding="utf-8")
    assert log.startswith("error: unexpected failure in score")
    assert "Traceback" in log
    monkeypatch.setenv("MTSIG_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        run(step, job)


def test_a_file_that_changes_while_it_is_read_is_refused(job, tmp_path):
    """What a step made of another content than the run began with has no claim to that content's digest."""
    texts = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for path in texts:
        path.write_text("before", encoding="utf-8")
    job.params["watched"] = {"files": list(map(str, texts)), "content": content_digest(texts)}
    run(lambda **_: None, job)
    with pytest.raises(SystemExit, match=r"error: .*a\.txt: was changed while the run read it"):
        run(lambda **_: texts[0].write_text("after", encoding="utf-8"), job)


def test_a_log_that_cannot_be_written_hides_no_message(job, tmp_path):
    """As on a full disk: the message goes to the terminal all the same."""
    (tmp_path / "logs").write_text("a file in the way", encoding="utf-8")

    def step(**_: object) -> None:
        raise InputError("a.txt: bad.")

    with pytest.raises(SystemExit, match=r"error: a\.txt: bad\."):
        run(step, job)


def test_an_interrupted_step_leaves_quietly(job):
    """Snakemake, interrupted with it, says what happened."""

    def step(**_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(SystemExit) as left:
        run(step, job)
    assert left.value.code == 130


def test_an_interrupt_that_something_swallows_is_one_all_the_same(job, monkeypatch):
    """An import that is interrupted may go on, half done, and fail on something else."""
    monkeypatch.delenv("MTSIG_TRACEBACK", raising=False)
    before = signal.getsignal(signal.SIGINT)

    def step(**_: object) -> None:
        with contextlib.suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
        raise AttributeError("partially initialized module")

    with pytest.raises(SystemExit) as left:
        run(step, job)
    signal.signal(signal.SIGINT, before)
    assert left.value.code == 130


def test_failures_of_other_runs_are_left_out(tmp_path):
    """Older logs, logs without errors and files that are no logs say nothing."""
    for name, text in {"old.log": "error: old", "fine.log": "INFO error: none", "note.txt": "error: no log"}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    os.utime(tmp_path / "old.log", (1000, 1000))
    assert failures([tmp_path], since=2000.0) == ""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "new.log").write_text("error: new\nerror: new\n", encoding="utf-8")
    assert failures([tmp_path, tmp_path / "sub" / "new.log"], since=2000.0) == "error: new"


@pytest.mark.parametrize(("number", "lines"), [(10, 10), (11, 11), (40, 11)])
def test_many_failures_stay_short(tmp_path, number, lines):
    """Ten messages at most, and how many more there are; the last line is still one of what went wrong."""
    text = "".join(f"error: {place:02}\n" for place in range(number))
    (tmp_path / "run.log").write_text(text, encoding="utf-8")
    said = failures([tmp_path], since=0.0).split("\n")
    assert len(said) == lines
    assert (said[0], said[-1]) == ("error: 00", f"error: {number - 1:02}")
    assert (f"... and {number - 10} more, see the logs" in said) == (number > 10)
