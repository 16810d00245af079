"""Per-segment scores from files: what other tools wrote, joined with the systems and segments of an evaluation set.

Understood are mt-metrics-eval's ``.seg.score`` files, tables (tsv, csv, JSON lines, Parquet), the JSON of comet-score,
reports of mt-eval-harness, and plain files with one number per line.
"""

from __future__ import annotations

import difflib
import logging
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtsig.corpus.files import file_stem, uncompressed_name
from mtsig.corpus.model import EvaluationSet
from mtsig.corpus.reports import entry_value, report_of
from mtsig.corpus.tablefiles import TABLE_FORMATS, read_table_file, table_format
from mtsig.corpus.textfiles import read_json, read_lines
from mtsig.errors import ConfigError, InputError, visible

__all__ = ["Columns", "join_scores"]

_LOG = logging.getLogger(__name__)

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
# As many digits as a number of lines can have.
_POSITION = re.compile(r"[0-9]{1,18}", re.ASCII)
#: How tools write that there is no score, and that something went wrong.
_MISSING = frozenset({"", "none", "null", "nan", "na", "n/a"})
_INFINITE = frozenset({"inf", "-inf", "+inf", "infinity", "-infinity", "+infinity"})
#: Labels that a message names.
_SHOWN_LABELS = 5
_CHOOSE_ROWS = " If the file holds several language pairs or metrics, choose rows with `where: {COLUMN: VALUE}`."
#: Fields that hold the text that was scored.
_TEXT_FIELDS = ("mt", "hypothesis", "predicted")


@dataclass(frozen=True)
class Columns:
    """Which column or field holds what.

    Parameters
    ----------
    score
        The scores; dots lead into nested fields.
    system
        The systems' names; where a file has no such column, all its rows belong to the system it is named after.
    segment_id
        The segments' ids. None for ``segment_id`` where there is one, else for ``segment`` (0-based positions), else
        the rows of a system are its segments in order.
    where
        Column to the value, or list of values, of the rows that count; all rows where it is None.
    positive
        Where there are labels instead of numbers, that of an error: it counts -1, the other label 0. None for numbers.
    """

    score: str = "score"
    system: str = "system"
    segment_id: str | None = None
    where: Mapping[str, Any] | None = field(default=None, hash=False)
    positive: str | None = None


@dataclass(frozen=True)
class _Row:
    """One score, or the scores of all segments of one document."""

    place: str
    system: str
    value: Any
    segment_id: str | None = None
    position: int | None = None
    domain: str | None = None
    text: object = None
    may_be_unknown: bool = False


def join_scores(
    files: Mapping[str, Path], evaluation: EvaluationSet, columns: Columns | None = None
) -> dict[str, NDArray[np.float64]]:
    """Read score files and bring them in the order of an evaluation set.

    Parameters
    ----------
    files
        Name to file. The name is that of the system for files that do not name systems themselves.
    evaluation
        The systems and segments that scores are wanted for. Scores of other systems are left aside. Files cover the
        whole test set where this is a part of one.
    columns
        The names of columns, for files that have any.

    Returns
    -------
    dict
        System name to (n_segments,) scores. NaN where there is none: not rated, ``None``, NaN or infinite.

    Raises
    ------
    ConfigError
        If a column is missing.
    InputError
        If a score is no number, two scores claim one segment, an id is unknown, a system has another number of
        scores than there are segments, a file holds scores of other texts, or none holds scores of any system.
    """
    joiner = _Joiner(evaluation, None if columns is None else columns.positive)
    for name, path in files.items():
        for row in _rows(name, path, columns or Columns(), evaluation):
            joiner.add(row, path)
    return joiner.finish(files)


