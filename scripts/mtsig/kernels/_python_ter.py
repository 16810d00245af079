"""Edits of the translation edit rate in Python: the twin of ter.h, with the same numbers by the same steps.

Rows of the distance matrix are bit vectors in Python's large integers, one bit per reference position. Why Tercom's
beam can be left out where it is, and why some shifts need not be tried, is proved in ter.h.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["ter_edits", "ter_statistics"]

MAX_SHIFT_SIZE = 10
MAX_SHIFT_DISTANCE = 50
BEAM_WIDTH = 25
MAX_SHIFT_CANDIDATES = 1000
_INFINITE = 1 << 60


def ter_statistics(references: Sequence[str], hypotheses: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """Sufficient statistics of TER for a block of segments with one reference each.

    Parameters
    ----------
    references
        One reference per segment; words are what whitespace separates.
    hypotheses
        The hypotheses of each system, one per segment.

    Returns
    -------
    numpy.ndarray
        Shape (n_systems, n_segments, 2): edits, reference length.

    Examples
    --------
    >>> ter_statistics(["a b c d e"], [["c d e a b"], ["a b x"]])
    array([[[1., 5.]],
           [[3., 5.]]])
    """
    out = np.empty((len(hypotheses), len(references), 2))
    for segment, reference in enumerate(references):
        target = _Reference(reference.split())
        for system, texts in enumerate(hypotheses):
            out[system, segment] = ter_edits(texts[segment].split(), target), len(target.words)
    return out


class _Reference:
    """The words of a reference, and where each stands: as bits of an integer and as a list of positions."""

    def __init__(self, words: list[str]) -> None:
        self.words = words
        self.counts = Counter(words)
        self.masks: dict[str, int] = {}
        self.positions: dict[str, list[int]] = {}
        for position, word in enumerate(words):
            self.masks[word] = self.masks.get(word, 0) | 1 << position
            self.positions.setdefault(word, []).append(position)


@dataclass(frozen=True)
class _Shift:
    gain: int
    length: int
    start: int
    target: int
    words: list[str]

    def rank(self) -> tuple[int, int, int, int]:
        """Tercom's order of shifts: largest gain, then longest run, then first start, then first target."""
        return self.gain, self.length, -self.start, -self.target


def ter_edits(hypothesis: list[str], reference: _Reference) -> int:
    """Number of edits and block shifts that sacreBLEU's port of Tercom finds."""
    if not hypothesis or not reference.words:
        return max(len(hypothesis), len(reference.words))
    search = _Search(hypothesis, reference)
    # No order of the words is closer than this: common words can match at best, all others are errors.
    common = (Counter(hypothesis) & reference.counts).total()
    least = max(len(hypothesis), len(reference.words)) - common
    n_shifts, changed = 0, 0
    while True:
        distance = search.update(changed)
        if distance == least:
            return n_shifts + distance
        best = search.find_best_shift()
        # Past the limit sacreBLEU gives up before it makes the best shift.
        if best is None or search.n_candidates >= MAX_SHIFT_CANDIDATES:
            return n_shifts + distance
        n_shifts += 1
        changed = _first_difference(search.words, best.words)
        search.words = best.words


def _first_difference(a: list[str], b: list[str]) -> int:
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x != y), len(a))


