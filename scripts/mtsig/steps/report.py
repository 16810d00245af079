"""The steps `page_part` and `report`: what the page shows of a test set, made and kept by itself; and ``report.html``,
one page on everything that was computed, with ``provenance.json``.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtsig import __version__, io
from mtsig.io import StrPath
from mtsig.provenance import versions
from mtsig.report import page
from mtsig.report.browser import SegmentData
from mtsig.report.results import MetricResult, read_results
from mtsig.report.selftest import cases
from mtsig.report.studies import study_part
from mtsig.steps import evaluation_set

__all__ = ["PROVENANCE_SCHEMA_VERSION", "page_part", "report"]


PROVENANCE_SCHEMA_VERSION = 1

#: Packages whose version can change a number or a figure.
_PACKAGES = (
    "altair",
    "numpy",
    "pyarrow",
    "sacrebleu",
    "scikit-learn",
    "scipy",
    "snakemake",
    "unbabel-comet",
    "vl-convert-python",
)


def page_part(
    *,
    segments: StrPath,
    hypotheses: StrPath,
    lint: StrPath,
    notes: Sequence[StrPath],
    scores: Sequence[StrPath],
    systems: Sequence[StrPath],
    pairs: Sequence[StrPath],
    groups: Sequence[StrPath],
    metrics: Sequence[str],
    part: StrPath,
) -> None:
    """Write what the page shows of one test set.

    Parameters
    ----------
    segments, hypotheses, lint
        What `ingest` wrote.
    notes
        What `comet` has to say about its scores, one per neural metric, in any order.
    scores, systems, pairs, groups
        What `score` and `resample` wrote, one of each per metric, in the order to be shown.
    metrics
        All metrics that the configuration names for the test set; the page says which of them are absent.
    part
        The file to write, for `report`.

    Raises
    ------
    InputError
        If an input is damaged.
    """
    evaluation = evaluation_set.load(segments, hypotheses)
    results = read_results(systems, pairs)
    present = [result.metric for result in results]
    group_rows = {metric: io.read_table(path).to_pylist() for metric, path in zip(present, groups, strict=True)}
    findings = [
        *io.read_json(lint)["findings"],
        *(
            {**finding, "message": f"{content['metric']}: {finding['message']}"}
            for content in map(io.read_json, sorted(map(str, notes)))
            for finding in content["findings"]
        ),
    ]
    data = SegmentData(
        ids=evaluation.segment_ids,
        documents=evaluation.documents,
        domains=evaluation.domains,
        sources=evaluation.sources,
        references=evaluation.references,
        hypotheses=evaluation.systems,
        scores={
            metric: _segment_scores(path, evaluation.n_segments) for metric, path in zip(present, scores, strict=True)
        },
    )
    absent = [metric for metric in metrics if metric not in present]
    shown = page.Part(evaluation.testset, results, group_rows, data, findings, absent)
    io.write_json(part, {"schema_version": page.PART_SCHEMA_VERSION, **page.part_of_testset(shown)})


def _segment_scores(path: StrPath, n_segments: int) -> dict[str, NDArray[np.float64]]:
    """System to segment scores, in the order of segments, NaN where undefined."""
    found = {}
    for table in io.read_parts(path, ["system", "score"], n_segments or 1):
        found[table["system"][0].as_py()] = table["score"].to_numpy()
    return found


def report(
    *,
    parts: Sequence[StrPath],
    suite_systems: Sequence[StrPath],
    suite_pairs: Sequence[StrPath],
    studies: Sequence[StrPath],
    settings: Mapping[str, Any],
    digests: Mapping[str, Mapping[str, str]],
    report: StrPath,
    provenance: StrPath,
) -> None:
    """Write the page and the provenance.

    Parameters
    ----------
    parts
        What `page_part` wrote, one per test set, in the order to be shown.
    suite_systems, suite_pairs
        What `suites` wrote, one of each per suite and metric.
    studies
        Files of the studies: Parquet tables and SVG figures below ``.../studies/{study}/``.
    settings
        The configuration with all defaults.
    digests
        What kind of thing (test sets, code) to name to digest; shown as they are.
    report, provenance
        The files to write.

    Raises
    ------
    InputError
        If an input is damaged.
    """
    shown = [io.read_json(path) for path in parts]
    suites: dict[str, list[MetricResult]] = {}
    for result in read_results(suite_systems, suite_pairs):
        suites.setdefault(result.testset, []).append(result)
    shown += [page.part_of_suite(page.Part(name, results)) for name, results in suites.items()]
    record = _provenance(settings, digests, [row for part in shown for row in part["results"]])
    text = page.render(
        title=settings["report"]["title"],
        parts=shown,
        studies=[
            study_part(name, its, [path for path in map(Path, studies) if _belongs(path, name)])
            for name, its in settings["studies"].items()
        ],
        provenance=record,
        selftest=cases(),
        version=__version__,
    )
    io.write_json(provenance, record)
    io.write_text(report, text)


def _belongs(path: Path, study: str) -> bool:
    """Whether a file lies below ``studies/{study}``."""
    return any(folder.name == study and folder.parent.name == "studies" for folder in path.parents)


def _provenance(
    settings: Mapping[str, Any], digests: Mapping[str, Mapping[str, str]], results: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """What the results were made from; nothing of when and where."""
    found = {name: number for name, number in versions(*_PACKAGES).items() if number != "-"}
    return {
        "schema_version": PROVENANCE_SCHEMA_VERSION,
        "versions": {"mtsig": __version__, "python": platform.python_version(), **found},
        "seed": settings["seed"],
        "digests": {kind: dict(items) for kind, items in digests.items()},
        "results": list(results),
        "config": dict(settings),
    }
