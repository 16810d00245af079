"""Verdicts: no sentence says what the table it stands above does not."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from mtsig.contracts import DOUBTS
from mtsig.corpus.lint import DESCRIPTIONS, consequence_of
from mtsig.report.results import MetricResult, result_of
from mtsig.report.verdicts import KINDS, agreement, best_systems, headline, pair_verdict

SETTINGS = {
    "testset": "t",
    "langpair": "en-de",
    "metric": "bleu",
    "alpha": 0.05,
    "confidence_level": 0.95,
    "n_resamples": 1000,
    "n_trials": 10000,
    "seed": 1,
    "resample_unit": "segment",
    "adjust": "none",
    "signature": "s",
}
BETTER = {True: 1, False: -1}
#: What can turn the best system into the worst.
SPOILING = {
    "repeated_hypothesis",
    "sgml_as_text",
    "shifted_lines",
    "shuffled_lines",
    "system_equals_source",
    "unlike_ranges",
    "wrong_script",
}


def table(
    scores: dict[str, float | None],
    *,
    winners: Sequence[tuple[str, str]] = (),
    same: Sequence[tuple[str, str]] = (),
    flags: dict[Any, list[str]] | None = None,
    higher_is_better: bool | None = True,
    n_segments: int = 1000,
    detectable: float = 0.5,
    metric: str = "bleu",
) -> MetricResult:
    """Rows by hand: scores, (winner, loser), pairs with the same output, flags of systems and of pairs."""
    flags = flags or {}
    shared = {**SETTINGS, "metric": metric, "higher_is_better": higher_is_better, "n_segments": n_segments}
    shared["n_units"] = n_segments
    sign = BETTER.get(higher_is_better, 1)
    known = [score for score in scores.values() if score is not None]
    systems = []
    for name, score in scores.items():
        rank = None if score is None else 1 + sum(sign * other > sign * score for other in known)
        own = {"system": name, "score": score, "ci_low": score, "ci_high": score, "rank": rank, "rank_low": rank}
        systems.append({**shared, **own, "rank_high": rank, "cluster": 1, "flags": flags.get(name, [])})
    pairs = []
    for a, b in combinations(sorted(scores), 2):
        defined = scores[a] is not None and scores[b] is not None
        winner = next((one for one, other in winners if {one, other} == {a, b}), None)
        own_flags = {*flags.get((a, b), []), *(["identical_output", "equal_texts"] if (a, b) in same else [])}
        own_flags |= {flag for name in (a, b) for flag in flags.get(name, []) if flag in DOUBTS}
        p = None if not defined else 0.01 if winner else 1.0 if (a, b) in same else 0.4
        pairs.append(
            {
                **shared,
                "system_a": a,
                "system_b": b,
                "score_a": scores[a],
                "score_b": scores[b],
                "delta": scores[a] - scores[b] if defined else None,
                "ci_low": -1.0 if defined else None,
                "ci_high": 1.0 if defined else None,
                "detectable_difference": detectable,
                "p_value": p,
                "p_adjusted": None,
                "p_ar": p,
                "ar_exact": False,
                "significant": winner is not None,
                "winner": winner,
                "flags": sorted(own_flags),
            }
        )
    return result_of(systems, pairs)


def test_equal_scores_name_nobody_best() -> None:
    """Two outputs, each right on other segments: neither is best, and they are not the same output."""
    found = headline(table({"alpha": 50.0, "zeta": 50.0}))
    assert found.kind == "same_score"
    assert found.sentence.startswith("alpha and zeta score the same (50")
    assert "best" not in found.sentence
    assert "same output" not in found.sentence


def test_same_output_is_said_of_equal_texts_only() -> None:
    result = table({"a": 50.0, "b": 50.0, "c": 50.0}, same=[("a", "b")])
    assert headline(result).kind == "same_score"
    assert [pair_verdict(result, row).kind for row in result.pairs] == ["same_output", "same_score", "same_score"]
    assert headline(table({"a": 50.0, "b": 50.0}, same=[("a", "b")])).because[0] == "a and b gave the same output."


def test_equal_scores_on_every_segment_are_no_equal_texts() -> None:
    """Two outputs that miss everything in their own ways."""
    result = table({"h1": 0.0, "h2": 0.0}, flags={("h1", "h2"): ["identical_output"]})
    assert headline(result).kind == pair_verdict(result, result.pairs[0]).kind == "same_score"
    assert "same output" not in headline(result).sentence


def test_equal_leaders_that_beat_the_rest_are_both_said_to() -> None:
    result = table({"a": 50.0, "b": 50.0, "c": 40.0}, winners=[("a", "c"), ("b", "c")])
    assert "; both are significantly better than c (+10" in headline(result).sentence
    assert best_systems(result) == ["a", "b"]


def test_who_is_not_beaten_by_every_leader_is_at_the_top() -> None:
    """Whoever of two equals comes first by name decides nothing."""
    for winner in ("a", "b"):
        result = table({"a": 50.0, "b": 50.0, "c": 40.0}, winners=[(winner, "c")])
        assert best_systems(result) == ["a", "b", "c"]
        other = {"a": "b", "b": "a"}[winner]
        assert f"c is not significantly different from {other} (" in headline(result).sentence


def test_a_finding_about_the_winner_makes_the_verdict_doubtful() -> None:
    """A reference made from the winner's output: said with the win, and of the pair too."""
    flags = {"w": ["post_edited_reference"]}
    result = table({"w": 60.0, "x": 46.0, "y": 45.0}, winners=[("w", "x"), ("w", "y"), ("x", "y")], flags=flags)
    found = headline(result)
    assert found.kind == "doubtful"
    assert "Doubtful: w: a reference looks post-edited from this output" in found.sentence
    kinds = {(row["system_a"], row["system_b"]): pair_verdict(result, row).kind for row in result.pairs}
    assert kinds == {("w", "x"): "doubtful", ("w", "y"): "doubtful", ("x", "y"): "winner"}


