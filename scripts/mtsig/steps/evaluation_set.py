"""Between files and `EvaluationSet`: the two Parquet tables that ingest writes and all later steps read."""

from __future__ import annotations

import json

from mtsig.contracts import TABLES
from mtsig.corpus.model import EvaluationSet
from mtsig.errors import InputError
from mtsig.io import StrPath, read_metadata, read_table, write_table

__all__ = ["load", "save", "save_segments"]


def save(evaluation: EvaluationSet, *, segments: StrPath, hypotheses: StrPath) -> None:
    """Write an evaluation set as ``segments.parquet`` and ``hypotheses.parquet``."""
    save_segments(evaluation, segments)
    n_segments, names = evaluation.n_segments, sorted(evaluation.systems)
    n_rows = n_segments * len(names)
    columns = {
        "testset": [evaluation.testset] * n_rows,
        "langpair": [evaluation.langpair] * n_rows,
        "system": [name for name in names for _ in range(n_segments)],
        "segment": list(range(n_segments)) * len(names),
        "hypothesis": [text for name in names for text in evaluation.systems[name]],
    }
    write_table(hypotheses, columns, TABLES["hypotheses"])


def save_segments(evaluation: EvaluationSet, segments: StrPath) -> None:
    """Write ``segments.parquet``: everything but the outputs.

    The names of the references, in order, are its metadata entry ``mtsig.references``.
    """
    n_segments = evaluation.n_segments
    columns = {
        "testset": [evaluation.testset] * n_segments,
        "langpair": [evaluation.langpair] * n_segments,
        "segment": list(range(n_segments)),
        "segment_id": list(evaluation.segment_ids),
        "document": list(evaluation.documents),
        "domain": list(evaluation.domains),
        "source": list(evaluation.sources),
        "references": [list(texts) for texts in zip(*evaluation.references.values(), strict=True)]
        if evaluation.references
        else [[]] * n_segments,
    }
    references = json.dumps(list(evaluation.references), ensure_ascii=False)
    write_table(segments, columns, TABLES["segments"], metadata={"references": references})


def load(segments: StrPath, hypotheses: StrPath) -> EvaluationSet:
    """Read an evaluation set back from its two tables (without findings, which stand in ``lint.json``).

    Raises
    ------
    InputError
        If a table is damaged or the two do not belong together.
    """
    frame = read_table(segments)
    columns = frame.to_pydict()
    n_segments = frame.num_rows
    names = json.loads(read_metadata(segments)["references"])
    texts = read_table(hypotheses, columns=["system", "segment", "hypothesis"])
    systems: dict[str, tuple[str | None, ...]] = {}
    owners, rows = texts["system"].to_pylist(), texts["hypothesis"].to_pylist()
    for start in range(0, len(rows), n_segments or 1):
        systems[owners[start]] = tuple(rows[start : start + n_segments])
    if len(systems) * n_segments != len(rows) or texts["segment"].to_pylist() != list(range(n_segments)) * len(systems):
        raise InputError(f"{hypotheses} does not belong to {segments}. Delete both and run again.")
    by_reference = zip(*columns["references"], strict=True) if names else ()
    return EvaluationSet(
        testset=columns["testset"][0],
        langpair=columns["langpair"][0],
        segment_ids=tuple(columns["segment_id"]),
        documents=tuple(columns["document"]),
        domains=tuple(columns["domain"]),
        sources=tuple(columns["source"]),
        references=dict(zip(names, map(tuple, by_reference), strict=True)),
        systems=systems,
    )
