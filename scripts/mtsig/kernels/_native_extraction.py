"""The kernels in extraction.h behind the signatures of their twins: texts to buffers of code points."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from mtsig.kernels import _native  # type: ignore[attr-defined]
from mtsig.kernels._python_extraction import without_markup

__all__ = ["bleu_statistics", "chrf_statistics", "ter_statistics"]

MAX_LENGTH = 2**24  # so that no count of n-grams leaves 32 bits
_ENCODING = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"


def _pack(texts: Sequence[str]) -> tuple[bytes, NDArray[np.int64]]:
    """All code points one after the other, and where each text begins and ends. Lone surrogates are kept."""
    offsets = np.zeros(len(texts) + 1, dtype=np.int64)
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    if lengths.max(initial=0) > MAX_LENGTH:
        raise ValueError(f"a segment of {lengths.max()} characters: at most {MAX_LENGTH} are possible")
    np.cumsum(lengths, out=offsets[1:])
    return "".join(texts).encode(_ENCODING, "surrogatepass"), offsets


def bleu_statistics(
    references: Sequence[Sequence[str]],
    hypotheses: Sequence[Sequence[str]],
    *,
    tokenize: bool,
    max_ngram_order: int,
) -> NDArray[np.float64]:
    """See `mtsig.kernels._python_extraction.bleu_statistics`."""
    rows = np.zeros(len(references) + 1, dtype=np.int64)
    np.cumsum([len(texts) for texts in references], out=rows[1:])
    out = np.full((len(hypotheses), len(references), 2 + 2 * max_ngram_order), np.nan)
    if out.size:
        ref_texts = list(chain.from_iterable(references))
        hyp_texts = list(chain.from_iterable(hypotheses))
        if tokenize:
            ref_texts, hyp_texts = (list(map(without_markup, texts)) for texts in (ref_texts, hyp_texts))
        _native.bleu_statistics(*_pack(ref_texts), rows, *_pack(hyp_texts), out, tokenize, max_ngram_order)
    return out


def chrf_statistics(
    references: Sequence[str],
    hypotheses: Sequence[Sequence[str]],
    *,
    char_order: int,
    word_order: int,
    whitespace: bool,
) -> NDArray[np.float64]:
    """See `mtsig.kernels._python_extraction.chrf_statistics`."""
    out = np.empty((len(hypotheses), len(references), 3 * (char_order + word_order)))
    if out.size:
        packed = (*_pack(references), *_pack(list(chain.from_iterable(hypotheses))))
        _native.chrf_statistics(*packed, out, char_order, word_order, whitespace)
    return out


def ter_statistics(references: Sequence[str], hypotheses: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """See `mtsig.kernels._python_ter.ter_statistics`."""
    out = np.empty((len(hypotheses), len(references), 2))
    if out.size:
        _native.ter_statistics(*_pack(references), *_pack(list(chain.from_iterable(hypotheses))), out)
    return out
