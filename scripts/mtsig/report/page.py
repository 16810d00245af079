"""The report: one HTML page that opens from disk, needs no network, and can be read on a phone and on paper.

Numbers, tables and figures are finished here; the page's script only sorts, switches and looks up. What needs the
script says so where it does not run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from itertools import groupby
from typing import Any

import jinja2
import markupsafe

from mtsig.contracts import FLAGS
from mtsig.report import format as fmt
from mtsig.report import verdicts, words
from mtsig.report.browser import SegmentData, details, document_block, pack, segment_block
from mtsig.report.figures import PALETTE, evidence, interval_plot, matrix_key, to_svg
from mtsig.report.render import Table
from mtsig.report.results import MetricResult, Row
from mtsig.report.tables import direction_words, how_tested, interval_words, level_words

__all__ = ["Part", "StudyPart", "render"]

#: Characters of segment text on the whole page; the rest is left out and that is said. Compressed it is a third.
TEXT_BUDGET = 12_000_000

#: Findings of one kind that are listed one by one.
_MOST_FINDINGS = 20

#: Rows of a study's table.
_MOST_ROWS = 60

#: Columns of a matrix of domains.
_MOST_DOMAINS = 12


@dataclass(frozen=True)
class Part:
    """What the page shows of one test set or suite.

    Attributes
    ----------
    name
        The test set.
    results
        Its metrics, in the order to be shown; may be empty.
    groups
        Metric to rows of the groups table.
    segments
        Texts and segment scores, None where there are none (suites).
    findings
        What the readers noticed in the input.
    absent
        What the configuration names and this part lacks, one sentence each.
    """

    name: str
    results: Sequence[MetricResult]
    groups: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    segments: SegmentData | None = None
    findings: Sequence[Mapping[str, Any]] = ()
    absent: Sequence[str] = ()


@dataclass(frozen=True)
class StudyPart:
    """What the page shows of one study: figures as (name, SVG), tables, and sentences."""

    name: str
    kind: str
    figures: Sequence[tuple[str, str]] = ()
    tables: Sequence[Table] = ()
    sentences: Sequence[str] = ()


def render(
    *,
    title: str,
    testsets: Sequence[Part],
    suites: Sequence[Part],
    studies: Sequence[StudyPart],
    provenance: Mapping[str, Any],
    selftest: Sequence[Mapping[str, Any]],
    version: str,
) -> str:
    """The page.

    Parameters
    ----------
    title
        Its heading.
    testsets, suites, studies
        What to show.
    provenance
        What the results were made from, as in ``provenance.json``.
    selftest
        Rows of `mtsig.report.selftest.cases`.
    version
        Version of mtsig.

    Returns
    -------
    str
        HTML, the same for the same input.
    """
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("mtsig.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    budget = TEXT_BUDGET // max(1, sum(part.segments is not None for part in testsets))
    parts = [_part_context(part, f"t{i}", "test set", budget) for i, part in enumerate(testsets)]
    parts += [_part_context(part, f"s{i}", "suite", 0) for i, part in enumerate(suites)]
    results = [result for part in (*testsets, *suites) for result in part.results]
    return environment.get_template("page.html.j2").render(
        title=title,
        parts=parts,
        studies=[_study_context(study, f"study{i}") for i, study in enumerate(studies)],
        provenance=_provenance_context(provenance),
        selftest=selftest,
        agreeing=sum(case["agrees"] for case in selftest),
        version=version,
        flags=_flags(results),
        star_words=_star_words(results),
        level=level_words(results[0]) if results else "95 %",
        css=markupsafe.Markup(_asset("page.css") + _palette_css()),
        js=markupsafe.Markup(_asset("page.js")),
    )


def _asset(name: str) -> str:
    return resources.files("mtsig.report").joinpath("assets", name).read_text(encoding="utf-8")


def _palette_css() -> str:
    classes = [f".k-{kind}{{background:{PALETTE[kind]}}}" for kind in ("better", "worse", "none")]
    classes += [f".k-{kind}{{background:{PALETTE[kind]};color:#fff}}" for kind in ("better_strong", "worse_strong")]
    return "\n".join(classes)


def _flags(results: Sequence[MetricResult]) -> list[tuple[str, str]]:
    found = {flag for result in results for row in (*result.systems, *result.pairs) for flag in row["flags"]}
    return [(flag, FLAGS.get(flag, "no description")) for flag in sorted(found)]


def _star_words(results: Sequence[MetricResult]) -> str:
    """What the stars of these results mean, with every level in use."""
    levels = sorted({result.setting("alpha") for result in results if result.setting("alpha") is not None})
    return "; or ".join(map(fmt.star_words, levels or [0.05]))


def _part_context(part: Part, identifier: str, kind: str, budget: int) -> dict[str, Any]:
    metrics = [_metric_context(result, part.groups.get(result.metric, ())) for result in part.results]
    names = list(dict.fromkeys(name for result in part.results for name in result.names))
    block: dict[str, Any] = {
        "metrics": {result.metric: _metric_block(result, part.groups.get(result.metric, ())) for result in part.results}
    }
    if part.segments is not None and names:
        block["browser"] = segment_block(part.segments, budget)
    first = part.results[0] if part.results else None
    langpair = first.langpair if first else ""
    return {
        "id": identifier,
        "kind": kind,
        "name": part.name,
        "langpair": langpair,
        "metrics": metrics,
        "systems": _wide_rows(part.results, names),
        "names": names,
        "opponent": _opponent(part.results),
        "summary": _summary(part.results),
        "agreement": verdicts.agreement(part.results),
        "findings": _findings_context(part.findings),
        "absent": list(part.absent),
        "browser": "browser" in block,
        "left_out": block["browser"]["total"] - len(block["browser"]["segments"]) if "browser" in block else 0,
        "total": block["browser"]["total"] if "browser" in block else 0,
        "has_documents": any(below["documents"] for below in block["metrics"].values()),
        "data": pack(block) if names else "",
        "size": _size_words(part.results),
    }


def _opponent(results: Sequence[MetricResult]) -> str | None:
    """The system with which the best one is compared at first: the next whose output is another."""
    if not results:
        return None
    result = results[0]
    for other in result.names[1:]:
        comparison = result.compare(result.names[0], other)
        if comparison is not None and "identical_output" not in comparison.row["flags"]:
            return other
    return result.names[-1]


def _size_words(results: Sequence[MetricResult]) -> str:
    if not results:
        return "no metric"
    systems = len(results[0].systems)
    segments = {row["n_segments"] for result in results for row in result.systems}
    number = fmt.count(max(segments)) if len(segments) == 1 else f"up to {fmt.count(max(segments))}"
    return f"{systems} {'system' if systems == 1 else 'systems'}, {number} segments"


def _summary(results: Sequence[MetricResult]) -> list[dict[str, Any]]:
    return [
        {
            "metric": result.metric,
            "headline": verdicts.headline(result).sentence,
            "practical": words.practical(result),
            "limits": words.limits(result),
        }
        for result in results
    ]


def _metric_block(result: MetricResult, groups: Sequence[Row]) -> dict[str, Any]:
    has_documents = any(row["group_kind"] == "document" for row in groups)
    return {
        **details(result),
        "better": {True: 1, False: -1, None: 0}[result.higher_is_better],
        "documents": document_block(groups, result.names, result.score_decimals) if has_documents else None,
    }


def _wide_rows(results: Sequence[MetricResult], names: Sequence[str]) -> list[dict[str, Any]]:
    """One row per system with its cell for each metric."""
    by_metric = [{row["system"]: row for row in result.systems} for result in results]
    best = [set(verdicts.best_systems(result)) for result in results]
    rows = []
    for name in names:
        cells = []
        for result, found, leaders in zip(results, by_metric, best, strict=True):
            row = found.get(name)
            cells.append(
                None
                if row is None
                else {
                    "value": "" if row["score"] is None else repr(row["score"]),
                    "score": fmt.number(row["score"], result.score_decimals, minus="−"),
                    "interval": fmt.interval(row["ci_low"], row["ci_high"], result.score_decimals, minus="−"),
                    "rank": "" if row["rank_low"] is None else fmt.rank(row["rank_low"], row["rank_high"]),
                    "cluster": row["cluster"],
                    "n_segments": fmt.count(row["n_segments"]),
                    "best": name in leaders,
                    "flags": [flag for flag in row["flags"] if flag != "no_direction"],
                }
            )
        rows.append({"name": name, "cells": cells})
    return rows


def _metric_context(result: MetricResult, groups: Sequence[Row]) -> dict[str, Any]:
    return {
        "name": result.metric,
        "direction": direction_words(result),
        "directed": result.higher_is_better is not None,
        "ascending": result.higher_is_better is False,
        "signature": result.setting("signature"),
        "interval_words": interval_words(result),
        "how_tested": how_tested(result),
        "plot": markupsafe.Markup(to_svg(interval_plot(result))),
        "plot_words": _plot_words(result),
        "matrix": _matrix_context(result),
        "domains": _domains_context(result, groups),
        "flagged": [row for row in result.systems if row["flags"]],
    }


def _plot_words(result: MetricResult) -> str:
    """The figure in words, for those who do not see it."""
    places = result.score_decimals
    shown = [
        f"{row['system']} {fmt.number(row['score'], places)} {fmt.interval(row['ci_low'], row['ci_high'], places)}"
        for row in result.systems
    ]
    return f"Scores with intervals, best first: {'; '.join(shown)}."


def _matrix_context(result: MetricResult) -> dict[str, Any] | None:
    if not result.pairs:
        return None
    names = result.names
    detailed = len(names) <= 14
    rows = []
    for system in names:
        cells: list[dict[str, str] | None] = []
        for other in names:
            comparison = result.compare(system, other)
            if comparison is None:
                cells.append(None)
                continue
            text = ""
            if detailed:
                places = result.decimals_of(comparison.row)
                text = fmt.number(comparison.delta, places, signed=True, minus="−")
            cells.append({"kind": evidence(comparison), "text": text, "stars": comparison.stars})
        rows.append({"name": system, "cells": cells})
    return {"names": names, "rows": rows, "detailed": detailed, "key": matrix_key(result)}


def _domains_context(result: MetricResult, groups: Sequence[Row]) -> dict[str, Any] | None:
    rows = [row for row in groups if row["group_kind"] == "domain"]
    if not rows:
        return None
    domains = sorted({row["group"] for row in rows})
    found = {(row["system"], row["group"]): row for row in rows}
    places = max(0, result.score_decimals - 1) if len(domains) > 3 else result.score_decimals
    sizes = {domain: max(row["n_segments"] for row in rows if row["group"] == domain) for domain in domains}
    shown = domains[:_MOST_DOMAINS]
    table = []
    for name in result.names:
        cells: list[dict[str, str] | None] = []
        for domain in shown:
            row = found.get((name, domain))
            cells.append(
                None
                if row is None
                else {
                    "score": fmt.number(row["score"], places, minus="−"),
                    "interval": fmt.interval(row["ci_low"], row["ci_high"], places, minus="−"),
                }
            )
        table.append({"name": name, "cells": cells})
    return {
        "domains": [(domain, fmt.count(sizes[domain])) for domain in shown],
        "left_out": len(domains) - len(shown),
        "rows": table,
    }


def _findings_context(findings: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    ordered = sorted(findings, key=lambda finding: (finding["level"] != "warning", finding["code"]))
    kinds = []
    for (level, code), group in groupby(ordered, key=lambda finding: (finding["level"], finding["code"])):
        members = list(group)
        kinds.append(
            {
                "level": level,
                "code": code,
                "number": fmt.count(len(members)),
                "shown": members[:_MOST_FINDINGS],
                "left_out": max(0, len(members) - _MOST_FINDINGS),
            }
        )
    return kinds


def _study_context(study: StudyPart, identifier: str) -> dict[str, Any]:
    return {
        "id": identifier,
        "name": study.name,
        "kind": study.kind,
        "figures": [(name, markupsafe.Markup(svg)) for name, svg in study.figures],
        "tables": [_table_context(table) for table in study.tables],
        "sentences": study.sentences,
    }


def _table_context(table: Table) -> dict[str, Any]:
    rows = [
        [
            {"text": cell, "align": column.align, "bold": (i, j) in table.bold}
            for j, (cell, column) in enumerate(zip(row, table.columns, strict=True))
        ]
        for i, row in enumerate(table.rows[:_MOST_ROWS])
    ]
    return {
        "title": table.title,
        "heads": [
            {"text": title, "align": column.align}
            for title, column in zip(table.full_titles(), table.columns, strict=True)
        ],
        "rows": rows,
        "notes": table.notes,
        "left_out": len(table.rows) - len(rows),
    }


def _provenance_context(provenance: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "versions": provenance["versions"],
        "digests": provenance["digests"],
        "config": json.dumps(provenance["config"], ensure_ascii=False, indent=2, sort_keys=False),
    }
