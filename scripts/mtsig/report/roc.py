"""Tables and figures of a ROC study, from the rows of its tables.

Curves of different MT systems never share a plot: the segments with an error differ, so one QE system's curve may be
better on a worse MT system, and nothing would follow from it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt

from mtsig.errors import ConfigError
from mtsig.report import format as fmt
from mtsig.report.cells import SWEPT, Row, flag_notes, grouped, place, swept
from mtsig.report.figures import PALETTE, inline, labels
from mtsig.report.render import Column, Table

__all__ = [
    "auc_tables",
    "curves_figure",
    "decision_tables",
    "hull_tables",
    "hulls_figure",
    "pair_tables",
    "part_pair_tables",
    "part_tables",
    "precision_figure",
]

#: Colours that stay apart with any common colour blindness (Okabe and Ito), and lines that stay apart in grey.
_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#444444", "#8c510a")
_DASHES = ([1, 0], [6, 2], [2, 2], [8, 2, 2, 2], [4, 4], [1, 3], [10, 3], [5, 1])

#: A draw among ties is noted where it changes the share to review by as much.
_NOTED_SHARE = 0.005

#: What makes one plot or table.
_PLACE = ("testset", "langpair", "gold", "cutoff", "domain")

_PANEL = 250
_MOST_COLUMNS = 4

_SCENARIOS = {
    "review_budget": "Review {} % of the segments",
    "risk_target": "Leave at most {} errors in 100 segments",
    "cost": "Costs miss:alarm = {}",
    "data_cleaning": "Keep the best {} % of the segments",
}


#: What the numbers cannot know.
_CAUTIONS = (
    "The segments have to be a sample of what QE will be used on: the same language pair, domain, kind of content and "
    "translator. Another MT system needs a curve of its own.",
    "Intervals and bands are for other segments of the same kind. They know nothing of people who disagree on what an "
    "error is: have some segments judged twice before you decide. Errors of any weight count the same; another cutoff "
    "shows the severe ones.",
    "Do not decide by a QE system whose interval or band is so wide that its two ends call for different decisions.",
)

#: Parts of the range of false positive rates, in words.
_PARTS = {"low": "few good segments reviewed", "high": "few errors missed"}


def _place(key: Row) -> str:
    """Where the numbers come from, in words."""
    return f"{place(key)}, error: {key['gold']} {key['cutoff']}"


def _interval_note(row: Row) -> str:
    drawn = "segments of either class apart" if row["resample_unit"] == "segment" else "documents"
    return (
        f"Intervals: {100 * row['confidence_level']:g} % percentile intervals from {fmt.count(row['n_resamples'])} "
        f"bootstrap resamples of {drawn} (seed {row['seed']})."
    )


def auc_tables(rows: Sequence[Row], *, qe: Sequence[str]) -> list[Table]:
    """Areas under the curves: MT systems down, QE systems across in the order of `qe`, as the ROC paper's tables."""
    tables = []
    for key, members in grouped(rows, (*_PLACE, *SWEPT)):
        by_system = list(grouped(members, ("system",)))
        cells = []
        for system, its in by_system:
            found = {row["qe"]: row for row in its}
            sizes = (fmt.count(its[0]["positives"]), fmt.count(its[0]["negatives"]))
            shared = _shared_flags(members)
            own = {name: [flag for flag in found[name]["flags"] if flag not in shared] for name in qe}
            notes = "; ".join(f"{name}: {', '.join(flags)}" for name, flags in own.items() if flags)
            cells.append((system["system"], *sizes, *(_area(found[name]) for name in qe), notes))
        columns = (
            Column("MT system"),
            Column.number("with error"),
            Column.number("without"),
            *(Column.number(name) for name in qe),
            Column("Notes"),
        )
        if not any(row[-1] for row in cells):
            columns, cells = columns[:-1], [row[:-1] for row in cells]
        remarks = (
            "AUC of each QE system: the chance that a segment with an error is ranked worse than one without "
            "(0.5 is guessing). Compare QE systems within a row; rows are different segments.",
            _interval_note(members[0]),
            *_CAUTIONS,
            *flag_notes(members),
        )
        title = f"AUC of quality estimation on {_place(key)}{swept(key, rows)}"
        tables.append(Table(title, columns, tuple(cells), remarks))
    return tables


