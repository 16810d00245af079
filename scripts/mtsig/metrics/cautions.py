"""For which texts a metric means something: flags of systems and pairs that follow from texts, options and scores.

Flags change no number. They travel with the scores, in the metadata of their table, into the rows of results.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from typing import TYPE_CHECKING

from mtsig.corpus.checks.writing import is_written_without_spaces

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mtsig.corpus.model import EvaluationSet
    from mtsig.metrics.base import Metric

__all__ = ["NO_VERDICT", "Cautions", "cautions_of"]

#: Flags of pairs that the metric cannot tell apart whatever the outputs are: no test decides about them.
NO_VERDICT = frozenset({"no_ngrams"})
_EQUAL = "equal_texts"

#: How words are found by tokenizers that need spaces between them.
_AT_SPACES = frozenset({"none", "13a", "intl", "tercom", "chrf"})
# References that tell how a language is written.
_LOOKED_AT = 200


@dataclass(frozen=True)
class Cautions:
    """Flags of `mtsig.contracts.FLAGS` by whom they concern.

    Attributes
    ----------
    systems
        System to its flags, which pairs with it have too.
    pairs
        Two systems, in alphabetical order, to the further flags of their pair.

    Examples
    --------
    >>> cautions = Cautions({"A": frozenset({"no_ngrams"})}, {("A", "B"): frozenset({"unequal_scores"})})
    >>> sorted(cautions.of_pair("B", "A")), Cautions.from_json(cautions.to_json()) == cautions
    (['no_ngrams', 'unequal_scores'], True)
    """

    systems: Mapping[str, frozenset[str]] = field(default_factory=dict)
    pairs: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)

    def of_system(self, system: str) -> frozenset[str]:
        """The flags of one system."""
        return self.systems.get(system, frozenset())

    def of_pair(self, first: str, second: str) -> frozenset[str]:
        """The flags of a pair, those of both systems among them."""
        key = (first, second) if first <= second else (second, first)
        return self.of_system(first) | self.of_system(second) | self.pairs.get(key, frozenset())

    @classmethod
    def union(cls, parts: Iterable[Cautions]) -> Cautions:
        """All that any of several says."""
        systems: dict[str, frozenset[str]] = {}
        pairs: dict[tuple[str, str], frozenset[str]] = {}
        for part in parts:
            for system, flags in part.systems.items():
                systems[system] = systems.get(system, frozenset()) | flags
            for pair, flags in part.pairs.items():
                pairs[pair] = pairs.get(pair, frozenset()) | flags
        return cls(systems, pairs)

    @classmethod
    def of_suite(cls, parts: Sequence[Cautions]) -> Cautions:
        """All that any of several test sets says, and that texts are equal where all of them say so."""
        joint = cls.union(parts)
        everywhere = {pair for pair in joint.pairs if all(_EQUAL in part.pairs.get(pair, ()) for part in parts)}
        pairs = {pair: flags if pair in everywhere else flags - {_EQUAL} for pair, flags in joint.pairs.items()}
        return cls(joint.systems, pairs)

    def to_json(self) -> str:
        """As a text for a table's metadata; empty where there is nothing to say."""
        if not self.systems and not self.pairs:
            return ""
        return json.dumps(
            {
                "systems": {system: sorted(flags) for system, flags in sorted(self.systems.items())},
                "pairs": [[*pair, sorted(flags)] for pair, flags in sorted(self.pairs.items())],
            },
            ensure_ascii=False,
        )

    @classmethod
    def from_json(cls, text: str) -> Cautions:
        """What `to_json` wrote."""
        if not text:
            return cls()
        content = json.loads(text)
        return cls(
            {system: frozenset(flags) for system, flags in content["systems"].items()},
            {(first, second): frozenset(flags) for first, second, flags in content["pairs"]},
        )


def cautions_of(metric: Metric, evaluation: EvaluationSet, statistics: Mapping[str, NDArray[np.float64]]) -> Cautions:
    """What is to be said about a metric's scores of these texts.

    Parameters
    ----------
    metric
        The metric.
    evaluation
        The texts.
    statistics
        What `metric` made of them.
    """
    own = Cautions.union([metric.cautions(evaluation, statistics), _equal_texts(evaluation)])
    if metric.word_tokenizer not in _AT_SPACES or not _lacks_spaces(evaluation):
        return own
    return Cautions.union([own, Cautions(dict.fromkeys(evaluation.systems, frozenset({"no_word_boundaries"})))])


def _equal_texts(evaluation: EvaluationSet) -> Cautions:
    """The pairs of systems that have the same texts wherever both have one."""
    names = sorted(evaluation.systems)
    same = [pair for pair in combinations(names, 2) if _are_equal(*(evaluation.systems[name] for name in pair))]
    return Cautions(pairs=dict.fromkeys(same, frozenset({_EQUAL})))


def _are_equal(texts: Sequence[str | None], others: Sequence[str | None]) -> bool:
    """Whether texts are equal wherever both are there, which they are somewhere."""
    some = False
    for text, other in zip(texts, others, strict=True):
        if text is not None and other is not None:
            if text != other:
                return False
            some = True
    return some


def _lacks_spaces(evaluation: EvaluationSet) -> bool:
    texts = chain.from_iterable(column[:_LOOKED_AT] for column in evaluation.references.values())
    return is_written_without_spaces(text for text in texts if text)
