"""What commands print: tables for people, strict JSON for programs, both from the same rows."""

from __future__ import annotations

import json as jsonlib
import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from mtsig.errors import ConfigError, InputError, visible

if TYPE_CHECKING:
    from mtsig.report.render import Table as ReportTable
    from mtsig.report.results import MetricResult

__all__ = [
    "SCHEMA_VERSION",
    "check_figure",
    "json_results",
    "print_json",
    "print_report_table",
    "print_results",
    "print_signature",
    "print_table",
    "save_figure",
    "say",
    "warn",
    "width",
]

#: Version of the layout of what `print_json` prints; ``output.schema.json`` beside this module describes it.
SCHEMA_VERSION = 1

# Columns of a table that is not printed on a terminal.
_WIDTH = 120


def print_json(command: str, **content: Any) -> None:
    """Print the one JSON document of a command; NaN and infinities cannot occur in it."""
    document = {"schema_version": SCHEMA_VERSION, "command": command, **content}
    unicode = "utf" in (sys.stdout.encoding or "").lower()
    typer.echo(jsonlib.dumps(document, ensure_ascii=not unicode, allow_nan=False, indent=1))


def say(text: str = "") -> None:
    """Print lines, in which nothing but tabs moves the cursor, whatever names they hold."""
    typer.echo(visible(text, keep="\n\t"))


def warn(messages: Iterable[str]) -> None:
    """Print warnings beside the results."""
    for message in messages:
        typer.echo(f"warning: {_plain(message)}", err=True)


def print_table(
    columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[str]], *, title: str | None = None, indent: int = 0
) -> None:
    """Print a table.

    Parameters
    ----------
    columns
        Heading and alignment (``left`` or ``right``). Columns that are aligned to the right hold numbers and never
        wrap.
    rows
        Cells.
    title
        A line above the table.
    indent
        Blanks before every line.
    """
    from rich import box
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading, align in columns:
        if align == "right":
            table.add_column(Text(heading), justify="right", no_wrap=True)
        else:
            table.add_column(Text(heading), overflow="fold")
    for row in rows:
        table.add_row(*(Text(_plain(cell)) for cell in row))
    if title:
        say(" " * indent + title)
    Console(width=width(), highlight=False, markup=False).print(Padding(table, (0, 0, 0, indent), expand=False))


def print_report_table(table: ReportTable) -> None:
    """Print a table that the report layer made, with its notes and without its empty columns."""
    used = [number for number, _ in enumerate(table.columns) if any(row[number] for row in table.rows)]
    columns = [(table.columns[n].title, "left" if table.columns[n].align == "left" else "right") for n in used]
    print_table(columns, ([row[n] for n in used] for row in table.rows), title=_plain(table.title))
    for note in table.notes:
        say(_plain(note))


def check_figure(path: Path | None) -> None:
    """Refuse a kind of figure that cannot be made, before any work is done.

    Raises
    ------
    ConfigError
        If the file's suffix is none of svg, png and pdf.
    """
    if path is not None and path.suffix not in (".svg", ".png", ".pdf"):
        raise ConfigError(f"{path}: a figure is written as svg, png or pdf; give the file one of these endings.")


