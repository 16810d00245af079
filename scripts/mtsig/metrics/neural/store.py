"""The score store: neural scores by the digest of everything that determines them.

One SQLite file holds the scores of distinct (source, hypothesis, reference) triples. A key is the digest of a context
(package version, checkpoint, precision, device type, batch policy; see `context_digest`) and the three texts, so a
score is found again only where it would come out the same, and what the store happens to hold never changes a result.

The file uses SQLite's rollback journal and not its write-ahead log: home folders on clusters are often network
folders, where the log's shared memory does not work. Writers wait for each other; each addition is one transaction, so
a killed run loses only what it had not added. Each row carries a checksum over its key and its value, since SQLite
itself notices damage to its structure but not to the values. A file that SQLite calls damaged is set aside under
another name, and a new one is begun.

Only the standard library is needed here: the store is also opened by the scorer's own Python.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import sqlite3
import struct
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from mtsig.errors import ConfigError, UnavailableError

__all__ = ["Entry", "ScoreStore", "StoreInfo", "context_digest", "default_path", "triple_key"]

Result = TypeVar("Result")

# Marks the file as a score store ("mtss"), so that no other program's database is ever written to or moved away.
_APPLICATION = 0x6D747373
_LAYOUT = 1
_TABLES = """
CREATE TABLE IF NOT EXISTS contexts (
    context BLOB PRIMARY KEY, model TEXT NOT NULL, description TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS scores (
    key BLOB PRIMARY KEY, context BLOB NOT NULL, score REAL NOT NULL, extra TEXT NOT NULL, checksum BLOB NOT NULL
) WITHOUT ROWID;
"""
# SQLite's own limit on parameters is far higher in all versions that Python 3.11 is built with.
_LOOKUP = 500


@dataclass(frozen=True)
class Entry:
    """What is known of one triple: its score, and what else the model said as a JSON text (or nothing)."""

    score: float
    extra: str = ""


@dataclass(frozen=True)
class StoreInfo:
    """Size and contents of a store.

    Attributes
    ----------
    path
        The file.
    n_bytes
        Its size on disk.
    n_scores
        Number of scores.
    contexts
        (model, context as JSON, number of scores) of every context, sorted.
    set_aside
        Damaged files that were set aside beside it.
    """

    path: Path
    n_bytes: int
    n_scores: int
    contexts: tuple[tuple[str, str, int], ...]
    set_aside: tuple[Path, ...]


def default_path() -> Path:
    """The store in the user's cache folder: ``$XDG_CACHE_HOME/mtsig/scores.sqlite``, else under ``~/.cache``."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "mtsig" / "scores.sqlite"


def context_digest(context: Mapping[str, str]) -> bytes:
    """Digest of what a score depends on beside its texts.

    Parameters
    ----------
    context
        Name to value: package version, checkpoint, precision, and so on. The order does not matter.

    Examples
    --------
    >>> context_digest({"a": "1", "b": "2"}) == context_digest({"b": "2", "a": "1"})
    True
    """
    return hashlib.sha256(_describe(context).encode()).digest()


def _describe(context: Mapping[str, str]) -> str:
    return json.dumps(dict(context), sort_keys=True, ensure_ascii=False)


def triple_key(context: bytes, source: str | None, hypothesis: str, reference: str | None) -> bytes:
    """Key of one triple in one context; None stands for a text that the model does not read.

    Examples
    --------
    >>> context = context_digest({})
    >>> triple_key(context, "ab", "c", None) == triple_key(context, "a", "bc", None)
    False
    >>> triple_key(context, "a", "b", None) == triple_key(context, "a", "b", "")
    False
    """
    digest = hashlib.sha256(context)
    for text in (source, hypothesis, reference):
        # Lengths before texts: no two triples may run together into the same bytes.
        content = b"" if text is None else text.encode("utf-8", "surrogatepass")
        digest.update(struct.pack("<q", -1 if text is None else len(content)))
        digest.update(content)
    return digest.digest()


def _checksum(key: bytes, context: bytes, entry: Entry) -> bytes:
    packed = struct.pack("<d", entry.score)
    return hashlib.blake2b(key + context + packed + entry.extra.encode(), digest_size=8).digest()


class ScoreStore:
    """A store of neural scores in one SQLite file, safe for several processes at once.

    Parameters
    ----------
    path
        The file, or an existing folder in which it is ``scores.sqlite``. Made where it is missing.
    timeout
        Seconds to wait for another process that is writing.
    report
        Called with one line when something was wrong with the file; by default it goes to the standard error.

    Raises
    ------
    ConfigError
        If the file is something else than a score store.
    UnavailableError
        If it cannot be opened, or stays locked.

    Examples
    --------
    >>> import tempfile
    >>> with ScoreStore(tempfile.mkdtemp()) as store:
    ...     context = {"checkpoint": "sha256:0a1b", "precision": "fp32"}
    ...     key = triple_key(context_digest(context), "Hund", "dog", "dog")
    ...     store.add({key: Entry(0.75)}, context, model="tiny")
    ...     store.lookup([key])[key].score
    0.75
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        timeout: float = 120.0,
        report: Callable[[str], None] | None = None,
    ) -> None:
        path = Path(path).expanduser()
        self.path = path / "scores.sqlite" if path.is_dir() else path
        self._timeout = timeout
        self._report = report or (lambda line: print(line, file=sys.stderr))
        self._connection: sqlite3.Connection | None = None
        self._guarded(lambda _: None)

    def __enter__(self) -> ScoreStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; what was added is already in it."""
        if self._connection:
            self._connection.close()
            self._connection = None

    def lookup(self, keys: Iterable[bytes]) -> dict[bytes, Entry]:
        """Entries of those keys that the store knows.

        A row whose checksum does not fit is reported, removed, and counts as unknown.
        """
        wanted = list(dict.fromkeys(keys))
        found, broken = self._guarded(lambda connection: _read(connection, wanted))
        if broken:
            self._report(f"warning: {self.path}: {len(broken)} damaged scores were removed and are computed again.")
            self._guarded(lambda connection: _remove(connection, broken))
        return found

    def add(self, entries: Mapping[bytes, Entry], context: Mapping[str, str], *, model: str) -> None:
        """Add entries of one context, all of them or none.

        A key that is already there keeps its value: another process was faster, with the same result. The model's
        name is only a label: what the scores depend on is its checkpoint, which the context names.

        Raises
        ------
        ValueError
            If a score is not a finite number.
        """
        for entry in entries.values():
            if not math.isfinite(entry.score):
                raise ValueError(f"a score store holds finite numbers only, not {entry.score}")
        digest = context_digest(context)
        rows = [(key, digest, e.score, e.extra, _checksum(key, digest, e)) for key, e in entries.items()]
        self._guarded(lambda connection: _write(connection, rows, (digest, model, _describe(context))))

    def info(self) -> StoreInfo:
        """Size and contents."""
        counts = self._guarded(_count)
        return StoreInfo(
            path=self.path,
            n_bytes=self.path.stat().st_size,
            n_scores=sum(number for *_, number in counts),
            contexts=tuple(counts),
            set_aside=tuple(sorted(self.path.parent.glob(f"{self.path.name}.damaged-*"))),
        )

    def clear(self, *, model: str | None = None) -> int:
        """Remove all scores and damaged files that were set aside, or the scores of one model; give the space back.

        Returns
        -------
        int
            How many scores were removed.
        """
        removed = self._guarded(lambda connection: _clear(connection, model))
        self._guarded(lambda connection: connection.execute("VACUUM"))
        if model is None:
            for path in self.info().set_aside:
                path.unlink(missing_ok=True)
        return removed

    def _guarded(self, action: Callable[[sqlite3.Connection], Result]) -> Result:
        """Do something with the file; when that shows damage, set the file aside and do it with a new one."""
        try:
            return self._attempt(action)
        except sqlite3.DatabaseError as error:
            self._set_aside(str(error))
        try:
            return self._attempt(action)
        except sqlite3.DatabaseError as error:
            raise UnavailableError(f"neural.store: {self.path} cannot be used ({error}).") from None

    def _attempt(self, action: Callable[[sqlite3.Connection], Result]) -> Result:
        try:
            if self._connection is None:
                self._connection = self._open()
            return action(self._connection)
        except sqlite3.OperationalError as error:
            raise UnavailableError(
                f"neural.store: {self.path} cannot be used ({error}). Give the path of a file that can be written "
                f"as neural.store, or try again when no other run uses it."
            ) from None

    def _open(self) -> sqlite3.Connection:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UnavailableError(
                f"neural.store: the folder {self.path.parent} cannot be made ({error.strerror}). "
                f"Give the path of a file that can be written as neural.store."
            ) from None
        # Autocommit: transactions are begun by hand, where they are needed.
        connection = sqlite3.connect(self.path, timeout=self._timeout, isolation_level=None)
        try:
            _prepare(connection, self.path)
        except BaseException:
            connection.close()
            raise
        return connection

    def _set_aside(self, reason: str) -> None:
        """Move the damaged file out of the way, unless another process has already done so."""
        self.close()
        if not _looks_like_ours(self.path):
            raise ConfigError(
                f"neural.store: {self.path} is no score store ({reason}). Give the path of another file."
            ) from None
        with _lock(self.path.with_name(self.path.name + ".lock")):
            if not _is_damaged(self.path):
                return
            name = f"{self.path.name}.damaged-{time.time_ns()}"
            for suffix in ("", "-journal"):
                # The journal goes with its file: left behind, it would be played into the new one.
                with contextlib.suppress(FileNotFoundError):
                    self.path.with_name(self.path.name + suffix).rename(self.path.with_name(name + suffix))
        self._report(
            f"warning: the score store {self.path} is damaged ({reason}). It was set aside as {name}; "
            f"its scores are computed again."
        )


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Check that the file is a store or empty, and make its tables."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (layout,) = connection.execute("PRAGMA user_version").fetchone()
    if tables and (application, layout) != (_APPLICATION, _LAYOUT):
        raise ConfigError(
            f"neural.store: {path} is a database of another program or of another version of mtsig. "
            f"Give the path of another file."
        )
    if not tables:
        # One transaction, so that no other process ever sees a store without its marks.
        connection.executescript(
            f"BEGIN IMMEDIATE; PRAGMA application_id = {_APPLICATION}; PRAGMA user_version = {_LAYOUT};{_TABLES}COMMIT;"
        )


def _read(connection: sqlite3.Connection, keys: list[bytes]) -> tuple[dict[bytes, Entry], list[bytes]]:
    found: dict[bytes, Entry] = {}
    broken: list[bytes] = []
    for start in range(0, len(keys), _LOOKUP):
        part = keys[start : start + _LOOKUP]
        marks = ",".join("?" * len(part))
        query = f"SELECT key, context, score, extra, checksum FROM scores WHERE key IN ({marks})"
        for key, context, score, extra, checksum in connection.execute(query, part):
            if (
                isinstance(score, float)
                and isinstance(extra, str)
                and isinstance(context, bytes)
                and _checksum(key, context, Entry(score, extra)) == checksum
            ):
                found[key] = Entry(score, extra)
            else:
                broken.append(key)
    return found, broken


def _remove(connection: sqlite3.Connection, keys: list[bytes]) -> None:
    with _transaction(connection):
        connection.executemany("DELETE FROM scores WHERE key = ?", [(key,) for key in keys])


def _write(
    connection: sqlite3.Connection,
    rows: list[tuple[bytes, bytes, float, str, bytes]],
    context: tuple[bytes, str, str],
) -> None:
    with _transaction(connection):
        connection.execute("INSERT OR IGNORE INTO contexts VALUES (?, ?, ?)", context)
        connection.executemany("INSERT OR IGNORE INTO scores VALUES (?, ?, ?, ?, ?)", rows)


def _count(connection: sqlite3.Connection) -> list[tuple[str, str, int]]:
    query = (
        "SELECT model, description, count(*) FROM scores JOIN contexts USING (context) GROUP BY context ORDER BY 1, 2"
    )
    return connection.execute(query).fetchall()


def _clear(connection: sqlite3.Connection, model: str | None) -> int:
    contexts = connection.execute("SELECT context, model FROM contexts").fetchall()
    chosen = [context for context, name in contexts if model is None or name == model]
    removed = 0
    with _transaction(connection):
        for context in chosen:
            removed += connection.execute("DELETE FROM scores WHERE context = ?", (context,)).rowcount
            connection.execute("DELETE FROM contexts WHERE context = ?", (context,))
    return removed


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    # Immediate: two processes that both begin by reading could otherwise block each other for good.
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.rollback()
        raise
    connection.commit()


def _is_damaged(path: Path) -> bool:
    """Whether SQLite finds the file damaged; a missing file is not."""
    if not path.exists():
        return False
    connection = sqlite3.connect(path, timeout=120.0)
    try:
        return bool(connection.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",))
    except sqlite3.OperationalError:
        return False
    except sqlite3.DatabaseError:
        return True
    finally:
        connection.close()


def _looks_like_ours(path: Path) -> bool:
    """Whether a damaged file may be moved: one that is a database, or has a database's name."""
    try:
        with path.open("rb") as stream:
            begins = stream.read(16)
    except OSError:
        return True
    return begins == b"SQLite format 3\0" or path.suffix in (".sqlite", ".sqlite3", ".db")


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Hold a lock file, so that only one process sets a damaged store aside."""
    try:
        import fcntl
    except ImportError:  # Windows refuses to rename a file that another process has open, which serves as well.
        yield
        return
    with path.open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield
    # The lock file stays: removing it would let a third process lock another one of the same name.
