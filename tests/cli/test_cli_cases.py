"""Inputs on which tools of the field fail, through the command line: one test per case, with its id."""

from __future__ import annotations

import importlib.util
import json
import unicodedata

import pytest

LINES = [f"Line {number} says that all is well in town." for number in range(12)]


def scores(document, metric="bleu"):
    return {row["system"]: row["score"] for row in document["scores"] if row["metric"] == metric}


@pytest.fixture
def files(write):
    """A reference and a system that differs in one word."""
    return write("reference.txt", LINES), write("good.txt", [LINES[0].replace("well", "fine"), *LINES[1:]])


@pytest.mark.parametrize("command", ["compare", "score", "ci", "lint", "power"])
@pytest.mark.parametrize(
    ("lines", "count", "place"),
    [([*LINES[:5], "", *LINES[5:]], 13, "The first suspicious line is 6: it is blank"), (LINES[:-1], 11, "line is 12")],
)
def test_extra_and_missing_lines(mtsig_command, files, write, command, lines, count, place):
    """B34: refused before scoring, with the file, both counts and the first suspicious line."""
    bad = write("bad.txt", lines)
    error = mtsig_command(command, *files, bad, status=1).last_error
    assert error.startswith(f"error: {bad} has {count} lines, but {files[0]} has 12.")
    assert place in error


@pytest.mark.parametrize("separator", ["\u2028", "\x85", "\x0c", "\x1c", "\r", "\x0b"])
def test_other_separators_are_text(mtsig_command, write, separator):
    """B36: lines end at line feeds only; what else looks like a line end stays inside its segment."""
    lines = [*LINES[:3], f"Half of a line{separator}and the other half.", *LINES[4:]]
    reference, system = write("reference.txt", lines), write("system.txt", lines)
    (row,) = mtsig_command.json("score", reference, system, "-m", "exact_match")["scores"]
    assert (row["n_segments"], row["score"]) == (12, 1.0)
    findings = mtsig_command.json("lint", reference, system)["findings"]
    assert "unusual_separators" in {finding["code"] for finding in findings}


def test_windows_line_ends(mtsig_command, files, write):
    """B36: carriage returns before line feeds are dropped, and said to be."""
    windows = write("windows.txt", "".join(f"{line}\r\n" for line in LINES).encode())
    outcome = mtsig_command("score", files[0], windows, "-m", "exact_match")
    assert "1.0000" in outcome.out
    assert any("Windows line ends on 12 of 12 lines" in warning for warning in outcome.warnings)


def test_byte_order_mark(mtsig_command, files, write):
    """B37: the same score as without; reported."""
    reference, good = files
    marked = write("marked.txt", b"\xef\xbb\xbf" + good.read_bytes())
    found = scores(mtsig_command.json("score", reference, good, marked))
    assert found["marked"] == found["good"]
    assert any("byte-order mark" in warning for warning in mtsig_command("score", reference, marked).warnings)


@pytest.mark.parametrize("blank", ["\u3000", "\u00a0 ", "\t\t", "  "])
def test_lines_of_white_space(mtsig_command, files, write, blank):
    """B39: they score like empty ones in every metric, and are counted."""
    reference, _ = files
    empty = write("empty.txt", ["", *LINES[1:]])
    spaces = write("spaces.txt", [blank, *LINES[1:]])
    metrics = ["-m", "bleu", "-m", "chrf", "-m", "chrf++", "-m", "ter", "-m", "exact_match", "-m", "gtm"]
    document = mtsig_command.json("score", reference, empty, spaces, *metrics)
    for metric in metrics[1::2]:
        found = scores(document, metric)
        assert found["spaces"] == found["empty"], metric
    warnings = mtsig_command("score", reference, spaces).warnings
    assert any("1 of 12 (8.3%) hypotheses are blank, line 1" in warning for warning in warnings)


def test_texts_that_look_like_other_things(mtsig_command, write):
    """B40: a text is never a null, a number, a date or a formula, in files as in reports."""
    texts = ["null", "NA", "None", "nan", "TRUE", "007", "1e5", "=SUM(A1)", '"quoted', "inf"]
    reference, system = write("reference.txt", texts), write("null.txt", texts)
    rows = mtsig_command.json("score", reference, system, "--segments", "-m", "exact_match")["segments"]
    assert [row["scores"]["exact_match"] for row in rows] == [1.0] * 10
    entries = [{"id": text, "expected": text, "predicted": text, "exact_match": True} for text in texts]
    report = write("report.json", json.dumps({"entries": entries}).encode())
    document = mtsig_command.json("test", report)
    assert (document["n_entries"], document["corpus_chrf"]) == (10, 100.0)


