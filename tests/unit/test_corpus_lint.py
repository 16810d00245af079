"""What the lint finds, and that it finds nothing where there is nothing."""

from __future__ import annotations

import dataclasses
import random
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mtsig import EvaluationSet, Finding, read
from mtsig.corpus.lint import DESCRIPTIONS, consequence_of, lint

N = 200
Texts = list[str | None]


def words(rng: random.Random, size: int) -> list[str]:
    """Different words of an invented language."""
    found: dict[str, None] = {}
    while len(found) < size:
        found["".join(rng.choice("bdfgklmnprst") + rng.choice("aeiou") for _ in range(rng.randint(1, 4)))] = None
    return list(found)


def clean(n_segments: int = N, n_systems: int = 3, seed: int = 7) -> EvaluationSet:
    """A test set without faults: systems replace a quarter of the reference's words, each in its own way."""
    rng = random.Random(seed)
    vocabulary = words(rng, 2000)

    def sentence() -> str:
        chosen = [rng.choice(vocabulary) for _ in range(rng.randint(8, 20))]
        return " ".join(chosen).capitalize() + "."

    references = [sentence() for _ in range(n_segments)]

    def translated(reference: str) -> str:
        return " ".join(word if rng.random() < 0.75 else rng.choice(vocabulary) for word in reference.split(" "))

    return EvaluationSet(
        "t",
        "de-en",
        tuple(map(str, range(1, n_segments + 1))),
        tuple(f"d{row // 10}" for row in range(n_segments)),
        (None,) * n_segments,
        tuple(sentence() for _ in range(n_segments)),
        {"ref": tuple(references)},
        {name: tuple(map(translated, references)) for name in "ABCDEFGHIJKLMNOPQRST"[:n_systems]},
    )


def changed(
    change: Callable[[Texts], Texts | None], part: str = "A", evaluation: EvaluationSet | None = None
) -> EvaluationSet:
    """A clean test set in which one column is changed."""
    evaluation = evaluation or clean()
    texts: Texts = list({"source": evaluation.sources, **evaluation.references, **evaluation.systems}[part])
    replaced = tuple(change(texts) or texts)
    if part == "source":
        return dataclasses.replace(evaluation, sources=replaced)
    if part in evaluation.references:
        return dataclasses.replace(evaluation, references={**evaluation.references, part: replaced})
    return dataclasses.replace(evaluation, systems={**evaluation.systems, part: replaced})


def placed(text: str | None, *rows: int) -> Callable[[Texts], None]:
    """Put a text on some segments."""

    def change(texts: Texts) -> None:
        for row in rows:
            texts[row] = text

    return change


def inserted(piece: str, *rows: int) -> Callable[[Texts], None]:
    """Put characters into the middle of some texts."""

    def change(texts: Texts) -> None:
        for row in rows:
            text = texts[row] or ""
            texts[row] = f"{text[:9]}{piece}{text[9:]}"

    return change


def codes(evaluation: EvaluationSet) -> list[tuple[str, str | None, int | None]]:
    return [(finding.code, finding.system, finding.segment) for finding in lint(evaluation)]


def test_a_clean_test_set_has_no_findings() -> None:
    """Quiet where nothing is wrong, with any number of systems and segments."""
    assert codes(clean()) == []
    assert codes(clean(n_segments=3, n_systems=1)) == []
    assert codes(clean(n_segments=1, n_systems=2)) == []


@pytest.mark.parametrize(("name", "called"), [("reference", "reference:"), ("refA", "reference refA:")])
def test_a_reference_is_called_so_once(name: str, called: str) -> None:
    evaluation = changed(inserted("\t", 5), "ref")
    evaluation = dataclasses.replace(evaluation, references={name: evaluation.references["ref"]})
    assert [finding.message.startswith(called) for finding in lint(evaluation)] == [True]


