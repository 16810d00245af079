"""Tables of a paper.

Every table carries what a reviewer asks for: signatures, test, resamples, seed, versions. Bold marks the best system
of a column together with all that are not significantly worse, so that a reader sees a group and not a winner by a
hair.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mtsig.errors import ConfigError
from mtsig.report import format as fmt
from mtsig.report.render import Column, Table, escape_latex, markdown, tabular
from mtsig.report.results import Comparison, MetricResult
from mtsig.report.verdicts import best_systems, headline
from mtsig.report.words import listed, resampled_on

__all__ = ["ADJUSTMENTS", "RAW_COLUMNS", "PaperTable", "document", "environment", "markdown_page", "paper_table"]

#: Columns of a table's csv file.
RAW_COLUMNS = (
    "table",
    "testset",
    "metric",
    "system",
    "score",
    "ci_low",
    "ci_high",
    "rank",
    "rank_low",
    "rank_high",
    "cluster",
    "best",
    "mark",
    "baseline",
    "delta",
    "delta_low",
    "delta_high",
    "p_value",
    "koehn",
)

_MARKS = {"stars": ("*", "**"), "daggers": ("†", "‡"), "none": ("", "")}
_ARROWS = {True: " ↑", False: " ↓", None: ""}
_NOT_SCORED = "n/a"


@dataclass(frozen=True)
class PaperTable:
    """A table of a paper.

    Attributes
    ----------
    name
        Its name in the configuration.
    table
        For reading.
    raw
        The numbers behind every cell (`RAW_COLUMNS`).
    caption, label
        For LaTeX.
    columns
        Columns of the page that it spans, 1 or 2.
    """

    name: str
    table: Table
    raw: tuple[dict[str, Any], ...]
    caption: str
    label: str
    columns: int


def paper_table(
    name: str,
    settings: Mapping[str, Any],
    results: Mapping[tuple[str, str], MetricResult],
    versions: Mapping[str, str],
) -> PaperTable:
    """Make one table.

    Parameters
    ----------
    name
        Its name.
    settings
        Its settings, with all defaults.
    results
        (test set or suite, metric) to results.
    versions
        Package to version, for the note.

    Returns
    -------
    PaperTable

    Raises
    ------
    ConfigError
        If a system that the settings name is not there.
    """
    chosen = [
        results[place, metric]
        for place in (*settings["testsets"], *settings["suites"])
        for metric in settings["metrics"]
        if (place, metric) in results
    ]
    if not chosen:
        raise ConfigError(f"paper.tables.{name}: none of its metrics was computed on any of its test sets.")
    systems = _systems(name, settings, chosen)
    baseline = settings["baseline"]
    if baseline is not None and baseline not in systems:
        raise ConfigError(f"paper.tables.{name}.baseline: there is no system {baseline!r} in the table.")
    columns, groups = [Column("System")], [("", 1)]
    rows = [[system] for system in systems]
    bold: set[tuple[int, int]] = set()
    raw: list[dict[str, Any]] = []
    for result in chosen:
        clustered = result.metric in settings["clusters"]
        columns.append(Column.number(result.metric + _ARROWS[result.higher_is_better]))
        columns += [Column("cluster", "center", True)] if clustered else []
        against = settings["koehn"] and settings["baseline"] is not None
        columns += [Column.number("wins")] if against else []
        width = 1 + clustered + against
        if groups[-1][0] == result.testset:
            groups[-1] = (result.testset, groups[-1][1] + width)
        else:
            groups.append((result.testset, width))
        for i, cell in enumerate(_cells(name, settings, result, systems)):
            if cell["best"]:
                bold.add((i, len(rows[i])))
            rows[i].append(cell.pop("text"))
            if clustered:
                rows[i].append("" if cell["cluster"] is None else str(cell["cluster"]))
            if against:
                rows[i].append("" if cell["koehn"] is None else fmt.percent(cell["koehn"]))
            raw.append(cell)
    one_place = len({result.testset for result in chosen}) == 1
    caption = settings["caption"] or f"Results on {listed([title for title, _ in groups[1:]])}."
    table = Table(
        title=caption,
        columns=tuple(columns),
        rows=tuple(tuple(row) for row in rows),
        notes=_notes(settings, chosen, versions),
        bold=frozenset(bold),
        groups=() if one_place else tuple(groups),
    )
    return PaperTable(name, table, tuple(raw), caption, settings["label"] or f"tab:{name}", settings["columns"])


def _systems(name: str, settings: Mapping[str, Any], chosen: Sequence[MetricResult]) -> list[str]:
    """The systems of a table, in its order."""
    # By the first column; systems that it lacks follow in the order of the next.
    by_score = list(dict.fromkeys(system for result in chosen for system in result.names))
    wanted = settings["systems"]
    if wanted is not None:
        for system in wanted:
            if system not in by_score:
                raise ConfigError(f"paper.tables.{name}.systems: there is no system {system!r} in these results.")
    shown = by_score if wanted is None else [system for system in by_score if system in wanted]
    order = settings["order"]
    if order == "given" and wanted is not None:
        return list(wanted)
    return sorted(shown) if order == "name" else shown


def _cells(
    name: str, settings: Mapping[str, Any], result: MetricResult, systems: Sequence[str]
) -> list[dict[str, Any]]:
    found = {row["system"]: row for row in result.systems}
    best = best_systems(result, among=systems)
    baseline = settings["baseline"]
    places = result.score_decimals if settings["digits"] is None else settings["digits"]
    cells = []
    for system in systems:
        row = found.get(system, {})
        comparison = result.compare(system, baseline) if baseline not in (None, system) else None
        mark = _mark(comparison, settings["marks"])
        scored = row.get("score") is not None
        text = fmt.number(row["score"], places) if scored else _NOT_SCORED
        if scored and settings["intervals"]:
            text += " " + fmt.interval(row["ci_low"], row["ci_high"], places)
        cells.append(
            {
                "text": text + mark,
                "table": name,
                "testset": result.testset,
                "metric": result.metric,
                "system": system,
                **{
                    key: row.get(key)
                    for key in ("score", "ci_low", "ci_high", "rank", "rank_low", "rank_high", "cluster")
                },
                "best": system in best,
                "mark": mark,
                "baseline": baseline,
                "delta": comparison and comparison.delta,
                "delta_low": comparison and comparison.low,
                "delta_high": comparison and comparison.high,
                "p_value": comparison and comparison.p,
                "koehn": comparison and comparison.koehn,
            }
        )
    return cells


def _mark(comparison: Comparison | None, marks: str) -> str:
    return "" if comparison is None else _MARKS[marks][len(comparison.stars) - 1] if comparison.stars else ""


def _notes(settings: Mapping[str, Any], chosen: Sequence[MetricResult], versions: Mapping[str, str]) -> tuple[str, ...]:
    notes = []
    if any(result.higher_is_better is not None and len(result.systems) > 1 for result in chosen):
        notes.append("Bold: the best system of a column and all that are not significantly worse.")
    one, two = _MARKS[settings["marks"]]
    if settings["baseline"] is not None and one:
        levels = sorted({alpha for result in chosen if (alpha := result.setting("alpha")) is not None})
        words = "; or ".join(fmt.star_words(alpha, (one, two)) for alpha in levels)
        notes.append(f"Marks: {words}, significantly different from {settings['baseline']}.")
    if settings["koehn"] and settings["baseline"] is not None:
        alpha = next((alpha for result in chosen if (alpha := result.setting("alpha")) is not None), 0.05)
        notes.append(
            f"Wins: the share of resamples in which a system is better than {settings['baseline']}; Koehn (2004) calls "
            f"it better from {100 * (1 - alpha):g} % on."
        )
    if settings["clusters"]:
        notes.append(
            f"Cluster: by {listed(settings['clusters'])}, over all systems; every system of a cluster is significantly "
            "better than every system of the next."
        )
    notes += _doubts(chosen)
    if settings["intervals"]:
        notes.append(f"Brackets: {100 * chosen[0].setting('confidence_level'):g} % confidence intervals.")
    notes.append(_test_words(chosen))
    signatures = dict.fromkeys(f"{result.metric}: {result.setting('signature')}" for result in chosen)
    notes.append(f"Signatures: {'; '.join(signatures)}.")
    notes.append(f"Versions: {', '.join(f'{package} {number}' for package, number in versions.items())}.")
    return tuple(notes)


def _doubts(chosen: Sequence[MetricResult]) -> list[str]:
    """What is to be known of the columns beside their numbers: verdicts that do not stand by themselves."""
    verdicts = {(result.testset, result.metric): headline(result) for result in chosen}
    return [
        f"{testset}, {metric}: {' '.join(verdict.reservations)}"
        for (testset, metric), verdict in verdicts.items()
        if verdict.reservations
    ]


#: The setting `adjust` in words.
ADJUSTMENTS = {
    None: "",
    "none": "p-values are not corrected for the number of comparisons",
    "holm": "p-values are adjusted by Holm's method per test set and metric",
    "bh": "p-values are adjusted by the method of Benjamini and Hochberg per test set and metric",
}


def _test_words(chosen: Sequence[MetricResult]) -> str:
    """The test in one sentence; where results differ in a setting, with all its values."""

    def values(name: str, form: str = "{}") -> str:
        found = dict.fromkeys(result.setting(name) for result in chosen)
        return listed([form.format(value) for value in found if value is not None])

    further = resampled_on(chosen)
    adjust = next((result.setting("adjust") for result in chosen if result.pairs), None)
    return (
        f"Test: two-sided paired bootstrap with {values('n_resamples', '{:,}')} resamples of "
        f"{values('resample_unit')}s, seed {values('seed')}, alpha {values('alpha', '{:g}')}"
        f"{'; ' if adjust else ''}{ADJUSTMENTS[adjust]}.{further and f' {further}'}"
    )


def markdown_page(table: PaperTable) -> str:
    """The table as a Markdown page."""
    return markdown([table.table], title=table.name)


def environment(table: PaperTable) -> str:
    """The table as a LaTeX table environment, to be read in by a paper that loads the package booktabs."""
    star = "*" if table.columns == 2 else ""
    notes = "\n".join(f"{escape_latex(note)}" for note in table.table.notes)
    return (
        f"\\begin{{table{star}}}\n\\centering\n\\small\n\\setlength{{\\tabcolsep}}{{5pt}}\n"
        f"{tabular(table.table)}\n"
        f"\\caption{{{escape_latex(table.caption)}}}\n\\label{{{table.label}}}\n"
        f"\\par\\smallskip\n\\begin{{minipage}}{{0.98\\linewidth}}\\scriptsize\\raggedright\n{notes}\n\\end{{minipage}}\n"
        f"\\end{{table{star}}}\n"
    )


def document(body: str) -> str:
    """A LaTeX document around `body` that compiles by itself, with pdfLaTeX where all letters are Latin."""
    return (
        "\\documentclass{article}\n"
        "\\usepackage{iftex}\n"
        "\\ifPDFTeX\\usepackage[utf8]{inputenc}\\else\\usepackage{fontspec}\\fi\n"
        "\\usepackage[margin=2cm]{geometry}\n"
        "\\usepackage{booktabs}\n"
        "\\begin{document}\n"
        f"{body}"
        "\\end{document}\n"
    )
