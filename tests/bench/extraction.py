"""How much faster statistics are extracted than by sacreBLEU, whose references are cached before its clock starts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest import mock

from common import Result, evaluation_set, interleaved, synthetic_texts  # isort: skip

import numpy as np
from mtsig import kernels
from mtsig.corpus.model import EvaluationSet
from mtsig.kernels import _python_extraction, _python_ter, extraction
from mtsig.metrics import create_metric
from sacrebleu.metrics import BLEU, CHRF, TER

__all__ = ["measure"]

#: Our metric, sacreBLEU's class and options, and the least ratios for the compiled kernels and for their twins.
WORK: dict[str, tuple[Callable[..., Any], dict[str, Any], float, float | None]] = {
    "bleu": (BLEU, {"force": True}, 20, None),
    "chrf": (CHRF, {}, 40, None),
    "chrf++": (CHRF, {"word_order": 2}, 30, None),
    "ter": (TER, {}, 400, 8),
}
TWINS = {
    "bleu_statistics": _python_extraction.bleu_statistics,
    "chrf_statistics": _python_extraction.chrf_statistics,
    "ter_statistics": _python_ter.ter_statistics,
}


def measure(*, n_segments: int = 300, n_systems: int = 6, repeats: int = 3) -> list[Result]:
    """Time every metric on synthetic texts, after checking that all statistics are equal."""
    references, systems = synthetic_texts(n_segments, n_systems)
    evaluation = evaluation_set(references, systems)
    results = []
    for key, (peer_class, options, goal, twin_goal) in WORK.items():
        metric = create_metric(key, {}, "de-en")
        # sacreBLEU remembers lines that it has tokenised: a new object for every repetition.
        peers = [peer_class(references=[references], **options) for _ in range(repeats + 1)]
        expected = np.array([peers.pop()._extract_corpus_statistics(texts, None) for texts in systems[:1]])
        _check(metric.statistics(evaluation), expected, key)

        def run_peer(peers: list[Any] = peers) -> None:
            peer = peers.pop()
            for texts in systems:
                peer._extract_corpus_statistics(texts, None)

        functions: dict[str, Callable[[], Any]] = {"peer": run_peer}
        if kernels.NATIVE:
            functions["native"] = lambda metric=metric: metric.statistics(evaluation)
        if twin_goal:
            _check(_with_twins(metric, evaluation), expected, key)
            functions["twin"] = lambda metric=metric: _with_twins(metric, evaluation)
        times = interleaved(functions, repeats=repeats)
        work = f"{key} statistics, {n_systems} systems x {n_segments}"
        if kernels.NATIVE:
            results.append(Result(work, "sacreBLEU", goal, times["peer"], times["native"]))
        if twin_goal:
            results.append(Result(f"{work}, without compiler", "sacreBLEU", twin_goal, times["peer"], times["twin"]))
    return results


def _with_twins(metric: Any, evaluation: EvaluationSet) -> dict[str, np.ndarray]:
    with mock.patch.multiple(extraction, **TWINS):
        statistics: dict[str, np.ndarray] = metric.statistics(evaluation)
    return statistics


def _check(statistics: dict[str, np.ndarray], expected: np.ndarray, key: str) -> None:
    for got, wanted in zip(statistics.values(), expected, strict=False):
        np.testing.assert_array_equal(got, wanted, err_msg=key)