def _shared_flags(rows: Sequence[Row]) -> set[str]:
    """Flags of the data, which all rows have: they are explained below a table, and not repeated in it."""
    return set.intersection(*(set(row["flags"]) for row in rows)) - {"one_class", "undefined"}


def _area(row: Row) -> str:
    if row["auc"] is None:
        return fmt.UNDEFINED
    # Three decimals, as areas are given in the literature.
    return f"{fmt.number(row['auc'], 3)} {fmt.interval(row['ci_low'], row['ci_high'], 3)}"


def pair_tables(rows: Sequence[Row]) -> list[Table]:
    """Differences of two QE systems' areas."""
    tables = []
    for key, members in grouped(rows, (*_PLACE, *SWEPT)):
        cells = tuple(
            (
                row["system"],
                row["qe_a"],
                row["qe_b"],
                fmt.number(row["delta"], 3, signed=True),
                fmt.interval(row["ci_low"], row["ci_high"], 3, signed=True),
                fmt.p_value(row["p_value"]),
                fmt.p_value(row["p_delong"]),
            )
            for row in members
        )
        columns = (
            Column("MT system"),
            Column("QE A"),
            Column("QE B"),
            Column.number("AUC A - B"),
            Column.number(f"{100 * members[0]['confidence_level']:g} % interval"),
            Column.number("p"),
            Column.number("p (DeLong)"),
        )
        notes = (
            "Paired: both QE systems are recomputed on the same resamples. p is two-sided and not corrected for the "
            "number of comparisons.",
            _interval_note(members[0]),
            *flag_notes(members),
        )
        title = f"Differences of AUC on {_place(key)}{swept(key, rows)}"
        tables.append(Table(title, columns, cells, notes))
    return tables


def part_tables(rows: Sequence[Row], *, qe: Sequence[str]) -> list[Table]:
    """Partial areas: MT systems and parts of the curve down, QE systems across."""
    tables = []
    for key, members in grouped(rows, (*_PLACE, *SWEPT)):
        cells = []
        for line, own in grouped(members, ("system", "part")):
            found = {row["qe"]: row for row in own}
            limits = f"{own[0]['fpr_low']:g} to {own[0]['fpr_high']:g}"
            cells.append((line["system"], _PARTS[line["part"]], limits, *(_standardized(found[name]) for name in qe)))
        columns = (
            Column("MT system"),
            Column("Part"),
            Column.number("False positive rate"),
            *(Column.number(name) for name in qe),
        )
        notes = (
            "Areas under a part of the curve, rescaled after McClish: 0.5 is guessing and 1 is perfect. At low false "
            "positive rates a QE system matters that is used to review little, at high ones that is used to miss "
            "little; curves that cross rank differently there.",
            _interval_note(members[0]),
            *flag_notes(members),
        )
        tables.append(Table(f"Partial areas on {_place(key)}{swept(key, rows)}", columns, tuple(cells), notes))
    return tables


def _standardized(row: Row) -> str:
    return f"{fmt.number(row['standardized'], 3)} {fmt.interval(row['standardized_low'], row['standardized_high'], 3)}"


def part_pair_tables(rows: Sequence[Row]) -> list[Table]:
    """Differences of two QE systems' partial areas."""
    tables = []
    for key, members in grouped(rows, (*_PLACE, *SWEPT)):
        cells = tuple(
            (
                row["system"],
                _PARTS[row["part"]],
                row["qe_a"],
                row["qe_b"],
                fmt.number(row["delta"], 4, signed=True),
                fmt.interval(row["ci_low"], row["ci_high"], 4, signed=True),
                fmt.p_value(row["p_value"]),
            )
            for row in members
        )
        columns = (
            Column("MT system"),
            Column("Part"),
            Column("QE A"),
            Column("QE B"),
            Column.number("Area A - B"),
            Column.number(f"{100 * members[0]['confidence_level']:g} % interval"),
            Column.number("p"),
        )
        notes = (
            "Differences of partial areas as they are, not rescaled. p is two-sided and not corrected for the "
            "number of comparisons.",
            _interval_note(members[0]),
            *flag_notes(members),
        )
        title = f"Differences of partial areas on {_place(key)}{swept(key, rows)}"
        tables.append(Table(title, columns, cells, notes))
    return tables


