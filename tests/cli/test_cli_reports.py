"""Commands on reports of mt-eval-harness, after its specification (A1 to A27) and its run on the ten-segment corpus."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mtsig import SignificanceResult

#: The fields of a test in the specification, and the seed, which it asks for and forgot.
FIELDS = [
    "metric_name",
    "system_a_score",
    "system_b_score",
    "delta",
    "p_value",
    "n_bootstrap",
    "confidence_level",
    "significant",
    "winner",
    "ci_lower",
    "ci_upper",
    "seed",
]


@pytest.fixture
def entries(t10) -> dict[str, list[dict[str, Any]]]:
    """Entries of both systems on the ten-segment corpus."""
    return {
        name: [
            {"id": i, "expected": expected, "predicted": predicted, "exact_match": expected == predicted, "error": None}
            for i, (expected, predicted) in enumerate(zip(t10["reference"], t10[name], strict=True))
        ]
        for name in "AB"
    }


@pytest.fixture
def report(write) -> Callable[..., Path]:
    """Write a report; a short name is a run id, too."""

    def writer(name: str, entries: list[dict[str, Any]], **summary: Any) -> Path:
        content = {"run_id": f"run_{name}", **summary, "entries": entries}
        return write(f"{name}.json", json.dumps(content).encode())

    return writer


def many(n: int, right: Callable[[int], bool], **extra: Any) -> list[dict[str, Any]]:
    """Entries whose prediction is right where `right` says so; fields of `extra` are functions of the number."""
    return [
        {
            "id": f"e{i}",
            "expected": f"the answer to number {i} is plain",
            "predicted": f"the answer to number {i} is {'plain' if right(i) else 'other'}",
            "exact_match": right(i),
            **{name: value(i) for name, value in extra.items()},
        }
        for i in range(n)
    ]


def by_metric(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {test["metric_name"]: test for test in document["significance"]}


class TestKnownRun:
    """The harness's own run on the corpus (its generator is another one, so p and limits scatter)."""

    def test_scores_and_outcome(self, mtsig_command, report, entries):
        a, b = report("a", entries["A"]), report("b", entries["B"])
        document = mtsig_command.json("compare", a, b, "--significance")
        tests = by_metric(document)
        assert list(tests) == ["corpus_chrf", "exact_match_rate", "corpus_bleu"]
        for name, theirs in {
            # Scores, difference, one-sided p of theirs, interval.
            "corpus_chrf": (84.5403, 80.8002, 3.7401, 0.176, -4.5027, 11.8798),
            "exact_match_rate": (0.3, 0.2, 0.1, 0.335, 0.0, 0.3),
            "corpus_bleu": (75.3762, 59.5624, 15.8138, 0.015, 2.1041, 32.5935),
        }.items():
            test = tests[name]
            assert list(test) == FIELDS == [field.name for field in dataclasses.fields(SignificanceResult)]
            scores = (test["system_a_score"], test["system_b_score"], test["delta"])
            assert scores == pytest.approx(theirs[:3], abs=5e-5)
            # Theirs is one-sided in spite of its name; ours is two-sided, so twice as large, with Monte Carlo error.
            error = 4 * 2 * (theirs[3] * (1 - theirs[3]) / 1000) ** 0.5
            assert abs(test["p_value"] - 2 * theirs[3]) < 2 * error
            assert (test["ci_lower"], test["ci_upper"]) == pytest.approx(theirs[4:], abs=1.0)
            assert (test["seed"], test["n_bootstrap"], test["confidence_level"]) == (12345, 1000, 0.95)
        assert [tests[name]["winner"] for name in tests] == [None, None, "A"]
        assert document["seed"] == 12345

    def test_console_table(self, mtsig_command, report, entries):
        out = mtsig_command("compare", report("a", entries["A"]), report("b", entries["B"])).out
        lines = [line.split() for line in out.splitlines() if line.strip()]
        assert "  Significance Tests (paired bootstrap, n=1000, α=0.05):" in out.splitlines()
        assert ["Metric", "A", "B", "Δ", "p-value", "Sig?"] in lines
        assert ["corpus_chrf", "84.54", "80.80", "+3.74", "0.390", "No"] in lines
        assert ["corpus_bleu", "75.38", "59.56", "+15.81", "0.036", "Yes", "*"] in lines
        rate = next(line for line in lines if line[0] == "exact_match_rate")
        assert rate[1:4] == ["0.300", "0.200", "+0.100"]

    def test_swapped(self, mtsig_command, report, entries):
        """The same p; difference, interval and winner are mirrored."""
        a, b = report("a", entries["A"]), report("b", entries["B"])
        there, back = (by_metric(mtsig_command.json("significance", *files)) for files in ((a, b), (b, a)))
        for name, test in there.items():
            other = back[name]
            assert other["p_value"] == test["p_value"]
            assert (other["ci_lower"], other["ci_upper"]) == (-test["ci_upper"], -test["ci_lower"])
            assert other["winner"] == {"A": "B", None: None}[test["winner"]]

    def test_identical(self, mtsig_command, report, entries):
        a, b = report("a", entries["A"]), report("b", entries["A"])
        for test in mtsig_command.json("significance", a, b)["significance"]:
            assert (test["p_value"], test["winner"], test["ci_lower"], test["ci_upper"]) == (1.0, None, 0.0, 0.0)

    def test_overlap(self, mtsig_command, report, entries):
        """A's first eight against B's last seven: five common entries, three and two left out."""
        a, b = report("a", entries["A"][:8]), report("b", entries["B"][3:])
        outcome = mtsig_command("significance", a, b)
        assert "Testing on 5 common entries (excluded 3 from A, 2 from B)." in outcome.warnings
        assert any("fewer than 10" in warning for warning in outcome.warnings)
        (pair,) = mtsig_command.json("significance", a, b)["pairs"]
        assert (pair["n_entries"], pair["n_left_out_a"], pair["n_left_out_b"]) == (5, 3, 2)

    def test_empty(self, mtsig_command, report, entries):
        """Nothing in common is refused; the harness gives scores of 0 and p = 1."""
        a, none = report("a", entries["A"]), report("none", [])
        for files in ((a, none), (none, none)):
            assert "no entry in common" in mtsig_command("significance", *files, status=1).last_error

    def test_numbers_are_not_rounded(self, mtsig_command, report, entries):
        """The harness rounds to four places before it writes JSON."""
        tests = by_metric(mtsig_command.json("compare", report("a", entries["A"]), report("b", entries["B"])))
        assert tests["corpus_bleu"]["system_a_score"] == pytest.approx(75.37619097398905, rel=1e-13)


