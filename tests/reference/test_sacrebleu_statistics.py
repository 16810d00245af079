"""Statistics and scores on known corpora: those of other software, and those that WMT published."""

from __future__ import annotations

import csv
import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mtsig.corpus.model import EvaluationSet
from mtsig.metrics import create_metric
from sacrebleu.metrics import BLEU, CHRF, TER
from texts import evaluation_set

# Statistics and scores of the ten-segment corpus, computed with sacreBLEU 2.6.0: hyp_len, ref_len, correct, total.
T10_BLEU = {
    "A": [
        [9, 9, 9, 8, 7, 6, 9, 8, 7, 6],
        [10, 10, 9, 7, 6, 5, 10, 9, 8, 7],
        [9, 11, 9, 7, 5, 4, 9, 8, 7, 6],
        [10, 10, 10, 9, 8, 7, 10, 9, 8, 7],
        [10, 10, 9, 7, 6, 5, 10, 9, 8, 7],
        [11, 11, 11, 10, 9, 8, 11, 10, 9, 8],
        [8, 10, 8, 6, 4, 2, 8, 7, 6, 5],
        [9, 9, 7, 4, 2, 0, 9, 8, 7, 6],
        [8, 10, 8, 6, 5, 4, 8, 7, 6, 5],
        [9, 9, 8, 6, 4, 2, 9, 8, 7, 6],
    ],
    "B": [
        [10, 9, 8, 5, 2, 1, 10, 9, 8, 7],
        [10, 10, 8, 6, 4, 2, 10, 9, 8, 7],
        [12, 11, 11, 6, 4, 3, 12, 11, 10, 9],
        [10, 10, 10, 9, 8, 7, 10, 9, 8, 7],
        [11, 10, 9, 5, 2, 0, 11, 10, 9, 8],
        [11, 11, 11, 10, 9, 8, 11, 10, 9, 8],
        [9, 10, 6, 4, 2, 1, 9, 8, 7, 6],
        [8, 9, 8, 6, 4, 3, 8, 7, 6, 5],
        [9, 10, 8, 6, 4, 2, 9, 8, 7, 6],
        [10, 9, 8, 5, 3, 1, 10, 9, 8, 7],
    ],
}
T10_SCORES = {
    "bleu": {"A": 75.37619097398905, "B": 59.56236475473167},
    "chrf": {"A": 84.4358382882539, "B": 81.53164912159829},
    "chrf++": {"A": 84.54031733656137, "B": 80.80022673092847},
    "ter": {"A": 13.48314606741573, "B": 21.34831460674157},
    "exact_match": {"A": 0.3, "B": 0.2},
}


@pytest.fixture(scope="module")
def t10_set(t10: dict[str, list[str]]) -> EvaluationSet:
    return evaluation_set([t10["reference"]], {name: t10[name] for name in ("A", "B")})


def test_t10_bleu_statistics(t10_set: EvaluationSet) -> None:
    statistics = create_metric("bleu", {}, "de-en").statistics(t10_set)
    for system, rows in T10_BLEU.items():
        np.testing.assert_array_equal(statistics[system], rows)


@pytest.mark.parametrize("key", T10_SCORES)
def test_t10_corpus_scores(t10_set: EvaluationSet, key: str) -> None:
    metric = create_metric(key, {}, "de-en")
    statistics = metric.statistics(t10_set)
    for system, score in T10_SCORES[key].items():
        assert metric.corpus_score(statistics[system]) == pytest.approx(score, rel=1e-14)


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def mtme_set(data: Path, year: str, langpair: str, references: list[str] | None = None) -> EvaluationSet:
    """Texts of a test set in mt-metrics-eval's layout, exactly as they stand in the files.

    Ingest drops the byte-order mark of AIRC's file for en-de, which is a character of the text for WMT's scores (and
    changes the sixth digit of its chrF).
    """
    folder = data / "mtme" / year
    found = {path.name.split(".")[1]: lines(path) for path in sorted((folder / "references").glob(f"{langpair}.*.txt"))}
    systems = {path.stem: lines(path) for path in sorted((folder / "system-outputs" / langpair).glob("*.txt"))}
    return evaluation_set([found[name] for name in references or found], systems, langpair)