@pytest.mark.parametrize(
    ("change", "part", "expected"),
    [
        (inserted("\u2028", 3), "A", [("unusual_separators", "A", 3)]),
        (inserted("\x0c", 3, 9), "ref", [("unusual_separators", None, 3)]),
        (inserted("\r", 5), "source", [("unusual_separators", None, 5)]),
        (inserted("\x01", 5), "A", [("control_characters", "A", 5)]),
        (inserted("\ufffd", 5), "A", [("replacement_characters", "A", 5)]),
        (inserted("\t", 5), "source", [("tabs_inside", None, 5)]),
        (inserted("\ufeff", 0), "A", [("byte_order_mark", "A", 0)]),
        (placed("", 7), "A", [("blank_hypotheses", "A", 7)]),
        (placed("\u3000", 7), "A", [("blank_hypotheses", "A", 7)]),
        (placed("\u00a0 \t\u200b", 7), "A", [("blank_hypotheses", "A", 7), ("tabs_inside", "A", 7)]),
        (placed("", 7), "ref", [("blank_references", None, 7)]),
        (placed("", 7), "source", [("blank_sources", None, 7)]),
        (placed(None, 7), "A", [("missing_hypotheses", "A", 7)]),
        (placed(None, 7), "ref", [("missing_references", None, 7)]),
        (placed("canary GUID 1-2-3", 0), "source", [("canary_line", None, 0)]),
        (
            placed("NO TRANSLATION AVAILABLE", 2, 5),
            "source",
            [("no_translation_line", None, 2), ("duplicated_segments", None, 5)],
        ),
        (inserted("&quot;", 2), "A", [("escaped_text", "A", 2)]),
        (placed(f"I am sorry, {'I cannot help, ' * 4}no.", *range(0, 50, 9)), "A", [("repeated_hypothesis", "A", 0)]),
    ],
)
def test_one_fault_gives_one_finding(
    change: Callable[[Texts], None], part: str, expected: list[tuple[str, str | None, int | None]]
) -> None:
    """B36, B37, B39, B41, B42, B53: system, segment and code, and nothing else."""
    assert codes(changed(change, part)) == expected


def test_mixed_unicode_forms() -> None:
    """B57 in texts: decomposed letters beside composed ones; one form throughout is no fault."""
    evaluation = changed(inserted("\u00e9", 1, 4), "ref")
    assert codes(changed(inserted("e\u0301", 4), "A", evaluation)) == [("mixed_unicode_forms", "A", 4)]
    decomposed = changed(inserted("e\u0301", 1, 4), "ref")
    assert codes(changed(inserted("e\u0301", 4), "A", decomposed)) == []


def test_findings_never_change_the_data() -> None:
    """The evaluation set is as it was."""
    evaluation = changed(placed("", 7))
    before = dataclasses.replace(evaluation)
    lint(evaluation)
    assert evaluation == before


def test_half_blank_references_are_loud() -> None:
    """B53: with the share."""
    (finding,) = lint(changed(lambda texts: ["" if row % 2 else text for row, text in enumerate(texts)], "ref"))
    assert finding.level == "warning"
    assert "100 of 200 (50.0%) references are blank" in finding.message


