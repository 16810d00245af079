"""The step `paper`: the tables and figures that the configuration names, and a paragraph on methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mtsig import __version__, io
from mtsig.io import StrPath
from mtsig.provenance import versions
from mtsig.report import figures as charts
from mtsig.report import paper as pages
from mtsig.report.methods import methods, methods_pages
from mtsig.report.render import csv
from mtsig.report.results import read_results

__all__ = ["paper"]


def paper(
    *,
    systems: Sequence[StrPath],
    pairs: Sequence[StrPath],
    settings: Mapping[str, Any],
    suites: Mapping[str, Any],
    files: Sequence[StrPath],
) -> None:
    """Write the tables and figures of a paper.

    Parameters
    ----------
    systems, pairs
        The Parquet tables of `resample` and `suites` that the paper needs, one of each per test set (or suite) and
        metric.
    settings
        The section `paper` of the configuration, with all defaults.
    suites
        The section `suites`.
    files
        The files to write: ``{table}.csv``, ``.md``, ``.tex`` (compiles by itself) and ``.table.tex`` (to be read
        in) for every table, ``{figure}.pdf`` and ``.svg`` for every figure, ``methods.md`` and ``methods.tex``.

    Raises
    ------
    ConfigError
        If the settings name what is not there.
    InputError
        If an input is damaged.
    """
    results = read_results(systems, pairs)
    found = {(result.testset, result.metric): result for result in results}
    used = {"mtsig": __version__, **{name: number for name, number in versions("sacrebleu").items() if number != "-"}}
    texts: dict[str, str] = {}
    for name, its in settings["tables"].items():
        table = pages.paper_table(name, its, found, used)
        body = pages.environment(table)
        texts |= {
            f"{name}.csv": csv(table.raw, pages.RAW_COLUMNS),
            f"{name}.md": pages.markdown_page(table),
            f"{name}.tex": pages.document(body),
            f"{name}.table.tex": body,
        }
    members = {name: its["testsets"] for name, its in suites.items()}
    texts["methods.md"], texts["methods.tex"] = methods_pages(methods(results, members, used))
    drawn: dict[str, list[Path]] = {}
    for path in map(Path, files):
        if path.suffix in (".pdf", ".svg"):
            drawn.setdefault(path.stem, []).append(path)
        else:
            io.write_text(path, texts[path.name])
    for name, paths in drawn.items():
        its = settings["figures"][name]
        size = charts.PAPER[its["columns"]]
        result = found[its["testset"] or its["suite"], its["metric"]]
        make = {"intervals": charts.interval_plot, "matrix": charts.significance_matrix}[its["kind"]]
        charts.save(make(result, size=size), paths, font=size.font)
