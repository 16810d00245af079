"""What commands print: tables for people, strict JSON for programs, both from the same rows."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from mtsig.report.results import MetricResult

__all__ = ["SCHEMA_VERSION", "print_json", "print_results"]

SCHEMA_VERSION = 1


def print_json(**content: Any) -> None:
    """Print one JSON document with its schema version; NaN and infinities cannot occur in it."""
    typer.echo(
        jsonlib.dumps({"schema_version": SCHEMA_VERSION, **content}, ensure_ascii=False, allow_nan=False, indent=1)
    )


def print_results(results: Sequence[MetricResult], *, json: bool) -> None:
    """Print scores and comparisons: rows of the systems and pairs tables as JSON, or the main columns as tables."""
    if json:
        print_json(
            systems=[dict(row) for result in results for row in result.systems],
            pairs=[dict(row) for result in results for row in result.pairs],
        )
        return
    from rich.console import Console

    from mtsig.report.words import headline

    console = Console(highlight=False, markup=False)
    for result in results:
        console.print(_systems(result))
        if result.pairs:
            console.print(_pairs(result))
        console.print(f"{result.metric}: {headline(result)}\n")


def _systems(result: MetricResult) -> Table:
    from mtsig.report import format as fmt
    from mtsig.report.tables import direction_words

    places = result.score_decimals
    table = _table(f"{result.metric} ({direction_words(result)})")
    table.add_column("System", overflow="fold")
    for title in ("Score", f"{100 * result.setting('confidence_level'):g} % interval", "Rank range", "Segments"):
        table.add_column(title, justify="right", no_wrap=True)
    for row in result.systems:
        ranks = "" if row["rank_low"] is None else fmt.rank(row["rank_low"], row["rank_high"])
        table.add_row(
            _plain(row["system"]),
            fmt.number(row["score"], places),
            fmt.interval(row["ci_low"], row["ci_high"], places),
            ranks,
            fmt.count(row["n_segments"]),
        )
    return table


def _pairs(result: MetricResult) -> Table:
    from mtsig.report import format as fmt
    from mtsig.report.results import deciding_p

    resamples = fmt.count(result.setting("n_resamples"))
    table = _table(
        f"Significance tests (paired bootstrap, n = {resamples}, α = {result.setting('alpha'):g}; "
        "AR: approximate randomization)"
    )
    table.add_column("A", overflow="fold")
    table.add_column("B", overflow="fold")
    for title in ("A - B", "Interval", "p", "p (AR)"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("Better", overflow="fold")
    for row in result.pairs:
        places = result.decimals_of(row)
        p = deciding_p(row)
        table.add_row(
            _plain(row["system_a"]),
            _plain(row["system_b"]),
            fmt.number(row["delta"], places, signed=True),
            fmt.interval(row["ci_low"], row["ci_high"], places, signed=True),
            fmt.p_value(p, alpha=row["alpha"]),
            fmt.p_value(row["p_ar"], alpha=row["alpha"]),
            f"{_plain(row['winner'])} {fmt.stars(row['significant'], p)}" if row["winner"] else "",
        )
    return table


def _table(title: str) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    return Table(title=Text(title), title_justify="left", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)


def _plain(name: str) -> str:
    from mtsig.report.render import printable

    return printable(name)
