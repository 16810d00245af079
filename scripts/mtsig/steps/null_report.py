"""A null study's parts put together: its table and figure."""

from __future__ import annotations

from collections.abc import Sequence

from mtsig.io import StrPath
from mtsig.report import null as pages
from mtsig.steps.study_files import gather, write_files

__all__ = ["null_report"]


def null_report(
    *,
    study: str,
    parts: Sequence[StrPath],
    alpha: float,
    files: Sequence[StrPath],
) -> None:
    """Put the parts of a null study together.

    Parameters
    ----------
    study
        Name of the study.
    parts
        The tables of each test set and metric.
    alpha
        The level that the tests should hold.
    files
        The files to write, see `mtsig.steps.study_files.write_files`.
    """
    write_files(
        files,
        gather(parts, ["rejections"]),
        study=study,
        pages={"rejections": pages.rejections_tables},
        titles={"rejections": "which tests hold their level?"},
        figures={"rejections": lambda rows: pages.rejections_figure(rows["rejections"], alpha)},
    )
