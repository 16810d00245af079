"""The tables of a test set or suite: systems, pairs and the significance matrix, for reading and as raw rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from mtsig.contracts import FLAGS, TABLES
from mtsig.report import format as fmt
from mtsig.report.render import Column, Table, csv, json_rows, latex, markdown
from mtsig.report.results import MetricResult, Row, at_floor, deciding, koehn_words, p_words
from mtsig.report.verdicts import judged_rows
from mtsig.report.words import resampled_on

__all__ = [
    "MATRIX_COLUMNS",
    "direction_words",
    "how_tested",
    "matrix_rows",
    "matrix_tables",
    "pairs_table",
    "render_tables",
    "systems_table",
]

#: Columns of the matrix as raw rows, after the keys: one row per ordered pair, seen from `system`.
MATRIX_COLUMNS = (
    "metric",
    "system",
    "other",
    "n_segments",
    "delta",
    "ci_low",
    "ci_high",
    "p_value",
    "p_adjusted",
    "significant",
    "better",
    "stars",
    "flags",
)

_EQUIVALENCE = ("p_equivalence", "p_noninferiority")
_EQUIVALENCE_TITLES = ("p (equivalence)", "p (non-inferiority)")

#: Opponents side by side in one block of a matrix for reading.
_BLOCK = 12


def direction_words(result: MetricResult) -> str:
    """The metric's direction in words."""
    return {True: "higher is better", False: "lower is better", None: "no direction"}[result.higher_is_better]


def level_words(result: MetricResult) -> str:
    """The confidence level, as in "95 %"."""
    return f"{100 * result.setting('confidence_level'):g} %"


def interval_words(result: MetricResult) -> str:
    """How the intervals were made, as one sentence."""
    return (
        f"Intervals: {level_words(result)} percentile intervals from {fmt.count(result.setting('n_resamples'))} "
        f"bootstrap resamples of {result.drawn} (seed {result.setting('seed')})."
    )


def how_tested(result: MetricResult) -> str:
    """Which test decides, at which level, with which correction, as a few sentences."""
    if not result.pairs:
        return "One system only: there are no pairs to test."
    if result.higher_is_better is None:
        return "The metric has no direction, so no system is better and nothing is tested."
    number = len(result.pairs)
    adjust = result.setting("adjust")
    correction = {
        "none": "not corrected for multiple comparisons",
        "holm": "p-values adjusted by Holm's method",
        "bh": "p-values adjusted by the method of Benjamini and Hochberg",
    }[adjust]
    text = (
        f"Test: two-sided paired bootstrap at alpha = {result.setting('alpha'):g}, {fmt.count(number)} "
        f"{'comparison' if number == 1 else 'comparisons'}, {correction}. "
        f"Stars only where significant: {fmt.star_words(result.setting('alpha'))}."
    )
    if further := resampled_on([result]):
        text += f" {further}"
    if any(at_floor(row, deciding(row)) for row in result.pairs):
        text += " A p after <= is the smallest that so many resamples allow: more of them lower it."
    if any("few_units" in row["flags"] for row in result.pairs):
        text += " With fewer than 30 units a pair also has to pass approximate randomization."
    return text


def flag_words(rows: Iterable[Row]) -> tuple[str, ...]:
    """What the flags that occur in `rows` mean, one sentence each."""
    found = sorted({flag for row in rows for flag in row["flags"]} - {"no_direction"})
    return tuple(f"{flag}: {FLAGS.get(flag, 'no description')}." for flag in found)


def _signature_words(result: MetricResult) -> str:
    return f"Signature: {result.setting('signature')}"


def heading(result: MetricResult) -> str:
    """The metric and its direction."""
    return f"{result.metric} ({direction_words(result)})"


def _flags(row: Row) -> str:
    # The heading says that a metric has no direction.
    return ", ".join(flag for flag in row["flags"] if flag != "no_direction")


def _unless_none(text: str, value: object) -> str:
    """`text`, or nothing where the number behind it does not apply to the metric (ranks without direction)."""
    return "" if value is None else text


def _unless_empty(columns: Sequence[Column], rows: Sequence[tuple[str, ...]], title: str) -> tuple[Any, Any]:
    """Columns and rows without the column `title` where all its cells are empty."""
    at = [column.title for column in columns].index(title)
    if any(row[at] for row in rows):
        return tuple(columns), tuple(rows)
    return (*columns[:at], *columns[at + 1 :]), tuple((*row[:at], *row[at + 1 :]) for row in rows)


