"""Power and planning in words, tables and figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from mtsig.report import format as fmt
from mtsig.report.cells import Row, cells, flag_notes, grouped, metric_name, page, shown_cells
from mtsig.report.figures import PALETTE, inline, labels
from mtsig.report.render import Column, Table

__all__ = ["detectable_figure", "planning_tables", "power_curve_figure", "sentence"]

#: Power curves of so many pairs are drawn; the other figure shows all.
_MOST_PAIRS = 6


def sentence(
    *,
    size: int,
    own: bool,
    detectable: float | None,
    difference: float,
    needed: int | None,
    least: int,
    target_power: float,
    metric: str,
) -> str:
    r"""What test sets of one size can show, in two sentences.

    Parameters
    ----------
    size
        Number of segments.
    own
        Whether it is that of the test set at hand.
    detectable
        The smallest difference that is detected with the wanted power; None where nothing ever differs.
    difference, needed
        A difference, and how many segments it takes to detect it.
    least
        The smallest number of segments that was simulated.
    target_power
        The power wanted.
    metric
        Name of the metric.

    Examples
    --------
    >>> asked = {"difference": 0.5, "needed": 3910, "least": 100, "target_power": 0.8, "metric": "bleu"}
    >>> told = sentence(size=1177, own=True, detectable=0.912, **asked)
    >>> print(told.replace(". ", ".\n"))
    With 1,177 segments this test set detects differences of about 0.91 BLEU with 80% power.
    A difference of 0.5 BLEU needs about 3,900 segments.
    """
    name = metric_name(metric)
    power = f"with {100 * target_power:g}% power"
    who = f"{fmt.count(size)} segments {'this test set detects' if own else 'like these one detects'}"
    what = "no difference" if detectable is None else f"differences of about {fmt.significant(detectable, 2)} {name}"
    told = f"With {who} {what} {power}."
    if needed is None:
        return f"{told} The outputs of the two systems are too much alike."
    segments = f"{'at most' if needed <= least else 'about'} {fmt.count(_rounded(needed))} segments"
    return f"{told} A difference of {fmt.significant(difference)} {name} needs {segments}."


def _rounded(count: int) -> int:
    """To two significant digits: more would claim too much."""
    return int(float(f"{count:.2g}")) if count >= 100 else count


def planning_tables(rows: Sequence[Row]) -> list[Table]:
    """The smallest detectable differences, the segments needed, and the answer in words."""
    tables = []
    for place, members in cells(rows):
        for key, its in grouped(members, ("difference",)):
            tables += _planning_of(its, place, f"{fmt.significant(key['difference'])} {metric_name(its[0]['metric'])}")
    return tables


def _planning_of(rows: Sequence[Row], place: str, difference: str) -> list[Table]:
    pairs = list(grouped(rows, ("system_a", "system_b")))
    sizes = [row["size"] for row in pairs[0][1]] if pairs else []
    own = max((row["size"] for row in rows if not row["extrapolated"]), default=0)
    body = [
        (
            key["system_a"],
            key["system_b"],
            *(fmt.significant(row["detectable_difference"], 2) if row["detectable_difference"] else "" for row in its),
            fmt.count(_rounded(its[0]["segments_needed"])) if its[0]["segments_needed"] else "",
        )
        for key, its in pairs
    ]
    columns = (
        Column("System A"),
        Column("System B"),
        *(Column.number(f"{fmt.count(size)}{'*' if size > own else ''}") for size in sizes),
        Column.number(f"for {difference}"),
    )
    target = f"{100 * rows[0]['target_power']:g}%" if rows else ""
    notes = (
        f"The smallest true difference that test sets of each size detect with {target} power (two-sided bootstrap "
        f"test); last column: segments needed to detect {difference}. An asterisk marks sizes beyond the test set, "
        "for which its segments were drawn more than once.",
        *flag_notes(rows),
    )
    words = [(f"{row['system_a']} / {row['system_b']}", row["sentence"]) for row in rows if row["size"] == own]
    observed = [
        (
            f"{row['system_a']} / {row['system_b']}",
            fmt.significant(row["delta"], 3),
            fmt.interval(row["ci_low"], row["ci_high"], fmt.decimals([_half_width(row)])),
            fmt.count(row["size"]),
            " to ".join(dict.fromkeys(fmt.percent(row[f"observed_power_{end}"], 0) for end in ("low", "high"))),
        )
        for row in rows
        if row["observed_power_low"] is not None and row["size"] == own
    ]
    return [
        Table(f"Detectable differences, {place}", columns, tuple(body), notes),
        Table(f"In words, {place}", (Column("Systems"), Column("What the test set can show")), tuple(words)),
        Table(
            f"Power at the observed difference, {place}",
            (
                Column("Systems"),
                Column.number("Difference"),
                Column.number("Interval"),
                Column.number("Segments"),
                Column.number("Power"),
            ),
            tuple(observed),
            (
                "Over the whole interval of the difference: what another test set of this size would find. At the "
                "observed difference alone it would only repeat the p-value.",
            ),
        ),
    ]


def _half_width(row: Row) -> float | None:
    return None if row["ci_low"] is None or row["ci_high"] is None else (row["ci_high"] - row["ci_low"]) / 2


def power_curve_figure(rows: Sequence[Row], target_power: float) -> Any:
    """Power against the true difference, a curve per size and a panel per pair.

    Parameters
    ----------
    rows
        Of the table ``power_curve``.
    target_power
        Drawn as a line.
    """
    panels = []
    shown = shown_cells(rows)
    for place, members in shown[:1]:
        pairs = list(grouped(members, ("system_a", "system_b")))[:_MOST_PAIRS]
        names = labels(sorted({row[side] for row in members for side in ("system_a", "system_b")}), 24)
        for key, its in pairs:
            title = f"{names[key['system_a']]} / {names[key['system_b']]}"
            panels.append(_curve_panel(its, title, target_power))
        subtitle = [f"{place}. Shaded: 95 % limits of the simulation. Dashed: sizes beyond the test set"]
    return page(
        panels,
        columns=3,
        title="Power of the two-sided bootstrap test",
        subtitle=subtitle if panels else [],
        note="There is no pair of systems.",
    )


def _curve_panel(rows: Sequence[Row], title: str, target_power: float) -> Any:
    sizes = sorted({row["size"] for row in rows})
    names = [fmt.count(size) for size in sizes]
    points = [
        {
            "difference": row["difference"],
            "power": 100 * row["power"],
            "low": 100 * row["power_low"],
            "high": 100 * row["power_high"],
            "size": fmt.count(row["size"]),
            "extrapolated": row["extrapolated"],
        }
        for row in rows
    ]
    x = alt.X("difference:Q", title=f"true difference ({metric_name(rows[0]['metric'])})", scale=alt.Scale(nice=False))
    y = alt.Y("power:Q", title="power (%)", scale=alt.Scale(domain=[0, 100]))
    legend = alt.Legend(
        title="segments",
        orient="bottom",
        direction="horizontal",
        symbolType="stroke",
        symbolOpacity=1,
        symbolStrokeWidth=2,
        columns=6,
    )
    color = alt.Color("size:N", sort=names, scale=alt.Scale(domain=names, scheme="viridis"), legend=legend)
    base = alt.Chart(inline(points))
    target = alt.Chart(inline([{"power": 100 * target_power}]))
    layers = [
        base.mark_area(opacity=0.15).encode(
            x=x, y=alt.Y("low:Q", scale=alt.Scale(domain=[0, 100])), y2="high:Q", color=color
        ),
        base.mark_line(strokeWidth=1.5).encode(
            x=x,
            y=y,
            color=color,
            strokeDash=alt.condition("datum.extrapolated", alt.value([4, 3]), alt.value([1, 0])),
            detail="size:N",
        ),
        target.mark_rule(strokeDash=[2, 2], color=PALETTE["muted"]).encode(y="power:Q"),
    ]
    return alt.layer(*layers, width=250, height=220, title=alt.TitleParams(title, fontSize=12))


def detectable_figure(rows: Sequence[Row]) -> Any:
    """The smallest detectable difference against the number of segments, a line per pair.

    Parameters
    ----------
    rows
        Of the table ``planning``.
    """
    panels = []
    for place, members in shown_cells(rows):
        first = members[0]["difference"]
        points = [
            {
                "pair": f"{row['system_a']} / {row['system_b']}",
                "size": row["size"],
                "difference": row["detectable_difference"],
                "extrapolated": "beyond the test set" if row["extrapolated"] else "up to the test set",
            }
            for row in members
            if row["difference"] == first and row["detectable_difference"] is not None
        ]
        if not points:
            continue
        own = max(row["size"] for row in members if not row["extrapolated"])
        sizes = sorted({point["size"] for point in points})
        x = alt.X(
            "size:Q",
            scale=alt.Scale(type="log", nice=False),
            title="segments",
            axis=alt.Axis(values=sizes, format=",", labelOverlap="greedy"),
        )
        y = alt.Y(
            "difference:Q",
            scale=alt.Scale(type="log", nice=False, padding=6),
            title=f"detectable difference ({metric_name(members[0]['metric'])})",
            axis=alt.Axis(format="~g"),
        )
        base = alt.Chart(inline(points))
        shape = alt.Shape(
            "extrapolated:N",
            scale=alt.Scale(domain=["up to the test set", "beyond the test set"], range=["circle", "diamond"]),
            legend=alt.Legend(title=None, orient="bottom", direction="horizontal"),
        )
        layers = [
            base.mark_line(strokeWidth=1, opacity=0.45, color="#0072b2").encode(x=x, y=y, detail="pair:N"),
            base.mark_point(filled=True, size=26, opacity=0.7, color="#0072b2").encode(x=x, y=y, shape=shape),
            alt.Chart(inline([{"size": own}]))
            .mark_rule(strokeDash=[3, 3], color=PALETTE["muted"])
            .encode(x=alt.X("size:Q")),
        ]
        panels.append(alt.layer(*layers, width=360, height=280, title=place))
    target = f"{100 * rows[0]['target_power']:g} %" if rows else ""
    return page(
        panels,
        columns=2,
        title="How small a difference can be detected?",
        subtitle=[f"With {target} power; one line per pair of systems. Dashed: the size of this test set"],
        note="No pair of systems differs anywhere.",
    )
