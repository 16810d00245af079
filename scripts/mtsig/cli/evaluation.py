"""From a test set to results: what the steps of the workflow do, in memory or one after the other in a folder."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from mtsig.cli.texts import TESTSET, UNKNOWN_LANGPAIR

if TYPE_CHECKING:
    from mtsig.corpus.model import EvaluationSet, Finding
    from mtsig.report.results import MetricResult

__all__ = ["Workspace", "evaluate", "load", "threads", "workspace"]

_LOG = logging.getLogger(__name__)
# Findings that are shown; `mtsig lint` shows all.
_SHOWN = 5
# Segments that tell how a language is written.
_LOOKED_AT = 100
# Kinds of metrics whose tokenizer follows the target language.
_OF_WORDS = ("bleu", "length_ratio", "nist", "gtm", "wer")


def load(settings: Mapping[str, Any], metrics: Mapping[str, Mapping[str, Any]]) -> EvaluationSet:
    """Read a test set, and warn of what is wrong with it or does not suit the metrics."""
    return load_with_findings(settings, metrics)[0]


def load_with_findings(
    settings: Mapping[str, Any], metrics: Mapping[str, Mapping[str, Any]]
) -> tuple[EvaluationSet, tuple[Finding, ...]]:
    """Read a test set as `load` does, and give what was found about it as well."""
    from mtsig.corpus.lint import lint
    from mtsig.corpus.reading import read

    evaluation = read(TESTSET, settings)
    findings = lint(evaluation)
    warnings = [finding for finding in findings if finding.level == "warning"]
    for finding in warnings[:_SHOWN]:
        _LOG.warning("%s", finding.message)
    if len(warnings) > _SHOWN:
        _LOG.warning("%d more; `mtsig lint` shows them all.", len(warnings) - _SHOWN)
    unsuited = [name for name, its in metrics.items() if its["kind"] in _OF_WORDS and "tokenize" not in its]
    if unsuited and evaluation.langpair == UNKNOWN_LANGPAIR and _is_written_without_spaces(evaluation):
        _LOG.warning(
            "%s: the references are written without spaces, and words are split at spaces. Name the languages with "
            "--langpair, as in en-zh or en-ja.",
            ", ".join(unsuited),
        )
    return evaluation, findings


def _is_written_without_spaces(evaluation: EvaluationSet) -> bool:
    """Whether most letters of the references are Han characters or Kana."""
    from mtsig.corpus.checks.writing import RANGES

    ranges = (*RANGES["Han"], *RANGES["Kana"])
    texts = [text or "" for column in evaluation.references.values() for text in column[:_LOOKED_AT]]
    if all(map(str.isascii, texts)):
        return False
    letters = [ord(character) for text in texts for character in text if character.isalpha()]
    return 2 * sum(any(low <= letter <= high for low, high in ranges) for letter in letters) > len(letters)


@dataclass(frozen=True)
class Workspace:
    """A folder in which the tables of one test set stand.

    Attributes
    ----------
    folder
        It goes when the command ends.
    evaluation
        The test set.
    settings
        Its settings.
    missing
        What to do about segments without a score, ``error`` or ``intersect``.
    """

    folder: Path
    evaluation: EvaluationSet
    settings: Mapping[str, Any]
    missing: str

    @property
    def common(self) -> dict[str, Any]:
        """What all steps want to know."""
        return {"segments": self.folder / "segments.parquet", "testset": TESTSET, "langpair": self.evaluation.langpair}

    def scores(self, metric: str, settings: Mapping[str, Any]) -> Path:
        """Score the test set with a metric; the table of scores."""
        from mtsig.steps.score import score_texts

        path = self.folder / f"{len(list(self.folder.iterdir()))}.scores.parquet"
        score_texts(
            self.evaluation,
            testset=TESTSET,
            langpair=self.evaluation.langpair,
            metric=metric,
            settings=settings,
            missing=self.missing,
            scores=path,
            testset_settings=self.settings,
            threads=threads(),
        )
        return path


def threads() -> int:
    """How many threads this process may keep busy; no number depends on it."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def workspace(
    evaluation: EvaluationSet, settings: Mapping[str, Any] | None = None, *, missing: str = "error"
) -> Iterator[Workspace]:
    """Write a test set's segments as a table for the steps that read it."""
    from mtsig.steps.evaluation_set import save_segments

    with TemporaryDirectory() as name:
        folder = Path(name)
        save_segments(evaluation, folder / "segments.parquet")
        yield Workspace(folder, evaluation, settings or {}, missing)


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
            threads=threads(),
        )
        results.append(result_of(rows["systems"], rows["pairs"]))
    return results