class _Joiner:
    """Puts scores into place, one row at a time."""

    def __init__(self, evaluation: EvaluationSet, positive: str | None) -> None:
        self._evaluation = evaluation
        self._positive = positive
        self._labels: dict[str, None] = {}
        whole = evaluation.whole
        self._rows = list(range(evaluation.n_segments) if whole is None else whole.rows)
        self._hypothesis_of = {row: position for position, row in enumerate(self._rows)}
        self._segment_ids = (whole or evaluation).segment_ids
        self._n_segments = len(self._segment_ids)
        self._segments = {name: row for row, name in enumerate(self._segment_ids)}
        self._documents: dict[str, list[int]] = {}
        labels = zip((whole or evaluation).domains, (whole or evaluation).documents, strict=True)
        for row, (domain, document) in enumerate(labels):
            if document is not None:
                self._documents.setdefault(document, []).append(row)
                if domain is not None:
                    self._documents.setdefault(f"{domain}\t{document}", []).append(row)
        self._scores = {name: np.full(self._n_segments, np.nan) for name in evaluation.systems}
        self._taken = {name: np.zeros(self._n_segments, dtype=bool) for name in evaluation.systems}
        self._next: dict[tuple[str, Path], int] = {}
        self._others: set[str] = set()
        self._infinite: list[str] = []

    def add(self, row: _Row, path: Path) -> None:
        if row.system not in self._scores:
            self._others.add(row.system)
            return
        values = row.value if isinstance(row.value, list) else [row.value]
        # A report's row for an entry that others lack has no place; everywhere else there are as many as values.
        for segment, value in zip(self._places(row, path, len(values)), values, strict=False):
            if segment >= self._n_segments:
                raise InputError(
                    f"{path}, {row.place}: system {row.system!r} has more scores than the test set has segments "
                    f"({self._n_segments})."
                )
            if self._taken[row.system][segment]:
                raise InputError(
                    f"{path}, {row.place}: system {row.system!r} has a second score for segment "
                    f"{self._segment_ids[segment]!r}.{_CHOOSE_ROWS}"
                )
            self._check_text(row, path, segment)
            self._taken[row.system][segment] = True
            if self._positive is not None:
                value = self._label_score(value)
            score = _number(value, f"{path}, {row.place}")
            if math.isinf(score):
                self._infinite.append(f"{path}, {row.place}")
                score = math.nan
            self._scores[row.system][segment] = score

    def _label_score(self, value: object) -> float | None:
        """-1 for the label of an error, 0 for the other one, None where there is none."""
        label = "" if value is None else str(value).strip()
        if label.lower() in _MISSING:
            return None
        self._labels[label] = None
        return -1.0 if label == self._positive else 0.0

    def _places(self, row: _Row, path: Path, n_values: int) -> list[int]:
        """The segments that a row's scores belong to."""
        if isinstance(row.value, list):
            if row.segment_id is None:
                raise InputError(
                    f"{path}, {row.place}: holds a list of scores, but not of which document. Name the column of "
                    "documents with `segment_id`."
                )
            key = row.segment_id
            found = self._documents.get(f"{row.domain}\t{key}") or self._documents.get(key)
            if found is None and key in self._segments:
                found = [self._segments[key]]
            if found is None:
                raise InputError(f"{path}, {row.place}: there is no document {key!r} in the test set.{_CHOOSE_ROWS}")
            if len(found) != n_values:
                raise InputError(
                    f"{path}, {row.place}: document {key!r} has {n_values} scores, but {len(found)} segments."
                )
            return found
        if row.segment_id is not None:
            if row.segment_id not in self._segments:
                if row.may_be_unknown:
                    return []
                raise InputError(
                    f"{path}, {row.place}: there is no segment {row.segment_id!r} in the test set.{_CHOOSE_ROWS}"
                )
            return [self._segments[row.segment_id]]
        if row.position is not None:
            return [row.position]
        count = self._next.get((row.system, path), 0)
        self._next[row.system, path] = count + 1
        return [count]

    def _check_text(self, row: _Row, path: Path, segment: int) -> None:
        if row.text is None or segment not in self._hypothesis_of:
            return
        hypothesis = self._evaluation.systems[row.system][self._hypothesis_of[segment]]
        if not isinstance(row.text, str) or row.text.strip() != (hypothesis or "").strip():
            raise InputError(
                f"{path}, {row.place}: was computed for another text than the output of system {row.system!r} on "
                f"segment {self._segment_ids[segment]!r}. Score the present output."
            )

    def finish(self, files: Mapping[str, Path]) -> dict[str, NDArray[np.float64]]:
        for (system, path), count in self._next.items():
            if count != self._n_segments:
                raise InputError(
                    f"{path}: system {system!r} has {count} scores, but the test set has "
                    f"{self._n_segments} segments. Scores without segment ids must cover all, in order."
                )
        paths = ", ".join(map(str, files.values()))
        if self._infinite:
            more = len(self._infinite) - 1
            _LOG.warning(
                "%s: the score is infinite%s. It counts as missing; see what went wrong there.",
                self._infinite[0],
                f" (and {more} more {'is' if more == 1 else 'are'})" if more else "",
            )
        self._tell_unmatched(paths, files)
        if self._positive is not None and (self._positive not in self._labels or len(self._labels) > 2):
            labels = ", ".join(map(visible, sorted(self._labels)[:_SHOWN_LABELS])) or "none"
            raise InputError(
                f"{paths}: `positive: {self._positive}` needs two labels, this one and another; there are {labels}."
            )
        if self._evaluation.whole is None:
            return self._scores
        return {name: scores[self._rows] for name, scores in self._scores.items()}

    def _tell_unmatched(self, paths: str, files: Mapping[str, Path]) -> None:
        """Name systems without scores and scores of unknown systems; refuse them where nothing fits at all."""
        without = sorted(name for name, taken in self._taken.items() if not taken.any())
        others = sorted(self._others)
        pairs = []
        for name in without:
            alike = [other for other in others if other.casefold() == name.casefold()]
            alike += difflib.get_close_matches(name, others, n=1)
            pairs += [f"{visible(name)} for {visible(alike[0])}"] if alike else []
        meant = f" Did you mean {', '.join(pairs)}?" if pairs else ""
        there = ", ".join(map(visible, others)) or "none"
        if without and len(without) == len(self._taken):
            raise InputError(
                f"{paths}: no scores of any system of the test set ({', '.join(map(visible, without))}); the systems "
                f"there: {there}.{meant} Call systems the same in both."
            )
        if without:
            missing = ", ".join(map(visible, without))
            _LOG.warning("%s: no scores of %s; other systems there: %s.%s", paths, missing, there, meant)
        elif given := sorted(self._others.intersection(files)):
            _LOG.warning("%s: the test set has no system %s.", paths, ", ".join(map(visible, given)))
        elif others:
            _LOG.info("%s: left aside the scores of %s", paths, there)


