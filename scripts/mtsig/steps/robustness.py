"""The step `robustness`: verdicts of one test set under every choice of a study of kind robustness."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from mtsig.errors import ConfigError
from mtsig.metrics import create_metric
from mtsig.metrics.catalog import kind_of
from mtsig.resampling.analysis import analyse
from mtsig.resampling.settings import ResamplingSettings
from mtsig.steps import evaluation_set
from mtsig.steps.comparison import scorer_of
from mtsig.steps.resample import read_statistics
from mtsig.steps.study import StudyJob, StudyTables
from mtsig.studies.robustness import BASIS, Choice, agreement, by_tests, left_out, resampled, verdicts_of

__all__ = ["robustness"]


def robustness(job: StudyJob) -> StudyTables:
    """Compare all pairs of systems under every choice: the first metric is the basis, the others are choices.

    Raises
    ------
    ConfigError
        If the basis has no direction, or tokenizers are given and it has none.
    InputError
        If a table is damaged.
    """
    basis, *others = _Work(job).choices()
    keys = {**job.keys, "metric": basis.value}
    rows = [
        {
            **keys,
            "choice_kind": choice.kind,
            "choice": choice.value,
            "system_a": pair[0],
            "system_b": pair[1],
            "delta": verdict.delta,
            "p_value": verdict.p_value,
            "winner": verdict.winner,
            "agrees": verdict.winner == basis.verdicts[pair].winner,
        }
        for choice in (basis, *others)
        for pair, verdict in sorted(choice.verdicts.items())
        if pair in basis.verdicts
    ]
    counts = [
        {
            **keys,
            "system_a": one.pair[0],
            "system_b": one.pair[1],
            "choice_kind": one.kind,
            "base_winner": one.basis,
            "choices": one.choices,
            "agree": one.agree,
            "lost": one.lost,
            "gained": one.gained,
            "turned": one.turned,
            "share_agree": one.share,
        }
        for one in agreement(basis, others)
    ]
    return StudyTables({"choices": rows, "agreement": counts}, metadata={"seed": job.settings["seed"]})


class _Work:
    """What all choices of one test set share."""

    def __init__(self, job: StudyJob) -> None:
        self.evaluation = evaluation_set.load(job.segments, job.hypotheses)
        self.langpair = job.langpair
        self.metrics = list(job.metrics)
        self.metric_settings = job.metrics
        self.settings = settings = job.settings
        self.threads = job.threads
        self.scores = job.score_files
        self.basis = self.metrics[0]
        self.scorer = scorer_of(self.basis, job.metrics[self.basis], job.langpair)
        if self.scorer.higher_is_better is None:
            raise ConfigError(f"metric: {self.basis} has no direction, so nothing can be better by it.")
        names = [field.name for field in fields(ResamplingSettings)]
        # The numbers of resamples are among the choices, so they are kept to.
        chosen = {name: settings[name] for name in names if name in settings}
        self.options = ResamplingSettings(**chosen, max_resamples=0)
        self.statistics = self._read(self.basis)

    def _read(self, metric: str) -> dict[str, Any]:
        scorer = scorer_of(metric, self.metric_settings[metric], self.langpair)
        return read_statistics(self.scores[metric], scorer.statistic_names, n_segments=self.evaluation.n_segments)

    def choices(self) -> Iterator[Choice]:
        """The basis, then every choice."""
        by_document = self.options.resample_unit == "document"
        analysis = analyse(
            self.statistics,
            self.scorer,
            self.options,
            documents=self.evaluation.documents if by_document else None,
            domains=self.evaluation.domains if by_document else None,
            threads=self.threads,
        )
        yield Choice(BASIS, self.basis, verdicts_of(analysis.pairs, self.options))
        for metric in self.metrics[1:]:
            scorer = scorer_of(metric, self.metric_settings[metric], self.langpair)
            yield self._resampled("metric", metric, statistics=self._read(metric), scorer=scorer)
        yield from self._texts()
        direction = bool(self.scorer.higher_is_better)
        yield from by_tests(analysis.pairs, self.settings["tests"], self.options, higher_is_better=direction)
        for seed in self.settings["seeds"]:
            yield self._resampled("seed", str(seed), options=replace(self.options, seed=seed))
        for number in self.settings["resamples"]:
            yield self._resampled("n_resamples", str(number), options=replace(self.options, n_resamples=number))
        for unit in self.settings["units"]:
            if unit != self.options.resample_unit and (unit == "segment" or None not in self.evaluation.documents):
                yield self._resampled("resample_unit", unit, options=replace(self.options, resample_unit=unit))
        yield from self._left_out()

    def _resampled(self, kind: str, value: str, **changes: Any) -> Choice:
        parts = {"statistics": self.statistics, "scorer": self.scorer, "options": self.options, **changes}
        return resampled(
            kind,
            value,
            parts["statistics"],
            parts["scorer"],
            parts["options"],
            documents=self.evaluation.documents,
            domains=self.evaluation.domains,
            threads=self.threads,
        )

    def _texts(self) -> Iterator[Choice]:
        """Choices that score the texts again: tokenizers and single references."""
        its = self.metric_settings[self.basis]
        if self.settings["tokenizers"] and "tokenize" not in its:
            raise ConfigError(f"tokenizers: {self.basis} has no tokenizer to choose. Leave the option out.")
        for tokenizer in self.settings["tokenizers"]:
            metric = create_metric(self.basis, {**its, "tokenize": tokenizer}, self.langpair)
            statistics = metric.statistics(self.evaluation, threads=self.threads)
            yield self._resampled("tokenizer", tokenizer, statistics=statistics, scorer=metric)
        references = self.evaluation.references
        if self.settings["references"] and len(references) > 1 and not kind_of(self.basis, its).mean_type:
            for name, texts in references.items():
                metric = create_metric(self.basis, its, self.langpair)
                one = replace(self.evaluation, references={name: texts})
                statistics = metric.statistics(one, threads=self.threads)
                yield self._resampled("reference", name, statistics=statistics, scorer=metric)

    def _left_out(self) -> Iterator[Choice]:
        documents, domains = self.evaluation.documents, self.evaluation.domains
        # A document is known by its domain too.
        whole = [
            None if document is None else document if domain is None else f"{domain}: {document}"
            for document, domain in zip(documents, domains, strict=True)
        ]
        for kind, labels in (("domain", domains), ("document", whole)):
            if kind in self.settings["leave_out"]:
                yield from left_out(
                    kind,
                    labels,
                    self.statistics,
                    self.scorer,
                    self.options,
                    documents=documents,
                    domains=domains,
                    threads=self.threads,
                )