class TestCopies:
    def test_identical_outputs(self) -> None:
        """B01: named once, at the later of the two."""
        evaluation = clean()
        evaluation = changed(lambda _: list(evaluation.systems["A"]), "C", evaluation)
        assert codes(evaluation) == [("identical_outputs", "C", None)]

    def test_nearly_identical_outputs(self) -> None:
        """Nine of ten segments."""
        evaluation = clean()
        texts = [*evaluation.systems["A"][:190], *evaluation.systems["C"][190:]]
        assert codes(changed(lambda _: texts, "C", evaluation)) == [("nearly_identical_outputs", "C", None)]

    def test_a_reference_among_the_systems(self) -> None:
        """mt-metrics-eval lists references as outputs."""
        evaluation = clean()
        assert codes(changed(lambda _: list(evaluation.references["ref"]), "B", evaluation)) == [
            ("system_equals_reference", "B", None)
        ]

    def test_untranslated_output(self) -> None:
        """All of it, or part of it; sources share no word with references here, so nothing else is seen."""
        evaluation = clean()
        sources = list(evaluation.sources)
        assert ("system_equals_source", "B", None) in codes(changed(lambda _: sources, "B", evaluation))
        partly = changed(lambda texts: [*sources[:30], *texts[30:]], "B", evaluation)
        assert ("system_equals_source", "B", 0) in codes(partly)

    @staticmethod
    def alike(share: float) -> EvaluationSet:
        """Systems that agree on many segments, and a reference of its own but for a share left as B has it."""
        rng = random.Random(12)
        evaluation = clean(400)
        vocabulary = words(rng, 2000)

        def changed_by(rate: float) -> tuple[str, ...]:
            drafts = [text or "" for text in evaluation.references["ref"]]
            return tuple(
                " ".join(word if rng.random() > rate else rng.choice(vocabulary) for word in draft.split())
                for draft in drafts
            )

        systems = {name: changed_by(0.04) for name in "ABC"}
        own = changed_by(0.4)
        taken = set(rng.sample(range(400), round(400 * share)))
        made = tuple(systems["B"][row] if row in taken else text for row, text in enumerate(own))
        return dataclasses.replace(evaluation, references={"ref": made}, systems=systems)

    def test_a_post_edited_reference(self) -> None:
        """One system's output, left as it was on two fifths of the segments, where others agree with it on a third."""
        edited = self.alike(0.45)
        same = sum(map(str.__eq__, edited.systems["B"], edited.references["ref"]))  # type: ignore[arg-type]
        assert same == 180
        (finding,) = [each for each in lint(edited) if each.level == "warning"]
        assert finding.code == "post_edited_reference"
        assert finding.system == "B", "the system whose scores are in doubt"
        assert "the output of B on 180 of 400" in finding.message

    def test_agreement_that_other_systems_have_too_is_no_post_editing(self) -> None:
        """A reference that equals B as often as A and C do may be anybody's."""
        assert "post_edited_reference" not in {code for code, *_ in codes(self.alike(0.2))}

    def test_simulated_outputs_do_not_make_their_reference_post_edited(self) -> None:
        """All of them are made from it; the best equals it several times as often as the others."""
        for seed, qualities in enumerate([(0.95, 0.85), (0.9, 0.6), (0.92, 0.8, 0.7), (0.9, 0.88, 0.86, 0.6)] * 3):
            systems = {f"s{number}": quality for number, quality in enumerate(qualities)}
            settings = {"format": "simulated", "langpair": "de-en", "segments": 300, "seed": seed, "systems": systems}
            assert "post_edited_reference" not in {code for code, *_ in codes(read("s", settings))}

    def test_easy_text_is_not_post_edited(self) -> None:
        """Where all systems equal the reference often, none was its model."""
        evaluation = clean()
        systems = {
            name: (*evaluation.references["ref"][:80], *texts[80:]) for name, texts in evaluation.systems.items()
        }
        assert "post_edited_reference" not in {
            code for code, *_ in codes(dataclasses.replace(evaluation, systems=systems))
        }

    def test_duplicated_sources(self) -> None:
        """Counted without the first of each."""
        evaluation = clean()
        texts = list(evaluation.sources)
        texts[50] = texts[60] = texts[3]
        (finding,) = lint(changed(lambda _: texts, "source", evaluation))
        assert (finding.level, finding.code, finding.segment) == ("info", "duplicated_segments", 50)
        assert finding.message.startswith("source: 2 of 200")


