"""Flags that texts and scores give to systems and pairs: on which texts a metric means little, and only there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mtsig.contracts import FLAGS
from mtsig.metrics import create_metric
from mtsig.metrics.cautions import Cautions, cautions_of
from mtsig.resampling.analysis import analyse
from mtsig.resampling.settings import ResamplingSettings
from texts import evaluation_set

SHORT = ["Green Square", "Old Harbour Road", "Settings", "Save file", "Log out"]
WORSE = ["Red Square", "Harbour", "Setup", "Save", "Exit"]
SETTINGS = ResamplingSettings(seed=12345, n_resamples=200, n_trials=200)


def flags(
    kind: str, references: Any, systems: dict[str, list[str]], langpair: str = "de-en", **options: Any
) -> dict[str, list[str]]:
    """System to its flags."""
    evaluation = evaluation_set(references, systems)
    metric = create_metric("m", {"kind": kind, **options}, langpair)
    cautions = cautions_of(metric, evaluation, metric.statistics(evaluation))
    return {system: sorted(cautions.of_system(system)) for system in systems}


def test_bleu_says_that_no_reference_has_a_4_gram() -> None:
    """BLEU of an output that equals such references is 0, as that of any other."""
    systems = {"perfect": SHORT, "worse": WORSE, "wordy": ["this is a long output of ten words or so"] * 5}
    assert flags("bleu", [SHORT], systems) == {key: ["no_ngrams"] for key in systems}
    assert flags("bleu", [SHORT], systems, max_ngram_order=2) == {key: [] for key in systems}
    assert flags("bleu", [SHORT], systems, effective_order=True) == {key: [] for key in systems}
    assert flags("chrf", [SHORT], systems) == {key: [] for key in systems}


def test_one_long_reference_is_enough_also_if_none_is_close_to_it() -> None:
    """An empty output next to references with 4-grams is rightly 0."""
    long = ["one two three four", *SHORT[1:]]
    assert flags("bleu", [SHORT, long], {"A": SHORT}) == {"A": []}
    assert flags("bleu", [long], {"A": [""] * 5}) == {"A": []}


def test_where_nothing_can_match_no_test_decides() -> None:
    """Whatever p is: here one of two outputs has all the points that smoothing gives."""
    references, systems = SHORT * 8, {"perfect": SHORT * 8, "wordy": ["the Square of Harbour Settings"] * 40}
    evaluation = evaluation_set([references], systems)
    metric = create_metric("bleu", {}, "de-en")
    statistics = metric.statistics(evaluation)
    (without,) = analyse(statistics, metric, SETTINGS).pairs
    (pair,) = analyse(statistics, metric, SETTINGS, cautions=cautions_of(metric, evaluation, statistics)).pairs
    assert without.significant
    assert (pair.significant, pair.winner, pair.p_value) == (False, None, without.p_value)
    assert "no_ngrams" in pair.flags


def test_chrf_says_where_the_order_of_references_decides() -> None:
    """Scores of 74.61 and 27.67, which sacreBLEU gives too; a tie at 0 takes the first reference."""
    output = ["zzzz"] * 5 + ["the long road leads home"] * 5
    first = ["ab"] * 5 + ["the long road leads away"] * 5
    second = ["a very much longer reference that shares nothing"] * 5 + ["the long road leads away"] * 5
    scores = []
    for references in ([first, second], [second, first]):
        evaluation = evaluation_set(references, {"A": output, "B": second})
        metric = create_metric("chrf", {}, "de-en")
        statistics = metric.statistics(evaluation)
        scores.append(round(metric.corpus_score(statistics["A"]), 2))
        cautions = cautions_of(metric, evaluation, statistics)
        assert (cautions.of_system("A"), cautions.of_system("B")) == ({"reference_order"}, set())
    assert scores == [74.61, 27.67]
    # One reference has no order, and references of one length tie without consequence.
    assert flags("chrf", [first], {"A": output}) == {"A": []}
    assert flags("chrf", [["ab"] * 10, ["cd"] * 10], {"A": output}) == {"A": []}


THAI = ["ฉันชอบอ่านหนังสือ", "วันนี้อากาศดีมาก"]
CHINESE = ["老路通向家。", "今天天气很好。"]


@pytest.mark.parametrize("kind", ["bleu", "nist", "gtm", "wer", "length_ratio"])
def test_metrics_of_words_say_so_where_no_spaces_part_words(kind: str) -> None:
    for texts in (THAI, CHINESE):
        assert flags(kind, [texts], {"A": texts}, langpair="en-de") == {"A": [*_no_ngrams(kind), "no_word_boundaries"]}
        assert "no_word_boundaries" not in flags(kind, [texts], {"A": texts}, tokenize="char")["A"]


def _no_ngrams(kind: str) -> list[str]:
    return ["no_ngrams"] if kind == "bleu" else []


def test_metrics_without_words_and_texts_with_spaces_are_left_alone() -> None:
    assert flags("chrf", [THAI], {"A": THAI}) == flags("cer", [THAI], {"A": THAI}) == {"A": []}
    for text in ("老 路 通向 家 。", "나는 오래된 길을 따라 집으로 갔다.", "Con đường cũ dẫn về nhà."):
        assert flags("gtm", [[text]], {"A": [text]}) == {"A": []}


def scored(tmp_path: Path, scores: dict[str, list[float]], texts: dict[str, list[str]]) -> Cautions:
    evaluation = evaluation_set([["r"] * len(next(iter(texts.values())))], texts)
    files = {}
    for name, values in scores.items():
        path = tmp_path / f"{name}.scores"
        path.write_text("".join(f"{value!r}\n" for value in values))
        files[name] = str(path)
    settings = {"kind": "precomputed", "scores": files, "higher_is_better": True}
    metric = create_metric("given", settings, "de-en")
    return cautions_of(metric, evaluation, metric.statistics(evaluation))


def test_equal_texts_with_unequal_scores(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The whole difference is one between equal texts; differences of other texts and of the last digits are none."""
    texts = [f"t{row}" for row in range(100)]
    other = [*texts[:90], *(f"u{row}" for row in range(10))]
    base = [0.762 + row / 1000 for row in range(100)]
    cautions = scored(tmp_path, {"A": [value + 1e-5 for value in base], "B": base}, {"A": texts, "B": other})
    assert cautions == Cautions({}, {("A", "B"): frozenset({"unequal_scores"})})
    assert "A and B have the same text on segment 1 (row 1)" in caplog.text
    # The same 90 differences are a hundredth of a difference that other texts make.
    better = [value + 1e-5 for value in base[:90]] + [value + 0.01 for value in base[90:]]
    assert scored(tmp_path, {"A": better, "B": base}, {"A": texts, "B": other}) == Cautions()
    nearly = [value + 1e-8 for value in base[:90]] + [0.1] * 10
    assert scored(tmp_path, {"A": nearly, "B": base}, {"A": texts, "B": other}) == Cautions()


