"""The report: one HTML page that opens from disk, needs no network, and can be read on a phone and on paper.

The part of a test set is finished by itself (`part_of_testset`, `part_of_suite`) and kept; the page is put together
from parts (`render`). Numbers and tables are finished here; the page's script sorts, switches, filters and looks up,
and what needs it says so where it does not run. Intervals are drawn by the page's style alone, so that they follow
the width of the screen and its colours.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from itertools import groupby
from typing import Any

import jinja2
import markupsafe

from mtsig.contracts import DOUBTS, FLAGS
from mtsig.report import format as fmt
from mtsig.report import verdicts, words
from mtsig.report.browser import SegmentData, details, document_block, pack, segment_blocks
from mtsig.report.figures import evidence, matrix_key
from mtsig.report.render import Table
from mtsig.report.results import MetricResult, Row
from mtsig.report.tables import direction_words, how_tested, interval_words, level_words

__all__ = ["PART_SCHEMA_VERSION", "Part", "StudyPart", "part_of_suite", "part_of_testset", "render", "script"]

PART_SCHEMA_VERSION = 1

#: Bytes of the whole page, and of the texts of segments in it where the rest leaves less room: they are left out first,
#: and that is said.
PAGE_BUDGET = 3_700_000
TEXT_MINIMUM = 1_000_000

#: The page's script, in the order in which the modules need each other.
_MODULES = ("dom", "blocks", "address", "texts", "choice", "tables", "matrix", "segments", "main")

#: Findings of one kind that are listed one by one.
_MOST_FINDINGS = 20

#: Rows of a study's table.
_MOST_ROWS = 60

#: Columns of a matrix of domains.
_MOST_DOMAINS = 12

#: Findings above a verdict.
_MOST_DOUBTS = 5

#: Shades of the overview's heat.
_SHADES = 5


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
        Metrics that the configuration names and this part lacks.
    """

    name: str
    results: Sequence[MetricResult]
    groups: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    segments: SegmentData | None = None
    findings: Sequence[Mapping[str, Any]] = ()
    absent: Sequence[str] = ()


@dataclass(frozen=True)
class StudyPart:
    """What the page shows of one study: figures as (name, SVG), tables, sentences, and terms with meanings."""

    name: str
    kind: str
    figures: Sequence[tuple[str, str]] = ()
    tables: Sequence[Table] = ()
    sentences: Sequence[str] = ()
    guide: Sequence[tuple[str, str]] = ()


def part_of_testset(part: Part) -> dict[str, Any]:
    """The finished part of a test set; JSON can hold it, and `render` puts the page together from such parts."""
    return _finished(part, f"t-{part.name}", "test set")


def part_of_suite(part: Part) -> dict[str, Any]:
    """The finished part of a suite."""
    return _finished(part, f"s-{part.name}", "suite")