def decision_tables(rows: Sequence[Row], *, qe: Sequence[str]) -> list[Table]:
    """What to review and what it leaves behind: a table per MT system and share of errors that reviewers overlook.

    Under each question the QE systems stand in the order of `qe`.
    """
    tables = []
    for key, members in grouped(rows, (*_PLACE, "system", "reviewer_miss", *SWEPT)):
        cells: list[tuple[str, ...]] = []
        lines = set()
        for _, its in grouped(members, ("scenario", "setting")):
            lines.add(len(cells))
            shared = _shared_flags(members)
            cells += [_decision_cells(row, shared) for row in sorted(its, key=lambda row: qe.index(row["qe"]))]
        columns = (
            Column("Question"),
            Column("QE"),
            Column.number("Threshold"),
            Column.number("Reviewed"),
            Column.number("Its interval"),
            Column.number("Errors left per 100"),
            Column.number("Interval"),
            Column.number("By the band"),
            Column("Notes"),
        )
        notes = (
            "Segments with a QE score as bad as the threshold or worse are reviewed; where data are cleaned they are "
            "thrown away, and errors are counted per 100 segments kept.",
            "Interval: the threshold is fixed and all segments are resampled, so the share of errors varies too. By "
            "the band: what resampled ROC curves say at the point where this threshold lies.",
            *_notes_on_answers(members),
            _CAUTIONS[-1],
            *flag_notes(members),
        )
        miss = key["reviewer_miss"]
        overlooked = f", reviewers overlook {100 * miss:g} % of the errors" if miss else ""
        title = f"Decisions for {key['system']} on {_place(key)}{overlooked}{swept(key, rows)}"
        tables.append(Table(title, columns, tuple(cells), notes, rules=frozenset(lines)))
    return tables


def _notes_on_answers(rows: Sequence[Row]) -> Iterator[str]:
    """How to read the answers that are there."""
    scenarios = {row["scenario"] for row in rows}
    if "risk_target" in scenarios:
        yield (
            "Where a number of errors is to be reached, the interval of the share is from where the upper edge of the "
            "band reaches it to where the lower one does. Segments with the same score are reviewed together; what a "
            "draw among them would leave to review is noted where it differs."
        )
        yield (
            "A budget for reviews and a target for errors together may be out of reach: beyond_budget marks targets "
            "that no budget of this study meets."
        )
    if "cost" in scenarios:
        yield (
            "Costs are those of a missed error and of a false alarm (a good segment reviewed for nothing), in this "
            "order. cheapest: of all QE systems, this one with this threshold costs least. It was chosen on these "
            "segments, so expect a little less elsewhere."
        )
    if any(" at " in row["setting"] for row in rows):
        yield (
            "At a stated ratio of segments with to segments without an error, errors left and share reviewed are those "
            "of that ratio. It may replace the sample's only while scores within the two classes stay as they are here."
        )


def _question(row: Row) -> str:
    """What was asked, in words; of costs with the class ratio where one was stated."""
    setting, _, classes = row["setting"].partition(" at ")
    return _SCENARIOS[row["scenario"]].format(setting) + (f", errors:good = {classes}" if classes else "")


def _decision_notes(row: Row, shared: set[str]) -> Iterator[str]:
    if row["cheapest"]:
        yield "cheapest"
    if "ties_exceed_budget" in row["flags"]:
        yield f"ties_exceed_budget: {fmt.percent(row['least_review_share'])} at least"
    by_lot, share = row["review_share_random_ties"], row["review_share"]
    if by_lot is not None and share is not None and share - by_lot >= _NOTED_SHARE:
        limits = _percent_interval(row["band_review_low"], row["band_review_high"])
        yield f"ties drawn by lot: {fmt.percent(by_lot)} {limits}"
    yield from (flag for flag in row["flags"] if flag not in shared and flag != "ties_exceed_budget")


