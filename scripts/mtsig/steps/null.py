"""The null study of one test set by one metric: all swept seeds and numbers of resamples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mtsig.io import StrPath
from mtsig.steps.studied import read_studied
from mtsig.studies.null import NullDesign, null_rejections

__all__ = ["null"]


def null(
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
    rejections: StrPath,
    threads: int = 1,
) -> None:
    """Make systems equal, and count how often each test calls them different.

    Parameters
    ----------
    segments, scores
        The tables of ingest and score.
    study, testset, langpair, metric
        Names for the table's keys.
    metric_settings
        The metric's options.
    settings
        The study's options.
    missing
        ``error`` refuses missing scores; ``intersect`` studies the segments on which all systems have one.
    rejections
        The table to write.
    threads
        How many threads work; no number depends on it.

    Raises
    ------
    ConfigError
        If an option is impossible, a system is not there, documents are wanted and absent, or the metric has no
        direction.
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
        directed=True,
    )
    swap_unit = settings["swap_unit"] or ("segment" if studied.documents is None else "document")
    parts = []
    for cell, asked in studied.cells():
        for kind in settings["nulls"]:
            rows = null_rejections(
                studied.scorer,
                studied.columns,
                systems=studied.systems,
                pairs=studied.pairs(),
                design=NullDesign(
                    subset_sizes=settings["subset_sizes"],
                    n_null=settings["n_null"],
                    null=kind,
                    swap_unit=swap_unit,
                    resample_unit=settings["resample_unit"],
                ),
                settings=asked,
                documents=studied.documents,
                threads=threads,
            )
            parts.append(studied.table("rejections", rows, cell))
    studied.write({"rejections": rejections}, {"rejections": parts})