class TestLengths:
    def test_a_system_that_cuts_off(self) -> None:
        """Compared with the reference as a whole."""
        evaluation = changed(lambda texts: [(text or "")[:30] for text in texts])
        assert ("length_ratio_system", "A", None) in codes(evaluation)

    def test_a_segment_that_repeats_itself(self) -> None:
        """A loop, on one segment."""
        evaluation = clean()
        (finding,) = lint(changed(placed(f"{evaluation.systems['A'][9]} " * 6, 9), "A", evaluation))
        assert (finding.level, finding.code, finding.segment) == ("info", "length_ratio_segments", 9)

    def test_an_odd_reference_is_blamed_itself(self) -> None:
        """Where all systems agree on the length."""
        assert codes(changed(placed("Ba.", 9), "ref")) == [("length_ratio_segments", None, 9)]

    def test_without_a_reference_systems_are_compared(self) -> None:
        """The one that differs is named."""
        evaluation = dataclasses.replace(clean(n_systems=4), references={})
        assert codes(evaluation) == []
        evaluation = changed(lambda texts: [f"{text} {text}" for text in texts], "B", evaluation)
        assert codes(evaluation) == [("length_ratio_system", "B", None)]


class TestOrder:
    def test_a_shift_is_found_with_its_direction(self) -> None:
        """B34: a line lost in the middle and one added at the end, so that the counts agree."""
        (finding,) = lint(changed(lambda texts: [*texts[:80], *texts[81:], texts[0]]))
        assert (finding.code, finding.system, finding.segment) == ("shifted_lines", "A", 80)
        assert "lines 81 to 199 look shifted: they fit the reference ref 1 line further down" in finding.message

    def test_a_shift_up_by_two(self) -> None:
        """The offset is named."""
        (finding,) = lint(changed(lambda texts: [*texts[-2:], *texts[:-2]]))
        assert finding.code == "shifted_lines"
        assert "2 lines further up" in finding.message

    def test_shuffled_lines(self) -> None:
        """The better lines are named."""

        def shuffle(texts: Texts) -> None:
            random.Random(3).shuffle(texts)

        evaluation = clean()
        (finding,) = [each for each in lint(changed(shuffle, "A", evaluation)) if each.level == "warning"]
        assert (finding.code, finding.system) == ("shuffled_lines", "A")
        line, better = map(int, re.findall(r"line (\d+) fits line (\d+)", finding.message)[0])
        order: Texts = list(range(N))  # type: ignore[arg-type]
        shuffle(order)
        assert order[line - 1] == better - 1

    def test_the_reference_is_at_fault_where_all_systems_say_so(self) -> None:
        """One finding, about the reference, in its own direction."""
        (finding,) = lint(changed(lambda texts: [*texts[1:], texts[0]], "ref"))
        assert (finding.code, finding.system) == ("shifted_lines", None)
        assert "fit all 3 systems 1 line further down" in finding.message

    def test_without_a_reference_systems_are_compared(self) -> None:
        """With the first of them."""
        evaluation = dataclasses.replace(clean(), references={})
        (finding,) = lint(changed(lambda texts: [*texts[1:], texts[0]], "B", evaluation))
        assert (finding.code, finding.system) == ("shifted_lines", "B")

    def test_texts_without_spaces(self) -> None:
        """B52: Chinese is compared by pairs of characters."""
        rng = random.Random(5)
        references = tuple("".join(chr(rng.randint(0x4E00, 0x5200)) for _ in range(30)) for _ in range(60))
        outputs = tuple(text[:20] + "".join(chr(rng.randint(0x4E00, 0x5200)) for _ in range(10)) for text in references)
        nothing = (None,) * 60
        evaluation = EvaluationSet(
            "t", "en-zh", tuple(map(str, range(60))), nothing, nothing, nothing, {"r": references}, {"A": outputs}
        )
        assert codes(evaluation) == []
        shifted = dataclasses.replace(evaluation, systems={"A": (*outputs[1:], outputs[0])})
        assert codes(shifted) == [("shifted_lines", "A", 0)]

    def test_a_bad_system_is_not_shuffled(self) -> None:
        """Text that fits nowhere is no matter of order."""
        rng = random.Random(9)
        other = words(rng, 500)
        evaluation = changed(lambda texts: [" ".join(rng.choices(other, k=12)).capitalize() + "." for _ in texts])
        assert not {"shifted_lines", "shuffled_lines"} & {code for code, *_ in codes(evaluation)}


