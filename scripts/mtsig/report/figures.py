"""The figures of a metric: scores with their intervals, and the significance matrix.

Each is one Vega-Lite specification, rendered once to SVG by vl-convert; PNG and PDF are made of that SVG, so that the
three show the same. Colours tell who is better, never which number is larger, and stars repeat what they say. The
palette (blue against orange, dark against light) can be told apart with any common colour blindness and in grey.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert

from mtsig import io
from mtsig.report import format as fmt
from mtsig.report.render import display_width
from mtsig.report.results import Comparison, MetricResult
from mtsig.report.tables import direction_words, level_words

__all__ = [
    "FORMATS",
    "PALETTE",
    "PAPER",
    "SCREEN",
    "Size",
    "figure_bytes",
    "interval_plot",
    "labels",
    "matrix_key",
    "save",
    "significance_matrix",
    "to_svg",
]

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

_PNG_SCALE = 2.0


@dataclass(frozen=True)
class Size:
    """How large a figure is.

    Attributes
    ----------
    font
        Size of its letters; in a PDF, in points.
    width
        Its whole width in the same unit, or None for as wide as is good on a screen.
    label
        The most characters of a system's name.
    titled
        Whether it has a heading of its own; in a paper the caption says that.
    """

    font: int = 11
    width: int | None = None
    label: int = 36
    titled: bool = True


SCREEN = Size()

#: Number of columns of a page that a figure of a paper spans, to its size in points.
PAPER = {1: Size(font=8, width=238, label=20, titled=False), 2: Size(font=8, width=490, label=30, titled=False)}


def labels(names: Iterable[str], limit: int = SCREEN.label) -> dict[str, str]:
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


def themed(chart: Any, font: int = SCREEN.font) -> Any:
    """A finished chart in the common look of all figures, with letters of one size."""
    return chart.configure(
        font=_FONT,
        background="white",
        padding=max(2, font - 3) if font >= SCREEN.font else 2,
        view=alt.ViewConfig(stroke=None),
        axis=alt.AxisConfig(
            labelColor=PALETTE["text"],
            titleColor=PALETTE["text"],
            labelFontSize=font,
            titleFontSize=font,
            titleFontWeight="normal",
            gridColor=PALETTE["grid"],
            domainColor=PALETTE["muted"],
            tickColor=PALETTE["muted"],
            labelLimit=400,
        ),
        title=alt.TitleConfig(
            anchor="start",
            frame="group",
            fontSize=font + 2,
            subtitleFontSize=font,
            subtitleColor=PALETTE["muted"],
            color=PALETTE["text"],
            offset=10,
        ),
        legend=alt.LegendConfig(labelFontSize=font, titleFontSize=font, titleFontWeight="normal", labelLimit=400),
    )


def _title(result: MetricResult) -> str:
    place = f"{result.testset} ({result.langpair})" if result.langpair else result.testset
    return f"{result.metric} on {place}"


def _text_width(texts: Iterable[str], font: int) -> float:
    """About how wide the longest of some texts is."""
    return 0.56 * font * max((display_width(text) for text in texts), default=0)


def _heading(result: MetricResult, subtitle: list[str], size: Size) -> Any:
    return alt.TitleParams(_title(result), subtitle=subtitle) if size.titled else alt.Undefined


def interval_plot(result: MetricResult, *, size: Size = SCREEN) -> Any:
    """Scores of all systems with their confidence intervals, best at the top.

    Parameters
    ----------
    result
        The metric's rows.
    size
        How large the figure is to be.

    Returns
    -------
    altair.LayerChart
    """
    names = labels(result.names, size.label)
    places = result.score_decimals
    few = len(names) <= 40
    step, font = (2 * size.font, size.font) if few else (size.font + 4, size.font - 2)
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
    bounds = [row[key] for row in rows for key in ("score", "low", "high") if row[key] is not None] or [0.0, 1.0]
    low, high = min(bounds), max(bounds)
    margin = 0.04 * (high - low) or max(abs(high) * 0.01, 0.5)
    # The numbers stand in a column of their own, at the right of the plot.
    number_width = size.font * (0.7 + 0.64 * max(len(row["label"]) for row in rows))
    width: float = 340
    if size.width is not None:
        width = max(size.width - _text_width(names.values(), font) - number_width - 2 * size.font, 60)
    y = alt.Y(
        "system:N",
        sort=list(names.values()),
        title=None,
        axis=alt.Axis(domain=False, ticks=False, labelFontSize=font, grid=True, labelPadding=6),
    )
    title = f"{result.metric} ({direction_words(result)}), with {level_words(result)} intervals"
    horizontal: dict[str, Any] = {
        "title": title if size.titled else f"{result.metric} ({direction_words(result)})",
        "scale": alt.Scale(domain=[low - margin, high + margin], zero=False, nice=False),
        "axis": alt.Axis(grid=False, tickCount=max(2, min(6, int(width / (4 * font))))),
    }
    base = alt.Chart(inline(rows)).encode(y=y)
    whiskers = (
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=0.23 * size.font, color=PALETTE["better"], strokeCap="round")
        .encode(x=alt.X("low:Q", **horizontal), x2="high:Q")
    )
    points = (
        base.transform_filter("isValid(datum.score)")
        .mark_point(filled=True, size=4 * font, opacity=1, color=PALETTE["better_strong"])
        .encode(x=alt.X("score:Q", **horizontal))
    )
    numbers = base.mark_text(align="right", fontSize=font, color=PALETTE["text"], dx=number_width).encode(
        x=alt.value("width"), text="label:N"
    )
    layers = [whiskers, points, numbers]
    breaks = [i for i in range(1, len(rows)) if rows[i]["cluster"] != rows[i - 1]["cluster"]]
    if breaks:
        layers.insert(0, _cluster_lines(breaks, step))
    heading = _heading(result, _interval_subtitle(result, bool(breaks)), size)
    # A height in steps would not hold beside lines whose place is not a system's.
    return alt.layer(*layers, width=width, height=step * len(rows), title=heading)


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
    lines = [f"{size}, {fmt.count(result.setting('n_resamples'))} resamples of {result.drawn}"]
    if clusters:
        lines.append("Dashed lines: all systems above are significantly better than all below")
    return lines


def matrix_key(result: MetricResult) -> dict[str, str]:
    """The colour classes of the matrix's cells in words, in the order of a legend."""
    strong = "" if not result.pairs else f", p < {fmt.star_levels(result.setting('alpha'))[1]:g}"
    return {
        "better_strong": f"row better{strong}",
        "better": "row better",
        "none": "not significant",
        "worse": "column better",
        "worse_strong": f"column better{strong}",
    }


