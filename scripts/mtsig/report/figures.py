"""The figures of a metric: scores with their intervals, and the significance matrix.

Each is one Vega-Lite specification, rendered once to SVG by vl-convert; PNG and PDF are made of that SVG, so that the
three show the same. Colours tell who is better, never which number is larger, and stars repeat what they say. The
palette (blue against orange, dark against light) can be told apart with any common colour blindness and in grey.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert

from mtsig import io
from mtsig.report import format as fmt
from mtsig.report.results import Comparison, MetricResult
from mtsig.report.tables import direction_words, level_words

__all__ = ["FORMATS", "PALETTE", "figure_bytes", "interval_plot", "labels", "save", "significance_matrix", "to_svg"]

#: File formats in which every figure is written.
FORMATS = ("svg", "png", "pdf")

#: Meaning of a colour in every figure and on the page.
PALETTE = {
    "better_strong": "#1f5a96",
    "better": "#8fbbe3",
    "none": "#f1f1ef",
    "worse": "#f6c27f",
    "worse_strong": "#b35806",
    "text": "#222222",
    "muted": "#666666",
    "grid": "#dddddd",
    "blank": "#ffffff",
}

#: Liberation Sans has the widths of Arial and Helvetica and comes with vl-convert: labels fit wherever they are seen.
_FONT = "Liberation Sans, Arial, Helvetica, sans-serif"

#: Longest label of a system in a figure, in characters.
_LABEL = 36

_PNG_SCALE = 2.0


def labels(names: Iterable[str], limit: int = _LABEL) -> dict[str, str]:
    """Short, printable, distinct labels for names.

    Long names keep their beginning and end, which is where variants of a system differ.

    Parameters
    ----------
    names
        Distinct names.
    limit
        The most characters of a label, 8 or more.

    Returns
    -------
    dict
        Name to label, in the order of `names`.

    Examples
    --------
    >>> labels(["short", "a-very-long-name-of-a-system"], limit=12)
    {'short': 'short', 'a-very-long-name-of-a-system': 'a-very…ystem'}
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        clean = "".join("\N{REPLACEMENT CHARACTER}" if unicodedata.category(c) in ("Cc", "Cs") else c for c in name)
        label, number = _shorten(clean, limit), 1
        while label in taken:
            number += 1
            label = f"{_shorten(clean, limit - len(str(number)) - 3)} ({number})"
        found[name] = label
        taken.add(label)
    return found


def _shorten(text: str, limit: int) -> str:
    head = (limit - 1) // 2 + (limit - 1) % 2
    return text if len(text) <= limit else f"{text[:head]}…{text[len(text) - (limit - 1 - head) :]}"


def inline(rows: list[dict[str, Any]]) -> Any:
    """Rows as the data of a chart; the chart's encodings must then say their types."""
    return alt.Data(values=rows)  # type: ignore[no-untyped-call]


def themed(chart: Any) -> Any:
    """A finished chart in the common look of all figures."""
    return chart.configure(
        font=_FONT,
        background="white",
        padding=8,
        view=alt.ViewConfig(stroke=None),
        axis=alt.AxisConfig(
            labelColor=PALETTE["text"],
            titleColor=PALETTE["text"],
            labelFontSize=11,
            titleFontSize=11,
            titleFontWeight="normal",
            gridColor=PALETTE["grid"],
            domainColor=PALETTE["muted"],
            tickColor=PALETTE["muted"],
            labelLimit=400,
        ),
        title=alt.TitleConfig(
            anchor="start",
            frame="group",
            fontSize=13,
            subtitleFontSize=11,
            subtitleColor=PALETTE["muted"],
            color=PALETTE["text"],
            offset=10,
        ),
        legend=alt.LegendConfig(labelFontSize=11, titleFontSize=11, titleFontWeight="normal", labelLimit=400),
    )


def _title(result: MetricResult) -> str:
    place = f"{result.testset} ({result.langpair})" if result.langpair else result.testset
    return f"{result.metric} on {place}"


