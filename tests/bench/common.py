"""What all benches share: texts of any size, fair measuring, and a table of ratios.

Inside one process times are of the processor, one thread, so that a busy machine does not spoil them. Whole processes
are measured by wall time, with as many threads as they take. Peers and ours run in turn, and the medians are compared.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

# Before numpy is loaded: one thread is compared with one thread. Other processes have what they would have without us.
ENVIRONMENT = dict(os.environ)
for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import numpy as np  # noqa: E402
from mtsig.corpus.model import EvaluationSet  # noqa: E402

#: Packages whose versions stand in the results.
PACKAGES = ("numpy", "scipy", "pyarrow", "snakemake", "sacrebleu", "evaluatio", "compare-mt")

__all__ = [
    "ENVIRONMENT",
    "Process",
    "Result",
    "console_script",
    "evaluation_set",
    "installed",
    "interleaved",
    "large_texts",
    "machine",
    "measured",
    "synthetic_texts",
    "table",
    "tell",
    "write_texts",
]


@dataclass(frozen=True)
class Result:
    """One line of the table: how much more the peer takes than ours, and how much more it should take."""

    work: str
    peer: str
    goal: float
    theirs: float
    ours: float
    unit: str = "s"

    @property
    def ratio(self) -> float:
        """What the peer takes over what ours takes."""
        return self.theirs / self.ours

    @property
    def met(self) -> bool:
        """Whether the goal is reached."""
        return self.ratio >= self.goal


@dataclass(frozen=True)
class Process:
    """What a process and its descendants took: wall and processor seconds, and the largest one's peak memory in MB."""

    output: str
    seconds: float
    cpu_seconds: float
    megabytes: float


# Starts the command and waits for it. A process of its own: what is measured would else begin with our memory as its
# peak, since the kernel keeps the peak across the start of another program.
_WAITER = """
import json, os, sys, time
report, command = sys.argv[1], sys.argv[2:]
start = time.perf_counter()
child = os.posix_spawnp(command[0], command, os.environ)
_, status, usage = os.wait4(child, 0)
seconds = time.perf_counter() - start
with open(report, "w") as file:
    json.dump([os.waitstatus_to_exitcode(status), seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss], file)
"""


def measured(command: Sequence[str | Path], *, folder: Path, environment: Mapping[str, str] | None = None) -> Process:
    """Run a command in a folder and measure it; a command that fails ends the bench with what it said."""
    with TemporaryDirectory() as place:
        report = Path(place, "report.json")
        waiter = [sys.executable, "-I", "-S", "-c", _WAITER, str(report), *map(str, command)]
        environment = {**ENVIRONMENT, **(environment or {})}
        done = subprocess.run(waiter, cwd=folder, env=environment, capture_output=True, text=True, check=True)
        code, seconds, cpu_seconds, peak = json.loads(report.read_text())
    if code:
        raise RuntimeError(
            f"{' '.join(map(str, command))}: exit status {code}\n{done.stdout[-2000:]}{done.stderr[-4000:]}"
        )
    per_megabyte = 1e6 if sys.platform == "darwin" else 1e3 / 1.024
    return Process(done.stdout, seconds, cpu_seconds, peak / per_megabyte)


def console_script(name: str) -> Path:
    """A command that is installed beside this Python."""
    return Path(sys.executable).with_name(name)


def installed(module: str, name: str) -> bool:
    """Whether a peer is there; if not, say that it is left out."""
    if importlib.util.find_spec(module):
        return True
    tell(f"{name} is not installed and is left out; see requirements.txt in this folder.")
    return False


def tell(message: str) -> None:
    """Say on standard error what is done next."""
    print(f"{time.strftime('%H:%M:%S')} {message}", file=sys.stderr, flush=True)


def interleaved(
    functions: Mapping[str, Callable[[], Any]],
    *,
    repeats: int = 5,
    clock: Callable[[], float] = time.process_time,
    check: Callable[[Any], None] = lambda value: None,
) -> dict[str, float]:
    """Median time of each function; all of them run in turn, `repeats` times, and no time counts before `check`."""
    times: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(repeats):
        for name, function in functions.items():
            start = clock()
            value = function()
            seconds = clock() - start
            check(value)
            times[name].append(seconds)
    return {name: statistics.median(values) for name, values in times.items()}


def table(results: Sequence[Result]) -> str:
    """The results as a Markdown table."""
    lines = ["| work | peer | peer | ours | ratio | goal | met |", "|---|---|---|---|---|---|---|"]
    lines += [
        f"| {r.work} | {r.peer} | {r.theirs:.4g} {r.unit} | {r.ours:.4g} {r.unit} | {r.ratio:.3g} | {r.goal:.3g} | "
        f"{'yes' if r.met else '**no**'} |"
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
    packages = []
    for name in PACKAGES:
        with contextlib.suppress(PackageNotFoundError):
            packages.append(f"{name} {version(name)}")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{model}, {cores} cores, Python {platform.python_version()}, {', '.join(packages)}"


def evaluation_set(references: Sequence[str], systems: Sequence[Sequence[str]]) -> EvaluationSet:
    """The texts as mtsig takes them."""
    nothing = (None,) * len(references)
    return EvaluationSet(
        testset="test",
        langpair="de-en",
        segment_ids=tuple(map(str, range(len(references)))),
        documents=nothing,
        domains=nothing,
        sources=nothing,
        references={"reference": tuple(references)},
        systems={f"sys{number:03}": tuple(texts) for number, texts in enumerate(systems)},
    )


def write_texts(folder: Path, references: Sequence[str], systems: Sequence[Sequence[str]]) -> None:
    """Write ``reference.txt`` and one file per system, ``sys000.txt`` and so on."""
    folder.mkdir(parents=True, exist_ok=True)
    names = ["reference", *(f"sys{number:03}" for number in range(len(systems)))]
    for name, texts in zip(names, [references, *systems], strict=True):
        (folder / f"{name}.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")


def large_texts(n_segments: int, n_systems: int) -> tuple[list[str], list[list[str]]]:
    """Synthetic texts, from 3,000 segments on the same ones again and again, each time with another first word."""
    references, systems = synthetic_texts(min(n_segments, 3000), n_systems)

    def repeated(texts: list[str]) -> list[str]:
        return [f"{row // len(texts)}: {texts[row % len(texts)]}" for row in range(n_segments)]

    return repeated(references), [repeated(texts) for texts in systems]


def synthetic_texts(
    n_segments: int, n_systems: int, *, seed: int = 2004, length: float = 25
) -> tuple[list[str], list[list[str]]]:
    """References and outputs with about the statistics of news translation (BLEU 20 to 40, TER 45 to 60).

    Words follow Zipf's law, lengths a lognormal distribution with mean `length`. An output is its reference with words
    replaced, inflected, dropped and inserted and with runs moved; part of the noise is common to all systems, and
    segments differ in difficulty.
    """
    rng = np.random.default_rng(seed)
    vocabulary = _vocabulary(rng, 30_000)
    lengths = np.clip(np.rint(rng.lognormal(np.log(length) - 0.15, 0.55, n_segments)), 1, 150).astype(int)
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
