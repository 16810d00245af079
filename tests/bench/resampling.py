"""How much faster all pairs are resampled and tested than by other programs, from given statistics.

A peer that is not installed is named and left out.
Equal p-values are a condition: only times of runs that gave them count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

from common import Result, installed, interleaved, synthetic_texts  # isort: skip

import numpy as np
from mtsig.compat.evaluatio import bleu_bootstrap_test
from mtsig.metrics import create_metric
from mtsig.metrics.base import Metric
from mtsig.resampling import draws
from mtsig.resampling.bootstrap import bootstrap_with_sacrebleu, sacrebleu_replicates
from mtsig.resampling.pairs import count_signs, p_one_sided, p_sacrebleu_bootstrap, p_sacrebleu_randomization
from mtsig.resampling.randomization import count_swaps
from mtsig.resampling.scorer import MeanScorer
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

__all__ = ["measure", "measure_bootstrap", "measure_randomization", "synthetic_statistics"]

PEERS = {"bleu": BLEU, "chrf": CHRF, "ter": TER}
Statistics = dict[str, np.ndarray]
_OURS = 5  # runs of ours to one of a peer that takes minutes


def synthetic_statistics(n_segments: int, n_systems: int, *, seed: int = 2004) -> Statistics:
    """Whole statistics per metric, (n_systems, n_segments, k), of about the size of news translation."""
    rng = np.random.default_rng(seed)
    words = np.maximum(rng.lognormal(3.1, 0.5, size=n_segments).astype(int), 4)
    characters = words * 5 + rng.integers(0, 9, size=n_segments)
    found: dict[str, list[np.ndarray]] = {"bleu": [], "chrf": [], "ter": []}
    for system in range(n_systems):
        quality = 0.55 + 0.01 * system
        hyp_len = np.maximum(words + rng.integers(-3, 4, size=n_segments), 4)
        shares = np.cumprod(np.minimum(quality + 0.4 * rng.random((n_segments, 4)), 1), axis=1)
        totals = hyp_len[:, None] - np.arange(4)
        found["bleu"].append(np.column_stack([hyp_len, words, (totals * shares).astype(int), totals]))
        lengths = np.maximum(characters + rng.integers(-9, 10, size=n_segments), 12)
        shares = np.cumprod(np.minimum(quality + 0.5 * rng.random((n_segments, 6)), 1), axis=1)
        orders = np.arange(6)
        hyp, ref = lengths[:, None] - orders, characters[:, None] - orders
        matches = (np.minimum(hyp, ref) * shares).astype(int)
        found["chrf"].append(np.stack([hyp, ref, matches], axis=-1).reshape(n_segments, 18))
        edits = (words * rng.random(n_segments) * (1 - quality / 2)).astype(int)
        found["ter"].append(np.column_stack([edits, words]))
    return {name: np.array(rows, dtype=np.float64) for name, rows in found.items()}


def pairs_of(n_systems: int) -> np.ndarray:
    return np.array(list(combinations(range(n_systems), 2)), dtype=np.int64)


def observed_differences(metric: Metric, rows: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    scores = metric.corpus_scores(rows.sum(axis=1))
    return scores[pairs[:, 0]] - scores[pairs[:, 1]]


# --- sacreBLEU -------------------------------------------------------------------------------------------------------


class _GivenStatistics:
    """sacreBLEU's metric, which looks up statistics instead of extracting them."""

    def __init__(self, name: str, rows: np.ndarray) -> None:
        self.metric: Any = PEERS[name]()
        self.metric._cache_references([["x"]])
        values = [[[int(entry) for entry in row] for row in system] for system in rows]
        if name == "ter":
            values = [[[edits, float(length)] for edits, length in system] for system in values]
        self.systems = [[f"{system}"] * rows.shape[1] for system in range(len(rows))]
        self.metric._extract_corpus_statistics = lambda hypotheses, _references: values[int(hypotheses[0])]


