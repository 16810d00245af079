"""BLEU, chrF, chrF++ and TER: statistics, scores and signatures against the installed sacreBLEU, option by option."""

from __future__ import annotations

import functools
import logging
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mtsig.corpus.model import EvaluationSet
from mtsig.errors import ConfigError, InputError
from mtsig.kernels import _python_extraction, _python_ter, extraction
from mtsig.metrics import create_metric
from mtsig.metrics.base import reference_count
from sacrebleu.metrics import BLEU, CHRF, TER
from texts import evaluation_set, nasty_corpus

# Settings of ours, and the metric of sacreBLEU with the same options.
OPTIONS: list[tuple[dict[str, Any], Any, dict[str, Any]]] = [
    *(
        ({"kind": "bleu", **options}, BLEU, options)
        for options in (
            {},
            {"lowercase": True},
            {"tokenize": "none"},
            {"tokenize": "zh"},
            {"tokenize": "intl"},
            {"tokenize": "char"},
            {"tokenize": "ja-mecab"},
            {"tokenize": "ko-mecab"},
            {"tokenize": "intl", "lowercase": True},
            {"smooth_method": "none"},
            {"smooth_method": "floor"},
            {"smooth_method": "floor", "smooth_value": 0.3},
            {"smooth_method": "add-k"},
            {"smooth_method": "add-k", "smooth_value": 0.5},
            {"max_ngram_order": 2},
            {"max_ngram_order": 6},
            {"effective_order": True},
            {"effective_order": True, "smooth_method": "none", "max_ngram_order": 6},
        )
    ),
    *(
        ({"kind": "chrf", **options}, CHRF, options)
        for options in (
            {},
            {"lowercase": True},
            {"whitespace": True},
            {"eps_smoothing": True},
            {"char_order": 3, "beta": 1},
            {"word_order": 1, "beta": 3, "eps_smoothing": True},
        )
    ),
    ({"kind": "chrf++"}, CHRF, {"word_order": 2}),
    (
        {"kind": "chrf++", "lowercase": True, "whitespace": True},
        CHRF,
        {"word_order": 2, "lowercase": True, "whitespace": True},
    ),
    *(
        ({"kind": "ter", **options}, TER, options)
        for options in (
            {},
            {"case_sensitive": True},
            {"normalized": True},
            {"no_punct": True},
            {"normalized": True, "asian_support": True},
            {"no_punct": True, "asian_support": True, "case_sensitive": True},
            {"normalized": True, "no_punct": True, "asian_support": True},
        )
    ),
]
CORPORA = {
    "one reference": nasty_corpus(1, 60, n_words=20),
    "two references": nasty_corpus(2, 30, n_references=2, n_words=16),
    "missing references": nasty_corpus(3, 30, n_references=3, missing=0.4, n_words=12),
}


@pytest.fixture(params=["native", "python"])
def path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run a test with the compiled kernels and with their twins."""
    if request.param == "python":
        monkeypatch.setattr(extraction, "bleu_statistics", _python_extraction.bleu_statistics)
        monkeypatch.setattr(extraction, "chrf_statistics", _python_extraction.chrf_statistics)
        monkeypatch.setattr(extraction, "ter_statistics", _python_ter.ter_statistics)
    return str(request.param)


def streams(evaluation: EvaluationSet) -> list[list[str | None]]:
    return [list(texts) for texts in evaluation.references.values()]


@functools.cache
def expectation(corpus: str, number: int) -> tuple[str, dict[str, tuple[np.ndarray, float, list[float]]]]:
    """SacreBLEU's signature, and of each system the statistics, the corpus score and the sentence scores."""
    _, peer_class, options = OPTIONS[number]
    evaluation = CORPORA[corpus]
    peer = peer_class(references=streams(evaluation), **options)
    sentence_peer = peer_class(**{**options, **({"effective_order": True} if peer_class is BLEU else {})})
    results = {}
    for system, hypotheses in evaluation.systems.items():
        rows = peer._extract_corpus_statistics(hypotheses, None)
        sentences = [sentence_peer._aggregate_and_compute([list(row)]).score for row in rows]
        results[system] = np.array(rows, dtype=np.float64), peer._aggregate_and_compute(rows).score, sentences
    return str(peer.get_signature()), results


