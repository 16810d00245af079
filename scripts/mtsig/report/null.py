"""Table and figure of a null study: which tests hold alpha on this data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from mtsig.report import format as fmt
from mtsig.report.cells import Row, cells, flag_notes, grouped, page, shown_cells
from mtsig.report.figures import PALETTE, inline
from mtsig.report.render import Column, Table
from mtsig.studies.evidence import TESTS

__all__ = ["rejections_figure", "rejections_tables"]

_HOW = ("null", "swap_unit", "resample_unit")
_COLORS = {"as it should": "#0072b2", "too often": "#d55e00", "too rarely": "#8a8a8a"}
_SHAPES = {"as it should": "circle", "too often": "triangle-up", "too rarely": "triangle-down"}


def _how_words(key: Row) -> str:
    made = f"{key['swap_unit']}s given to either system at random"
    if key["null"] == "recentred":
        made = f"{key['swap_unit']}s drawn with replacement, differences recentred"
    return f"{made}; tests by {key['resample_unit']}"


def _caution(key: Row) -> tuple[str, ...]:
    if key["null"] == "recentred" or key["swap_unit"] == "segment" or key["resample_unit"] == "document":
        return ()
    return (
        "Where two systems differ, swapping whole documents makes all segments of a document lean to one side by that "
        "difference, and tests by segment pay for it. How far documents matter without it is seen on pairs with close "
        "scores, and in the recentred null.",
    )


def rejections_tables(rows: Sequence[Row]) -> list[Table]:
    """Share of true nulls that each test rejects, over all pairs: tests down, sizes across."""
    tables = []
    for place, members in cells(rows):
        for key, its in grouped(members, _HOW):
            sizes = [key["subset_size"] for key, _ in grouped(its, ("subset_size",))]
            body = []
            for test, same in grouped(its, ("test",)):
                by_size = {size["subset_size"]: found for size, found in grouped(same, ("subset_size",))}
                body.append((test["test"], *(_rate_cell(by_size[size]) for size in sizes)))
            columns = (Column("Test"), *(Column.number(fmt.count(size)) for size in sizes))
            notes = (
                "Share of null test sets that the test calls significant, over all pairs; in brackets the least and "
                "the greatest pair, where they differ. An arrow marks tests of which some pairs leave the 99% limits "
                "of chance around alpha: up for too often, down for too rarely, with the number of such pairs.",
                f"Null: {_how_words(key)}.",
                *_caution(key),
                f"Tests: {'; '.join(f'{name}, {TESTS[name]}' for name in dict.fromkeys(row['test'] for row in its))}.",
                *flag_notes(its),
            )
            mismatch = any("mismatched_units" in row["flags"] for row in its)
            title = f"Rejections of true nulls, {place}{', documents swapped and segments tested' * mismatch}"
            tables.append(Table(title, columns, tuple(body), notes))
    return tables


def _rate_cell(rows: Sequence[Row]) -> str:
    trials, rejections = (sum(row[name] for row in rows) for name in ("trials", "rejections"))
    if not trials:
        return ""
    rates = [row["rate"] for row in rows if row["rate"] is not None]
    spread = f" ({100 * min(rates):.1f}-{100 * max(rates):.1f})" if min(rates) < max(rates) else ""
    marks = []
    for mark, flag in (("↑", "rejects_too_often"), ("↓", "rejects_too_rarely")):
        flagged = sum(flag in row["flags"] for row in rows)
        if flagged:
            marks.append(mark if len(rows) == 1 else f"{mark}{flagged}")
    return " ".join([f"{fmt.percent(rejections / trials)}{spread}", *marks])


def rejections_figure(rows: Sequence[Row], alpha: float) -> Any:
    """Rejection rates of all pairs with the limits of chance, one panel per size.

    Parameters
    ----------
    rows
        Of the table ``rejections``.
    alpha
        The level that the tests should hold.
    """
    panels = []
    for place, members in shown_cells(rows):
        for key, its in grouped(members, (*_HOW, "subset_size")):
            points = [
                {"test": row["test"], "rate": 100 * row["rate"], "verdict": _verdict(row), "pair": _pair(row)}
                for row in its
                if row["rate"] is not None
            ]
            if points:
                limits = next(row for row in its if row["limit_low"] is not None)
                panels.append(_rate_panel(points, limits, place, key, alpha))
    n_sizes = len({row["subset_size"] for row in rows})
    return page(
        panels,
        columns=max(2, min(n_sizes, 3)),
        title="Which tests hold their level?",
        subtitle=[
            "Each mark is one pair of systems, equal by construction",
            f"Line: alpha = {100 * alpha:g} %. Shaded: 99 % limits of chance for one pair",
        ],
        note="Nothing was tested: there are no pairs, or every size exceeds the test set.",
    )


def _pair(row: Row) -> str:
    return f"{row['system_a']} / {row['system_b']}"


def _verdict(row: Row) -> str:
    if "rejects_too_often" in row["flags"]:
        return "too often"
    return "too rarely" if "rejects_too_rarely" in row["flags"] else "as it should"


def _rate_panel(points: list[dict[str, Any]], limits: Row, place: str, key: Row, alpha: float) -> Any:
    order = [test for test in TESTS if any(point["test"] == test for point in points)]
    most = max([100 * limits["limit_high"], *(point["rate"] for point in points)])
    x = alt.X("rate:Q", title="null test sets rejected (%)", scale=alt.Scale(domain=[0, 1.04 * most], nice=False))
    y = alt.Y("test:N", sort=order, title=None, axis=alt.Axis(ticks=False, domain=False, grid=True))
    names = list(_COLORS)
    legend = alt.Legend(title=None, orient="bottom", direction="horizontal")
    color = alt.Color("verdict:N", scale=alt.Scale(domain=names, range=list(_COLORS.values())), legend=legend)
    shape = alt.Shape("verdict:N", scale=alt.Scale(domain=names, range=list(_SHAPES.values())), legend=legend)
    band = inline([{"low": 100 * limits["limit_low"], "high": 100 * limits["limit_high"], "alpha": 100 * alpha}])
    layers = [
        alt.Chart(band).mark_rect(color=PALETTE["grid"], opacity=0.55).encode(x="low:Q", x2="high:Q"),
        alt.Chart(band).mark_rule(color=PALETTE["muted"], strokeWidth=1.2).encode(x="alpha:Q"),
        alt.Chart(inline(points))
        .mark_point(filled=True, size=38, opacity=0.75)
        .encode(x=x, y=y, color=color, shape=shape),
    ]
    title = alt.TitleParams(
        f"{fmt.count(key['subset_size'])} segments", subtitle=[place, _how_words(key)], fontSize=12, offset=6
    )
    return alt.layer(*layers, width=330, height=alt.Step(24), title=title)
