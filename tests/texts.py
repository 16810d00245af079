"""Texts that trip up tokenizers and counters, and evaluation sets of them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from hypothesis import strategies as st
from mtsig.corpus.model import EvaluationSet

# Unicode spaces and separators, marks that combine, letters whose lower case is longer or depends on the context, other
# scripts, right-to-left text and its controls, emoji with joiners, entities, and what 13a treats in a special way.
CHARACTERS = [
    *"ab.,-'&;/()<>!?0123456789 \t\u00a0\u2003\u3000\u2028\x1c\x1f\x85\x0b\u200b\ufeff\u180e",
    *"日本語中文ひらカタ한국어éßİıΣςſﬁ\u0301\u0308שלום\u202eعربي\U0001f600\u200d\U00020000\ue000",
    *("&quot;", "&amp;", "&lt;", "&gt;", "&amp;lt;", "<skipped>", "<", "...", "1,000.5", "3-4", "-\n", "\n", "\r"),
    *("e\u0301", "A.B.", "''", "--", "-1", ".,", "1.", ".1", "Ⅷ", "٣,٤"),
]
WORDS = ["the", "of", "a", "b", "c", "cat", "x,", "y.", "(z)", '"q', '"', "1.5", "2-3", ".,", "é", "e\u0301", "日本"]
WORDS += ["İstanbul", "ΣΑΣ", "-", "The", "THE"]
WHOLE = ["", " ", "\u3000", "\u00a0\t", ".", " . ", "\n", "\u200b", "&", "<skipped>", "\x1c", "a", "?!"]


def nasty_text(rng: random.Random, n_words: int = 45) -> str:
    """A text that is blank, a mess of characters, or a sequence of words from a small vocabulary."""
    kind = rng.random()
    if kind < 0.1:
        return rng.choice(WHOLE)
    if kind < 0.5:
        return "".join(rng.choice(CHARACTERS) for _ in range(rng.randint(1, 40)))
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, n_words)))


def nasty_variant(rng: random.Random, text: str) -> str:
    """The text with a few words dropped, replaced or moved, or another text altogether."""
    if rng.random() < 0.2:
        return nasty_text(rng, 20)
    words = text.split(" ")
    for _ in range(rng.randint(0, 5)):
        if not words:
            break
        start, kind = rng.randrange(len(words)), rng.random()
        if kind < 0.3:
            del words[start]
        elif kind < 0.6:
            words[start] = rng.choice(WORDS)
        else:
            run = words[start : start + 3]
            del words[start : start + 3]
            place = rng.randint(0, len(words))
            words[place:place] = run
    return " ".join(words)


def nasty_corpus(
    seed: int,
    n_segments: int,
    *,
    n_references: int = 1,
    n_systems: int = 2,
    missing: float = 0.0,
    n_words: int = 45,
) -> EvaluationSet:
    """Nasty texts and variants of them; a share `missing` of the references is missing, but never all of a segment."""
    rng = random.Random(seed)
    first = [nasty_text(rng, n_words) for _ in range(n_segments)]
    references: list[list[str | None]] = [list(first)]
    references += [[nasty_variant(rng, text) for text in first] for _ in range(n_references - 1)]
    for segment in range(n_segments):
        for reference in references:
            others = sum(other[segment] is not None for other in references)
            if others > 1 and rng.random() < missing:
                reference[segment] = None
    systems = [[nasty_variant(rng, text) for text in first] for _ in range(n_systems)]
    return evaluation_set(references, systems)


def evaluation_set(
    references: Sequence[Sequence[str | None]],
    systems: Sequence[Sequence[str | None]] | Mapping[str, Sequence[str | None]],
    langpair: str = "de-en",
) -> EvaluationSet:
    """An evaluation set without sources and documents; references are called ref0, ref1, ..., systems A, B, ..."""
    named = systems if isinstance(systems, Mapping) else dict(zip("ABCDEFGHIJ", systems, strict=False))
    n_segments = len(next(iter([*references, *named.values()])))
    nothing = (None,) * n_segments
    return EvaluationSet(
        testset="texts",
        langpair=langpair,
        segment_ids=tuple(str(number + 1) for number in range(n_segments)),
        documents=nothing,
        domains=nothing,
        sources=nothing,
        references={f"ref{number}": tuple(texts) for number, texts in enumerate(references)},
        systems={name: tuple(texts) for name, texts in named.items()},
    )


#: Any text: nasty pieces in a row, words from a small vocabulary, or whatever Unicode allows.
any_text = st.one_of(
    st.lists(st.sampled_from(CHARACTERS), max_size=40).map("".join),
    st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join),
    st.text(max_size=40),
)
