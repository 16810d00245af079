"""Koehn's study of one test set by one metric: all swept seeds and numbers of resamples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from mtsig.errors import InputError
from mtsig.io import StrPath, read_table
from mtsig.steps.studied import Studied, read_studied
from mtsig.steps.study import StudyJob, StudyTables
from mtsig.studies import calibration as study_of

__all__ = ["calibration"]

#: Table to what makes it of a study's results.
_ROWS_OF: dict[str, Callable[[study_of.Calibration], Any]] = {
    "subsets": study_of.subsets_table,
    "conclusions": study_of.conclusions_table,
    "verdicts": study_of.verdicts_table,
    "calibration": study_of.calibration_table,
    "power": study_of.power_table,
    "tests": study_of.table_of_tests,
    "coverage": study_of.coverage_table,
    "ranges": study_of.ranges_table,
}


def calibration(job: StudyJob) -> StudyTables:
    """Divide the test set into smaller ones, and see what intervals and tests say on each.

    Raises
    ------
    ConfigError
        If an option is impossible or a system is not there.
    InputError
        If scores are missing.
    """
    studied, settings = read_studied(job), job.settings
    true_scores = _true_scores(job.truth[0], studied) if job.truth else None
    parts: dict[str, list[pa.Table]] = {table: [] for table in _ROWS_OF}
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
            threads=job.threads,
        )
        for table, rows_of in _ROWS_OF.items():
            parts[table].append(studied.table(table, rows_of(found), cell))
    return studied.signed(studied.together(parts))


def _true_scores(path: StrPath, studied: Studied) -> np.ndarray[Any, np.dtype[np.float64]]:
    table = read_table(path, columns=["system", "score"])
    scores = dict(zip(table["system"].to_pylist(), table["score"].to_pylist(), strict=True))
    absent = [system for system in studied.systems if system not in scores]
    if absent:
        raise InputError(f"{path}: it has no true score of system {absent[0]}. Delete the file and run again.")
    return np.array([scores[system] for system in studied.systems])
