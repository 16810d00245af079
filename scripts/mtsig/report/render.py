"""Plain tables as text: GitHub Markdown, LaTeX (booktabs), CSV and JSON.

Names and texts are data: whatever characters they hold, they are shown literally and break nothing.

The CSV files hold raw values. Text is always quoted, so that ``NA``, ``007`` or a comma stay what they are; null is an
empty field without quotes, true and false are words, numbers have every digit of the double. Text is not altered to
keep spreadsheets from taking a leading ``=`` for a formula: a name must come out as it went in, so import such a file
with its text columns typed as text.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from mtsig.errors import CONTROLS

__all__ = [
    "SCHEMA_VERSION",
    "Column",
    "Table",
    "csv",
    "display_width",
    "escape_latex",
    "escape_markdown",
    "json_rows",
    "latex",
    "markdown",
    "printable",
]

#: Version of the layout of the JSON tables, ``{"schema_version": ..., "rows": [...]}``.
SCHEMA_VERSION = 1

#: Rows per LaTeX tabular: what fits on a page.
_PAGE_ROWS = 45

#: Cells wider than this do not widen their whole column in the Markdown source.
_WIDEST_PADDING = 45


@dataclass(frozen=True)
class Column:
    """A column of a table for reading.

    Attributes
    ----------
    title
        Its heading.
    align
        ``left`` for text, ``right`` or ``center`` for numbers.
    numeric
        Its cells are numbers written by `mtsig.report.format`: in LaTeX their signs are set in math.
    """

    title: str
    align: Literal["left", "right", "center"] = "left"
    numeric: bool = False

    @classmethod
    def number(cls, title: str) -> Column:
        """A right-aligned column of numbers."""
        return cls(title, "right", True)


@dataclass(frozen=True)
class Table:
    """A table for reading: cells are finished text.

    Attributes
    ----------
    title
        Its caption.
    columns, rows
        Each row has one cell per column.
    notes
        Sentences below the table.
    bold
        (row, column) positions of the cells in bold.
    rules
        Numbers of the rows above which a line is drawn.
    groups
        Headings above several columns: (title, number of columns) from the left; an empty title is no heading.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    bold: frozenset[tuple[int, int]] = field(default_factory=frozenset)
    rules: frozenset[int] = field(default_factory=frozenset)
    groups: tuple[tuple[str, int], ...] = ()

    def full_titles(self) -> list[str]:
        """Headings of the columns, each with that of its group."""
        above = [title for title, number in self.groups for _ in range(number)] or [""] * len(self.columns)
        return [
            f"{group}: {column.title}" if group else column.title
            for group, column in zip(above, self.columns, strict=True)
        ]


#: Runs of characters that would start or end markup: in GitHub's rules a star or underscore that nothing opened is
#: literal, an angle bracket opens a tag only before a letter, and an ampersand an entity only before one.
_MARKDOWN = re.compile(
    r"[\\`|~$]|\*+(?=[^\s*])|(?<![^\W_])_+|_+(?![^\W_])|<(?=[A-Za-z/!?])|&(?=[#A-Za-z])|(?<=\])\(|(?<=\])\["
)


def escape_markdown(text: str) -> str:
    r"""Text that GitHub Markdown shows literally, also inside a table.

    Only what would be taken for markup is escaped, so that the source stays readable: ``lab_a``, ``[0.1, 0.3]``,
    ``< 0.001`` and the stars after a number stand as they are.

    Examples
    --------
    >>> print(escape_markdown("a|b *c* <i> _d_"), escape_markdown("lab_a [1] < 2, 0.3**"))
    a\|b \*c* \<i> \_d\_ lab_a [1] < 2, 0.3**
    """
    return _MARKDOWN.sub(lambda match: re.sub(r"(.)", r"\\\1", match[0]), printable(text))


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"{\char34}",
    "…": r"\ldots{}",
    "−": "$-$",
    "Δ": r"$\Delta$",
    "±": r"$\pm$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "≈": r"$\approx$",
    "α": r"$\alpha$",
    "†": r"$\dagger$",
    "‡": r"$\ddagger$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    **{character: "\\" + character for character in "&%$#_{}"},
}


