"""The figures of a calibration study: is confidence honest, do intervals hold the truth, what do blocks do?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from mtsig.report import format as fmt
from mtsig.report.calibration import pair_order, pair_words
from mtsig.report.cells import Row, grouped, metric_name, page, shown_cells
from mtsig.report.figures import PALETTE, inline, labels
from mtsig.studies.evidence import TESTS

__all__ = [
    "coverage_figure",
    "differences_figure",
    "figure_of_tests",
    "power_figure",
    "ranges_figure",
    "reliability_figure",
]

#: Schemes keep their colour in all figures (after Okabe and Ito), and shapes repeat it.
SCHEMES = {"broad": "#0072b2", "consecutive": "#d55e00", "random": "#009e73"}
_SHAPES = {"broad": "circle", "consecutive": "triangle-up", "random": "square"}
_MISS, _HIT = "#d55e00", "#7a8fa6"
_NOTHING = "No subset could be drawn: every size exceeds the test set."

#: Plots of single subsets are legible up to about so many, and so many pairs fill a page.
_MOST_SUBSETS = 100
_MOST_PAIRS = 12
_PANEL = 320
_VERDICTS = {"right": "#0072b2", "none": "#b8bec4", "wrong": "#d55e00"}


def _scheme_encodings(rows: Sequence[Row]) -> dict[str, Any]:
    names = [name for name in SCHEMES if any(row["scheme"] == name for row in rows)]
    legend = alt.Legend(title=None, orient="bottom", direction="horizontal")
    color = alt.Color("scheme:N", scale=alt.Scale(domain=names, range=[SCHEMES[name] for name in names]), legend=legend)
    shape = alt.Shape("scheme:N", scale=alt.Scale(domain=names, range=[_SHAPES[name] for name in names]), legend=legend)
    return {"color": color, "shape": shape}


def reliability_figure(rows: Sequence[Row]) -> Any:
    """Confidence against the share of conclusions that are right.

    Parameters
    ----------
    rows
        Of the table ``calibration``.
    """
    panels = []
    for place, members in shown_cells(rows):
        points = [
            {
                "scheme": row["scheme"],
                "confidence": 100 * row["mean_confidence"],
                "correct": row["percent_correct"],
                "low": row["percent_low"],
                "high": row["percent_high"],
            }
            for row in members
            # Below one half ties decide, not confidence.
            if row["percent_correct"] is not None and row["bin"] != "below 50%"
        ]
        if not points:
            continue
        look = _scheme_encodings(members)
        least = min(45.0, *(point["low"] for point in points))
        scale = alt.Scale(domain=[5 * (least // 5), 100], nice=False)
        across = alt.Scale(domain=[45, 100], nice=False)
        x = alt.X("confidence:Q", scale=across, title="confidence: resamples won by the leading system (%)")
        y = alt.Y("correct:Q", scale=scale, title="conclusions that are right (%)")
        base = alt.Chart(inline(points))
        diagonal = inline([{"confidence": 50, "correct": 50}, {"confidence": 100, "correct": 100}])
        layers = [
            alt.Chart(diagonal).mark_line(strokeDash=[3, 3], strokeWidth=1, color=PALETTE["muted"]).encode(x=x, y=y),
            base.mark_rule(strokeWidth=1.2, opacity=0.7).encode(
                x=x, y=alt.Y("low:Q", scale=scale), y2="high:Q", color=look["color"]
            ),
            base.mark_line(strokeWidth=1, opacity=0.5).encode(x=x, y=y, color=look["color"]),
            base.mark_point(filled=True, size=55, opacity=1).encode(x=x, y=y, **look),
        ]
        panels.append(alt.layer(*layers, width=340, height=300, title=place))
    return page(
        panels,
        columns=2,
        title="Is confidence honest?",
        subtitle=["Points on the dashed line are; above it confidence is modest. Bars: 95 % limits"],
        note="No conclusion is right or wrong: there are no pairs, no subsets, or only ties.",
    )


def coverage_figure(rows: Sequence[Row], confidence_level: float) -> Any:
    """The intervals of one size of subset against the true score, misses marked; one panel per system.

    Parameters
    ----------
    rows
        Of the table ``subsets``.
    confidence_level
        Level of the intervals.
    """
    panels = []
    for place, members in shown_cells(rows)[:1]:
        size = _legible_size(members)
        scheme = members[0]["scheme"]
        its = [row for row in members if row["subset_size"] == size and row["scheme"] == scheme]
        short = labels(sorted({row["system"] for row in its}))
        for key, same in grouped(sorted(its, key=_standing), ("system",)):
            known = [row for row in same if row["covered"] is not None][:_MOST_SUBSETS]
            if not known:
                continue
            held = sum(row["covered"] for row in known)
            title = alt.TitleParams(
                short[key["system"]],
                subtitle=f"true score {fmt.significant(known[0]['truth'])}, held by {held} of {len(known)} intervals",
                fontSize=12,
                offset=4,
            )
            panels.append(_coverage_panel(known, title, metric_name(same[0]["metric"])))
        subtitle = [
            f"{place}: {scheme} subsets of {fmt.count(size)} segments",
            f"Horizontal line: true score. Orange: {100 * confidence_level:g} % intervals that miss it",
        ]
    return page(
        panels, columns=2, title="Do the intervals hold the truth?", subtitle=subtitle if panels else [], note=_NOTHING
    )


def _coverage_panel(rows: Sequence[Row], title: Any, metric: str) -> Any:
    points = [
        {
            "subset": row["subset"] + 1,
            "score": row["score"],
            "low": row["ci_low"],
            "high": row["ci_high"],
            "held": row["covered"],
        }
        for row in rows
    ]
    # Without round ends no label stands at the very edge, which would shift the panel.
    scale = alt.Scale(zero=False, nice=False, padding=8)
    x = alt.X(
        "subset:Q",
        title="subset",
        scale=alt.Scale(domain=[0, len(points) + 1], nice=False),
        axis=alt.Axis(grid=False, tickMinStep=1),
    )
    color = alt.condition("datum.held", alt.value(_HIT), alt.value(_MISS))
    width = alt.condition("datum.held", alt.value(1.0), alt.value(2.0))
    base = alt.Chart(inline(points))
    truth = alt.Chart(inline([{"truth": rows[0]["truth"]}]))
    layers = [
        base.mark_rule().encode(
            x=x, y=alt.Y("low:Q", scale=scale, title=metric), y2="high:Q", color=color, strokeWidth=width
        ),
        base.mark_point(filled=True, size=14, opacity=1).encode(x=x, y=alt.Y("score:Q", scale=scale), color=color),
        truth.mark_rule(color=PALETTE["text"], strokeWidth=1.2).encode(y=alt.Y("truth:Q", scale=scale)),
    ]
    return alt.layer(*layers, width=430, height=170, title=title)


def differences_figure(subsets: Sequence[Row], conclusions: Sequence[Row]) -> Any:
    """The difference of each pair on all subsets of one size, with Koehn's verdict; one panel per pair.

    Parameters
    ----------
    subsets, conclusions
        Rows of the tables of these names.
    """
    panels = []
    for (place, members), (_, verdicts) in list(zip(shown_cells(subsets), shown_cells(conclusions), strict=False))[:1]:
        size, scheme = _legible_size(members), members[0]["scheme"]
        its = [row for row in verdicts if row["subset_size"] == size and row["scheme"] == scheme]
        scores = {
            (row["subset"], row["system"]): row
            for row in members
            if row["subset_size"] == size and row["scheme"] == scheme and row["score"] is not None
        }
        for _, same in _by_standing(its, scores):
            panels.append(_difference_panel(same[:_MOST_SUBSETS], scores))
        subtitle = [
            f"{place}: {scheme} subsets of {fmt.count(size)} segments, Koehn's verdict on each",
            "Above 0 the better system is ahead. Line: true difference",
        ]
    return page(
        panels,
        columns=3,
        title="What does each subset say about a pair?",
        subtitle=subtitle if panels else [],
        note="There is no pair of systems, or no subset could be drawn.",
    )


def _by_standing(rows: Sequence[Row], scores: Mapping[tuple[int, str], Row]) -> list[tuple[Row, list[Row]]]:
    """Rows of each pair that is shown, best systems first."""
    truths = {system: row["truth"] for (_, system), row in scores.items()}
    known = [row for row in rows if all((row["subset"], row[side]) in scores for side in ("system_a", "system_b"))]
    with_differences = [{**row, "difference": truths[row["system_a"]] - truths[row["system_b"]]} for row in known]
    pairs = pair_order(with_differences)
    # Where not all fit, the closest pairs are of most interest.
    closest = sorted(pairs, key=lambda item: abs(item[1][0]["difference"]))[:_MOST_PAIRS]
    return [item for item in pairs if item in closest]


def _difference_panel(rows: Sequence[Row], scores: Mapping[tuple[int, str], Row]) -> Any:
    first = rows[0]
    sign = 1 if first["difference"] >= 0 else -1
    points = []
    for row in rows:
        one, other = (scores[row["subset"], row[side]]["score"] for side in ("system_a", "system_b"))
        verdict, truth = row["koehn_verdict"], row["truth"]
        said = "none" if verdict == "none" else "right" if verdict == truth else "wrong"
        points.append({"subset": row["subset"] + 1, "difference": sign * (one - other), "verdict": said})
    counts = {said: sum(point["verdict"] == said for point in points) for said in _VERDICTS}
    told = f"{counts['right']} right" + (f", {counts['wrong']} wrong" if counts["wrong"] else "")
    title = alt.TitleParams(
        _short_pair(first),
        subtitle=f"{counts['right'] + counts['wrong']} of {len(points)} significant: {told}",
        fontSize=12,
        offset=4,
    )
    x = alt.X(
        "subset:Q",
        title="subset",
        scale=alt.Scale(domain=[0, len(points) + 1], nice=False),
        axis=alt.Axis(grid=False, tickMinStep=1),
    )
    scale = alt.Scale(nice=False, padding=8)
    color = alt.Color(
        "verdict:N",
        scale=alt.Scale(domain=list(_VERDICTS), range=list(_VERDICTS.values())),
        legend=alt.Legend(title=None, orient="bottom", direction="horizontal", symbolType="square"),
    )
    base = alt.Chart(inline(points))
    layers = [
        base.mark_rule(strokeWidth=2).encode(
            x=x,
            y=alt.Y("difference:Q", scale=scale, title="difference"),
            y2=alt.datum(0),
            color=color,
        ),
        alt.Chart(inline([{"truth": abs(first["difference"])}]))
        .mark_rule(color=PALETTE["text"], strokeWidth=1)
        .encode(y=alt.Y("truth:Q", scale=scale)),
    ]
    return alt.layer(*layers, width=280, height=140, title=title)


def _short_pair(row: Row) -> str:
    short = labels([row["system_a"], row["system_b"]], 18)
    return pair_words({**row, "system_a": short[row["system_a"]], "system_b": short[row["system_b"]]})


def _legible_size(rows: Sequence[Row]) -> int:
    """The smallest size that gives no more subsets than can be told apart, else the largest."""
    counts: dict[int, int] = {
        key["subset_size"]: len({row["subset"] for row in its}) for key, its in grouped(rows, ("subset_size",))
    }
    legible = [size for size, count in counts.items() if count <= _MOST_SUBSETS]
    return min(legible) if legible else max(counts)


def ranges_figure(rows: Sequence[Row]) -> Any:
    """The scores of all subsets of one size as strips: broad samples against runs of neighbouring segments.

    Parameters
    ----------
    rows
        Of the table ``subsets``.
    """
    panels = []
    for place, members in shown_cells(rows):
        size = _legible_size(members)
        its = [row for row in members if row["subset_size"] == size and row["score"] is not None]
        schemes = [name for name in SCHEMES if any(row["scheme"] == name for row in its)]
        systems = [key["system"] for key, _ in grouped(sorted(its, key=_standing), ("system",))]
        short = labels(systems)
        points = [
            {"system": short[row["system"]], "scheme": row["scheme"], "score": row["score"], "truth": row["truth"]}
            for row in its
        ]
        order = [short[system] for system in systems]
        # The data belong to the whole, so that each row of it shows its own part.
        base = alt.Chart()
        x = alt.X("score:Q", scale=alt.Scale(zero=False, padding=6), title=metric_name(members[0]["metric"]))
        strip = base.mark_tick(thickness=1, height=9, opacity=0.55).encode(
            x=x,
            y=alt.Y("scheme:N", sort=schemes, title=None, axis=alt.Axis(ticks=False, domain=False, grid=False)),
            color=alt.Color(
                "scheme:N",
                scale=alt.Scale(domain=schemes, range=[SCHEMES[name] for name in schemes]),
                legend=None,
            ),
        )
        truth = base.mark_rule(color=PALETTE["text"], strokeWidth=1).encode(x="min(truth):Q")
        chart = alt.layer(strip, truth, data=inline(points), width=430, height=alt.Step(15)).facet(
            row=alt.Row(
                "system:N",
                sort=order,
                title=None,
                header=alt.Header(labelAngle=0, labelAlign="left", labelPadding=6),
            ),
            spacing=6,
            title=alt.TitleParams(place, subtitle=f"subsets of {fmt.count(size)} segments"),
        )
        panels.append(chart)
    return page(
        panels,
        columns=2,
        title="How far do the scores of subsets spread?",
        subtitle=["Each tick is the score of one subset; the line is the true score"],
        note=_NOTHING,
    )


def _standing(row: Row) -> tuple[float, str]:
    return -(row["truth"] if row["truth"] is not None else float("-inf")), row["system"]


def power_figure(rows: Sequence[Row]) -> Any:
    """How often Koehn's verdict finds the better system, by size: a line per pair, coloured by its difference.

    Parameters
    ----------
    rows
        Of the table ``power``.
    """
    panels = []
    for place, members in shown_cells(rows):
        for key, its in grouped(members, ("scheme",)):
            points = [
                {
                    "pair": _short_pair(row),
                    "size": row["subset_size"],
                    "correct": row["percent_correct"],
                    "difference": abs(row["difference"]),
                    "label": f"{_short_pair(row)} {fmt.significant(abs(row['difference']), 2)}",
                }
                for _, same in pair_order(its)
                for row in same
                if row["percent_correct"] is not None
            ]
            if points:
                panels.append(_power_panel(points, f"{place}, {key['scheme']}"))
    return page(
        panels,
        columns=3,
        title="How often is the better system found?",
        subtitle=[
            "Koehn's verdict; one line per pair, the darker the larger the true difference",
            "Pairs are named with their true difference where there is room",
        ],
        note="There is no pair of systems of which one is truly better.",
    )


def _power_panel(points: list[dict[str, Any]], title: str) -> Any:
    sizes = sorted({point["size"] for point in points})
    named = _with_room([point for point in points if point["size"] == sizes[0]])
    # Room for the names on the left: about 5 pixels a letter.
    part = min(0.55, (12 + 5 * max(len(point["label"]) for point in named)) / _PANEL)
    spread = max(sizes[-1] / sizes[0], 1.5)
    x = alt.X(
        "size:Q",
        scale=alt.Scale(type="log", nice=False, domain=[sizes[0] / spread ** (part / (1 - part)), sizes[-1] * 1.05]),
        title="segments in the subset",
        axis=alt.Axis(values=sizes, format=",", grid=False),
    )
    y = alt.Y("correct:Q", scale=alt.Scale(domain=[0, 100]), title="subsets with the right verdict (%)")
    color = alt.Color(
        "difference:Q",
        scale=alt.Scale(scheme="blues", domainMin=-0.35 * max(point["difference"] for point in points)),
        legend=None,
    )
    base = alt.Chart(inline(points))
    names = alt.Chart(inline(named)).mark_text(align="right", dx=-6, fontSize=9)
    layers = [
        base.mark_line(strokeWidth=1.6).encode(x=x, y=y, detail="pair:N", color=color),
        base.mark_point(filled=True, size=28, opacity=1).encode(x=x, y=y, color=color),
        names.encode(x=x, y=alt.Y("at:Q"), text="label:N", color=color),
    ]
    return alt.layer(*layers, width=_PANEL, height=300, title=alt.TitleParams(title, fontSize=12))


def _with_room(points: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Points whose names fit beside them, some moved up a little so that they do not cover each other."""
    gap = 4.2  # per cent on the axis: the height of a name
    placed: list[dict[str, Any]] = []
    for point in sorted(points, key=lambda point: (point["correct"], point["difference"])):
        least = placed[-1]["at"] + gap if placed else 0.0
        at = max(point["correct"], least)
        if at - point["correct"] <= gap and at <= 100:
            placed.append({**point, "at": at})
    return placed


