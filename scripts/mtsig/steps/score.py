"""Texts to scores: one metric, all systems of a test set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mtsig.contracts import scores_schema
from mtsig.corpus.model import EvaluationSet
from mtsig.errors import ConfigError
from mtsig.io import StrPath, write_tables
from mtsig.metrics import create_metric
from mtsig.metrics.base import Metric, reference_count
from mtsig.metrics.cautions import cautions_of
from mtsig.steps.evaluation_set import groups_of_systems, load
from mtsig.steps.gaps import refuse_missing

__all__ = ["score", "score_texts", "scores_tables"]


def score(
    *,
    segments: StrPath,
    hypotheses: StrPath,
    testset: str,
    langpair: str,
    metric: str,
    settings: Mapping[str, Any],
    missing: str,
    scores: StrPath,
    threads: int = 1,
    testset_settings: Mapping[str, Any] | None = None,
) -> None:
    """Score every system of a test set with one metric, and write one row per system and segment.

    Parameters
    ----------
    segments, hypotheses
        The tables that ingest wrote.
    testset, langpair
        Name of the test set, language pair.
    metric, settings
        The metric's name and its options.
    missing
        ``error`` refuses missing hypotheses, references and scores; ``intersect`` writes nulls for them.
    scores
        The table to write: segment scores and sufficient statistics, sorted by system, then segment.
    threads
        How many threads may work on it.
    testset_settings
        The configuration of the test set, for metrics whose scores come from files beside it.

    Raises
    ------
    InputError
        If something is missing and `missing` is ``error``.
    """
    score_texts(
        load(segments, hypotheses),
        testset=testset,
        langpair=langpair,
        metric=metric,
        settings=settings,
        missing=missing,
        scores=scores,
        threads=threads,
        testset_settings=testset_settings,
    )


def score_texts(
    evaluation: EvaluationSet,
    *,
    testset: str,
    langpair: str,
    metric: str,
    settings: Mapping[str, Any],
    missing: str,
    scores: StrPath,
    threads: int = 1,
    testset_settings: Mapping[str, Any] | None = None,
) -> None:
    """The same for texts in memory; see `score`."""
    scorer = create_metric(metric, settings, langpair, testset_settings)
    statistics = scorer.statistics(evaluation, threads=threads)
    if missing == "error":
        refuse_missing(evaluation, metric, statistics)
    elif missing != "intersect":
        raise ConfigError(f"missing: {missing!r} is neither error nor intersect.")
    keys = {"testset": testset, "langpair": langpair, "metric": metric}
    tables = scores_tables(evaluation, scorer, statistics, keys)
    metadata = {
        "signature": scorer.signature(reference_count(evaluation)),
        "seed": "",
        "flags": cautions_of(scorer, evaluation, statistics).to_json(),
    }
    write_tables(scores, tables, scores_schema(scorer.statistic_names), metadata=metadata)


def scores_tables(
    evaluation: EvaluationSet, metric: Metric, statistics: dict[str, NDArray[np.float64]], keys: dict[str, str]
) -> Iterator[pa.Table]:
    """All rows, by system, then segment, a few systems at a time; what is undefined is null."""
    for names in groups_of_systems(sorted(evaluation.systems), evaluation.n_segments):
        yield _scores_table(names, evaluation.n_segments, metric, statistics, keys)


def _scores_table(
    names: Sequence[str],
    n_segments: int,
    metric: Metric,
    statistics: dict[str, NDArray[np.float64]],
    keys: dict[str, str],
) -> pa.Table:
    rows = np.concatenate([statistics[name] for name in names]) if names else np.empty((0, len(metric.statistic_names)))
    columns = {key: pa.repeat(value, len(rows)) for key, value in keys.items()}
    owners = [pa.repeat(name, n_segments) for name in names]
    columns["system"] = pa.concat_arrays(owners) if owners else pa.nulls(0, pa.string())
    columns["segment"] = pa.array(np.tile(np.arange(n_segments), len(names)))
    columns["score"] = _nullable(metric.segment_scores(rows))
    for position, name in enumerate(metric.statistic_names):
        columns[name] = _nullable(rows[:, position])
    return pa.table(columns)


def _nullable(values: NDArray[np.float64]) -> pa.Array:
    return pa.array(values, mask=np.isnan(values))
