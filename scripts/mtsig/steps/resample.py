"""Scores to evidence: intervals, tests, ranks and groups of one metric on one test set."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtsig import kernels
from mtsig.contracts import TABLES
from mtsig.errors import ConfigError, InputError, MtsigError
from mtsig.io import StrPath, read_metadata, read_table, write_table
from mtsig.metrics import create_metric
from mtsig.metrics.catalog import direction_of, kind_of
from mtsig.progress import Progress
from mtsig.resampling.analysis import analyse
from mtsig.resampling.scorer import MeanScorer, Scorer
from mtsig.resampling.settings import ResamplingSettings
from mtsig.steps.cells import as_rows

__all__ = ["read_statistics", "refuse_gaps", "resample", "scorer_of"]

_LOG = logging.getLogger(__name__)


def resample(
    *,
    segments: StrPath,
    scores: StrPath,
    testset: str,
    langpair: str,
    metric: str,
    settings: Mapping[str, Any],
    options: Mapping[str, Any],
    missing: str,
    systems: StrPath,
    pairs: StrPath,
    groups: StrPath,
    threads: int = 1,
) -> None:
    """Resample one metric's statistics, and write the systems, pairs and groups tables.

    Parameters
    ----------
    segments
        The table of segments that ingest wrote.
    scores
        The table of segment scores and statistics that score wrote.
    testset, langpair
        Name of the test set, language pair.
    metric, settings
        The metric's name and its options.
    options
        Those of `mtsig.resampling.settings.ResamplingSettings`.
    missing
        ``error`` refuses segments without a score; ``intersect`` compares each pair on its common segments.
    systems, pairs, groups
        The tables to write.
    threads
        How many threads work; no number depends on it.

    Raises
    ------
    ConfigError
        If an option is impossible, documents are wanted and absent, or an adjustment could never give a star.
    InputError
        If a score is missing and `missing` is ``error``, or a table is damaged.
    """
    resampling = ResamplingSettings(**options)
    if missing not in ("error", "intersect"):
        raise ConfigError(f"missing: {missing!r} is neither error nor intersect.")
    texts = read_table(segments, columns=["segment_id", "document", "domain"])
    if texts.num_rows == 0:
        raise InputError(f"{segments}: the test set has no segments.")
    scorer = scorer_of(metric, settings, langpair)
    statistics = read_statistics(scores, scorer.statistic_names, n_segments=texts.num_rows)
    if missing == "error":
        refuse_gaps(statistics, texts["segment_id"].to_pylist(), scores)

    how = "compiled kernels" if kernels.NATIVE else "kernels in Python"
    _LOG.info("%s, %s: %d systems, %d segments, %s", testset, metric, len(statistics), texts.num_rows, how)
    try:
        with Progress(f"{testset}, {metric}", unit="resamples") as progress:
            analysis = analyse(
                statistics,
                scorer,
                resampling,
                documents=texts["document"].to_pylist(),
                domains=texts["domain"].to_pylist(),
                threads=threads,
                progress=progress,
            )
    except MtsigError as error:
        # Arrays have no names; a configuration may have many test sets.
        raise type(error)(f"{testset}, {metric}: {error}") from error

    signature = read_metadata(scores).get("signature", "")
    keys = {"testset": testset, "langpair": langpair, "metric": metric}
    shared = {**asdict(resampling), **keys, "higher_is_better": scorer.higher_is_better, "signature": signature}
    metadata = {"signature": signature, "seed": resampling.seed}
    for table, path in (("systems", systems), ("pairs", pairs), ("groups", groups)):
        rows = as_rows(map(asdict, getattr(analysis, table)), TABLES[table], shared)
        write_table(path, rows, TABLES[table], metadata=metadata)


def scorer_of(metric: str, settings: Mapping[str, Any], langpair: str) -> Scorer:
    """What turns sums of a metric's statistics into scores.

    Metrics that average given scores need nothing but their direction here: not the files or models they came from.
    """
    if kind_of(metric, settings).mean_type:
        return MeanScorer(higher_is_better=direction_of(metric, settings))
    return create_metric(metric, settings, langpair)


def read_statistics(scores: StrPath, names: Sequence[str], *, n_segments: int) -> dict[str, NDArray[np.float64]]:
    """Read the sufficient statistics of every system from a scores table.

    Parameters
    ----------
    scores
        The table, sorted by system, then segment.
    names
        The columns that hold the statistics.
    n_segments
        How many rows every system has.

    Returns
    -------
    dict
        System name to an array (n_segments, n_statistics), NaN where the table has nulls.

    Raises
    ------
    InputError
        If the table lacks a column, or holds other rows than one for each system and segment.
    """
    table = read_table(scores, columns=["system", "segment", *names])
    n_systems = table.num_rows // n_segments
    expected = np.tile(np.arange(n_segments), n_systems)
    if not np.array_equal(table["segment"].to_numpy(), expected):
        raise InputError(
            f"{scores}: expected a row for each system and each of {n_segments} segments, in this order. "
            "Delete the file and run again."
        )
    statistics = np.empty((n_systems, n_segments, len(names)))
    for number, name in enumerate(names):
        statistics[:, :, number] = table[name].to_numpy().reshape(n_systems, n_segments)
    systems = [table["system"][number * n_segments].as_py() for number in range(n_systems)]
    return dict(zip(systems, statistics, strict=True))


def refuse_gaps(statistics: Mapping[str, NDArray[np.float64]], segment_ids: Sequence[str], scores: StrPath) -> None:
    """Refuse systems that lack scores, naming the first one, how many it lacks and where the first is."""
    for system, rows in sorted(statistics.items()):
        gaps = np.flatnonzero(np.isnan(rows).any(axis=1))
        if len(gaps):
            raise InputError(
                f"{scores}: system {system} has no score on {len(gaps)} of {len(rows)} segments, the first is segment "
                f"{segment_ids[gaps[0]]} (row {gaps[0] + 1}). Complete the input, or set `missing: intersect`."
            )
