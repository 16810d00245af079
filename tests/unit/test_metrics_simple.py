"""Exact match and the ratio of lengths."""

from __future__ import annotations

import numpy as np
import pytest
from mtsig.errors import ConfigError, InputError
from mtsig.metrics import create_metric
from sacrebleu.metrics import BLEU
from texts import evaluation_set, nasty_corpus


def test_exact_match_of_any_reference() -> None:
    evaluation = evaluation_set([["a", "b", None, None], ["x", "B", "c", None]], [["x", " b\n", None, "a"]])
    metric = create_metric("exact_match", {}, "de-en")
    rows = metric.statistics(evaluation)["A"]
    np.testing.assert_array_equal(rows, [[1], [1], [np.nan], [np.nan]])
    assert metric.corpus_score(rows) == 1
    assert metric.statistic_names == ("value",)


def test_exact_match_distinguishes_case_unless_told_not_to() -> None:
    evaluation = evaluation_set([["Haus"]], [["haus"]])
    values = [
        create_metric("exact_match", {"lowercase": flag}, "de-en").statistics(evaluation)["A"][0, 0]
        for flag in (False, True)
    ]
    assert values == [0, 1]


def test_exact_match_needs_references() -> None:
    with pytest.raises(InputError, match="exact_match compares with references"):
        create_metric("exact_match", {}, "de-en").statistics(evaluation_set([], [["a"]]))


def test_columns_of_a_mean_carry_the_number_of_segments() -> None:
    metric = create_metric("exact_match", {}, "de-en")
    columns = metric.columns(np.array([[1.0], [0.0], [np.nan]]))
    np.testing.assert_array_equal(columns, [[1, 1], [0, 1], [np.nan, np.nan]])
    assert metric.corpus_scores(columns[:2].sum(axis=0)) == 0.5
    assert np.isnan(metric.corpus_scores(np.zeros(2)))


@pytest.mark.parametrize("langpair", ["de-en", "en-zh"])
def test_length_ratio_is_the_one_that_sacrebleu_prints(langpair: str) -> None:
    evaluation = nasty_corpus(5, 80, n_references=2)
    metric = create_metric("length_ratio", {}, langpair)
    references = [list(texts) for texts in evaluation.references.values()]
    peer = BLEU(tokenize="zh" if langpair == "en-zh" else "13a")
    for system, hypotheses in evaluation.systems.items():
        rows = metric.statistics(evaluation)[system]
        assert metric.corpus_score(rows) == peer.corpus_score(list(hypotheses), references).ratio
    assert metric.higher_is_better is None
    assert metric.signature(2) == f"length_ratio|nrefs:2|tok:{peer.tokenizer_signature}|version:2.6.0".replace(
        "2.6.0", str(peer.get_signature()).rpartition(":")[2]
    )


def test_length_ratio_to_nothing_is_undefined() -> None:
    metric = create_metric("length_ratio", {}, "de-en")
    rows = metric.statistics(evaluation_set([["", "a b"]], [["a", "a"]]))["A"]
    np.testing.assert_array_equal(metric.segment_scores(rows), [np.nan, 0.5])
    assert metric.corpus_score(rows) == 1


@pytest.mark.parametrize("key", ["exact_match", "length_ratio"])
def test_unknown_options_are_refused(key: str) -> None:
    with pytest.raises(ConfigError, match=f"metrics.{key}.beta: no such option"):
        create_metric(key, {"beta": 2}, "de-en")