def systems_table(result: MetricResult) -> Table:
    """Systems of one metric, best first, with a line between significance clusters."""
    places = result.score_decimals
    rows: list[tuple[str, ...]] = []
    rules = set()
    for i, row in enumerate(result.systems):
        if i and row["cluster"] != result.systems[i - 1]["cluster"]:
            rules.add(i)
        rows.append(
            (
                _unless_none(fmt.rank(row["rank"], row["rank"]), row["rank"]),
                row["system"],
                fmt.number(row["score"], places),
                fmt.interval(row["ci_low"], row["ci_high"], places),
                _unless_none(fmt.rank(row["rank_low"], row["rank_high"]), row["rank_low"]),
                _unless_none(str(row["cluster"]), row["cluster"]),
                fmt.count(row["n_segments"]),
                _flags(row),
            )
        )
    columns: Sequence[Column] = (
        Column.number("Rank"),
        Column("System"),
        Column.number("Score"),
        Column.number(f"{level_words(result)} interval"),
        Column("Rank range", "center", True),
        Column("Cluster", "center", True),
        Column.number("Segments"),
        Column("Notes"),
    )
    for title in ("Rank", "Rank range", "Cluster", "Notes"):
        columns, rows = _unless_empty(columns, rows, title)
    notes = [_signature_words(result), interval_words(result)]
    if any(row["rank_low"] is not None for row in result.systems):
        notes.append(
            "Rank range: from 1 + the systems that are significantly better to all but those significantly worse. "
            "A cluster ends where every system above is significantly better than every system below."
        )
    notes += flag_words(result.systems)
    return Table(heading(result), tuple(columns), tuple(rows), tuple(notes), rules=frozenset(rules))


def pairs_table(result: MetricResult) -> Table:
    """All pairs of one metric."""
    columns: Sequence[Column] = (
        Column("A"),
        Column("B"),
        Column.number("A - B"),
        Column.number(f"{level_words(result)} interval"),
        Column.number("p"),
        *([Column.number("p adjusted")] if result.setting("adjust") not in (None, "none") else []),
        Column(""),
        Column.number("p (randomization)"),
        *(Column.number(title) for title in _EQUIVALENCE_TITLES),
        Column.number("A wins"),
        Column.number("B wins"),
        Column("Koehn"),
        Column("Better"),
        Column.number("Segments"),
        Column.number("Resamples"),
        Column("Notes"),
    )
    configured = result.setting("n_resamples")
    tested = result.higher_is_better is not None
    rows: list[tuple[str, ...]] = []
    for row in result.pairs:
        places = result.decimals_of(row)
        comparison = result.compare(row["system_a"], row["system_b"])
        assert comparison is not None
        rows.append(
            (
                row["system_a"],
                row["system_b"],
                fmt.number(row["delta"], places, signed=True),
                fmt.interval(row["ci_low"], row["ci_high"], places, signed=True),
                p_words(row, "p_value") if tested else "",
                *([p_words(row, "p_adjusted")] if row["adjust"] != "none" else []),
                comparison.stars,
                p_words(row, "p_ar") if tested else "",
                *(_unless_none(p_words(row, name), row["equivalence_margin"]) for name in _EQUIVALENCE),
                _unless_none(fmt.percent(row["koehn_a"]), row["koehn_a"]),
                _unless_none(fmt.percent(row["koehn_b"]), row["koehn_b"]),
                koehn_words(row),
                row["winner"] or "",
                fmt.count(row["n_segments"]),
                fmt.count(row["n_resamples"]) if row["n_resamples"] != configured else "",
                _flags(row),
            )
        )
    tests = ("p", "p (randomization)", *_EQUIVALENCE_TITLES, "A wins", "B wins", "Koehn")
    for title in (*tests, "Better", "", "Resamples", "Notes"):
        columns, rows = _unless_empty(columns, rows, title)
    notes = [_signature_words(result)]
    if result.pairs:
        notes.append(interval_words(result))
    if any(row["koehn_a"] is not None for row in result.pairs):
        notes.append(
            "A wins, B wins: the share of resamples in which A or B is better. Koehn: whom Koehn (2004) calls better, "
            "by a share of at least 1 - alpha; that is no two-sided test at alpha."
        )
    notes.append(how_tested(result))
    if result.pairs and (margin := result.setting("equivalence_margin")) is not None:
        notes.append(
            f"p (equivalence) is small where the two differ by less than {margin:g}, p (non-inferiority) where the one "
            f"with the worse score is worse by less than {margin:g} (one-sided tests by the same resamples)."
        )
    notes += flag_words(result.pairs)
    return Table(heading(result), tuple(columns), tuple(rows), tuple(notes))