def sacrebleu_p_values(statistics: Statistics, kind: str, n: int) -> Callable[[], dict[tuple[str, int, int], float]]:
    """A function that runs sacreBLEU's paired test for all pairs: every system is the baseline in turn."""
    given = {name: _GivenStatistics(name, rows) for name, rows in statistics.items()}
    systems = next(iter(given.values())).systems
    metrics = {name: peer.metric for name, peer in given.items()}

    def run() -> dict[tuple[str, int, int], float]:
        found = {}
        for first in range(len(systems) - 1):
            named = [(str(number), systems[number]) for number in range(first, len(systems))]
            _, results = PairedTest(named, metrics, [["x"]], test_type=kind, n_samples=n)()
            scores = [values for key, values in results.items() if key != "System"]
            for name, values in zip(metrics, scores, strict=True):
                for offset, result in enumerate(values[1:], start=1):
                    found[name, first, first + offset] = result.p_value
        return found

    return run


def our_bootstrap(statistics: Statistics, n_resamples: int) -> Callable[[], dict[tuple[str, int, int], float]]:
    metrics = {name: create_metric(name, {}, "en-de") for name in statistics}

    def run() -> dict[tuple[str, int, int], float]:
        found = {}
        draws._kept.clear()
        for name, rows in statistics.items():
            pairs = pairs_of(len(rows))
            _, single = bootstrap_with_sacrebleu(rows, metrics[name], seed=12345, n_resamples=n_resamples)
            assert single is not None
            p_values = single.p_values(pairs, observed_differences(metrics[name], rows, pairs))
            found.update({(name, *pair): p for pair, p in zip(pairs.tolist(), p_values.tolist(), strict=True)})
        return found

    return run


def our_randomization(statistics: Statistics, n_trials: int) -> Callable[[], dict[tuple[str, int, int], float]]:
    metrics = {name: create_metric(name, {}, "en-de") for name in statistics}

    def run() -> dict[tuple[str, int, int], float]:
        found = {}
        for name, rows in statistics.items():
            metric, pairs = metrics[name], pairs_of(len(rows))
            counts = count_swaps(
                rows,
                metric.corpus_scores,
                pairs,
                observed_differences(metric, rows, pairs),
                draws.swap_signs(12345, rows.shape[1], n_trials),
                tolerance=1e-7,
                formula=metric.formula,
            )
            p_values = p_sacrebleu_randomization(counts.more, n_trials)
            found.update({(name, *pair): p for pair, p in zip(pairs.tolist(), p_values.tolist(), strict=True)})
        return found

    return run


def _same_work(work: str, peer: str, goal: float, functions: dict[str, Callable[[], Any]], repeats: int) -> Result:
    """Time peer and ours in turn, ours several times in a row, which is still short; all must find the same."""
    expected = functions["ours"]()

    def check(found: Any) -> None:
        assert found == expected, work

    def ours() -> Any:
        return [functions["ours"]() for _ in range(_OURS)][-1]

    times = interleaved({**functions, "ours": ours}, repeats=repeats, check=check)
    return Result(work, peer, goal, times["peer"], times["ours"] / _OURS)


def measure_bootstrap(
    *, n_segments: int = 3000, n_systems: int = 6, n_resamples: int = 1000, goal: float = 250, repeats: int = 1
) -> Result:
    """Paired bootstrap of BLEU, chrF and TER for all pairs against sacreBLEU."""
    statistics = synthetic_statistics(n_segments, n_systems)
    functions = {
        "peer": sacrebleu_p_values(statistics, "bs", n_resamples),
        "ours": our_bootstrap(statistics, n_resamples),
    }
    work = f"paired bootstrap, {n_resamples} resamples, {n_segments} segments, 3 metrics, all pairs of {n_systems}"
    return _same_work(work, "sacreBLEU", goal, functions, repeats)


