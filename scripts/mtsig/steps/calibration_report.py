"""A calibration study's parts put together: tables in the paper's layout, and figures."""

from __future__ import annotations

from collections.abc import Sequence

from mtsig.io import StrPath
from mtsig.report import calibration as pages
from mtsig.report import calibration_figures as charts
from mtsig.steps.study_files import gather, write_files

__all__ = ["calibration_report"]

_TABLES = ("subsets", "conclusions", "verdicts", "calibration", "power", "tests", "coverage", "ranges")
_PAGES = {
    "calibration": pages.calibration_tables,
    "power": pages.power_tables,
    "tests": pages.tables_of_tests,
    "coverage": pages.coverage_tables,
    "ranges": pages.ranges_tables,
}
_TITLES = {
    "calibration": "is confidence honest?",
    "power": "how often is the better system found?",
    "tests": "which tests are right how often?",
    "coverage": "do the intervals hold the truth?",
    "ranges": "how far do the scores of subsets spread?",
}


def calibration_report(
    *,
    study: str,
    parts: Sequence[StrPath],
    confidence_level: float,
    files: Sequence[StrPath],
) -> None:
    """Put the parts of a calibration study together.

    Parameters
    ----------
    study
        Name of the study.
    parts
        The tables of each test set and metric.
    confidence_level
        Level of the intervals.
    files
        The files to write, see `mtsig.steps.study_files.write_files`.
    """
    write_files(
        files,
        gather(parts, _TABLES),
        study=study,
        pages=_PAGES,
        titles=_TITLES,
        figures={
            "reliability": lambda rows: charts.reliability_figure(rows["calibration"]),
            "power": lambda rows: charts.power_figure(rows["power"]),
            "tests": lambda rows: charts.figure_of_tests(rows["tests"]),
            "coverage": lambda rows: charts.coverage_figure(rows["subsets"], confidence_level),
            "ranges": lambda rows: charts.ranges_figure(rows["subsets"]),
            "differences": lambda rows: charts.differences_figure(rows["subsets"], rows["conclusions"]),
        },
    )
