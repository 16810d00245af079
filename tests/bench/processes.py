"""Whole processes, as users start them, against ``sacrebleu --paired-bs``: wall time, and peak memory.

sacreBLEU compares one baseline with all other systems; ours compares all pairs, and by approximate randomization too.
Scores and p-values must be equal as far as sacreBLEU prints them. Both have all the cores and threads that they take.
"""

from __future__ import annotations

import json
import re
import shutil
import statistics
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.parquet as pq
from common import Process, Result, console_script, large_texts, measured, synthetic_texts, tell, write_texts
from growth import resampled

__all__ = [
    "configuration",
    "measure_compare",
    "measure_first_run",
    "measure_memory",
    "measure_workflow",
    "results_numbers",
    "run_workflow",
    "sacrebleu",
]

ROOT = Path(__file__).resolve().parents[2]

#: Score of each system and p-value of each but the baseline, by metric, as text.
Numbers = dict[tuple[str, str], tuple[str, str | None]]
#: Runs in a folder that holds texts and gives what was taken, and the numbers.
Program = Callable[[Path, int, Sequence[str]], tuple[Process, Numbers]]


def _name(number: int) -> str:
    return f"sys{number:03}"


def sacrebleu(folder: Path, n_systems: int, metrics: Sequence[str]) -> tuple[Process, Numbers]:
    """sacreBLEU's paired bootstrap of the first system against the others."""
    outputs = [f"{_name(number)}.txt" for number in range(n_systems)]
    # Text, since its JSON fails on chrF and TER with recent versions of numpy.
    options = ["--paired-bs", "--format", "text", "--width", "4"]
    command = [console_script("sacrebleu"), "reference.txt", "-i", *outputs, "-m", *metrics, *options]
    process = measured(command, folder=folder)
    cells = re.findall(r"([\d.]+) \([\d.]+ ± [\d.]+\)", process.output)
    p_values = re.findall(r"p = ([\d.]+)", process.output)
    keys = [(_name(number), metric) for number in range(n_systems) for metric in metrics]
    padded = [None] * len(metrics) + p_values
    return process, dict(zip(keys, zip(cells, padded, strict=True), strict=True))


def compare(folder: Path, n_systems: int, metrics: Sequence[str]) -> tuple[Process, Numbers]:
    """``mtsig compare`` on all pairs."""
    outputs = [f"{_name(number)}.txt" for number in range(n_systems)]
    chosen = [word for metric in metrics for word in ("--metric", metric)]
    process = measured(
        [console_script("mtsig"), "compare", "reference.txt", *outputs, *chosen, "--json"], folder=folder
    )
    found = json.loads(process.output)
    return process, _numbers(found["systems"], found["pairs"])


def workflow(folder: Path, n_systems: int, metrics: Sequence[str]) -> tuple[Process, Numbers]:
    """The workflow from texts to tables, figures and report, from scratch."""
    del n_systems  # all that are in the folder
    process = run_workflow(folder, configuration(metrics))
    return process, results_numbers(folder / "results" / "test", metrics)


def results_numbers(folder: Path, metrics: Sequence[str]) -> Numbers:
    """The numbers of a test set's tables below ``results/``."""
    systems, pairs = (
        [row for metric in metrics for row in pq.read_table(folder / kind / f"{metric}.parquet").to_pylist()]
        for kind in ("systems", "pairs")
    )
    return _numbers(systems, pairs)


def configuration(metrics: Sequence[str], **more: object) -> dict[str, object]:
    """Settings for one test set of the texts in a folder."""
    testset = {"langpair": "de-en", "references": "reference.txt", "systems": "sys*.txt"}
    return {"testsets": {"test": testset}, "metrics": {metric: {} for metric in metrics}, **more}


def run_workflow(folder: Path, settings: dict[str, object], *options: str) -> Process:
    """Run the workflow on all cores in a folder that holds no results yet."""
    for name in ("results", "logs", ".snakemake"):
        shutil.rmtree(folder / name, ignore_errors=True)
    (folder / "config.yaml").write_text(json.dumps(settings), encoding="utf-8")
    return measured([console_script("mtsig"), "run", "config.yaml", *options], folder=folder)


def _numbers(systems: list[dict], pairs: list[dict]) -> Numbers:
    p_values = {(row["system_b"], row["metric"]): row["p_sacrebleu_bs"] for row in pairs if row["system_a"] == _name(0)}
    return {
        (row["system"], row["metric"]): (
            f"{row['score']:.4f}",
            None if row["system"] == _name(0) else f"{p_values[row['system'], row['metric']]:.4f}",
        )
        for row in systems
    }


def _in_turn(
    folder: Path, n_systems: int, metrics: Sequence[str], programs: dict[str, tuple[Program, int]]
) -> dict[str, list[Process]]:
    """Run programs in turn, each as often as is said; all must find the same."""
    expected: Numbers = {}
    found: dict[str, list[Process]] = {name: [] for name in programs}
    for turn in range(max(repeats for _, repeats in programs.values())):
        for name, (program, repeats) in programs.items():
            if turn < repeats:
                process, numbers = program(folder, n_systems, metrics)
                expected = expected or numbers
                assert numbers == expected, f"{name} finds other numbers"
                found[name].append(process)
    return found


def _median(processes: list[Process], what: str = "seconds") -> float:
    return statistics.median(getattr(process, what) for process in processes)


