"""Words of a text, for metrics that compare words: sacreBLEU's tokenizers, or splitting at whitespace."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from mtsig.metrics import _sacrebleu

__all__ = ["tokenizer_signature", "word_splitter"]


def word_splitter(tokenize: str, *, lowercase: bool) -> Callable[[str], list[str]]:
    """The function that takes a text apart.

    Parameters
    ----------
    tokenize
        A tokenizer of sacreBLEU; with ``none`` words are what whitespace separates.
    lowercase
        Whether texts are put into lower case first.

    Examples
    --------
    >>> word_splitter("none", lowercase=True)("Yes, it is."), word_splitter("13a", lowercase=False)("Yes, it is.")
    (['yes,', 'it', 'is.'], ['Yes', ',', 'it', 'is', '.'])
    """
    if tokenize == "none":
        return _lowercased_words if lowercase else str.split
    peer = _sacrebleu.make("BLEU", tokenize=tokenize, lowercase=lowercase)
    return lambda text: _sacrebleu.preprocess(peer, text).split()


def _lowercased_words(text: str) -> list[str]:
    return text.lower().split()


@lru_cache
def tokenizer_signature(tokenize: str) -> str:
    """The tokenizer as signatures name it, with the version of its dictionary where it has one.

    Examples
    --------
    >>> tokenizer_signature("none"), tokenizer_signature("13a")
    ('whitespace', '13a')
    """
    if tokenize == "none":
        return "whitespace"
    signature = _sacrebleu.signature(_sacrebleu.make("BLEU", tokenize=tokenize), 1)
    return dict(entry.split(":", 1) for entry in signature.split("|"))["tok"]