def save_figure(chart: Any, path: Path) -> None:
    """Write a figure.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    from mtsig.report.figures import save

    try:
        save(chart, [path])
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror}).") from None


def width() -> int:
    """Columns to print in: those of the terminal, or enough for a table where there is none."""
    if sys.stdout.isatty() or "COLUMNS" in os.environ:
        return shutil.get_terminal_size().columns
    return _WIDTH


def print_results(command: str, results: Sequence[MetricResult], *, json: bool, koehn: bool = False) -> None:
    """Print scores and comparisons: rows of the systems and pairs tables as JSON, or the main columns as tables.

    With `koehn` tables of pairs show the shares of resamples won, and Koehn's verdict.
    """
    if json:
        print_json(command, **json_results(results))
        return
    from mtsig.report.tables import flag_words, how_tested
    from mtsig.report.verdicts import agreement, headline

    for number, result in enumerate(results):
        if number:
            say()
        _print_systems(result)
        if result.pairs:
            say()
            _print_pairs(result, koehn=koehn)
            say(how_tested(result))
        print_signature(result.systems[0]["signature"])
        if result.pairs:
            say(_plain(f"Comparison: {result.comparison_signature}"))
        say()
        for words in flag_words((*result.systems, *result.pairs)):
            say(_plain(words))
        say(_plain(f"{result.metric}: {headline(result).sentence}"))
    if together := agreement(results):
        say()
        say(_plain(together))


def json_results(results: Sequence[MetricResult]) -> dict[str, Any]:
    """Systems, pairs and verdicts as JSON has them."""
    from mtsig.report.verdicts import headline_rows, judged_rows

    return {
        "systems": [dict(row) for result in results for row in result.systems],
        "pairs": [row for result in results for row in judged_rows(result)],
        "verdicts": headline_rows(results),
    }


def print_signature(signature: str) -> None:
    """Print what makes scores comparable; scores from files have no signature."""
    if signature:
        say(_plain(f"Signature: {signature}"))


def _print_systems(result: MetricResult) -> None:
    from mtsig.report import format as fmt
    from mtsig.report.tables import direction_words

    places = result.score_decimals
    level = f"{100 * result.setting('confidence_level'):g} % interval"
    print_table(
        [("System", "left"), *((title, "right") for title in ("Score", level, "Rank range", "Segments"))],
        (
            (
                row["system"],
                fmt.number(row["score"], places),
                fmt.interval(row["ci_low"], row["ci_high"], places),
                "" if row["rank_low"] is None else fmt.rank(row["rank_low"], row["rank_high"]),
                fmt.count(row["n_segments"]),
            )
            for row in result.systems
        ),
        title=f"{result.metric} ({direction_words(result)}{_drawn(result, '; resampled by ')})",
    )


def _print_pairs(result: MetricResult, *, koehn: bool) -> None:
    from mtsig.report import format as fmt
    from mtsig.report.results import deciding, koehn_words, p_words

    def shares(row: Any) -> Sequence[str]:
        if row["koehn_a"] is None or not koehn:
            return ("", "", "") if koehn else ()
        return (fmt.percent(row["koehn_a"]), fmt.percent(row["koehn_b"]), koehn_words(row))

    def cells(row: Any) -> Sequence[str]:
        places, p = result.decimals_of(row), row[deciding(row)]
        return (
            row["system_a"],
            row["system_b"],
            fmt.number(row["delta"], places, signed=True),
            fmt.interval(row["ci_low"], row["ci_high"], places, signed=True),
            p_words(row, deciding(row)),
            p_words(row, "p_ar"),
            f"{row['winner']} {fmt.stars(row['significant'], p, alpha=row['alpha'])}" if row["winner"] else "",
            *shares(row),
        )

    p_title = "p" if result.setting("adjust") == "none" else "p adjusted"
    print_table(
        [
            ("A", "left"),
            ("B", "left"),
            *((title, "right") for title in ("A - B", "Interval", p_title, "p (AR)")),
            ("Better", "left"),
            *([("A wins", "right"), ("B wins", "right"), ("Koehn (2004)", "left")] if koehn else []),
        ],
        map(cells, result.pairs),
        title=(
            f"Significance tests (paired bootstrap{_drawn(result, ' of ')}, n={result.setting('n_resamples')}, "
            f"α={result.setting('alpha'):g}, seed={result.setting('seed')}; "
            f"AR: approximate randomization, n={min(row['n_trials'] for row in result.pairs)})"
        ),
    )


def _drawn(result: MetricResult, before: str) -> str:
    """What was resampled, where it is not segments."""
    return "" if result.setting("resample_unit") == "segment" else f"{before}{result.drawn}"


def _plain(name: str) -> str:
    from mtsig.report.render import printable

    return printable(name)