def measure_randomization(
    *, n_segments: int = 3000, n_systems: int = 6, n_trials: int = 10_000, goal: float = 200, repeats: int = 1
) -> Result:
    """Approximate randomization of BLEU, chrF and TER for all pairs against sacreBLEU."""
    statistics = synthetic_statistics(n_segments, n_systems)
    functions = {
        "peer": sacrebleu_p_values(statistics, "ar", n_trials),
        "ours": our_randomization(statistics, n_trials),
    }
    work = f"approximate randomization, {n_trials} trials, {n_segments} segments, 3 metrics, all pairs of {n_systems}"
    return _same_work(work, "sacreBLEU", goal, functions, repeats)


def measure_subsets(*, n_segments: int = 30_000, check_every: int = 25) -> Iterator[Result]:
    """Koehn's study: BLEU of six systems on all subsets of four sizes. Every `check_every`-th subset is a condition.

    sacreBLEU is timed on these subsets only, and its time is taken per subset of each size.
    """
    rows = synthetic_statistics(n_segments, 6)["bleu"]
    metric, pairs = create_metric("bleu", {}, "en-de"), pairs_of(6)

    def subsets(size: int) -> np.ndarray:
        n_sets = n_segments // size
        return rows[:, : n_sets * size].reshape(6, n_sets, size, 10).swapaxes(0, 1)

    def run() -> dict[int, np.ndarray]:
        found = {}
        for size in (100, 300, 600, 3000):
            draws._kept.clear()
            blocks = subsets(size)
            single = sacrebleu_replicates(blocks, metric, seed=12345, n_resamples=1000)
            scores = metric.corpus_scores(blocks.sum(axis=2))
            first, second = pairs.T
            found[size] = np.stack(
                [
                    p_sacrebleu_bootstrap(replicates[first], replicates[second], score[first] - score[second])
                    for replicates, score in zip(single.scores, scores, strict=True)
                ]
            )
        return found

    ours, peer_seconds = run(), 0.0
    for size in (100, 300, 600, 3000):
        blocks = subsets(size)
        chosen = range(0, len(blocks), check_every)
        functions = [sacrebleu_p_values({"bleu": blocks[number]}, "bs", 1000) for number in chosen]
        theirs: list[dict[tuple[str, int, int], float]] = []

        def peer(functions: list[Any] = functions, theirs: list[Any] = theirs) -> None:
            theirs.extend(function() for function in functions)

        seconds = interleaved({"peer": peer}, repeats=1)
        for number, p_values in zip(chosen, theirs, strict=True):
            assert list(p_values.values()) == ours[size][number].tolist()
        peer_seconds += seconds["peer"] / len(chosen) * len(blocks)
    seconds = interleaved({"ours": run}, repeats=3)["ours"]
    work = f"Koehn's study, {n_segments} segments x 6 systems, four sizes, 1000 resamples, BLEU"
    yield Result(f"{work} (peer from each {check_every}th subset)", "sacreBLEU", 500, peer_seconds, seconds)
    yield Result(work, "bound", 1, 1.0, seconds)


# --- other programs --------------------------------------------------------------------------------------------------


def sign_flips_in_numpy(scores: np.ndarray, n_trials: int) -> np.ndarray:
    """One-sided p of all pairs as mt-metrics-eval computes it: one matrix of signs in single precision, one product."""
    signs = np.random.default_rng(4).random(size=(n_trials, scores.shape[1]), dtype=np.float32)
    np.rint(signs, out=signs)
    signs *= 2
    signs -= 1
    single = scores.astype(np.float32)
    totals, sums = single.sum(axis=1), signs @ single.T
    found = [
        np.sum(sums[:, first] - sums[:, second] >= totals[first] - totals[second]) / n_trials
        for first, second in combinations(range(len(scores)), 2)
    ]
    return np.array(found)


