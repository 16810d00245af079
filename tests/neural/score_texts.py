"""Score made-up texts again and again in one process, and say what was computed: `score_texts.py FOLDER STORE`.

Changes one thing at a time, as a user would between two runs.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

from mtsig.corpus.model import EvaluationSet
from mtsig.metrics.neural.scoring import NeuralScores, Runtime, score_evaluation
from mtsig.metrics.neural.signatures import Options
from tiny_comet import SENTENCES

WORDS = " ".join(SENTENCES).split()


def make_texts(systems: dict[str, int], changed: tuple[str, int] | None = None) -> EvaluationSet:
    """Ten segments; a system is where its hypotheses begin in the list of words."""
    n_segments = 10
    hypotheses = {
        name: [" ".join(WORDS[start + i : start + i + 6]) for i in range(n_segments)] for name, start in systems.items()
    }
    if changed:
        hypotheses[changed[0]][changed[1]] = "something else altogether"
    return EvaluationSet(
        testset="demo",
        langpair="de-en",
        segment_ids=tuple(map(str, range(n_segments))),
        documents=(None,) * n_segments,
        domains=(None,) * n_segments,
        sources=tuple(f"{SENTENCES[1]} {i}" for i in range(n_segments)),
        references={"refA": tuple(f"{SENTENCES[0]} {i}" for i in range(n_segments))},
        systems={name: tuple(texts) for name, texts in hypotheses.items()},
        findings=(),
    )


def main(folder: Path, store: Path) -> dict[str, Any]:
    runtime = Runtime(devices="cpu", store=str(store), local_files_only=True, report=lambda _: None)
    model = str(folder / "reference-based")
    computed, scores = {}, {}

    def score(name: str, texts: EvaluationSet, **options: Any) -> NeuralScores:
        found = score_evaluation(texts, Options(**{"model": model, **options}), runtime)
        computed[name] = found.n_computed
        scores[name] = {system: values.tolist() for system, values in found.values.items()}
        return found

    two, three = {"a": 0, "b": 5}, {"a": 0, "b": 5, "c": 9}
    score("first", make_texts(two))
    score("again", make_texts(two))
    score("a system more", make_texts(three))
    score("one hypothesis changed", make_texts(three, ("b", 4)))
    score("other precision", make_texts(two), precision="bf16")
    score("other batches", make_texts(two), batch_size=8)
    score("other checkpoint", make_texts(two), model=str(folder / "reference-based:1"))
    moved = folder / "moved"
    shutil.copytree(folder / "reference-based", moved)
    score("the same checkpoint elsewhere", make_texts(two), model=str(moved))
    shutil.rmtree(moved)
    return {"computed": computed, "scores": scores}


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), Path(sys.argv[2]))))
