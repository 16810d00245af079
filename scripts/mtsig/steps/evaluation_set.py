"""Between files and `EvaluationSet`: the two Parquet tables that ingest writes and all later steps read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict

import numpy as np

from mtsig.contracts import TABLES
from mtsig.corpus.model import EvaluationSet, Whole
from mtsig.errors import InputError
from mtsig.io import StrPath, read_metadata, read_parts, read_table, write_table, write_tables

__all__ = ["groups_of_systems", "load", "save", "save_segments"]

# A table of texts or scores is made and written about so many rows at a time.
_ROWS_AT_ONCE = 200_000


def save(evaluation: EvaluationSet, *, segments: StrPath, hypotheses: StrPath) -> None:
    """Write an evaluation set as ``segments.parquet`` and ``hypotheses.parquet``."""
    save_segments(evaluation, segments)
    n_segments = evaluation.n_segments
    parts = (
        {
            "testset": [evaluation.testset] * n_segments * len(names),
            "langpair": [evaluation.langpair] * n_segments * len(names),
            "system": [name for name in names for _ in range(n_segments)],
            "segment": list(range(n_segments)) * len(names),
            "hypothesis": [text for name in names for text in evaluation.systems[name]],
        }
        for names in groups_of_systems(sorted(evaluation.systems), n_segments)
    )
    write_tables(hypotheses, parts, TABLES["hypotheses"])


def groups_of_systems(names: Sequence[str], n_segments: int) -> Iterator[Sequence[str]]:
    """The systems that go into each part of a table, so that no part is large; one empty group for no systems.

    Examples
    --------
    >>> list(groups_of_systems(["A", "B", "C"], 100_000))
    [['A', 'B'], ['C']]
    """
    size = max(1, _ROWS_AT_ONCE // max(n_segments, 1))
    for start in range(0, max(len(names), 1), size):
        yield names[start : start + size]


def save_segments(evaluation: EvaluationSet, segments: StrPath) -> None:
    """Write ``segments.parquet``: everything but the outputs.

    The names of the references, in order, are its metadata entry ``mtsig.references``; ``mtsig.whole`` says of which
    test set it is a part, where it is one.
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
    metadata = {"references": json.dumps(list(evaluation.references), ensure_ascii=False)}
    if evaluation.whole is not None:
        metadata["whole"] = json.dumps(asdict(evaluation.whole), ensure_ascii=False)
    write_table(segments, columns, TABLES["segments"], metadata=metadata)


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
    metadata = read_metadata(segments)
    names = json.loads(metadata["references"])
    whole = {key: tuple(values) for key, values in json.loads(metadata.get("whole", "{}")).items()}
    systems: dict[str, tuple[str | None, ...]] = {}
    for texts in read_parts(hypotheses, ["system", "segment", "hypothesis"], n_segments or 1):
        name = texts["system"][0].as_py()
        if name in systems or not np.array_equal(texts["segment"].to_numpy(), np.arange(n_segments)):
            raise InputError(f"{hypotheses} does not belong to {segments}. Delete both and run again.")
        systems[name] = tuple(texts["hypothesis"].to_pylist())
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
        whole=Whole(**whole) if whole else None,
    )
