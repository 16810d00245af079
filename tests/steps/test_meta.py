"""A study of kind `meta` from tables of scores to tables, pages and figures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mtsig.contracts import TABLES, scores_schema
from mtsig.errors import ConfigError, InputError
from mtsig.io import read_table, write_table
from mtsig.kinds import study_kind
from mtsig.metrics import create_metric
from mtsig.report.meta import standing_tables
from mtsig.steps.study import study
from mtsig.steps.study_report import study_report

N = 30
SYSTEMS = ("A", "B", "C", "D", "refA")
SETTINGS = {
    "gold": ["people", "crowd"],
    "metrics": ["good", "errors", "bleu"],
    "systems": None,
    "levels": ["system", "segment"],
    "groupings": ["none", "item"],
    "statistics": ["pearson", "kendall_b", "acc_eq_calibrated", "pairwise_accuracy", "spa"],
    "domains": False,
    "resampled": "segments",
    "n_trials": 50,
    "seed": 1,
    "n_resamples": 40,
    "confidence_level": 0.9,
    "alpha": 0.05,
    "resample_unit": "segment",
}
METRICS = {
    name: {"kind": "precomputed", "higher_is_better": name != "errors"}
    for name in ("people", "crowd", "good", "errors")
} | {"bleu": {"kind": "bleu"}}
META_TABLES = [table.name for table in study_kind("meta").tables]
BLEU = create_metric("bleu", {}, "xx-en")


def _keys(metric: str, system: str) -> dict[str, Any]:
    return {"testset": "toy", "langpair": "xx-en", "metric": metric, "system": system}


def _write(folder: Path, metric: str, statistics: dict[str, Any], names: tuple[str, ...]) -> None:
    """A table of scores and one of systems."""
    rows = []
    for system in sorted(statistics):
        for segment, values in enumerate(statistics[system]):
            known = not np.isnan(values).any()
            row = dict(zip(names, map(float, values), strict=True)) if known else dict.fromkeys(names)
            rows.append(
                {**_keys(metric, system), "segment": segment, "score": float(values[0]) if known else None, **row}
            )
    write_table(folder / "scores" / f"{metric}.parquet", rows, scores_schema(names))
    standing = [
        dict.fromkeys(TABLES["systems"])
        | _keys(metric, system)
        | {
            "n_segments": N,
            "score": float(np.nanmean(statistics[system])),
            "rank": place + 1,
            "rank_low": 1,
            "rank_high": 4,
            "cluster": 1 + place // 2,
            "flags": [],
        }
        for place, system in enumerate(sorted(statistics))
    ]
    write_table(folder / "systems" / f"{metric}.parquet", standing, TABLES["systems"])


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    segments = [
        {
            "testset": "toy",
            "langpair": "xx-en",
            "segment": i,
            "segment_id": str(i),
            "document": f"d{i // 5}",
            "domain": "news" if i < 20 else "talk",
            "source": "",
            "references": [""],
        }
        for i in range(N)
    ]
    write_table(folder / "segments.parquet", segments, TABLES["segments"], metadata={"references": '["refA"]'})
    rng = np.random.default_rng(4)
    quality = {system: rng.normal(loc=place / 2, size=N) for place, system in enumerate(SYSTEMS)}
    people = {system: np.round(values) for system, values in quality.items()}
    for values in people.values():
        values[25:] = np.nan
    crowd = {system: np.round(values + rng.normal(size=N)) for system, values in quality.items()}
    crowd["A"][:3] = np.nan
    means = {
        "people": people,
        "crowd": crowd,
        "good": {system: values + rng.normal(scale=0.1, size=N) for system, values in quality.items()},
        "errors": {system: rng.normal(size=N) - values for system, values in quality.items()},
    }
    for name, scores in means.items():
        _write(folder, name, {system: values[:, None] for system, values in scores.items()}, ("value",))
    counts = {
        system: np.column_stack(
            [
                np.full(N, 10),
                np.full(N, 10),
                *np.clip(np.round(values + 5), 0, [[9], [8], [7], [6]]),
                *np.broadcast_to([[10], [9], [8], [7]], (4, N)),
            ]
        )
        for system, values in quality.items()
    }
    _write(folder, "bleu", counts, BLEU.statistic_names)
    return folder


def run(inputs: Path, folder: Path, *, missing: str = "intersect", **options: Any) -> dict[str, Path]:
    outputs = {table: folder / "toy" / f"{table}.parquet" for table in META_TABLES}
    study(
        kind="meta",
        tables=list(outputs.values()),
        segments=inputs / "segments.parquet",
        scores=[inputs / "scores" / f"{name}.parquet" for name in METRICS],
        systems=[inputs / "systems" / f"{name}.parquet" for name in METRICS],
        metrics=METRICS,
        study="study",
        testset="toy",
        langpair="xx-en",
        settings={**SETTINGS, **options},
        missing=missing,
    )
    return outputs


@pytest.fixture(scope="module")
def parts(inputs: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return run(inputs, tmp_path_factory.mktemp("parts"))


def _rows(parts: dict[str, Path], table: str = "correlations", **wanted: Any) -> list[dict[str, Any]]:
    rows = read_table(parts[table]).to_pylist()
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def test_references_are_left_out(parts: dict[str, Path]) -> None:
    assert {row["n_systems"] for row in _rows(parts)} == {4}
    assert "refA" not in {row["system"] for row in _rows(parts, "system_scores")}


def test_named_references_take_part(inputs: Path, tmp_path: Path) -> None:
    assert {row["n_systems"] for row in _rows(run(inputs, tmp_path, systems=["A", "B", "refA"]))} == {3}


def test_lower_is_better_is_turned_round(parts: dict[str, Path]) -> None:
    (row,) = _rows(parts, metric_name="errors", level="segment", grouping="none", statistic="pearson", gold="people")
    assert row["value"] > 0.3


def test_corpus_metrics_are_scored_from_their_sums(inputs: Path, parts: dict[str, Path]) -> None:
    table = read_table(inputs / "scores" / "bleu.parquet")
    sums = np.array(
        [
            [np.sum(column[place * N : place * N + 25]) for place in range(4)]
            for column in (table[name].to_numpy() for name in BLEU.statistic_names)
        ]
    ).T
    people = read_table(inputs / "scores" / "people.parquet")["score"].to_pylist()
    human = [np.mean(people[place * N : place * N + 25]) for place in range(4)]
    (row,) = _rows(parts, metric_name="bleu", level="system", statistic="pearson", gold="people")
    assert row["value"] == pytest.approx(np.corrcoef(human, BLEU.corpus_scores(sums))[0, 1])
    assert row["n_segments"] == 25


def test_human_scores_are_compared_with_each_other(parts: dict[str, Path]) -> None:
    one = _rows(parts, gold="people", metric_name="crowd", level="segment", statistic="pearson", grouping="none")
    other = _rows(parts, gold="crowd", metric_name="people", level="segment", statistic="pearson", grouping="none")
    assert one[0]["value"] == pytest.approx(other[0]["value"])
    assert one[0]["rank"] is None
    assert not _rows(parts, "metric_pairs", metric_a="crowd")


def test_missing_scores_are_refused_unless_left_out(inputs: Path, tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match="crowd has no score for 3 outputs that people has judged, the first of system A"
    ):
        run(inputs, tmp_path, missing="error")
    flags = {
        tuple(row["flags"]) for row in _rows(run(inputs, tmp_path), gold="people", metric_name="crowd", level="segment")
    }
    assert flags == {("missing_segments",)}


def test_domains(inputs: Path, tmp_path: Path) -> None:
    rows = _rows(run(inputs, tmp_path, domains=True, levels=["system"]), gold="people")
    assert {(row["domain"], row["n_segments"]) for row in rows} == {(None, 25), ("news", 20), ("talk", 5)}


def test_scores_of_what_people_judged_stand_beside_those_of_all(inputs: Path, tmp_path: Path) -> None:
    """People judged 25 of 30 segments: agreement is computed on these, and the table has the scores on these, too."""
    parts = run(inputs, tmp_path, gold="people")
    errors = read_table(inputs / "scores" / "errors.parquet").to_pylist()
    for system in "ABCD":
        (row,) = _rows(parts, "system_scores", metric_name="errors", system=system)
        values = [score["score"] for score in errors if score["system"] == system]
        assert (row["n_segments"], row["n_judged"]) == (30, 25)
        assert row["score"] == pytest.approx(sum(values) / 30)
        assert row["score_judged"] == pytest.approx(sum(values[:25]) / 25)
    rows = _rows(parts, "system_scores")
    (table,) = standing_tables(rows, gold="people")
    (shown,) = [cells for cells in table.rows if cells[0] == "B"]
    (errors_of_b,) = [row for row in rows if (row["metric_name"], row["system"]) == ("errors", "B")]
    cell = shown[[column.title for column in table.columns].index("errors")]
    assert re.split(r" / | \(", cell)[:2] == [f"{errors_of_b[name]:.4g}" for name in ("score", "score_judged")]
    assert any(note.startswith("After a slash") for note in table.notes)


def test_a_metric_without_direction_is_refused(inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METRICS, "errors", {"kind": "length_ratio"})
    with pytest.raises(ConfigError, match="errors has no direction"):
        run(inputs, tmp_path)


def test_report_writes_every_format(parts: dict[str, Path], tmp_path: Path) -> None:
    tables = [tmp_path / f"{table}.{suffix}" for table in META_TABLES for suffix in ("parquet", "csv", "md", "tex")]
    figures = [tmp_path / f"{name}.{suffix}" for name in ("agreement", "systems") for suffix in ("svg", "pdf")]
    study_report(
        kind="meta",
        study="study",
        options={"gold": ["people", "crowd"]},
        about="",
        parts=list(parts.values()),
        files=[*tables, *figures],
    )
    assert all(path.stat().st_size > 0 for path in [*tables, *figures])
    page = (tmp_path / "correlations.md").read_text(encoding="utf-8")
    assert "Agreement of metrics with people on toy (xx-en), system level" in page
    assert "4 systems, 25 segments." in page
    assert "Lines stand between the clusters of people." in (tmp_path / "system_scores.md").read_text(encoding="utf-8")
