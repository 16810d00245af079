"""What a GPU does to COMET scores: one command, under 8 minutes.

usage: python tests/gpu/measure_comet.py [--dry-run] [--checkpoint FOLDER]

Run it with the Python that has COMET. Without a checkpoint it makes a model of the size of wmt22-comet-da with random
weights, so it needs no network. It prints speed and peak memory for each precision and batch size, and checks that

- fp32 scores on the GPU equal those on the CPU to 1e-4,
- a score does not change at all with what else is scored, nor with two devices where there are two,
- too large a batch is made smaller, with the same scores.

The exit status says whether all of it held. --dry-run does the same with a tiny model on the CPU.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
sys.path += [str(HERE.parent / "neural"), str(HERE.parents[1] / "scripts")]

from mtsig.metrics.neural import batches, checkpoint, model  # noqa: E402
from mtsig.metrics.neural.batches import Triple  # noqa: E402
from tiny_comet import SENTENCES, make  # noqa: E402

#: Width, layers and heads of XLM-R large.
LARGE = (1024, 24, 16)
TOLERANCE = 1e-4
WORDS = " ".join(SENTENCES).split()
failures: list[str] = []


def check(holds: bool, what: str) -> None:
    print(f"{'holds ' if holds else 'FAILED'}  {what}", flush=True)
    if not holds:
        failures.append(what)


def make_triples(n_segments: int, n_systems: int) -> list[Triple]:
    rng = random.Random(4)

    def text() -> str:
        return " ".join(rng.choices(WORDS, k=rng.randint(4, 30)))

    triples = []
    for _ in range(n_segments):
        source, reference = text(), text()
        triples += [Triple(source, text(), reference) for _ in range(n_systems)]
    return triples


def load(found: checkpoint.Checkpoint, precision: str, devices: Sequence[str]) -> Any:
    threads = os.cpu_count() or 1
    return model.load(found, precision=precision, devices=devices, threads=threads, local_files_only=True)


def scored(loaded: Any, triples: list[Triple], rows: int) -> dict[Triple, float]:
    found: dict[Triple, float] = {}

    def on_batch(plans: list[batches.Plan], entries: list[Any]) -> None:
        found.update((plan.triple, entry.score) for plan, entry in zip(plans, entries, strict=True))

    batches.score(triples, loaded, rows=rows, on_batch=on_batch)
    return found


def largest(one: dict[Triple, float], other: dict[Triple, float]) -> float:
    return max(abs(one[triple] - other[triple]) for triple in one.keys() & other.keys())


def measure(found: checkpoint.Checkpoint, device: str, triples: list[Triple], sizes: Sequence[int]) -> None:
    """Speed, memory and distance from fp32 for each precision and batch size."""
    import torch

    cuda = device != "cpu"
    print("\nprecision  batch  triples/s  peak memory  largest difference from fp32", flush=True)
    reference: dict[Triple, float] = {}
    for precision in ("fp32", "bf16", "fp16") if cuda else ("fp32", "bf16"):
        loaded = load(found, precision, [device])
        scored(loaded, triples[:64], sizes[0])  # the first kernels are slower than all others
        for rows in sizes:
            if cuda:
                torch.cuda.reset_peak_memory_stats()
            started = time.perf_counter()
            scores = scored(loaded, triples, rows)
            seconds = time.perf_counter() - started
            reference = reference or scores
            memory = f"{torch.cuda.max_memory_allocated() / 2**30:7.2f} GiB" if cuda else "          -"
            speed = f"{len(triples) / seconds:9.0f}"
            print(f"{precision:9}  {rows:5}  {speed}  {memory}  {largest(scores, reference):.1e}", flush=True)
        del loaded


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dry-run", action="store_true", help="a tiny model on the CPU")
    parser.add_argument("--checkpoint", help="folder of a checkpoint to use")
    options = parser.parse_args()
    # Not above: tools that only look at the script may do without.
    import torch

    if not options.dry_run and not torch.cuda.is_available():
        sys.exit("No GPU was found; --dry-run tries the script itself.")
    device = "cpu" if options.dry_run else "cuda:0"
    name = "CPU, dry run" if options.dry_run else torch.cuda.get_device_name(0)
    print(f"{name}; torch {torch.__version__}; COMET {model.package_versions()['comet']}")

    with tempfile.TemporaryDirectory() as folder:
        if options.checkpoint:
            found = checkpoint.locate(options.checkpoint, local_files_only=True)
        else:
            size = (32, 2, 2) if options.dry_run else LARGE
            made = make(Path(folder), "reference-based", size=size)
            found = checkpoint.locate(str(made))
        triples = make_triples(16 if options.dry_run else 500, 4 if options.dry_run else 12)
        measure(found, device, triples, (4, 16) if options.dry_run else (8, 32, 128))

        print()
        few = triples[:32] if options.dry_run else triples[:: len(triples) // 96]
        single = load(found, "fp32", [device])
        here = scored(single, triples, 16)
        difference = largest(scored(load(found, "fp32", ["cpu"]), few, 16), here)
        check(difference < TOLERANCE, f"fp32 equals the CPU's: {difference:.1e} < {TOLERANCE:.0e}")
        check(largest(scored(single, few, 16), here) == 0, "a score is the same without the others")
        backwards = scored(single, triples[::-1], 16)
        check(largest(backwards, here) == 0, "a score is the same in another order")
        if options.dry_run or torch.cuda.device_count() > 1:
            pair = ["cpu", "cpu"] if options.dry_run else ["cuda:0", "cuda:1"]
            check(largest(scored(load(found, "fp32", pair), triples, 16), here) == 0, "two devices give the same")
        if device != "cpu":
            del single
            torch.cuda.empty_cache()
            total = torch.cuda.get_device_properties(0).total_memory
            used = torch.cuda.memory_allocated() + 2**30
            torch.cuda.set_per_process_memory_fraction(min(1.0, (4 * 2**30 + used) / total))
            crowded = scored(load(found, "fp32", [device]), triples, 4096)
            torch.cuda.set_per_process_memory_fraction(1.0)
            difference = largest(crowded, here)
            check(difference < TOLERANCE, f"batches that do not fit become smaller: {difference:.1e} from the others")
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
