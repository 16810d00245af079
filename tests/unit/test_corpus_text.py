"""Plain text test sets: what is read, and what is refused."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from mtsig import EvaluationSet, read
from mtsig.corpus.alignment import suspicious_line
from mtsig.errors import ConfigError, InputError

LINES = [f"Sentence number {number} of this small test set." for number in range(1, 11)]
Make = Callable[..., dict[str, Any]]


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Write a test set and give its settings; every part can be replaced."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, lines: Sequence[str] | bytes) -> str:
        data = lines if isinstance(lines, bytes) else "".join(f"{line}\n" for line in lines).encode()
        Path(name).write_bytes(data)
        return name

    def build(**parts: Any) -> dict[str, Any]:
        systems = parts.pop("systems", {"A": LINES, "B": LINES})
        references = parts.pop("references", {"ref": LINES})
        documents = parts.pop("documents", None)
        return {
            "langpair": "de-en",
            "source": write("source.txt", parts.pop("source", LINES)),
            "references": {name: write(f"{name}.ref", lines) for name, lines in references.items()},
            "systems": {name: write(f"{row}.txt", lines) for row, (name, lines) in enumerate(systems.items())},
            **({"documents": write("documents.tsv", documents)} if documents is not None else {}),
            **parts,
        }

    return build


def test_everything_is_where_it_belongs(make: Make) -> None:
    """Ids are line numbers, systems come sorted, references in the given order."""
    evaluation = read("t", make(systems={"b": LINES, "a": LINES}, references={"z": LINES, "y": LINES}))
    assert evaluation.segment_ids == tuple(map(str, range(1, 11)))
    assert list(evaluation.systems) == ["a", "b"]
    assert list(evaluation.references) == ["z", "y"]
    assert evaluation.systems["a"] == evaluation.sources == tuple(LINES)
    assert evaluation.documents == (None,) * 10


def test_source_and_references_are_optional(make: Make) -> None:
    """A metric from files needs neither."""
    settings = make()
    del settings["source"], settings["references"]
    evaluation = read("t", settings)
    assert evaluation.sources == (None,) * 10
    assert evaluation.references == {}


class TestAlignment:
    def test_an_extra_blank_line_is_named(self, make: Make) -> None:
        """B34: 100 lines against 101, one of them blank in the middle."""
        lines = [f"Line {number} says something." for number in range(100)]
        extra = [*lines[:49], "", *lines[49:]]
        with pytest.raises(InputError, match=r"0\.txt has 101 lines, but source\.txt has 100.*line is 50: it is blank"):
            read("t", make(source=lines, references={"r": lines}, systems={"A": extra, "B": lines}))

    def test_a_missing_line_is_found(self, make: Make) -> None:
        """B34: 99 lines against 100; the message names the line at which the file leaves step."""
        lines = ["word " * (1 + 7 * number % 23) for number in range(100)]
        short = [*lines[:60], *lines[61:]]
        with pytest.raises(InputError, match=r"0\.txt has 99 lines, but source\.txt has 100.*suspicious line is 61"):
            read("t", make(source=lines, references={"r": lines}, systems={"A": short, "B": lines}))

    def test_a_truncated_reference_is_refused(self, make: Make) -> None:
        """B53: 4 of 10 lines."""
        with pytest.raises(InputError, match=r"r\.ref has 4 lines, but source\.txt has 10.*ends before it"):
            read("t", make(references={"r": LINES[:4]}))

    def test_the_source_may_be_the_odd_one_out(self, make: Make) -> None:
        """Where all others agree, the source is at fault."""
        with pytest.raises(InputError, match=r"source\.txt has 9 lines, but all 3 other files have 10"):
            read("t", make(source=LINES[1:]))

    def test_other_separators_do_not_count(self, make: Make) -> None:
        """B36: a file with every other separator in it has as many segments as line feeds."""
        odd = [f"a{separator}b" for separator in ("\u2028", "\x85", "\x0c", "\x1c", "\r")] + LINES[5:]
        windows = "".join(f"{line}\r\n" for line in LINES).encode()
        evaluation = read("t", make(systems={"A": odd, "B": windows}))
        assert evaluation.systems["A"] == tuple(odd)
        assert evaluation.systems["B"] == tuple(LINES)
        assert [(finding.code, finding.system) for finding in evaluation.findings] == [("windows_line_ends", "B")]

    def test_no_segments_is_an_error(self, make: Make) -> None:
        """B21: zero segments."""
        with pytest.raises(InputError, match="at least one segment"):
            read("t", make(source=[], references={"r": []}, systems={"A": []}))

    def test_lengths_tell_where_a_line_was_joined(self) -> None:
        """Two lines written as one: the break is where the lengths stop to fit."""
        lines = ["x" * (10 + 37 * number % 90) for number in range(60)]
        joined = [*lines[:30], lines[30] + lines[31], *lines[32:]]
        assert abs(suspicious_line(joined, lines) - 31) <= 1


class TestMissing:
    def test_empty_is_not_missing(self, make: Make) -> None:
        """B41, B43: a blank line is an empty text."""
        lines = [*LINES[:9], ""]
        evaluation = read("t", make(systems={"A": lines}, references={"r": lines}))
        assert evaluation.systems["A"][9] == evaluation.references["r"][9] == ""

    def test_a_text_may_stand_for_a_missing_one(self, make: Make) -> None:
        """B43: WMT fills the gaps of a reference with a sentence."""
        lines = [*LINES[:9], "NO TRANSLATION AVAILABLE"]
        evaluation = read("t", make(references={"r": lines}, missing_text="NO TRANSLATION AVAILABLE"))
        assert evaluation.references["r"][8:] == (LINES[8], None)

    @pytest.mark.parametrize("text", ["null", "NA", "None", "nan", "TRUE", "007", "1e5", "=SUM(A1)", '"quoted', "  x "])
    def test_text_is_never_read_as_anything_else(self, make: Make, text: str) -> None:
        """B40: no value stands for null, a number or a date."""
        assert read("t", make(systems={"A": [text] * 10})).systems["A"] == (text,) * 10


class TestDocuments:
    def test_domain_and_document(self, make: Make) -> None:
        """Two columns."""
        evaluation = read("t", make(documents=["news\td1"] * 5 + ["social\td1"] * 5))
        assert evaluation.domains == ("news",) * 5 + ("social",) * 5
        assert evaluation.documents == ("d1",) * 10

    def test_document_alone_and_gaps(self, make: Make) -> None:
        """B29: one column; a blank row is a segment without a document."""
        evaluation = read("t", make(documents=["d1"] * 9 + [""]))
        assert evaluation.domains == (None,) * 10
        assert evaluation.documents == ("d1",) * 9 + (None,)

    def test_ragged_rows_are_refused(self, make: Make) -> None:
        """The line is named."""
        with pytest.raises(InputError, match=r"documents\.tsv, line 3: has 1 fields, but line 1 has 2"):
            read("t", make(documents=["n\td", "n\td", "d"] + ["n\td"] * 7))

    def test_their_number_is_checked(self, make: Make) -> None:
        """As for every file."""
        with pytest.raises(InputError, match=r"documents\.tsv has 9 lines"):
            read("t", make(documents=["d"] * 9))


class TestNames:
    NAMES = (
        "a",
        "a.b",
        "org/model v1.2",
        "x y",
        "..",
        "c++",
        "-rf",
        "n" * 200,
        "100%",
        "A_vs_B",
        "B_vs_C",
        "日本語",
        "[x]",
    )

    def test_any_text_is_a_name(self, make: Make) -> None:
        """B55: names are data."""
        evaluation = read("t", make(systems=dict.fromkeys(self.NAMES, LINES)))
        assert sorted(self.NAMES) == list(evaluation.systems)

    def test_names_that_differ_in_case_are_two(self, make: Make) -> None:
        """B57: in columns of a table they cannot collide."""
        assert list(read("t", make(systems={"gpt-4": LINES, "GPT-4": LINES})).systems) == ["GPT-4", "gpt-4"]

    def test_names_equal_after_nfc_are_refused(self, make: Make) -> None:
        """B57: composed and decomposed."""
        with pytest.raises(InputError, match="occurs twice"):
            read("t", make(systems={"caf\u00e9": LINES, "cafe\u0301": LINES}))

    @pytest.mark.parametrize("name", [" ", "a\nb", "a\x00", "a\u2028b"])
    def test_unusable_names_are_refused(self, make: Make, name: str) -> None:
        """What cannot stand in a table row."""
        with pytest.raises(InputError, match=r"testsets\.t\.systems: the name"):
            read("t", make(systems={name: LINES}))

    def test_exclude_leaves_systems_out(self, make: Make) -> None:
        """A reference of the same name stays."""
        evaluation = read("t", make(systems={"A": LINES, "ref": LINES}, exclude=["ref"]))
        assert list(evaluation.systems) == ["A"]
        assert list(evaluation.references) == ["ref"]


def test_latin1_names_the_file(make: Make) -> None:
    """B50: also through the reader."""
    with pytest.raises(InputError, match=r"0\.txt, line 1: byte 4"):
        read("t", make(systems={"A": "caf\u00e9\n".encode("latin-1")}))


def test_an_unknown_format_is_refused() -> None:
    """The registry says so itself."""
    with pytest.raises(ConfigError, match="no format 'xls'"):
        read("t", {"format": "xls", "langpair": "de-en"})


def test_parts_of_different_length_cannot_be_put_together() -> None:
    """B45: the model refuses what a reader should not have let through."""
    with pytest.raises(ValueError, match="same length"):
        EvaluationSet("t", "de-en", ("1", "2"), (None,) * 2, (None,) * 2, ("a",) * 2, {}, {"A": ("x",)})


@pytest.mark.parametrize(
    ("part", "value"),
    [("sources", "abc"), ("segment_ids", "123"), ("references", {"ref": "abc"}), ("systems", {"A": "abc"})],
)
def test_a_text_is_no_sequence_of_texts(part: str, value: Any) -> None:
    """Each of its characters would be a segment."""
    nothing = (None,) * 3
    parts: dict[str, Any] = {
        "segment_ids": ("1", "2", "3"),
        "documents": nothing,
        "domains": nothing,
        "sources": nothing,
        "references": {},
        "systems": {},
        part: value,
    }
    with pytest.raises(TypeError, match=rf"^{part}.*: expected one text per segment, \(n_segments,\)"):
        EvaluationSet("t", "de-en", **parts)


def test_files_of_different_test_sets_are_called_so(make: Make) -> None:
    """Not the line at which they part, which they never walked together."""
    rng = random.Random(4)
    some, others = ([" ".join(["word"] * rng.randint(1, 40)) for _ in range(size)] for size in (300, 90))
    Path("reference.txt").write_text("\n".join(some) + "\n")
    Path("A.txt").write_text("\n".join(others) + "\n")
    settings = {"format": "text", "langpair": "de-en", "references": "reference.txt", "systems": {"A": "A.txt"}}
    with pytest.raises(InputError, match="They may belong to different test sets"):
        read("t", settings)
    Path("A.txt").write_text("\n".join([*some[:120], *some[121:]]) + "\n")
    with pytest.raises(InputError, match=r"The first suspicious line is 12[01]"):
        read("t", settings)
