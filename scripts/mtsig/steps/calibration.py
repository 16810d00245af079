"""Koehn's study of one test set by one metric: all swept seeds and numbers of resamples."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from mtsig.errors import InputError
from mtsig.io import StrPath, read_table
from mtsig.steps.studied import Studied, read_studied
from mtsig.studies import calibration as study_of

__all__ = ["CALIBRATION_TABLES", "calibration"]


#: The tables of a calibration study.
CALIBRATION_TABLES: dict[str, Callable[[study_of.Calibration], Any]] = {
    "subsets": study_of.subsets_table,
    "conclusions": study_of.conclusions_table,
    "verdicts": study_of.verdicts_table,
    "calibration": study_of.calibration_table,
    "power": study_of.power_table,
    "tests": study_of.table_of_tests,
    "coverage": study_of.coverage_table,
    "ranges": study_of.ranges_table,
}


def calibration(
    *,
    segments: StrPath,
    scores: StrPath,
    study: str,
    testset: str,
    langpair: str,
    metric: str,
    metric_settings: Mapping[str, Any],
    settings: Mapping[str, Any],
    missing: str,
    subsets: StrPath,
    conclusions: StrPath,
    verdicts: StrPath,
    calibration: StrPath,
    power: StrPath,
    tests: StrPath,
    coverage: StrPath,
    ranges: StrPath,
    truth: StrPath | Sequence[StrPath] = (),
    threads: int = 1,
) -> None:
    """Divide the test set into smaller ones, and see what intervals and tests say on each.

    Parameters
    ----------
    segments, scores
        The tables of ingest and score.
    study, testset, langpair, metric
        Names for the tables' keys.
    metric_settings
        The metric's options.
    settings
        The study's options.
    missing
        ``error`` refuses missing scores; ``intersect`` studies the segments on which all systems have one.
    subsets, conclusions, verdicts, calibration, power, tests, coverage, ranges
        The tables to write.
    truth
        The generator's true scores, where the test set is simulated; none to take the scores on the whole test set.
    threads
        How many threads work; no number depends on it.

    Raises
    ------
    ConfigError
        If an option is impossible or a system is not there.
    InputError
        If scores are missing.
    """
    studied = read_studied(
        segments=segments,
        scores=scores,
        study=study,
        testset=testset,
        langpair=langpair,
        metric=metric,
        metric_settings=metric_settings,
        settings=settings,
        missing=missing,
    )
    known = [truth] if isinstance(truth, str | os.PathLike) else list(truth)
    true_scores = _true_scores(known[0], studied) if known else None
    parts: dict[str, list[pa.Table]] = {table: [] for table in CALIBRATION_TABLES}
    for cell, asked in studied.cells():
        found = study_of.calibrate(
            studied.scorer,
            studied.columns,
            systems=studied.systems,
            pairs=studied.pairs(),
            subset_sizes=settings["subset_sizes"],
            schemes=settings["schemes"],
            settings=asked,
            truth=true_scores,
            threads=threads,
        )
        for table, rows_of in CALIBRATION_TABLES.items():
            parts[table].append(studied.table(table, rows_of(found), cell))
    paths = (subsets, conclusions, verdicts, calibration, power, tests, coverage, ranges)
    studied.write(dict(zip(CALIBRATION_TABLES, paths, strict=True)), parts)


def _true_scores(path: StrPath, studied: Studied) -> np.ndarray[Any, np.dtype[np.float64]]:
    table = read_table(path, columns=["system", "score"])
    scores = dict(zip(table["system"].to_pylist(), table["score"].to_pylist(), strict=True))
    absent = [system for system in studied.systems if system not in scores]
    if absent:
        raise InputError(f"{path}: it has no true score of system {absent[0]}. Delete the file and run again.")
    return np.array([scores[system] for system in studied.systems])
