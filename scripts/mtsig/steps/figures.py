"""The step `figures`: interval plot and significance matrix of one metric in svg, png and pdf."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mtsig.io import StrPath
from mtsig.report import figures as charts
from mtsig.report.results import read_results

__all__ = ["figures"]


def figures(*, systems: StrPath, pairs: StrPath, figures: Sequence[StrPath]) -> None:
    """Write the figures of one metric on one test set or suite.

    Parameters
    ----------
    systems, pairs
        The Parquet tables of `resample` (or `suites`) for the metric.
    figures
        The files to write. Their names end in ``.intervals`` or ``.matrix`` and a format (svg, png, pdf).

    Raises
    ------
    InputError
        If an input is damaged.
    """
    (result,) = read_results([systems], [pairs])
    wanted = {
        ".intervals": charts.interval_plot,
        ".matrix": charts.significance_matrix,
    }
    for kind, make in wanted.items():
        paths = [path for path in map(Path, figures) if Path(path.stem).suffix == kind]
        if paths:
            charts.save(make(result), paths)
