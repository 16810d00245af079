"""Statistics of BLEU and chrF in Python and numpy: the twins of the functions in extraction.h, with the same numbers.

N-grams are named order by order, all texts of a block at once: the name of an n-gram is the rank of its pair (name of
the n-gram without its last symbol, last symbol) among the pairs that occur in references. Names are exact, whatever
the length. A hypothesis n-gram that no reference of its segment has gets no name, and nothing longer that begins with
it can match either.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

__all__ = ["bleu_statistics", "chrf_statistics", "without_markup", "words_13a"]

IntArray = NDArray[np.int64]

_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
# The substitutions of mteval-v13a: symbols, periods and commas not between digits, hyphens after digits.
_SUBSTITUTIONS = (
    (re.compile(r"([ -&(-+/:-@\[-`{-~])"), r" \1 "),
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)


def bleu_statistics(
    references: Sequence[Sequence[str]],
    hypotheses: Sequence[Sequence[str]],
    *,
    tokenize: bool,
    max_ngram_order: int,
) -> NDArray[np.float64]:
    """Sufficient statistics of BLEU for a block of segments.

    Parameters
    ----------
    references
        The references of each segment, any number of them.
    hypotheses
        The hypotheses of each system, one per segment.
    tokenize
        Whether to tokenise as mteval-v13a does; else words are what whitespace separates.
    max_ngram_order
        Longest n-grams that are counted, 1 to 64.

    Returns
    -------
    numpy.ndarray
        Shape (n_systems, n_segments, 2 + 2 * `max_ngram_order`): hyp_len, ref_len (of the reference that is closest in
        length), correct_1.., total_1... NaN for segments without references.

    Examples
    --------
    >>> bleu_statistics([["a b c."]], [["a b."]], tokenize=True, max_ngram_order=2)
    array([[[3., 4., 3., 1., 3., 2.]]])
    """
    out = np.full((len(hypotheses), len(references), 2 + 2 * max_ngram_order), np.nan)
    if not out.size:
        return out
    split: Callable[[str], list[str]] = words_13a if tokenize else str.split
    corpus = _Corpus(
        [[split(text) for text in texts] for texts in references],
        [[split(text) for text in texts] for texts in hypotheses],
    )
    correct = corpus.matches(max_ngram_order)
    for segment, lengths in enumerate(corpus.ref_lengths):
        if len(lengths):
            out[:, segment, 0] = corpus.hyp_lengths[:, segment]
            out[:, segment, 1] = [_closest(lengths, length) for length in corpus.hyp_lengths[:, segment].tolist()]
    present = ~np.isnan(out[0, :, 0])
    for n in range(max_ngram_order):
        out[:, present, 2 + n] = correct[n][:, present]
        out[:, present, 2 + max_ngram_order + n] = np.maximum(0, corpus.hyp_lengths[:, present] - n)
    return out


def _closest(lengths: list[int], length: int) -> int:
    """The closest of `lengths`, the smallest of those that are equally close."""
    return min(lengths, key=lambda candidate: (abs(candidate - length), candidate))


def chrf_statistics(
    references: Sequence[str],
    hypotheses: Sequence[Sequence[str]],
    *,
    char_order: int,
    word_order: int,
    whitespace: bool,
) -> NDArray[np.float64]:
    """Sufficient statistics of chrF for a block of segments with one reference each.

    Parameters
    ----------
    references
        One reference per segment.
    hypotheses
        The hypotheses of each system, one per segment.
    char_order, word_order
        Longest n-grams of characters (1 to 64) and words (0 to 64) that are counted.
    whitespace
        Whether whitespace counts as characters.

    Returns
    -------
    numpy.ndarray
        Shape (n_systems, n_segments, 3 * (`char_order` + `word_order`)): for each order the n-grams of the hypothesis
        (0 where the reference has none), of the reference, and of both.

    Examples
    --------
    >>> chrf_statistics(["a cat"], [["a hat"]], char_order=2, word_order=1, whitespace=False)
    array([[[4., 4., 3., 3., 3., 1., 2., 2., 1.]]])
    """
    out = np.empty((len(hypotheses), len(references), 3 * (char_order + word_order)))
    if not out.size:
        return out

    def characters(text: str) -> str:
        return text if whitespace else "".join(text.split())

    _write_triples(references, hypotheses, characters, char_order, out)
    if word_order:
        _write_triples(references, hypotheses, words_and_punctuation, word_order, out[..., 3 * char_order :])
    return out


def _write_triples(
    references: Sequence[str],
    hypotheses: Sequence[Sequence[str]],
    split: Callable[[str], Sequence[Hashable]],
    order: int,
    out: NDArray[np.float64],
) -> None:
    corpus = _Corpus([[split(text)] for text in references], [[split(text) for text in texts] for texts in hypotheses])
    ref_lengths = np.array(corpus.ref_lengths)[:, 0]
    matches = corpus.matches(order)
    for n in range(order):
        in_reference = np.maximum(0, ref_lengths - n)
        out[..., 3 * n] = np.where(in_reference > 0, np.maximum(0, corpus.hyp_lengths - n), 0)
        out[..., 3 * n + 1] = in_reference
        out[..., 3 * n + 2] = matches[n]


def words_13a(text: str) -> list[str]:
    """The words of a text as mteval-v13a tokenises it.

    Examples
    --------
    >>> words_13a("It's 1,000.5 (or 3-4), no?")
    ["It's", '1,000.5', '(', 'or', '3', '-', '4', ')', ',', 'no', '?']
    """
    text = f" {without_markup(text)} "
    for pattern, replacement in _SUBSTITUTIONS:
        text = pattern.sub(replacement, text)
    return text.split()


def without_markup(text: str) -> str:
    """The first step of mteval-v13a: no ``<skipped>``, no line breaks, and four entities as characters."""
    if "<" in text or "\n" in text:
        text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    if "&" in text:
        text = text.replace("&quot;", '"').replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
    return text


def words_and_punctuation(text: str) -> list[str]:
    """The words of chrF++: one punctuation mark at the end, else at the beginning, of a word is its own word.

    Examples
    --------
    >>> words_and_punctuation("(hi) 'twas -")
    ['(hi', ')', "'", 'twas', '-']
    """
    words = []
    for word in text.split():
        if len(word) > 1 and word[-1] in _PUNCTUATION:
            words += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in _PUNCTUATION:
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return words


class _Corpus:
    """Symbols of all texts of a block in one array, references first, then the hypotheses of each system.

    Parameters
    ----------
    references
        Per segment the references, each as a sequence of symbols.
    hypotheses
        Per system the hypotheses.
    """

    def __init__(
        self, references: Sequence[Sequence[Sequence[Hashable]]], hypotheses: Sequence[Sequence[Sequence[Hashable]]]
    ) -> None:
        self.n_systems, self.n_segments = len(hypotheses), len(references)
        self.ref_lengths = [[len(text) for text in texts] for texts in references]
        self.hyp_lengths = np.array([[len(text) for text in texts] for texts in hypotheses], dtype=np.int64)
        texts = [*chain.from_iterable(references), *chain.from_iterable(hypotheses)]
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        self.symbols, self.n_symbols = _numbered(chain.from_iterable(texts))

        # Of every text: its segment, its number among the segment's references (-1 for hypotheses), its system.
        n_references = [len(texts) for texts in references]
        ref_segments = np.repeat(np.arange(self.n_segments), n_references)
        ref_numbers = np.concatenate([np.arange(n) for n in n_references])
        self.n_references = max(n_references)
        segments = np.concatenate([ref_segments, np.tile(np.arange(self.n_segments), self.n_systems)])
        numbers = np.concatenate([ref_numbers, np.full(self.n_systems * self.n_segments, -1)])
        systems = np.repeat(np.arange(-1, self.n_systems), [len(ref_segments)] + [self.n_segments] * self.n_systems)
        # The same of every position in `symbols`, and where its text ends.
        self.segment, self.number, self.system = (np.repeat(of, lengths) for of in (segments, numbers, systems))
        self.end = np.repeat(np.cumsum(lengths), lengths)

    def matches(self, order: int) -> IntArray:
        """How many n-grams each hypothesis shares with its references, each as often as one reference has it at most.

        Returns
        -------
        numpy.ndarray
            Shape (order, n_systems, n_segments).
        """
        matches = np.zeros((order, self.n_systems, self.n_segments), dtype=np.int64)
        positions = np.arange(len(self.symbols))
        names = self.segment.copy()  # of the n-gram that begins at each position; the empty one is its segment's
        for n in range(order):
            positions = positions[positions + n < self.end[positions]]
            keys = names[positions] * self.n_symbols + self.symbols[positions + n]
            known = np.unique(keys[self.number[positions] >= 0])
            if not len(known):
                break
            ranks = np.minimum(np.searchsorted(known, keys), len(known) - 1)
            found = known[ranks] == keys
            positions, ranks = positions[found], ranks[found]
            names[positions] = ranks
            matches[n] = self._clipped(positions, ranks, len(known))
        return matches

    def _clipped(self, positions: IntArray, names: IntArray, n_names: int) -> IntArray:
        """Numbers of matches (n_systems, n_segments) of n-grams that begin at `positions` and have those names."""
        numbers, systems = self.number[positions], self.system[positions]
        limits = _counts(numbers, names, self.n_references, n_names).max(axis=0)
        shared = np.minimum(_counts(systems, names, self.n_systems, n_names), limits)
        segments = np.zeros(n_names, dtype=np.int64)
        segments[names] = self.segment[positions]
        return np.array([np.bincount(segments, weights=row, minlength=self.n_segments) for row in shared])


def _counts(owners: IntArray, names: IntArray, n_owners: int, n_names: int) -> IntArray:
    """How often each owner has each name, (n_owners, n_names); owner -1 is nobody."""
    owned = owners >= 0
    flat = np.bincount(owners[owned] * n_names + names[owned], minlength=n_owners * n_names)
    return flat.reshape(n_owners, n_names)


def _numbered(symbols: Iterable[Hashable]) -> tuple[IntArray, int]:
    """Numbers for symbols, equal for equal ones, and how many different ones there are."""
    numbers: dict[Hashable, int] = {}
    named = np.fromiter((numbers.setdefault(symbol, len(numbers)) for symbol in symbols), dtype=np.int64)
    return named, len(numbers)
