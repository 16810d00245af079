"""The step `summary`: the main results as a compact table for the console."""

from __future__ import annotations

import io as streams
from collections.abc import Iterator, Sequence

from mtsig.io import StrPath
from mtsig.report import format as fmt
from mtsig.report.render import printable
from mtsig.report.results import MetricResult, read_results
from mtsig.report.verdicts import headline

__all__ = ["summary"]


#: More systems than this do not help on a console; the tables have them all.
_MOST_ROWS = 25
#: Longer names of systems are broken.
_WIDEST_NAME = 40
#: Blanks between two columns.
_GAP = 3
#: The setting `adjust` in few words.
_CORRECTIONS = {None: "", "none": "", "holm": ", Holm", "bh": ", Benjamini-Hochberg"}


def summary(*, systems: Sequence[StrPath], pairs: Sequence[StrPath], width: int = 120) -> str:
    """Scores with intervals and rank ranges per test set, and the outcome of each metric in words.

    Parameters
    ----------
    systems, pairs
        The Parquet tables of `resample` (or `suites`), one of each per test set and metric, in the order to be shown.
    width
        Columns of the terminal.

    Returns
    -------
    str
        Plain text, the same for the same results.

    Raises
    ------
    InputError
        If an input is damaged.
    """
    by_testset: dict[str, list[MetricResult]] = {}
    for result in read_results(systems, pairs):
        by_testset.setdefault(result.testset, []).append(result)
    return "\n".join(_testset(results, width) for results in by_testset.values())


def _testset(results: list[MetricResult], width: int) -> str:
    from rich import box
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    first = results[0]
    names = list(dict.fromkeys(name for result in results for name in result.names))
    place = f"{first.testset} ({first.langpair})" if first.langpair else first.testset
    systems = [printable(name) for name in names[:_MOST_ROWS]]
    columns = [(result.metric, [_cell(result, name) for name in names[:_MOST_ROWS]]) for result in results]
    stream = streams.StringIO()
    console = Console(file=stream, width=width, color_system=None, legacy_windows=False, highlight=False, markup=False)
    console.print(Text(place))
    own = min(max(map(cell_len, systems)), _WIDEST_NAME)
    for number, block in enumerate(_blocks(columns, width - max(own, len("system")))):
        if number:
            console.print()
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
        table.add_column("system", overflow="fold", max_width=_WIDEST_NAME, min_width=own)
        for metric, _ in block:
            table.add_column(Text(metric), justify="right", overflow="fold")
        for system, *cells in zip(systems, *(cells for _, cells in block), strict=True):
            table.add_row(Text(system), *map(Text, cells))
        console.print(table)
    if len(names) > _MOST_ROWS:
        console.print(Text(f"... and {len(names) - _MOST_ROWS} more systems; the tables have them all."))
    for result in results:
        console.print(Text(printable(f"{result.metric}: {headline(result).sentence}")))
    text = "\n".join(line.rstrip() for line in stream.getvalue().splitlines())
    return (
        f"{text}\n"
        f"Score, {100 * first.setting('confidence_level'):g} % interval, (rank range at alpha = "
        f"{first.setting('alpha'):g}{_CORRECTIONS[first.setting('adjust')]}); "
        f"{fmt.count(first.setting('n_resamples'))} resamples of {first.setting('resample_unit')}s, "
        f"seed {first.setting('seed')}.\n"
    )


def _blocks(columns: list[tuple[str, list[str]]], width: int) -> Iterator[list[tuple[str, list[str]]]]:
    """The metrics' columns in groups that fit into `width` side by side; at least one in each."""
    block: list[tuple[str, list[str]]] = []
    used = 0
    for metric, cells in columns:
        needed = _GAP + max(len(text) for text in (metric, *cells))
        if block and used + needed > width:
            yield block
            block, used = [], 0
        block.append((metric, cells))
        used += needed
    yield block


def _cell(result: MetricResult, name: str) -> str:
    row = next((row for row in result.systems if row["system"] == name), None)
    if row is None:
        return ""
    if row["score"] is None:
        return fmt.UNDEFINED
    places = result.score_decimals
    text = f"{fmt.number(row['score'], places)} {fmt.interval(row['ci_low'], row['ci_high'], places)}"
    return text if row["rank_low"] is None else f"{text} ({fmt.rank(row['rank_low'], row['rank_high'])})"
