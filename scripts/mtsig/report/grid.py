"""The bitext grid as a figure: how GTM's precision and recall can be read with the eye (Turian, Shen and Melamed 2003).

References stand along the horizontal axis, the hypothesis goes upward from the origin. Every equal pair of words is a
hit; the chosen runs are joined. The words of the hypothesis in chosen runs, out of all its words, are the precision;
those of the references, out of their mean length, the recall.
"""

from __future__ import annotations

from typing import Any

import altair as alt

from mtsig.metrics.bitext import BitextGrid
from mtsig.report import format as fmt
from mtsig.report.figures import PALETTE, inline

__all__ = ["grid_figure"]

_LARGEST = 420
_MOST_LABELS = 60


def grid_figure(grid: BitextGrid, *, exponent: float = 1.0) -> Any:
    """Draw a bitext grid with the runs that GTM chooses.

    Parameters
    ----------
    grid
        From `mtsig.metrics.bitext.bitext_grid`.
    exponent
        For the scores in the title.

    Returns
    -------
    altair.LayerChart
    """
    width, height = sum(map(len, grid.references)), len(grid.hypothesis)
    step = max(3.0, min(22.0, _LARGEST / max(width, height, 1)))
    hits = inline([{"x": x + 0.5, "y": y + 0.5} for y, x in grid.hits])
    runs, cells = [], []
    for number, run in enumerate(grid.runs):
        count = int(-(-run.length // 1))
        for k in range(count):
            cell = {"x": run.reference_start + k + 0.5, "y": run.hypothesis_start + k + 0.5}
            cells.append(cell)
            runs.append({**cell, "run": number, "order": k})
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, max(width, 1)], nice=False), axis=None)
    y = alt.Y("y:Q", scale=alt.Scale(domain=[0, max(height, 1)], nice=False), axis=None)
    size = (0.62 * step) ** 2
    layers = [
        *_lines(grid, width, height, x, y),
        alt.Chart(hits).mark_point(filled=True, size=size, color=PALETTE["better"], opacity=1).encode(x=x, y=y),
        alt.Chart(inline(runs))
        .mark_line(strokeWidth=max(1.5, step / 6), color=PALETTE["better_strong"])
        .encode(x=x, y=y, detail="run:N", order="order:Q"),
        alt.Chart(inline(cells))
        .mark_point(filled=True, size=size, color=PALETTE["better_strong"], opacity=1)
        .encode(x=x, y=y),
        *_words(grid, width, height, x, y),
    ]
    chart = alt.layer(*layers, width=max(step * width, 40), height=max(step * height, 40))
    return chart.properties(title=alt.TitleParams("Bitext grid", subtitle=_scores(grid, exponent), offset=14))


def _scores(grid: BitextGrid, exponent: float) -> list[str]:
    """What the picture amounts to."""
    size = grid.matching_size(exponent)
    hypothesis = len(grid.hypothesis)
    reference = sum(map(len, grid.references)) / len(grid.references) if grid.references else 0.0
    precision = size / hypothesis if hypothesis else 0.0
    recall = size / reference if reference else 0.0
    both = hypothesis + reference
    lengths = ", ".join(f"{run.length:g}" for run in grid.runs) or "none"
    return [
        f"Runs of {lengths} words; matching of size {fmt.significant(size)} (exponent {exponent:g})",
        f"precision {fmt.number(precision, 3)}, recall {fmt.number(recall, 3)}, "
        f"F {fmt.number(2 * size / both if both else 0.0, 3)}",
    ]


def _lines(grid: BitextGrid, width: int, height: int, x: Any, y: Any) -> list[Any]:
    """Lines of the grid; heavier ones stand between references."""
    ends, at = {0, width}, 0
    for reference in grid.references:
        at += len(reference)
        ends.add(at)
    rows = [{"x": 0, "y": k, "x2": width, "y2": k, "edge": k in (0, height)} for k in range(height + 1)]
    columns = [{"x": k, "y": 0, "x2": k, "y2": height, "edge": k in ends} for k in range(width + 1)]
    base = alt.Chart(inline(rows + columns)).encode(x=x, y=y, x2="x2:Q", y2="y2:Q")
    return [
        base.transform_filter("!datum.edge").mark_rule(color=PALETTE["grid"], strokeWidth=0.7),
        base.transform_filter("datum.edge").mark_rule(color=PALETTE["muted"], strokeWidth=1.4),
    ]


def _words(grid: BitextGrid, width: int, height: int, x: Any, y: Any) -> list[Any]:
    """Words along both axes, as far as they can be read."""
    if max(width, height) > _MOST_LABELS:
        return []
    below = [word for reference in grid.references for word in reference]
    across = inline([{"x": k + 0.5, "y": 0, "word": word} for k, word in enumerate(below)])
    upward = inline([{"x": 0, "y": k + 0.5, "word": word} for k, word in enumerate(grid.hypothesis)])
    style: dict[str, Any] = {"fontSize": 11, "color": PALETTE["text"], "limit": 110}
    return [
        alt.Chart(across)
        .mark_text(angle=315, align="right", baseline="top", dx=2, dy=3, **style)
        .encode(x=x, y=y, text="word:N"),
        alt.Chart(upward).mark_text(align="right", baseline="middle", dx=-6, **style).encode(x=x, y=y, text="word:N"),
    ]
