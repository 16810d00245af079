"""Every promise about speed and memory, measured: ``python tests/bench``.

One table of ratios against other programs, what growth costs, and with what all this was measured. A peer that is not
installed is named and left out: ``pip install -r tests/bench/requirements.txt``, best in an environment of its own.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import extraction
import growth
import processes
import resampling
import sweep
from common import Result, machine, table, tell


def _extraction(*, quick: bool = False) -> Iterator[Result]:
    yield from extraction.measure(n_segments=60 if quick else 300, repeats=1 if quick else 3)


#: Parts of the table of ratios, in the order of the table.
PARTS: dict[str, Callable[..., Iterator[Result]]] = {
    "extraction": _extraction,
    "resampling": resampling.measure,
    "compare": processes.measure_compare,
    "workflow": processes.measure_workflow,
    "sweep": sweep.measure,
    "memory": processes.measure_memory,
    "first-run": processes.measure_first_run,
}
RESULTS = Path(__file__).with_name("RESULTS.md")


def _ratios(names: list[str], *, quick: bool) -> str:
    results: list[Result] = []
    verdicts = []
    for name in names:
        tell(name)
        try:
            for result in PARTS[name](quick=quick):
                tell(f"  {result.work}: {result.ratio:.3g} (goal {result.goal:.3g})")
                results.append(result)
        except (AssertionError, RuntimeError) as error:  # unequal numbers, or a command that failed: the rest counts
            tell(f"{name} broke off: {error!r}")
            verdicts.append(f"**{name} broke off** and lacks rows.")
    verdicts.append(f"{sum(result.met for result in results)} of {len(results)} goals are met.")
    return "\n\n".join([table(results), *verdicts, ""])


def _growth(out: Path | None, *, quick: bool) -> str:
    points = growth.measure_growth(quick=quick)
    figure = ""
    if out is not None:
        out.with_name("growth.svg").write_text(growth.plot(points), encoding="utf-8")
        figure = "![time and memory over size](growth.svg)\n\n"
    return (
        f"Steps on {growth.METRIC}, one thread, from {growth.start_size(quick=quick)}: processor time without Python's "
        "start, and peak memory. The number of pairs grows with the square of systems; each resample comes with "
        f"{growth.TRIALS} trials of randomization.\n\n"
        f"{growth.steps_table(points)}\n\n{figure}"
    )


def _load(*, quick: bool) -> str:
    loads = list(growth.measure_load(quick=quick))
    return f"Whole workflows from texts to the report, on all cores.\n\n{growth.load_table(loads)}\n"


def main() -> None:
    names = [*PARTS, "growth", "load"]
    parser = argparse.ArgumentParser(prog="python tests/bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, on which the goals are not meant to be met")
    parser.add_argument("--only", action="append", choices=names, help="only this part; repeatable")
    parser.add_argument("--out", type=Path, help="where to keep the results; whole runs keep them in RESULTS.md")
    arguments = parser.parse_args()
    whole = not (arguments.quick or arguments.only)
    out = arguments.out or (RESULTS if whole else None)
    chosen = [name for name in names if name in (arguments.only or names)]

    options = [*(["--quick"] if arguments.quick else []), *(f"--only {name}" for name in arguments.only or [])]
    start = time.monotonic()
    sections = []
    if ratios := [name for name in chosen if name in PARTS]:
        sections += ["## Goals\n", _ratios(ratios, quick=arguments.quick)]
    if "growth" in chosen:
        sections += ["## Growth\n", _growth(out, quick=arguments.quick)]
    if "load" in chosen:
        sections += ["## Load\n", _load(quick=arguments.quick)]
    head = [
        "# Speed and memory\n",
        f"`{' '.join(['python tests/bench', *options])}`, {time.strftime('%Y-%m-%d', time.gmtime())}, "
        f"{(time.monotonic() - start) / 60:.0f} minutes, on {machine()}.\n",
        "Ratio: what the peer takes over what ours takes, medians of runs in turn. Only times of runs that found equal "
        "numbers count (within chance, where the peer has no seed). Times are processor seconds of one thread unless "
        "wall time is said.\n",
    ]
    page = "\n".join([*head, *sections])
    print(page)
    if out is not None:
        out.write_text(page, encoding="utf-8")
        tell(f"kept in {out}")


if __name__ == "__main__":
    main()