def test_what_favours_a_loser_leaves_the_headline_alone() -> None:
    result = table({"w": 60.0, "x": 46.0}, winners=[("w", "x")], flags={"x": ["post_edited_reference"]})
    assert headline(result).kind == "winner"
    assert (
        headline(table({"w": 60.0, "x": 46.0}, winners=[("w", "x")], flags={"x": ["shifted_lines"]})).kind == "doubtful"
    )


@pytest.mark.parametrize(("winners", "words"), [([("a", "b")], "a is significantly better"), ([], "not significantly")])
def test_a_decision_that_another_seed_could_change_names_its_pair(winners: list[Any], words: str) -> None:
    result = table({"a": 50.0, "b": 49.0}, winners=winners, flags={("a", "b"): ["monte_carlo"]})
    for found in (headline(result), pair_verdict(result, result.pairs[0])):
        assert found.kind == "monte_carlo"
        assert words in found.sentence
        assert "Another seed could change the verdict on a and b, even with 1,000 resamples." in found.because


def test_an_open_decision_does_not_hide_a_firm_one() -> None:
    result = table({"a": 50.0, "b": 49.9, "c": 49.0}, flags={("a", "c"): ["monte_carlo"]})
    assert headline(result).kind == "not_significant"
    assert "Another seed could change the verdict on a and c" in headline(result).sentence


def test_a_star_below_the_detectable_difference_is_weak() -> None:
    result = table({"a": 50.0, "b": 49.0}, winners=[("a", "b")], detectable=1.4)
    assert headline(result).kind == pair_verdict(result, result.pairs[0]).kind == "below_detectable"
    assert "below the 1.4" in headline(result).sentence
    assert headline(table({"a": 50.0, "b": 48.5}, winners=[("a", "b")], detectable=1.4)).kind == "winner"


def test_few_segments_say_what_they_detect() -> None:
    result = table({"a": 50.0, "b": 49.0}, n_segments=100, detectable=1.4)
    assert "100 segments are few: with 80 % power they detect differences from 1.4" in headline(result).sentence
    assert "are few" not in headline(table({"a": 50.0, "b": 49.0}, n_segments=300)).sentence


def test_what_cannot_be_judged_or_tested_says_why() -> None:
    assert headline(table({"a": 1.0, "b": 2.0}, higher_is_better=None)).kind == "not_judged"
    one = table({"a": 1.0, "b": 2.0}, n_segments=1)
    row = {**one.pairs[0], "p_value": None, "p_ar": None, "flags": ["one_unit"]}
    found = pair_verdict(replace(one, pairs=(row,)), row)
    assert (found.kind, found.because[0]) == (
        "undefined",
        "a and b cannot be tested: there is one segment only, so nothing can be resampled.",
    )


def test_metrics_agree_on_the_top_or_have_none_in_common() -> None:
    """A system may be at the top of a metric by which another one scores best: the sentence says what top means."""
    one = table({"a": 50.0, "b": 49.0, "c": 40.0}, winners=[("a", "c"), ("b", "c")], metric="bleu")
    two = table({"a": 60.0, "b": 61.0, "c": 40.0}, winners=[("a", "c"), ("b", "c")], metric="chrf")
    assert agreement([one, two]) == "By every metric a and b are best or not significantly worse than the best."
    won = table({"a": 9.0, "b": 2.0, "c": 1.0}, winners=[("a", "b"), ("a", "c")], metric="gtm")
    again = table({"a": 8.0, "b": 2.0, "c": 1.0}, winners=[("a", "b"), ("a", "c")], metric="ter")
    assert agreement([won, again]) == "By every metric a is significantly better than all others."
    three = table({"a": 1.0, "b": 2.0, "c": 9.0}, winners=[("c", "a"), ("c", "b")], metric="ter")
    assert agreement([one, three]).startswith("No system is best, or not significantly worse than the best, by every")


def test_metrics_do_not_agree_on_a_doubtful_system_without_a_word() -> None:
    tables = [
        table({"a": 9.0, "b": 1.0}, winners=[("a", "b")], flags={"a": ["post_edited_reference"]}, metric=metric)
        for metric in ("bleu", "chrf")
    ]
    assert agreement(tables) == (
        "By every metric a is significantly better than all others. "
        "Doubtful: a: a reference looks post-edited from this output, which favours it."
    )


