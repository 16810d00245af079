"""Which run works in a folder.

Snakemake locks a folder by files that stay behind when it is killed, and that do not say whose they are. Beside them a
run holds a lock of the operating system, which ends with the process however it ends, on a file that names the process.
"""

from __future__ import annotations

import fcntl
import json
import os
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import IO

__all__ = ["RunLock"]

_FILE = "mtsig-run.json"


@dataclass
class RunLock:
    """The lock of a working folder, taken if no other run has it.

    Attributes
    ----------
    taken
        Whether it was free; None where the file system has no such locks.
    process, host
        The run that has it, or the last one that had it; None if that is not known.
    """

    folder: Path
    taken: bool | None = None
    process: int | None = None
    host: str | None = None
    # Closed, and with that unlocked, when the process ends.
    _stream: IO[str] | None = None

    @classmethod
    def take(cls, folder: Path) -> RunLock:
        """Try to take the lock of a ``.snakemake`` folder; nothing is written.

        Examples
        --------
        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> first = RunLock.take(folder)
        >>> first.sign()
        >>> first.taken
        True
        >>> second = RunLock.take(folder)
        >>> second.taken, second.process == os.getpid()
        (False, True)
        >>> first.release()
        """
        lock = cls(folder)
        lock._try("r+")
        return lock

    def sign(self) -> None:
        """Write down whose lock it is: the run that works in the folder from now on."""
        if self._stream is None:
            self._try("a+")
        if self._stream is not None:
            self._stream.seek(0)
            self._stream.truncate()
            json.dump({"process": os.getpid(), "host": platform.node()}, self._stream)
            self._stream.flush()

    def release(self) -> None:
        """Let another process take it."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def left_by_a_killed_run(self) -> bool:
        """Whether no run works in the folder, and the last one that did was one of this machine."""
        return bool(self.taken) and self.host == platform.node()

    def explanation(self, unlock: str) -> str:
        """Why Snakemake finds the folder locked, and what to do; `unlock` is the command that unlocks it."""
        if self.taken is False:
            who = "" if self.process is None else f" (process {self.process} on {self.host})"
            return f"error: another run works in this folder{who}. Wait until it has ended, then run again."
        if self.left_by_a_killed_run():
            return (
                f"error: the last run in this folder (process {self.process}) was killed and left it locked. "
                f"Unlock it, then run again: {unlock}"
            )
        return (
            "error: this folder is locked, by a run on another machine or by one that was killed. "
            f"If no run works here, unlock it, then run again: {unlock}"
        )

    def _try(self, mode: str) -> None:
        try:
            stream = (self.folder / _FILE).open(mode, encoding="utf-8")
        except OSError:
            return
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.taken, self._stream = True, stream
        except BlockingIOError:
            self.taken = False
        except OSError:
            pass
        try:
            stream.seek(0)
            record = json.load(stream)
            self.process, self.host = record["process"], record["host"]
        except (ValueError, KeyError, TypeError):
            pass
        if self._stream is None:
            stream.close()