@pytest.mark.parametrize("number", range(len(OPTIONS)), ids=[str(settings) for settings, _, _ in OPTIONS])
@pytest.mark.parametrize("corpus", CORPORA)
def test_everything_equals_sacrebleu(path: str, corpus: str, number: int) -> None:
    """Statistics of every segment, corpus score, sentence scores and signature, to the last bit."""
    evaluation = CORPORA[corpus]
    metric = create_metric("metric", OPTIONS[number][0], "de-en")
    statistics = metric.statistics(evaluation)
    signature, expected = expectation(corpus, number)
    for system, (rows, score, sentences) in expected.items():
        np.testing.assert_array_equal(statistics[system], rows)
        assert metric.corpus_score(statistics[system]) == score
        np.testing.assert_array_equal(metric.segment_scores(statistics[system]), sentences)
    # Options that sacreBLEU's signature leaves out stand before the version.
    names = {"max_ngram_order": "ngrams", "beta": "beta"}
    left_out = "".join(f"|{names[name]}:{value}" for name, value in OPTIONS[number][0].items() if name in names)
    assert metric.signature(reference_count(evaluation)) == signature.replace("|version:", f"{left_out}|version:")


@pytest.mark.parametrize(
    ("langpair", "tokenizer"),
    [("en-zh", "zh"), ("eng-zho_Hans", "zh"), ("en-ja", "ja-mecab"), ("en-ko", "ko-mecab"), ("zh-en", "13a")],
)
def test_default_tokenizer_follows_the_target_language(langpair: str, tokenizer: str) -> None:
    """The tokenizer is the one that sacreBLEU would choose, and is recorded."""
    metric = create_metric("bleu", {}, langpair)
    texts = ["我喜歡吃蘋果。", "猫が好きです。", "나는 고양이를 좋아해요.", "I like cats."]
    evaluation = evaluation_set([texts], [texts[::-1]], langpair)
    peer = BLEU(tokenize=tokenizer, references=[texts])
    np.testing.assert_array_equal(
        metric.statistics(evaluation)["A"], peer._extract_corpus_statistics(texts[::-1], None)
    )
    assert f"tok:{peer.tokenizer_signature}|" in metric.signature(1)


def test_corpus_and_segment_scores_are_told_apart() -> None:
    """B23: of a 6-token match and a 10-token failure the corpus BLEU is 34.02, the mean of segment scores 50."""
    failure = [" ".join(f"{letter}{number}" for number in range(10)) for letter in "xy"]
    metric = create_metric("bleu", {}, "de-en")
    evaluation = evaluation_set([["a b c d e f", failure[0]]], [["a b c d e f", failure[1]]])
    statistics = metric.statistics(evaluation)["A"]
    assert metric.corpus_score(statistics) == pytest.approx(34.02, abs=0.005)
    assert metric.segment_scores(statistics).tolist() == pytest.approx([100, 0])


def test_chinese_with_the_right_and_the_wrong_tokenizer() -> None:
    """B52: two sentences without spaces that differ in one character each: 69.68, not 0."""
    references, hypotheses = ["他喜欢学中文。", "我们今天去学校。"], ["她喜欢学中文。", "我们明天去学校。"]
    evaluation = evaluation_set([references], [hypotheses], "en-zh")
    scores = {}
    for tokenize in (None, "13a"):
        metric = create_metric("bleu", {"tokenize": tokenize}, "en-zh")
        scores[tokenize] = metric.corpus_score(metric.statistics(evaluation)["A"])
    assert scores[None] == BLEU(tokenize="zh").corpus_score(hypotheses, [references]).score
    assert scores[None] == pytest.approx(69.68, abs=0.005)
    assert scores["13a"] == 0


def test_missing_hypotheses_and_segments_without_reference_have_no_statistics(path: str) -> None:
    """They are NaN; all other rows are what they would be without them."""
    evaluation = evaluation_set([["a b", None, "c", "d"], ["a", None, None, "d e"]], [["a b", "b", "c", None]])
    complete = evaluation_set([["a b", "c"], ["a", None]], [["a b", "c"]])
    for key in ("bleu", "chrf", "chrf++", "ter"):
        metric = create_metric(key, {}, "de-en")
        rows = metric.statistics(evaluation)["A"]
        assert np.isnan(rows[[1, 3]]).all()
        np.testing.assert_array_equal(rows[[0, 2]], metric.statistics(complete)["A"])
        assert np.isnan(metric.segment_scores(rows)).tolist() == [False, True, False, True]
        assert metric.corpus_score(rows) == metric.corpus_score(rows[[0, 2]])


