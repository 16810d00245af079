"""Scores to evidence: intervals, tests, ranks and groups of one metric on one test set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtsig.contracts import TABLES
from mtsig.errors import ConfigError, InputError
from mtsig.io import StrPath, read_json, read_metadata, read_table, write_table
from mtsig.metrics.cautions import Cautions
from mtsig.resampling.settings import ResamplingSettings
from mtsig.steps.comparison import compare_systems, scorer_of
from mtsig.steps.gaps import refuse_gaps

__all__ = ["read_statistics", "resample"]


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
    lint: StrPath | None = None,
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
    lint
        What ingest found in the input.
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

    notes = read_metadata(scores)
    signature = notes.get("signature", "")
    found = compare_systems(
        statistics,
        scorer,
        resampling,
        testset=testset,
        langpair=langpair,
        metric=metric,
        signature=signature,
        documents=texts["document"].to_pylist(),
        domains=texts["domain"].to_pylist(),
        findings=() if lint is None else read_json(lint)["findings"],
        cautions=Cautions.from_json(notes.get("flags", "")),
        threads=threads,
    )
    metadata = {"signature": signature, "seed": resampling.seed}
    for table, path in (("systems", systems), ("pairs", pairs), ("groups", groups)):
        write_table(path, found[table], TABLES[table], metadata=metadata)


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
