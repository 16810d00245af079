"""BLEU, chrF, chrF++ and TER, with sacreBLEU's statistics, scores and signatures.

The values on degenerate input are sacreBLEU's. An empty hypothesis gives chrF 0, TER 100 (all reference words
missing), and adds nothing but its reference length to BLEU. Against an empty reference BLEU and chrF are 0 and TER
is 100, or 0 if the hypothesis is empty too. Segments that hold only whitespace are empty. A missing reference is no
reference at all; a segment where all are missing has no statistics.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mtsig.errors import ConfigError
from mtsig.kernels import extraction
from mtsig.kernels.formulas import Formula
from mtsig.metrics import _sacrebleu, arithmetic
from mtsig.metrics.base import FloatArray, Metric
from mtsig.metrics.catalog import OWN_TOKENIZERS, given_options, tokenizer_of
from mtsig.metrics.cautions import Cautions
from mtsig.metrics.extraction import Block, statistics_by_blocks, without_missing
from mtsig.metrics.tokens import tokenizer_signature, word_splitter

if TYPE_CHECKING:
    from mtsig.corpus.model import EvaluationSet

__all__ = ["Bleu", "Chrf", "Ter", "create"]

_log = logging.getLogger(__name__)
_SUSPICIOUS_LINES = 100
# Of numbers among the options, as in the metrics' schemas.
_BOUNDS = {
    "max_ngram_order": (1, 16),
    "char_order": (1, 16),
    "word_order": (0, 16),
    "smooth_value": (0, 1_000_000),
    "beta": (0, 1_000_000),
}


@dataclass(frozen=True, kw_only=True)
class _SacrebleuMetric(Metric):
    """What the three have in common: one sacreBLEU object that knows tokenizer and signature."""

    #: What the signature says of the options while they have their defaults, and those that may have any value.
    _usual: ClassVar[str]
    _free: ClassVar[frozenset[str]] = frozenset({"key", "kind"})

    scale: float = field(default=100.0, init=False)

    @cached_property
    def _peer(self) -> Any:
        raise NotImplementedError

    def signature(self, n_references: int | str) -> str:
        """The full signature that sacreBLEU gives, and before its version the options that it leaves out."""
        options = ((entry.name, entry.default) for entry in fields(self) if entry.init)
        if all(name in self._free or getattr(self, name) == default for name, default in options):
            return _sacrebleu.usual_signature(self._usual.format(self), n_references)
        head, version, number = _sacrebleu.signature(self._peer, n_references).rpartition("|version:")
        return "|".join([head, *self._unsigned()]) + version + number

    def _unsigned(self) -> Iterator[str]:
        """Options that change numbers and that sacreBLEU's signature leaves out, where they are not the usual ones."""
        raise NotImplementedError

    def statistics(self, evaluation: EvaluationSet, *, threads: int = 1) -> dict[str, FloatArray]:
        """Sufficient statistics per system, segment and name, equal to sacreBLEU's."""
        return statistics_by_blocks(evaluation, self.key, self._extract, len(self.statistic_names), threads)

    def _extract(self, block: Block) -> FloatArray:
        """Statistics of a block of segments, (n_systems, n_block, n_statistics)."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Bleu(_SacrebleuMetric):
    """BLEU (Papineni et al., 2002). Options as in sacreBLEU; `tokenize` is a tokenizer's name."""

    _usual = "case:mixed|eff:no|tok:13a|smooth:exp"
    _free = frozenset({"key", "kind", "force"})

    kind: str = field(default="bleu", init=False)
    higher_is_better: bool | None = field(default=True, init=False)
    statistic_names: tuple[str, ...] = field(init=False)
    tokenize: str = "13a"
    lowercase: bool = False
    smooth_method: str = "exp"
    smooth_value: float | None = None
    max_ngram_order: int = 4
    effective_order: bool = False
    force: bool = False

    def __post_init__(self) -> None:
        orders = range(1, self.max_ngram_order + 1)
        names = ("hyp_len", "ref_len", *(f"correct_{n}" for n in orders), *(f"total_{n}" for n in orders))
        object.__setattr__(self, "statistic_names", names)

    @cached_property
    def _peer(self) -> Any:
        return _sacrebleu.make(
            "BLEU",
            lowercase=self.lowercase,
            force=self.force,
            tokenize=self.tokenize,
            smooth_method=self.smooth_method,
            smooth_value=self.smooth_value,
            max_ngram_order=self.max_ngram_order,
            effective_order=self.effective_order,
        )

    def _unsigned(self) -> Iterator[str]:
        if self.max_ngram_order != 4:
            yield f"ngrams:{self.max_ngram_order}"
        # Of smoothing values two decimals are shown.
        value = self.smooth_value
        if self.smooth_method in ("floor", "add-k") and value is not None and round(value, 2) != value:
            yield f"smooth_value:{value!r}"

    def statistics(self, evaluation: EvaluationSet, *, threads: int = 1) -> dict[str, FloatArray]:
        """Sufficient statistics per system, segment and name, equal to sacreBLEU's."""
        if not self.force:
            _warn_of_tokenized_outputs(evaluation)
        return super().statistics(evaluation, threads=threads)

    def _extract(self, block: Block) -> FloatArray:
        references, hypotheses = block
        return extraction.bleu_statistics(
            [self._prepared([text for text in texts if text is not None]) for texts in zip(*references, strict=True)],
            [self._prepared(texts) for texts in hypotheses],
            tokenize=self.tokenize == "13a",
            max_ngram_order=self.max_ngram_order,
        )

    def _prepared(self, texts: list[str]) -> list[str]:
        """The texts as the kernel takes them: in words already, unless it knows the tokenizer itself."""
        if self.tokenize not in ("13a", "none"):
            return [_sacrebleu.preprocess(self._peer, text) for text in texts]
        if self.lowercase:
            return [text.lower().rstrip() for text in texts]
        return [text.rstrip() for text in texts]

    def cautions(self, evaluation: EvaluationSet, statistics: Mapping[str, FloatArray]) -> Cautions:
        """All systems, where no reference has an n-gram of the longest kind, which then matches nothing."""
        lengths = [np.nan_to_num(rows[:, 1]).max() for rows in statistics.values() if len(rows)]
        if self.effective_order or not lengths or max(lengths) >= self.max_ngram_order:
            return Cautions()
        # What was counted are the lengths of the closest references; now all of them count.
        for texts in evaluation.references.values():
            present = [text for text in texts if text]
            if present and self._extract(([present], [present]))[..., 0].max() >= self.max_ngram_order:
                return Cautions()
        return Cautions(dict.fromkeys(statistics, frozenset({"no_ngrams"})))

    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        """Sentence scores of sacreBLEU, always with effective order."""
        return self._scores(statistics, effective_order=True)

    def corpus_scores(self, sums: FloatArray) -> FloatArray:
        """Corpus BLEU, 0 to 100."""
        return self._scores(np.asarray(sums, dtype=np.float64), effective_order=self.effective_order)

    def sacrebleu_scores(self, sums: NDArray[Any]) -> NDArray[Any] | None:
        """As the paired tests of sacreBLEU compute them: float32 sums for the bootstrap, double for randomization."""
        return self._scores(sums, effective_order=self.effective_order, integer_sums=sums.dtype != np.float32)

    @property
    def formula(self) -> Formula:
        """BLEU with these options."""
        return self._formula(integer_sums=False)

    @property
    def sacrebleu_formula(self) -> Formula:
        """The same, but for whole sums under add-k smoothing."""
        return self._formula(integer_sums=True)

    def _formula(self, *, integer_sums: bool) -> Formula:
        return arithmetic.bleu_formula(
            self.smooth_method, self.smooth_value, effective_order=self.effective_order, integer_sums=integer_sums
        )

    def _scores(self, sums: NDArray[Any], *, effective_order: bool, integer_sums: bool = False) -> FloatArray:
        return arithmetic.bleu(
            sums,
            max_ngram_order=self.max_ngram_order,
            smooth_method=self.smooth_method,
            smooth_value=self.smooth_value,
            effective_order=effective_order,
            integer_sums=integer_sums,
        )


