"""The NIST score against NLTK's numbers and against the definition of mteval-v13a, written out slowly."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from mtsig.errors import ConfigError, InputError
from mtsig.metrics import create_metric
from texts import evaluation_set, nasty_corpus


def mteval(hypotheses, references, order=5):
    """Corpus score as mteval-v13a defines it, from lists of words; `references` has a list per segment."""

    def ngrams(words, n):
        return Counter(" ".join(words[i : i + n]) for i in range(len(words) - n + 1))

    counts = {n: Counter() for n in range(1, order + 1)}
    for segment in references:
        for words in segment:
            for n in counts:
                counts[n].update(ngrams(words, n))
    counts[0] = {"": sum(len(words) for segment in references for words in segment)}
    score = 0.0
    for n in range(1, order + 1):
        info = total = 0
        for words, segment in zip(hypotheses, references, strict=True):
            total += max(0, len(words) - n + 1)
            for ngram, count in ngrams(words, n).items():
                most = max(ngrams(reference, n)[ngram] for reference in segment)
                if most:
                    prefix = " ".join(ngram.split(" ")[:-1])
                    info += min(count, most) * math.log(counts[n - 1][prefix] / counts[n][ngram]) / math.log(2)
        score += info / max(total, 1)
    length = sum(map(len, hypotheses))
    ratio = length / sum(sum(map(len, segment)) / len(segment) for segment in references)
    beta = -math.log(0.5) / math.log(1.5) ** 2
    return score * (1 if ratio >= 1 else math.exp(-beta * math.log(ratio) ** 2) if ratio > 0 else 0)


# corpus_nist(references, hypotheses, n) of nltk.translate.nist_score, NLTK 3.10.4, on words that whitespace separates.
NLTK = [
    ("A", 5, 5.902646677476191),
    ("B", 5, 5.363529813437721),
    ("A", 2, 5.871546023068944),
    ("B", 1, 4.9348161967540545),
]


@pytest.mark.parametrize(("system", "order", "expected"), NLTK)
def test_scores_with_one_reference_are_those_of_nltk(t10, system, order, expected):
    metric = create_metric("nist", {"tokenize": "none", "max_ngram_order": order}, "xx-en")
    rows = metric.statistics(evaluation_set([t10["reference"]], {system: t10[system]}))[system]
    assert metric.corpus_score(rows) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n_references", [1, 3])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_scores_follow_the_definition_of_mteval(n_references, missing):
    evaluation = nasty_corpus(8, 40, n_references=n_references, missing=missing, n_words=20)
    metric = create_metric("nist", {"tokenize": "none", "lowercase": True}, "xx-en")
    references = [
        [text.lower().split() for text in texts if text is not None]
        for texts in zip(*evaluation.references.values(), strict=True)
    ]
    for system, rows in metric.statistics(evaluation).items():
        hypotheses = [text.lower().split() for text in evaluation.systems[system]]
        assert metric.corpus_score(rows) == pytest.approx(mteval(hypotheses, references), rel=1e-12)


def test_worth_of_words_by_hand():
    """Eight words, two of them `a`: it tells log2(8 / 2) = 2 bits, `b` tells 3, and `b` after `a` 1."""
    metric = create_metric("nist", {"max_ngram_order": 2, "tokenize": "none"}, "xx-en")
    evaluation = evaluation_set([["a b", "a c d e f g"]], [["a b", "a a a x x x"]])
    rows = metric.statistics(evaluation)["A"]
    assert metric.statistic_names == ("info_1", "info_2", "total_1", "total_2", "ref_len")
    np.testing.assert_allclose(rows, [[5, 1, 2, 1, 2], [2, 0, 6, 5, 6]])
    assert metric.corpus_score(rows) == pytest.approx(7 / 8 + 1 / 6)


def test_an_output_of_two_thirds_of_the_length_loses_half():
    metric = create_metric("nist", {"max_ngram_order": 1, "tokenize": "none"}, "xx-en")
    rows = metric.statistics(evaluation_set([["a b c"]], [["a b"]]))["A"]
    assert metric.corpus_score(rows) == pytest.approx(math.log2(3) / 2)


def test_empty_texts_score_nothing_and_missing_ones_are_not_scored():
    metric = create_metric("nist", {}, "xx-en")
    rows = metric.statistics(evaluation_set([["a b", "", "a", None]], [["", "a", None, "a"]]))["A"]
    np.testing.assert_array_equal(metric.segment_scores(rows), [0, 0, np.nan, np.nan])
    assert metric.corpus_score(rows) == 0


def test_words_are_those_of_the_target_language():
    assert "|tok:zh|" in create_metric("nist", {}, "en-zh").signature(1)
    assert (
        create_metric("nist", {"lowercase": True}, "en-de").signature(2).startswith("nist|nrefs:2|case:lc|tok:13a|n:5|")
    )


def test_impossible_use_is_refused():
    with pytest.raises(ConfigError, match=r"metrics\.nist\.max_ngram_order: 0 is not between 1 and 16"):
        create_metric("nist", {"max_ngram_order": 0}, "en-de")
    with pytest.raises(InputError, match="nist compares with references"):
        create_metric("nist", {}, "en-de").statistics(evaluation_set([], [["a"]]))