class _Search:
    """The state of one search: the hypothesis at hand, its distance matrix and its alignment."""

    def __init__(self, words: list[str], reference: _Reference) -> None:
        self.words = words
        self.reference = reference
        self.n_candidates = 0
        self.distance = self.vector_distance = 0
        n_hyp, self.n_ref = len(words), len(reference.words)
        self.all_columns = (1 << self.n_ref) - 1
        # Row i of the matrix: where it rises and falls by one from a column to the next, and its last column. From
        # row 1 on: where it equals the row above at the column before, and is one larger than it at the same column.
        self.plus, self.minus, self.cost = (
            [self.all_columns] * (n_hyp + 1),
            [0] * (n_hyp + 1),
            [self.n_ref] * (n_hyp + 1),
        )
        self.same, self.up = [0] * (n_hyp + 1), [0] * (n_hyp + 1)
        # The beam matters only for distances above this limit.
        self.limit = max(24, 48 - abs(self.n_ref - n_hyp)) if self.n_ref > 24 else _INFINITE
        self.band: _Band | None = None
        self.alignment, self.ref_error, self.hyp_error = [0] * self.n_ref, [False] * self.n_ref, [False] * n_hyp

    def update(self, first_row: int) -> int:
        """Redo the matrix from the first changed word on, and the alignment; returns the distance."""
        plus, minus, cost = self.plus[first_row], self.minus[first_row], self.cost[first_row]
        for i in range(first_row, len(self.words)):
            plus, minus, cost, same, up = self._next_row(self.words[i], plus, minus, cost)
            self.plus[i + 1], self.minus[i + 1], self.cost[i + 1] = plus, minus, cost
            self.same[i + 1], self.up[i + 1] = same, up
        self.distance = self.vector_distance = self.cost[-1]
        self.band = None
        if self.distance > self.limit:
            self.band = _Band(self.words, self.reference.words)
            self.distance = self.band.distance
        self._align()
        return self.distance

    def _distance_of(self, words: list[str], row: int) -> int:
        """Distance without the beam of `words`, which begin with the first `row` words of the hypothesis."""
        plus, minus, cost = self.plus[row], self.minus[row], self.cost[row]
        for word in words[row:]:
            plus, minus, cost, _, _ = self._next_row(word, plus, minus, cost)
        return cost

    def _next_row(self, word: str, plus: int, minus: int, cost: int) -> tuple[int, int, int, int, int]:
        """The row of the matrix below one given by `plus`, `minus` and `cost`; then its `same` and `up`."""
        columns, last = self.all_columns, 1 << (self.n_ref - 1)
        x = self.reference.masks.get(word, 0) | minus
        diagonal = (((x & plus) + plus) ^ plus | x) & columns
        rise, fall = (minus | ~(plus | diagonal)) & columns, plus & diagonal
        if rise & last:
            cost += 1
        elif fall & last:
            cost -= 1
        rise_shifted = (rise << 1 | 1) & columns
        plus, minus = (fall << 1 | ~(diagonal | rise_shifted)) & columns, diagonal & rise_shifted
        return plus, minus, cost, diagonal, rise

    def _align(self) -> None:
        """Follow the cheapest path back and note which words it aligns and which it calls errors."""
        i, j = len(self.words), self.n_ref
        while i or j:
            lacking, extra, error = self._last_edit(i, j)
            if not lacking:
                i -= 1
                self.hyp_error[i] = error
            if not extra:
                j -= 1
                self.ref_error[j] = error
                self.alignment[j] = i - 1 if lacking else i

    def _last_edit(self, i: int, j: int) -> tuple[bool, bool, bool]:
        """The last edit of the cheapest way to cell (i, j): lacks a word, has an extra word, is an error."""
        if not i or not j:
            return not i, bool(i), True
        equal = self.words[i - 1] == self.reference.words[j - 1]
        if self.band is not None:
            cost = self.band.cost(i, j)
            if self.band.cost(i - 1, j - 1) + (not equal) == cost:
                return False, False, not equal
            extra = self.band.cost(i - 1, j) + 1 == cost
        else:
            if equal or not self.same[i] >> (j - 1) & 1:
                return False, False, not equal
            extra = bool(self.up[i] >> (j - 1) & 1)
        return not extra, extra, True

    def find_best_shift(self) -> _Shift | None:
        """The best shift of those that Tercom would try, if one lowers the distance."""
        best: _Shift | None = None
        for length, start, targets in self._candidates():
            for target in targets:
                self.n_candidates += 1
                best = self._better(best, length, start, target)
            if self.n_candidates >= MAX_SHIFT_CANDIDATES:
                break
        return best

    def _candidates(self) -> Iterator[tuple[int, int, list[int]]]:
        """Runs of words to be shifted, as (length, start), each with the words before which it is to be inserted."""
        words, ref_words, alignment = self.words, self.reference.words, self.alignment
        for start, word in enumerate(words):
            for at in self.reference.positions.get(word, ()):
                if abs(at - start) > MAX_SHIFT_DISTANCE:
                    continue
                hyp_errors = ref_errors = False
                for n in range(min(MAX_SHIFT_SIZE, len(words) - start, self.n_ref - at)):
                    if words[start + n] != ref_words[at + n]:
                        break
                    hyp_errors |= self.hyp_error[start + n]
                    ref_errors |= self.ref_error[at + n]
                    if not (hyp_errors and ref_errors) or start <= alignment[at] <= start + n:
                        continue
                    places = range(at - 1, min(at + n + 1, self.n_ref))
                    targets = [0 if place < 0 else alignment[place] + 1 for place in places]
                    yield n + 1, start, [t for i, t in enumerate(targets) if i == 0 or t != targets[i - 1]]

    def _better(self, best: _Shift | None, length: int, start: int, target: int) -> _Shift | None:
        """The better one of `best` and the shift of that run to before that word."""
        begin, end = start, start + length  # the stretch of words that the shift rearranges
        if target < start:
            begin, passed = target, start - target
        else:
            end = min(target if target > end else target + length, len(self.words))
            passed = end - start - length
        gain = self.distance - self.vector_distance + 2 * min(length, passed)
        bar = best.rank() if best else (1, 0, 0, 0)
        if (gain, length, -start, -target) < bar:
            return best
        words = list(self.words)
        if target < start:
            words[begin:end] = words[start:end] + words[begin:start]
        else:
            words[begin:end] = words[start + length : end] + words[start : start + length]
        row = _first_difference(self.words, words)
        gain = self.distance - self._distance_of(words, row)
        if self.band is not None and (gain, length, -start, -target) > bar:
            gain = self.distance - self.band.distance_of(words, row)
        shift = _Shift(gain, length, start, target, words)
        return shift if shift.rank() > bar else best


