"""What the page shows of a study: its figures, and its tables as far as they can be read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mtsig import io
from mtsig.report import format as fmt
from mtsig.report.page import StudyPart, StudyTable

__all__ = ["study_part"]

#: Rows of a table that the page shows.
_MOST_ROWS = 60

#: Tables of raw material, which nobody reads row by row.
_RAW = {"bands", "choices", "conclusions", "curve", "subsets", "verdicts"}

#: Columns that say the same in every row of a study's table.
_CONSTANT = ("study", "seed", "n_resamples", "confidence_level", "alpha", "langpair", "signature", "higher_is_better")


def study_part(name: str, kind: str, files: Sequence[Path]) -> StudyPart:
    """Collect what a study wrote.

    Parameters
    ----------
    name, kind
        Its name and kind in the configuration.
    files
        Its Parquet tables and SVG figures; others are passed over.

    Returns
    -------
    StudyPart
        With a sentence in the place of what is not there.
    """
    ordered = sorted(set(files))
    # Parts of a study in folders of their own are gathered in its tables.
    top = min((len(path.parts) for path in ordered), default=0)
    own = [path for path in ordered if len(path.parts) == top]
    figures = [
        (path.stem.replace(".", " "), path.read_text(encoding="utf-8"))
        for path in ordered
        if path.suffix == ".svg" and (path in own or path.parent.name == "figures")
    ]
    tables = [_table(path) for path in own if path.suffix == ".parquet"]
    sentences = [] if figures or tables else ["This study has not been run."]
    return StudyPart(name=name, kind=kind, figures=figures, tables=tables, sentences=sentences)


def _table(path: Path) -> StudyTable:
    table = io.read_table(path)
    rows: list[dict[str, Any]] = table.slice(0, 0 if path.stem in _RAW else _MOST_ROWS).to_pylist()
    columns = [
        column
        for column in table.column_names
        if not (column in _CONSTANT and len({str(row[column]) for row in rows}) == 1)
    ]
    return StudyTable(
        name=path.stem,
        columns=columns,
        rows=[[_cell(row[column]) for column in columns] for row in rows],
        total=table.num_rows,
    )


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return fmt.significant(value)
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)
