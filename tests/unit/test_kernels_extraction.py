"""The kernels that count n-grams and edits: compiled and in Python, both against sacreBLEU."""

from __future__ import annotations

import random
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mtsig.kernels import NATIVE, _python_extraction, _python_ter
from sacrebleu.metrics import BLEU, CHRF, TER
from texts import WORDS, any_text, nasty_corpus

IMPLEMENTATIONS = {"python": (_python_extraction.bleu_statistics, _python_extraction.chrf_statistics)}
TER_IMPLEMENTATIONS = {"python": _python_ter.ter_statistics}
if NATIVE:
    from mtsig.kernels import _native_extraction

    IMPLEMENTATIONS["native"] = (_native_extraction.bleu_statistics, _native_extraction.chrf_statistics)
    TER_IMPLEMENTATIONS["native"] = _native_extraction.ter_statistics

both = pytest.mark.parametrize("implementation", [*IMPLEMENTATIONS])
only_native = pytest.mark.skipif(not NATIVE, reason="the extension is not built")
some_examples = settings(max_examples=60, deadline=None, derandomize=True)


def peer_statistics(metric: Any, references: list[list[str]], hypotheses: list[str]) -> np.ndarray:
    """What sacreBLEU extracts, (n_segments, n_statistics); `references` are streams."""
    return np.array(metric._extract_corpus_statistics(hypotheses, references), dtype=np.float64)


def bleu(implementation: str, references: list[list[str]], systems: list[list[str]], **options: Any) -> np.ndarray:
    options = {"tokenize": True, "max_ngram_order": 4, **options}
    return IMPLEMENTATIONS[implementation][0](references, systems, **options)


def chrf(implementation: str, references: list[str], systems: list[list[str]], **options: Any) -> np.ndarray:
    options = {"char_order": 6, "word_order": 2, "whitespace": False, **options}
    return IMPLEMENTATIONS[implementation][1](references, systems, **options)


def ter(implementation: str, references: list[str], systems: list[list[str]]) -> np.ndarray:
    return TER_IMPLEMENTATIONS[implementation](references, systems)


@both
def test_every_unicode_space_separates_words(implementation: str) -> None:
    """Whitespace is what str.isspace says, over all code points."""
    characters = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    suspects = [c for c in characters if c.isspace()]
    suspects += [chr(code) for space in suspects for code in (ord(space) - 1, ord(space) + 1)]
    suspects += [*characters[:0x300], "\u180e", "\u200b", "\ufeff"]
    texts = [f"a{c}b" for c in suspects]
    statistics = bleu(implementation, [["a"]] * len(texts), [texts], tokenize=False)[0]
    assert statistics[:, 0].tolist() == [len(text.split()) for text in texts]


@both
def test_13a_on_all_short_contexts(implementation: str) -> None:
    """Each pair of kinds of characters between a letter and a digit is tokenised as by sacreBLEU."""
    ascii_characters = [chr(code) for code in range(1, 128)]
    kinds = [*"a1.,-&' <\n\u3000é"]
    texts = [f"x{a}{b}y" for a in ascii_characters for b in kinds] + [
        f"{a}{b}{c}" for a in kinds for b in kinds for c in kinds
    ]
    peer = BLEU(force=True)
    statistics = bleu(implementation, [[text] for text in reversed(texts)], [texts])[0]
    tokenized = [peer.tokenizer(text) for text in texts]
    expected = bleu("python", [[text] for text in reversed(tokenized)], [tokenized], tokenize=False)[0]
    np.testing.assert_array_equal(statistics, expected)


@both
@some_examples
@given(hypothesis=any_text, references=st.lists(any_text, min_size=1, max_size=3), order=st.integers(1, 5))
def test_bleu_statistics_of_any_text(implementation: str, hypothesis: str, references: list[str], order: int) -> None:
    """Counts and closest length equal sacreBLEU's for any number of references."""
    peer = BLEU(force=True, max_ngram_order=order)
    expected = peer_statistics(peer, [[text] for text in references], [hypothesis])
    prepared = [text.rstrip() for text in references]
    got = bleu(implementation, [prepared], [[hypothesis.rstrip()]], max_ngram_order=order)[0]
    np.testing.assert_array_equal(got, expected)