@dataclass(frozen=True, kw_only=True)
class Chrf(_SacrebleuMetric):
    """chrF (Popović, 2015) and chrF++ (Popović, 2017). Options as in sacreBLEU, and a tokenizer for word n-grams."""

    _usual = "case:mixed|eff:yes|nc:6|nw:{0.word_order}|space:no"
    _free = frozenset({"key", "kind", "word_order"})
    higher_is_better: bool | None = field(default=True, init=False)
    statistic_names: tuple[str, ...] = field(init=False)
    char_order: int = 6
    word_order: int = 0
    beta: int = 2
    lowercase: bool = False
    whitespace: bool = False
    eps_smoothing: bool = False
    tokenize: str = OWN_TOKENIZERS["chrf"]

    def __post_init__(self) -> None:
        orders = [("char", n) for n in range(1, self.char_order + 1)]
        orders += [("word", n) for n in range(1, self.word_order + 1)]
        names = tuple(f"{unit}_{count}_{n}" for unit, n in orders for count in ("hyp", "ref", "match"))
        object.__setattr__(self, "statistic_names", names)

    @cached_property
    def _peer(self) -> Any:
        return _sacrebleu.make(
            "CHRF",
            char_order=self.char_order,
            word_order=self.word_order,
            beta=self.beta,
            lowercase=self.lowercase,
            whitespace=self.whitespace,
            eps_smoothing=self.eps_smoothing,
        )

    def _unsigned(self) -> Iterator[str]:
        if self.beta != 2:
            yield f"beta:{self.beta}"
        if self.tokenize != OWN_TOKENIZERS["chrf"]:
            yield f"tok:{tokenizer_signature(self.tokenize)}"

    @property
    def word_tokenizer(self) -> str | None:
        """The one of its options, where there are word n-grams."""
        return self.tokenize if self.word_order else None

    @cached_property
    def _split(self) -> Callable[[str], list[str]]:
        return word_splitter(self.tokenize, lowercase=False)

    def _extract(self, block: Block) -> FloatArray:
        """Statistics against the reference that gives the best sentence score, the first one of several."""
        references, hypotheses = block
        texts = [self._prepared(system) for system in hypotheses]
        best = self._against(references[0], texts)
        if len(references) == 1:
            return best
        best_score = self._sentence_scores(references[0], best)
        for reference in references[1:]:
            statistics = self._against(reference, texts)
            score = self._sentence_scores(reference, statistics)
            better = score > best_score
            best[better], best_score[better] = statistics[better], score[better]
        return best

    def _against(self, reference: Sequence[str | None], hypotheses: list[list[str]]) -> FloatArray:
        references = self._prepared(without_missing(reference))
        if self.tokenize == OWN_TOKENIZERS["chrf"]:
            return extraction.chrf_statistics(
                references,
                hypotheses,
                char_order=self.char_order,
                word_order=self.word_order,
                whitespace=self.whitespace,
            )
        # Characters of the texts as they are; of the texts in words only the words.
        characters = extraction.chrf_statistics(
            references, hypotheses, char_order=self.char_order, word_order=0, whitespace=self.whitespace
        )
        words = extraction.chrf_statistics(
            self._spaced(references),
            [self._spaced(texts) for texts in hypotheses],
            char_order=1,
            word_order=self.word_order,
            whitespace=False,
        )
        return np.concatenate([characters, words[..., 3:]], axis=-1)

    def _spaced(self, texts: list[str]) -> list[str]:
        return [" ".join(self._split(text)) for text in texts]

    def _sentence_scores(self, reference: Sequence[str | None], statistics: FloatArray) -> FloatArray:
        """Sentence scores, -1 where the reference is missing, so that any other one is better."""
        missing = np.array([text is None for text in reference])
        return np.where(missing, -1.0, self._scores(statistics))

    def _prepared(self, texts: list[str]) -> list[str]:
        return [text.lower() for text in texts] if self.lowercase else texts

    def cautions(self, evaluation: EvaluationSet, statistics: Mapping[str, FloatArray]) -> Cautions:
        """Systems whose corpus score depends on the order of the references.

        On segments on which all references score 0 the first one counts, as in sacreBLEU.
        """
        references = list(evaluation.references.values())
        if len(references) < 2:
            return Cautions()
        flagged = {}
        for system, rows in statistics.items():
            tied = np.flatnonzero(self._scores(rows) == 0)
            if not len(tied):
                continue
            texts = without_missing([evaluation.systems[system][row] for row in tied])
            streams = [[reference[row] for row in tied] for reference in references]
            score = self.corpus_score(rows)
            for first in range(1, len(streams)):
                reordered = rows.copy()
                reordered[tied] = self._extract(([streams[first], *streams[:first], *streams[first + 1 :]], [texts]))[0]
                if abs(self.corpus_score(reordered) - score) > 1e-9 * self.scale:
                    flagged[system] = frozenset({"reference_order"})
                    break
        return Cautions(flagged)

    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        """Sentence chrF, 0 to 100."""
        return self._scores(statistics)

    def corpus_scores(self, sums: FloatArray) -> FloatArray:
        """Corpus chrF, 0 to 100."""
        return self._scores(np.asarray(sums, dtype=np.float64))

    def sacrebleu_scores(self, sums: NDArray[Any]) -> NDArray[Any] | None:
        """As the paired tests of sacreBLEU compute them, in the precision of `sums`."""
        return self._scores(sums)

    def sacrebleu_doubles(self, sums: NDArray[Any]) -> NDArray[np.bool_]:
        """Where no order contributes to the score: sacreBLEU then returns a literal zero or sums of its epsilon."""
        hypothesis, reference, matches = (sums[..., column::3] > 0 for column in range(3))
        contributes = hypothesis & reference & matches
        if self.eps_smoothing:
            contributes |= hypothesis ^ reference
        doubles: NDArray[np.bool_] = np.logical_not(contributes.any(axis=-1))
        return doubles

    @property
    def formula(self) -> Formula | None:
        """ChrF with these options."""
        return arithmetic.chrf_formula(beta=self.beta, eps_smoothing=self.eps_smoothing)

    def _scores(self, sums: NDArray[Any]) -> NDArray[Any]:
        return arithmetic.chrf(
            sums, order=self.char_order + self.word_order, beta=self.beta, eps_smoothing=self.eps_smoothing
        )