def test_scores_on_other_scales_are_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The odd one out has the flag, and all pairs with it; good and bad systems on one scale have none."""
    rng = np.random.default_rng(5)
    texts = {name: [f"{name}{row}" for row in range(50)] for name in "ABC"}
    scores = {name: rng.uniform(0.2, 0.9, 50).tolist() for name in "AB"} | {"C": rng.uniform(20, 90, 50).tolist()}
    cautions = scored(tmp_path, scores, texts)
    unlike = frozenset({"unlike_ranges"})
    assert cautions == Cautions({"C": unlike}, {("A", "C"): unlike, ("B", "C"): unlike})
    assert "scores differ by orders of magnitude (A 0.2" in caplog.text
    # Error scores, most of them 0: the one with few errors is not on another scale.
    errors = {"A": [-25.0, -5.0] + [-1.0] * 48, "B": [-5.0] + [0.0] * 49, "C": [0.0] * 50}
    assert scored(tmp_path, errors, texts) == Cautions()


def test_flags_are_of_the_closed_vocabulary_and_survive_a_table() -> None:
    cautions = Cautions({"A": frozenset({"no_ngrams"})}, {("A", "B"): frozenset({"unequal_scores"})})
    assert {"no_ngrams", "no_word_boundaries", "reference_order", "unequal_scores", "unlike_ranges"} <= set(FLAGS)
    assert Cautions.from_json(cautions.to_json()) == cautions
    assert (Cautions().to_json(), Cautions.from_json("")) == ("", Cautions())


def test_equal_texts_are_told_from_equal_scores() -> None:
    """Two outputs may miss every segment in their own ways; a suite's texts are equal if they are so everywhere."""
    evaluation = evaluation_set([["a b", "c d"]], {"A": ["x", "y"], "B": ["x", "y"], "C": ["x", "k"]})
    metric = create_metric("exact_match", {}, "de-en")
    statistics = metric.statistics(evaluation)
    cautions = cautions_of(metric, evaluation, statistics)
    rows = analyse(statistics, metric, SETTINGS, cautions=cautions).pairs
    flagged = {(row.system_a, row.system_b): {"equal_texts", "identical_output"} & set(row.flags) for row in rows}
    assert flagged == {
        ("A", "B"): {"equal_texts", "identical_output"},
        ("A", "C"): {"identical_output"},
        ("B", "C"): {"identical_output"},
    }
    elsewhere = Cautions({"A": frozenset({"no_ngrams"})})
    assert Cautions.of_suite([cautions, cautions]).of_pair("A", "B") == {"equal_texts"}
    assert Cautions.of_suite([cautions, elsewhere]).of_pair("A", "B") == {"no_ngrams"}


def test_texts_that_are_not_there_are_not_equal() -> None:
    evaluation = evaluation_set([["a b", "c d"]], {"A": [None, "y"], "B": ["x", None], "C": [None, "y"]})
    metric = create_metric("exact_match", {}, "de-en")
    cautions = cautions_of(metric, evaluation, metric.statistics(evaluation))
    assert cautions.pairs == {("A", "C"): {"equal_texts"}}