class TestRuns:
    """Which entries and runs are compared, and what is said about them."""

    def test_more_than_two_runs_give_all_pairs(self, mtsig_command, report):
        files = [report(name, many(40, lambda i, k=k: i % k == 0)) for name, k in (("a", 1), ("b", 2), ("c", 3))]
        document = mtsig_command.json("compare", *files)
        assert list(document["significance"]) == ["(run_a, run_b)", "(run_a, run_c)", "(run_b, run_c)"]
        winners = {
            pair: {test["metric_name"]: test["winner"] for test in tests}
            for pair, tests in document["significance"].items()
        }
        assert winners["(run_a, run_b)"]["exact_match_rate"] == "A"
        assert len(document["pairs"]) == 3
        out = mtsig_command("compare", *files).out
        assert out.count("Significance Tests") == 3
        assert "A: run_b" in out

    def test_runs_without_an_id_go_by_their_files(self, mtsig_command, report, write):
        a = report("a", many(30, lambda i: True))
        b = write("other.json", json.dumps({"entries": many(30, lambda i: False)}).encode())
        (pair,) = mtsig_command.json("compare", a, b)["pairs"]
        assert (pair["run_a"], pair["run_b"]) == ("run_a", "other")

    def test_a_run_against_itself(self, mtsig_command, report):
        """Equal ids of runs are told apart by their files."""
        a = report("a", many(30, lambda i: i % 2 == 0))
        document = mtsig_command.json("compare", a, a, a)
        assert next(iter(document["significance"])) == f"({a}, {a}#2)"
        assert {test["p_value"] for tests in document["significance"].values() for test in tests} == {1.0}

    @pytest.mark.parametrize(("n", "words"), [(9, "fewer than 10"), (29, "fewer than 30"), (30, None)])
    def test_few_entries_warn(self, mtsig_command, report, n, words):
        a, b = report("a", many(n, lambda i: True)), report("b", many(n, lambda i: i % 2 == 0))
        for command in (("significance", a, b), ("test", a)):
            warnings = mtsig_command(*command).warnings
            assert [words in warning for warning in warnings] == ([True] if words else [])

    def test_failed_entries_are_left_out_for_both(self, mtsig_command, report):
        """Both systems are scored on the same entries, whatever the metric."""
        bad = many(40, lambda i: i % 2 == 0)
        bad[0]["error"] = "timeout"
        bad[1]["predicted"] = None
        outcome = mtsig_command.json("significance", report("a", many(40, lambda i: True)), report("b", bad))
        (pair,) = outcome["pairs"]
        assert (pair["n_entries"], pair["n_failed"]) == (38, 2)
        assert "2 common entries failed in A or B" in pair["messages"][0]
        assert by_metric(outcome)["exact_match_rate"]["system_b_score"] == 19 / 38

    def test_ids_of_mixed_types(self, mtsig_command, report):
        """Numbers and texts may stand beside each other, and are the same id across reports."""
        a, b = many(30, lambda i: True), many(30, lambda i: False)
        for i, (first, second) in enumerate(zip(a, b, strict=True)):
            first["id"], second["id"] = (i, str(i)) if i % 2 else (f"x{i}", f"x{i}")
        (pair,) = mtsig_command.json("significance", report("a", a), report("b", b))["pairs"]
        assert pair["n_entries"] == 30

    def test_repeated_ids_lose_nothing(self, mtsig_command, report):
        a, b = many(30, lambda i: True), many(30, lambda i: False)
        for entries in (a, b):
            entries[7]["id"] = "e6"
            entries[7]["expected"] = "the same id, another text"
        (pair,) = mtsig_command.json("significance", report("a", a), report("b", b))["pairs"]
        assert pair["n_entries"] == 30
        assert sum("occur more than once" in message for message in pair["messages"]) == 2

    def test_reports_on_different_references_are_refused(self, mtsig_command, report):
        a, b = many(30, lambda i: True), many(30, lambda i: False)
        b[3]["expected"] = "another reference"
        error = mtsig_command("significance", report("a", a), report("b", b), status=1).last_error
        assert "entry 'e3' has another `expected`" in error

    def test_blank_references_do_not_count(self, mtsig_command, report):
        a, b = many(40, lambda i: True), many(40, lambda i: i % 2 == 0)
        for entries in (a, b):
            entries[0]["expected"] = " "
        document = mtsig_command.json("significance", report("a", a), report("b", b))
        assert "corpus_chrf: 1 entries without a reference do not count." in document["pairs"][0]["messages"]

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            (b"{", "is not JSON"),
            (b"[]", "needs a list `entries`"),
            (b'{"entries": [1]}', "entry 1: is no object"),
            (b'{"entries": [{"id": [1]}]}', "neither text nor a whole number"),
            (b'{"entries": [{"id": 1, "predicted": 5}]}', "predicted holds 5"),
            (b'{"entries": [{"id": 1, "expected": "x", "predicted": "\xff"}]}', "is not UTF-8"),
        ],
    )
    def test_what_is_no_report(self, mtsig_command, report, write, content, words):
        bad = write("bad.json", content)
        for command in (("compare", report("a", many(3, bool)), bad), ("test", bad), ("lint", bad)):
            assert words in mtsig_command(*command, status=1).last_error

    def test_texts_and_reports_are_not_mixed(self, mtsig_command, report, t10_files):
        a = report("a", many(3, bool))
        assert "texts with texts" in mtsig_command("compare", a, t10_files[1], status=1).last_error
        assert "two or more reports" in mtsig_command("compare", a, status=1).last_error
        assert "two or more reports" in mtsig_command("significance", a, status=1).last_error
        for option in (("--langpair", "en-de"), ("--adjust", "holm"), ("--reference", a), ("--n-trials", 5)):
            error = mtsig_command("compare", a, a, *option, status=1).last_error
            assert error == f"error: {option[0]}: does not apply to reports. Leave it out."

    def test_reports_are_no_texts(self, mtsig_command, report, t10_files):
        a = report("a", many(3, bool))
        for command in ("score", "ci"):
            assert f"{a}: is a report, not a text." in mtsig_command(command, a, a, status=1).last_error
        for option in ("--source", "--documents", "--reference"):
            error = mtsig_command("lint", a, option, t10_files[0], status=1).last_error
            assert error == f"error: {option}: does not apply to reports. Leave it out."

    def test_a_report_from_the_standard_input(self, mtsig_command, report):
        """One of several, too."""
        a, b = report("a", many(30, lambda i: True)), report("b", many(30, lambda i: i % 2 == 0))
        piped = mtsig_command.json("compare", "-", b, stdin=a.read_bytes())
        assert piped["significance"] == mtsig_command.json("compare", a, b)["significance"]

    def test_options(self, mtsig_command, report):
        a, b = report("a", many(40, lambda i: True)), report("b", many(40, lambda i: i % 8 > 0))
        for command in ("compare", "significance"):
            document = mtsig_command.json(
                command, a, b, "--n-bootstrap", 500, "--alpha", 0.001, "--seed", 0, "-m", "exact_match_rate"
            )
            (test,) = document["significance"]
            assert (test["n_bootstrap"], test["confidence_level"], test["seed"]) == (500, 0.999, 0)
            assert test["significant"] is False
        assert "n=500, α=0.001" in mtsig_command("compare", a, b, "--n-bootstrap", 500, "--alpha", 0.001).out
        assert "alpha" in mtsig_command("compare", a, b, "--alpha", 2, status=1).last_error

    def test_p_is_never_printed_as_zero(self, mtsig_command, report):
        """All right against all wrong."""
        a, b = report("a", many(50, lambda i: True)), report("b", many(50, lambda i: False))
        out = mtsig_command("significance", a, b, "--n-bootstrap", 10000).out
        rows = [line.split() for line in out.splitlines() if line.endswith("*")]
        assert [row[4] for row in rows] == ["<0.001"] * 3
        assert by_metric(mtsig_command.json("significance", a, b))["exact_match_rate"]["p_value"] == 2 / 1001

    def test_p_has_three_decimals(self, mtsig_command, report):
        """2 * 5 / 1001 is 0.00999; which side of a level it is on, the last column says."""
        a, b = report("a", many(40, lambda i: True)), report("b", many(40, lambda i: i % 8 > 0))
        printed = [line.split()[4] for line in mtsig_command("compare", a, b).out.splitlines() if "Yes" in line]
        assert printed
        assert all(text == "<0.001" or len(text) == 5 for text in printed)

    def test_flags_of_another_rule_are_named_beside_the_texts(self, mtsig_command, report):
        """One run counts the first ten as right whatever it wrote: 40 right by its flags, 30 by its texts."""
        lenient = [
            {**entry, "exact_match": i < 10 or entry["exact_match"]}
            for i, entry in enumerate(many(40, lambda i: i >= 10))
        ]
        a, b = report("a", lenient), report("b", many(40, lambda i: True))
        outcome = mtsig_command("compare", a, b, "-m", "exact_match_rate")
        message = next(each for each in outcome.warnings if "flag" in each)
        assert "differs from comparing the texts on 10 entries of A and 0 of B" in message
        assert "the rates are 0.750 and 1.000" in message
        assert by_metric(mtsig_command.json("compare", a, b))["exact_match_rate"]["system_a_score"] == 1.0
        assert "[exact_match_flags]" in mtsig_command("lint", a, b).out
        same = mtsig_command("compare", b, report("c", many(40, lambda i: i > 3)), "-m", "exact_match_rate")
        assert not [each for each in same.warnings if "flag" in each]

    def test_standard_input(self, mtsig_command, report):
        a = report("a", many(30, lambda i: True))
        document = mtsig_command.json("test", "-", stdin=a.read_bytes())
        assert (document["report"], document["run_id"]) == ("stdin", "run_a")
        assert "stdin: is not JSON" in mtsig_command("test", "-", stdin=b"{", status=1).last_error