def evidence(comparison: Comparison | None) -> str:
    """The colour class of a cell of the matrix, a key of `PALETTE`."""
    if comparison is None:
        return "blank"
    if not comparison.favours:
        return "none"
    side = "better" if comparison.favours > 0 else "worse"
    return side + ("_strong" if comparison.stars == "**" else "")


def significance_matrix(result: MetricResult, *, size: Size = SCREEN) -> Any:
    """All pairs of systems as a matrix: who is significantly better, with stars, and the difference where it fits.

    Parameters
    ----------
    result
        The metric's rows.
    size
        How large the figure is to be.

    Returns
    -------
    altair.LayerChart
        Systems from best to worst, from the top and from the left. The more systems, the smaller the cells: on a
        screen, up to 14 systems a cell holds the difference and its stars, up to 40 the stars; beyond that colours
        alone speak.
    """
    names = labels(result.names, size.label)
    order = list(names.values())
    number = len(order)
    step: float = 4.6 * size.font if number <= 14 else 1.9 * size.font if number <= 40 else size.font
    if size.width is not None:
        step = max(min(step, (size.width - _text_width(order, size.font) - 2 * size.font) / number), 4)
    detailed, starred = step >= 3.6 * size.font, step >= 1.3 * size.font
    font = min(size.font, max(3, int(0.9 * step)))
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
    key = matrix_key(result)
    shown = [kind for kind in key if any(cell["kind"] == kind for cell in cells)]
    x_axis = alt.Axis(
        orient="top",
        labelAngle=-60 if starred else -90,
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
            columns=3 if size.width is None or size.width > 300 else 2,
            values=shown,
            symbolType="square",
            symbolSize=12 * size.font,
            symbolStrokeColor=PALETTE["muted"],
            symbolStrokeWidth=0.5,
            labelExpr=_label_expression({kind: key[kind] for kind in shown}),
        ),
    )
    layers = [base.mark_rect(aria=False, stroke="white", strokeWidth=1 if starred else 0.5).encode(color=colour)]
    ink = alt.condition(
        "datum.kind == 'better_strong' || datum.kind == 'worse_strong'", alt.value("white"), alt.value(PALETTE["text"])
    )
    if detailed:
        layers.append(base.mark_text(aria=False, fontSize=font, dy=-0.2 * font).encode(text="text:N", color=ink))
        layers.append(base.mark_text(aria=False, fontSize=font + 1, dy=1.3 * font).encode(text="stars:N", color=ink))
    elif starred:
        layers.append(base.mark_text(aria=False, fontSize=font, dy=0.3 * font).encode(text="text:N", color=ink))
    heading = _heading(result, _matrix_subtitle(result, detailed=detailed, starred=starred), size)
    return alt.layer(*layers, width=alt.Step(step), height=alt.Step(step), title=heading)


def _label_expression(key: Mapping[str, str]) -> str:
    """A Vega expression from a colour class to its words in the legend."""
    cases = "".join(f"datum.label == '{kind}' ? '{words}' : " for kind, words in key.items())
    return f"{cases}''"


def _matrix_subtitle(result: MetricResult, *, detailed: bool, starred: bool) -> list[str]:
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
        alpha = result.setting("alpha")
        lines.append(fmt.star_words(alpha) if starred else f"Dark: p < {fmt.star_levels(alpha)[1]:g}")
    return lines


def to_svg(chart: Any, *, font: int = SCREEN.font) -> str:
    """Render a chart to SVG, with letters of this size on axes and in legends."""
    specification = themed(chart, font).to_dict()
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


def save(chart: Any, paths: Iterable[str | os.PathLike[str]], *, font: int = SCREEN.font) -> None:
    """Write one chart to files whose suffixes say the format (svg, png, pdf).

    Parameters
    ----------
    chart
        An Altair chart without configuration of its own.
    paths
        The files.
    font
        Size of the letters on axes and in legends.
    """
    svg = to_svg(chart, font=font)
    for path in map(Path, paths):
        with io.atomic(path) as temporary:
            temporary.write_bytes(figure_bytes(svg, path.suffix))
