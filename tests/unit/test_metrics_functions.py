"""Scores by the user's own functions: of segments, of sums of statistics, and of whole corpora."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mtsig.corpus.rawfiles import metric_files
from mtsig.errors import ConfigError, InputError
from mtsig.metrics import create_metric
from mtsig.metrics.functions import corpus_function
from mtsig.resampling.analysis import analyse
from mtsig.resampling.settings import ResamplingSettings
from sacrebleu.metrics import BLEU
from texts import evaluation_set

SOURCE = """
def overlap(hypothesis, reference):
    return len(set(hypothesis.split()) & set(reference.split())) / max(len(reference.split()), 1)

def best(hypothesis, references, weight=1.0):
    return weight * max(overlap(hypothesis, reference) for reference in references)

def copied(source, hypothesis):
    return source == hypothesis

def unrated(hypothesis):
    return None if hypothesis == "?" else len(hypothesis)

def broken(hypothesis):
    raise KeyError("no model")

def giant(hypothesis):
    return 10**400


def largest(hypothesis):
    return 1e308


def leaving(hypothesis):
    raise SystemExit(3)


def endless(hypothesis):
    return float("inf")

def wordy(hypothesis):
    return "many"

def odd(candidate):
    return 1.0

class lengths:
    names = ("hyp_len", "ref_len")
    @staticmethod
    def statistics(hypothesis, reference):
        return len(hypothesis.split()), len(reference.split())
    @staticmethod
    def score(sums):
        return sums[0] / sums[1] if sums[1] else None
"""


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mine.py"
    path.write_text(SOURCE)
    return path


def metric(name: str, **options: object):
    return create_metric(
        "m", {"kind": "function", "function": f"mine:{name}", "higher_is_better": True, **options}, "x-y"
    )


def test_functions_of_segments_are_means():
    evaluation = evaluation_set([["a b", "c d", None], ["a x", None, None]], [["a b", "c", "a"]])
    scorer = metric("best")
    rows = scorer.statistics(evaluation)["A"]
    np.testing.assert_array_equal(rows, [[1], [0.5], [np.nan]])
    assert scorer.corpus_score(rows) == 0.75
    assert scorer.formula is not None
    assert scorer.statistic_names == ("value",)
    rows = metric("overlap").statistics(evaluation)["A"]
    np.testing.assert_array_equal(rows, [[1], [0.5], [np.nan]])


def test_what_a_function_needs_and_is_not_there_is_missing():
    evaluation = evaluation_set([], [["?", None, "abc"]])
    np.testing.assert_array_equal(metric("unrated").statistics(evaluation)["A"], [[np.nan], [np.nan], [3]])
    assert np.isnan(metric("copied").statistics(evaluation)["A"]).all()


def test_objects_score_sums():
    """Three words to six in all: 0.5, whereas the mean of the two ratios is 0.625."""
    scorer = metric("lengths")
    rows = scorer.statistics(evaluation_set([["a b", "a b c d"]], [["a b", "a"]]))["A"]
    np.testing.assert_array_equal(rows, [[2, 2], [1, 4]])
    assert scorer.corpus_score(rows) == 0.5
    np.testing.assert_array_equal(scorer.segment_scores(rows), [1, 0.25])
    assert np.isnan(scorer.corpus_scores(np.zeros((2, 2)))).all()


def test_the_source_stands_in_the_signature_and_among_the_files(module):
    before = metric("overlap").signature(1)
    assert before.startswith("function:mine:overlap|nrefs:1|sha256:")
    module.write_text(SOURCE + "\n# another text\n")
    assert metric("overlap").signature(1) != before
    assert metric_files({"kind": "function", "function": "mine:overlap"}, {}) == [Path("mine.py")]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("absent", r"m\.function: mine\.py defines no 'absent'"),
        ("odd", r"mine:odd: has the parameter 'candidate'\. Name its parameters as what it needs of hypothesis,"),
        ("__name__", r"is str, which cannot be called"),
    ],
)
def test_functions_that_cannot_be_used(name, message):
    with pytest.raises(ConfigError, match=message):
        metric(name)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("broken", r"mine:broken, system 'A', segment '1': fails with KeyError: 'no model'"),
        ("endless", r"mine:endless, system 'A', segment '1': gave inf, but a number is needed"),
        ("giant", r"gave 1000000000.*, but a number is needed"),
        ("largest", r"gave 1e\+308, but a number is needed"),
        ("leaving", r"mine:leaving, system 'A', segment '1': fails with SystemExit: 3"),
        ("wordy", r"gave many, but a number is needed"),
    ],
)
def test_functions_that_fail(name, message):
    with pytest.raises(InputError, match=message):
        metric(name).statistics(evaluation_set([["a"]], [["b"]]))


def test_modules_that_are_not_there_or_fail(module):
    with pytest.raises(ConfigError, match=r"m\.function: there is no module 'gone'; it is looked for as gone\.py"):
        create_metric("m", {"kind": "function", "function": "gone:f", "higher_is_better": True}, "x-y")
    with pytest.raises(ConfigError, match=r"'mine' is not written as module:name"):
        create_metric("m", {"kind": "function", "function": "mine", "higher_is_better": True}, "x-y")
    with pytest.raises(ConfigError, match=r"m\.higher_is_better: is missing"):
        create_metric("m", {"kind": "function", "function": "mine:overlap"}, "x-y")
    module.write_text("import nothing_of_that_name\n")
    with pytest.raises(ConfigError, match=r"mine\.py cannot be imported \(ModuleNotFoundError"):
        metric("overlap")


def test_any_score_of_a_corpus_gives_what_its_statistics_give(t10):
    """SacreBLEU called for each resample and swap, against the metric with the same draws."""
    evaluation = evaluation_set([t10["reference"]], {"A": t10["A"], "B": t10["B"]})
    peer = BLEU()

    def score(hypotheses, reference):
        return peer.corpus_score(hypotheses, [reference]).score

    settings = ResamplingSettings(seed=12345, n_resamples=200, n_trials=100, max_resamples=0)
    statistics, scorer = corpus_function(score, evaluation, scale=100.0)
    found = analyse(statistics, scorer, settings)
    bleu = create_metric("bleu", {}, "xx-en")
    expected = analyse(bleu.statistics(evaluation), bleu, settings)
    for pair in (found.pairs[0], expected.pairs[0]):
        assert (pair.score_a, pair.score_b) == pytest.approx((75.37619097398905, 59.56236475473167))
    for name in ("wins_a", "wins_b", "koehn_verdict", "winner"):
        assert getattr(found.pairs[0], name) == getattr(expected.pairs[0], name)
    for name in ("p_value", "p_ar", "ci_low", "ci_high"):
        assert getattr(found.pairs[0], name) == pytest.approx(getattr(expected.pairs[0], name), rel=1e-9)
    assert [row.ci_low for row in found.systems] == pytest.approx([row.ci_low for row in expected.systems])


def test_corpora_too_large_for_a_function_are_refused():
    evaluation = evaluation_set([["a"] * 9000], [["a"] * 9000])
    with pytest.raises(ConfigError, match="9000 segments of 1 systems are too many"):
        corpus_function(lambda hypotheses: 1.0, evaluation)
    with pytest.raises(ConfigError, match="has the parameter 'x'"):
        corpus_function(lambda x: 1.0, evaluation)
