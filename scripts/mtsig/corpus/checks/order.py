"""Lines in the wrong place: outputs that fit the references of other segments better than those of their own.

Both sides are in the target language, so words in common tell whether a hypothesis belongs to a reference. Only
segments that share next to nothing with their own reference are looked up elsewhere, which keeps a clean file cheap.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from mtsig.corpus.checks.column import Column, listed, percent
from mtsig.corpus.model import Finding

__all__ = ["check_order"]

Words = frozenset[str]

# Words in more segments than this share say nothing about which segment a text belongs to.
_COMMON_SHARE, _COMMON_FLOOR = 0.05, 3
# A text with fewer telling words cannot be placed.
_TELLING = 3
# Share of words in common: up to the first (of the shorter side) a text does not fit, from the second on (of the mean)
# it does.
_MISFIT, _FIT = 0.1, 0.4
# How many segments of a column are examined, how many misfits looked up, and how many of these must be found elsewhere.
_EXAMINED = 5000
_LOOKED_UP, _VOTES, _VOTE_SHARE = 400, 3, 0.3
# From this share of the found ones on, one offset is a shift of the file.
_ONE_OFFSET = 0.6
# A text of so many words, of which a smaller share than the first is known, is in another language, where the reference
# has so many different words and of usual texts more than the second share is known.
_WORDS, _FOREIGN, _KNOWN, _VOCABULARY, _SAMPLED = 6, 0.2, 0.5, 1000, 50


@dataclass(frozen=True)
class _Moves:
    """Where misfits of one column belong: (segment, better segment) each, and how many were looked up."""

    column: Column
    found: tuple[tuple[int, int], ...]
    looked_up: int

    def offset(self) -> int | None:
        """The one offset that most moves share, or None."""
        offset, count = Counter(better - row for row, better in self.found).most_common(1)[0]
        return offset if count >= _ONE_OFFSET * len(self.found) else None


def check_order(columns: Sequence[Column]) -> Iterator[Finding]:
    """Systems (or, where all systems say so, the reference) with shifted or shuffled lines."""
    systems = [column for column in columns if column.role == "system"]
    anchor = next((column for column in columns if column.role == "reference"), None)
    if anchor is None:
        # Without a reference, systems are held against each other.
        if len(systems) < 2:
            return
        anchor, systems = systems[0], systems[1:]
    index = _Index(anchor)
    moves = [found for column in systems if (found := index.moves(column)) is not None]
    moved = {found.column for found in moves}
    for column in systems:
        if column not in moved and (rows := index.foreign(column)):
            text = column.texts[rows[0]] or ""
            message = (
                f"{percent(len(rows), len(column.texts))} segments hold hardly a word of the language of the "
                f"{anchor.label}, {listed(rows)}: {text if len(text) <= 40 else text[:37] + '...'!r}. They may be in "
                "another language."
            )
            level = "warning" if len(rows) >= max(_VOTES, 0.01 * len(column.texts)) else "info"
            yield column.finding(level, "foreign_segments", message, rows[0])
    if len(systems) > 1 and len(moves) == len(systems) and len({found.offset() for found in moves}) == 1:
        offset = moves[0].offset()
        blamed = _Moves(anchor, tuple((better, row) for row, better in moves[0].found), moves[0].looked_up)
        yield _finding(blamed, f"all {len(systems)} systems", None if offset is None else -offset)
        return
    for found in moves:
        yield _finding(found, f"the {anchor.label}", found.offset())


def _finding(moves: _Moves, other: str, offset: int | None) -> Finding:
    rows = sorted(row for row, better in moves.found if offset is None or better - row == offset)
    better = dict(moves.found)
    evidence = f"{percent(len(moves.found), moves.looked_up)} segments that do not fit in place fit elsewhere"
    if offset is not None:
        where = f"{abs(offset)} line{'s' if abs(offset) > 1 else ''} {'further down' if offset > 0 else 'further up'}"
        message = (
            f"lines {rows[0] + 1} to {rows[-1] + 1} look shifted: they fit {other} {where} ({evidence}). Look for a "
            f"line that is lost or added before line {rows[0] + 1}."
        )
        return moves.column.finding("warning", "shifted_lines", message, rows[0])
    examples = ", ".join(f"line {row + 1} fits line {better[row] + 1}" for row in rows[:3])
    message = f"lines look shuffled against {other}: {examples} ({evidence}). Restore the order of the source."
    return moves.column.finding("warning", "shuffled_lines", message, rows[0])


class _Index:
    """The telling words of one column, and where each stands."""

    def __init__(self, column: Column) -> None:
        texts = [text or "" for text in column.texts]
        # Texts almost without spaces (Chinese, Japanese, Thai) are compared by pairs of characters.
        spaces, characters = sum(text.count(" ") for text in texts), sum(map(len, texts))
        self._by_characters = spaces < 0.05 * characters
        everything = [frozenset(self._words(text)) for text in texts]
        counts = Counter(chain.from_iterable(everything))
        limit = max(_COMMON_FLOOR, _COMMON_SHARE * len(texts))
        self._common = frozenset(word for word, count in counts.items() if count > limit)
        self._telling = [words - self._common for words in everything]
        self._vocabulary = frozenset(counts)
        #: By column, segments that share next to nothing with their own of this column, with their telling words.
        self.misfits: dict[Column, list[tuple[int, Words]]] = {}

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """Where each telling word stands; only misfits ask for it."""
        places: dict[str, list[int]] = {}
        for row, words in enumerate(self._telling):
            for word in words:
                places.setdefault(word, []).append(row)
        return places

    def _words(self, text: str) -> Iterable[str]:
        text = text.lower()
        return map(str.__add__, text, text[1:]) if self._by_characters else text.split()

    def moves(self, column: Column) -> _Moves | None:
        """Where the misfits of a column belong; None if they belong nowhere else."""
        misfits = self.misfits[column] = []
        present = column.present
        for row, text in present[:: max(1, len(present) // _EXAMINED)]:
            own = self._telling[row]
            shared = len(own.intersection(self._words(text)))
            if len(own) < _TELLING or shared > _MISFIT * len(own):
                continue  # as nearly all do: here a check is quick
            words = frozenset(self._words(text)) - self._common
            if len(words) >= _TELLING and shared <= _MISFIT * len(words):
                misfits.append((row, words))
        step = max(1, -(-len(misfits) // _LOOKED_UP))
        looked_up = misfits[::step]
        found = tuple((row, better) for row, words in looked_up if (better := self._better(words)) is not None)
        if len(found) < max(_VOTES, _VOTE_SHARE * len(looked_up)):
            return None
        return _Moves(column, found, len(looked_up))

    def foreign(self, column: Column) -> list[int]:
        """Of the misfits of a column those with hardly a word that this one ever has, where others have many."""
        if self._by_characters or len(self._vocabulary) < _VOCABULARY:
            return []
        rows = []
        for row, _ in self.misfits.get(column, ()):
            share = self._known(column.texts[row] or "")
            if share is not None and share < _FOREIGN:
                rows.append(row)
        # One output for many sources has a finding of its own.
        if not rows or len({column.texts[row] for row in rows}) < len(rows):
            return []
        present = column.present
        sampled = (self._known(text) for _, text in present[:: max(1, len(present) // _SAMPLED)])
        usual = sorted(share for share in sampled if share is not None)
        return rows if usual and usual[len(usual) // 2] >= _KNOWN else []

    def _known(self, text: str) -> float | None:
        """Share of a text's words that this column has anywhere; None of short texts."""
        words = set(self._words(text))
        return len(words & self._vocabulary) / len(words) if len(words) >= _WORDS else None

    def _better(self, words: Words) -> int | None:
        """The segment that has most in common with these words, of those that have enough."""
        shared: Counter[int] = Counter()
        for word in words:
            shared.update(self._places.get(word, ()))
        # The mean of both sizes, so that a short text does not fit all the long ones that contain it.
        fits = {
            row: 2 * count / (len(words) + len(self._telling[row]))
            for row, count in shared.items()
            if count >= _TELLING
        }
        best = max(fits, key=lambda row: (fits[row], -row), default=None)
        return best if best is not None and fits[best] >= _FIT else None