def measure_compare(*, quick: bool = False) -> Iterator[Result]:
    """``mtsig compare`` of two and of six systems."""
    n_segments, repeats = (300, 1) if quick else (3000, 5)
    for n_systems, metrics, goal in ((2, ["bleu"], 0.4), (6, ["bleu", "chrf"], 0.1)):
        with TemporaryDirectory() as name:
            write_texts(Path(name), *synthetic_texts(n_segments, n_systems))
            programs: dict[str, tuple[Program, int]] = {"peer": (sacrebleu, repeats), "ours": (compare, repeats)}
            found = _in_turn(Path(name), n_systems, metrics, programs)
        work = f"`mtsig compare`, {n_systems} systems x {n_segments} segments, {' + '.join(metrics)}, all pairs, wall"
        yield Result(work, "`sacrebleu --paired-bs`", 1 / goal, _median(found["peer"]), _median(found["ours"]))


def measure_workflow(*, quick: bool = False) -> Iterator[Result]:
    """The whole job through Snakemake; sacreBLEU, which takes minutes, runs once."""
    n_segments, n_systems = (200, 6) if quick else (3000, 20)
    metrics = ["bleu", "chrf", "ter"]
    with TemporaryDirectory() as name:
        write_texts(Path(name), *synthetic_texts(n_segments, n_systems))
        programs: dict[str, tuple[Program, int]] = {"ours": (workflow, 1 if quick else 3), "peer": (sacrebleu, 1)}
        found = _in_turn(Path(name), n_systems, metrics, programs)
    work = (
        f"texts to tables, figures and report through Snakemake, {n_systems} systems x {n_segments} segments, "
        f"{' + '.join(metrics)}, {n_systems * (n_systems - 1) // 2} pairs, both tests, wall"
    )
    yield Result(work, "`sacrebleu --paired-bs`, one baseline", 40, _median(found["peer"]), _median(found["ours"]))


def measure_memory(*, quick: bool = False) -> Iterator[Result]:
    """Peak memory: of two systems against sacreBLEU, and of many segments and resamples against a bound."""
    n_segments, metrics = 3000 if quick else 30_000, ["bleu", "chrf"]
    with TemporaryDirectory() as name:
        write_texts(Path(name), *synthetic_texts(n_segments, 2))
        programs: dict[str, tuple[Program, int]] = {
            "`mtsig compare`": (compare, 1),
            "largest job of the workflow": (workflow, 1),
            "peer": (sacrebleu, 1),
        }
        found = {
            name: _median(processes, "megabytes")
            for name, processes in _in_turn(Path(name), 2, metrics, programs).items()
        }
    theirs = found.pop("peer")
    for what, ours in found.items():
        work = f"peak memory, {what}, 2 systems x {n_segments} segments, bleu + chrf"
        yield Result(work, "`sacrebleu --paired-bs`", 10, theirs, ours, "MB")
    yield from _measure_bound(*((10_000, 10, 1000) if quick else (100_000, 20, 10_000)))


def _measure_bound(n_segments: int, n_systems: int, n_resamples: int) -> Iterator[Result]:
    """The workflow on many segments, and resampling alone from statistics that are given."""
    tell(f"{n_systems} systems x {n_segments} segments, {n_resamples} resamples")
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_texts(folder, *large_texts(n_segments, n_systems))
        whole = run_workflow(folder, configuration(["bleu", "chrf", "ter"], n_resamples=n_resamples))
        size = f"{n_systems} systems x {n_segments} segments, {n_resamples} resamples"
        work = f"peak memory, largest workflow job, {size}, bleu + chrf + ter ({whole.seconds:.0f} s wall in all)"
        yield Result(work, "bound", 1, 2000, whole.megabytes, "MB")
        given = resampled(folder, n_resamples)
        work = f"peak memory, resampling with statistics given, {size}, chrf ({given.seconds:.0f} s wall)"
        yield Result(work, "bound", 1, 2000, given.megabytes, "MB")


def measure_first_run(*, quick: bool = False) -> Iterator[Result]:
    """The embedded example right after installation, against the second run from scratch.

    It runs in a copy of the checkout without compiled modules and without anything that Snakemake keeps. What pip
    installed has its compiled modules from the start, as after an installation.
    """
    seconds: dict[str, list[float]] = {"first": [], "second": []}
    for _ in range(1 if quick else 3):
        with TemporaryDirectory() as name:
            folder = Path(name, "copy")
            for part in ("Snakefile", "config", "profiles", "results/README.md", "scripts", "workflow"):
                _copy(ROOT / part, folder / part)
            environment = {"PYTHONPATH": str(folder / "scripts"), "XDG_CACHE_HOME": str(Path(name, "cache"))}
            for which in seconds:
                process = measured([console_script("snakemake"), "-q", "all"], folder=folder, environment=environment)
                seconds[which].append(process.seconds)
                for kept in [*folder.glob("results/*/"), folder / "logs", folder / ".snakemake"]:
                    shutil.rmtree(kept)
                (folder / "results" / "report.html").unlink()
    first, second = (statistics.median(values) for values in seconds.values())
    work = "embedded example through Snakemake, first run after installation, wall"
    yield Result(work, "second run from scratch", 1 / 1.3, second, first)
    yield Result(work, "bound", 1, 4, first)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, target)
