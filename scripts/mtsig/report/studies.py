"""What the page shows of a study: its figures, and its tables for reading."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from mtsig import io
from mtsig.report import calibration, meta, null, planning, robustness, roc
from mtsig.report.page import StudyPart
from mtsig.report.render import Table

__all__ = ["study_part"]

Rows = list[dict[str, Any]]

#: Tables for reading, by the name of the table that they are made of, in the order to be shown.
_Reading = dict[str, Callable[[Rows], list[Table]]]

#: Kind of study to its tables for reading, where these depend on none of its options.
_READING: dict[str, _Reading] = {
    "calibration": {
        "calibration": calibration.calibration_tables,
        "power": calibration.power_tables,
        "tests": calibration.tables_of_tests,
        "coverage": calibration.coverage_tables,
        "ranges": calibration.ranges_tables,
    },
    "null": {"rejections": null.rejections_tables},
    "power": {"planning": planning.planning_tables},
    "robustness": {"agreement": robustness.agreement_tables},
}


def _reading(settings: Mapping[str, Any]) -> _Reading:
    if settings["kind"] == "roc":
        qe = settings["qe"]
        return {
            "auc": partial(roc.auc_tables, qe=qe),
            "auc_pairs": roc.pair_tables,
            "decisions": partial(roc.decision_tables, qe=qe),
            "hulls": roc.hull_tables,
        }
    if settings["kind"] == "meta":
        golds = [settings["gold"]] if isinstance(settings["gold"], str) else settings["gold"]
        return {
            "correlations": meta.agreement_tables,
            "metric_pairs": meta.comparison_tables,
            "system_scores": partial(meta.standing_tables, golds=golds),
        }
    return _READING[settings["kind"]]


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
    ordered = sorted(set(files))
    # Parts of a study, in folders of their own, are gathered in its tables.
    found = {path.stem: path for path in ordered if path.suffix == ".parquet" and "parts" not in path.parts}
    figures = [
        (path.stem.replace("_", " ").replace(".", " "), path.read_text(encoding="utf-8"))
        for path in ordered
        if path.suffix == ".svg"
    ]
    tables = [
        table
        for stem, tables_of in _reading(settings).items()
        if stem in found
        for table in tables_of(io.read_table(found[stem]).to_pylist())
    ]
    sentences = [] if figures or tables else ["This study has not been run."]
    return StudyPart(name=name, kind=settings["kind"], figures=figures, tables=tables, sentences=sentences)
