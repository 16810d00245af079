"""Side by side with the installed sacreBLEU: the same texts, the same seed, the same p-values to the last digit."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from mtsig.metrics import create_metric
from mtsig.metrics.base import Metric
from mtsig.resampling.analysis import analyse
from mtsig.resampling.settings import ResamplingSettings
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

#: Our name and options, and sacreBLEU's metric.
METRICS: dict[str, tuple[str, dict[str, Any], Any]] = {
    "bleu": ("bleu", {}, BLEU),
    "bleu floor": ("bleu", {"smooth_method": "floor"}, lambda: BLEU(smooth_method="floor")),
    "bleu add-k": ("bleu", {"smooth_method": "add-k"}, lambda: BLEU(smooth_method="add-k")),
    "bleu add-k half": (
        "bleu",
        {"smooth_method": "add-k", "smooth_value": 0.5},
        lambda: BLEU(smooth_method="add-k", smooth_value=0.5),
    ),
    "bleu none": ("bleu", {"smooth_method": "none"}, lambda: BLEU(smooth_method="none")),
    "chrf": ("chrf", {}, CHRF),
    "chrf++": ("chrf++", {}, lambda: CHRF(word_order=2)),
    "chrf eps": ("chrf", {"eps_smoothing": True}, lambda: CHRF(eps_smoothing=True)),
    "ter": ("ter", {}, TER),
}
WORDS = ["rain", "bridge", "train", "book", "room", "library", "signal", "letter", "window", "museum", "lake", "a"]


def corpus(
    n: int, *, noise: Sequence[float], seed: int, n_references: int = 1
) -> tuple[list[list[str]], list[list[str]]]:
    """References, and one system per share of replaced words."""
    rng = random.Random(seed)
    base = [[rng.choice(WORDS) for _ in range(rng.randint(4, 18))] for _ in range(n)]

    def noisy(share: float) -> list[str]:
        return [
            " ".join(rng.choice(WORDS) if rng.random() < share else word for word in words if rng.random() > share / 4)
            for words in base
        ]

    return [noisy(0.1 * number) for number in range(n_references)], [noisy(share) for share in noise]


def peer_p_values(
    make_metric: Any, references: list[list[str]], systems: list[list[str]], kind: str, n: int
) -> dict[tuple[int, int], float]:
    """sacreBLEU's p-values of all pairs: it compares with the first system only, so each is first in turn."""
    found = {}
    for first in range(len(systems) - 1):
        named = [(str(number), systems[number]) for number in range(first, len(systems))]
        _, results = PairedTest(named, {"m": make_metric()}, references, test_type=kind, n_samples=n)()
        (scores,) = (value for key, value in results.items() if key != "System")
        for offset, result in enumerate(scores[1:], start=1):
            found[first, first + offset] = result.p_value
    return found


def peer_statistics(make_metric: Any, references: list[list[str]], systems: list[list[str]]) -> dict[str, np.ndarray]:
    metric = make_metric()
    return {
        str(number): np.array(metric._extract_corpus_statistics(texts, references), dtype=np.float64)
        for number, texts in enumerate(systems)
    }


def our_p_values(
    metric: Metric, statistics: dict[str, np.ndarray], *, n_resamples: int, n_trials: int, seed: int = 12345
) -> dict[str, dict[tuple[int, int], float]]:
    settings = ResamplingSettings(seed=seed, n_resamples=n_resamples, n_trials=n_trials)
    rows = analyse(statistics, metric, settings).pairs
    numbers = [(int(row.system_a), int(row.system_b)) for row in rows]
    return {
        "bs": dict(zip(numbers, [row.p_sacrebleu_bs for row in rows], strict=True)),
        "ar": dict(zip(numbers, [row.p_sacrebleu_ar for row in rows], strict=True)),
    }