class TestPlugins:
    """Numbers that plugins left in the entries."""

    def plugin(self, value: Callable[[int], Any], name: str = "fst") -> Callable[[int], Any]:
        return lambda i: {name: {"valid": value(i), "words": ["x"], "note": "text"}, "other": {"rate": i % 3 / 2}}

    def test_what_both_runs_have_is_tested(self, mtsig_command, report):
        """Entry by entry; flags count as 0 and 1, lists and texts are no metrics."""
        a = report("a", many(60, bool, plugin_metrics=self.plugin(lambda i: True)))
        b = report("b", many(60, bool, plugin_metrics=self.plugin(lambda i: i % 2 == 0)))
        tests = by_metric(mtsig_command.json("compare", a, b))
        assert list(tests)[3:] == ["plugin_metrics.fst.valid", "plugin_metrics.other.rate"]
        test = tests["plugin_metrics.fst.valid"]
        assert (test["system_a_score"], test["system_b_score"], test["significant"]) == (1.0, 0.5, True)
        assert tests["plugin_metrics.other.rate"]["p_value"] == 1.0

    def test_a_winner_needs_a_direction(self, mtsig_command, report):
        """B09: more of a plugin's metric may be worse, as of a hallucination rate."""
        a = report("a", many(60, bool, plugin_metrics=self.plugin(lambda i: 1.0)))
        b = report("b", many(60, bool, plugin_metrics=self.plugin(lambda i: i % 2)))
        name = "plugin_metrics.fst.valid"
        for option, winner in (((), None), (("--lower-is-better", name), "B"), (("--higher-is-better", name), "A")):
            document = mtsig_command.json("compare", a, b, "-m", name, *option)
            assert by_metric(document)[name]["winner"] == winner
            said = any("nobody has said which direction is better" in each for each in document["pairs"][0]["messages"])
            assert said == (winner is None)
        both = mtsig_command("compare", a, b, "--lower-is-better", name, "--higher-is-better", name, status=1)
        assert "both higher and lower" in both.last_error

    def test_entries_without_a_number_are_left_out(self, mtsig_command, report):
        a = report("a", many(60, bool, plugin_metrics=self.plugin(lambda i: None if i < 5 else i)))
        b = report("b", many(60, bool, plugin_metrics=self.plugin(lambda i: None if i > 54 else i)))
        document = mtsig_command.json("compare", a, b)
        assert by_metric(document)["plugin_metrics.fst.valid"]["delta"] == 0
        expected = "plugin_metrics.fst.valid: tested on the 50 of 60 entries that have it in both runs."
        assert expected in document["pairs"][0]["messages"]

    def test_what_one_run_lacks_is_named(self, mtsig_command, report):
        a = report("a", many(40, bool, plugin_metrics=self.plugin(lambda i: 1)))
        b = report("b", many(40, bool))
        document = mtsig_command.json("compare", a, b)
        assert {each["metric_name"] for each in document["pairs"][0]["not_tested"]} == {
            "plugin_metrics.fst.valid",
            "plugin_metrics.other.rate",
        }
        assert f"only the entries of {a} have it" in document["pairs"][0]["not_tested"][0]["reason"]

    def test_aggregates_are_refused(self, mtsig_command, report):
        """What stands in the summary only cannot be resampled: named, and refused where it is asked for."""
        overall = {"plugin_metrics": {"crk_fst_validity": {"avg_fst_validity": 0.9}, "fst": {"avg_valid": 0.5}}}
        entries = many(40, bool, plugin_metrics=self.plugin(lambda i: i % 2))
        a, b = (report(name, entries, overall=overall) for name in "ab")
        aggregate = "plugin_metrics.crk_fst_validity.avg_fst_validity"
        document = mtsig_command.json("compare", a, b)
        assert aggregate not in by_metric(document)
        # The other plugin's numbers are in the entries, so nothing is missing there.
        assert [each["metric_name"] for each in document["pairs"][0]["not_tested"]] == [aggregate]
        assert f"Not tested: {aggregate}" in mtsig_command("compare", a, b).out
        error = mtsig_command("significance", a, b, "-m", aggregate, status=1).last_error
        assert "given for the whole report only and cannot be resampled" in error
        assert "plugin_metrics.fst.valid" in error

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("plugin_metrics.nothing", "there is no such number in the entries"),
            ("plugin_metrics.fst.note", "its values are no numbers"),
            ("plugin_metrics.fst.words", "its values are no numbers"),
            ("bleu", "Both runs have corpus_chrf, exact_match_rate, corpus_bleu, plugin_metrics"),
        ],
    )
    def test_unusable_metrics(self, mtsig_command, report, name, words):
        entries = many(30, bool, plugin_metrics=self.plugin(lambda i: 1))
        a, b = report("a", entries), report("b", entries)
        assert words in mtsig_command("compare", a, b, "-m", name, status=1).last_error

    def test_any_number_of_the_entries_can_be_asked_for(self, mtsig_command, report):
        a = report("a", many(40, bool, latency_s=lambda i: 2.0))
        b = report("b", many(40, bool, latency_s=lambda i: 1.0))
        document = mtsig_command.json("compare", a, b, "-m", "latency_s", "--lower-is-better", "latency_s")
        assert by_metric(document)["latency_s"]["winner"] == "B"