@dataclass(frozen=True, kw_only=True)
class Ter(_SacrebleuMetric):
    """Translation edit rate (Snover et al., 2006); lower is better. Options as in sacreBLEU, and a tokenizer.

    The tokenizer works before Tercom's own treatment of texts, which splits at whitespace unless it normalizes.
    With several references ``ref_len`` is their mean length, so the statistics need not be whole numbers.
    """

    _usual = "case:lc|tok:tercom|norm:no|punct:yes|asian:no"
    kind: str = field(default="ter", init=False)
    higher_is_better: bool | None = field(default=False, init=False)
    statistic_names: tuple[str, ...] = field(default=("edits", "ref_len"), init=False)
    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False
    tokenize: str = OWN_TOKENIZERS["ter"]

    @cached_property
    def _peer(self) -> Any:
        return _sacrebleu.make(
            "TER",
            normalized=self.normalized,
            no_punct=self.no_punct,
            asian_support=self.asian_support,
            case_sensitive=self.case_sensitive,
        )

    def signature(self, n_references: int | str) -> str:
        """SacreBLEU's, with the tokenizer that comes first."""
        signature = super().signature(n_references)
        if self.tokenize == OWN_TOKENIZERS["ter"]:
            return signature
        return signature.replace("|tok:tercom|", f"|tok:{tokenizer_signature(self.tokenize)}|")

    def _unsigned(self) -> Iterator[str]:
        yield from ()

    @property
    def word_tokenizer(self) -> str | None:
        """The one of its options; None where Tercom's normalization takes Asian texts apart."""
        return None if self.asian_support else self.tokenize

    @cached_property
    def _split(self) -> Callable[[str], list[str]]:
        return word_splitter(self.tokenize, lowercase=False)

    def _extract(self, block: Block) -> FloatArray:
        """Fewest edits of all references, and their mean length."""
        references, hypotheses = block
        texts = [self._prepared(self._in_words(system)) for system in hypotheses]
        edits = np.full((len(hypotheses), len(references[0])), np.inf)
        length, count = np.zeros(len(references[0])), np.zeros(len(references[0]))
        for reference in references:
            present = np.array([text is not None for text in reference])
            # sacreBLEU preprocesses references twice.
            reference_texts = self._prepared(self._prepared(self._in_words(without_missing(reference))))
            statistics = extraction.ter_statistics(reference_texts, texts)
            edits = np.where(present, np.minimum(edits, statistics[..., 0]), edits)
            length += np.where(present, statistics[0, :, 1], 0)
            count += present
        mean_length = length / np.maximum(count, 1)
        return np.stack([edits, np.broadcast_to(mean_length, edits.shape)], axis=-1)

    def _in_words(self, texts: list[str]) -> list[str]:
        return texts if self.tokenize == OWN_TOKENIZERS["ter"] else [" ".join(self._split(text)) for text in texts]

    def _prepared(self, texts: list[str]) -> list[str]:
        if self.normalized or self.no_punct:  # asian_support does nothing without them
            return [_sacrebleu.preprocess(self._peer, text) for text in texts]
        if self.case_sensitive:
            return [text.rstrip() for text in texts]
        return [text.rstrip().lower() for text in texts]

    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        """Sentence TER."""
        return arithmetic.ter(statistics)

    def corpus_scores(self, sums: FloatArray) -> FloatArray:
        """Corpus TER."""
        return arithmetic.ter(np.asarray(sums, dtype=np.float64))

    def sacrebleu_scores(self, sums: NDArray[Any]) -> NDArray[Any] | None:
        """As the paired tests of sacreBLEU compute them, in the precision of `sums`."""
        return arithmetic.ter(sums)

    def sacrebleu_doubles(self, sums: NDArray[Any]) -> NDArray[np.bool_]:
        """Where the references are empty and the score is a literal 0 or 100."""
        return ~(sums[..., 1] > 0)

    @property
    def formula(self) -> Formula:
        """TER."""
        return arithmetic.ter_formula()