def escape_latex(text: str) -> str:
    r"""Text that LaTeX typesets literally.

    Examples
    --------
    >>> print(escape_latex(r"b_x&1%#{}~^\a"))
    b\_x\&1\%\#\{\}\textasciitilde{}\textasciicircum{}\textbackslash{}a
    """
    escaped = "".join(_LATEX.get(character, character) for character in printable(text))
    # Fonts join these pairs into dashes and quotation marks. An opening bracket at the start of a row would be taken
    # for the argument of the \\ before it.
    return re.sub(r"([-'`,?!<>])(?=[-'`,<>])", r"\1{}", escaped).replace("[", "{[}")


_REPLACED = dict.fromkeys(CONTROLS, "\N{REPLACEMENT CHARACTER}")


def printable(text: str) -> str:
    """`text` with a visible replacement for each of `mtsig.errors.CONTROLS`, so that it keeps to its line and cell."""
    return text.translate(_REPLACED)


def display_width(text: str) -> int:
    """Columns that `text` takes on a terminal."""
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


def _pad(text: str, width: int, align: str) -> str:
    space = max(width - display_width(text), 0)
    before = {"left": 0, "right": space, "center": space // 2}[align]
    return " " * before + text + " " * (space - before)


def markdown(tables: Iterable[Table], *, title: str) -> str:
    """A Markdown page of `tables` under one heading.

    Parameters
    ----------
    tables
        The tables, each of which gets a heading, its rows and its notes.
    title
        The page's heading.
    """
    parts = [f"# {escape_markdown(title)}"]
    for table in tables:
        parts.append(f"## {escape_markdown(table.title)}")
        if table.rows:
            parts.append(_markdown_rows(table))
        parts += [f"{escape_markdown(note)}" for note in table.notes]
    return "\n\n".join(parts) + "\n"


def _markdown_rows(table: Table) -> str:
    cells = [[escape_markdown(title) for title in table.full_titles()]]
    for i, row in enumerate(table.rows):
        escaped = [escape_markdown(cell) for cell in row]
        cells.append([f"<b>{cell}</b>" if (i, j) in table.bold and cell else cell for j, cell in enumerate(escaped)])
    widths = [
        max(3, *(min(display_width(row[j]), _WIDEST_PADDING) for row in cells)) for j in range(len(table.columns))
    ]
    marks = {"left": ("-", "-"), "right": ("-", ":"), "center": (":", ":")}
    rule = []
    for column, width in zip(table.columns, widths, strict=True):
        first, last = marks[column.align]
        rule.append(first + "-" * (width - 2) + last)
    lines = [
        [_pad(cell, width, column.align) for cell, width, column in zip(row, widths, table.columns, strict=True)]
        for row in cells
    ]
    lines.insert(1, rule)
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def latex(tables: Iterable[Table], *, title: str) -> str:
    r"""`tables` as LaTeX tabulars that need nothing but the package booktabs.

    Long tables are split into tabulars of a page's length with the same heading.
    """
    parts = [f"% {printable(title)}\n% Needs \\usepackage{{booktabs}}; names in other scripts need LuaLaTeX."]
    for table in tables:
        parts.append(f"\\paragraph{{{escape_latex(table.title)}}}")
        for first in range(0, len(table.rows), _PAGE_ROWS):
            rows = tabular(table, first, first + _PAGE_ROWS)
            parts.append(
                f"{{\\par\\smallskip\\noindent\\footnotesize\\setlength{{\\tabcolsep}}{{3pt}}\n{rows}\n\\par}}"
            )
        parts += [f"\\par\\smallskip\\noindent{{\\footnotesize {escape_latex(note)}}}" for note in table.notes]
        parts.append("\\par\\bigskip")
    return "\n".join(parts) + "\n"


def tabular(table: Table, first: int = 0, last: int | None = None) -> str:
    """The rows from `first` to before `last` as one LaTeX tabular with booktabs rules."""
    numeric = [column.numeric for column in table.columns]
    lines = [
        f"\\begin{{tabular}}{{@{{}}{''.join(column.align[0] for column in table.columns)}@{{}}}}",
        "\\toprule",
        *_latex_groups(table),
        " & ".join(escape_latex(column.title) for column in table.columns) + " \\\\",
        "\\midrule",
    ]
    for i, row in enumerate(table.rows[first:last], start=first):
        if i in table.rules and i > first:
            lines.append("\\midrule")
        cells = [_latex_cell(cell, is_number) for cell, is_number in zip(row, numeric, strict=True)]
        cells = [f"\\textbf{{{cell}}}" if (i, j) in table.bold and cell else cell for j, cell in enumerate(cells)]
        lines.append(" & ".join(cells) + " \\\\")
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}"])