class TestLanguage:
    @pytest.mark.parametrize(
        ("langpair", "text", "found"),
        [
            ("en-ru", "only latin letters here and nothing else", True),
            ("en-ru", "здесь только русские буквы и больше ничего, кроме iPhone", False),
            ("en-zh", "只有中文，没有别的东西，除了一个名字", False),
            ("en-zh_TW", "latin letters in a text that should be Chinese", True),
            ("en-ja", "これはペンですか、それとも鉛筆ですか", False),
            ("en-srp_Latn", "ово је написано ћирилицом а не латиницом", True),
            ("en-sr", "ово је написано ћирилицом а не латиницом", False),
            ("en-tlh", "nobody knows which letters are used for this language", False),
        ],
    )
    def test_wrong_script(self, langpair: str, text: str, found: bool) -> None:
        """B52: letters tell where the wrong file was given."""
        nothing = (None,) * 3
        evaluation = EvaluationSet("t", langpair, ("1", "2", "3"), nothing, nothing, nothing, {}, {"A": (text,) * 3})
        assert ("wrong_script" in {code for code, *_ in codes(evaluation)}) == found

    def test_an_unknown_language_is_compared_with_the_reference(self) -> None:
        """Whatever that is written in."""
        evaluation = dataclasses.replace(clean(), langpair="de-tlh")
        evaluation = changed(lambda texts: ["совсем другие буквы в этом переводе" for _ in texts], "A", evaluation)
        assert ("wrong_script", "A", None) in codes(evaluation)

    def test_single_segments(self) -> None:
        """A few untranslated segments are a note."""
        evaluation = changed(placed("эта строка осталась без перевода, и только она одна", 11))
        assert ("wrong_script", "A", 11) in codes(evaluation)


def test_tokenized_text() -> None:
    """Spaces before full stops and commas, on most segments that have any."""
    evaluation = changed(lambda texts: [(text or "").replace(".", " .") for text in texts])
    assert codes(evaluation) == [("tokenized_text", "A", 0)]
    evaluation = changed(inserted("@@ ", *range(0, 60, 5)))
    assert codes(evaluation) == [("tokenized_text", "A", 0)]


def test_names_in_two_cases() -> None:
    """B57: allowed, with a note."""
    evaluation = clean()
    evaluation = dataclasses.replace(
        evaluation, systems={"GPT": evaluation.systems["A"], "gpt": evaluation.systems["B"]}
    )
    assert codes(evaluation) == [("names_differ_in_case", "gpt", None)]


class TestDocuments:
    def test_gaps(self) -> None:
        """B29: missing ids are reported."""
        evaluation = clean()
        evaluation = dataclasses.replace(evaluation, documents=(*evaluation.documents[:-1], None))
        assert codes(evaluation) == [("documents_missing", None, N - 1)]

    def test_pieces(self) -> None:
        """A document that comes back."""
        evaluation = clean()
        evaluation = dataclasses.replace(evaluation, documents=(*evaluation.documents[:-1], "d0"))
        assert codes(evaluation) == [("documents_split", None, N - 1)]

    def test_equal_names_in_two_domains_are_two_documents(self) -> None:
        """B29: a document is unique within its domain only."""
        evaluation = dataclasses.replace(clean(), documents=("d",) * N, domains=("a",) * 100 + ("b",) * 100)
        assert codes(evaluation) == []


def test_order_and_repetition() -> None:
    """Warnings first, then by the table of descriptions; what the reader found is among them."""
    noticed = Finding("info", "testsuite_documents", "x: kept apart.")
    evaluation = changed(placed("", 7), evaluation=dataclasses.replace(clean(), findings=(noticed, noticed)))
    assert [finding.code for finding in lint(evaluation)] == ["blank_hypotheses", "testsuite_documents"]