class TestComet:
    """Scores that stand in the entries; COMET itself is never started."""

    def test_scores_in_the_entries_are_used(self, mtsig_command, report, monkeypatch):
        for module in ("comet", "torch"):
            # Importing a module that is None fails.
            monkeypatch.setitem(sys.modules, module, None)
        a = report("a", many(60, bool, comet_score=lambda i: 0.8 + i % 5 / 100))
        b = report("b", many(60, bool, comet_score=lambda i: 0.7 + i % 7 / 100))
        test = by_metric(mtsig_command.json("compare", a, b))["comet_score"]
        assert test["system_a_score"] == pytest.approx(0.82)
        assert test["winner"] == "A"
        assert mtsig_command.json("test", a)["comet_score"] == pytest.approx(0.82)

    def test_missing_scores(self, mtsig_command, report):
        a = report("a", many(60, bool, comet_score=lambda i: 0.8 if i else None))
        b = report("b", many(60, bool))
        document = mtsig_command.json("compare", a, b)
        assert "comet_score" not in by_metric(document)
        assert document["pairs"][0]["not_tested"][0]["metric_name"] == "comet_score"
        assert any("only 59 of 60 entries" in warning for warning in mtsig_command("test", a).warnings)
        assert mtsig_command.json("test", b)["comet_score"] is None

    @pytest.mark.parametrize(
        ("config", "uncovered"),
        [
            ({"source_lang": "English", "target_lang": "Shona"}, "Shona"),
            ({"source_lang": "English", "target_lang": "Plains Cree", "target_lang_code": "crk"}, "crk"),
            ({"source_lang": "English", "target_lang": "Welsh"}, None),
            ({"source_lang_code": "en", "target_lang_code": "zho_Hans"}, None),
            ({}, None),
        ],
    )
    def test_languages_that_the_encoder_does_not_cover(self, mtsig_command, report, config, uncovered):
        a, b = (report(name, many(30, bool, comet_score=lambda i: 0.5), config=config) for name in "ab")
        for command in (("compare", a, b), ("test", a)):
            warnings = [warning for warning in mtsig_command(*command).warnings if "XLM-R" in warning]
            assert [f"does not cover {uncovered}" in warning for warning in warnings] == ([True] if uncovered else [])

    def test_bleu_of_languages_without_spaces(self, mtsig_command, report):
        """B52: mt-eval-harness splits words at spaces whatever the language."""
        a = report("a", many(30, bool), config={"target_lang": "Chinese (Simplified)"})
        assert any("corpus_bleu: splits words at spaces" in warning for warning in mtsig_command("test", a).warnings)


