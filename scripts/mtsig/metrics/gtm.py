"""General Text Matcher: precision, recall and F-measure of a maximum matching of words (Turian, Shen and Melamed 2003).

The matching is the one of the original program (version 1.4), see `mtsig.metrics.bitext`. As there, words are what
whitespace separates; a target language that is written without spaces has a tokenizer of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mtsig import __version__
from mtsig.errors import ConfigError
from mtsig.metrics.base import Metric
from mtsig.metrics.bitext import matching_size
from mtsig.metrics.catalog import given_options, tokenizer_of
from mtsig.metrics.tokens import tokenizer_signature, word_splitter

if TYPE_CHECKING:
    from mtsig.corpus.model import EvaluationSet

__all__ = ["MEASURES", "GeneralTextMatcher", "create"]

FloatArray = NDArray[np.float64]

#: What may be reported: the matched share of the hypothesis, of the reference, or the harmonic mean of both.
MEASURES = ("f", "precision", "recall")


@dataclass(frozen=True, kw_only=True)
class GeneralTextMatcher(Metric):
    """GTM with a fixed exponent and measure.

    The statistics of a segment are the size of its matching, the length of its hypothesis and the mean length of its
    references; a corpus score comes from their sums, not from segment scores. Zero where a length is zero.

    Attributes
    ----------
    exponent
        At least 1. With 1 the order of words does not matter; the greater, the more long matching runs count.
    measure
        One of `MEASURES`.
    tokenize
        A tokenizer of sacreBLEU; with ``none`` words are what whitespace separates.
    lowercase
        Ignore case.
    """

    kind: str = field(default="gtm", init=False)
    higher_is_better: bool | None = field(default=True, init=False)
    scale: float = field(default=1.0, init=False)
    statistic_names: tuple[str, ...] = field(default=("mms", "hyp_len", "ref_len"), init=False)
    exponent: float = 1.0
    measure: str = "f"
    tokenize: str = "none"
    lowercase: bool = False

    def signature(self, n_references: int | str) -> str:
        """What fixes the scores: options and version."""
        return (
            f"nrefs:{n_references}|case:{'lc' if self.lowercase else 'mixed'}|tok:{tokenizer_signature(self.tokenize)}"
            f"|exponent:{repr(self.exponent).removesuffix('.0')}|measure:{self.measure}|version:{__version__}"
        )

    def statistics(self, evaluation: EvaluationSet, *, threads: int = 1) -> dict[str, FloatArray]:
        """Matching size, hypothesis length and mean reference length of every system and segment."""
        split = word_splitter(self.tokenize, lowercase=self.lowercase)
        references = [
            [split(text) for text in texts if text is not None]
            for texts in zip(*evaluation.references.values(), strict=True)
        ] or [[] for _ in evaluation.segment_ids]
        return {
            system: np.array(
                [
                    self._segment(None if text is None else split(text), texts)
                    for text, texts in zip(hypotheses, references, strict=True)
                ],
                dtype=np.float64,
            ).reshape(-1, 3)
            for system, hypotheses in evaluation.systems.items()
        }

    def _segment(self, words: list[str] | None, references: list[list[str]]) -> tuple[float, float, float]:
        """Statistics of one segment."""
        if words is None or not references:
            return (np.nan, np.nan, np.nan)
        size = matching_size(words, references, self.exponent)
        return (size, len(words), sum(map(len, references)) / len(references))

    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        """The measure from statistics (..., 3)."""
        statistics = np.asarray(statistics, dtype=np.float64)
        matched, hypothesis, reference = (statistics[..., index] for index in range(3))
        # F is 2PR / (P + R) = 2 * matched / (both lengths), without the rounding of two divisions.
        numerator, length = {
            "precision": (matched, hypothesis),
            "recall": (matched, reference),
            "f": (2 * matched, hypothesis + reference),
        }[self.measure]
        # An empty side matches nothing, so its 0 / 0 is 0; the NaN statistics of missing segments stay NaN.
        return np.asarray(numerator / np.where(length == 0, 1.0, length))

    def corpus_scores(self, sums: FloatArray) -> FloatArray:
        """The measure from summed statistics (..., 3)."""
        return self.segment_scores(sums)


def create(
    key: str, settings: Mapping[str, Any], langpair: str, testset_settings: Mapping[str, Any] | None = None
) -> GeneralTextMatcher:
    """Make a GTM metric from its settings.

    Raises
    ------
    ConfigError
        If there is no such option, or its value is impossible.

    Examples
    --------
    >>> create("gtm", {"exponent": 1.5, "measure": "recall"}, "en-de").signature(1).split("|version")[0]
    'nrefs:1|case:mixed|tok:whitespace|exponent:1.5|measure:recall'
    """
    options = given_options(key, settings, ["exponent", "measure", "tokenize", "lowercase"])
    exponent, measure = options.get("exponent", 1.0), options.get("measure", "f")
    if not 1 <= exponent < np.inf:
        raise ConfigError(f"metrics.{key}.exponent: {exponent} is no finite number of at least 1.")
    if measure not in MEASURES:
        raise ConfigError(f"metrics.{key}.measure: {measure!r} is not one of {', '.join(MEASURES)}.")
    return GeneralTextMatcher(
        key=key,
        exponent=float(exponent),
        measure=measure,
        tokenize=tokenizer_of(key, settings, langpair),
        lowercase=options.get("lowercase", False),
    )