def _number(value: object, place: str) -> float:
    """A score; NaN where there is none, infinite where it says so.

    Negative zero is written for "no error" and becomes zero.
    """
    if value is None:
        return math.nan
    if isinstance(value, str):
        text = value.strip()
        if text.lower() in _MISSING:
            return math.nan
        if text.lower() in _INFINITE:
            return math.inf
        if not _NUMBER.fullmatch(text):
            raise InputError(
                f"{place}: {value!r} is no score. If these are labels, say which one means an error (`positive`)."
            )
        value = float(text)
    if not isinstance(value, int | float):
        raise InputError(f"{place}: {value!r} is no score.")
    try:
        number = float(value)
    except OverflowError:
        return math.inf
    return number + 0.0


def _rows(name: str, path: Path, columns: Columns, evaluation: EvaluationSet) -> Iterator[_Row]:
    """The scores of one file."""
    plain = uncompressed_name(path)
    if plain.endswith(".seg.score"):
        return _mtme_rows(path)
    if plain.endswith(".json"):
        return _json_rows(name, path, columns)
    if Path(plain).suffix[1:].lower() in TABLE_FORMATS:
        return _table_rows(name, path, columns, evaluation)
    return _plain_rows(name, path)


def _mtme_rows(path: Path) -> Iterator[_Row]:
    """``system<TAB>score``: all segments of one system in order, then those of the next."""
    for number, line in enumerate(read_lines(path), start=1):
        system, tab, score = line.partition("\t")
        if not tab or "\t" in score:
            raise InputError(f'{path}, line {number}: is not "system<TAB>score".')
        yield _Row(f"line {number}", system, score)