class TestOneRun:
    """``mtsig test``."""

    def test_intervals(self, mtsig_command, report, entries):
        document = mtsig_command.json("test", report("a", entries["A"]))
        assert document["corpus_bleu"] == pytest.approx(75.37619097398905, rel=1e-12)
        assert document["exact_match_rate"] == 0.3
        # The known answers on the same draws.
        for short, low, high in (("bleu", 62.60736262932987, 87.19396363429888), ("chrf", 77.1216812, 91.8281326)):
            found = (document[f"{short}_ci_lower"], document[f"{short}_ci_upper"])
            assert found == pytest.approx((low, high), rel=1e-6)
        assert document["exact_match_ci_lower"] <= 0.3 <= document["exact_match_ci_upper"]
        assert (document["comet_score"], document["comet_ci_lower"]) == (None, None)
        assert (document["seed"], document["n_bootstrap"]) == (12345, 1000)

    def test_options(self, mtsig_command, report, entries):
        a = report("a", entries["A"])
        document = mtsig_command.json("test", a, "--no-ci")
        assert document["corpus_chrf"] == pytest.approx(84.54031733656137, rel=1e-12)
        assert document["chrf_ci_lower"] is document["seed"] is document["n_bootstrap"] is None
        assert mtsig_command.json("test", a, "--n-bootstrap-ci", 2000)["n_bootstrap"] == 2000
        assert "[" not in mtsig_command("test", a, "--no-ci").out
        out = mtsig_command("test", a).out
        assert "run_a (10 entries)" in out
        assert "0.300" in out
        assert "84.54   [77.12, 91.83]" in out

    def test_failed_entries(self, mtsig_command, report):
        entries = many(40, lambda i: True)
        entries[0]["error"] = "timeout"
        document = mtsig_command.json("test", report("a", entries))
        assert (document["n_entries"], document["n_failed"]) == (39, 1)
        assert "1 of 40 entries failed" in document["messages"][0]
        for entry in entries:
            entry["error"] = "timeout"
        assert "nothing to score" in mtsig_command("test", report("b", entries), status=1).last_error

    def test_reports_have_lint_too(self, mtsig_command, report):
        same = many(30, lambda i: True)
        findings = mtsig_command.json("lint", report("a", same), report("b", same))["findings"]
        assert "identical_outputs" in {finding["code"] for finding in findings}


@pytest.mark.parametrize(
    ("p", "text"), [(0.00999, "0.010"), (0.0499, "0.050"), (0.04996, "0.04996"), (0.0004, "<0.001"), (1.0, "1.000")]
)
def test_p_has_three_decimals_unless_these_would_turn_the_verdict(p, text):
    """As mt-eval-harness prints them."""
    from mtsig.cli.reports import _p_words

    assert _p_words(p, 0.05) == {"0.050": "0.0499"}.get(text, text)
