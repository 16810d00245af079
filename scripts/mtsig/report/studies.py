"""Tables for reading and figures of studies as their kinds declare them, and what the page shows of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mtsig import io
from mtsig.kinds import study_kind
from mtsig.report.render import Table

if TYPE_CHECKING:
    from mtsig.report.page import StudyPart

__all__ = ["draw", "study_part", "tables_for_reading"]

Rows = Sequence[Mapping[str, Any]]


def tables_for_reading(kind: str, name: str, rows: Rows, options: Mapping[str, Any]) -> list[Table]:
    """The tables for reading that a study makes of one of its tables.

    Parameters
    ----------
    kind, name
        Kind of the study, and name of the table.
    rows
        Its rows.
    options
        The study's options; those that the kind does not declare for this table do not matter.
    """
    declared = study_kind(kind)
    table = next(table for table in declared.read if table.name == name)
    tables: list[Table] = declared.function(table)(rows, **{option: options[option] for option in table.options})
    return tables


def draw(kind: str, name: str, rows: Mapping[str, Rows], options: Mapping[str, Any]) -> Any:
    """A figure of a study, from the rows of its tables by their names; see `tables_for_reading`."""
    declared = study_kind(kind)
    figure = next(figure for figure in declared.figures if figure.name == name)
    return declared.function(figure)(
        *(rows[table] for table in figure.tables), **{option: options[option] for option in figure.options}
    )


def study_part(name: str, settings: Mapping[str, Any], files: Sequence[Path]) -> StudyPart:
    """Collect what a study wrote.

    Parameters
    ----------
    name, settings
        Its name and its options, with ``kind``.
    files
        Its Parquet tables and SVG figures; others are passed over.

    Returns
    -------
    StudyPart
        With a sentence in the place of what is not there.
    """
    from mtsig.report.page import StudyPart

    ordered = sorted(set(files))
    # Parts of a study, in folders of their own, are gathered in its tables.
    found = {path.stem: path for path in ordered if path.suffix == ".parquet" and "parts" not in path.parts}
    figures = [
        (path.stem.replace("_", " ").replace(".", " "), path.read_text(encoding="utf-8"))
        for path in ordered
        if path.suffix == ".svg"
    ]
    kind = settings["kind"]
    tables = [
        table
        for declared in study_kind(kind).read
        if declared.name in found
        for table in tables_for_reading(kind, declared.name, io.read_table(found[declared.name]).to_pylist(), settings)
    ]
    sentences = [] if figures or tables else ["This study has not been run."]
    guide = study_kind(kind).guide
    return StudyPart(name=name, kind=kind, figures=figures, tables=tables, sentences=sentences, guide=guide)
