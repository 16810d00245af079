"""Texts to neural scores: one metric of kind ``comet``, all systems of a test set.

Runs in the Python that has COMET, which need not be the workflow's: beside COMET and torch, the modules that it reaches
need numpy, pyarrow and PyYAML only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from mtsig.contracts import scores_schema
from mtsig.corpus.model import EvaluationSet
from mtsig.errors import ConfigError, MtsigError
from mtsig.io import StrPath, write_json, write_table
from mtsig.metrics.comet import create
from mtsig.metrics.neural.scoring import NeuralScores, Runtime, score_evaluation
from mtsig.steps.evaluation_set import load
from mtsig.steps.gaps import refuse_missing
from mtsig.steps.score import scores_tables

__all__ = ["ERROR_SPAN", "comet"]

#: One error that a model marks in a hypothesis: character positions, end excluded.
ERROR_SPAN = pa.struct(
    {
        "reference": pa.string(),
        "start": pa.int64(),
        "end": pa.int64(),
        "text": pa.string(),
        "severity": pa.string(),
        "confidence": pa.float64(),
    }
)


def comet(
    *,
    segments: StrPath,
    hypotheses: StrPath,
    testset: str,
    langpair: str,
    metric: str,
    settings: Mapping[str, Any],
    missing: str,
    made_from: Mapping[str, Any],
    scores: StrPath,
    notes: StrPath,
    runtime: Runtime,
) -> None:
    """Score every system of a test set with one neural metric.

    Parameters
    ----------
    segments, hypotheses
        The tables that ingest wrote.
    testset, langpair, metric, settings
        Name of the test set, language pair, the metric's name and its options.
    missing
        ``error`` refuses missing hypotheses, sources and references; ``intersect`` writes nulls for them.
    made_from
        What tells the workflow later whether the scores still belong to its texts and settings; kept in the notes.
    scores
        The table to write: one row per system and segment with score and value, and a list of marked errors
        (``error_spans``) where the model marks any.
    notes
        The JSON file to write: signature, counts, and findings (truncated texts, blank hypotheses) as in lint.json.
    runtime
        How to compute.

    Raises
    ------
    ConfigError, InputError, UnavailableError
        See `score_evaluation`; also if something is missing and `missing` is ``error``.
    """
    if missing not in ("error", "intersect"):
        raise ConfigError(f"missing: {missing!r} is neither error nor intersect.")
    evaluation = load(segments, hypotheses)
    scorer = create(metric, settings, langpair)
    try:
        result = score_evaluation(evaluation, scorer.options, runtime)
    except MtsigError as error:
        raise type(error)(f"metrics.{metric}: {error}") from None
    statistics = {system: values[:, None] for system, values in result.values.items()}
    if missing == "error":
        refuse_missing(evaluation, metric, statistics)
    keys = {"testset": testset, "langpair": langpair, "metric": metric}
    table = pa.concat_tables(scores_tables(evaluation, scorer, statistics, keys))
    schema: dict[str, str | pa.DataType] = {**scores_schema(scorer.statistic_names)}
    if result.spans is not None:
        schema["error_spans"] = pa.list_(ERROR_SPAN)
        marked = [spans for system in sorted(result.spans) for spans in result.spans[system]]
        table = table.append_column("error_spans", pa.array(marked, schema["error_spans"]))
    # The notes last: they say that the scores are complete and what they belong to.
    write_table(scores, table, schema, metadata={"signature": result.signature, "seed": ""})
    write_json(
        notes, {"schema_version": 1, "testset": testset, "metric": metric, **_notes(evaluation, result, made_from)}
    )


def _notes(evaluation: EvaluationSet, result: NeuralScores, made_from: Mapping[str, Any]) -> dict[str, Any]:
    codes = [finding.code for finding in result.findings]
    return {
        "signature": result.signature,
        "n_hypotheses": sum(text is not None for texts in evaluation.systems.values() for text in texts),
        "n_blank_hypotheses": codes.count("blank_hypothesis"),
        "n_truncated": codes.count("truncated"),
        "made_from": dict(made_from),
        "findings": [vars(finding) for finding in result.findings],
    }