def measure_averages(*, n_segments: int = 3000, n_systems: int = 20, n_trials: int = 10_000) -> Result:
    """Sign flips on averages, against the way of mt-metrics-eval. The streams differ, so p agrees within chance."""
    scores = np.random.default_rng(0).normal(size=(n_systems, n_segments)) + np.linspace(0, 0.2, n_systems)[:, None]
    scorer, pairs = MeanScorer(higher_is_better=True), pairs_of(n_systems)
    rows = scorer.columns(scores[..., None])
    means = scores.mean(axis=1)
    observed = means[pairs[:, 0]] - means[pairs[:, 1]]

    def ours() -> np.ndarray:
        signs = draws.swap_signs(12345, n_segments, n_trials, dtype=np.float64)
        counts = count_swaps(rows, scorer.corpus_scores, pairs, observed, signs, tolerance=1e-9, formula=scorer.formula)
        return np.asarray(counts.at_least / n_trials)

    one_sided = sign_flips_in_numpy(scores, n_trials)
    two_sided = 2 * np.minimum(one_sided, 1 - one_sided)
    assert np.abs(two_sided - ours()).max() < 6 * np.sqrt(0.5 / n_trials)
    times = interleaved({"peer": lambda: sign_flips_in_numpy(scores, n_trials), "ours": ours}, repeats=5)
    work = f"sign flips on averages, {n_trials} trials, {n_segments} segments, {len(pairs)} pairs"
    return Result(work, "mt-metrics-eval's way", 1.5, times["peer"], times["ours"])


def measure_evaluatio(statistics: np.ndarray) -> Iterator[Result]:
    """Evaluatio's BLEU test, from texts and given its statistics; p agrees within chance, since it has no seed."""
    if not installed("evaluatio", "Evaluatio"):
        return
    from evaluatio import _bindings

    yield _measure_evaluatio_whole()

    metric, n_resamples = create_metric("bleu", {}, "en-de"), 1000
    theirs = [
        [
            _bindings.BLEUSufficientStats(row[2:6], row[6:], row[0], row[1])
            for row in np.asarray(system, dtype=np.int64).tolist()
        ]
        for system in statistics
    ]
    for n_systems, goal in ((6, 15.0), (2, 1.5)):
        rows, pairs = statistics[:n_systems], pairs_of(n_systems)
        observed = observed_differences(metric, rows, pairs)

        def ours(rows: np.ndarray = rows, pairs: np.ndarray = pairs, observed: np.ndarray = observed) -> np.ndarray:
            draws._kept.clear()
            replicates, _ = bootstrap_with_sacrebleu(rows, metric, seed=12345, n_resamples=n_resamples)
            signs = count_signs(replicates[pairs[:, 0]] - replicates[pairs[:, 1]], tolerance=1e-7)
            return p_one_sided(signs, observed, tolerance=1e-7)

        def peer(pairs: np.ndarray = pairs) -> list[float]:
            return [_bindings.bleu_bootstrap_test(theirs[i], theirs[j], n_resamples) for i, j in pairs]

        assert np.abs(np.array(peer()) - ours()).max() < 6 * np.sqrt(0.5 / n_resamples)
        times = interleaved({"peer": peer, "ours": ours}, repeats=7)
        work = f"BLEU bootstrap test, compiled part, {len(rows[0])} segments, {len(pairs)} pair(s)"
        yield Result(work, "Evaluatio", goal, times["peer"], times["ours"])


def _measure_evaluatio_whole(n_segments: int = 3000, n_resamples: int = 1000) -> Result:
    """The whole call, from texts, of two systems that are hard to tell apart."""
    from evaluatio.metrics.bleu import bleu_bootstrap_test as evaluatio_test

    references, systems = synthetic_texts(n_segments, 2)
    nested = [[reference] for reference in references]

    def peer() -> float:
        return float(evaluatio_test(nested, *systems, n_resamples))

    def ours() -> float:
        draws._kept.clear()
        return bleu_bootstrap_test(nested, *systems, n_resamples)

    expected = ours()

    def check(found: float) -> None:
        assert abs(found - expected) < 6 * np.sqrt(0.5 / n_resamples)

    times = interleaved({"peer": peer, "ours": ours}, repeats=3, check=check)
    work = f"BLEU bootstrap test, whole call from texts, {n_segments} segments, 1 pair"
    return Result(work, "Evaluatio", 12, times["peer"], times["ours"])