def interval_plot(result: MetricResult) -> Any:
    """Scores of all systems with their confidence intervals, best at the top.

    Parameters
    ----------
    result
        The metric's rows.

    Returns
    -------
    altair.LayerChart
    """
    names = labels(result.names)
    places = result.score_decimals
    step = 22 if len(names) <= 40 else 15
    rows = [
        {
            "system": names[row["system"]],
            "score": row["score"],
            "low": row["ci_low"],
            "high": row["ci_high"],
            "label": fmt.number(row["score"], places, minus="−"),
            "cluster": row["cluster"],
        }
        for row in result.systems
    ]
    order = list(names.values())
    bounds = [row[key] for row in rows for key in ("score", "low", "high") if row[key] is not None]
    if not bounds:
        bounds = [0.0, 1.0]
    # Room at the right edge for the numbers, which stand in a column of their own.
    low, high = min(bounds), max(bounds)
    margin = 0.04 * (high - low) or max(abs(high) * 0.01, 0.5)
    domain = [low - margin, high + margin]
    y = alt.Y(
        "system:N",
        sort=order,
        title=None,
        axis=alt.Axis(domain=False, ticks=False, labelFontSize=11 if step > 16 else 9, grid=True, labelPadding=6),
    )
    horizontal: dict[str, Any] = {
        "title": f"{result.metric} ({direction_words(result)}), with {level_words(result)} intervals",
        "scale": alt.Scale(domain=domain, zero=False, nice=False),
        "axis": alt.Axis(grid=False, tickCount=6),
    }
    base = alt.Chart(inline(rows)).encode(y=y)
    known = base.transform_filter("isValid(datum.score)")
    whiskers = (
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=2.5, color=PALETTE["better"], strokeCap="round")
        .encode(x=alt.X("low:Q", **horizontal), x2="high:Q")
    )
    points = known.mark_point(
        filled=True, size=45 if step > 16 else 30, opacity=1, color=PALETTE["better_strong"]
    ).encode(x=alt.X("score:Q", **horizontal))
    numbers = base.mark_text(
        align="right", fontSize=11 if step > 16 else 9, color=PALETTE["text"], dx=_number_width(rows)
    ).encode(x=alt.value("width"), text="label:N")
    layers = [whiskers, points, numbers]
    breaks = [i for i in range(1, len(rows)) if rows[i]["cluster"] != rows[i - 1]["cluster"]]
    if breaks:
        layers.insert(0, _cluster_lines(breaks, step))
    title = alt.TitleParams(_title(result), subtitle=_interval_subtitle(result, bool(breaks)))
    return alt.layer(*layers, width=340, height=alt.Step(step), title=title)


def _number_width(rows: Sequence[dict[str, Any]]) -> int:
    """Pixels to the right of the plot that the longest number needs."""
    return 8 + 7 * max(len(row["label"]) for row in rows)


def _cluster_lines(breaks: Sequence[int], step: int) -> Any:
    data = inline([{"at": i * step} for i in breaks])
    return (
        alt.Chart(data)
        .mark_rule(color=PALETTE["muted"], strokeDash=[4, 3], strokeWidth=1)
        .encode(y=alt.Y("at:Q", scale=None, axis=None))
    )


def _interval_subtitle(result: MetricResult, clusters: bool) -> list[str]:
    count = result.systems[0]["n_segments"]
    same = all(row["n_segments"] == count for row in result.systems)
    size = f"{fmt.count(count)} segments" if same else "different numbers of segments"
    lines = [f"{size}, {fmt.count(result.setting('n_resamples'))} resamples of {result.setting('resample_unit')}s"]
    if clusters:
        lines.append("Dashed lines: all systems above are significantly better than all below")
    return lines


_KEY = {
    "better_strong": "row better, p < 0.01",
    "better": "row better",
    "none": "not significant",
    "worse": "column better",
    "worse_strong": "column better, p < 0.01",
}


def evidence(comparison: Comparison | None) -> str:
    """The colour class of a cell of the matrix, a key of `PALETTE`."""
    if comparison is None:
        return "blank"
    if not comparison.favours:
        return "none"
    side = "better" if comparison.favours > 0 else "worse"
    return side + ("_strong" if comparison.stars == "**" else "")