def test_every_code_in_the_sources_is_described(repository: Path) -> None:
    """And every description belongs to a code that can be found."""
    sources = "".join(path.read_text() for path in sorted((repository / "scripts" / "mtsig" / "corpus").rglob("*.py")))
    used = set(re.findall(r'"(?:info|warning)",\s*"(\w+)"', sources)) - {"info"}
    assert used <= set(DESCRIPTIONS)
    assert {code for code in DESCRIPTIONS if not re.search(rf'["(]{code}["\s]', sources)} <= {
        "missing_hypotheses", "missing_references", "missing_sources", "blank_hypotheses", "blank_references",
        "blank_sources", "system_equals_reference", "system_equals_source",
    }  # fmt: skip


def opened(opening: str, *rows: int) -> Callable[[Texts], None]:
    """Put something before some texts."""

    def change(texts: Texts) -> None:
        for row in rows:
            texts[row] = f"{opening}{texts[row]}"

    return change


class TestGeneratedText:
    """What language models add to translations."""

    @pytest.mark.parametrize(
        ("opening", "code"),
        [
            ("My answer to you reads: ", "repeated_opening"),
            ("```", "markup"),
            ("**Answer** ", "markup"),
            ("<p>", "markup"),
            ("## ", "markup"),
            ("As an AI language model, ", "assistant_talk"),
            ("I'm sorry, but I can't translate this: ", "assistant_talk"),
            ("Sure! Here is the requested text: ", "assistant_talk"),
            ("Translator's note: ", "assistant_talk"),
        ],
    )
    def test_every_tenth_output(self, opening: str, code: str) -> None:
        found = lint(changed(opened(opening, *range(0, N, 10))))
        assert (code, "A", 0, "warning") in [(each.code, each.system, each.segment, each.level) for each in found]

    def test_here_is_the_translation(self) -> None:
        """Half of the outputs begin so, half of these stand in bold."""
        evaluation = changed(opened("Here is the translation: ", *range(0, N, 2)))
        assert {"repeated_opening", "assistant_talk"} == {code for code, *_ in codes(evaluation)}

    def test_the_prompt_is_repeated(self) -> None:
        evaluation = clean()
        texts = [f"{source} = {text}" for source, text in zip(evaluation.sources, evaluation.systems["A"], strict=True)]
        changed_set = dataclasses.replace(evaluation, systems={**evaluation.systems, "A": tuple(texts)})
        assert ("prompt_repeated", "A", 0) in codes(changed_set)

    def test_what_source_or_reference_have_too_is_none(self) -> None:
        """Tags, hashtags and talk about translation belong to some texts."""
        for opening in ("<b>", "Translation: ", "# "):
            evaluation = changed(opened(opening, *range(0, N, 10)))
            evaluation = changed(opened(opening.replace("# ", "#"), *range(0, N, 10)), "source", evaluation)
            assert not {"markup", "assistant_talk", "repeated_opening"} & {code for code, *_ in codes(evaluation)}

    def test_openings_that_all_systems_share_are_none(self) -> None:
        evaluation = clean()
        for name in evaluation.systems:
            evaluation = changed(opened("According to reports, ", *range(0, N, 10)), name, evaluation)
        assert codes(evaluation) == []

    def test_segments_in_another_language(self) -> None:
        """Two of 200 segments hold other words than the language has."""
        rng = random.Random(11)
        other = ["vz" + "".join(rng.choices("qxcj", k=5)) for _ in range(400)]
        evaluation = changed(placed(" ".join(other[:12]), 3))
        evaluation = changed(placed(" ".join(other[12:24]), 8), "A", evaluation)
        assert codes(evaluation) == [("foreign_segments", "A", 3)]


def test_sgml_is_no_text() -> None:
    """The finding names the format."""
    evaluation = changed(lambda texts: [f'<seg id="{row}">{text}</seg>' for row, text in enumerate(texts)])
    (finding,) = [each for each in lint(evaluation) if each.code == "sgml_as_text"]
    assert "`format: wmt-sgm`" in finding.message


