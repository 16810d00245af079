"""The step `report`: ``report.html``, one page on everything that was computed, and ``provenance.json``."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mtsig import __version__, io
from mtsig.io import StrPath
from mtsig.provenance import versions
from mtsig.report import page
from mtsig.report.browser import SegmentData
from mtsig.report.results import MetricResult, Row, read_results
from mtsig.report.selftest import cases
from mtsig.report.studies import study_part
from mtsig.steps import evaluation_set

__all__ = ["PROVENANCE_SCHEMA_VERSION", "report"]


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


def report(
    *,
    segments: Sequence[StrPath],
    hypotheses: Sequence[StrPath],
    lint: Sequence[StrPath],
    notes: Sequence[StrPath],
    scores: Sequence[StrPath],
    systems: Sequence[StrPath],
    pairs: Sequence[StrPath],
    groups: Sequence[StrPath],
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
    segments, hypotheses, lint
        What `ingest` wrote, one of each per test set, in the order to be shown.
    notes
        What `comet` has to say about its scores, one per test set and neural metric, in any order.
    scores, systems, pairs, groups
        What `score` and `resample` wrote, one of each per test set and metric, in the order to be shown. Which test
        set and metric a file belongs to is read in it.
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
    results = read_results(systems, pairs)
    averages = read_results(suite_systems, suite_pairs)
    record = _provenance(settings, digests, [*results, *averages])
    text = page.render(
        title=settings["report"]["title"],
        testsets=_testset_parts(segments, hypotheses, lint, notes, scores, groups, results, settings),
        suites=_suite_parts(averages),
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
    settings: Mapping[str, Any], digests: Mapping[str, Mapping[str, str]], results: Sequence[MetricResult]
) -> dict[str, Any]:
    """What the results were made from; nothing of when and where."""
    found = {name: number for name, number in versions(*_PACKAGES).items() if number != "-"}
    return {
        "schema_version": PROVENANCE_SCHEMA_VERSION,
        "versions": {"mtsig": __version__, "python": platform.python_version(), **found},
        "seed": settings["seed"],
        "digests": {kind: dict(items) for kind, items in digests.items()},
        "results": [
            {
                "testset": result.testset,
                "metric": result.metric,
                **{
                    name: result.setting(name)
                    for name in ("signature", "seed", "n_resamples", "n_trials", "resample_unit", "confidence_level")
                },
            }
            for result in results
        ],
        "config": dict(settings),
    }


def _testset_parts(
    segments: Sequence[StrPath],
    hypotheses: Sequence[StrPath],
    lint: Sequence[StrPath],
    notes: Sequence[StrPath],
    scores: Sequence[StrPath],
    groups: Sequence[StrPath],
    results: Sequence[MetricResult],
    settings: Mapping[str, Any],
) -> list[page.Part]:
    group_rows: dict[tuple[str, str], list[Row]] = {}
    for path in groups:
        for row in io.read_table(path).to_pylist():
            group_rows.setdefault((row["testset"], row["metric"]), []).append(row)
    found_scores = _segment_scores(scores)
    noted = _noted_findings(notes)
    parts = []
    for segments_path, hypotheses_path, lint_path in zip(segments, hypotheses, lint, strict=True):
        evaluation = evaluation_set.load(segments_path, hypotheses_path)
        name = evaluation.testset
        own = [result for result in results if result.testset == name]
        present = [result.metric for result in own]
        wanted = settings["testsets"].get(name, {}).get("metrics") or settings["metrics"]
        data = SegmentData(
            ids=evaluation.segment_ids,
            documents=evaluation.documents,
            domains=evaluation.domains,
            sources=evaluation.sources,
            references=evaluation.references,
            hypotheses=evaluation.systems,
            scores={metric: found_scores.get((name, metric), {}) for metric in present},
        )
        parts.append(
            page.Part(
                name=name,
                results=own,
                groups={metric: group_rows.get((name, metric), []) for metric in present},
                segments=data,
                findings=[*io.read_json(lint_path)["findings"], *noted.get(name, ())],
                absent=[
                    f"The metric {metric} was not computed here; neural metrics run under the target comet."
                    for metric in wanted
                    if metric not in present
                ],
            )
        )
    return parts


def _noted_findings(paths: Sequence[StrPath]) -> dict[str, list[dict[str, Any]]]:
    """Test set to what the scorers of neural metrics found, naming the metric."""
    found: dict[str, list[dict[str, Any]]] = {}
    for content in map(io.read_json, sorted(map(str, paths))):
        findings = [
            {**finding, "message": f"{content['metric']}: {finding['message']}"} for finding in content["findings"]
        ]
        found.setdefault(content["testset"], []).extend(findings)
    return found


def _segment_scores(paths: Sequence[StrPath]) -> dict[tuple[str, str], dict[str, list[float | None]]]:
    """Test set and metric to system to segment scores, in the order of segments."""
    found: dict[tuple[str, str], dict[str, list[float | None]]] = {}
    for path in paths:
        columns = io.read_table(path, columns=["testset", "metric", "system", "segment", "score"]).to_pydict()
        for testset, metric, system, score in zip(
            columns["testset"], columns["metric"], columns["system"], columns["score"], strict=True
        ):
            found.setdefault((testset, metric), {}).setdefault(system, []).append(score)
    return found


def _suite_parts(results: Sequence[MetricResult]) -> list[page.Part]:
    by_suite: dict[str, list[MetricResult]] = {}
    for result in results:
        by_suite.setdefault(result.testset, []).append(result)
    return [page.Part(name=name, results=own) for name, own in by_suite.items()]
