"""Tables and figures of a meta-evaluation, from the rows of its tables."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from mtsig.report import format as fmt
from mtsig.report.cells import SWEPT, Row, flag_notes, grouped, place, swept
from mtsig.report.figures import PALETTE, inline, labels
from mtsig.report.render import Column, Table

__all__ = ["agreement_figure", "agreement_tables", "comparison_tables", "standing_figure", "standing_tables"]

_PLACE = ("testset", "langpair", "gold", "domain")

#: What a statistic is called in tables and figures.
_NAMES = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall_a": "Kendall a",
    "kendall_b": "Kendall b",
    "kendall_c": "Kendall c",
    "kendall_10": "Kendall (WMT10)",
    "kendall_13": "Kendall (WMT13)",
    "kendall_14": "Kendall (WMT14)",
    "kendall_eq": "Kendall eq",
    "acc_eq": "accuracy, no ties",
    "acc_eq_calibrated": "accuracy, ties calibrated",
    "pairwise_accuracy": "pairwise accuracy",
    "pairwise_accuracy_untied": "pairwise accuracy, untied",
    "spa": "soft pairwise accuracy",
}
#: Panels side by side in a figure.
_COLUMNS = 5

_GROUPINGS = {"none": "all together", "item": "by segment", "system": "by system"}


def _drawn(row: Row) -> str:
    """What was drawn anew, in words."""
    unit = f"{row['resample_unit']}s"
    return {"segments": unit, "systems": "systems", "both": f"{unit} and systems"}[row["resampled"]]


def _heading(row: Row) -> str:
    grouping = f", {_GROUPINGS[row['grouping']]}" if row["level"] == "segment" else ""
    return f"{_NAMES[row['statistic']]}{grouping}"


def agreement_tables(rows: Sequence[Row]) -> list[Table]:
    """Metrics down, statistics across, best metrics first."""
    tables = []
    for key, members in grouped(rows, (*_PLACE, "level", *SWEPT)):
        statistics = [_heading(its[0]) for _, its in grouped(members, ("grouping", "statistic"))]
        by_metric = {
            name["metric_name"]: {_heading(row): row for row in its} for name, its in grouped(members, ("metric_name",))
        }
        # By the first statistic; other human scores stand where their agreement puts them.
        order = sorted(by_metric, key=lambda name: (-(by_metric[name][statistics[0]]["value"] or -2.0), name))
        cells = tuple((name, *(_value(by_metric[name][heading]) for heading in statistics)) for name in order)
        columns = (Column("Metric"), *(Column.number(heading) for heading in statistics))
        first = members[0]
        notes = (
            f"{fmt.count(first['n_systems'])} systems, {fmt.count(first['n_segments'])} segments.",
            f"Intervals: {100 * first['confidence_level']:g} % percentile intervals from "
            f"{fmt.count(first['n_resamples'])} bootstrap resamples of {_drawn(first)} (seed {first['seed']}).",
            "In round brackets the rank: a new one begins where a metric of the current rank is significantly better "
            f"(permutation test at alpha = {first['alpha']:g}, not corrected for the number of comparisons).",
            *flag_notes(members),
        )
        title = f"Agreement of metrics with {key['gold']} on {place(key)}, {key['level']} level{swept(key, rows)}"
        tables.append(Table(title, columns, cells, notes))
    return tables


def _value(row: Row) -> str:
    if row["value"] is None:
        return fmt.UNDEFINED
    interval = f" {fmt.interval(row['ci_low'], row['ci_high'], 3)}" if row["ci_low"] is not None else ""
    rank = f" ({row['rank']})" if row["rank"] is not None else ""
    return f"{fmt.number(row['value'], 3)}{interval}{rank}"


def comparison_tables(rows: Sequence[Row]) -> list[Table]:
    """Every two metrics by one statistic."""
    tables = []
    for key, members in grouped(rows, (*_PLACE, "level", "grouping", "statistic", "seed")):
        cells: list[tuple[str, ...]] = [
            (
                row["metric_a"],
                row["metric_b"],
                fmt.number(row["value_a"], 3),
                fmt.number(row["value_b"], 3),
                fmt.number(row["delta"], 3, signed=True),
                fmt.p_value(row["p_value"], alpha=row["alpha"])
                + fmt.stars(row["significant"], row["p_value"], alpha=row["alpha"]),
                fmt.p_value(row["p_williams"]) if row["p_williams"] is not None else "",
                row["winner"] or "",
            )
            for row in members
        ]
        columns: list[Column] = [
            Column("A"),
            Column("B"),
            Column.number("A: value"),
            Column.number("B: value"),
            Column.number("A - B"),
            Column.number("p"),
            Column.number("p (Williams)"),
            Column("Better"),
        ]
        swapped = {"perm_both": "single scores", "perm_items": "all scores of a segment"}[members[0]["test"]]
        notes = (
            f"p: two-sided permutation test, {fmt.count(members[0]['n_trials'])} swaps of {swapped} between the "
            f"metrics (seed {members[0]['seed']}), not corrected for the number of comparisons.",
            *flag_notes(members),
        )
        if all(row["p_williams"] is None for row in members):
            columns.pop(6)
            cells = [(*cell[:6], cell[7]) for cell in cells]
        title = f"{_heading(key)}, {key['level']} level: {key['gold']} on {place(key)}"
        tables.append(Table(title, tuple(columns), tuple(cells), notes))
    return tables


def standing_tables(rows: Sequence[Row], *, gold: str | Sequence[str]) -> list[Table]:
    """Where each system stands by each metric: score, range of ranks and cluster, in the order of the human scores."""
    golds = [gold] if isinstance(gold, str) else list(gold)
    tables = []
    for key, members in grouped(rows, ("testset", "langpair")):
        names = [name for name, _ in _by_name(members)]
        names.sort(key=lambda name: (golds.index(name) if name in golds else len(golds), name))
        found = {(row["metric_name"], row["system"]): row for row in members}
        systems = sorted({row["system"] for row in members})
        systems.sort(key=lambda system: _rank(found.get((names[0], system))))
        cells = tuple((system, *(_standing(found.get((name, system))) for name in names)) for system in systems)
        columns = (Column("System"), *(Column.number(name) for name in names))
        first = [found.get((names[0], system)) for system in systems]
        rules = {
            index
            for index in range(1, len(first))
            if (row := first[index]) and (before := first[index - 1]) and row["cluster"] != before["cluster"]
        }
        notes = (
            "Score, in round brackets the significance cluster, and the range of ranks that the tests allow. A cluster "
            "ends where every system above is significantly better than every system below. Lines stand between the "
            f"clusters of {names[0]}.",
            *(
                [
                    "After a slash: the score on the segments that people have judged, where those are fewer. "
                    "Agreement is computed on these; clusters and ranks are of all segments."
                ]
                if any(map(_partly_judged, members))
                else []
            ),
            *flag_notes(members),
        )
        title = f"Systems by human scores and metrics on {place(key)}"
        tables.append(Table(title, columns, cells, notes, rules=frozenset(rules)))
    return tables


def _by_name(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    return [(key["metric_name"], members) for key, members in grouped(rows, ("metric_name",))]


def _rank(row: Row | None) -> int:
    return row["rank"] if row and row["rank"] is not None else 10**6


def _standing(row: Row | None) -> str:
    if row is None or row["score"] is None:
        return ""
    cluster = f" ({row['cluster']})" if row["cluster"] is not None else ""
    ranks = f" {fmt.rank(row['rank_low'], row['rank_high'])}" if row["rank_low"] is not None else ""
    judged = f" / {fmt.significant(row['score_judged'])}" if _partly_judged(row) else ""
    return f"{fmt.significant(row['score'])}{judged}{cluster}{ranks}"


def _partly_judged(row: Row) -> bool:
    """Whether people have judged only some of the segments that a metric has scored."""
    return row["score_judged"] is not None and row["n_judged"] < row["n_segments"]


def agreement_figure(rows: Sequence[Row]) -> Any:
    """Values of all metrics with their intervals, one panel per statistic; of several cells the first is shown."""
    if not rows:
        return _nothing()
    first = {name: rows[0][name] for name in SWEPT}
    shown = [row for row in rows if all(row[name] == value for name, value in first.items())]
    short = labels({row["metric_name"] for row in shown})
    lines = [
        alt.concat(
            *(
                _agreement_panel(key, panel, short)
                for key, panel in grouped(members, (*_PLACE, "level", "grouping", "statistic"))
            ),
            columns=_COLUMNS,
            spacing=20,
        )
        for _, members in grouped(shown, (*_PLACE, "level"))
    ]
    level = f"{100 * rows[0]['confidence_level']:g} %"
    subtitle = f"With {level} intervals from {fmt.count(rows[0]['n_resamples'])} resamples of {_drawn(rows[0])}"
    return alt.vconcat(*lines, spacing=24).properties(
        title=alt.TitleParams("Agreement of metrics with human scores", subtitle=subtitle)
    )


def _nothing() -> Any:
    return alt.Chart(inline([{"text": "Nothing was compared"}])).mark_text().encode(text="text:N")


def _agreement_panel(key: Row, rows: Sequence[Row], short: Mapping[str, str]) -> Any:
    order = sorted(rows, key=lambda row: (-(row["value"] if row["value"] is not None else -2.0), row["metric_name"]))
    data = [
        {
            "metric": short[row["metric_name"]],
            "value": row["value"],
            "low": row["ci_low"],
            "high": row["ci_high"],
            "label": fmt.number(row["value"], 3, minus="−") if row["value"] is not None else fmt.UNDEFINED,
        }
        for row in order
    ]
    y = alt.Y(
        "metric:N",
        sort=[item["metric"] for item in data],
        title=None,
        axis=alt.Axis(domain=False, ticks=False, grid=True, labelLimit=140),
    )
    accuracy = key["statistic"].startswith(("acc", "pairwise", "spa"))
    bounds = [item[name] for item in data for name in ("value", "low", "high") if item[name] is not None]
    low, high = min([*bounds, 0.5 if accuracy else 0.0]), max([*bounds, 1.0 if not bounds else -1.0])
    margin = 0.05 * max(high - low, 0.1)
    scale = alt.Scale(domain=[low - margin, high + margin], nice=False, zero=False)
    axis = alt.Axis(grid=False, tickCount=5)
    base = alt.Chart(inline(data)).encode(y=y)
    chance = alt.Chart(inline([{"at": 0.5 if accuracy else 0.0}])).mark_rule(
        color=PALETTE["muted"], strokeDash=[3, 3], strokeWidth=1
    )
    layers = [
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=2.5, color=PALETTE["better"], strokeCap="round")
        .encode(x=alt.X("low:Q", scale=scale, axis=axis, title=None), x2="high:Q"),
        base.transform_filter("isValid(datum.value)")
        .mark_point(filled=True, size=42, opacity=1, color=PALETTE["better_strong"])
        .encode(x=alt.X("value:Q", scale=scale, axis=axis, title=None)),
        base.mark_text(align="left", dx=6, fontSize=10, color=PALETTE["text"]).encode(
            x=alt.value("width"), text="label:N"
        ),
    ]
    if not accuracy or key["statistic"].startswith("pairwise"):
        # Half of the pairs right by chance holds without ties only; with ties guessing is worse.
        layers.insert(0, chance.encode(x=alt.X("at:Q", scale=scale, axis=axis, title=None)))
    domain = f", {key['domain']}" if key["domain"] else ""
    title = alt.TitleParams(
        _heading(key),
        subtitle=f"{key['gold']}, {key['testset']}{domain}, {key['level']} level",
        fontSize=12,
        offset=4,
    )
    return alt.layer(*layers, width=190, height=alt.Step(19), title=title)


def standing_figure(rows: Sequence[Row], *, gold: str | Sequence[str]) -> Any:
    """Systems by human score and by each metric, one panel per metric and test set."""
    golds = [gold] if isinstance(gold, str) else list(gold)
    lines = []
    for key, members in grouped(rows, ("testset",)):
        by_name = dict(_by_name(members))
        first = next(name for name in golds if name in by_name)
        human = {row["system"]: row["score"] for row in by_name[first] if row["score"] is not None}
        order = sorted(human, key=lambda system: (-human[system], system))
        panels = [
            _standing_panel(first, human, order, name, by_name[name]) for name in sorted(by_name) if name != first
        ]
        if panels:
            short = labels(order, limit=24)
            listed = ", ".join(
                f"{number}\N{NO-BREAK SPACE}{short[system]}" for number, system in enumerate(order, start=1)
            )
            title = alt.TitleParams(key["testset"], subtitle=textwrap.wrap(listed, 150), fontSize=12)
            lines.append(alt.concat(*panels, columns=_COLUMNS, spacing=20).properties(title=title))
    if not lines:
        return _nothing()
    return alt.vconcat(*lines, spacing=28).properties(title=alt.TitleParams("Systems by metrics and by human scores"))


def _standing_panel(gold: str, human: Mapping[str, float], order: Sequence[str], name: str, rows: Sequence[Row]) -> Any:
    data = [
        {"human": human[row["system"]], "metric": row["score"], "number": str(order.index(row["system"]) + 1)}
        for row in rows
        if row["score"] is not None and row["system"] in human
    ]
    scale = alt.Scale(zero=False, nice=False, padding=10)
    axis = alt.Axis(tickCount=5)
    marks = alt.Chart(inline(data)).mark_text(fontSize=11, fontWeight="bold", color=PALETTE["better_strong"])
    return marks.encode(
        x=alt.X("human:Q", title=gold, scale=scale, axis=axis),
        y=alt.Y("metric:Q", title=name, scale=scale, axis=axis),
        text="number:N",
    ).properties(width=190, height=170)