def _percent_interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{fmt.interval(100 * low, 100 * high, 1)} %"


def _decision_cells(row: Row, shared: set[str]) -> tuple[str, ...]:
    known = row["review_share"] is not None
    return (
        _question(row),
        row["qe"],
        fmt.significant(row["threshold"]) if row["threshold"] is not None else "none" if known else "",
        fmt.percent(row["review_share"]) if known else "not possible",
        _percent_interval(row["review_low"], row["review_high"]) if known else "",
        fmt.number(row["errors_left_per_100"], 1),
        fmt.interval(row["low"], row["high"], 1),
        fmt.interval(row["band_low"], row["band_high"], 1),
        "; ".join(_decision_notes(row, shared)),
    )


def _hull_area(row: Row) -> str:
    return f"{fmt.number(row['hull_auc'], 3)} {fmt.interval(row['hull_auc_low'], row['hull_auc_high'], 3)}"


def hull_tables(rows: Sequence[Row]) -> list[Table]:
    """Which QE system to use where: the corners of the hull of all curves."""
    tables = []
    for key, members in grouped((row for row in rows if row["hull"] is None), (*_PLACE, "system")):
        cells = tuple(
            (
                row["qe"] or ("no review" if row["vertex"] == 0 else "any"),
                fmt.significant(row["threshold"]) if row["threshold"] is not None else "",
                fmt.count(row["tp"]),
                fmt.count(row["fp"]),
                fmt.percent(row["tpr"]),
                fmt.percent(row["fpr"]),
                *(
                    fmt.significant(row[name], 3) if row[name] is not None else ""
                    for name in ("fp_per_fn_saved", "fn_per_fp_spared")
                ),
            )
            for row in members
        )
        columns = (
            Column("QE"),
            Column.number("Threshold"),
            Column.number("Errors reviewed"),
            Column.number("Good reviewed"),
            Column.number("of errors"),
            Column.number("of good"),
            Column.number("False alarms per error found"),
            Column.number("Errors missed per alarm spared"),
        )
        alone = ", ".join(
            f"{row['hull']} {_hull_area(row)}"
            for row in rows
            if row["hull"] is not None and row["vertex"] == 0 and all(row[name] == value for name, value in key.items())
        )
        notes = (
            f"Area under the hull of all: {_hull_area(members[0])}; of each alone: {alone}. Between two corners, use "
            "the one or the other at random. Hulls are optimistic: their corners were chosen on the same segments.",
            "The last columns are the exchange between a corner and the one before: good segments reviewed for each "
            "error more that is found, and errors missed for each good segment less that is reviewed.",
        )
        title = f"Which QE system to use where: {key['system']} on {_place(key)}"
        tables.append(Table(title, columns, cells, notes))
    return tables


def curves_figure(
    curve: Sequence[Row],
    bands: Sequence[Row],
    auc: Sequence[Row],
    *,
    qe: Sequence[str],
    shown_qe: Sequence[str] | None = None,
    show_bands: bool = True,
) -> Any:
    """ROC curves with their bands, one panel per MT system, human score and cutoff.

    Parameters
    ----------
    curve, bands, auc
        Rows of the study's tables; of several seeds or numbers of resamples the first is shown.
    qe
        The QE systems in the order of their colours.
    shown_qe
        Those to show; all if None.
    show_bands
        Whether the bands are drawn.

    Returns
    -------
    altair.ConcatChart
    """
    chosen = set(qe if shown_qe is None else shown_qe)
    curve, auc = ([row for row in rows if row["qe"] in chosen] for rows in (curve, auc))
    bands = [row for row in bands if row["qe"] in chosen and show_bands]
    first = {name: auc[0][name] for name in SWEPT} if auc else {}
    shown = [row for row in bands if all(row[name] == value for name, value in first.items())]
    keys = (*_PLACE, "system")
    by_band = {tuple(key.values()): rows for key, rows in grouped(shown, keys)}
    areas = {
        tuple(key.values()): rows
        for key, rows in grouped([row for row in auc if all(row[n] == v for n, v in first.items())], keys)
    }
    panels = [
        _curve_panel(rows, by_band.get(tuple(key.values()), []), areas[tuple(key.values())], qe)
        for key, rows in _in_rows(curve)
    ]
    level = f"{100 * auc[0]['confidence_level']:g} %" if auc else ""
    return _page(
        panels,
        len({row["system"] for row in curve}),
        "ROC curves of quality estimation",
        [
            f"Shaded: pointwise {level} bands. " * show_bands
            + f"Numbers: area under the curve with its {level} interval. Dashed: guessing"
        ],
    )