def _plain_rows(name: str, path: Path) -> Iterator[_Row]:
    """One number per line."""
    for number, line in enumerate(read_lines(path), start=1):
        yield _Row(f"line {number}", name, line)


def _table_rows(name: str, path: Path, columns: Columns, evaluation: EvaluationSet) -> Iterator[_Row]:
    """A row per system and segment; rows of other test sets and language pairs are passed over."""
    table = read_table_file(path, table_format(path)).where(columns.where, "where")
    scores = table.find(columns.score)
    if scores is None:
        raise ConfigError(
            f"score: {path} has no column {columns.score!r}. Its columns are {', '.join(map(repr, table.columns))}; "
            "name the one that holds the scores with `score`."
        )
    systems = table.ids(columns.system, "system") if columns.system in table.columns else [name] * table.n_rows
    ids, positions = _segment_cells(table.columns, columns)
    domains = table.columns.get("domain")
    text_field = next((field for field in _TEXT_FIELDS if field in table.columns), None)
    wanted = {"testset": evaluation.testset, "langpair": evaluation.langpair}
    labels = [(table.columns[key], value) for key, value in wanted.items() if key in table.columns]
    for row, place in enumerate(table.places):
        if any(cells[row] != value for cells, value in labels):
            continue
        yield _Row(
            place,
            systems[row],
            scores[row],
            segment_id=None if ids is None else str(ids[row]),
            position=None if positions is None else _position(positions[row], path, place),
            domain=None if domains is None else domains[row],
            text=None if text_field is None else table.columns[text_field][row],
        )


def _segment_cells(table: Mapping[str, list[Any]], columns: Columns) -> tuple[list[Any] | None, list[Any] | None]:
    """The column of segment ids, else that of 0-based positions; both None if there is neither."""
    if columns.segment_id is not None:
        if columns.segment_id not in table:
            raise ConfigError(
                f"segment_id: there is no column {columns.segment_id!r} among {', '.join(map(repr, table))}."
            )
        return table[columns.segment_id], None
    if "segment_id" in table:
        return table["segment_id"], None
    return None, table.get("segment")


def _position(cell: object, path: Path, place: str) -> int:
    if isinstance(cell, str) and _POSITION.fullmatch(cell):
        cell = int(cell)
    if isinstance(cell, bool) or not isinstance(cell, int) or cell < 0:
        raise InputError(f"{path}, {place}: the segment {cell!r} is no position (0 for the first segment).")
    return cell


def _json_rows(name: str, path: Path, columns: Columns) -> Iterator[_Row]:
    """What comet-score writes (file to list of segments), or a report of mt-eval-harness."""
    content = read_json(path)
    if isinstance(content, dict) and isinstance(content.get("entries"), list):
        for entry_id, entry in report_of(content, path).entries.items():
            text = None if entry.get("error") else entry.get("predicted")
            value = entry_value(entry, columns.score)
            yield _Row(f"entry {entry_id!r}", name, value, segment_id=entry_id, text=text, may_be_unknown=True)
        return
    if not isinstance(content, dict) or not all(isinstance(part, list) for part in content.values()):
        raise InputError(f"{path}: is neither what comet-score writes nor a report with `entries`.")
    for file, segments in content.items():
        # comet-score names its outputs by the files it was given.
        system = name if len(content) == 1 else file_stem(Path(file))
        for number, segment in enumerate(segments, start=1):
            place = f"{file!r}, entry {number}"
            if not isinstance(segment, dict):
                raise InputError(f"{path}, {place}: is no object with named fields.")
            field = next((field for field in (columns.score, "COMET") if field in segment), None)
            if field is None:
                raise ConfigError(f"score: {path}, {place} has no field {columns.score!r}; name it with `score`.")
            yield _Row(place, system, segment[field], text=segment.get("mt"))
