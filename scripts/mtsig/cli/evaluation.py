"""From a test set to results: what the steps of the workflow do, in memory."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from mtsig.cli.texts import TESTSET

if TYPE_CHECKING:
    from mtsig.corpus.model import EvaluationSet, Finding
    from mtsig.report.results import MetricResult

__all__ = ["evaluate", "load", "threads"]

_LOG = logging.getLogger(__name__)
# Kinds of warnings that are shown; `mtsig lint` shows all.
_SHOWN = 5


def load(settings: Mapping[str, Any], metrics: Mapping[str, Mapping[str, Any]]) -> EvaluationSet:
    """Read a test set, and warn of what is wrong with it or does not suit the metrics."""
    return load_with_findings(settings, metrics)[0]


def load_with_findings(
    settings: Mapping[str, Any], metrics: Mapping[str, Mapping[str, Any]]
) -> tuple[EvaluationSet, tuple[Finding, ...]]:
    """Read a test set as `load` does, and give what was found about it as well."""
    from mtsig.corpus.lint import lint, summary
    from mtsig.corpus.reading import read

    evaluation = read(TESTSET, settings)
    findings = lint(evaluation)
    lines = summary(findings, _SHOWN)
    for line in lines:
        _LOG.warning("%s", line)
    n_warnings = sum(finding.level == "warning" for finding in findings)
    if n_warnings > len(lines):
        _LOG.warning("%d warnings in all; `mtsig lint` shows them.", n_warnings)
    return evaluation, findings


def threads() -> int:
    """How many threads this process may keep busy; no number depends on it."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def evaluate(
    settings: Mapping[str, Any],
    metrics: Mapping[str, Mapping[str, Any]],
    **options: Any,
) -> list[MetricResult]:
    """Read a test set, score all its systems and compare them: the rows that the workflow writes, without its files.

    Parameters
    ----------
    settings
        The test set's settings.
    metrics
        Metrics and their settings, in the order of the results.
    **options
        Those of `mtsig.resampling.settings.ResamplingSettings`.

    Returns
    -------
    list of MetricResult
        One for each metric.
    """
    from mtsig.metrics import create_metric
    from mtsig.metrics.base import reference_count
    from mtsig.metrics.cautions import cautions_of
    from mtsig.report.results import result_of
    from mtsig.resampling.settings import ResamplingSettings
    from mtsig.steps.comparison import compare_systems, scorer_of
    from mtsig.steps.gaps import refuse_missing

    resampling = ResamplingSettings(**options)
    evaluation, findings = load_with_findings(settings, metrics)
    results = []
    for metric, its in metrics.items():
        scorer = create_metric(metric, its, evaluation.langpair)
        statistics = scorer.statistics(evaluation, threads=threads())
        refuse_missing(evaluation, metric, statistics)
        rows = compare_systems(
            statistics,
            scorer_of(metric, its, evaluation.langpair),
            resampling,
            testset=TESTSET,
            langpair=evaluation.langpair,
            metric=metric,
            signature=scorer.signature(reference_count(evaluation)),
            documents=evaluation.documents,
            domains=evaluation.domains,
            findings=map(asdict, findings),
            cautions=cautions_of(scorer, evaluation, statistics),
            threads=threads(),
        )
        results.append(result_of(rows["systems"], rows["pairs"]))
    return results