def precision_figure(
    curve: Sequence[Row], auc: Sequence[Row], *, qe: Sequence[str], shown_qe: Sequence[str] | None = None
) -> Any:
    """Precision and recall at every threshold, panels and parameters as in `curves_figure`."""
    chosen = set(qe if shown_qe is None else shown_qe)
    curve, auc = ([row for row in rows if row["qe"] in chosen] for rows in (curve, auc))
    first = {name: auc[0][name] for name in SWEPT} if auc else {}
    same = [row for row in auc if all(row[name] == value for name, value in first.items())]
    areas = {tuple(key.values()): rows for key, rows in grouped(same, (*_PLACE, "system"))}
    panels = [_precision_panel(rows, areas[tuple(key.values())], qe) for key, rows in _in_rows(curve)]
    return _page(
        panels,
        len({row["system"] for row in curve}),
        "Precision and recall of quality estimation",
        ["Numbers: average precision. Dashed: guessing, the share of segments with an error"],
    )


def hulls_figure(curve: Sequence[Row], hulls: Sequence[Row], decisions: Sequence[Row], *, qe: Sequence[str]) -> Any:
    """The hull of all QE systems' curves, and the best points for the given costs, one panel as in `curves_figure`.

    Where curves cross, the hull goes from one QE system to another. A dashed line joins points of equal cost; it
    touches the hull at the point to choose.
    """
    keys = (*_PLACE, "system")
    by_hull = {tuple(key.values()): rows for key, rows in grouped((row for row in hulls if row["hull"] is None), keys)}
    costs = [row for row in decisions if row["scenario"] == "cost"]
    if costs:
        same = (*SWEPT, "reviewer_miss")
        costs = [row for row in costs if all(row[name] == costs[0][name] for name in same)]
    by_cost = {tuple(key.values()): rows for key, rows in grouped(costs, keys)}
    panels = [
        _hull_panel(rows, by_hull[tuple(key.values())], by_cost.get(tuple(key.values()), []), qe)
        for key, rows in _in_rows(curve)
    ]
    return _page(
        panels,
        len({row["system"] for row in curve}),
        "Which quality estimation to use where",
        [
            "Thick: hull of all curves; its corners have the colour of the QE system to use there",
            "Dashed: lines of equal cost (missed error : false alarm), touching at the best point; diamonds: the best "
            "point of each QE system",
        ],
    )


def _in_rows(curve: Sequence[Row]) -> Iterator[tuple[Row, list[Row]]]:
    """Rows of each panel: MT systems side by side, one below the other what differs otherwise."""
    for _, members in grouped(curve, _PLACE):
        yield from grouped(members, (*_PLACE, "system"))


def _page(panels: Sequence[Any], systems: int, title: str, subtitle: Sequence[str]) -> Any:
    if not panels:
        empty = alt.Chart(inline([{"text": "No curve is defined"}])).mark_text().encode(text="text:N")
        panels = [empty.properties(width=_PANEL, height=40)]
    return (
        alt.concat(*panels, columns=min(max(systems, 1), _MOST_COLUMNS), spacing=28)
        .properties(title=alt.TitleParams(title, subtitle=list(subtitle)))
        .resolve_scale(color="shared", strokeDash="shared")
    )