def significance_matrix(result: MetricResult) -> Any:
    """All pairs of systems as a matrix: who is significantly better, with stars, and the difference where it fits.

    Parameters
    ----------
    result
        The metric's rows.

    Returns
    -------
    altair.LayerChart
        Systems from best to worst, from the top and from the left. The more systems, the smaller the cells: up to 14
        systems a cell holds the difference and its stars, up to 40 the stars; beyond that colours alone speak.
    """
    order = list(labels(result.names).values())
    number = len(order)
    detailed = number <= 14
    step = 50 if detailed else 20 if number <= 40 else 11
    font = 11 if step >= 20 else 9
    cells = []
    for row, system in zip(order, result.names, strict=True):
        for column, other in zip(order, result.names, strict=True):
            comparison = result.compare(system, other)
            kind = evidence(comparison)
            text = ""
            if comparison is not None:
                text = comparison.stars
                if detailed:
                    places = result.decimals_of(comparison.row)
                    text = fmt.number(comparison.delta, places, signed=True, minus="−")
                    text = "?" if comparison.delta is None else text
            stars = comparison.stars if comparison is not None and detailed else ""
            cells.append({"row": row, "column": column, "kind": kind, "text": text, "stars": stars})
    shown = [kind for kind in _KEY if any(cell["kind"] == kind for cell in cells)]
    x_axis = alt.Axis(
        orient="top",
        labelAngle=-60 if step >= 20 else -90,
        domain=False,
        ticks=False,
        labelFontSize=font,
        labelPadding=4,
    )
    y_axis = alt.Axis(domain=False, ticks=False, labelFontSize=font, labelPadding=6)
    base = alt.Chart(inline(cells)).encode(
        x=alt.X("column:N", sort=order, title=None, axis=x_axis),
        y=alt.Y("row:N", sort=order, title=None, axis=y_axis),
    )
    colour = alt.Color(
        "kind:N",
        scale=alt.Scale(domain=[*shown, "blank"], range=[*(PALETTE[kind] for kind in shown), PALETTE["blank"]]),
        legend=None
        if not shown
        else alt.Legend(
            title=None,
            orient="bottom",
            direction="horizontal",
            columns=3,
            values=shown,
            symbolType="square",
            symbolSize=140,
            symbolStrokeColor=PALETTE["muted"],
            symbolStrokeWidth=0.5,
            labelExpr=_label_expression(shown),
        ),
    )
    layers = [base.mark_rect(aria=False, stroke="white", strokeWidth=1 if step >= 20 else 0.5).encode(color=colour)]
    ink = alt.condition(
        "datum.kind == 'better_strong' || datum.kind == 'worse_strong'", alt.value("white"), alt.value(PALETTE["text"])
    )
    if detailed:
        layers.append(base.mark_text(aria=False, fontSize=11, dy=-2).encode(text="text:N", color=ink))
        layers.append(base.mark_text(aria=False, fontSize=12, dy=14).encode(text="stars:N", color=ink))
    elif step >= 20:
        layers.append(base.mark_text(aria=False, fontSize=11, dy=3).encode(text="text:N", color=ink))
    title = alt.TitleParams(_title(result), subtitle=_matrix_subtitle(result, detailed))
    return alt.layer(*layers, width=alt.Step(step), height=alt.Step(step), title=title)


def _label_expression(kinds: Sequence[str]) -> str:
    """A Vega expression from a colour class to its words in the legend."""
    cases = "".join(f"datum.label == '{kind}' ? '{_KEY[kind]}' : " for kind in kinds)
    return f"{cases}''"


def _matrix_subtitle(result: MetricResult, detailed: bool) -> list[str]:
    if not result.pairs:
        return ["One system only: no pairs"]
    lines = []
    if detailed:
        lines.append(f"Row minus column; {direction_words(result)}")
    else:
        lines.append(direction_words(result).capitalize())
    if result.higher_is_better is None:
        return [*lines, "No system is better: nothing is tested"]
    adjust = {"none": "not adjusted", "holm": "Holm", "bh": "Benjamini-Hochberg"}[result.setting("adjust")]
    tests = "1 test" if len(result.pairs) == 1 else f"{fmt.count(len(result.pairs))} tests"
    lines.append(f"{tests} at alpha = {result.setting('alpha'):g} ({adjust})")
    if any(row["significant"] for row in result.pairs):
        lines.append("* p < 0.05, ** p < 0.01" if len(result.names) <= 40 else "Dark: p < 0.01")
    return lines


def to_svg(chart: Any) -> str:
    """Render a chart to SVG."""
    specification = themed(chart).to_dict()
    return vl_convert.vegalite_to_svg(specification, vl_version=alt.SCHEMA_VERSION.lstrip("v").rsplit(".", 1)[0])


def figure_bytes(svg: str, suffix: str) -> bytes:
    """An SVG figure as the bytes of a file with this suffix (``.svg``, ``.png`` or ``.pdf``)."""
    if suffix == ".svg":
        return svg.encode("utf-8")
    if suffix == ".png":
        return vl_convert.svg_to_png(svg, scale=_PNG_SCALE)
    if suffix == ".pdf":
        return vl_convert.svg_to_pdf(svg)
    raise ValueError(f"figures are written as svg, png or pdf, not as {suffix!r}")


def save(chart: Any, paths: Iterable[str | os.PathLike[str]]) -> None:
    """Write one chart to files whose suffixes say the format (svg, png, pdf).

    Parameters
    ----------
    chart
        An Altair chart without configuration of its own.
    paths
        The files.
    """
    svg = to_svg(chart)
    for path in map(Path, paths):
        with io.atomic(path) as temporary:
            temporary.write_bytes(figure_bytes(svg, path.suffix))