def test_a_system_that_is_called_reference() -> None:
    """As in `mtsig compare SYSTEM REFERENCE SYSTEM`."""
    evaluation = clean()
    systems = {"reference": evaluation.systems["A"], "refiner": evaluation.systems["B"]}
    assert codes(dataclasses.replace(evaluation, systems=systems)) == [("reference_among_systems", "reference", None)]


def test_blanks_before_the_marks_of_a_script() -> None:
    """Chinese sets none before its own marks."""
    rng = random.Random(3)
    letters = [chr(0x4E00 + rng.randrange(2000)) for _ in range(900)]

    def line(mark: str) -> str:
        return "".join(rng.choices(letters, k=9)) + mark + "，" + "".join(rng.choices(letters, k=9)) + mark + "。"

    reference, detached = ([line(mark) for _ in range(40)] for mark in ("", " "))
    evaluation = dataclasses.replace(
        clean(40), langpair="en-zh", references={"r": tuple(reference)}, systems={"A": tuple(detached)}
    )
    assert ("tokenized_text", "A", 0) in codes(evaluation)
    evaluation = dataclasses.replace(evaluation, systems={"A": tuple(reference)})
    assert "tokenized_text" not in {code for code, *_ in codes(evaluation)}


def test_characters_that_no_normal_form_keeps() -> None:
    """Bengali keyboards write U+09DF, which NFC takes apart: a fault only where other texts have its parts."""
    whole, parts = "\u09ac\u09dc \u09aa\u09be\u09df\u09c7", "\u09ac\u09a1\u09bc \u09aa\u09be\u09af\u09bc\u09c7"

    def forms(source: str, reference: str, output: str) -> bool:
        evaluation = dataclasses.replace(
            clean(10), sources=(source,) * 10, references={"r": (reference,) * 10}, systems={"A": (output,) * 10}
        )
        return "mixed_unicode_forms" in {code for code, *_ in codes(evaluation)}

    plain = "\u0986\u09ae\u09bf"
    assert not forms(whole, plain, plain), "sources are matched with nothing"
    assert not forms(plain, whole, whole)
    assert not forms(plain, plain, whole)
    assert forms(plain, parts, whole)
    assert forms(plain, plain, "cafe\u0301 \u00e9")


def test_findings_come_by_consequence() -> None:
    """What touches a verdict comes first among warnings."""
    evaluation = changed(inserted("\x01", 5), "A", changed(opened("```", *range(0, N, 10))))
    found = [each for each in lint(evaluation) if each.level == "warning"]
    assert [(each.code, consequence_of(each.code)) for each in found] == [
        ("markup", "verdict"),
        ("control_characters", "input"),
    ]


def test_every_code_is_in_the_readme(repository: Path) -> None:
    """results/README.md lists what lint.json may hold, in the same words."""
    section = (repository / "results" / "README.md").read_text(encoding="utf-8").partition("### `lint.json`")[2]
    rows = re.findall(r"^\| `(\w+)` \| (verdict|input|cosmetic) \| (.*) \|$", section, re.MULTILINE)
    expected = [(code, consequence_of(code), text[0].upper() + text[1:]) for code, text in DESCRIPTIONS.items()]
    assert rows == expected


@pytest.mark.slow
def test_time_grows_with_the_texts_only() -> None:
    """20 systems of 3,000 segments take about a second of computing (bound ten times as large)."""
    evaluation = clean(n_segments=3000, n_systems=20)
    start = time.process_time()
    lint(evaluation)
    assert time.process_time() - start < 15


