"""``mtsig grid``: the bitext grid of one segment, which shows precision and recall to the eye."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mtsig.cli import options
from mtsig.cli.texts import STDIN, UNKNOWN_LANGPAIR, is_file, is_sgm
from mtsig.errors import ConfigError, InputError, MtsigError

if TYPE_CHECKING:
    from mtsig.metrics.bitext import BitextGrid

__all__ = ["grid"]

# A grid of more columns than this does not fit on a terminal.
_MOST_COLUMNS = 60
_HIT, _CHOSEN, _EMPTY = "o", "●", "·"


def grid(
    context: typer.Context,
    hypothesis: Annotated[
        str, typer.Argument(help="File with outputs, or a text of several words; - for standard input.")
    ],
    references: Annotated[list[str], typer.Argument(help="One or more references, in the same form.")],
    segment: Annotated[int, typer.Option("--segment", min=1, help="Which line of the files; 1 is the first.")] = 1,
    text: Annotated[bool, typer.Option("--text", help="All arguments are texts, even those of one word.")] = False,
    tokenize: Annotated[
        str, typer.Option("--tokenize", help="sacreBLEU's tokenizer, as 13a or zh; none splits at whitespace.")
    ] = "none",
    lowercase: Annotated[bool, typer.Option("--lowercase", help="Ignore case.")] = False,
    exponent: Annotated[
        float, typer.Option("--exponent", min=1.0, help="GTM's exponent: with 1 the order of words does not matter.")
    ] = 1.0,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Figure: .svg, .png or .pdf.")] = None,
    json: options.Json = False,
) -> None:
    """Draw the bitext grid of a segment, with the runs of words that GTM matches (Turian, Shen and Melamed 2003).

    Words of the references run to the right, those of the hypothesis upward; equal words are hits (o), and chosen ones
    are filled.
    """
    import numpy as np

    from mtsig.cli.output import check_figure, print_json, save_figure, say
    from mtsig.metrics.bitext import bitext_grid
    from mtsig.metrics.catalog import check
    from mtsig.metrics.gtm import MEASURES, GeneralTextMatcher
    from mtsig.metrics.tokens import word_splitter
    from mtsig.report import format as fmt

    check_figure(output)
    if not exponent < np.inf:
        raise ConfigError(f"--exponent: {exponent} is no finite number from 1.")
    if text:
        options.refuse(context, ["segment"], "--text gives texts, which have no lines to choose from")
    elif [hypothesis, *references].count(STDIN) > 1:
        raise ConfigError("-: the standard input can be read only once; give the other texts as files.")
    try:
        check("grid", {"kind": "gtm", "tokenize": tokenize}, UNKNOWN_LANGPAIR)
    except MtsigError as error:
        raise type(error)(
            str(error).replace("metrics.grid.tokenize", "--tokenize").replace("metrics.grid", "grid")
        ) from None
    split = word_splitter(tokenize, lowercase=lowercase)
    first, *others = (
        " ".join(split(argument if text else _text(argument, segment))) for argument in (hypothesis, *references)
    )
    drawn = bitext_grid(first, others)
    size = drawn.matching_size(exponent)
    sums = np.array([size, len(drawn.hypothesis), sum(map(len, drawn.references)) / len(drawn.references)])
    measures = {
        measure: float(GeneralTextMatcher(key="gtm", exponent=exponent, measure=measure).corpus_scores(sums))
        for measure in MEASURES
    }
    if output is not None:
        from mtsig.report.grid import grid_figure

        save_figure(grid_figure(drawn, exponent=exponent), output)
    if json:
        print_json(
            "grid",
            hypothesis=list(drawn.hypothesis),
            references=[list(words) for words in drawn.references],
            hits=[list(cell) for cell in drawn.hits],
            runs=[vars(run) for run in drawn.runs],
            exponent=exponent,
            matching_size=size,
            **measures,
        )
        return
    for line in _lines(drawn):
        say(line)
    runs = ", ".join(f"{run.length:g}" for run in drawn.runs) or "none"
    say(f"Runs: {runs}; matching of size {fmt.significant(size)} (exponent {exponent:g}).")
    say("  ".join(f"{name} {fmt.number(value, 3)}" for name, value in measures.items()))


def _text(argument: str, segment: int) -> str:
    """The text that an argument stands for: a line of a file, or the argument itself where it has several words."""
    from mtsig.corpus.textfiles import decode, read_lines

    if argument == STDIN:
        lines, name = decode(sys.stdin.buffer.read(), "stdin").lines(), "stdin"
    elif is_sgm(argument):
        raise InputError(f"{argument}: is SGML, which has no segment a line. Give the texts themselves, with --text.")
    elif is_file(argument):
        lines, name = read_lines(argument), argument
    elif len(argument.split()) > 1:
        return argument
    else:
        raise InputError(f"{argument}: there is no such file. With --text the arguments are texts.")
    if segment > len(lines):
        raise ConfigError(f"--segment: {name} has {len(lines)} lines, so there is no line {segment}.")
    return lines[segment - 1]


def _lines(grid: BitextGrid) -> list[str]:
    """The grid as text, the last word of the hypothesis on top."""
    from mtsig.report.render import display_width

    width = sum(map(len, grid.references))
    if width > _MOST_COLUMNS:
        return [f"{width} words are too many for a grid of text; use --output for a figure.", ""]
    cells = [[_EMPTY] * width for _ in grid.hypothesis]
    for row, column in grid.hits:
        cells[row][column] = _HIT
    for run in grid.runs:
        # A run that the cap cuts in the middle of a word still shows that word.
        for step in range(int(-(-run.length // 1))):
            cells[run.hypothesis_start + step][run.reference_start + step] = _CHOSEN
    margin = max(map(display_width, grid.hypothesis), default=0)
    lines = [
        " " * (margin - display_width(word)) + f"{word}  {' '.join(row)}"
        for word, row in zip(reversed(grid.hypothesis), reversed(cells), strict=True)
    ]
    words = [word for reference in grid.references for word in reference]
    # The words of the references stand below their columns, from top to bottom.
    for depth in range(max(map(len, words), default=0)):
        letters = " ".join(word[depth] if depth < len(word) else " " for word in words)
        lines.append((" " * (margin + 2) + letters).rstrip())
    return [*lines, ""]
