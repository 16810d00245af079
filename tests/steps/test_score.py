"""The score step: tables in, one table out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from mtsig.corpus.model import EvaluationSet
from mtsig.errors import ConfigError, InputError
from mtsig.io import read_metadata, read_table
from mtsig.metrics import create_metric
from mtsig.steps import evaluation_set as evaluation_tables
from mtsig.steps.evaluation_set import save
from mtsig.steps.score import score
from texts import evaluation_set, nasty_corpus


def run(folder: Path, evaluation: EvaluationSet, metric: str, **arguments: Any) -> Path:
    save(evaluation, segments=folder / "segments.parquet", hypotheses=folder / "hypotheses.parquet")
    arguments = {"settings": {}, "missing": "error", **arguments}
    score(
        segments=folder / "segments.parquet",
        hypotheses=folder / "hypotheses.parquet",
        testset=evaluation.testset,
        langpair=evaluation.langpair,
        metric=metric,
        scores=folder / "scores.parquet",
        **arguments,
    )
    return folder / "scores.parquet"


@pytest.mark.parametrize(
    "metric", ["bleu", "chrf", "chrf++", "ter", "nist", "wer", "cer", "gtm", "exact_match", "length_ratio"]
)
def test_rows_by_system_then_segment(tmp_path: Path, metric: str) -> None:
    """Named statistics and segment scores of every system, with the signature in the metadata."""
    evaluation = nasty_corpus(8, 30, n_systems=3)
    path = run(tmp_path, evaluation, metric, threads=2)
    table = read_table(path)
    scorer = create_metric(metric, {}, evaluation.langpair)
    keys = ["testset", "langpair", "metric", "system", "segment", "score"]
    assert table.column_names == [*keys, *scorer.statistic_names]
    assert table["system"].to_pylist() == [name for name in "ABC" for _ in range(30)]
    assert table["segment"].to_pylist() == list(range(30)) * 3
    statistics = np.concatenate([*scorer.statistics(evaluation).values()])
    stored = np.column_stack([table[name].to_numpy() for name in scorer.statistic_names])
    np.testing.assert_array_equal(stored, statistics)
    np.testing.assert_array_equal(table["score"].to_numpy(), scorer.segment_scores(statistics))
    assert read_metadata(path)["signature"] == scorer.signature(1)
    assert read_metadata(path)["seed"] == ""


def test_undefined_scores_are_null(tmp_path: Path) -> None:
    """A ratio to an empty reference is null, and no reason to refuse the input."""
    table = read_table(run(tmp_path, evaluation_set([["", "a"]], [["a", "a"]]), "length_ratio"))
    assert table["score"].to_pylist() == [None, 1.0]
    assert table["ref_len"].to_pylist() == [0.0, 1.0]


def test_missing_texts_are_null_where_segments_are_intersected(tmp_path: Path) -> None:
    evaluation = evaluation_set([["a", None, "a"]], [["a", "a", None]])
    table = read_table(run(tmp_path, evaluation, "ter", missing="intersect"))
    assert table["edits"].to_pylist() == [0.0, None, None]
    assert table["score"].to_pylist() == [0.0, None, None]


@pytest.mark.parametrize(
    ("references", "systems", "message"),
    [
        (
            [["a", "b"]],
            [["a", "b"], ["a", None]],
            r"1 of 2 segments of system B have no score.* segment 2 .* the hypothesis is missing",
        ),
        (
            [["a", None]],
            [["a", "b"]],
            r"system A have no score; the first is segment 2 \(row 2\), where the reference is missing",
        ),
        (
            [["a", "b"]],
            [[None, None], [None, "b"]],
            r"2 of 2 segments of system A have no score \(1 more system lacks some too\)",
        ),
    ],
)
def test_missing_texts_are_refused(tmp_path: Path, references: list[Any], systems: list[Any], message: str) -> None:
    """The message names system and segment, and nothing is written."""
    with pytest.raises(InputError, match=message):
        run(tmp_path, evaluation_set(references, systems), "bleu")
    assert not (tmp_path / "scores.parquet").exists()


def test_number_of_references_that_varies_is_recorded(tmp_path: Path) -> None:
    path = run(tmp_path, evaluation_set([["a", "b"], [None, "c"]], [["a", "b"]]), "bleu")
    assert read_metadata(path)["signature"].startswith("nrefs:var|")


def test_unknown_policy_for_missing_texts(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="missing: 'ignore'"):
        run(tmp_path, evaluation_set([["a"]], [["a"]]), "bleu", missing="ignore")


def test_the_same_table_for_any_number_of_threads(tmp_path: Path) -> None:
    evaluation = nasty_corpus(9, 40)
    tables = [pq.read_table(run(tmp_path, evaluation, "chrf", threads=threads)) for threads in (1, 4)]
    assert tables[0].equals(tables[1])


def test_the_same_table_however_many_rows_are_written_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many rows are written and read a few systems at a time, which bounds memory and nothing else."""
    evaluation = nasty_corpus(10, 40, n_systems=5)
    whole = read_table(run(tmp_path / "whole", evaluation, "chrf"))
    monkeypatch.setattr(evaluation_tables, "_ROWS_AT_ONCE", 80)
    path = run(tmp_path / "parts", evaluation, "chrf")
    assert pq.ParquetFile(path).num_row_groups == 3
    assert read_table(path).equals(whole)
    hypotheses = [read_table(tmp_path / name / "hypotheses.parquet") for name in ("whole", "parts")]
    assert hypotheses[0].equals(hypotheses[1])
