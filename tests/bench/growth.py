"""How time and memory grow with segments, systems and resamples, and what large studies cost.

As a script it runs one step on tables that are there, and prints the processor seconds that it took:
``growth.py FOLDER score|resample N_RESAMPLES N_TRIALS``.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from common import Process, console_script, evaluation_set, large_texts, measured, synthetic_texts, tell, write_texts

__all__ = ["load_table", "measure_growth", "measure_load", "plot", "resampled", "start_size", "steps_table"]

METRIC = "chrf"
#: Trials of randomization for each resample, as the defaults have it.
TRIALS = 10


@dataclass(frozen=True)
class Size:
    """Of a test set, and of what is done with it."""

    segments: int
    systems: int
    resamples: int

    def __str__(self) -> str:
        return f"{self.systems} systems x {self.segments} segments, {self.resamples} resamples"


@dataclass(frozen=True)
class Point:
    """What a step took where one of the three numbers is `factor` times that of the start."""

    step: str
    doubled: str
    factor: int
    seconds: float
    megabytes: float


# --- single steps ----------------------------------------------------------------------------------------------------


def save_texts(folder: Path, n_segments: int, n_systems: int) -> None:
    """The tables that ingest makes of texts."""
    from mtsig.steps.evaluation_set import save

    evaluation = evaluation_set(*large_texts(n_segments, n_systems))
    save(evaluation, segments=folder / "segments.parquet", hypotheses=folder / "hypotheses.parquet")


def _run_step(folder: Path, step: str, n_resamples: int, n_trials: int) -> None:
    """Run a step with one thread, and print its processor seconds."""
    from mtsig.steps.resample import resample
    from mtsig.steps.score import score

    common = {
        "segments": folder / "segments.parquet",
        "testset": "test",
        "langpair": "de-en",
        "metric": METRIC,
        "settings": {},
        "missing": "error",
        "scores": folder / "scores.parquet",
    }
    start = time.process_time()
    if step == "score":
        score(hypotheses=folder / "hypotheses.parquet", **common)
    else:
        options = {
            "seed": 12345,
            "n_resamples": n_resamples,
            "n_trials": n_trials,
            "confidence_level": 0.95,
            "alpha": 0.05,
            "adjust": "none",
            "resample_unit": "segment",
        }
        tables = {name: folder / f"{name}.parquet" for name in ("systems", "pairs", "groups")}
        resample(options=options, **common, **tables)
    print(time.process_time() - start)


def measured_step(folder: Path, step: str, n_resamples: int, n_trials: int) -> Process:
    """A step in a process of its own; what it prints are its processor seconds without Python's start."""
    command = [sys.executable, Path(__file__).resolve(), folder, step, n_resamples, n_trials]
    return measured([str(word) for word in command], folder=folder, environment={"OPENBLAS_NUM_THREADS": "1"})


def start_size(*, quick: bool = False) -> Size:
    """What growth starts from."""
    return Size(500, 4, 200) if quick else Size(5000, 10, 2000)


def measure_growth(*, quick: bool = False) -> list[Point]:
    """Both steps at a start, and with each of the three numbers doubled again and again."""
    start = start_size(quick=quick)
    found = list(_points(start, "nothing", 1))
    for doubled, value in asdict(start).items():
        for factor in (2, 4) if quick else (2, 4, 8):
            found += _points(replace(start, **{doubled: factor * value}), doubled, factor)
    return found


def _points(size: Size, doubled: str, factor: int) -> Iterator[Point]:
    tell(f"growth: {size}")
    with TemporaryDirectory() as name:
        save_texts(Path(name), size.segments, size.systems)
        for step in ("score", "resample"):
            process = measured_step(Path(name), step, size.resamples, TRIALS * size.resamples)
            if (step, doubled) != ("score", "resamples"):  # scores know nothing of resamples
                yield Point(step, doubled, factor, float(process.output), process.megabytes)


def exponents(points: list[Point]) -> dict[tuple[str, str], float]:
    """Slope of log time over log size for every step and every number that was doubled: 1 is linear growth."""
    found = {}
    for step, doubled in sorted({(point.step, point.doubled) for point in points if point.doubled != "nothing"}):
        chosen = [point for point in points if point.step == step and point.doubled in ("nothing", doubled)]
        factors, seconds = zip(*((point.factor, point.seconds) for point in chosen), strict=True)
        found[step, doubled] = float(np.polyfit(np.log(factors), np.log(seconds), 1)[0])
    return found


def steps_table(points: list[Point]) -> str:
    """All points and exponents in Markdown."""
    factors = sorted({point.factor for point in points})
    slopes = exponents(points)
    at = {(point.step, point.doubled, point.factor): point for point in points}
    at |= {(step, doubled, 1): at[step, "nothing", 1] for step, doubled in slopes}
    lines = [
        f"| step | what grows | {' | '.join(f'x{factor}' for factor in factors)} | exponent of time |",
        "|---" * (len(factors) + 3) + "|",
    ]
    for (step, doubled), slope in slopes.items():
        cells = [at[step, doubled, factor] for factor in factors]
        shown = " | ".join(f"{point.seconds:.2f} s, {point.megabytes:.0f} MB" for point in cells)
        lines.append(f"| {step} | {doubled} | {shown} | {slope:.2f} |")
    return "\n".join(lines)


