"""Marks that tools leave in texts: tokenization, escapes, canaries, placeholders."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from mtsig.corpus.checks.column import Column, listed, percent
from mtsig.corpus.model import Finding

__all__ = ["check_placeholders", "check_tokenized"]

# Full stops and commas with a space before them (other marks have one in French), and all marks of scripts that never
# have one: Chinese, Japanese, Arabic.
_DETACHED = re.compile(r"\S [.,](?= |$)|\S [，。、；：？！؛،۔]")
_ATTACHED = re.compile(r"\S[.,](?= |$)|\S[，。、；：？！؛،۔]")
# Marks of subword and Moses tokenization.
_SUBWORDS = re.compile(r"@@ |@-@|\u2581|&apos;|&#9[13];")
_ESCAPES = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#x?[0-9a-fA-F]{2,6});")
# Each match of the others holds one of these.
_NEEDED = (" .", " ,", "@", "\u2581", "&")
# Marks of the scripts whose marks never have a space before them.
_MARKS = "，。、؛،۔"
# A column looks tokenized where at least so many segments, and this share of those with a full stop or comma, do.
_ENOUGH, _SHARE = 5, 0.4

_CANARY = re.compile(r"canary\s+guid", re.IGNORECASE)
_PLACEHOLDER = "NO TRANSLATION AVAILABLE"


def check_tokenized(columns: Sequence[Column]) -> Iterator[Finding]:
    """Texts with spaces before punctuation or subword marks, and texts with escaped characters."""
    for column in columns:
        joined = column.joined
        has_marks = any(mark in joined[:2000] for mark in _MARKS)
        spaced = [f" {mark}" for mark in _MARKS] if has_marks else []
        if not any(needed in joined for needed in (*_NEEDED, *spaced)):
            continue
        marked, detached, escaped = [], [], []
        for row, text in column.present:
            if "&" in text and _ESCAPES.search(text):
                escaped.append(row)
            if ("@" in text or "\u2581" in text or "&" in text) and _SUBWORDS.search(text):
                marked.append(row)
            if (" ." in text or " ," in text or any(mark in text for mark in spaced)) and _DETACHED.search(text):
                detached.append(row)
        if _are_many(detached, column) or len(marked) >= max(_ENOUGH, 0.05 * len(column.texts)):
            rows = detached if len(detached) >= len(marked) else marked
            message = (
                f"looks tokenized on {percent(len(rows), len(column.texts))} segments, {listed(rows)}. Scores of "
                "tokenized text are not comparable; detokenize it first."
            )
            yield column.finding("warning", "tokenized_text", message, rows[0])
        if escaped:
            message = (
                f"{percent(len(escaped), len(column.texts))} segments hold escapes such as &quot;, {listed(escaped)}. "
                "Undo them, if the text is not about markup."
            )
            yield column.finding("warning" if len(escaped) >= _ENOUGH else "info", "escaped_text", message, escaped[0])


def _are_many(detached: Sequence[int], column: Column) -> bool:
    """Whether full stops and commas stand apart so often that a tool must have done it."""
    if len(detached) < _ENOUGH:
        return False
    others = {row for row, text in column.present if _ATTACHED.search(text)}
    return len(detached) >= _SHARE * len(others.union(detached))


def check_placeholders(columns: Sequence[Column], segment_ids: Sequence[str]) -> Iterator[Finding]:
    """Lines that are no text of the test set."""
    canaries: set[int] = set()
    for column in columns:
        lowered = column.joined.lower()
        if "canary" in lowered:
            canaries.update(row for row, text in column.present if _CANARY.search(text))
        if _PLACEHOLDER.lower() not in lowered:
            continue
        rows = [row for row, text in column.present if text.strip().upper() == _PLACEHOLDER]
        if rows:
            message = (
                f"{percent(len(rows), len(column.texts))} segments read {_PLACEHOLDER}, {listed(rows)}. They stand for "
                f"missing texts: set `missing_text: {_PLACEHOLDER}`."
            )
            yield column.finding("warning", "no_translation_line", message, rows[0])
    if canaries:
        lines = sorted(canaries)
        message = (
            f"a benchmark canary stands on {listed(lines)}; it is no text to translate. Leave it out: "
            f"`without: {{segments: {json.dumps([segment_ids[row] for row in lines], ensure_ascii=False)}}}`."
        )
        yield Finding("warning", "canary_line", message, None, lines[0])
