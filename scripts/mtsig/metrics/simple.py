"""Two metrics that need no library: exact match and the ratio of lengths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from mtsig import __version__
from mtsig.metrics.base import FloatArray, MeanMetric, Metric, divide
from mtsig.metrics.catalog import given_options
from mtsig.metrics.extraction import require_references

if TYPE_CHECKING:
    from mtsig.corpus.model import EvaluationSet

__all__ = ["ExactMatch", "LengthRatio", "create"]


@dataclass(frozen=True, kw_only=True)
class ExactMatch(MeanMetric):
    """Share of segments that equal one of their references, whitespace at both ends aside."""

    kind: str = field(default="exact_match", init=False)
    higher_is_better: bool | None = field(default=True, init=False)
    scale: float = field(default=1.0, init=False)
    lowercase: bool = False

    def signature(self, n_references: int | str) -> str:
        """Number of references, case and version."""
        case = "lc" if self.lowercase else "mixed"
        return f"exact_match|nrefs:{n_references}|case:{case}|version:mtsig-{__version__}"

    def statistics(self, evaluation: EvaluationSet, *, threads: int = 1) -> dict[str, FloatArray]:
        """1 where the hypothesis equals a reference, else 0; (n_segments, 1) per system."""
        del threads
        require_references(evaluation, self.key)
        accepted = [
            {self._normal(text) for text in texts if text is not None}
            for texts in zip(*evaluation.references.values(), strict=True)
        ]
        return {
            system: np.array(
                [
                    [np.nan if text is None or not texts else float(self._normal(text) in texts)]
                    for text, texts in zip(hypotheses, accepted, strict=True)
                ]
            ).reshape(-1, 1)
            for system, hypotheses in evaluation.systems.items()
        }

    def _normal(self, text: str) -> str:
        return text.strip().lower() if self.lowercase else text.strip()


@dataclass(frozen=True, kw_only=True)
class LengthRatio(Metric):
    """Length of the output over the length of the reference: the ``ratio`` that sacreBLEU prints with BLEU.

    Lengths are counted in tokens of BLEU's tokenizer; of several references the closest one in length counts. There
    is no direction: neither longer nor shorter is better. Undefined (NaN) where the references are empty.
    """

    kind: str = field(default="length_ratio", init=False)
    higher_is_better: bool | None = field(default=None, init=False)
    scale: float = field(default=1.0, init=False)
    statistic_names: tuple[str, ...] = field(default=("hyp_len", "ref_len"), init=False)
    bleu: Metric

    @property
    def word_tokenizer(self) -> str | None:
        """BLEU's."""
        return self.bleu.word_tokenizer

    def signature(self, n_references: int | str) -> str:
        """Number of references, tokenizer and version of sacreBLEU."""
        entries = dict(entry.split(":", 1) for entry in self.bleu.signature(n_references).split("|"))
        return f"length_ratio|nrefs:{n_references}|tok:{entries['tok']}|version:{entries['version']}"

    def statistics(self, evaluation: EvaluationSet, *, threads: int = 1) -> dict[str, FloatArray]:
        """Numbers of tokens of hypothesis and reference; (n_segments, 2) per system."""
        statistics = self.bleu.statistics(evaluation, threads=threads)
        return {system: rows[:, :2].copy() for system, rows in statistics.items()}

    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        """Ratio of the lengths, segment by segment."""
        return self.corpus_scores(statistics)

    def corpus_scores(self, sums: FloatArray) -> FloatArray:
        """Ratio of the summed lengths."""
        sums = np.asarray(sums, dtype=np.float64)
        return divide(sums[..., 0], sums[..., 1])


def create(
    key: str, settings: Mapping[str, Any], langpair: str, testset_settings: Mapping[str, Any] | None = None
) -> Metric:
    """Make the metric that the configuration calls `key`; see `mtsig.metrics.create_metric`."""
    from mtsig.metrics import sacrebleu_family

    if settings.get("kind", key) == "exact_match":
        return ExactMatch(key=key, **given_options(key, settings, ["lowercase"]))
    options = given_options(key, settings, ["tokenize"])
    bleu = sacrebleu_family.create(
        key, {"kind": "bleu", "max_ngram_order": 1, "force": True, **options}, langpair, testset_settings
    )
    return LengthRatio(key=key, bleu=bleu)
