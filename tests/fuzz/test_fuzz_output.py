"""Pages, tables and messages: names and texts are shown and never become markup, commands or formulas."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from html.parser import HTMLParser

from hostile import FORBIDDEN, HOSTILE, any_text, check_message, examples, name
from hypothesis import example, given
from hypothesis import strategies as st
from mtsig.errors import InputError
from mtsig.report import render
from mtsig.report.render import Column, Table, escape_latex
from mtsig.steps.report import page_part, report
from simulated_results import write_tree

#: Commands that the escaping itself writes.
LATEX = {"textbackslash", "textasciitilde", "textasciicircum", "textless", "textgreater", "textbar", "char", "ldots"}
LATEX |= {"Delta", "pm", "le", "ge", "approx", "alpha", "dagger", "ddagger", "uparrow", "downarrow", *"&%$#_{}"}


@examples(1)
@given(text=any_text)
def test_latex_gets_no_command(text):
    """Every command in the output is one that the escaping wrote; nothing opens a comment, math or a ^^ code."""
    escaped = escape_latex(text)
    assert set(re.findall(r"\\([A-Za-z]+|.)", escaped)) <= LATEX
    bare = re.sub(r"\\([A-Za-z]+|.)", "", escaped)
    assert not set(bare) & {"%", "#", "&", "_", "~", "^", "\\"}
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    assert "\n" not in escaped


@examples(1)
@given(texts=st.lists(any_text, min_size=1, max_size=3))
def test_csv_holds_the_very_texts(texts):
    """Formulas too: the file is data, exact and quoted, see SECURITY.md."""
    written = render.csv([{"system": text, "score": 0.5} for text in texts], ["system", "score"])
    rows = list(csv.reader(io.StringIO(written, newline="")))
    assert [row[0] for row in rows[1:]] == texts
    assert all(line.startswith('"') for line in re.split(r"(?<=0\.5)\n", written)[1:-1])


@examples(1)
@given(texts=st.lists(any_text, min_size=1, max_size=3), title=any_text)
def test_markdown_keeps_its_cells_and_has_no_links_or_tags(texts, title):
    table = Table(title, (Column("name"), Column.number("x")), tuple((text, "1") for text in texts))
    page = render.markdown([table], title=title)
    lines = [line for line in page.split("\n") if line.startswith("|")]
    assert len(lines) == len(texts) + 2
    plain = re.sub(r"\\.", "", page)
    assert {re.sub(r"\\.", "", line).count("|") for line in lines} == {3}
    assert not re.search(r"<[A-Za-z/!?]|\]\(|`", plain)


@examples(1)
@given(text=any_text)
def test_messages_hold_no_control_characters(text):
    check_message("e" + str(InputError(f"{text}: is wrong.")))


def test_messages_are_bearable():
    message = str(InputError("x" * 1_000_000 + ": is wrong."))
    check_message(message)
    assert message.endswith("is wrong.")


@examples(1)
@example(text="\u202egnp")
@given(text=name)
def test_cells_on_a_terminal_hold_no_control_characters(text):
    check_message("x" + render.printable(text)[:3000])


class _Skeleton(HTMLParser):
    """The tags of a page with the names of their attributes, the addresses, and the contents of scripts."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, ...]] = []
        self.addresses: list[str] = []
        self.data: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, *(key for key, _ in attributes)))
        addresses = ("href", "src", "action", "xlink:href", "formaction", "srcset")
        self.addresses += [value for key, value in attributes if key in addresses]

    def handle_endtag(self, tag):
        self.tags.append((f"/{tag}",))

    def handle_data(self, data):
        if self.tags and self.tags[-1][:3] == ("script", "type", "class"):
            self.data.append(data)


def _page(folder, systems, title):
    paths = write_tree(folder / "results" / "wmt23-en-de", systems, n_segments=20)
    part = folder / "page.json"
    whole = {kind: paths[kind][0] for kind in ("segments", "hypotheses", "lint")}
    tables = {kind: paths[kind] for kind in ("scores", "systems", "pairs", "groups")}
    page_part(**whole, **tables, notes=[], metrics=["bleu", "ter", "length_ratio"], part=part)
    report(
        parts=[part],
        suite_systems=[],
        suite_pairs=[],
        studies=[],
        settings={
            "seed": 1,
            "report": {"title": title},
            "testsets": {"wmt23-en-de": {"metrics": None, "source": title}},
            "metrics": {"bleu": {}, "ter": {}, "length_ratio": {}},
            "studies": {},
        },
        digests={"test sets": {title: "0" * 64}},
        report=folder / "report.html",
        provenance=folder / "provenance.json",
    )
    return _Skeleton((folder / "report.html").read_text(encoding="utf-8"))


def test_a_page_of_hostile_names_is_built_like_one_of_plain_names(tmp_path):
    """The same tags and attributes in the same order, no address but the page's own, no script that closes early."""
    hostile = [f"{i}{''.join(HOSTILE[i::4])}" for i in range(4)]
    hostile = ["".join(c for c in text if unicodedata.category(c) not in FORBIDDEN) for text in hostile]
    # As long as the hostile ones: long names are shortened, with the whole name as a title.
    plain = _page(tmp_path / "plain", [f"{i}" + "n" * (len(text) - 1) for i, text in enumerate(hostile)], "a title")
    found = _page(tmp_path / "hostile", hostile, hostile[0])
    assert len(plain.tags) > 300
    assert found.tags == plain.tags
    assert all(address.startswith(("#", "data:")) for address in found.addresses)
    assert len(found.data) == len(plain.data) > 0
    assert all(re.fullmatch(r"[A-Za-z0-9+/=\s]+", data) for data in found.data)