def test_a_missing_reference_is_not_an_empty_one() -> None:
    """B43: the third reference is absent: it must not offer its length 0 to the brevity penalty (0.223, not 1)."""
    references = [["I really do like cats"], ["I do like all my cats"]]
    metric = create_metric("bleu", {"max_ngram_order": 2}, "de-en")
    missing = metric.statistics(evaluation_set([*references, [None]], [["I do"]]))["A"]
    empty = metric.statistics(evaluation_set([*references, [""]], [["I do"]]))["A"]
    assert missing[0, 1] == 5
    assert empty[0, 1] == 0
    # Both words and their one bigram are right, so the score is the penalty alone.
    assert metric.corpus_score(missing) == pytest.approx(22.3, abs=0.05)
    assert metric.corpus_score(empty) == pytest.approx(100)


def test_empty_texts(path: str) -> None:
    """B41, B42: what an empty hypothesis, an empty reference and both are worth, as results/README.md says."""
    evaluation = evaluation_set([["a b c d", "", "", "a"]], [["", "a b", "", "a"]])
    rows = {key: create_metric(key, {}, "de-en").statistics(evaluation)["A"] for key in ("bleu", "chrf", "ter")}
    scores = {key: create_metric(key, {}, "de-en").segment_scores(rows[key]).tolist() for key in rows}
    assert scores["bleu"] == pytest.approx([0, 0, 0, 100])
    assert scores["chrf"] == [0, 0, 0, 100]
    assert scores["ter"] == [100, 100, 0, 0]
    assert rows["bleu"][0, :2].tolist() == [0, 4]
    assert rows["ter"].tolist() == [[4, 4], [2, 0], [0, 0], [0, 1]]


@pytest.mark.parametrize("blank", ["", " ", "\t", "\u3000", "\u00a0\u00a0", "\x1c", "\x85"])
def test_blank_texts_are_empty_in_every_metric(path: str, blank: str) -> None:
    """B39: in hypotheses as in references."""
    for key in ("bleu", "chrf", "chrf++", "ter", "exact_match", "length_ratio"):
        metric = create_metric(key, {}, "de-en")
        as_is, empty = (metric.statistics(evaluation_set([["a b", text]], [[text, "a"]]))["A"] for text in (blank, ""))
        np.testing.assert_array_equal(as_is, empty)