def _warn_of_tokenized_outputs(evaluation: EvaluationSet) -> None:
    """Warn, as sacreBLEU does, of outputs in which a hundred lines end in a detached period."""
    for system, hypotheses in evaluation.systems.items():
        count = sum(text is not None and text.endswith(" .") for text in hypotheses)
        if count >= _SUSPICIOUS_LINES:
            _log.warning(
                "%s: %d lines of system %s end in a detached period. BLEU expects detokenized text; if it is, or you "
                "do not mind, set the metric's option `force: true`.",
                evaluation.testset,
                count,
                system,
            )


def create(
    key: str, settings: Mapping[str, Any], langpair: str, testset_settings: Mapping[str, Any] | None = None
) -> Metric:
    """Make the metric that the configuration calls `key`; see `mtsig.metrics.create_metric`."""
    del testset_settings
    kind = settings.get("kind", key)
    settings = {**settings, "tokenize": tokenizer_of(key, settings, langpair)}
    if kind == "bleu":
        return _make(Bleu, key, settings)
    if kind == "ter":
        if settings.get("asian_support") and not (settings.get("normalized") or settings.get("no_punct")):
            raise ConfigError(
                f"metrics.{key}.asian_support: has no effect without `normalized` or `no_punct`. Set "
                "`normalized: true` beside it, or leave it out: words then follow the target language (`tokenize`)."
            )
        return _make(Ter, key, settings)
    defaults = {"kind": kind, "word_order": 2 if kind == "chrf++" else 0}
    metric = _make(Chrf, key, settings, **defaults)
    if metric.word_tokenizer is None and settings["tokenize"] != OWN_TOKENIZERS[kind]:
        raise ConfigError(
            f"metrics.{key}.tokenize: has no effect on n-grams of characters. Set `word_order`, or leave it out."
        )
    return metric


def _make(metric_class: type[Metric], key: str, settings: Mapping[str, Any], **defaults: Any) -> Metric:
    """Make the metric, or name the option that it does not have or that sacreBLEU refuses."""
    allowed = {entry.name for entry in fields(metric_class) if entry.init} - {"key", "kind"}
    options = {**defaults, **given_options(key, settings, allowed)}
    for name, (lowest, highest) in _BOUNDS.items():
        if options.get(name) is not None and not lowest <= options[name] <= highest:
            raise ConfigError(f"metrics.{key}.{name}: {options[name]} is not between {lowest} and {highest}.")
    metric = metric_class(key=key, **options)
    metric.signature(1)  # makes sacreBLEU's object where options are given, which refuses impossible ones
    return metric