def figure_of_tests(rows: Sequence[Row]) -> Any:
    """How often each test names the worse system, by size and scheme.

    Parameters
    ----------
    rows
        Of the table ``tests``.
    """
    panels = []
    for place, members in shown_cells(rows):
        points = [
            {
                "test": row["test"],
                "size": fmt.count(row["subset_size"]),
                "scheme": row["scheme"],
                "wrong": row["percent_wrong"],
                "low": row["percent_wrong_low"],
                "high": row["percent_wrong_high"],
            }
            for row in members
            if row["percent_wrong"] is not None
        ]
        if not points:
            continue
        look = _scheme_encodings(members)
        order = [test for test in TESTS if any(point["test"] == test for point in points)]
        sizes = list(dict.fromkeys(point["size"] for point in points))
        schemes = [name for name in SCHEMES if any(point["scheme"] == name for point in points)]
        y = alt.Y("test:N", sort=order, title=None, axis=alt.Axis(grid=True, ticks=False, domain=False))
        offset = alt.YOffset("scheme:N", sort=schemes)
        base = alt.Chart()
        layers = alt.layer(
            base.mark_rule(strokeWidth=1.2, opacity=0.8).encode(
                x=alt.X("low:Q", title=None),
                x2="high:Q",
                y=y,
                yOffset=offset,
                color=look["color"],
            ),
            base.mark_point(filled=True, size=40, opacity=1).encode(x="wrong:Q", y=y, yOffset=offset, **look),
            data=inline(points),
            width=170,
            height=alt.Step(11),
        )
        panels.append(
            layers.facet(
                column=alt.Column(
                    "size:N",
                    sort=sizes,
                    title="segments in the subset",
                    header=alt.Header(titleFontWeight="normal", titleOrient="bottom", labelOrient="bottom"),
                ),
                title=place,
                spacing=14,
            )
        )
    return page(
        panels,
        columns=1,
        title="Which tests name the worse system?",
        subtitle=["Share of all conclusions, in percent, with 95 % limits. Pairs that truly tie are left out"],
        note="There is no pair of systems of which one is truly better.",
    )
