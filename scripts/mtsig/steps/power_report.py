"""A power study's parts put together: its tables and figures."""

from __future__ import annotations

from collections.abc import Sequence

from mtsig.io import StrPath
from mtsig.report import planning as pages
from mtsig.steps.study_files import gather, write_files

__all__ = ["power_report"]


def power_report(
    *,
    study: str,
    parts: Sequence[StrPath],
    target_power: float,
    files: Sequence[StrPath],
) -> None:
    """Put the parts of a power study together.

    Parameters
    ----------
    study
        Name of the study.
    parts
        The tables of each test set and metric.
    target_power
        The power that was wanted.
    files
        The files to write, see `mtsig.steps.study_files.write_files`.
    """
    write_files(
        files,
        gather(parts, ["power_curve", "planning"]),
        study=study,
        pages={"planning": pages.planning_tables},
        titles={"planning": "how large must a test set be?"},
        figures={
            "power_curve": lambda rows: pages.power_curve_figure(rows["power_curve"], target_power),
            "detectable": lambda rows: pages.detectable_figure(rows["planning"]),
        },
    )
