"""How much faster a set of systems is scored than by comet-score, with a tiny model on the CPU.

usage: neural_scoring.py CHECKPOINT_FOLDER [SEGMENTS]      run by the Python that has COMET

Twelve systems that agree with the first of them on a third of the segments, as systems do on short ones. Both start
from files and end with files, model loading and imports included. Wall time and CPU time are printed, since the first
means little on a busy machine. A checkpoint comes from tests/neural/tiny_comet.py.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow.parquet as pq

REPOSITORY = Path(__file__).parents[2]
sys.path.append(str(REPOSITORY / "scripts"))

from mtsig.corpus.model import EvaluationSet  # noqa: E402
from mtsig.steps.evaluation_set import save  # noqa: E402

WORDS = [
    "ferry",
    "harbour",
    "seven",
    "unless",
    "fog",
    "comes",
    "in",
    "from",
    "the",
    "sea",
    "bakeries",
    "flour",
    "garden",
]
N_SYSTEMS = 12


def make_texts(n_segments: int) -> EvaluationSet:
    rng = random.Random(1)

    def text() -> str:
        return " ".join(rng.choices(WORDS, k=rng.randint(5, 35)))

    first = [text() for _ in range(n_segments)]
    systems = {
        f"s{k:02}": [first[i] if rng.random() < 1 / 3 else text() for i in range(n_segments)] for k in range(N_SYSTEMS)
    }
    return EvaluationSet(
        testset="bench",
        langpair="de-en",
        segment_ids=tuple(map(str, range(n_segments))),
        documents=(None,) * n_segments,
        domains=(None,) * n_segments,
        sources=tuple(text() for _ in range(n_segments)),
        references={"refA": tuple(text() for _ in range(n_segments))},
        systems={name: tuple(texts) for name, texts in systems.items()},
        findings=(),
    )


def timed(command: list[str], folder: Path) -> tuple[float, float]:
    """Wall and CPU seconds of a command."""
    started, before = time.perf_counter(), os.times()
    # Threads that spin would measure how busy the machine is.
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_WAIT_POLICY": "PASSIVE", "TOKENIZERS_PARALLELISM": "false"}
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - started, used


def theirs(texts: EvaluationSet, checkpoint: Path, folder: Path) -> tuple[tuple[float, float], dict[str, list[float]]]:
    """comet-score on all systems in one call."""
    columns = {"src": texts.sources, "ref": texts.references["refA"], **texts.systems}
    for name, lines in columns.items():
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    translations = [f"{name}.txt" for name in texts.systems]
    command = [
        str(Path(sys.executable).with_name("comet-score")),
        "-s",
        "src.txt",
        "-r",
        "ref.txt",
        "-t",
        *translations,
    ]
    command += ["--model", str(checkpoint), "--gpus", "0", "--quiet", "--to_json", "theirs.json", "--batch_size", "32"]
    seconds = timed(command, folder)
    found = json.loads((folder / "theirs.json").read_text(encoding="utf-8"))
    return seconds, {name: [row["COMET"] for row in found[f"{name}.txt"]] for name in texts.systems}


def ours(
    texts: EvaluationSet, checkpoint: Path, folder: Path, precision: str
) -> tuple[tuple[float, float], dict[str, list[float]]]:
    save(texts, segments=folder / "segments.parquet", hypotheses=folder / "hypotheses.parquet")
    job = {
        "testset": "bench",
        "langpair": "de-en",
        "metric": "comet",
        "settings": {"model": str(checkpoint), "precision": precision},
        "missing": "error",
        "made_from": {},
    }
    runtime = {"devices": "cpu", "store": f"{precision}.sqlite", "local_files_only": True, "threads": os.cpu_count()}
    files = (
        "--segments=segments.parquet",
        "--hypotheses=hypotheses.parquet",
        "--scores=ours.parquet",
        "--notes=ours.json",
    )
    script = str(REPOSITORY / "scripts" / "comet_score.py")
    seconds = timed(
        [sys.executable, script, *files, f"--job={json.dumps(job)}", f"--runtime={json.dumps(runtime)}"], folder
    )
    rows = pq.read_table(folder / "ours.parquet").to_pylist()
    return seconds, {name: [row["score"] for row in rows if row["system"] == name] for name in texts.systems}


def main(checkpoint: Path, n_segments: int) -> None:
    texts = make_texts(n_segments)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        theirs_took, their_scores = theirs(texts, checkpoint, folder)
        print(f"{N_SYSTEMS} systems of {n_segments} segments; wall and CPU seconds")
        print(f"comet-score    fp16  {theirs_took[0]:7.1f}  {theirs_took[1]:7.1f}", flush=True)
        for precision in ("fp32", "fp16", "fp32"):
            stored = (folder / f"{precision}.sqlite").exists()
            took, scores = ours(texts, checkpoint, folder, precision)
            worst = max(abs(a - b) for s in texts.systems for a, b in zip(scores[s], their_scores[s], strict=True))
            print(
                f"mtsig{', stored' if stored else '        '}  {precision}  {took[0]:7.1f}  {took[1]:7.1f}   "
                f"{theirs_took[0] / took[0]:5.1f} and {theirs_took[1] / took[1]:5.1f} times less, "
                f"largest difference {worst:.1e}",
                flush=True,
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute() / "checkpoints" / "model.ckpt", int(sys.argv[2]) if len(sys.argv) > 2 else 1000)
