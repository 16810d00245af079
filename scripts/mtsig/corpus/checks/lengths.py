"""Texts that are not there, or too long or too short."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from mtsig.corpus.checks.column import Column, listed, percent
from mtsig.corpus.model import Finding

__all__ = ["check_blank", "check_lengths"]

# A system whose total length is outside of this range, relative to the reference, gets a finding.
_SYSTEM_RANGE = (0.8, 1.25)
# It takes so much text to judge that.
_ENOUGH_CHARACTERS = 300
# A segment is odd where its length, relative to what the system's other segments suggest, is this many times off ...
_SEGMENT_FACTOR = 3.0
# ... and by at least so many characters.
_SEGMENT_CHARACTERS = 60

# Characters of no width, which do not make a text.
_INVISIBLE = " \u200b\u200e\u200f\u2060\ufeff"


def check_blank(column: Column) -> Iterator[Finding]:
    """Missing and blank texts, with their share."""
    n_segments = len(column.texts)
    kind = {"system": "hypotheses", "reference": "references", "source": "sources"}[column.role]
    missing = [row for row, text in enumerate(column.texts) if text is None]
    if missing:
        message = f"{percent(len(missing), n_segments)} {kind} are missing, {listed(missing)}. "
        advice = "Such segments are refused or left out, as the setting `missing` says."
        yield column.finding("warning", f"missing_{kind}", message + advice, missing[0])
    blank = [row for row, text in column.present if not _visible(text)]
    if blank:
        advice = {
            "system": "They count as empty output, which scores as such; nothing is put in their place.",
            "reference": "Scores against an empty reference mean little: complete the file, or mark them as missing.",
            "source": "Check the file.",
        }[column.role]
        message = f"{percent(len(blank), n_segments)} {kind} are blank, {listed(blank)}. {advice}"
        yield column.finding("warning", f"blank_{kind}", message, blank[0])


def check_lengths(columns: Sequence[Column]) -> Iterator[Finding]:
    """Systems and segments far shorter or longer than the reference (without one: than most other systems)."""
    lengths = {column: _lengths(column) for column in columns}
    systems = [column for column in columns if column.role == "system"]
    references = [column for column in columns if column.role == "reference"]
    # The first reference that has a text sets the length of each segment.
    expected = np.full(len(columns[0].texts), np.nan)
    for column in references:
        expected = np.where(np.isnan(expected), lengths[column], expected)
    what = "reference"
    if not references:
        if len(systems) < 3:
            return
        expected = np.median([lengths[column] for column in systems], axis=0)
        what = "middle system"
    odd = {}
    for column in systems:
        own = lengths[column]
        # Blank hypotheses have a finding of their own.
        both = ~np.isnan(own) & ~np.isnan(expected) & (own > 0) & (expected > 0)
        total = float(own[both].sum() / expected[both].sum()) if both.any() else 1.0
        enough = expected[both].sum() >= _ENOUGH_CHARACTERS
        if enough and not _SYSTEM_RANGE[0] <= total <= _SYSTEM_RANGE[1]:
            message = (
                f"the output has {total:.2f} times the characters of the {what}. Check for text that is cut off, "
                "repeated, or not a translation."
            )
            yield column.finding("warning", "length_ratio_system", message)
        ratio = np.divide(own, total * expected, out=np.ones_like(own), where=both)
        far = np.abs(own - total * expected) >= _SEGMENT_CHARACTERS
        odd[column] = both & far & ((ratio > _SEGMENT_FACTOR) | (ratio < 1 / _SEGMENT_FACTOR))
    yield from _odd_segments(odd, lengths, expected, references)


def _odd_segments(
    odd: dict[Column, NDArray[np.bool_]],
    lengths: dict[Column, NDArray[np.float64]],
    expected: NDArray[np.float64],
    references: Sequence[Column],
) -> Iterator[Finding]:
    """Segments of odd length; where most systems agree that one is odd, it is the reference that is."""
    crowd = np.zeros(len(expected), dtype=bool)
    if references and len(odd) >= 3:
        crowd = np.sum(list(odd.values()), axis=0) > len(odd) / 2
        if rows := np.flatnonzero(crowd).tolist():
            message = (
                f"{percent(len(rows), len(expected))} segments are over {_SEGMENT_FACTOR:.0f} times longer or shorter "
                f"than most systems suggest, {listed(rows)}. Look at the reference there."
            )
            yield references[0].finding("info", "length_ratio_segments", message, rows[0])
    for column, mask in odd.items():
        own = lengths[column]
        if rows := np.flatnonzero(mask & ~crowd).tolist():
            worst = max(rows, key=lambda row: max(own[row] / expected[row], expected[row] / own[row]))
            message = (
                f"{percent(len(rows), len(own))} segments are over {_SEGMENT_FACTOR:.0f} times longer or shorter than "
                f"expected, {listed(rows)}; the worst is line {worst + 1} with {own[worst]:.0f} characters for "
                f"{expected[worst]:.0f}. Look at them."
            )
            level = "warning" if len(rows) >= 0.01 * len(own) else "info"
            yield column.finding(level, "length_ratio_segments", message, rows[0])


def _visible(text: str) -> str:
    return text.strip(_INVISIBLE).strip()


def _lengths(column: Column) -> NDArray[np.float64]:
    """Characters per segment; NaN where missing."""
    return np.array([math.nan if text is None else len(_visible(text)) for text in column.texts], dtype=np.float64)