@both
@some_examples
@given(
    hypothesis=any_text,
    reference=any_text,
    char_order=st.integers(1, 7),
    word_order=st.integers(0, 3),
    whitespace=st.booleans(),
)
def test_chrf_statistics_of_any_text(
    implementation: str, hypothesis: str, reference: str, char_order: int, word_order: int, whitespace: bool
) -> None:
    options = {"char_order": char_order, "word_order": word_order, "whitespace": whitespace}
    expected = peer_statistics(CHRF(**options), [[reference]], [hypothesis])
    np.testing.assert_array_equal(chrf(implementation, [reference], [[hypothesis]], **options)[0], expected)


@both
@some_examples
@given(hypothesis=any_text, reference=any_text)
def test_ter_statistics_of_any_text(implementation: str, hypothesis: str, reference: str) -> None:
    expected = peer_statistics(TER(), [[reference]], [hypothesis])
    got = ter(implementation, [reference.rstrip().lower()], [[hypothesis.rstrip().lower()]])[0]
    np.testing.assert_array_equal(got, expected)


@both
@some_examples
@given(st.lists(st.sampled_from("abcd"), max_size=14), st.lists(st.sampled_from("abcde"), max_size=14))
def test_ter_of_few_different_words(implementation: str, hypothesis: list[str], reference: list[str]) -> None:
    """With few different words there are many shifts to choose from."""
    expected = peer_statistics(TER(), [[" ".join(reference)]], [" ".join(hypothesis)])
    np.testing.assert_array_equal(ter(implementation, [" ".join(reference)], [[" ".join(hypothesis)]])[0], expected)


@both
def test_several_systems_share_the_references(implementation: str) -> None:
    """A system's rows do not depend on the systems beside it."""
    evaluation = nasty_corpus(7, 60, n_systems=3)
    references, systems = list(evaluation.references["ref0"]), [list(texts) for texts in evaluation.systems.values()]
    together = [
        bleu(implementation, [[text] for text in references], systems),
        chrf(implementation, references, systems),
        ter(implementation, references, systems),
    ]
    for number, texts in enumerate(systems):
        alone = [
            bleu(implementation, [[text] for text in references], [texts]),
            chrf(implementation, references, [texts]),
            ter(implementation, references, [texts]),
        ]
        for all_systems, one in zip(together, alone, strict=True):
            np.testing.assert_array_equal(all_systems[number], one[0])


@both
def test_segments_without_references_are_undefined(implementation: str) -> None:
    statistics = bleu(implementation, [["a b"], []], [["a", "b"]], max_ngram_order=1)
    np.testing.assert_array_equal(statistics, [[[1, 2, 1, 1], [np.nan] * 4]])


@both
def test_nothing_to_do(implementation: str) -> None:
    """No segments or no systems give empty arrays."""
    assert bleu(implementation, [], [[], []]).shape == (2, 0, 10)
    assert chrf(implementation, ["a"], []).shape == (0, 1, 24)
    assert ter(implementation, [], [[]]).shape == (1, 0, 2)


@both
def test_lone_surrogates_are_characters(implementation: str) -> None:
    statistics = chrf(implementation, ["a\ud800b"], [["\ud800b"]], char_order=2, word_order=0)
    np.testing.assert_array_equal(statistics[0, 0], [2, 3, 2, 1, 2, 1])


def shifted_pair(rng: random.Random, length: int, vocabulary: int) -> tuple[str, str]:
    """A text and a copy with moved blocks and wrong words."""
    words = [f"w{int(vocabulary * rng.random() ** 2)}" for _ in range(length)]
    copy = [word if rng.random() < 0.75 else f"w{rng.randrange(2 * vocabulary)}" for word in words]
    for _ in range(rng.randint(1, 6)):
        start, size = rng.randrange(len(copy)), rng.randint(1, 14)
        run = copy[start : start + size]
        del copy[start : start + size]
        place = max(0, min(len(copy), start + rng.randint(-60, 60)))
        copy[place:place] = run
    return " ".join(words), " ".join(copy[: rng.randint(max(1, length - 30), length)])


