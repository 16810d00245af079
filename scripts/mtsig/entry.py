"""Between Snakemake and the steps: the ten lines that every entry script would otherwise repeat.

Nothing of Snakemake is imported: the object that it hands to a script comes in as an argument.
"""

from __future__ import annotations

import contextlib
import inspect
import logging
import os
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from mtsig.errors import InputError, MtsigError
from mtsig.provenance import content_digest

__all__ = ["failures", "run"]

#: Parameters that only say when a job has to run again.
_DIGESTS = {"code", "packages"}
_MARK = "error: "
_INTERRUPTED = 130
_MOST_MESSAGES = 10


def run(step: Callable[..., None], snakemake: Any) -> None:
    """Call a step with a job's named inputs, outputs and parameters, and turn what goes wrong into one message.

    Parameters
    ----------
    step
        A function of `mtsig.steps`. It gets ``threads`` if it has such an argument. What it wrote is refused if the
        raw files in the parameter ``watched`` have another digest by now than when the run began.
    snakemake
        What Snakemake gives to a script: ``input``, ``output``, ``params``, ``log``, ``threads`` and ``rule``.

    Raises
    ------
    SystemExit
        With the message, after it was written to the job's log. An error that mtsig did not raise on purpose goes to
        the log with its traceback, or on to the caller where ``MTSIG_TRACEBACK`` is set.
    """
    log = Path(snakemake.log[0])
    # A full disk must not keep the message that says so from the terminal: a log is written as far as it can be.
    logging.raiseExceptions = False
    with contextlib.suppress(OSError):
        log.parent.mkdir(parents=True, exist_ok=True)
        logging.basicConfig(
            filename=log, filemode="w", level=logging.INFO, format="%(levelname)s %(message)s", force=True
        )
    logging.captureWarnings(True)
    warnings.simplefilter("default")
    arguments = {
        name: _plain(value)
        for group in (snakemake.input, snakemake.output, snakemake.params)
        for name, value in group.items()
        if name not in _DIGESTS
    }
    watched = arguments.pop("watched", None)
    if "threads" in inspect.signature(step).parameters:
        arguments["threads"] = snakemake.threads
    interrupts = _interrupts()
    try:
        step(**arguments)
        if watched is not None:
            _refuse_changed(**watched)
    except MtsigError as error:
        message = f"{_MARK}{error}"
        _note(log, message)
    except KeyboardInterrupt:
        # Snakemake was interrupted, too, and says so.
        sys.exit(_INTERRUPTED)
    except Exception as error:
        if interrupts:
            sys.exit(_INTERRUPTED)
        message = f"{_MARK}unexpected failure in {snakemake.rule} ({type(error).__name__}: {error}), see {log}"
        _note(log, message, traceback.format_exc())
        if os.environ.get("MTSIG_TRACEBACK"):
            raise
    else:
        return
    sys.exit(message)


def _interrupts() -> list[int]:
    """Every Ctrl-C from now on: an import that it hits may swallow the exception, and fail on something else later."""
    seen: list[int] = []

    def interrupt(number: int, frame: object) -> None:
        seen.append(number)
        raise KeyboardInterrupt

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, interrupt)
    return seen


def _refuse_changed(files: list[str], content: str) -> None:
    """Refuse files that are no longer what they were when the run began, and with them what was made of them."""
    if content_digest(files) != content:
        latest = max(map(Path, files), key=lambda path: path.stat().st_ctime if path.exists() else time.time())
        raise InputError(f"{latest}: was changed while the run read it, so nothing was made of it. Run again.")


def _plain(value: Any) -> Any:
    """Paths as texts, lists of paths as plain lists; everything else as it is."""
    if isinstance(value, str):
        return str(value)
    return (
        [str(item) for item in value] if isinstance(value, list) and all(isinstance(i, str) for i in value) else value
    )


def _note(log: Path, *texts: str) -> None:
    with contextlib.suppress(OSError), log.open("a", encoding="utf-8", errors="backslashreplace") as stream:
        stream.writelines(f"{text.rstrip()}\n" for text in texts)


def failures(logs: Iterable[str | os.PathLike[str]], since: float) -> str:
    """The messages of jobs that failed in this run, to be repeated at its end.

    Parameters
    ----------
    logs
        Log files or folders of them.
    since
        When the run started, as `time.time` gives it: older logs tell of other runs.

    Returns
    -------
    str
        One message per line; empty if no log holds one.

    Examples
    --------
    >>> failures([], since=0.0)
    ''
    """
    found: list[str] = []
    for start in map(Path, logs):
        for log in sorted(start.rglob("*.log")) if start.is_dir() else [start]:
            # Clocks of file systems may be coarser than the one that `since` was read from.
            if log.stat().st_mtime >= since - 1:
                lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
                found += [line for line in lines if line.startswith(_MARK)]
    messages = list(dict.fromkeys(found))
    if len(messages) > _MOST_MESSAGES:
        messages[_MOST_MESSAGES - 1 : -1] = [f"... and {len(messages) - _MOST_MESSAGES} more, see the logs"]
    return "\n".join(messages)
