"""Word and character error rates against jiwer's numbers and against the plain recurrence."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mtsig.errors import ConfigError
from mtsig.metrics import create_metric
from mtsig.metrics.errorrates import edit_distance
from texts import evaluation_set, nasty_corpus


def plain_distance(a, b):
    """The recurrence of Wagner and Fischer (1974), cell by cell."""
    above = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        row = [i]
        for j, y in enumerate(b, start=1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (x != y)))
        above = row
    return above[-1]


@settings(deadline=None)
@given(st.text("abc", max_size=90), st.text("abc", max_size=90))
def test_distance_is_that_of_the_recurrence(a, b):
    assert edit_distance(a, b) == plain_distance(a, b)


# jiwer 4.0.0: wer(references, outputs) and cer(references, outputs) on the corpus of ten segments.
JIWER = [
    ("wer", "A", 0.1348314606741573),
    ("wer", "B", 0.24719101123595505),
    ("cer", "A", 0.10828025477707007),
    ("cer", "B", 0.16560509554140126),
]


@pytest.mark.parametrize(("kind", "system", "expected"), JIWER)
def test_scores_are_those_of_jiwer(t10, kind, system, expected):
    metric = create_metric(kind, {}, "xx-en")
    rows = metric.statistics(evaluation_set([t10["reference"]], {system: t10[system]}))[system]
    assert metric.corpus_score(rows) == pytest.approx(expected, rel=1e-12)
    assert metric.higher_is_better is False


def test_closest_of_several_references_against_their_mean_length():
    metric = create_metric("wer", {}, "xx-en")
    evaluation = evaluation_set([["a b c d", "a", None], ["a x", None, None]], [["a b", "b", "a"]])
    rows = metric.statistics(evaluation)["A"]
    np.testing.assert_array_equal(rows, [[1, 3], [1, 1], [np.nan, np.nan]])
    assert metric.corpus_score(rows) == 0.5


def test_characters_count_with_the_spaces_between_words():
    metric = create_metric("cer", {"lowercase": True}, "xx-en")
    rows = metric.statistics(evaluation_set([["Ab c "]], [[" abc"]]))["A"]
    np.testing.assert_array_equal(rows, [[1, 4]])


def test_rates_to_nothing_are_undefined():
    metric = create_metric("wer", {}, "xx-en")
    rows = metric.statistics(evaluation_set([["", "", "a b"]], [["a", "", "a"]]))["A"]
    np.testing.assert_array_equal(metric.segment_scores(rows), [np.nan, np.nan, 0.5])
    assert metric.corpus_score(rows) == 1


def test_many_references_and_threads_change_nothing():
    evaluation = nasty_corpus(4, 50, n_references=2)
    for kind in ("wer", "cer"):
        metric = create_metric(kind, {}, "xx-en")
        one, four = (metric.statistics(evaluation, threads=threads) for threads in (1, 4))
        for system in one:
            np.testing.assert_array_equal(one[system], four[system])


def test_words_are_those_of_the_target_language():
    assert create_metric("wer", {}, "en-de").signature(1).startswith("wer|nrefs:1|case:mixed|tok:whitespace|")
    rows = create_metric("wer", {}, "en-zh").statistics(evaluation_set([["我 们去"]], [["我们"]], "en-zh"))["A"]
    np.testing.assert_array_equal(rows, [[1, 3]])


def test_unknown_options_are_refused():
    with pytest.raises(ConfigError, match=r"metrics\.cer\.tokenize: no such option"):
        create_metric("cer", {"tokenize": "13a"}, "en-de")