def test_empty_hypothesis(mtsig_command, files, write):
    """B41: it has a row, scores nothing, and nothing stands in its place."""
    reference, _ = files
    system = write("empty.txt", ["", *LINES[1:]])
    rows = mtsig_command.json("score", reference, system, "--segments", "-m", "chrf", "-m", "ter", "-m", "bleu")
    assert rows["segments"][0]["scores"] == {"chrf": 0.0, "ter": 100.0, "bleu": 0.0}
    corpus = scores(mtsig_command.json("score", reference, system))["empty"]
    n_words, n_missing = sum(len(line.split()) + 1 for line in LINES), len(LINES[0].split()) + 1
    # All n-grams that are there are right; only the length is short.
    assert corpus == pytest.approx(100 * 2.718281828459045 ** (1 - n_words / (n_words - n_missing)), rel=1e-9)


def test_empty_reference(mtsig_command, write):
    """B42: one empty reference, and both empty: defined numbers, no crash."""
    reference = write("reference.txt", ["A good day for a walk.", "", ""])
    system = write("system.txt", ["A good day for a walk.", "Words.", ""])
    metrics = ["bleu", "chrf", "ter", "exact_match", "gtm"]
    arguments = [each for metric in metrics for each in ("-m", metric)]
    document = mtsig_command.json("compare", reference, system, *arguments)
    assert all(row["score"] is not None for row in document["systems"])
    rows = mtsig_command.json("score", reference, system, "--segments", *arguments)["segments"]
    assert rows[1]["scores"]["exact_match"] == 0.0
    assert rows[2]["scores"]["exact_match"] == 1.0
    assert rows[2]["scores"]["ter"] == 0.0


def test_orientation_of_references(mtsig_command, write):
    """B45: a file holds one reference of all segments; two of two cannot be taken for segments of each other."""
    first, second = write("r1.txt", ["one way to say it", "a b c d"]), write("r2.txt", ["another", "e f g h"])
    system = write("system.txt", ["another", "a b c d"])
    found = mtsig_command.json("score", first, system, "-r", second, "-m", "exact_match")
    assert scores(found, "exact_match") == {"system": 1.0}
    three = write("r3.txt", ["x", "y", "z"])
    assert "3 lines" in mtsig_command("score", first, system, "-r", three, status=1).last_error


def test_scores_that_are_no_numbers(mtsig_command, write):
    """B48: NaN and infinities are no scores: compared on the entries that have one, with their number."""

    def report(name, values):
        entries = [{"id": i, "expected": "x", "predicted": "x", "comet_score": value} for i, value in enumerate(values)]
        return write(f"{name}.json", json.dumps({"entries": entries}).encode())

    a, b = report("a", [1.0, float("nan"), float("inf")]), report("b", [1.0, 0.0, 0.0])
    document = mtsig_command.json("compare", a, b, "-m", "comet_score")
    (test,) = document["significance"]
    assert (test["system_a_score"], test["system_b_score"], test["p_value"]) == (1.0, 1.0, 1.0)
    assert "comet_score: tested on the 1 of 3 entries that have it in both runs." in document["pairs"][0]["messages"]
    gold, qe = write("gold.txt", ["0", "-1", "0"]), write("qe.txt", ["1", "nan", "2"])
    assert "has no score for 1 of the 3 segments" in mtsig_command("roc", gold, qe, status=1).last_error


def test_encodings(mtsig_command, files, write):
    """B50: the file, line and byte are named; nothing is replaced."""
    latin = write("latin.txt", "\n".join([*LINES[:2], "Ein Stück."]).encode("latin-1"))
    error = mtsig_command("compare", *files, latin, status=1).last_error
    assert error.startswith(f"error: {latin}, line 3: byte 7 (0xFC) is not UTF-8.")
    wide = write("wide.txt", "\n".join(LINES).encode("utf-16"))
    assert "UTF-16" in mtsig_command("compare", *files, wide, status=1).last_error


@pytest.mark.parametrize("target", ["zh", "zh-CN", "zho_Hans", "cmn"])
def test_chinese(mtsig_command, write, target):
    """B52: the tokenizer follows the target language; texts in no stated language draw a warning."""
    reference = write("reference.txt", ["这是一个很好的例子。", "今天的天气非常好。"])
    system = write("system.txt", ["这是一个很好的列子。", "今天的天气非常妙。"])
    row = mtsig_command.json("score", reference, system, "-m", "bleu", "--langpair", f"en-{target}")["scores"][0]
    assert "tok:zh" in row["signature"]
    assert row["score"] > 50
    outcome = mtsig_command("score", reference, system, "-m", "bleu")
    assert any("--langpair" in warning for warning in outcome.warnings)
    assert not mtsig_command("score", reference, system, "-m", "chrf").warnings


