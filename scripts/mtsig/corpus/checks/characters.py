"""What texts are spelled with: odd characters, Unicode forms, writing systems."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mtsig.corpus.checks.column import Column, listed, percent
from mtsig.corpus.checks.writing import RANGES, scripts_of
from mtsig.corpus.model import Finding

__all__ = ["Letters", "check_characters", "check_forms", "check_scripts"]

# Classes of code points. Scripts follow from _FIRST_SCRIPT on.
_SEPARATOR, _TAB, _CONTROL, _REPLACEMENT, _MARK = 1, 2, 3, 4, 5
_FIRST_SCRIPT = 8

# A column needs so many letters before its script is judged.
_ENOUGH_LETTERS = 40
# Below this share of letters in the right script a text is in the wrong one; product names alone do not get so far.
_SCRIPT_SHARE = 0.5


@lru_cache(maxsize=1)
def _classes() -> NDArray[np.uint8]:
    """Class of every code point."""
    table = np.zeros(0x110000, dtype=np.uint8)
    table[0x00:0x20] = table[0x7F:0xA0] = _CONTROL
    table[[0x0B, 0x0C, 0x0D, 0x1C, 0x1D, 0x1E, 0x85, 0x2028, 0x2029]] = _SEPARATOR
    table[0x09] = _TAB
    table[0x0A] = 0  # a line break inside a segment is reported by the reader that allows it
    table[0xFFFD] = _REPLACEMENT
    table[0xFEFF] = _MARK
    for number, ranges in enumerate(RANGES.values(), start=_FIRST_SCRIPT):
        for first, last in ranges:
            table[first : last + 1] = number
    return table


class Letters:
    """A column's characters by class, and by segment; only their counts are kept."""

    def __init__(self, column: Column) -> None:
        self._texts = column.texts
        self.counts = np.bincount(_classes()[self._codes()], minlength=_FIRST_SCRIPT + len(RANGES))

    def _codes(self) -> NDArray[np.uint32]:
        return np.frombuffer("".join(text or "" for text in self._texts).encode("utf-32-le"), dtype=np.uint32)

    def _ends(self) -> NDArray[np.int64]:
        return np.cumsum([len(text or "") for text in self._texts])

    def where(self, kind: int) -> tuple[list[int], str]:
        """Segments that hold characters of a class, and which characters these are."""
        codes = self._codes()
        places = np.flatnonzero(_classes()[codes] == kind)
        segments = np.unique(np.searchsorted(self._ends(), places, side="right"))
        shown = ", ".join(f"U+{code:04X}" for code in np.unique(codes[places])[:5])
        return segments.tolist(), shown

    def script_counts(self) -> dict[str, int]:
        """Script to number of letters."""
        return dict(zip(RANGES, self.counts[_FIRST_SCRIPT:].tolist(), strict=True))

    def segments_outside(self, scripts: Sequence[str]) -> list[int]:
        """Segments with enough letters of which too few are of the given scripts; none where no script is given."""
        if not scripts:
            return []
        numbers = [_FIRST_SCRIPT + list(RANGES).index(script) for script in scripts]
        if self.counts[numbers].sum() == self.counts[_FIRST_SCRIPT:].sum():
            return []
        is_right = np.zeros(len(self.counts), dtype=bool)
        is_right[numbers] = True
        kinds, ends = _classes()[self._codes()], self._ends()
        letters = _per_segment(kinds >= _FIRST_SCRIPT, ends)
        right = _per_segment(is_right[kinds], ends)
        return np.flatnonzero((letters >= _ENOUGH_LETTERS) & (right < _SCRIPT_SHARE * letters)).tolist()