def random_table(rng: random.Random) -> MetricResult:
    """Scores on a coarse grid, so that ties are usual; winners always have the better score."""
    names = rng.sample(["A", "B", "C++", "d e", "E"], rng.randint(1, 5))
    higher_is_better = rng.choice([True, False])
    outputs = {name: rng.randint(0, 6) for name in names}
    score_of = {output: rng.choice([None, 10.0, 20.0, 20.0, 30.0]) for output in range(7)}
    scores = {name: score_of[outputs[name]] for name in sorted(names)}
    same = [(a, b) for a, b in combinations(sorted(names), 2) if outputs[a] == outputs[b]]
    winners = []
    flags: dict[Any, list[str]] = {name: rng.sample(sorted(DOUBTS), rng.choice([0, 0, 0, 1])) for name in names}
    for a, b in combinations(sorted(names), 2):
        if None not in (scores[a], scores[b]) and scores[a] != scores[b] and rng.random() < 0.6:
            first = (scores[a] > scores[b]) == higher_is_better  # type: ignore[operator]
            winners.append((a, b) if first else (b, a))
        tested = None not in (scores[a], scores[b]) and scores[a] != scores[b]
        flags[a, b] = ["monte_carlo"] if tested and rng.random() < 0.3 else []
    return table(
        scores,
        winners=winners,
        same=same,
        flags=flags,
        higher_is_better=higher_is_better,
        n_segments=rng.choice([50, 400]),
        detectable=rng.choice([0.1, 15.0]),
    )


def beats(result: MetricResult, one: str, other: str) -> bool:
    return any({row["system_a"], row["system_b"]} == {one, other} and row["winner"] == one for row in result.pairs)


@pytest.mark.parametrize("seed", range(400))
def test_no_sentence_contradicts_its_table(seed: int) -> None:
    """Read back from the words alone, for a headline and all pairs of a random table."""
    result = random_table(random.Random(seed))
    scores = {row["system"]: row["score"] for row in result.systems if row["score"] is not None}
    sign = BETTER[result.higher_is_better]  # type: ignore[index]
    top = [name for name in scores if all(sign * scores[name] >= sign * other for other in scores.values())]
    found = headline(result)
    assert found.kind in KINDS
    text = found.sentence
    names = "|".join(map(re.escape, sorted((row["system"] for row in result.systems), reverse=True)))
    if match := re.match(rf"({names}) scores best", text):
        assert top == [match[1]]
        assert not all(beats(result, top[0], other) for other in scores if other != top[0])
    if match := re.match(rf"({names}) is significantly better than", text):
        assert top == [match[1]]
        assert all(beats(result, top[0], other) for other in scores if other != top[0])
    if len(top) > 1:
        assert "score the same" in text or "gave the same output" in text
        assert all(name in text for name in top)
        assert found.kind in ("same_score", "same_output")
    if found.kind == "winner":
        assert not any(
            "monte_carlo" in row["flags"] for row in result.pairs if top[0] in (row["system_a"], row["system_b"])
        )
    for row in result.systems:
        for flag in row["flags"]:
            concerns = row["score"] is not None and len(scores) > 1 and (flag in SPOILING or row["system"] in top)
            assert not concerns or DOUBTS[flag] in text
    for row in result.pairs:
        a, b = row["system_a"], row["system_b"]
        verdict = pair_verdict(result, row)
        said = verdict.sentence
        assert ("significantly better" in said) == (row["winner"] is not None)
        assert row["winner"] is None or said.startswith(f"{row['winner']} is significantly better than")
        assert ("gave the same output" in said) == ("identical_output" in row["flags"] and row["delta"] is not None)
        equal = row["delta"] == 0 and "identical_output" not in row["flags"]
        assert ("score the same" in said) == equal == (verdict.kind == "same_score")
        assert ("undefined" in said) == (row["delta"] is None) == (verdict.kind == "undefined")
        assert ("Another seed" in said) == ("monte_carlo" in row["flags"] and row["delta"] is not None)
        assert all(DOUBTS[flag] in said for flag in row["flags"] if flag in DOUBTS)
        assert verdict.kind != "winner" or not {*row["flags"]} & {*DOUBTS, "monte_carlo"}
        assert a in said
        assert b in said


def test_findings_that_touch_a_verdict_are_flags_that_stand_in_it() -> None:
    """All of the check's findings about a system's output but those that a verdict has other ways to say, or none.

    Missing and empty outputs count as what they are; a translation may be short; and of the others no system is known.
    """
    elsewhere = {
        "blank_hypotheses",
        "blank_references",
        "canary_line",
        "foreign_segments",
        "identical_outputs",
        "length_ratio_system",
        "missing_hypotheses",
        "missing_references",
        "no_translation_line",
    }
    touching = {code for code in DESCRIPTIONS if consequence_of(code) == "verdict"}
    assert touching - elsewhere <= set(DOUBTS)
    assert set(DOUBTS) - touching == {"reference_order", "unlike_ranges"}, "flags of scores, not of texts"
