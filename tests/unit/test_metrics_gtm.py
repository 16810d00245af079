"""GTM as a metric: scores, corpus scores from sums, and its known answers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mtsig.corpus.model import EvaluationSet
from mtsig.errors import ConfigError
from mtsig.metrics import create_metric
from mtsig.metrics.gtm import GeneralTextMatcher

ROOT2 = math.sqrt(2)
FIGURE = ("H C B A I C D E", ["A B C D E F B A I C"])

# hypothesis, references, exponent, precision, recall, F: as the original GTM 1.4 gives them.
TABLE = [
    (*FIGURE, 1, 0.875, 0.7, 0.777778),
    (*FIGURE, 2, 0.572822, 0.458258, 0.509175),
    ("a b c d", ["a b c d"], 1, 1, 1, 1),
    ("a b c d", ["a b c d"], 2, 1, 1, 1),
    ("d c b a", ["a b c d"], 1, 1, 1, 1),
    ("d c b a", ["a b c d"], 2, 0.5, 0.5, 0.5),
    ("a b x c d", ["a b c d"], 1, 0.8, 1, 0.888889),
    ("a b x c d", ["a b c d"], 2, 0.565685, 0.707107, 0.628539),
    ("x y z", ["a b c"], 1, 0, 0, 0),
    ("", ["a b"], 2, 0, 0, 0),
    ("a b", [""], 1, 0, 0, 0),
    ("", [""], 1, 0, 0, 0),
    ("a a a", ["a"], 2, 1 / 3, 1, 0.5),
    ("the cat the cat", ["the cat"], 2, 0.5, 1, 0.666667),
    ("The Cat sat", ["the cat sat"], 1, 1 / 3, 1 / 3, 1 / 3),
    ("a b c d", ["a b x y", "p q c d"], 1, 1, 1, 1),
    ("a b c d", ["a b x y", "p q c d"], 2, 1 / ROOT2, 1 / ROOT2, 1 / ROOT2),
    ("a b c d e", ["a b c", "a b c d e f g"], 2, 1, 1, 1),
    ("a b c", ["a", "a b c"], 1, 2 / 3, 1, 0.8),
    ("a b c", ["a b", "a b c"], 2, 0.833333, 1, 0.909091),
    ("b c", ["a b", "c d"], 2, 1 / ROOT2, 1 / ROOT2, 1 / ROOT2),
    ("d b c a b c", ["a b b c"], 2, 0.408248, 0.612372, 0.489898),
    ("c b a c b b", ["b b b c b c"], 2, 0.5, 0.5, 0.5),
]


def _evaluation(systems: dict[str, list[str | None]], references: list[list[str | None]]) -> EvaluationSet:
    """An evaluation set of the given texts; `references` holds one list of texts per reference."""
    n = len(next(iter(systems.values())))
    return EvaluationSet(
        "toy",
        "xx-en",
        tuple(str(number + 1) for number in range(n)),
        (None,) * n,
        (None,) * n,
        (None,) * n,
        {f"ref{name}": tuple(texts) for name, texts in zip("ABCDEF", references, strict=False)},
        {system: tuple(texts) for system, texts in systems.items()},
    )


def _score(metric: GeneralTextMatcher, hypotheses: list[str], references: list[str]) -> float:
    return metric.corpus_score(metric.statistics(_evaluation({"A": hypotheses}, [references]))["A"])


def _gtm(exponent: float, measure: str = "f") -> GeneralTextMatcher:
    metric = create_metric("gtm", {"exponent": exponent, "measure": measure}, "xx-en")
    assert isinstance(metric, GeneralTextMatcher)
    return metric


@pytest.mark.parametrize(("hypothesis", "references", "exponent", "precision", "recall", "f"), TABLE)
def test_segment_scores(
    hypothesis: str, references: list[str], exponent: float, precision: float, recall: float, f: float
) -> None:
    evaluation = _evaluation({"A": [hypothesis]}, [[text] for text in references])
    for measure, expected in (("precision", precision), ("recall", recall), ("f", f)):
        metric = _gtm(exponent, measure)
        statistics = metric.statistics(evaluation)["A"]
        assert metric.segment_scores(statistics)[0] == pytest.approx(expected, abs=1e-6)
        assert metric.corpus_score(statistics) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("exponent", "system", "measure", "expected"),
    [
        (1, "A", "precision", 0.927711),
        (1, "A", "recall", 0.865169),
        (1, "A", "f", 0.895349),
        (1, "B", "f", 0.837989),
        (1.2, "A", "f", 0.864522),
        (1.2, "B", "f", 0.759525),
        (2, "A", "precision", 0.850398),
        (2, "A", "recall", 0.793068),
        (2, "A", "f", 0.820733),
        (2, "B", "precision", 0.644225),
        (2, "B", "recall", 0.651464),
        (2, "B", "f", 0.647824),
    ],
)
def test_document_scores_come_from_sums(
    t10: dict[str, list[str]], exponent: float, system: str, measure: str, expected: float
) -> None:
    assert _score(_gtm(exponent, measure), t10[system], t10["reference"]) == pytest.approx(expected, abs=1e-6)


def test_document_score_is_not_the_mean_of_segment_scores(t10: dict[str, list[str]]) -> None:
    metric = _gtm(1)
    statistics = metric.statistics(_evaluation({"A": t10["A"]}, [t10["reference"]]))["A"]
    segments = metric.segment_scores(statistics)
    assert segments == pytest.approx([1, 8 / 9, 8 / 9, 1, 8 / 9, 1, 0.875, 0.75, 0.75, 0.875], abs=1e-12)
    assert segments.mean() == pytest.approx(0.891667, abs=1e-6)
    assert metric.corpus_score(statistics) == pytest.approx(0.895349, abs=1e-6)
    assert statistics.sum(axis=0).tolist() == [77, 83, 89]


def test_missing_texts_are_not_scored_and_missing_references_not_counted() -> None:
    metric = _gtm(1, "recall")
    evaluation = _evaluation({"A": [None, "a b", "a b"]}, [["a", "a b c d", None], ["a", None, None]])
    statistics = metric.statistics(evaluation)["A"]
    assert np.isnan(statistics[0]).all()
    assert statistics[1].tolist() == [2, 2, 4]
    assert np.isnan(statistics[2]).all()
    assert metric.corpus_score(statistics) == 0.5
    assert np.isnan(metric.segment_scores(statistics)[[0, 2]]).all()


def test_output_length_matters_less_than_for_bleu(t10: dict[str, list[str]]) -> None:
    """Koehn's remark: an output cut short loses BLEU through the brevity penalty, GTM has none."""
    bleu = create_metric("bleu", {}, "xx-en")
    short = [" ".join(text.split()[:-2]) for text in t10["reference"]]
    texts = _evaluation({"short": short, "full": t10["reference"]}, [t10["reference"]])

    def loss(metric_key: str) -> float:
        metric = bleu if metric_key == "bleu" else _gtm(1, metric_key)
        statistics = metric.statistics(texts)
        full, cut = metric.corpus_score(statistics["full"]), metric.corpus_score(statistics["short"])
        return 1 - cut / full

    assert loss("precision") == 0
    assert loss("f") < 0.6 * loss("bleu")


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=12), st.sampled_from(["f", "precision", "recall"]))
def test_identity_scores_one(words: list[str], measure: str) -> None:
    text = " ".join(words)
    assert _score(_gtm(1.7, measure), [text, text], [text, text]) == pytest.approx(1)


