"""Texts that are the same where they should not be."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mtsig.corpus.checks.column import Column, listed, percent
from mtsig.corpus.model import Finding

__all__ = ["binomial_tail", "check_copies", "check_duplicates", "check_post_edited", "numbered"]

# Outputs that agree on this share of segments are nearly identical.
_NEARLY = 0.9
# An output that equals source or reference on this share of the longer segments is a copy, and worth a note from the
# second share on.
_COPY, _NOTE = 0.5, 0.1
# A text has to be so long before equality with another says anything ("Yes." proves nothing).
_LONG, _LONG_WITHOUT_SPACES = 30, 12
# One hypothesis for so many different sources is a refusal or a collapse.
_REPEATED = 5
# A reference may be post-edited from a system that equals it on this share of long segments and on so many, and is
# called so where chance would have it at this level at most. Independent translations of WMT22 and 23 agree on 1 to 4
# in 100; known post-edits on 11 to 18.
_EDITED_SHARE, _EDITED_SEGMENTS = 0.1, 10
_EDITED_LEVEL = 0.001
# It equals the reference so many times as often as any other system. Where it differs from the reference, others side
# with it in more than this share of the cases in which they side with one of the two: of references that people made or
# edited they do so in 20 to 98 in 100, of those that all outputs were made from, in 0 to 3.
_EDITED_FACTOR, _EDITED_WITH = 1.5, 0.1


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
    """References that equal one system's output more often than the other systems' agreement explains.

    A reference made without a system agrees with its output at most as often as other systems do. Where it agrees more
    often (a binomial test at `_EDITED_LEVEL`, for all systems together), the reference was made from the output, unless
    all outputs are near the reference, as with easy or simulated texts: then, where this system differs from it, others
    hardly ever side with the system. That they do is a second test at the same level.
    """
    systems = [column for column in columns if column.role == "system"]
    for reference in columns:
        if reference.role != "reference" or len(systems) < 2:
            continue
        long = _long_segments(reference)
        if not len(long):
            continue
        aims = numbers[reference][long]
        same = {column: int((numbers[column][long] == aims).sum()) for column in systems}
        best, second = sorted(systems, key=lambda column: (-same[column], column.name))[:2]
        copied = same[best] >= _COPY * len(long)  # then it is a copy, and has its finding
        if copied or same[best] < max(_EDITED_SEGMENTS, _EDITED_SHARE * len(long)):
            continue
        own = numbers[best][long]
        others = [numbers[column][long] for column in systems if column is not best]
        if same[best] < _EDITED_FACTOR * same[second]:
            continue
        expected = max(float(np.mean([(other == own).mean() for other in others])), same[second] / len(long))
        apart = own != aims
        with_system = int(np.any([other == own for other in others], axis=0)[apart].sum())
        with_reference = int(np.any([other == aims for other in others], axis=0)[apart].sum())
        level = _EDITED_LEVEL / len(systems)
        if binomial_tail(same[best], len(long), expected) > level:
            continue
        if binomial_tail(with_system, with_system + with_reference, _EDITED_WITH) > level:
            continue
        message = (
            f"equals the output of {best.name} on {percent(same[best], len(long))} longer segments, where other "
            f"systems' agreement predicts {100 * expected:.1f}%. It may be post-edited from {best.name}, whose scores "
            "are then too high; prefer another reference or leave that system out."
        )
        found = reference.finding("warning", "post_edited_reference", message)
        yield replace(found, system=best.name)


def binomial_tail(least: int, n: int, p: float) -> float:
    """Probability of at least so many successes in n trials.

    Examples
    --------
    >>> binomial_tail(2, 2, 0.5), binomial_tail(0, 5, 0.1), binomial_tail(1, 3, 0.0)
    (0.25, 1.0, 0.0)
    """
    if least <= 0:
        return 1.0
    if p <= 0:
        return 0.0
    if p >= 1:
        return 1.0
    constant = math.lgamma(n + 1)
    logs = [
        constant - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(p) + (n - k) * math.log1p(-p)
        for k in range(least, n + 1)
    ]
    return min(1.0, math.fsum(map(math.exp, logs)))
