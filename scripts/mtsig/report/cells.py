"""What the pages of studies share: one cell of a study after the other, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import altair as alt

from mtsig.contracts import FLAGS
from mtsig.report import format as fmt
from mtsig.report.figures import inline

__all__ = [
    "MOST_CELLS",
    "SWEPT",
    "Row",
    "cells",
    "flag_notes",
    "grouped",
    "metric_name",
    "page",
    "place",
    "shown_cells",
    "swept",
    "whole_percent",
]

Row = Mapping[str, Any]

#: The settings of draws, which may be swept.
SWEPT = ("seed", "n_resamples")

#: Figures show the first so many cells; tables show all.
MOST_CELLS = 6

#: Metrics that have a name of their own in print.
_NAMES = {
    "chrf": "chrF",
    "chrf++": "chrF++",
    **{name: name.upper() for name in ("bleu", "ter", "nist", "wer", "cer", "gtm", "comet")},
}


def metric_name(metric: str) -> str:
    """A metric as it is called in a sentence.

    Examples
    --------
    >>> metric_name("bleu"), metric_name("my_metric")
    ('BLEU', 'my_metric')
    """
    return _NAMES.get(metric, metric)


def grouped(rows: Iterable[Row], keys: Sequence[str]) -> Iterator[tuple[Row, list[Row]]]:
    """Rows with the same values of `keys`, in the order of their first occurrence."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    for values, members in groups.items():
        yield dict(zip(keys, values, strict=True)), members


def place(key: Row) -> str:
    """Where the numbers of a row come from.

    Examples
    --------
    >>> place({"testset": "wmt23", "langpair": "en-de", "domain": "news"})
    'wmt23 (en-de, domain news)'
    """
    domain = f", domain {key['domain']}" if key.get("domain") else ""
    return f"{key['testset']} ({key['langpair']}{domain})"


def swept(key: Row, rows: Sequence[Row]) -> str:
    """The settings of draws in words, to be appended: those that vary among the rows of a study.

    Examples
    --------
    >>> rows = [{"seed": 1, "n_resamples": 1000}, {"seed": 2, "n_resamples": 1000}]
    >>> swept(rows[1], rows)
    ', seed 2'
    """
    words = {"seed": f"seed {key['seed']}", "n_resamples": f"{fmt.count(key['n_resamples'])} resamples"}
    return "".join(f", {words[name]}" for name in SWEPT if len({row[name] for row in rows}) > 1)


def cells(rows: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    """The rows of each cell of a study, and the cell in words: what is swept is named only where it varies."""
    for key, members in grouped(rows, ("testset", "langpair", "metric", *SWEPT)):
        yield f"{metric_name(key['metric'])} on {place(key)}{swept(key, rows)}", members


def shown_cells(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    """The cells that figures show."""
    return list(cells(rows))[:MOST_CELLS]


def flag_notes(rows: Iterable[Row]) -> tuple[str, ...]:
    """What the flags of some rows mean."""
    found = sorted({flag for row in rows for flag in row["flags"]})
    return tuple(f"{flag}: {FLAGS[flag]}." for flag in found)


def whole_percent(value: float | None) -> str:
    """A percentage without decimals, as the paper writes it; nothing where it is undefined.

    Neither certainty nor impossibility comes out of rounding.

    Examples
    --------
    >>> whole_percent(98.4), whole_percent(0.0), whole_percent(0.3), whole_percent(99.99), whole_percent(None)
    ('98%', '0%', '0.3%', '> 99.9%', '')
    """
    if value is None:
        return ""
    if value in (0, 100) or 0.5 <= value < 99.5:
        return f"{value:.0f}%"
    return "< 0.1%" if value < 0.05 else "> 99.9%" if value >= 99.95 else f"{value:.1f}%"


def page(panels: Sequence[Any], *, columns: int, title: str, subtitle: Sequence[str], note: str = "") -> Any:
    """Panels under one heading, or a line that says why there are none.

    Parameters
    ----------
    panels
        The charts.
    columns
        How many stand side by side.
    title, subtitle
        The heading and its lines.
    note
        What stands in the place of panels where there are none.
    """
    if not panels:
        empty = alt.Chart(inline([{"text": note}])).mark_text(align="left").encode(text="text:N")
        panels = [empty.properties(width=300, height=40)]
    heading = alt.TitleParams(title, subtitle=list(subtitle))
    return alt.concat(*panels, columns=columns, spacing=24).properties(title=heading)