def matrix_tables(result: MetricResult) -> list[Table]:
    """The square of differences, row minus column, with stars; in blocks of columns where there are many systems."""
    names = result.names
    tables = []
    for first in range(0, len(names), _BLOCK):
        block = names[first : first + _BLOCK]
        rows = []
        for i, system in enumerate(names, start=1):
            cells = [str(i), system]
            for other in block:
                comparison = result.compare(system, other)
                if comparison is None:
                    cells.append("")
                    continue
                places = result.decimals_of(comparison.row)
                cells.append(fmt.number(comparison.delta, places, signed=True) + comparison.stars)
            rows.append(tuple(cells))
        title = heading(result)
        if len(names) > _BLOCK:
            title += f", against systems {first + 1} to {first + len(block)}"
        columns = (
            Column.number("No."),
            Column("System"),
            *(Column.number(str(first + j + 1)) for j in range(len(block))),
        )
        notes: tuple[str, ...] = ()
        if first + _BLOCK >= len(names):
            notes = ("Score of the row minus score of the column; columns are numbered like rows.", how_tested(result))
        tables.append(Table(title, columns, tuple(rows), notes))
    return tables


def matrix_rows(result: MetricResult) -> list[dict[str, Any]]:
    """The matrix as raw rows, one per ordered pair (`MATRIX_COLUMNS`), sorted by name.

    `delta` and its interval are the score of `system` minus that of `other`; `better` is the better of the two where
    the difference is significant.
    """
    names = sorted(result.names)
    rows = []
    for system in names:
        for other in names:
            comparison = result.compare(system, other)
            if comparison is None:
                continue
            rows.append(
                {
                    **comparison.row,
                    "system": system,
                    "other": other,
                    "delta": comparison.delta,
                    "ci_low": comparison.low,
                    "ci_high": comparison.high,
                    "better": comparison.better,
                    "stars": comparison.stars,
                }
            )
    return rows


def render_tables(results: Sequence[MetricResult], *, title: str) -> dict[str, dict[str, str]]:
    """All tables of a test set in all formats.

    Parameters
    ----------
    results
        The metrics, in the order in which they are to be shown.
    title
        What the tables are about, for their headings.

    Returns
    -------
    dict
        ``{"systems" | "pairs" | "matrix": {"csv" | "md" | "tex" | "json": text}}``.
    """
    suite = "suite_" if "suite" in results[0].systems[0] else ""
    columns = {name: list(TABLES[suite + name]) for name in ("systems", "pairs")}
    keys = columns["pairs"][: columns["pairs"].index("metric")]
    raw: dict[str, tuple[list[Row], Sequence[str]]] = {
        "systems": (
            [row for result in results for row in sorted(result.systems, key=lambda row: row["system"])],
            columns["systems"],
        ),
        "pairs": ([row for result in results for row in result.pairs], columns["pairs"]),
        "matrix": ([row for result in results for row in matrix_rows(result)], (*keys, *MATRIX_COLUMNS)),
    }
    reading = {
        "systems": [systems_table(result) for result in results],
        "pairs": [pairs_table(result) for result in results],
        "matrix": [table for result in results for table in matrix_tables(result)],
    }
    judged = [row for result in results for row in judged_rows(result)], [*columns["pairs"], "verdict"]
    captions = {"systems": "systems", "pairs": "pairs of systems", "matrix": "significance matrix"}
    rendered = {}
    for name, (rows, names) in raw.items():
        caption = f"{title}: {captions[name]}"
        rendered[name] = {
            "csv": csv(rows, names),
            "json": json_rows(*judged) if name == "pairs" else json_rows(rows, names),
            "md": markdown(reading[name], title=caption),
            "tex": latex(reading[name], title=caption),
        }
    return rendered