def test_missing_tokenizer(mtsig_command, files, monkeypatch):
    """B52: a package that is not there is named before anything is scored, with the way to install it."""
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "ipadic" else find(name, *rest)
    )
    error = mtsig_command("score", *files, "--langpair", "en-ja", status=1).last_error
    assert "pip install 'sacrebleu[ja]'" in error


def test_cut_and_half_empty_references(mtsig_command, write):
    """B53: a cut file is refused; a half blank one is scored with a loud warning and its share."""
    system = write("system.txt", [f"Line {n} of the output." for n in range(2999)])
    cut = write("cut.txt", [f"Line {n} of the output." for n in range(154)])
    error = mtsig_command("score", cut, system, status=1).last_error
    assert "154" in error
    assert "2999" in error
    blank = write("blank.txt", [f"Line {n} of the output." if n % 2 else "" for n in range(2999)])
    assert any("1500 of 2999 (50.0%)" in warning for warning in mtsig_command("score", blank, system).warnings)


NAMES = ["a", "a.b", "org/model", "x y", "..", "c++", "-rf", "n" * 200, "9-2", "[x]", "a|b", "[red]r[/red]", "*"]


def test_odd_names(mtsig_command, files):
    """B55, B60, B68: a name is data, whatever it looks like to a shell, a pattern, or a terminal."""
    reference, good = files
    systems = [f"{name}={good}" for name in NAMES]
    document = mtsig_command.json(
        "compare", "--n-resamples", 20, "--n-trials", 20, "-m", "chrf", "--", reference, *systems
    )
    assert {row["system"] for row in document["systems"]} == {*NAMES}
    assert len(document["pairs"]) == len(systems) * (len(systems) - 1) / 2
    out = mtsig_command("ci", "-m", "chrf", "--", reference, *systems).out
    assert "[red]r[/red]" in out


def test_names_that_join_to_the_same(mtsig_command, files):
    """B55: (A, B_vs_C) and (A_vs_B, C) are two pairs."""
    reference, good = files
    systems = [f"{name}={good}" for name in ("A", "B_vs_C", "A_vs_B", "C")]
    document = mtsig_command.json("compare", reference, *systems, "-m", "chrf", "--n-resamples", 20, "--n-trials", 20)
    pairs = {(row["system_a"], row["system_b"]) for row in document["pairs"]}
    assert len(pairs) == 6
    assert {("A", "B_vs_C"), ("A_vs_B", "C")} <= pairs


def test_names_that_differ_in_case_or_form(mtsig_command, files):
    """B57: case tells systems apart; Unicode forms do not."""
    reference, good = files
    document = mtsig_command.json("score", reference, f"GPT-4={good}", f"gpt-4={good}", "-m", "chrf")
    assert [row["system"] for row in document["scores"]] == ["GPT-4", "gpt-4"]
    forms = [unicodedata.normalize(form, "é") for form in ("NFC", "NFD")]
    error = mtsig_command("score", reference, *(f"{name}={good}" for name in forms), status=1).last_error
    assert "occurs twice" in error


def test_many_systems(mtsig_command, files):
    """B63: 60 systems and all their pairs, in one table that says how many comparisons there were."""
    reference, good = files
    systems = [f"system{number:02}={good if number % 2 else reference}" for number in range(60)]
    document = mtsig_command.json("compare", reference, *systems, "-m", "chrf", "--n-resamples", 20, "--n-trials", 20)
    assert len(document["pairs"]) == 60 * 59 / 2


@pytest.mark.parametrize("n_systems", [1, 2])
@pytest.mark.parametrize("metrics", [["bleu"], ["bleu", "ter"]])
def test_shape_does_not_depend_on_counts(mtsig_command, files, n_systems, metrics):
    """B64, B66: the same schema for one and for many, numbers as numbers (both checked on every document)."""
    arguments = [each for metric in metrics for each in ("-m", metric)]
    document = mtsig_command.json("compare", *files, *files[: n_systems - 1], *arguments)
    assert len(document["systems"]) == n_systems * len(metrics)
    assert len(document["pairs"]) == (n_systems - 1) * len(metrics)
    assert json.loads(json.dumps(document)) == document


def test_undefined_numbers(mtsig_command, write):
    """B65: null and a flag, never NaN."""
    reference, system = write("reference.txt", ["", ""]), write("system.txt", ["a", "b"])
    document = mtsig_command.json("compare", reference, system, f"copy={system}", "-m", "length_ratio")
    (pair,) = document["pairs"]
    assert pair["delta"] is None
    assert pair["p_value"] is None
    assert "undefined" in pair["flags"]
    assert "undefined" in mtsig_command("compare", reference, system, "-m", "length_ratio").out