class _Band:
    """The distance matrix within Tercom's beam around the diagonal; what lies outside costs infinitely much."""

    def __init__(self, words: list[str], reference: list[str]) -> None:
        self.reference = reference
        n_hyp, n_ref = len(words), len(reference)
        ratio = n_ref / n_hyp
        width = math.ceil(ratio / 2 + BEAM_WIDTH) if ratio / 2 > BEAM_WIDTH else BEAM_WIDTH
        middles = [math.floor(i * ratio) for i in range(n_hyp + 1)]
        self.lows = [0, *(max(0, middle - width) for middle in middles[1:])]
        self.highs = [n_ref + 1, *(min(n_ref + 1, middle + width) for middle in middles[1:-1]), n_ref + 1]
        self.rows = [list(range(n_ref + 1))]
        for i, word in enumerate(words):
            self.rows.append(self._next_row(i + 1, word, self.rows[i]))
        self.distance = self.rows[-1][-1]

    def _next_row(self, i: int, word: str, above: list[int]) -> list[int]:
        """Row i below `above`; both hold the columns from their `lows` on."""
        low, low_above = self.lows[i], self.lows[i - 1]
        row = []
        left = _INFINITE
        diagonal = above[low - 1 - low_above] if low > low_above else _INFINITE
        for j in range(low, self.highs[i]):
            over = above[j - low_above] if j - low_above < len(above) else _INFINITE
            best = (over if over < left else left) + 1
            if j:
                if word != self.reference[j - 1]:
                    diagonal += 1
                best = min(best, diagonal)
            row.append(best)
            left, diagonal = best, over
        return row

    def cost(self, i: int, j: int) -> int:
        """Cell (i, j)."""
        return self.rows[i][j - self.lows[i]] if self.lows[i] <= j < self.highs[i] else _INFINITE

    def distance_of(self, words: list[str], first_row: int) -> int:
        """Distance of `words`, which begin with the first `first_row` words of the hypothesis."""
        row = self.rows[first_row]
        for i in range(first_row, len(words)):
            row = self._next_row(i + 1, words[i], row)
        return row[-1]