def published_scores(data: Path, year: str, langpair: str) -> dict[tuple[str, str], float]:
    """(system, metric) to the score in the organisers' table."""
    with (data / "published" / f"{year}.automatic-scores.tsv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return {(row["system"], row["metric"]): float(row["score"]) for row in rows if row["pair"] == langpair}


@pytest.mark.parametrize(
    ("year", "langpair", "references", "suffix"),
    [
        ("wmt23", "en-de", ["refA"], "refA"),
        ("wmt23", "zh-en", ["refA"], "refA"),
        pytest.param("wmt22", "en-zh", ["refA"], "A", marks=pytest.mark.slow),
        pytest.param("wmt22", "en-zh", ["refB"], "B", marks=pytest.mark.slow),
        # Of references with equal sentence scores chrF takes the first; for WMT that was refB.
        pytest.param("wmt22", "en-zh", ["refB", "refA"], "all", marks=pytest.mark.slow),
        ("wmt22", "liv-en", ["refA"], "A"),
    ],
)
def test_corpus_scores_are_those_that_wmt_published(
    shared_data: Path, year: str, langpair: str, references: list[str], suffix: str
) -> None:
    evaluation = mtme_set(shared_data, year, langpair, references)
    published = published_scores(shared_data, year, langpair)
    compared = 0
    for key in ("bleu", "chrf"):
        metric = create_metric(key, {}, langpair)
        for system, rows in metric.statistics(evaluation, threads=2).items():
            expected = published.get((system, f"{key}-{suffix}"))
            if expected is not None:
                assert metric.corpus_score(rows) == pytest.approx(expected, abs=1e-9)
                compared += 1
    assert compared >= 2 * 5


@pytest.mark.parametrize("langpair", ["en-de", "zh-en"])
@pytest.mark.parametrize(("key", "name"), [("bleu", "BLEU"), ("chrf", "chrF")])
def test_segment_scores_are_those_of_the_metrics_task(shared_data: Path, langpair: str, key: str, name: str) -> None:
    """WMT23's metrics task ran sacreBLEU's sentence scores on the same texts."""
    evaluation = mtme_set(shared_data, "wmt23", langpair, ["refA"])
    expected: dict[str, list[float]] = {}
    for line in lines(shared_data / "mtme" / "wmt23" / "metric-scores" / langpair / f"{name}-refA.seg.score"):
        system, score = line.split("\t")
        expected.setdefault(system, []).append(float(score))
    metric = create_metric(key, {}, langpair)
    statistics = metric.statistics(evaluation, threads=2)
    assert len(expected) > 10
    for system, scores in expected.items():
        np.testing.assert_allclose(metric.segment_scores(statistics[system]), scores, rtol=0, atol=1e-9)


def newstest2017(data: Path) -> EvaluationSet:
    path = data / "peers" / "sacrebleu-wmt17-en-de" / "newstest2017.en-de.tsv.xz"
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as file:
        header, *rows = [line.split("\t") for line in file.read().split("\n")[:-1]]
    columns = dict(zip(header, zip(*rows, strict=True), strict=True))
    reference = columns.pop("reference")
    return evaluation_set([reference], columns, "en-de")


def load(data: Path, name: str) -> EvaluationSet:
    return newstest2017(data) if name == "newstest2017" else mtme_set(data, *name.split("."))


PEERS: dict[str, tuple[Any, dict[str, Any]]] = {
    "bleu": (BLEU, {}),
    "chrf": (CHRF, {}),
    "chrf++": (CHRF, {"word_order": 2}),
    "ter": (TER, {}),
}


def excerpt(evaluation: EvaluationSet, segments: list[int], n_systems: int) -> EvaluationSet:
    """Chosen segments of the first systems."""
    return evaluation_set(
        [[texts[segment] for segment in segments] for texts in evaluation.references.values()],
        {
            system: [texts[segment] for segment in segments]
            for system, texts in [*evaluation.systems.items()][:n_systems]
        },
        evaluation.langpair,
    )


def assert_equals_live_sacrebleu(evaluation: EvaluationSet, key: str) -> None:
    """All statistics equal what the installed sacreBLEU extracts from the same texts."""
    # sacreBLEU takes words of TER and chrF++ in one way in all languages.
    options = {"tokenize": "default"} if key in ("ter", "chrf++") else {}
    metric = create_metric(key, options, evaluation.langpair)
    peer_class, options = PEERS[key]
    if key == "bleu":
        options = {"tokenize": metric.tokenize, "force": True}
    peer = peer_class(references=[list(texts) for texts in evaluation.references.values()], **options)
    statistics = metric.statistics(evaluation, threads=2)
    for system, hypotheses in evaluation.systems.items():
        expected = np.array(peer._extract_corpus_statistics(hypotheses, None), dtype=np.float64)
        np.testing.assert_array_equal(statistics[system], expected)


SETS = ["wmt23.en-de", "wmt23.zh-en", "wmt22.en-zh", "wmt24.en-is", "newstest2017"]


@pytest.mark.parametrize("key", ["bleu", "chrf++"])
@pytest.mark.parametrize("name", SETS)
def test_real_texts_have_sacrebleus_statistics(shared_data: Path, name: str, key: str) -> None:
    """A sample of the segments of two systems."""
    evaluation = load(shared_data, name)
    segments = list(range(0, evaluation.n_segments, evaluation.n_segments // 60))
    assert_equals_live_sacrebleu(excerpt(evaluation, segments, 2), key)


@pytest.mark.slow
@pytest.mark.parametrize("key", ["bleu", "chrf", "chrf++"])
@pytest.mark.parametrize("name", SETS)
def test_all_real_texts_have_sacrebleus_statistics(shared_data: Path, name: str, key: str) -> None:
    """Every segment of every system (a minute or so of sacreBLEU each)."""
    assert_equals_live_sacrebleu(load(shared_data, name), key)


def short_segments(evaluation: EvaluationSet, limit: int, step: int) -> list[int]:
    """Every `step`-th of the segments whose references have at most `limit` words: TER takes sacreBLEU long."""
    short = [
        segment
        for segment in range(evaluation.n_segments)
        if all(len((texts[segment] or "").split()) <= limit for texts in evaluation.references.values())
    ]
    return short[::step]


@pytest.mark.parametrize("name", ["wmt23.zh-en", "newstest2017"])
def test_real_texts_have_sacrebleus_edits(shared_data: Path, name: str) -> None:
    evaluation = load(shared_data, name)
    segments = short_segments(evaluation, 30, 50)
    assert len(segments) > 20
    assert_equals_live_sacrebleu(excerpt(evaluation, segments, 2), "ter")


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_many_real_texts_have_sacrebleus_edits(shared_data: Path, name: str) -> None:
    """Segments of up to 60 words, where Tercom's beam matters."""
    evaluation = load(shared_data, name)
    assert_equals_live_sacrebleu(excerpt(evaluation, short_segments(evaluation, 60, 10), 3), "ter")
