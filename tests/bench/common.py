"""What all benches share: texts of any size, fair timing, and a table of ratios.

Times are of the processor, one thread, so that a busy machine does not spoil them; peers and ours run in turn, and the
medians are compared.
"""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

# Before numpy is loaded: one thread is compared with one thread.
for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import numpy as np  # noqa: E402

__all__ = ["Result", "interleaved", "machine", "synthetic_texts", "table"]


@dataclass(frozen=True)
class Result:
    """One line of the table: how much longer the peer takes than ours, and how much longer it should take."""

    work: str
    peer: str
    goal: float
    peer_seconds: float
    our_seconds: float

    @property
    def ratio(self) -> float:
        """Peer's time over ours."""
        return self.peer_seconds / self.our_seconds


def interleaved(
    functions: dict[str, Callable[[], Any]], *, repeats: int = 5, clock: Callable[[], float] = time.process_time
) -> dict[str, float]:
    """Median time of each function; all of them run in turn, `repeats` times."""
    times: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(repeats):
        for name, function in functions.items():
            start = clock()
            function()
            times[name].append(clock() - start)
    return {name: statistics.median(values) for name, values in times.items()}


def table(results: Sequence[Result]) -> str:
    """The results as a Markdown table."""
    lines = ["| work | peer | peer, s | ours, s | ratio | goal |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {r.work} | {r.peer} | {r.peer_seconds:.4g} | {r.our_seconds:.4g} | {r.ratio:.3g} | {r.goal:g} |"
        for r in results
    ]
    return "\n".join(lines)


def machine() -> str:
    """Processor and versions, for the head of the results."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "sacrebleu"))
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}, {packages}"


def synthetic_texts(n_segments: int, n_systems: int, *, seed: int = 2004) -> tuple[list[str], list[list[str]]]:
    """References and outputs with about the statistics of news translation (BLEU 20 to 40, TER 45 to 60).

    Words follow Zipf's law, lengths a lognormal distribution with mean 25. An output is its reference with words
    replaced, inflected, dropped and inserted and with runs moved; part of the noise is common to all systems, and
    segments differ in difficulty.
    """
    rng = np.random.default_rng(seed)
    vocabulary = _vocabulary(rng, 30_000)
    lengths = np.clip(np.rint(rng.lognormal(np.log(25) - 0.15, 0.55, n_segments)), 1, 150).astype(int)
    difficulty = rng.beta(2, 3, n_segments)
    references, systems = [], [[] for _ in range(n_systems)]  # type: ignore[var-annotated]
    for length, hard in zip(lengths.tolist(), difficulty.tolist(), strict=True):
        words = [vocabulary[i] for i in _zipf(rng, len(vocabulary), length)]
        references.append(_sentence(words))
        common = _noise(rng, words, vocabulary, 0.35 * hard)
        for number, outputs in enumerate(systems):
            outputs.append(_sentence(_noise(rng, common, vocabulary, hard * (0.5 + 0.3 * number / n_systems))))
    return references, systems


def _zipf(rng: np.random.Generator, n: int, size: int) -> list[int]:
    """Ranks with probabilities about proportional to 1/rank."""
    return np.minimum(np.exp(rng.random(size) * np.log(n + 1)) - 1, n - 1).astype(int).tolist()


def _vocabulary(rng: np.random.Generator, size: int) -> list[str]:
    """Different pronounceable words, short ones first."""
    syllables = [c + v for c in "bdfghklmnprstvwz" for v in ("a", "e", "i", "o", "u", "en", "er", "st")]
    words: dict[str, None] = {}
    while len(words) < size:
        n_syllables = 1 + int(np.log2(1 + len(words) / 60)) // 3 + int(rng.integers(2))
        words["".join(syllables[i] for i in rng.integers(len(syllables), size=n_syllables))] = None
    return list(words)


def _noise(rng: np.random.Generator, words: list[str], vocabulary: list[str], rate: float) -> list[str]:
    result: list[str] = []
    for word, kind in zip(words, (rng.random(len(words)) / max(rate, 1e-9)).tolist(), strict=True):
        if kind < 0.3:
            result.append(vocabulary[_zipf(rng, len(vocabulary), 1)[0]])
        elif kind < 0.5:
            result.append(word + "s")
        elif kind < 0.7:
            continue
        elif kind < 0.85:
            result += [word, vocabulary[_zipf(rng, len(vocabulary), 1)[0]]]
        else:
            result.append(word)
    for _ in range(int(rng.poisson(rate * len(result) * 0.1))):
        start, size = int(rng.integers(max(1, len(result)))), int(rng.integers(1, 4))
        run, rest = result[start : start + size], result[:start] + result[start + size :]
        place = int(np.clip(start + rng.integers(-8, 9), 0, len(rest)))
        result = rest[:place] + run + rest[place:]
    return result or words[:1]


def _sentence(words: list[str]) -> str:
    """Words as a sentence with a capital letter, commas and a period."""
    words = [word + "," if position % 9 == 8 else word for position, word in enumerate(words)]
    return " ".join([words[0].capitalize(), *words[1:]]).rstrip(",") + "."
