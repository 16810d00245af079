"""Do all files of a test set have the same number of lines? If not: which one is off, and where.

Nothing is ever cut to the shortest: one missing line in the middle shifts everything after it, and every score from
there on would compare different sentences.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from mtsig.errors import InputError

__all__ = ["Part", "check_counts", "have_little_in_common", "suspicious_line"]


# What a break in the middle must gain over one at the end: about one pair of which one side is 1.6 times the other.
_CLEARLY = 0.5
# Files of so many lines are judged: those of one test set mismatch by a smaller share than this of what chance has.
_JUDGED, _ALIKE = 20, 0.8


@dataclass(frozen=True)
class Part:
    """One file's lines, and what to call it in messages."""

    label: str
    lines: Sequence[str | None]


def check_counts(parts: Sequence[Part]) -> int:
    """Check that all parts have the same number of lines, and give that number.

    Parameters
    ----------
    parts
        In the order source, references, documents, systems: the first is what the others are held against, unless
        it stands alone against all others.

    Raises
    ------
    InputError
        If a part has another number of lines (naming it, both numbers and the first suspicious line), or none has any.
    """
    counts = [len(part.lines) for part in parts]
    if not any(counts):
        raise InputError(f"{parts[0].label} has no lines; a test set needs at least one segment.")
    expected = counts[0]
    rivals = Counter(counts[1:])
    if len(counts) > 2 and len(rivals) == 1 and expected not in rivals:
        other = counts[1]
        raise InputError(_message(parts[0], parts[1], f"all {len(parts) - 1} other files have {other}"))
    wrong = [part for part, count in zip(parts, counts, strict=True) if count != expected]
    if wrong:
        rest = f" {len(wrong) - 1} more files differ as well." if len(wrong) > 1 else ""
        raise InputError(_message(wrong[0], parts[0], f"{parts[0].label} has {expected}") + rest)
    return expected


def _message(wrong: Part, right: Part, contrast: str) -> str:
    if have_little_in_common(wrong.lines, right.lines):
        return (
            f"{wrong.label} has {len(wrong.lines)} lines, but {contrast}, and their lines are no more alike in length "
            "than chance has it. They may belong to different test sets: check which files these are."
        )
    line = suspicious_line(wrong.lines, right.lines)
    return (
        f"{wrong.label} has {len(wrong.lines)} lines, but {contrast}. The first suspicious line is {line}: "
        f"{_shown(wrong.lines, line)}. Repair the file so that each line is one segment; nothing is cut."
    )


def _shown(lines: Sequence[str | None], line: int) -> str:
    if line > len(lines):
        return "the file ends before it"
    text = lines[line - 1] or ""
    return "it is blank" if not text.strip() else repr(text if len(text) <= 60 else text[:57] + "...")


def suspicious_line(lines: Sequence[str | None], expected: Sequence[str | None]) -> int:
    """The 1-based line at which `lines` most likely leaves step with `expected`.

    A blank line that has no blank counterpart gives itself away where there are too many lines. Else every line
    before the break is compared with its namesake and every line after it with the one that the surplus puts there,
    and the break with the best agreement of lengths wins (after the length model of Gale and Church 1993).

    Parameters
    ----------
    lines
        The lines of the file with the wrong number.
    expected
        Lines of a file with the right number, in any language.

    Examples
    --------
    >>> suspicious_line(["Ein Haus.", "", "Eine sehr lange Zeile.", "Ja."], ["A house.", "A very long line.", "Yes."])
    2
    """
    surplus = len(lines) - len(expected)
    blank = [not (text or "").strip() for text in lines]
    if surplus > 0:
        for row, is_blank in enumerate(blank):
            if is_blank and (row >= len(expected) or (expected[row] or "").strip()):
                return row + 1
    first = [len(text or "") for text in lines]
    second = [len(text or "") for text in expected]
    shorter = min(len(first), len(second))
    if not shorter:
        return 1
    scale = (sum(first) + 1) / (sum(second) + 1)
    in_step = [_mismatch(first[row], second[row], scale) for row in range(shorter)]
    shift = max(surplus, 0), max(-surplus, 0)
    shifted = [_mismatch(first[row + shift[0]], second[row + shift[1]], scale) for row in range(shorter)]
    cost = best = math.fsum(shifted)
    line = 1
    for row in range(shorter):
        cost += in_step[row] - shifted[row]
        if cost <= best + 1e-9:
            best, line = cost, row + 2
    # Most files that are off just end early or go on too long; a break elsewhere must be clearly better than that.
    return shorter + 1 if cost <= best + _CLEARLY else line


def have_little_in_common(lines: Sequence[str | None], others: Sequence[str | None]) -> bool:
    """Whether the lines of two files agree in length no better where they agree best than in the opposite order.

    Examples
    --------
    >>> texts, others = ["a" * (7 * n % 50 + 3) for n in range(60)], ["b" * (11 * n % 43) for n in range(60)]
    >>> have_little_in_common(texts[1:], texts), have_little_in_common(texts[30:], others)
    (False, True)
    """
    first, second = ([len(text or "") for text in part] for part in (lines, others))
    shorter, surplus = min(len(first), len(second)), len(first) - len(second)
    if shorter < _JUDGED:
        return False
    scale = (sum(first) + 1) / (sum(second) + 1)
    offset = max(surplus, 0), max(-surplus, 0)
    in_step = [_mismatch(first[row], second[row], scale) for row in range(shorter)]
    shifted = [_mismatch(first[row + offset[0]], second[row + offset[1]], scale) for row in range(shorter)]
    chance = math.fsum(_mismatch(first[row], second[shorter - 1 - row], scale) for row in range(shorter))
    # With the best break between them, lines before it in step and lines after it shifted.
    best = cost = math.fsum(shifted)
    for row in range(shorter):
        cost += in_step[row] - shifted[row]
        best = min(best, cost)
    return best > _ALIKE * chance


def _mismatch(length: int, counterpart: int, scale: float) -> float:
    """How ill two lengths fit: the absolute log ratio, bounded so that one odd pair does not decide."""
    return min(abs(math.log((length + 1) / (scale * counterpart + 1))), 2.0)
