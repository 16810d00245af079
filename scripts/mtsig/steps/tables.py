"""The step `tables`: systems, pairs and matrix tables of a test set in csv, md, tex and json."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mtsig import io
from mtsig.io import StrPath
from mtsig.report.results import read_results
from mtsig.report.tables import render_tables

__all__ = ["tables"]


def tables(*, systems: Sequence[StrPath], pairs: Sequence[StrPath], tables: Sequence[StrPath]) -> None:
    """Write the tables of one test set or suite.

    Parameters
    ----------
    systems, pairs
        The Parquet tables of `resample` (or `suites`), one of each per metric, in the order to be shown.
    tables
        The files to write. Their names say what they hold: ``{systems,pairs,matrix}.{csv,md,tex,json}``.

    Raises
    ------
    InputError
        If an input is damaged.
    """
    results = read_results(systems, pairs)
    first = results[0]
    title = f"{first.testset} ({first.langpair})" if first.langpair else first.testset
    rendered = render_tables(results, title=title)
    for path in map(Path, tables):
        io.write_text(path, rendered[path.stem][path.suffix.removeprefix(".")])
