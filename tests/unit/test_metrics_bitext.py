"""The greedy run matching of GTM: the answers of the original Java program, and properties of the matching."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mtsig.metrics.bitext import bitext_grid, matching_size

WORDS = st.lists(st.sampled_from("abcd"), max_size=9)

# hypothesis, references, exponent, sum of powered run lengths: as the original GTM 1.4 gives them.
TABLE = [
    ("a b c d", ["a b c d"], 1, 4),
    ("a b c d", ["a b c d"], 2, 16),
    ("d c b a", ["a b c d"], 1, 4),
    ("d c b a", ["a b c d"], 2, 4),
    ("a b x c d", ["a b c d"], 1, 4),
    ("a b x c d", ["a b c d"], 2, 8),
    ("x y z", ["a b c"], 1, 0),
    ("x y z", ["a b c"], 2, 0),
    ("", ["a b"], 1, 0),
    ("", ["a b"], 2, 0),
    ("a a a", ["a"], 1, 1),
    ("a a a", ["a"], 2, 1),
    ("the cat the cat", ["the cat"], 1, 2),
    ("the cat the cat", ["the cat"], 2, 4),
    ("The Cat sat", ["the cat sat"], 1, 1),
    ("The Cat sat", ["the cat sat"], 2, 1),
    ("a b c d", ["a b x y", "p q c d"], 1, 4),
    ("a b c d", ["a b x y", "p q c d"], 2, 8),
    ("a b c d e", ["a b c", "a b c d e f g"], 1, 5),
    ("a b c d e", ["a b c", "a b c d e f g"], 2, 25),
    ("a b c", ["a", "a b c"], 1, 2),
    ("a b c", ["a", "a b c"], 2, 4),
    ("a b c", ["a b", "a b c"], 1, 2.5),
    ("a b c", ["a b", "a b c"], 2, 6.25),
    ("b c", ["a b", "c d"], 1, 2),
    ("b c", ["a b", "c d"], 2, 2),
    ("d b c a b c", ["a b b c"], 2, 6),
    ("c b a c b b", ["b b b c b c"], 2, 9),
    ("b b b c b c", ["c b a c b b"], 2, 7),
]


@pytest.mark.parametrize(("hypothesis", "references", "exponent", "total"), TABLE)
def test_matching_is_that_of_the_original_program(
    hypothesis: str, references: list[str], exponent: float, total: float
) -> None:
    size = matching_size(hypothesis.split(), [text.split() for text in references], exponent)
    assert size == pytest.approx(total ** (1 / exponent), abs=1e-12)
    assert bitext_grid(hypothesis, references).matching_size(exponent) == pytest.approx(size, abs=1e-12)


@pytest.mark.parametrize(("exponent", "total"), [(1, 7), (1.5, 11.828427), (2, 21), (3, 73)])
def test_figure_1_of_the_paper(exponent: float, total: float) -> None:
    """The example grid: runs of 4, 2 and 1 words when the hypothesis is read upward from the origin."""
    grid = bitext_grid("H C B A I C D E", ["A B C D E F B A I C"])
    assert [run.length for run in grid.runs] == [4, 2, 1]
    assert grid.matching_size(exponent) == pytest.approx(total ** (1 / exponent), abs=1e-6)


def test_figure_1_read_downward_has_other_runs_but_the_same_words() -> None:
    grid = bitext_grid("E D C I A B C H", ["A B C D E F B A I C"])
    assert grid.matching_size(1) == 7
    assert grid.matching_size(2) == pytest.approx(3.605551, abs=1e-6)


def test_hits_are_the_cells_with_equal_words() -> None:
    grid = bitext_grid("b a", ["a b", "b"])
    assert grid.hits == ((0, 1), (0, 2), (1, 0))
    assert grid.hypothesis == ("b", "a")
    assert grid.references == (("a", "b"), ("b",))


def _every_run(hypothesis: list[str], references: list[list[str]], exponent: float) -> float:
    """The definition to the letter: list all diagonal runs, sort them, take each that is still free."""
    places: list[object] = [item for reference in references for item in [*reference, object()]]
    runs = []
    for row in range(len(hypothesis)):
        for place in range(len(places)):
            length = 0
            while (
                row + length < len(hypothesis)
                and place + length < len(places)
                and hypothesis[row + length] == places[place + length]
            ):
                length += 1
                runs.append((length, row * len(places) + place, row, place))
    left = min(len(hypothesis), sum(map(len, references)) / len(references))
    rows: set[int] = set()
    columns: set[int] = set()
    total = 0.0
    for length, _, row, place in sorted(runs, reverse=True):
        if left <= 0:
            break
        counted = min(length, left)
        cells = range(math.ceil(counted))
        if any(row + cell in rows or place + cell in columns for cell in cells):
            continue
        rows.update(row + cell for cell in cells)
        columns.update(place + cell for cell in cells)
        left -= counted
        total += counted**exponent
    return float(total ** (1 / exponent))


@settings(max_examples=150, deadline=None)
@given(WORDS, st.lists(WORDS, min_size=1, max_size=3), st.sampled_from([1, 1.2, 2, 5]))
def test_cutting_runs_into_free_pieces_equals_listing_every_run(
    hypothesis: list[str], references: list[list[str]], exponent: float
) -> None:
    assert matching_size(hypothesis, references, exponent) == pytest.approx(
        _every_run(hypothesis, references, exponent), abs=1e-9
    )


@settings(max_examples=100, deadline=None)
@given(WORDS, WORDS)
def test_exponent_one_is_the_multiset_overlap(hypothesis: list[str], reference: list[str]) -> None:
    overlap = sum((Counter(hypothesis) & Counter(reference)).values())
    assert matching_size(hypothesis, [reference], 1) == overlap
    assert bitext_grid(" ".join(hypothesis), [" ".join(reference)]).matching_size(1) == overlap


@settings(max_examples=50, deadline=None)
@given(WORDS, st.sampled_from([1, 1.5, 2, 10]))
def test_a_text_matches_itself_wholly(words: list[str], exponent: float) -> None:
    assert matching_size(words, [words], exponent) == pytest.approx(len(words))


@settings(max_examples=50, deadline=None)
@given(WORDS, WORDS)
def test_a_greater_exponent_never_enlarges_the_matching(hypothesis: list[str], reference: list[str]) -> None:
    sizes = [matching_size(hypothesis, [reference], exponent) for exponent in (1, 1.5, 2, 4)]
    assert all(low <= high + 1e-9 for high, low in itertools.pairwise(sizes))


def test_long_segments_are_quick() -> None:
    """2,000 words of one single kind: four million hits, and every diagonal is a run."""
    assert matching_size(["a"] * 2000, [["a"] * 2000], 2) == 2000
