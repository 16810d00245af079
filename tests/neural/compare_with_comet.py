"""Score with mtsig and with COMET itself, in one process; the differences as JSON: `compare_with_comet.py FOLDER`."""

from __future__ import annotations

import json
import logging
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

from mtsig.corpus.model import EvaluationSet
from mtsig.metrics.neural import batches, checkpoint, model
from mtsig.metrics.neural.scoring import NeuralScores, Runtime, score_evaluation
from mtsig.metrics.neural.signatures import Options
from tiny_comet import SENTENCES

WORDS = " ".join(SENTENCES).split()
N_SEGMENTS = 16


def make_texts() -> EvaluationSet:
    """Texts of all lengths, among them blank ones and some that are too long; two systems share most hypotheses."""
    rng = random.Random(5)

    def texts(longest: int) -> list[str]:
        return [" ".join(rng.choices(WORDS, k=rng.randint(0, longest))) for _ in range(N_SEGMENTS)]

    sources, reference, systems = texts(40), texts(40), {name: texts(40) for name in ("a", "b")}
    systems["c"] = [*systems["b"][:-2], " ".join(rng.choices(WORDS, k=400)), ""]
    sources[3] = " ".join(rng.choices(WORDS, k=400))
    reference[4] = ""
    # B73: lengths that fall from segment to segment, so that every kind of sorting changes the order.
    systems["d"] = [" ".join(WORDS[: 2 * (N_SEGMENTS - i)]) for i in range(N_SEGMENTS)]
    return EvaluationSet(
        testset="demo",
        langpair="de-en",
        segment_ids=tuple(map(str, range(1, N_SEGMENTS + 1))),
        documents=(None,) * N_SEGMENTS,
        domains=(None,) * N_SEGMENTS,
        sources=tuple(sources),
        references={"refA": tuple(reference)},
        systems={name: tuple(hypotheses) for name, hypotheses in systems.items()},
        findings=(),
    )


def ours(texts: EvaluationSet, path: Path, **options: Any) -> NeuralScores:
    with tempfile.TemporaryDirectory() as folder:
        runtime = Runtime(devices="cpu", store=folder, local_files_only=True, report=lambda _: None)
        return score_evaluation(texts, Options(model=str(path), **options), runtime)


def theirs(loaded: Any, texts: EvaluationSet, reads: tuple[str, ...], batch_size: int) -> tuple[Any, Any]:
    """COMET's own scores and error spans by system, from one call for all systems."""
    data = []
    for hypotheses in texts.systems.values():
        columns = {"src": texts.sources, "mt": hypotheses, "ref": texts.references["refA"]}
        if "reference" not in reads:
            del columns["ref"]
        data += [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    output = loaded.predict(data, batch_size=batch_size, gpus=0, progress_bar=False, num_workers=0)

    def by_system(values: list[Any]) -> dict[str, list[Any]]:
        return {name: values[i * N_SEGMENTS : (i + 1) * N_SEGMENTS] for i, name in enumerate(texts.systems)}

    marked = "metadata" in output and "error_spans" in output.metadata
    return by_system(output.scores), by_system(output.metadata.error_spans) if marked else None


def largest(one: dict[str, Any], other: dict[str, Any]) -> float:
    return max(abs(float(a) - float(b)) for name in one for a, b in zip(one[name], other[name], strict=True))


def marks(spans: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [tuple(span[key] for key in ("start", "end", "text", "severity")) for span in spans]


def on_two_devices(texts: EvaluationSet, path: Path, single: NeuralScores) -> float:
    """B73 without a second GPU: two copies on the CPU, which take batches in turn."""
    found = checkpoint.locate(str(path))
    pair = model.load(found, precision="fp32", devices=("cpu", "cpu"), threads=1, local_files_only=True)
    triples = {
        batches.Triple(source, hypothesis, reference): single.values[system][segment]
        for system, hypotheses in texts.systems.items()
        for segment, (source, hypothesis, reference) in enumerate(
            zip(texts.sources, hypotheses, texts.references["refA"], strict=True)
        )
    }
    scores: dict[batches.Triple, float] = {}

    def on_batch(plans: list[batches.Plan], entries: list[Any]) -> None:
        scores.update((plan.triple, entry.score) for plan, entry in zip(plans, entries, strict=True))

    batches.score(triples, pair, rows=4, on_batch=on_batch)
    return max(abs(scores[triple] - value) for triple, value in triples.items())


def compare(folder: Path) -> dict[str, Any]:
    import comet

    logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
    texts = make_texts()
    backwards = EvaluationSet(**{**vars(texts), "systems": dict(reversed(texts.systems.items()))})
    alone = EvaluationSet(**{**vars(texts), "systems": {"a": texts.systems["a"]}})
    answer: dict[str, Any] = {}
    for kind in ("reference-based", "reference-free", "unified", "unified-free", "spans", "xcomet"):
        path = folder / kind
        reads = checkpoint.locate(str(path)).reads
        loaded = comet.load_from_checkpoint(str(path / "checkpoints" / "model.ckpt"), local_files_only=True)
        first = ours(texts, path)
        reported: dict[str, Any] = {"signature": first.signature, "computed": first.n_computed}
        for batch_size in (1, 4, 16):
            scores, spans = theirs(loaded, texts, reads, batch_size)
            reported[f"comet, batch {batch_size}"] = largest(first.values, scores)
            if first.spans is not None:
                pairs = [
                    (marks(mine or []), marks(other))
                    for system, rows in spans.items()
                    for mine, other in zip(first.spans[system], rows, strict=True)
                ]
                reported["spans"] = sum(len(other) for _, other in pairs)
                reported["other spans"] = sum(mine != other for mine, other in pairs)
        reported["own batches"] = largest(first.values, ours(texts, path, batch_size=5).values)
        reported["other order"] = largest(first.values, ours(backwards, path).values)
        reported["without others"] = largest(ours(alone, path).values, first.values)
        half, _ = theirs(loaded.half(), texts, reads, 16)
        reported["comet, fp16"] = largest(ours(texts, path, precision="fp16").values, half)
        reported["bf16 against fp32"] = largest(ours(texts, path, precision="bf16").values, first.values)
        reported["findings"] = sorted(
            {(finding.code, finding.system or "", finding.segment) for finding in first.findings}
        )
        answer[kind] = reported
    answer["reference-based"]["two devices"] = on_two_devices(
        texts, folder / "reference-based", ours(texts, folder / "reference-based")
    )
    return answer


if __name__ == "__main__":
    print(json.dumps(compare(Path(sys.argv[1]))))