def _per_segment(mask: NDArray[np.bool_], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many characters of each segment the mask marks."""
    totals = np.concatenate([[0], np.cumsum(mask, dtype=np.int64)])
    per_segment: NDArray[np.int64] = np.diff(totals[ends], prepend=0)
    return per_segment


_ODD = (
    (
        _SEPARATOR,
        "warning",
        "unusual_separators",
        "line separators that are not line feeds",
        "Other tools may split there",
    ),
    (_CONTROL, "warning", "control_characters", "control characters", "Remove them if they are not meant"),
    (
        _REPLACEMENT,
        "warning",
        "replacement_characters",
        "replacement characters",
        "The text was damaged by a wrong decoding",
    ),
    (_MARK, "warning", "byte_order_mark", "byte-order marks inside the text", "Remove them, they count as characters"),
    (_TAB, "info", "tabs_inside", "tabs", "Tab-separated files cannot hold them"),
)


def check_characters(column: Column, letters: Letters) -> Iterator[Finding]:
    """Characters that no translation should hold."""
    for kind, level, code, what, advice in _ODD:
        if letters.counts[kind]:
            segments, shown = letters.where(kind)
            message = f"{what} ({shown}) in {percent(len(segments), len(column.texts))} segments, {listed(segments)}. "
            yield column.finding(level, code, f"{message}{advice}.", segments[0])


@lru_cache(maxsize=1)
def _excluded() -> dict[int, str]:
    """Characters that Unicode always decomposes, such as U+09DF, which keyboards write: code point to NFC."""
    blocks = (*range(0x900, 0x1000), *range(0xFB1D, 0xFB50))
    return {code: form for code in blocks if (form := unicodedata.normalize("NFC", chr(code))) != chr(code)}


def check_forms(columns: Sequence[Column]) -> Iterator[Finding]:
    """Texts whose accents are spelled differently (Unicode normal forms), so that equal words do not match.

    Sources are matched with nothing. Characters that no normal form keeps count as NFC, unless some texts have them
    and others their parts.
    """
    found = []
    excluded = re.compile(f"[{''.join(map(chr, _excluded()))}]")
    parts = re.compile("|".join(sorted(set(_excluded().values()))))
    spelled = {}
    for column in columns:
        if column.role == "source":
            continue
        special = [(row, text) for row, text in column.present if not text.isascii()]
        loose = [row for row, text in special if not unicodedata.is_normalized("NFC", text)]
        if loose:
            kept = [row for row in loose if excluded.search(column.texts[row] or "")]
            plain = {row for row in kept if _is_nfc_but_for_excluded(column.texts[row] or "")}
            spelled[column] = sorted(plain)
            loose = [row for row in loose if row not in plain]
        found.append((column, len(special), loose))
    if any(spelled.values()):
        whole = [column for column, _, _ in found if any(parts.search(text) for _, text in column.present)]
        if whole:
            for column, rows in spelled.items():
                if rows and column not in whole:
                    yield _mixed(column, rows)
    if all(len(loose) == n_special for _, n_special, loose in found):
        return  # one form throughout
    for column, _, loose in found:
        if loose:
            yield _mixed(column, loose)


def _is_nfc_but_for_excluded(text: str) -> bool:
    return unicodedata.is_normalized("NFC", text.translate(_excluded()))


def _mixed(column: Column, rows: Sequence[int]) -> Finding:
    return column.finding(
        "warning",
        "mixed_unicode_forms",
        f"{percent(len(rows), len(column.texts))} segments are not in Unicode form NFC, {listed(rows)}, "
        "unlike other texts here. Words that look alike do not match; convert all files to NFC.",
        rows[0],
    )


def check_scripts(columns: Sequence[Column], letters: Sequence[Letters], langpair: str) -> Iterator[Finding]:
    """Texts in another writing system than their language has."""
    source, _, target = langpair.partition("-")
    references = Counter[str]()
    # Segments in which a reference keeps to the source, such as names of products.
    foreign: set[int] = set()
    for column, each in zip(columns, letters, strict=True):
        if column.role == "reference":
            references.update(each.script_counts())
            foreign.update(each.segments_outside(scripts_of(target)))
    for column, each in zip(columns, letters, strict=True):
        language = source if column.role == "source" else target
        scripts = scripts_of(language)
        if not scripts and column.role == "system" and references.total() >= _ENOUGH_LETTERS:
            scripts = (references.most_common(1)[0][0],)
        counts = each.script_counts()
        total = sum(counts.values())
        if not scripts or total < _ENOUGH_LETTERS:
            continue
        right = sum(counts[script] for script in scripts)
        if right < _SCRIPT_SHARE * total:
            found = max(counts, key=lambda script: counts[script])
            yield column.finding(
                "warning",
                "wrong_script",
                f"only {100 * right / total:.0f}% of the letters are {' or '.join(scripts)}, which {language!r} is "
                f"written in; most are {found}. Check langpair {langpair} and the file.",
            )
        elif column.role == "system" and (segments := sorted(set(each.segments_outside(scripts)) - foreign)):
            yield column.finding(
                "warning" if len(segments) >= 0.01 * len(column.texts) else "info",
                "wrong_script",
                f"{percent(len(segments), len(column.texts))} segments are mostly not in {' or '.join(scripts)} "
                f"letters, {listed(segments)}. They may be untranslated.",
                segments[0],
            )
