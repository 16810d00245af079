"""Word error rate and character error rate: edits (Levenshtein 1966) over the length of the reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from mtsig import __version__
from mtsig.metrics.base import FloatArray, Metric, Quotient
from mtsig.metrics.catalog import given_options, tokenizer_of
from mtsig.metrics.extraction import Block, statistics_by_blocks
from mtsig.metrics.tokens import tokenizer_signature, word_splitter

if TYPE_CHECKING:
    from mtsig.corpus.model import EvaluationSet

__all__ = ["CharacterErrorRate", "WordErrorRate", "create", "edit_distance"]


def edit_distance(a: Sequence[str], b: Sequence[str]) -> int:
    """The fewest insertions, deletions and substitutions that turn one sequence into the other.

    A row of the distance matrix is kept as two bit vectors, one bit per member of `b`, that say where it rises and
    falls (Myers 1999, Hyyrö 2003).

    Examples
    --------
    >>> edit_distance("kitten", "sitting"), edit_distance("a b c".split(), [])
    (3, 3)
    """
    if not b:
        return len(a)
    places: dict[str, int] = {}
    for position, member in enumerate(b):
        places[member] = places.get(member, 0) | 1 << position
    everywhere, last = (1 << len(b)) - 1, 1 << (len(b) - 1)
    rises, falls, distance = everywhere, 0, len(b)
    for member in a:
        equal = places.get(member, 0)
        diagonal = (((equal & rises) + rises) ^ rises) | equal | falls
        up, down = falls | ~(diagonal | rises), rises & diagonal
        distance += bool(up & last) - bool(down & last)
        up = up << 1 | 1
        rises, falls = (down << 1 | ~(diagonal | up)) & everywhere, diagonal & up & everywhere
    return distance


@dataclass(frozen=True, kw_only=True)
class _ErrorRate(Quotient, Metric):
    """Edits over the length of the reference, both summed over segments: a fraction, above 1 for very long outputs.

    Of several references the closest one counts, against the mean length of all, as in TER. Undefined (NaN) where the
    references are empty.
    """

    higher_is_better: bool | None = field(default=False, init=False)
    scale: float = field(default=1.0, init=False)
    statistic_names: tuple[str, ...] = field(default=("edits", "ref_len"), init=False)
    lowercase: bool = False

    def _splitter(self) -> Callable[[str], Sequence[str]]:
        raise NotImplementedError

    def statistics(self, evaluation: EvaluationSet, *, threads: int = 1) -> dict[str, FloatArray]:
        """Edits and mean reference length; (n_segments, 2) per system."""
        split = self._splitter()

        def extract(block: Block) -> FloatArray:
            references, hypotheses = block
            rows = np.empty((len(hypotheses), len(references[0]), 2))
            for segment, texts in enumerate(zip(*references, strict=True)):
                aims = [split(text) for text in texts if text is not None]
                length = sum(map(len, aims)) / max(len(aims), 1)
                for system, outputs in enumerate(hypotheses):
                    output = split(outputs[segment])
                    rows[system, segment] = min((edit_distance(output, aim) for aim in aims), default=0), length
            return rows

        return statistics_by_blocks(evaluation, self.key, extract, 2, threads)

    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        """Rates of single segments."""
        return self.corpus_scores(statistics)


@dataclass(frozen=True, kw_only=True)
class WordErrorRate(_ErrorRate):
    """Word error rate; `tokenize` says what a word is."""

    kind: str = field(default="wer", init=False)
    tokenize: str = "none"

    def signature(self, n_references: int | str) -> str:
        """Options and version."""
        case = "lc" if self.lowercase else "mixed"
        tokens = tokenizer_signature(self.tokenize)
        return f"wer|nrefs:{n_references}|case:{case}|tok:{tokens}|version:mtsig-{__version__}"

    def _splitter(self) -> Callable[[str], Sequence[str]]:
        return word_splitter(self.tokenize, lowercase=self.lowercase)


@dataclass(frozen=True, kw_only=True)
class CharacterErrorRate(_ErrorRate):
    """Character error rate: code points, spaces between words among them, whitespace at both ends aside."""

    kind: str = field(default="cer", init=False)

    def signature(self, n_references: int | str) -> str:
        """Options and version."""
        return f"cer|nrefs:{n_references}|case:{'lc' if self.lowercase else 'mixed'}|version:mtsig-{__version__}"

    def _splitter(self) -> Callable[[str], Sequence[str]]:
        return (lambda text: text.strip().lower()) if self.lowercase else str.strip


def create(
    key: str, settings: Mapping[str, Any], langpair: str, testset_settings: Mapping[str, Any] | None = None
) -> Metric:
    """Make the metric that the configuration calls `key`; see `mtsig.metrics.create_metric`."""
    del testset_settings
    if settings.get("kind", key) == "cer":
        return CharacterErrorRate(key=key, **given_options(key, settings, ["lowercase"]))
    options = given_options(key, settings, ["tokenize", "lowercase"])
    return WordErrorRate(key=key, **{**options, "tokenize": tokenizer_of(key, settings, langpair)})