def render(
    *,
    title: str,
    parts: Sequence[Mapping[str, Any]],
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
    parts
        Finished parts of test sets and suites, in the order to be shown.
    studies
        The studies.
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
    levels = list(dict.fromkeys(part["level"] for part in parts if part["level"]))
    stars = list(dict.fromkeys(part["stars"] for part in parts if part["stars"]))
    flags = sorted({flag for part in parts for flag in part["flags"]})
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            title=title,
            parts=[
                {**part, "html": markupsafe.Markup(part["html"]), "texts": texts}
                for part, texts in zip(parts, _within_budget(parts), strict=True)
            ],
            overview=_overview(parts),
            studies=[_study_context(study, f"study-{study.name}") for study in studies],
            provenance=_provenance_context(provenance),
            selftest=selftest,
            agreeing=sum(case["agrees"] for case in selftest),
            version=version,
            guide=list(dict.fromkeys(term for study in studies for term in study.guide)),
            flags=[(flag, FLAGS.get(flag, "no description")) for flag in flags],
            level=" or ".join(levels) or "95 %",
            star_words="; ".join(stars) or fmt.star_words(0.05),
            css=markupsafe.Markup(_asset("page.css")),
            js=markupsafe.Markup(script()),
        )
    )


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("mtsig.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )


def _asset(name: str) -> str:
    return resources.files("mtsig.report").joinpath("assets", name).read_text(encoding="utf-8")


def script() -> str:
    """The modules of the page's script as one script, which a page that is opened from disk can hold."""
    modules = [_asset(f"{name}.mjs") for name in _MODULES]
    joined = "\n".join(re.sub(r"^import .*;\n|^export ", "", module, flags=re.MULTILINE) for module in modules)
    return f'"use strict";\n(() => {{\n{joined}}})();'


def _within_budget(parts: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """The blocks of texts of each part that the page has room for: the first of every part, the second, and so on."""
    others = sum(len(part[name]) for part in parts for name in ("html", "numbers", "index"))
    room = max(PAGE_BUDGET - others, TEXT_MINIMUM)
    kept: list[list[str]] = [[] for _ in parts]
    for place in range(max((len(part["texts"]) for part in parts), default=0)):
        for part, blocks in zip(parts, kept, strict=True):
            if len(blocks) == place < len(part["texts"]) and len(part["texts"][place]) <= room:
                blocks.append(part["texts"][place])
                room -= len(blocks[-1])
    return kept


def _overview(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A row for each test set and metric with a direction; systems as they appear in them, by their mean standing."""
    rows = [(part, row) for part in parts for row in part["overview"]] if len(parts) > 1 else []
    places: dict[str, list[float]] = {}
    first: dict[str, str] = {}
    for part, row in rows:
        for name, cell in row["cells"].items():
            places.setdefault(name, []).append(cell["place"])
            first.setdefault(name, part["id"])
    order = [part["id"] for part in parts]
    names = sorted(places, key=lambda name: (order.index(first[name]), sum(places[name]) / len(places[name]), name))
    return {
        "names": names,
        "rows": [{**row, "part": part, "cells": [row["cells"].get(name) for name in names]} for part, row in rows],
        "metrics": list(dict.fromkeys(row["metric"] for _, row in rows)),
        "several": len({row["metric"] for _, row in rows}) > 1,
    }


def _overview_row(result: MetricResult) -> dict[str, Any]:
    """A metric's row of the overview: every system with its score, its standing and its shade."""
    leaders = set(verdicts.best_systems(result))
    known = [row["score"] for row in result.systems if row["score"] is not None]
    low, width = min(known, default=0.0), (max(known) - min(known) if known else 0.0) or 1.0
    cells = {}
    for place, row in enumerate(result.systems):
        if row["score"] is None:
            continue
        share = (row["score"] - low) / width
        if result.higher_is_better is False:
            share = 1 - share
        cells[row["system"]] = {
            "score": fmt.number(row["score"], result.score_decimals, minus="−"),
            "rank": "" if row["rank_low"] is None else fmt.rank(row["rank_low"], row["rank_high"]),
            "place": round(place / max(1, len(result.systems) - 1), 3),
            "shade": 0 if result.higher_is_better is None else round(share * (_SHADES - 1)),
            "best": row["system"] in leaders,
        }
    return {"metric": result.metric, "cells": cells}


def _finished(part: Part, identifier: str, kind: str) -> dict[str, Any]:
    results = part.results
    names = list(dict.fromkeys(name for result in results for name in result.names))
    index, texts = segment_blocks(part.segments) if part.segments is not None and names else (None, [])
    if index is not None:
        index["findings"] = _by_segment(part.findings)
    warnings = sum(finding["level"] == "warning" for finding in part.findings)
    langpair = results[0].langpair if results else ""
    directed = [result for result in results if result.higher_is_better is not None] or results
    html = (
        _environment()
        .get_template("part.html.j2")
        .render(
            part={
                "id": identifier,
                "kind": kind,
                "name": part.name,
                "langpair": langpair,
                "metrics": [_metric_context(result, part.groups.get(result.metric, ())) for result in results],
                "systems": _wide_rows(results, names),
                "names": names,
                "opponent": _opponent(results),
                "summary": _summary(results),
                "agreement": verdicts.agreement(results),
                "doubts": _doubts(part.findings, results),
                "findings": _findings_context(part.findings),
                "absent": [
                    f"The metric {metric} was not computed here; neural metrics run under the target comet."
                    for metric in part.absent
                ],
                "browser": index is not None,
                "has_documents": any(_has_documents(rows) for rows in part.groups.values()),
                "size": _size_words(results),
                "domains": sorted({domain for domain in part.segments.domains if domain is not None})
                if part.segments is not None
                else [],
            },
            level=level_words(results[0]) if results else "",
        )
    )
    return {
        "id": identifier,
        "kind": kind,
        "name": part.name,
        "langpair": langpair,
        "html": html,
        "overview": [_overview_row(result) for result in directed],
        "warnings": warnings,
        "flags": sorted(
            {flag for result in results for row in (*result.systems, *result.pairs) for flag in row["flags"]}
        ),
        "level": level_words(results[0]) if results else "",
        "stars": fmt.star_words(results[0].setting("alpha")) if results else "",
        "results": [_record(result) for result in results],
        "segments": 0 if part.segments is None else len(part.segments),
        "numbers": pack({r.metric: _metric_block(r, part.groups.get(r.metric, ())) for r in results}) if names else "",
        "index": "" if index is None else pack(index),
        "texts": texts,
    }


def _by_segment(findings: Sequence[Mapping[str, Any]]) -> dict[int, list[str]]:
    """Segment to what was noticed in it."""
    found: dict[int, list[str]] = {}
    for finding in findings:
        if finding["segment"] is not None:
            found.setdefault(finding["segment"], []).append(finding["message"])
    return found


def _record(result: MetricResult) -> dict[str, Any]:
    """What ``provenance.json`` says of a metric's numbers."""
    names = ("signature", "seed", "n_resamples", "n_trials", "resample_unit", "confidence_level")
    return {"testset": result.testset, "metric": result.metric, **{name: result.setting(name) for name in names}}


def _doubts(findings: Sequence[Mapping[str, Any]], results: Sequence[MetricResult]) -> list[str]:
    """Warnings about systems at the top of some metric: whoever reads a verdict has to read these first.

    Those that bear on scores come first.
    """
    top = {name for result in results for name in verdicts.best_systems(result)}
    weight = {code: place for place, code in enumerate(DOUBTS)}
    touching = [finding for finding in findings if finding["level"] == "warning" and finding["system"] in top]
    touching.sort(key=lambda finding: weight.get(finding["code"], len(weight)))
    return list(dict.fromkeys(finding["message"] for finding in touching))[:_MOST_DOUBTS]


def _has_documents(groups: Sequence[Row]) -> bool:
    return any(row["group_kind"] == "document" for row in groups)


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
    return {
        **details(result),
        "better": {True: 1, False: -1, None: 0}[result.higher_is_better],
        "documents": document_block(groups, result.names, result.score_decimals) if _has_documents(groups) else None,
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
        "plot": _plot_context(result),
        "matrix": _matrix_context(result),
        "domains": _domains_context(result, groups),
        "flagged": [row for row in result.systems if row["flags"]],
    }


def _plot_context(result: MetricResult) -> dict[str, Any]:
    """Scores and intervals of all systems on one scale, as shares of its width in percent."""
    places, leaders = result.score_decimals, set(verdicts.best_systems(result))
    bounds = [row[key] for row in result.systems for key in ("score", "ci_low", "ci_high") if row[key] is not None]
    low, high = min(bounds, default=0.0), max(bounds, default=1.0)
    margin = 0.03 * (high - low) or 0.5
    low, high = low - margin, high + margin

    def at(value: float) -> str:
        return f"{100 * (value - low) / (high - low):.1f}"

    rows, cluster = [], None
    for row in result.systems:
        whisker = None
        if row["ci_low"] is not None and row["ci_high"] is not None:
            whisker = (at(row["ci_low"]), f"{100 * (row['ci_high'] - row['ci_low']) / (high - low):.1f}")
        rows.append(
            {
                "name": row["system"],
                "score": fmt.number(row["score"], places, minus="−"),
                "interval": fmt.interval(row["ci_low"], row["ci_high"], places, minus="−"),
                "best": row["system"] in leaders,
                "at": None if row["score"] is None else at(row["score"]),
                "whisker": whisker,
                "cut": cluster is not None and row["cluster"] != cluster,
            }
        )
        cluster = row["cluster"]
    step = _step(high - low)
    ticks = [step * i for i in range(int(low // step), int(high // step) + 1) if low <= step * i <= high]
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return {
        "rows": rows,
        "clusters": any(row["cut"] for row in rows),
        "ticks": [(at(tick), fmt.number(tick, decimals, minus="−")) for tick in ticks],
    }


def _step(width: float) -> float:
    """A round distance of ticks, two to five of which fit into a width.

    Examples
    --------
    >>> _step(10.0), _step(0.13), _step(3.0)
    (5.0, 0.05, 1.0)
    """
    power = 10.0 ** math.floor(math.log10(width / 2))
    return max(factor * power for factor in (1, 2, 5) if factor * power <= width / 2)


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