def assert_equal_p_values(name: str, references: list[list[str]], systems: list[list[str]]) -> None:
    key, options, make_metric = METRICS[name]
    statistics = peer_statistics(make_metric, references, systems)
    ours = our_p_values(create_metric(key, options, "xx-en"), statistics, n_resamples=200, n_trials=200)
    assert ours["bs"] == peer_p_values(make_metric, references, systems, "bs", 200)
    assert ours["ar"] == peer_p_values(make_metric, references, systems, "ar", 200)


@pytest.mark.parametrize("name", METRICS)
def test_p_values_equal_sacrebleus(name: str, resampling_path: str) -> None:
    """Both paired tests, all pairs of four systems of which two are identical."""
    references, systems = corpus(60, noise=[0.2, 0.25, 0.3], seed=1)
    assert_equal_p_values(name, references, [*systems, list(systems[0])])


@pytest.mark.parametrize("name", ["bleu", "chrf", "ter"])
def test_several_references(name: str, resampling_path: str) -> None:
    """With three references TER's lengths are fractions: sacreBLEU's float32 sums depend on the order of the draws."""
    references, systems = corpus(30, noise=[0.3, 0.33], seed=2, n_references=3)
    statistics = peer_statistics(METRICS[name][2], references, systems)
    assert (name == "ter") == any((rows % 1 != 0).any() for rows in statistics.values())
    assert_equal_p_values(name, references, systems)


@pytest.mark.parametrize("name", ["bleu", "bleu none", "chrf", "chrf eps", "ter"])
@pytest.mark.parametrize("n", [1, 4])
def test_tiny_and_hopeless_systems(name: str, n: int, resampling_path: str) -> None:
    """Resamples without any match, where sacreBLEU returns a Python zero and numpy widens the array."""
    references, systems = corpus(n, noise=[0.1], seed=3)
    systems += [["zzz"] * n, [references[0][0], *["qqq"] * (n - 1)]]
    assert_equal_p_values(name, references, systems)


@pytest.mark.parametrize("name", ["chrf", "ter"])
def test_empty_references(name: str, resampling_path: str) -> None:
    """Resamples of empty references only, where TER is 0 or 100 by rule."""
    references, systems = corpus(3, noise=[0.1, 0.6], seed=4)
    references = [["", "", references[0][2]]]
    assert_equal_p_values(name, references, [*systems, ["", "", ""]])


@pytest.mark.parametrize("scale", [1, 1_000_003])
def test_sums_beyond_single_precision(scale: int, resampling_path: str) -> None:
    """From 2**24 on, sacreBLEU's float32 sums are rounded after every segment; its p comes from these."""
    references, systems = corpus(40, noise=[0.2, 0.24], seed=5)
    metric = create_metric("chrf", {}, "xx-en")
    statistics = {name: rows * scale for name, rows in peer_statistics(CHRF, references, systems).items()}

    class Scaled(CHRF):  # type: ignore[misc]
        def _extract_corpus_statistics(self, hypotheses: Any, references: Any) -> Any:
            return [
                [entry * scale for entry in row] for row in super()._extract_corpus_statistics(hypotheses, references)
            ]

    ours = our_p_values(metric, statistics, n_resamples=200, n_trials=100)
    assert ours["bs"] == peer_p_values(Scaled, references, systems, "bs", 200)
    assert ours["ar"] == peer_p_values(Scaled, references, systems, "ar", 100)


def test_another_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """sacreBLEU takes its seed from the environment."""
    monkeypatch.setenv("SACREBLEU_SEED", "7")
    references, systems = corpus(40, noise=[0.2, 0.24], seed=6)
    metric, statistics = create_metric("bleu", {}, "xx-en"), peer_statistics(BLEU, references, systems)
    ours = our_p_values(metric, statistics, n_resamples=200, n_trials=200, seed=7)
    assert ours["bs"] == peer_p_values(BLEU, references, systems, "bs", 200)
    assert ours["ar"] == peer_p_values(BLEU, references, systems, "ar", 200)