def _one_system(rows: Sequence[Row]) -> Row:
    """The first of rows that belong on one plot; others are refused."""
    found = sorted({(row["testset"], row["system"]) for row in rows})
    if len(found) > 1:
        systems = ", ".join(f"{system} ({testset})" for testset, system in found)
        raise ConfigError(
            f"systems: {systems} do not belong on one ROC plot. Each has its own segments with errors, so their curves "
            "cannot be compared, and no MT system is better for its curve. Draw one plot for each."
        )
    return rows[0]


def _corners(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Points of each curve where it bends: the same line with fewer numbers."""
    points = []
    for key, members in grouped(rows, ("qe",)):
        path = [(0, 0)]
        for row in members:
            point = (row["fp"], row["tp"])
            if point == path[-1]:
                continue
            if len(path) > 1:
                (x0, y0), (x1, y1) = path[-2:]
                if (x1 - x0) * (point[1] - y1) == (y1 - y0) * (point[0] - x1):
                    path.pop()
            path.append(point)
        positives, negatives = path[-1][1], path[-1][0]
        points += [
            {"qe": key["qe"], "fpr": x / negatives, "tpr": y / positives, "order": order}
            for order, (x, y) in enumerate(path)
        ]
    return points


def _colors(names: Sequence[str]) -> dict[str, Any]:
    """Colour and dashes of the QE systems; beyond eight they repeat."""
    short = labels(names)
    domain = list(short.values())
    legend = alt.Legend(
        title=None,
        orient="bottom",
        direction="horizontal",
        symbolType="stroke",
        symbolOpacity=1,
        symbolSize=300,
        columns=4,
    )

    def scale(values: Sequence[Any]) -> Any:
        return alt.Scale(domain=domain, range=[values[i % len(values)] for i in range(len(names))])

    color = alt.Color("qe:N", scale=scale(_COLORS), legend=legend)
    dash = alt.StrokeDash("qe:N", scale=scale(_DASHES), legend=legend)
    return {"names": short, "color": color, "dash": dash}


def _axes() -> tuple[Any, Any]:
    values = [0, 0.2, 0.4, 0.6, 0.8, 1]
    scale = alt.Scale(domain=[0, 1], nice=False)
    x = alt.X("fpr:Q", scale=scale, title="false positive rate (good segments reviewed)", axis=alt.Axis(values=values))
    y = alt.Y("tpr:Q", scale=scale, title="true positive rate (errors reviewed)", axis=alt.Axis(values=values))
    return x, y


def _packed(rows: list[dict[str, Any]]) -> Any:
    """Rows as one JSON text: Altair copies and checks every row of a list many times, and curves have thousands."""
    return alt.InlineData(
        values=json.dumps(rows, ensure_ascii=False, allow_nan=False), format=alt.JsonDataFormat(type="json")
    )


def _named(axis: Any, field: str) -> Any:
    """The same axis for another column."""
    copy = axis.copy()
    copy.shorthand = field
    return copy


def _diagonal(x: Any, y: Any) -> Any:
    ends = inline([{"fpr": 0, "tpr": 0}, {"fpr": 1, "tpr": 1}])
    return alt.Chart(ends).mark_line(strokeDash=[3, 3], strokeWidth=1, color=PALETTE["muted"]).encode(x=x, y=y)


def _with_misses(layers: Sequence[Any], title: Any) -> Any:
    """A panel with a second vertical axis: the false negative rate, which is what is left of the errors."""
    values = [0, 0.2, 0.4, 0.6, 0.8, 1]
    right = (
        alt.Chart(inline([{"fnr": 0}]))
        .mark_point(opacity=0, size=0)
        .encode(
            y=alt.Y(
                "fnr:Q",
                scale=alt.Scale(domain=[1, 0], nice=False),
                axis=alt.Axis(orient="right", title="false negative rate (errors missed)", grid=False, values=values),
            )
        )
    )
    panel = alt.layer(alt.layer(*layers), right).resolve_scale(y="independent")
    return panel.properties(width=_PANEL, height=_PANEL, title=title)


def _panel_title(row: Row, positives: int, negatives: int) -> Any:
    domain = f", domain {row['domain']}" if row["domain"] else ""
    return alt.TitleParams(
        f"{labels([row['system']])[row['system']]} ({row['testset']}{domain})",
        subtitle=f"error: {row['gold']} {row['cutoff']}; {fmt.count(positives)} with, {fmt.count(negatives)} without",
        fontSize=12,
        offset=4,
    )


def _curve_panel(curve: Sequence[Row], bands: Sequence[Row], auc: Sequence[Row], names: Sequence[str]) -> Any:
    look = _colors(names)
    first = _one_system([*curve, *auc])
    points = [{**point, "qe": look["names"][point["qe"]]} for point in _corners(curve)]
    shades = [
        {
            "qe": look["names"][row["qe"]],
            "fpr": row["fpr"],
            "low": row["tpr_low"],
            "high": row["tpr_high"],
        }
        for row in bands
        if row["tpr_low"] is not None
    ]
    numbers = [
        {
            "qe": look["names"][row["qe"]],
            "text": f"{look['names'][row['qe']]}  {_area(row)}",
            "x": 0.985,
            "y": 0.03 + 0.062 * place,
        }
        for place, row in enumerate(sorted(auc, key=lambda row: row["auc"]))
    ]
    x, y = _axes()
    layers = [
        alt.Chart(_packed(shades))
        .mark_area(opacity=0.16)
        .encode(x=x, y=_named(y, "low:Q"), y2="high:Q", color=look["color"]),
        _diagonal(x, y),
        alt.Chart(_packed(points))
        .mark_line(strokeWidth=1.6, interpolate="linear")
        .encode(x=x, y=y, order="order:Q", color=look["color"], strokeDash=look["dash"]),
        alt.Chart(inline(numbers))
        .mark_text(align="right", baseline="bottom", fontSize=10)
        .encode(x=_named(x, "x:Q"), y=_named(y, "y:Q"), text="text:N", color=look["color"]),
    ]
    return _with_misses(layers, _panel_title(first, auc[0]["positives"], auc[0]["negatives"]))


def _precision_panel(curve: Sequence[Row], auc: Sequence[Row], names: Sequence[str]) -> Any:
    look = _colors(names)
    first = _one_system([*curve, *auc])
    points = [
        {"qe": look["names"][key["qe"]], "tpr": tpr, "precision": precision, "order": order}
        for key, members in grouped(curve, ("qe",))
        for order, (tpr, precision) in enumerate(
            dict.fromkeys((row["tpr"], row["precision"]) for row in members if row["precision"] is not None)
        )
    ]
    numbers = [
        {
            "qe": look["names"][row["qe"]],
            "text": f"{look['names'][row['qe']]}  {fmt.number(row['average_precision'], 3)}",
            "x": 0.985,
            "y": 0.03 + 0.062 * place,
        }
        for place, row in enumerate(sorted(auc, key=lambda row: row["average_precision"]))
    ]
    positives, negatives = auc[0]["positives"], auc[0]["negatives"]
    values = [0, 0.2, 0.4, 0.6, 0.8, 1]
    scale = alt.Scale(domain=[0, 1], nice=False)
    x = alt.X("tpr:Q", scale=scale, title="recall (errors reviewed)", axis=alt.Axis(values=values))
    y = alt.Y("precision:Q", scale=scale, title="precision (errors among the reviewed)", axis=alt.Axis(values=values))
    share = positives / (positives + negatives)
    chance = inline([{"tpr": 0, "precision": share}, {"tpr": 1, "precision": share}])
    layers = [
        alt.Chart(chance).mark_line(strokeDash=[3, 3], strokeWidth=1, color=PALETTE["muted"]).encode(x=x, y=y),
        alt.Chart(_packed(points))
        .mark_line(strokeWidth=1.6, interpolate="linear")
        .encode(x=x, y=y, order="order:Q", color=look["color"], strokeDash=look["dash"]),
        alt.Chart(inline(numbers))
        .mark_text(align="right", baseline="bottom", fontSize=10)
        .encode(x=_named(x, "x:Q"), y=_named(y, "y:Q"), text="text:N", color=look["color"]),
    ]
    panel = alt.layer(*layers)
    return panel.properties(width=_PANEL, height=_PANEL, title=_panel_title(first, positives, negatives))


def _hull_panel(curve: Sequence[Row], hull: Sequence[Row], costs: Sequence[Row], names: Sequence[str]) -> Any:
    look = _colors(names)
    first = _one_system([*curve, *hull])
    points = [{**point, "qe": look["names"][point["qe"]]} for point in _corners(curve)]
    outline = [{"fpr": row["fpr"], "tpr": row["tpr"], "order": row["vertex"]} for row in hull]
    corners = [
        {"fpr": row["fpr"], "tpr": row["tpr"], "qe": look["names"][row["qe"]]} for row in hull if row["qe"] is not None
    ]
    positives, negatives = curve[-1]["tp"], curve[-1]["fp"]
    lines, chosen = _touching(costs, positives, negatives)
    x, y = _axes()
    layers = [
        _diagonal(x, y),
        alt.Chart(_packed(points))
        .mark_line(strokeWidth=1, opacity=0.75)
        .encode(x=x, y=y, order="order:Q", color=look["color"], strokeDash=look["dash"]),
        alt.Chart(inline(outline))
        .mark_line(strokeWidth=2.6, color=PALETTE["text"], opacity=0.55)
        .encode(x=x, y=y, order="order:Q"),
        alt.Chart(inline(corners)).mark_point(filled=True, size=42, opacity=1).encode(x=x, y=y, color=look["color"]),
    ]
    if lines:
        own = [
            {"qe": look["names"][row["qe"]], "fpr": row["fp"] / negatives, "tpr": row["tp"] / positives}
            for row in costs
        ]
        layers += [
            alt.Chart(inline(own))
            .mark_point(shape="diamond", filled=False, size=60, strokeWidth=1.2)
            .encode(x=x, y=y, color=look["color"]),
            alt.Chart(inline(lines))
            .mark_line(strokeDash=[5, 3], strokeWidth=1.2, color=PALETTE["text"])
            .encode(x=x, y=y, detail="setting:N"),
            alt.Chart(inline(chosen))
            .mark_point(shape="diamond", size=110, strokeWidth=1.8, color=PALETTE["text"])
            .encode(x=x, y=y),
            *(
                alt.Chart(inline([line for line in lines if line["left"]]))
                .mark_text(align="left", baseline="bottom", dx=3, dy=-4, fontSize=10, **halo)
                .encode(x=x, y=y, text="setting:N")
                for halo in ({"stroke": "white", "strokeWidth": 3, "color": "white"}, {"color": PALETTE["text"]})
            ),
        ]
    return _with_misses(layers, _panel_title(first, positives, negatives))


def _touching(
    costs: Sequence[Row], positives: int, negatives: int
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """For each ratio of costs the line of equal cost through the best point of all QE systems, and that point."""
    lines, chosen = [], []
    for key, rows in grouped(costs, ("setting", "slope")):
        slope = key["slope"]
        best = max(rows, key=lambda row: row["tp"] / positives - slope * row["fp"] / negatives)
        x, y = best["fp"] / negatives, best["tp"] / positives
        chosen.append({"setting": key["setting"], "fpr": x, "tpr": y})
        ends = {(px, y + slope * (px - x)) for px in (0.0, 1.0) if 0 <= y + slope * (px - x) <= 1} | {
            (x + (py - y) / slope, py) for py in (0.0, 1.0) if 0 <= x + (py - y) / slope <= 1
        }
        lines += [
            {"setting": key["setting"], "fpr": px, "tpr": py, "left": index == 0}
            for index, (px, py) in enumerate(sorted(ends))
        ]
    return lines, chosen