@pytest.mark.parametrize("key", ["bleu", "chrf", "ter"])
def test_threads_and_blocks_change_nothing(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluation = nasty_corpus(4, 101, n_references=2, missing=0.3)
    metric = create_metric(key, {}, "de-en")
    expected = metric.statistics(evaluation)
    monkeypatch.setattr("mtsig.metrics.extraction.TEXTS_PER_BLOCK", 28)
    for threads in (1, 3):
        for system, rows in metric.statistics(evaluation, threads=threads).items():
            np.testing.assert_array_equal(rows, expected[system])


def test_no_references_at_all() -> None:
    with pytest.raises(InputError, match="texts: bleu compares with references, and the test set has none"):
        create_metric("bleu", {}, "de-en").statistics(evaluation_set([], [["a"]]))


def test_lowercasing_twice_is_lowercasing_once() -> None:
    """sacreBLEU lowercases TER's references twice; ours relies on that being harmless."""
    for code in range(sys.maxunicode + 1):
        lowered = chr(code).lower()
        assert lowered.lower() == lowered


def test_outputs_that_look_tokenized_are_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    texts = ["a b ."] * 100
    evaluation = evaluation_set([texts], {"A": texts, "B": ["a b."] * 100})
    with caplog.at_level(logging.WARNING):
        create_metric("bleu", {"force": True}, "de-en").statistics(evaluation)
        assert not caplog.records
        create_metric("bleu", {}, "de-en").statistics(evaluation)
    assert [record.message.split(".")[0] for record in caplog.records] == [
        "texts: 100 lines of system A end in a detached period"
    ]


@pytest.mark.parametrize(
    ("key", "settings", "message"),
    [
        ("bleu", {"tokenise": "13a"}, r"metrics.bleu.tokenise: no such option"),
        ("bleu", {"tokenize": "moses"}, r"metrics.bleu.tokenize: 'moses' is not one of sacreBLEU's tokenizers"),
        ("bleu", {"smooth_method": "laplace"}, r"refuses the options"),
        ("chrf", {"char_order": 0}, r"metrics.chrf.char_order: 0 is not between 1 and 16"),
        ("chrf", {"beta": -1}, r"metrics.chrf.beta: -1 is not between 0 and 1000000"),
        ("bleu", {"smooth_method": "floor", "smooth_value": float("nan")}, r"smooth_value: nan is not between 0 and"),
        ("ter", {"lowercase": True}, r"metrics.ter.lowercase: no such option"),
        ("mine", {}, r"metrics.mine.kind: 'mine' is not a kind of metric"),
    ],
)
def test_impossible_options_are_refused(key: str, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        create_metric(key, settings, "de-en")


def test_directions() -> None:
    """Only TER is better when it is lower."""
    assert [create_metric(key, {}, "de-en").higher_is_better for key in ("bleu", "chrf", "chrf++", "ter")] == [
        True,
        True,
        True,
        False,
    ]


def test_ter_and_chrf_of_chinese_take_words_as_the_tokenizer_does() -> None:
    """By hand: of 6 characters and 2 marks one is replaced; with spaces in the text sacreBLEU itself says the same."""
    reference, output = "我们今天回家。OK!", "我们明天回家。OK!"
    evaluation = evaluation_set([[reference]], {"A": [output]})
    ter = create_metric("ter", {}, "en-zh")
    # 我 们 今 天 回 家 。 ok ! has 9 tokens.
    assert ter.statistics(evaluation)["A"].tolist() == [[1.0, 9.0]]
    spaced = [[" ".join("我们今天回家。") + " OK !"], [" ".join("我们明天回家。") + " OK !"]]
    assert ter.corpus_score(ter.statistics(evaluation)["A"]) == TER().corpus_score(spaced[1], [spaced[0]]).score
    plus = create_metric("chrf++", {}, "en-zh")
    expected = CHRF(word_order=2).corpus_score(spaced[1], [spaced[0]]).score
    assert plus.corpus_score(plus.statistics(evaluation)["A"]) == expected
    for kind, peer in (("ter", TER()), ("chrf++", CHRF(word_order=2))):
        metric = create_metric(kind, {"tokenize": "default"}, "en-zh")
        own = metric.corpus_score(metric.statistics(evaluation)["A"])
        assert own == peer.corpus_score([output], [[reference]]).score


def test_thai_is_scored_by_characters() -> None:
    """BLEU of a perfect Thai output was 0 for want of 4-grams, its TER all or nothing."""
    texts = ["ฉันชอบอ่านหนังสือ", "วันนี้อากาศดีมาก"]
    evaluation = evaluation_set([texts], {"A": texts, "B": [texts[0], texts[1][:-1]]})
    for kind, perfect in (("bleu", 100.0), ("ter", 0.0), ("gtm", 1.0)):
        metric = create_metric(kind, {}, "en-th")
        statistics = metric.statistics(evaluation)
        assert metric.corpus_score(statistics["A"]) == pytest.approx(perfect)
        assert "|tok:char|" in metric.signature(1)
        assert abs(metric.corpus_score(statistics["B"]) - perfect) < 0.1 * (metric.scale if kind != "ter" else 100)


def test_ter_of_a_chinese_test_set_means_something(shared_data: Path) -> None:
    """WMT22 en-zh: sacreBLEU's usual TER of whole lines is above 90 and has no order; Asian support sets the level."""
    folder = shared_data / "mtme/wmt22"
    name = "Online-W"
    reference = (folder / "references/en-zh.refA.txt").read_text(encoding="utf-8").split("\n")[:-1:40]
    output = (folder / f"system-outputs/en-zh/{name}.txt").read_text(encoding="utf-8").split("\n")[:-1:40]
    evaluation = evaluation_set([reference], {name: output})
    metric = create_metric("ter", {}, "en-zh")
    score = metric.corpus_score(metric.statistics(evaluation)[name])
    asian = TER(normalized=True, asian_support=True).corpus_score(output, [reference]).score
    assert TER().corpus_score(output, [reference]).score > 90
    assert 40 < score < 60
    assert abs(score - asian) < 3
