"""The null study of one test set by one metric: all swept seeds and numbers of resamples."""

from __future__ import annotations

import itertools

from mtsig.steps.studied import read_studied
from mtsig.steps.study import StudyJob, StudyTables
from mtsig.studies.null import NullDesign, null_rejections

__all__ = ["null"]


def null(job: StudyJob) -> StudyTables:
    """Make systems equal, and count how often each test calls them different.

    Raises
    ------
    ConfigError
        If an option is impossible, a system is not there, documents are wanted and absent, or the metric has no
        direction.
    InputError
        If scores are missing.
    """
    studied, settings = read_studied(job), job.settings
    studied.refuse_undirected()
    # What the tests resample is what has to be swapped. Where tests by segment pass over documents, a second null shows
    # what that costs.
    swap_units = [settings["swap_unit"] or settings["resample_unit"]]
    if settings["swap_unit"] is None and studied.documents is not None and settings["resample_unit"] == "segment":
        swap_units.append("document")
    parts = []
    for cell, asked in studied.cells():
        for kind, swap_unit in itertools.product(settings["nulls"], swap_units):
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
                threads=job.threads,
            )
            parts.append(studied.table("rejections", rows, cell))
    return studied.signed(studied.together({"rejections": parts}))
