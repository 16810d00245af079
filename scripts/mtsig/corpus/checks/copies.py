"""Texts that are the same where they should not be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mtsig.corpus.checks.column import Column, listed, percent
from mtsig.corpus.model import Finding

__all__ = ["check_copies", "check_duplicates", "check_post_edited", "numbered"]

# Outputs that agree on this share of segments are nearly identical.
_NEARLY = 0.9
# An output that equals source or reference on this share of the longer segments is a copy, and worth a note from the
# second share on.
_COPY, _NOTE = 0.5, 0.1
# A text has to be so long before equality with another says anything ("Yes." proves nothing).
_LONG, _LONG_WITHOUT_SPACES = 30, 12
# One hypothesis for so many different sources is a refusal or a collapse.
_REPEATED = 5
# A reference looks post-edited from a system that equals it on this share of long segments, this many times as often
# as any other system. Independent translations of WMT22 and 23 agree on 1 to 4 in 100; known post-edits on 11 to 18.
_EDITED_SHARE, _EDITED_FACTOR = 0.1, 1.5
_EDITED_SEGMENTS = 10


def numbered(columns: Sequence[Column]) -> dict[Column, NDArray[np.int64]]:
    """Every text of every column as a number; equal texts have equal numbers, missing ones differ."""
    numbers: dict[str, int] = {}
    found = {}
    for order, column in enumerate(columns):
        found[column] = np.array(
            [-1 - order if text is None else numbers.setdefault(text, len(numbers)) for text in column.texts],
            dtype=np.int64,
        )
    return found


def check_copies(columns: Sequence[Column], numbers: Mapping[Column, NDArray[np.int64]]) -> Iterator[Finding]:
    """Systems that equal each other, the source or a reference."""
    systems = [column for column in columns if column.role == "system"]
    for position, column in enumerate(systems):
        for other in systems[:position]:
            same = int((numbers[column] == numbers[other]).sum())
            if same == len(column.texts):
                message = f"the output is identical to that of {other.name}. If that is a mistake, replace one of them."
                yield column.finding("warning", "identical_outputs", message)
            elif same >= _NEARLY * len(column.texts):
                message = f"{percent(same, len(column.texts))} segments are identical to those of {other.name}."
                yield column.finding("info", "nearly_identical_outputs", message)
    for column in systems:
        for other in columns:
            if other.role != "system":
                yield from _copied(column, other, numbers)


def _copied(column: Column, other: Column, numbers: Mapping[Column, NDArray[np.int64]]) -> Iterator[Finding]:
    long = _long_segments(other)
    same = numbers[column] == numbers[other]
    if same.all():
        share, counted, total = 1.0, len(same), len(same)
    else:
        counted, total = int(same[long].sum()), len(long)
        share = counted / total if total >= _EDITED_SEGMENTS else 0.0
    code = f"system_equals_{other.role}"
    if share >= _COPY:
        what = (
            "the source is passed on untranslated" if other.role == "source" else "the reference is among the outputs"
        )
        message = f"equals the {other.label} on {percent(counted, total)} longer segments: {what}. Use `exclude` if so."
        yield column.finding("warning", code, message)
    elif share >= _NOTE and other.role == "source":
        first = int(long[same[long]][0])
        message = f"equals the source on {percent(counted, total)} longer segments, {listed([first])}: untranslated."
        yield column.finding("info", code, message, first)


def _long_segments(column: Column) -> NDArray[np.int64]:
    """Segments whose text is long enough for an equal one to be no accident."""
    return np.array(
        [row for row, text in column.present if len(text) >= (_LONG if " " in text else _LONG_WITHOUT_SPACES)],
        dtype=np.int64,
    )


def check_duplicates(columns: Sequence[Column], numbers: Mapping[Column, NDArray[np.int64]]) -> Iterator[Finding]:
    """Sources (without any: references) that occur more than once, and one output for many sources."""
    base = next((column for column in columns if column.role != "system"), None)
    if base is None:
        return
    values = numbers[base]
    present = np.array([row for row, _ in base.present], dtype=np.int64)
    _, first_rows = np.unique(values[present], return_index=True)
    again = np.delete(present, first_rows).tolist()
    if again:
        message = (
            f"{percent(len(again), len(values))} segments repeat an earlier one, {listed(again)}. Repetitions are "
            "not independent; consider `resample_unit: document`."
        )
        yield base.finding("info", "duplicated_segments", message, again[0])
    for column in columns:
        if column.role == "system":
            yield from _repeated(column, values)


def _repeated(column: Column, sources: NDArray[np.int64]) -> Iterator[Finding]:
    counts = Counter(text for text in column.texts if text and len(text.strip()) >= _LONG_WITHOUT_SPACES)
    for text, count in counts.most_common(1):
        if count < _REPEATED:
            return
        rows = [row for row, other in enumerate(column.texts) if other == text]
        different = len(np.unique(sources[rows]))
        if different >= max(_REPEATED, count / 2):
            shown = text if len(text) <= 40 else text[:37] + "..."
            message = (
                f"gives {shown!r} for {different} different segments, {listed(rows)}. It may be a refusal or an error "
                "message."
            )
            yield column.finding("warning", "repeated_hypothesis", message, rows[0])


def check_post_edited(columns: Sequence[Column], numbers: Mapping[Column, NDArray[np.int64]]) -> Iterator[Finding]:
    """References that equal one system's output far more often than any other's."""
    systems = [column for column in columns if column.role == "system"]
    for reference in columns:
        if reference.role != "reference" or len(systems) < 2:
            continue
        long = _long_segments(reference)
        if not len(long):
            continue
        same = {column.name: int((numbers[column] == numbers[reference])[long].sum()) for column in systems}
        names = sorted(same, key=lambda name: (-same[name], name))
        best, second = same[names[0]], same[names[1]]
        copied = best >= _COPY * len(long)  # then it is a copy, and has its finding
        if copied or best < max(_EDITED_SEGMENTS, _EDITED_SHARE * len(long)) or best < _EDITED_FACTOR * second:
            continue
        message = (
            f"equals the output of {names[0]} on {percent(best, len(long))} longer segments, that of the next system, "
            f"{names[1]}, on {percent(second, len(long))}. It may be post-edited from {names[0]}, whose scores are "
            "then too high; prefer another reference or leave that system out."
        )
        # It is the system whose scores are in doubt.
        yield replace(reference.finding("warning", "post_edited_reference", message), system=names[0])