@pytest.mark.parametrize("settings", [{"exponent": 0.5}, {"exponent": math.nan}, {"measure": "bleu"}])
def test_impossible_options_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=r"metrics\.gtm\."):
        create_metric("gtm", settings, "xx-en")


def test_unknown_options_are_refused():
    with pytest.raises(ConfigError, match=r"metrics\.gtm\.exponen: no such option"):
        create_metric("gtm", {"exponen": 2.0}, "en-de")


def test_case_and_tokenizer_are_options_and_stand_in_the_signature() -> None:
    evaluation = _evaluation({"A": ["The Cat, sat"]}, [["the cat sat ,"]])
    plain = create_metric("gtm", {}, "xx-en")
    told = create_metric("gtm", {"lowercase": True, "tokenize": "13a"}, "xx-en")
    assert plain.corpus_score(plain.statistics(evaluation)["A"]) == pytest.approx(2 / 7)
    assert told.corpus_score(told.statistics(evaluation)["A"]) == 1
    assert "|case:mixed|tok:whitespace|" in plain.signature(1)
    assert "|case:lc|tok:13a|" in told.signature(1)


def test_languages_written_without_spaces_are_split() -> None:
    """Four characters, three of them shared; split at whitespace the texts have nothing in common."""
    evaluation = _evaluation({"A": ["我爱她们"]}, [["我爱他们"]])
    metric = create_metric("gtm", {}, "en-zh")
    assert metric.corpus_score(metric.statistics(evaluation)["A"]) == 0.75
    whole = create_metric("gtm", {"tokenize": "none"}, "en-zh")
    assert whole.corpus_score(whole.statistics(evaluation)["A"]) == 0
