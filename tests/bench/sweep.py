"""Whole runs of many test sets through Snakemake, against sacreBLEU's calls for the same texts.

sacreBLEU compares one baseline with the other systems, one call per test set; ours makes everything that the target
``all`` stands for: all pairs, two tests, tables, figures and the page. Wall time, both with all the cores they take.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from common import Process, Result, console_script, measured, synthetic_texts, tell, write_texts
from processes import ROOT, configuration, results_numbers, run_workflow, sacrebleu

__all__ = ["measure"]

#: sacreBLEU's metrics; the sweep itself has chrf++ on top.
METRICS = ("bleu", "chrf", "ter")
#: WMT23 Chinese-English in the layout of mt-metrics-eval, where it lies beside the checkout.
WMT23 = ROOT.parent / "shared" / "data" / "mtme" / "wmt23"


def measure(*, quick: bool = False) -> Iterator[Result]:
    """A sweep and what follows small changes of it; then single test sets of short and of long segments."""
    yield from _sweep(n_testsets=3 if quick else 40)
    yield _plan(n_testsets=20 if quick else 400)
    with TemporaryDirectory() as name:
        n_segments, n_systems = (200, 6) if quick else (3000, 20)
        write_texts(Path(name), *synthetic_texts(n_segments, n_systems, length=8))
        work = f"{n_systems} systems x {n_segments} short segments, bleu + chrf + ter, wall"
        yield _single(Path(name), n_systems, work, goal=10)
    if not quick and WMT23.is_dir():
        with TemporaryDirectory() as name:
            n_systems = _copy_wmt23(Path(name))
            work = f"WMT23 zh-en, {n_systems} systems, long segments, bleu + chrf + ter, wall"
            yield _single(Path(name), n_systems, work, goal=200)


def _sweep(n_testsets: int) -> Iterator[Result]:
    n_systems = 10
    with TemporaryDirectory() as name:
        folder = Path(name)
        names = [f"set{number:02}" for number in range(n_testsets)]
        for number, testset in enumerate(names):
            write_texts(folder / testset, *synthetic_texts(200, n_systems, seed=number, length=12))
        settings = _settings(names)
        ours = run_workflow(folder, settings)
        theirs = []
        for testset in names:
            process, numbers = sacrebleu(folder / testset, n_systems, METRICS)
            assert results_numbers(folder / "results" / testset, METRICS) == numbers, f"{testset}: other numbers"
            theirs.append(process.seconds)
        work = f"sweep of {n_testsets} test sets x {n_systems} systems x 200 segments"
        what = "all pairs, tables, figures, page, wall"
        peer = f"`sacrebleu --paired-bs`, {n_testsets} calls"
        yield Result(f"{work}, bleu + chrf + ter + chrf++, {what}", peer, 2, sum(theirs), ours.seconds)

        page = folder / "results" / "report.html"
        yield Result(f"{work}: size of the page", "bound", 1, 4, page.stat().st_size / 1e6, "MB")
        yield Result(f"{work}: nothing changed, processor", "bound", 1, 4, _again(folder).cpu_seconds)
        output = folder / names[0] / "sys003.txt"
        output.write_text(output.read_text(encoding="utf-8").replace(" ", " other ", 1), encoding="utf-8")
        yield Result(f"{work}: one word changed, processor", "bound", 1, 6, _again(folder).cpu_seconds)
        page.unlink()
        yield Result(f"{work}: the page alone, with Snakemake's start, wall", "bound", 1, 5, _again(folder).seconds)


def _settings(testsets: Sequence[str]) -> dict[str, object]:
    return {
        "testsets": {
            name: {"langpair": "de-en", "references": f"{name}/reference.txt", "systems": f"{name}/sys*.txt"}
            for name in testsets
        },
        "metrics": {metric: {} for metric in (*METRICS, "chrf++")},
    }


def _again(folder: Path, *options: str) -> Process:
    """The same run once more, on what is there."""
    return measured([console_script("mtsig"), "run", "config.yaml", *options], folder=folder)


def _plan(n_testsets: int) -> Result:
    """A dry run of many test sets."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        names = [f"set{number:03}" for number in range(n_testsets)]
        texts = synthetic_texts(20, 4)
        for testset in names:
            write_texts(folder / testset, *texts)
        (folder / "config.yaml").write_text(json.dumps(_settings(names)), encoding="utf-8")
        plan = _again(folder, "--dry-run")
    return Result(f"plan of {n_testsets} test sets x 4 metrics, processor", "bound", 1, 12, plan.cpu_seconds)


def _single(folder: Path, n_systems: int, work: str, *, goal: float) -> Result:
    ours = run_workflow(folder, configuration(METRICS))
    numbers = results_numbers(folder / "results" / "test", METRICS)
    tell(f"  ours: {ours.seconds:.1f} s; now sacreBLEU")
    theirs, expected = sacrebleu(folder, n_systems, METRICS)
    assert numbers == expected, "sacreBLEU finds other numbers"
    return Result(work, "`sacrebleu --paired-bs`, one baseline", goal, theirs.seconds, ours.seconds)


def _copy_wmt23(folder: Path) -> int:
    """Copy reference and outputs under the names that the bench uses; the number of systems."""
    outputs = sorted((WMT23 / "system-outputs" / "zh-en").glob("*.txt"))
    outputs = [path for path in outputs if path.stem not in {"refA", "synthetic_ref"}]
    for number, path in enumerate(outputs):
        (folder / f"sys{number:03}.txt").write_bytes(path.read_bytes())
    (folder / "reference.txt").write_bytes((WMT23 / "references" / "zh-en.refA.txt").read_bytes())
    return len(outputs)
