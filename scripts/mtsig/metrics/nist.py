"""The NIST score (Doddington 2002), by the definition of mteval-v13a: n-grams count by how much they tell."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from mtsig import __version__
from mtsig.errors import ConfigError
from mtsig.metrics.base import FloatArray, Metric
from mtsig.metrics.catalog import given_options, tokenizer_of
from mtsig.metrics.extraction import Block, require_references, statistics_by_blocks
from mtsig.metrics.tokens import tokenizer_signature, word_splitter

if TYPE_CHECKING:
    from mtsig.corpus.model import EvaluationSet

__all__ = ["Nist", "create"]

# An output of two thirds of the reference's length loses half of its score.
_BETA = math.log(0.5) / math.log(1.5) ** 2
_LONGEST = 16

Ngram = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Nist(Metric):
    """NIST with a fixed longest n-gram.

    An n-gram is worth log2(count of its first n - 1 words / its count), counted in all references of the test set. A
    match is worth that much, as often as the n-gram stands in one of the references. The score is the sum over n of
    the worth of all matches over the number of n-grams, times a penalty for outputs that are shorter than the mean
    reference. It has no upper limit.

    The worth of an n-gram is a property of the test set: resamples draw segments, not the references that tell it.

    Attributes
    ----------
    max_ngram_order
        Longest n-grams that are counted.
    tokenize
        A tokenizer of sacreBLEU; 13a is the one of mteval-v13a for languages written with spaces.
    lowercase
        Ignore case, as mteval-v13a does without its option ``-c``.
    """

    kind: str = field(default="nist", init=False)
    higher_is_better: bool | None = field(default=True, init=False)
    scale: float = field(default=1.0, init=False)
    statistic_names: tuple[str, ...] = field(init=False)
    max_ngram_order: int = 5
    tokenize: str = "13a"
    lowercase: bool = False

    def __post_init__(self) -> None:
        orders = range(1, self.max_ngram_order + 1)
        names = (*(f"info_{n}" for n in orders), *(f"total_{n}" for n in orders), "ref_len")
        object.__setattr__(self, "statistic_names", names)

    def signature(self, n_references: int | str) -> str:
        """Options and version."""
        case = "lc" if self.lowercase else "mixed"
        return (
            f"nist|nrefs:{n_references}|case:{case}|tok:{tokenizer_signature(self.tokenize)}"
            f"|n:{self.max_ngram_order}|version:mtsig-{__version__}"
        )

    def statistics(self, evaluation: EvaluationSet, *, threads: int = 1) -> dict[str, FloatArray]:
        """Worth of the matches and number of n-grams of each order, and the mean reference length."""
        require_references(evaluation, self.key)
        split = word_splitter(self.tokenize, lowercase=self.lowercase)
        worth = _worth(
            (
                self._ngrams(split(text))
                for texts in evaluation.references.values()
                for text in texts
                if text is not None
            ),
        )

        def extract(block: Block) -> FloatArray:
            references, hypotheses = block
            rows = np.empty((len(hypotheses), len(references[0]), len(self.statistic_names)))
            for segment, texts in enumerate(zip(*references, strict=True)):
                split_references = [split(text) for text in texts if text is not None]
                allowed: Counter[Ngram] = Counter()
                for words in split_references:
                    allowed |= self._ngrams(words)
                length = sum(map(len, split_references)) / max(len(split_references), 1)
                for system, outputs in enumerate(hypotheses):
                    rows[system, segment] = (*self._segment(split(outputs[segment]), allowed, worth), length)
            return rows

        return statistics_by_blocks(evaluation, self.key, extract, len(self.statistic_names), threads)

    def _ngrams(self, words: Sequence[str]) -> Counter[Ngram]:
        return Counter(
            tuple(words[start : start + n])
            for n in range(1, self.max_ngram_order + 1)
            for start in range(len(words) - n + 1)
        )

    def _segment(
        self, words: Sequence[str], allowed: Mapping[Ngram, int], worth: Mapping[Ngram, float]
    ) -> tuple[float, ...]:
        info = [0.0] * self.max_ngram_order
        for ngram, count in self._ngrams(words).items():
            if ngram in allowed:
                info[len(ngram) - 1] += worth[ngram] * min(count, allowed[ngram])
        return (*info, *(max(len(words) - n, 0) for n in range(self.max_ngram_order)))

    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        """NIST of single segments, with the worth of n-grams in the whole test set."""
        statistics = np.asarray(statistics, dtype=np.float64)
        order = self.max_ngram_order
        info, total = statistics[..., :order], statistics[..., order : 2 * order]
        length, reference = total[..., 0], statistics[..., -1]
        gained = (info / np.maximum(total, 1)).sum(axis=-1)
        shorter = (length > 0) & (length < reference)
        ratio = np.where(shorter, length, 1.0) / np.where(shorter, reference, 1.0)
        return np.asarray(gained * np.exp(_BETA * np.log(ratio) ** 2))

    def corpus_scores(self, sums: FloatArray) -> FloatArray:
        """NIST from summed statistics."""
        return self.segment_scores(sums)


def _worth(texts: Iterable[Mapping[Ngram, int]]) -> dict[Ngram, float]:
    """Bits that each n-gram of the references tells, given the words before its last."""
    counts: Counter[Ngram] = Counter()
    for ngrams in texts:
        counts.update(ngrams)
    n_words = sum(count for ngram, count in counts.items() if len(ngram) == 1)
    return {
        ngram: math.log2((counts[ngram[:-1]] if len(ngram) > 1 else n_words) / count) for ngram, count in counts.items()
    }


def create(
    key: str, settings: Mapping[str, Any], langpair: str, testset_settings: Mapping[str, Any] | None = None
) -> Nist:
    """Make the metric that the configuration calls `key`; see `mtsig.metrics.create_metric`."""
    del testset_settings
    options = given_options(key, settings, ["max_ngram_order", "tokenize", "lowercase"])
    if not 1 <= options.get("max_ngram_order", 5) <= _LONGEST:
        raise ConfigError(
            f"metrics.{key}.max_ngram_order: {options['max_ngram_order']} is not between 1 and {_LONGEST}."
        )
    return Nist(key=key, **{**options, "tokenize": tokenizer_of(key, settings, langpair)})