class TestSharedData:
    def found(self, shared_data: Path, testset: str, langpair: str, **settings: Any) -> list[Finding]:
        settings |= {"format": "mtme", "langpair": langpair, "root": str(shared_data / "mtme" / testset)}
        return list(lint(read(testset, settings)))

    def test_wmt23_en_de(self, shared_data: Path) -> None:
        """AIRC begins with a byte-order mark (and is a fifth shorter than the reference); one source line repeats."""
        found = self.found(shared_data, "wmt23", "en-de")
        warnings = [(finding.code, finding.system) for finding in found if finding.level == "warning"]
        assert warnings == [("length_ratio_system", "AIRC"), ("byte_order_mark", "AIRC")]
        (repeated,) = [finding for finding in found if finding.code == "duplicated_segments"]
        assert repeated.message.startswith("source: 1 of 557")

    def test_wmt23_zh_en(self, shared_data: Path) -> None:
        """17 repeated source lines, and ONLINE-G writes <url> for addresses."""
        found = self.found(shared_data, "wmt23", "zh-en")
        (markup,) = [finding for finding in found if finding.level == "warning"]
        assert (markup.code, markup.system, markup.segment) == ("markup", "ONLINE-G", 487)
        (repeated,) = [finding for finding in found if finding.code == "duplicated_segments"]
        assert repeated.message.startswith("source: 17 of 1976")

    def test_wmt23_synthetic_reference(self, shared_data: Path) -> None:
        """Made from system outputs."""
        found = self.found(shared_data, "wmt23", "zh-en", references=["refA", "synthetic_ref"])
        (finding,) = [each for each in found if each.level == "warning" and each.code != "markup"]
        assert finding.message.startswith("reference synthetic_ref: equals the output of GPT4-5shot")
        assert finding.system == "GPT4-5shot"

    def test_wmt22_en_zh(self, shared_data: Path) -> None:
        """Reference B is close to Online-B alone."""
        (finding,) = [each for each in self.found(shared_data, "wmt22", "en-zh") if each.level == "warning"]
        assert finding.code == "post_edited_reference"
        assert finding.message.startswith("reference refB: equals the output of Online-B")

    def test_wmt22_liv_en(self, shared_data: Path) -> None:
        """One line that NiuTrans left in Livonian for the most part."""
        (finding,) = self.found(shared_data, "wmt22", "liv-en")
        assert (finding.level, finding.code, finding.system, finding.segment) == (
            *("info", "foreign_segments", "NiuTrans", 180),
        )

    def test_wmt24_en_is(self, shared_data: Path) -> None:
        """A canary on line 1, blank outputs with their numbers, escapes in ONLINE-B, and a tab in one source."""
        found = {(each.code, each.system): each for each in self.found(shared_data, "wmt24", "en-is")}
        assert found["canary_line", None].segment == 0
        assert "997 of 998 (99.9%)" in found["blank_hypotheses", "ONLINE-empty"].message
        assert "2 of 998" in found["blank_hypotheses", "Aya23"].message
        assert "1 of 998" in found["blank_hypotheses", "Mistral-Large"].message
        assert ("tabs_inside", None) in found
        assert {code for (code, _), each in found.items() if each.level == "warning"} == {
            "canary_line", "blank_hypotheses", "escaped_text",
        }  # fmt: skip

    def test_newstest2017(self, shared_data: Path) -> None:
        """online-A begins with a byte-order mark inside the table."""
        path = shared_data / "peers" / "sacrebleu-wmt17-en-de" / "newstest2017.en-de.tsv.xz"
        found = lint(read("wmt17", {"format": "tsv", "langpair": "en-de", "path": str(path)}))
        assert [(each.code, each.system, each.segment) for each in found if each.level == "warning"] == [
            ("byte_order_mark", "newstest2017.online-A.0.en-de", 0)
        ]

    def test_tokenized_ted(self, shared_data: Path) -> None:
        """The same talks, tokenized and not."""
        folder = shared_data / "peers" / "compare-mt-ted-slk-en"
        for ending, expected in ((".eng", {None, "s1", "s2"}), (".detok.eng", set())):
            settings = {
                "langpair": "sk-en",
                "references": str(folder / f"ted.ref{ending}"),
                "systems": {
                    name: str(folder / f"ted.{file}{ending}") for name, file in (("s1", "sys1"), ("s2", "sys2"))
                },
            }
            found = lint(read("ted", settings))
            assert {each.system for each in found if each.code == "tokenized_text"} == expected
