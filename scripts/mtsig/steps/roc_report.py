"""A ROC study's parts put together: its tables and figures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from mtsig.io import StrPath
from mtsig.report import roc as pages
from mtsig.steps.roc import ROC_TABLES
from mtsig.steps.study_files import gather, write_files

__all__ = ["roc_report"]


def roc_report(*, study: str, qe: Sequence[str], parts: Sequence[StrPath], files: Sequence[StrPath]) -> None:
    """Put the parts of a ROC study together.

    Parameters
    ----------
    study
        Name of the study.
    qe
        Its QE systems, in the order in which they are shown.
    parts
        The tables of each test set.
    files
        The files to write, see `mtsig.steps.study_files.write_files`. Curves and bands are no tables for reading.
    """
    write_files(
        files,
        gather(parts, ROC_TABLES),
        study=study,
        pages={
            "auc": partial(pages.auc_tables, qe=qe),
            "auc_pairs": pages.pair_tables,
            "decisions": partial(pages.decision_tables, qe=qe),
            "hulls": pages.hull_tables,
        },
        titles={
            "auc": "areas under the curves",
            "auc_pairs": "differences of areas",
            "decisions": "what to review",
            "hulls": "which QE system to use where",
        },
        figures={
            "curves": lambda rows: pages.curves_figure(rows["curve"], rows["bands"], rows["auc"], qe=qe),
            "hulls": lambda rows: pages.hulls_figure(rows["curve"], rows["hulls"], rows["decisions"], qe=qe),
        },
    )