def measure_compare_mt(statistics: np.ndarray) -> Iterator[Result]:
    """compare-mt's paired bootstrap of BLEU with cached statistics, sample ratio 1; it has no seed and no p-value."""
    if not installed("compare_mt", "compare-mt"):
        return
    from compare_mt import scorers, sign_utils

    metric, pairs = create_metric("bleu", {}, "en-de"), pairs_of(len(statistics))
    scorer = scorers.BleuScorer()
    cached = [
        [(int(row[1]), int(row[0]), [(int(row[2 + n]), int(row[6 + n])) for n in range(4)]) for row in system]
        for system in statistics
    ]
    sentences = [["x"]] * statistics.shape[1]

    def peer() -> np.ndarray:
        wins, _ = sign_utils.eval_with_paired_bootstrap(
            sentences,
            [sentences] * len(statistics),
            None,
            scorer,
            compare_directions=[tuple(pair) for pair in pairs.tolist()],
            num_samples=1000,
            sample_ratio=1.0,
            cache_stats=cached,
        )
        return np.array(wins)[:, 0]

    def ours() -> np.ndarray:
        draws._kept.clear()
        replicates, _ = bootstrap_with_sacrebleu(statistics, metric, seed=12345, n_resamples=1000)
        signs = count_signs(replicates[pairs[:, 0]] - replicates[pairs[:, 1]], tolerance=1e-7)
        return np.asarray(signs.positive) / 1000

    expected = ours()

    def check(found: np.ndarray) -> None:
        assert np.abs(found - expected).max() < 6 * np.sqrt(0.5 / 1000)

    times = interleaved({"peer": peer, "ours": ours}, repeats=1, check=check)
    work = f"paired bootstrap, 1000 resamples, {statistics.shape[1]} segments, BLEU, {len(pairs)} pairs"
    yield Result(work, "compare-mt", 1000, times["peer"], times["ours"])


# --- against the machine ---------------------------------------------------------------------------------------------


def measure_share_of_peak(*, n_segments: int = 3000, n_systems: int = 20) -> Result:
    """Bootstrap scores, against the same number of operations in large products of single precision."""
    size = 2048
    square = np.random.default_rng(0).random((size, size), dtype=np.float32)
    statistics = synthetic_statistics(n_segments, n_systems)
    metrics = {name: create_metric(name, {}, "en-de") for name in statistics}

    def scores() -> None:
        draws._kept.clear()
        for name, rows in statistics.items():
            bootstrap_with_sacrebleu(rows, metrics[name], seed=12345, n_resamples=1000)

    scores()
    times = interleaved({"peak": lambda: square @ square, "ours": scores}, repeats=7)
    columns = sum(rows.shape[0] * rows.shape[2] for rows in statistics.values())
    operations = 1000 * n_segments * columns / size**3
    work = f"bootstrap scores of {n_systems} systems x 3 metrics, 1000 resamples, {n_segments} segments"
    return Result(work, "sgemm at its peak", 0.6, times["peak"] * operations, times["ours"])


def measure(*, quick: bool = False) -> Iterator[Result]:
    """All comparisons whose peers are installed; `quick` leaves out what takes peers minutes."""
    yield measure_bootstrap(repeats=1 if quick else 3)
    if not quick:
        yield measure_bootstrap(n_systems=20, goal=1500)
        yield measure_randomization()
    yield from measure_subsets(check_every=100 if quick else 25)
    yield from measure_evaluatio(synthetic_statistics(3000, 6)["bleu"])
    if not quick:
        yield from measure_compare_mt(synthetic_statistics(3000, 6)["bleu"])
    yield measure_averages()
    yield measure_share_of_peak()