@only_native
def test_ter_implementations_agree_where_the_beam_binds() -> None:
    """Long texts far from the reference: the beam decides, and searches hit the limit on candidates."""
    rng = random.Random(11)
    pairs = [shifted_pair(rng, rng.randint(30, 220), rng.choice([12, 40, 300])) for _ in range(60)]
    references, hypotheses = [list(texts) for texts in zip(*pairs, strict=True)]
    np.testing.assert_array_equal(ter("native", references, [hypotheses]), ter("python", references, [hypotheses]))


@both
@pytest.mark.parametrize(("length", "vocabulary"), [(60, 12), (90, 200), (40, 3)])
def test_ter_of_long_shifted_texts(implementation: str, length: int, vocabulary: int) -> None:
    """Beam and limit of candidates as in sacreBLEU itself (which needs up to a second for one such pair)."""
    rng = random.Random(length)
    pairs = [shifted_pair(rng, length, vocabulary) for _ in range(2)]
    references, hypotheses = [list(texts) for texts in zip(*pairs, strict=True)]
    expected = peer_statistics(TER(), [references], hypotheses)
    np.testing.assert_array_equal(ter(implementation, references, [hypotheses])[0], expected)


@both
@pytest.mark.parametrize(("hyp_length", "ref_length"), [(1, 80), (2, 150), (80, 1), (130, 2)])
def test_ter_of_very_unequal_lengths(implementation: str, hyp_length: int, ref_length: int) -> None:
    """The beam grows with the ratio of the lengths."""
    rng = random.Random(hyp_length)
    hypothesis = " ".join(rng.choice(WORDS).lower() for _ in range(hyp_length))
    reference = " ".join(rng.choice(WORDS).lower() for _ in range(ref_length))
    expected = peer_statistics(TER(), [[reference]], [hypothesis])
    np.testing.assert_array_equal(ter(implementation, [reference], [[hypothesis]])[0], expected)


@both
def test_lines_of_5000_words(implementation: str) -> None:
    """Long lines give the counts that sacreBLEU gives; TER is checked where sacreBLEU can still do it."""
    rng = random.Random(5)
    reference = [f"{rng.choice('abcdefgh')}{rng.randrange(900)}" for _ in range(5000)]
    hypothesis = [word for word in reference if rng.random() > 0.002]
    texts = " ".join(reference), " ".join(hypothesis)
    peers = BLEU(force=True), CHRF(word_order=2)
    expected = [peer_statistics(peer, [[texts[0]]], [texts[1]]) for peer in peers]
    np.testing.assert_array_equal(bleu(implementation, [[texts[0]]], [[texts[1]]])[0], expected[0])
    np.testing.assert_array_equal(chrf(implementation, [texts[0]], [[texts[1]]])[0], expected[1])
    n_edits = len(reference) - len(hypothesis)  # only deletions: no shift can gain anything
    np.testing.assert_array_equal(ter(implementation, [texts[0]], [[texts[1]]]), [[[n_edits, 5000]]])


@only_native
def test_native_kernels_refuse_buffers_that_do_not_fit() -> None:
    from mtsig.kernels import _native

    offsets, bad_offsets = np.array([0, 1]), np.array([0, 2])
    letters, out = "a".encode("utf-32-le"), np.empty((1, 1, 2))
    with pytest.raises(ValueError, match="do not agree"):
        _native.ter_statistics(letters, bad_offsets, letters, offsets, out)
    with pytest.raises(ValueError, match="do not agree"):
        _native.ter_statistics(letters, offsets, letters, offsets, np.empty((1, 1, 3)))
    with pytest.raises(ValueError, match="order"):
        _native.chrf_statistics(letters, offsets, letters, offsets, out, 65, 0, False)


@only_native
def test_texts_that_are_too_long_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_native_extraction, "MAX_LENGTH", 3)
    with pytest.raises(ValueError, match="a segment of 4 characters"):
        ter("native", ["abcd"], [["a"]])
