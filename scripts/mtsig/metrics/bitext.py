"""The bitext grid of Turian, Shen and Melamed (2003): hits, runs, and the matching that GTM scores.

The grid has the words of the references along one axis and those of the hypothesis along the other; a cell in which
the two words are equal is a *hit*, and a diagonal sequence of hits is a *run*. A matching chooses runs so that no row
and no column is used twice. GTM chooses greedily, the longest run first; that is a lower bound of the best matching
when long runs are rewarded, and exactly the size of the multiset intersection of the words when they are not.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["BitextGrid", "Run", "bitext_grid", "matching_size"]


@dataclass(frozen=True)
class Run:
    """A chosen diagonal run of the bitext grid.

    Attributes
    ----------
    hypothesis_start, reference_start
        Position of the first hit in the hypothesis and in the references written one after the other.
    length
        Number of hits that count. It is fractional where the cap (the shorter of the hypothesis and the mean
        reference) cuts the last run.
    """

    hypothesis_start: int
    reference_start: int
    length: float


@dataclass(frozen=True)
class BitextGrid:
    """Everything that the graphical reading of precision and recall shows.

    Attributes
    ----------
    hypothesis
        Tokens of the hypothesis.
    references
        Tokens of each reference.
    hits
        All cells with equal words, as (hypothesis position, position in the references written one after the other).
    runs
        The chosen runs, in the order in which they were chosen.
    """

    hypothesis: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    hits: tuple[tuple[int, int], ...]
    runs: tuple[Run, ...]

    def matching_size(self, exponent: float) -> float:
        """Size of the matching: the exponent-norm of the run lengths."""
        return _norm([run.length for run in self.runs], exponent)


def bitext_grid(hypothesis: str, references: Sequence[str]) -> BitextGrid:
    """Draw the bitext grid of a hypothesis against its references and choose the runs of the matching.

    Texts are split at whitespace and compared as they are (case matters). Runs do not cross from one reference into
    the next. Among runs of equal length the one that lies later in the hypothesis, then later in the references, is
    chosen first.

    Parameters
    ----------
    hypothesis
        Text of the hypothesis.
    references
        Texts of one or more references.

    Returns
    -------
    BitextGrid
        Tokens, hits and chosen runs.

    Examples
    --------
    >>> grid = bitext_grid("a b x c d", ["a b c d"])
    >>> grid.hits
    ((0, 0), (1, 1), (3, 2), (4, 3))
    >>> [(run.hypothesis_start, run.reference_start, run.length) for run in grid.runs]
    [(3, 2, 2), (0, 0, 2)]
    >>> grid.matching_size(1), round(grid.matching_size(2), 6)
    (4.0, 2.828427)
    """
    words, texts = hypothesis.split(), [reference.split() for reference in references]
    positions = _positions(texts)
    # Breaks between references are counted when runs are made, but they are no words: the grid's columns skip them.
    column = {
        place: index for index, place in enumerate(sorted(place for found in positions.values() for place in found))
    }
    hits = tuple((row, column[place]) for row, word in enumerate(words) for place in positions.get(word, ()))
    runs = tuple(Run(row, column[place], length) for row, place, length in _choose(words, texts, positions))
    return BitextGrid(tuple(words), tuple(map(tuple, texts)), hits, runs)


def matching_size(hypothesis: Sequence[str], references: Sequence[Sequence[str]], exponent: float) -> float:
    """Size of GTM's matching (the paper's MMS, its runs weighted by `exponent`).

    Parameters
    ----------
    hypothesis
        Tokens of the hypothesis.
    references
        Tokens of each reference.
    exponent
        At least 1. With 1 the order of words does not matter; the greater, the more long runs count.

    Returns
    -------
    float
        The exponent-norm of the chosen runs' lengths, between 0 and the cap (the length of the hypothesis or the mean
        length of the references, whichever is less).

    Examples
    --------
    >>> matching_size("a b c".split(), ["a b".split(), "a b c".split()], 1)
    2.5
    """
    if exponent == 1:
        # Every maximal matching takes min(count, count) of each word, so the runs need not be looked for.
        words: Counter[str] = Counter()
        for reference in references:
            words.update(reference)
        shared = sum((Counter(hypothesis) & words).values())
        return float(min(shared, _cap(hypothesis, references)))
    lengths = [length for _, _, length in _choose(hypothesis, references, _positions(references))]
    return _norm(lengths, exponent)


def _norm(lengths: Sequence[float], exponent: float) -> float:
    """Exponent-norm of run lengths; divided by the longest first, so that no power overflows."""
    if exponent == 1 or not lengths:
        return float(sum(lengths))
    longest = max(lengths)
    return float(longest * sum((length / longest) ** exponent for length in lengths) ** (1 / exponent))


def _cap(hypothesis: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """The most words that can count: the hypothesis or the mean reference, whichever is shorter."""
    mean = sum(map(len, references)) / len(references) if references else 0.0
    return min(len(hypothesis), mean)


def _positions(references: Sequence[Sequence[str]]) -> dict[str, list[int]]:
    """Where each word stands in the references written one after the other with a break between them."""
    positions: dict[str, list[int]] = defaultdict(list)
    place = 0
    for reference in references:
        for word in reference:
            positions[word].append(place)
            place += 1
        place += 1  # the break, which matches nothing
    return dict(positions)


def _choose(
    hypothesis: Sequence[str], references: Sequence[Sequence[str]], positions: dict[str, list[int]]
) -> list[tuple[int, int, float]]:
    """Runs in the order in which they are chosen, as (row, place, length); places count the breaks.

    GTM sorts all diagonal runs, sub-runs included, by length and then by position, and takes each that is still free.
    Here only maximal runs are kept; one that is found partly used is cut into its free pieces, which wait for their
    own length. A sub-run can only be chosen when its longer neighbours are used, so the choice is the same.
    """
    left = _cap(hypothesis, references)
    waiting = _maximal_runs(hypothesis, positions)
    used_rows = bytearray(len(hypothesis))
    used_places = bytearray(sum(map(len, references)) + len(references))
    chosen: list[tuple[int, int, float]] = []
    for length in range(max(waiting, default=0), 0, -1):
        for row, place in sorted(waiting.pop(length, ()), reverse=True):
            if left <= 0:
                return chosen
            rows, places = slice(row, row + length), slice(place, place + length)
            if 1 in used_rows[rows] or 1 in used_places[places]:
                for start, size in _free_pieces(used_rows[rows], used_places[places]):
                    waiting[size].append((row + start, place + start))
                continue
            counted = min(length, left)
            chosen.append((row, place, counted))
            left -= counted
            used_rows[rows] = used_places[places] = b"\x01" * length
    return chosen


def _maximal_runs(hypothesis: Sequence[str], positions: dict[str, list[int]]) -> dict[int, list[tuple[int, int]]]:
    """Start cells (row, place) of all diagonal runs that cannot be extended, by their length."""
    runs: dict[int, list[tuple[int, int]]] = defaultdict(list)
    open_runs: dict[int, int] = {}  # place of the last hit -> length, for the runs that end in the row above
    for row, word in enumerate(hypothesis):
        extended: dict[int, int] = {}
        for place in positions.get(word, ()):
            extended[place] = open_runs.pop(place - 1, 0) + 1
        for place, length in open_runs.items():
            runs[length].append((row - length, place - length + 1))
        open_runs = extended
    for place, length in open_runs.items():
        runs[length].append((len(hypothesis) - length, place - length + 1))
    return runs


def _free_pieces(rows: bytearray, places: bytearray) -> list[tuple[int, int]]:
    """(start, length) of the stretches in which neither row nor place is used."""
    pieces: list[tuple[int, int]] = []
    start = 0
    for cell, (row, place) in enumerate(zip(rows, places, strict=True)):
        if row or place:
            if cell > start:
                pieces.append((start, cell - start))
            start = cell + 1
    if len(rows) > start:
        pieces.append((start, len(rows) - start))
    return pieces
