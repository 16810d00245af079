"""The step `robustness_report`: the parts of a robustness study put together, as tables and a figure."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from mtsig.contracts import TABLES
from mtsig.io import read_table, write_table, write_text
from mtsig.report import figures as charts
from mtsig.report.render import csv, latex, markdown
from mtsig.report.robustness import agreement_figure, agreement_tables
from mtsig.studies.robustness import BASIS, Choice, Verdict, agreement

__all__ = ["robustness_report"]

StrPath = str | os.PathLike[str]
Rows = list[dict[str, Any]]

_KEYS = ("study", "testset", "langpair", "metric")


def robustness_report(
    *, study: str, parts: Sequence[StrPath], tables: Sequence[StrPath], figures: Sequence[StrPath]
) -> None:
    """Count which choices agree, and write tables and figure.

    Parameters
    ----------
    study
        Name of the study.
    parts
        The table of choices of each test set.
    tables
        The files to write: ``choices`` and ``agreement`` as parquet and csv, ``agreement`` also as md and tex.
    figures
        The figure in svg, png and pdf.
    """
    gathered = [read_table(path).replace_schema_metadata() for path in parts]
    rows = [row for table in gathered for row in _agreement_rows(table.to_pylist())]
    title = f"{study}: do the verdicts hold?"
    contents: Mapping[str, pa.Table | Rows] = {"choices": pa.concat_tables(gathered), "agreement": rows}
    for path in map(Path, tables):
        if path.suffix == ".parquet":
            write_table(path, contents[path.stem], TABLES[path.stem])
        elif path.suffix == ".csv":
            content = contents[path.stem]
            as_rows = content.to_pylist() if isinstance(content, pa.Table) else content
            write_text(path, csv(as_rows, TABLES[path.stem].names))
        else:
            write_text(path, {".md": markdown, ".tex": latex}[path.suffix](agreement_tables(rows), title=title))
    charts.save(agreement_figure(rows), figures)


def _agreement_rows(rows: Rows) -> Rows:
    """The rows of the agreement table for one test set."""
    choices: dict[tuple[str, str], dict[tuple[str, str], Verdict]] = {}
    for row in rows:
        verdict = Verdict(row["delta"], row["p_value"], row["winner"])
        choices.setdefault((row["choice_kind"], row["choice"]), {})[row["system_a"], row["system_b"]] = verdict
    made = [Choice(kind, value, verdicts) for (kind, value), verdicts in choices.items()]
    basis = next(choice for choice in made if choice.kind == BASIS) if made else Choice(BASIS, "", {})
    keys = {name: rows[0][name] for name in _KEYS} if rows else {}
    return [
        {
            **keys,
            "system_a": one.pair[0],
            "system_b": one.pair[1],
            "choice_kind": one.kind,
            "base_winner": one.basis,
            "choices": one.choices,
            "agree": one.agree,
            "lost": one.lost,
            "gained": one.gained,
            "turned": one.turned,
            "share_agree": one.agree / one.choices if one.choices else None,
        }
        for one in agreement(basis, [choice for choice in made if choice.kind != BASIS])
    ]