def _latex_groups(table: Table) -> list[str]:
    """The headings above several columns, with their rules."""
    if not table.groups:
        return []
    cells, rules, at = [], [], 1
    for title, number in table.groups:
        cells.append(f"\\multicolumn{{{number}}}{{c}}{{{escape_latex(title)}}}" if title else " & " * (number - 1))
        if title:
            rules.append(f"\\cmidrule(lr){{{at}-{at + number - 1}}}")
        at += number
    return [" & ".join(cells) + " \\\\", " ".join(rules)]


def _latex_cell(cell: str, numeric: bool) -> str:
    """A cell; in numeric columns signs stand in math, and stars hang out of the column to keep digits aligned."""
    if not numeric:
        return escape_latex(cell)
    value, mark = re.fullmatch(r"(.*?)([*†‡]*)", cell, flags=re.DOTALL).groups()  # type: ignore[union-attr]
    value = re.sub(r"(?<!\d)-(?=\d)", "\N{MINUS SIGN}", value)
    text = escape_latex(value).replace("\\textless{} ", "$<$\\,").replace("\\textgreater{} ", "$>$\\,")
    # A range of ranks reads better with the dash of ranges.
    text = re.sub(r"(?<=\d)-(?=\d)", "--", text)
    return text + (
        f"\\rlap{{$^{{{mark.replace('†', chr(92) + 'dagger').replace('‡', chr(92) + 'ddagger')}}}$}}" if mark else ""
    )


def csv(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> str:
    r"""Comma-separated values with one heading line and ``\n`` at line ends; see the module's text for the rules.

    Examples
    --------
    >>> row = {"system": 'a "b", c', "score": 0.1, "rank": None, "flags": ["x", "y"]}
    >>> print(csv([row], ["system", "score", "rank", "flags"]))
    system,score,rank,flags
    "a ""b"", c",0.1,,"x y"
    <BLANKLINE>
    """
    lines = [",".join(columns)]
    lines += [",".join(_csv_field(row[column]) for column in columns) for row in rows]
    return "\n".join(lines) + "\n"


def _csv_field(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    text = " ".join(value) if isinstance(value, list | tuple) else str(value)
    return '"' + text.replace('"', '""') + '"'


def json_rows(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """Strict JSON, ``{"schema_version": 1, "rows": [...]}``, one row a line, numbers as numbers, undefined as null.

    Examples
    --------
    >>> print(json_rows([{"system": "a", "score": 0.1, "rank": None}], ["system", "score", "rank"]))
    {"schema_version": 1, "rows": [
    {"system": "a", "score": 0.1, "rank": null}
    ]}
    <BLANKLINE>
    """
    lines = [
        json.dumps({column: row[column] for column in columns}, ensure_ascii=False, allow_nan=False) for row in rows
    ]
    body = "\n" + ",\n".join(lines) + "\n" if lines else ""
    return f'{{"schema_version": {SCHEMA_VERSION}, "rows": [{body}]}}\n'