def plot(points: list[Point]) -> str:
    """Time, with a line of slope 1, and memory over size as SVG."""
    import altair as alt
    from mtsig.report.figures import inline, themed, to_svg

    start = {point.step: point for point in points if point.doubled == "nothing"}
    growing = list(dict.fromkeys(point.doubled for point in points if point.doubled != "nothing"))
    pairs = sorted({(point.step, point.doubled) for point in points if point.doubled != "nothing"})
    rows = [{**asdict(start[step]), "doubled": name} for step, name in pairs]
    rows += [asdict(point) for point in points if point.doubled != "nothing"]
    factors = sorted({row["factor"] for row in rows})

    def panel(step: str, value: str, title: str) -> alt.Chart:
        chosen = [row for row in rows if row["step"] == step]
        linear = [{"factor": factor, value: factor * getattr(start[step], value)} for factor in factors]
        x = alt.X(
            "factor:Q", scale=alt.Scale(type="log", base=2), axis=alt.Axis(values=factors, title="times the start")
        )
        scale = alt.Scale(type="log") if value == "seconds" else alt.Scale(zero=True)
        y = alt.Y(f"{value}:Q", scale=scale, axis=alt.Axis(title=title, tickCount=5))
        colour = alt.Color("doubled:N", sort=growing, legend=alt.Legend(title="what grows"))
        lines = alt.Chart(inline(chosen)).mark_line(point=True).encode(x=x, y=y, color=colour)
        if value != "seconds":
            return lines.properties(title=step, width=260, height=180)
        proportional = alt.Chart(inline(linear)).mark_line(strokeDash=[4, 4], color="#999999").encode(x=x, y=y)
        return (proportional + lines).properties(title=step, width=260, height=180)

    grid = alt.vconcat(
        *(
            alt.hconcat(*(panel(step, value, title) for step in start))
            for value, title in (("seconds", "processor seconds"), ("megabytes", "peak memory, MB"))
        )
    )
    return to_svg(themed(grid))


def resampled(folder: Path, n_resamples: int) -> Process:
    """Resampling with the statistics given, as they stand in a folder of the workflow."""
    results = folder / "results" / "test"
    (folder / "scores.parquet").symlink_to(results / "scores" / f"{METRIC}.parquet")
    (folder / "segments.parquet").symlink_to(results / "segments.parquet")
    return measured_step(folder, "resample", n_resamples, 10_000)


# --- whole studies ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Load:
    """What a study took in the workflow."""

    work: str
    jobs: int
    dry_run: float
    process: Process


def measure_load(*, quick: bool = False) -> Iterator[Load]:
    """Workflows that grow, and studies that are large in one way each."""
    sizes = [(200, 4), (400, 4)] if quick else [(3000, 5), (3000, 10), (3000, 20), (6000, 20), (12_000, 20)]
    for n_segments, n_systems in sizes:
        work = f"{n_systems} systems x {n_segments} segments, 3 metrics"
        yield _load(work, _one_testset(["bleu", "chrf", "ter"]), {".": large_texts(n_segments, n_systems)})
    n_segments, n_systems = (100, 12) if quick else (1000, 120)
    work = f"{n_systems} systems x {n_segments} segments, 3 metrics, {n_systems * (n_systems - 1) // 2} pairs each"
    yield _load(work, _one_testset(["bleu", "chrf", "ter"]), {".": synthetic_texts(n_segments, n_systems)})

    n_testsets = 3 if quick else 40
    texts = {f"set{number:02}": synthetic_texts(200, 10, seed=number) for number in range(n_testsets)}
    metrics = {metric: {} for metric in ("bleu", "chrf", "chrf++", "ter")}
    testsets = {name: _testset(name) for name in texts}
    yield _load(
        f"{n_testsets} test sets of 200 segments x 10 systems x 4 metrics",
        {"testsets": testsets, "metrics": metrics},
        texts,
    )

    seeds = list(range(1, 6 if quick else 51))
    study = {
        "kind": "calibration",
        "testset": "test",
        "metric": ["bleu", "chrf", "ter"],
        "seed": seeds,
        "n_resamples": [100, 1000],
        "subset_sizes": [100, 300],
        "schemes": ["broad"],
    }
    settings = {**_one_testset(["bleu", "chrf", "ter"]), "studies": {"cells": study}}
    n_segments = 300 if quick else 3000
    work = f"calibration study of {6 * len(seeds)} cells, 6 systems x {n_segments} segments"
    yield _load(work, settings, {".": synthetic_texts(n_segments, 6)})


def _testset(folder: str) -> dict[str, str]:
    return {"langpair": "de-en", "references": f"{folder}/reference.txt", "systems": f"{folder}/sys*.txt"}


def _one_testset(metrics: list[str]) -> dict[str, object]:
    return {"testsets": {"test": _testset(".")}, "metrics": {metric: {} for metric in metrics}}


def _load(work: str, settings: Mapping[str, object], texts: Mapping[str, tuple[list[str], list[list[str]]]]) -> Load:
    tell(f"load: {work}")
    with TemporaryDirectory() as name:
        folder = Path(name)
        for part, (references, systems) in texts.items():
            write_texts(folder / part, references, systems)
        (folder / "config.yaml").write_text(json.dumps(settings), encoding="utf-8")
        command = [console_script("mtsig"), "run", "config.yaml"]
        dry = measured([*command, "--dry-run"], folder=folder)
        jobs = next(int(line.split()[1]) for line in dry.output.splitlines() if line.startswith("total "))
        return Load(work, jobs, dry.seconds, measured(command, folder=folder))


def load_table(loads: list[Load]) -> str:
    """What studies took, in Markdown."""
    lines = ["| study | jobs | dry run | wall | processor | peak memory of a job |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {load.work} | {load.jobs} | {load.dry_run:.1f} s | {load.process.seconds:.1f} s | "
        f"{load.process.cpu_seconds:.1f} s | {load.process.megabytes:.0f} MB |"
        for load in loads
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    _run_step(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
