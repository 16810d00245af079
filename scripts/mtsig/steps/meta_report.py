"""A meta-evaluation's parts put together: its tables and figures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from mtsig.io import StrPath
from mtsig.report import meta as pages
from mtsig.steps.cells import listed
from mtsig.steps.meta import META_TABLES
from mtsig.steps.study_files import gather, write_files

__all__ = ["meta_report"]


def meta_report(
    *,
    study: str,
    gold: str | Sequence[str],
    parts: Sequence[StrPath],
    files: Sequence[StrPath],
) -> None:
    """Put the parts of a meta-evaluation together.

    Parameters
    ----------
    study
        Name of the study.
    gold
        Its human scores.
    parts
        The tables of each test set.
    files
        The files to write, see `mtsig.steps.study_files.write_files`.
    """
    golds = listed(gold)
    write_files(
        files,
        gather(parts, META_TABLES),
        study=study,
        pages={
            "correlations": pages.agreement_tables,
            "metric_pairs": pages.comparison_tables,
            "system_scores": partial(pages.standing_tables, golds=golds),
        },
        titles={
            "correlations": "agreement with human scores",
            "metric_pairs": "tests between metrics",
            "system_scores": "systems",
        },
        figures={
            "agreement": lambda rows: pages.agreement_figure(rows["correlations"]),
            "systems": lambda rows: pages.standing_figure(rows["system_scores"], golds),
        },
    )
