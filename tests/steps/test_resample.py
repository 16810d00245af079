"""From a table of scores to the tables of systems, pairs and groups."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from mtsig.contracts import TABLES, scores_schema
from mtsig.errors import ConfigError, InputError
from mtsig.io import read_metadata, write_table
from mtsig.steps.resample import resample

OPTIONS: dict[str, Any] = {
    "testset": "demo",
    "langpair": "en-de",
    "metric": "chrf",
    "settings": {},
    "options": {"seed": 12345, "n_resamples": 200, "n_trials": 300},
    "missing": "error",
}
CHRF = tuple(f"char_{kind}_{n}" for n in range(1, 7) for kind in ("hyp", "ref", "match"))


def chrf_rows(n: int, *, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    rows = rng.integers(10, 90, size=(n, 6, 3))
    rows[..., 2] = (rows[..., :2].min(axis=-1) * rng.uniform(0.3, 0.9, size=(n, 6))).astype(int)
    return rows.reshape(n, 18).astype(np.float64)


Job = Callable[..., dict[str, Any]]


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """Writes inputs, runs the step, and gives the three tables as rows."""

    def run(
        statistics: dict[str, np.ndarray],
        names: tuple[str, ...] = CHRF,
        *,
        documents: list[str | None] | None = None,
        domains: list[str | None] | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        n = len(next(iter(statistics.values()))) if statistics else 3
        nothing = [None] * n
        keys = {"testset": ["demo"] * n, "langpair": ["en-de"] * n}
        write_table(
            tmp_path / "segments.parquet",
            {
                **keys,
                "segment": list(range(n)),
                "segment_id": [f"id{number}" for number in range(n)],
                "document": documents or nothing,
                "domain": domains or nothing,
                "source": nothing,
                "references": [["r"]] * n,
            },
            TABLES["segments"],
        )
        rows = [
            {
                **{key: OPTIONS[key] for key in ("testset", "langpair", "metric")},
                "system": system,
                "segment": segment,
                "score": None,
                **{name: None if np.isnan(value) else value for name, value in zip(names, values, strict=True)},
            }
            for system in sorted(statistics)
            for segment, values in enumerate(statistics[system])
        ]
        write_table(tmp_path / "scores.parquet", rows, scores_schema(names), metadata={"signature": "sig|x:1"})
        outputs = {table: tmp_path / f"{table}.parquet" for table in ("systems", "pairs", "groups")}
        inputs = {"segments": tmp_path / "segments.parquet", "scores": tmp_path / "scores.parquet"}
        resample(**inputs, **outputs, **{**OPTIONS, **options})
        return {table: pq.read_table(path).to_pylist() for table, path in outputs.items()} | {"paths": outputs}

    return run


def test_tables_have_the_columns_and_settings_of_the_contract(job: Job) -> None:
    """One row per system and per pair, sorted by code point, with all settings and the signature of the scores."""
    found = job({name: chrf_rows(40, seed=seed) for seed, name in enumerate(("b", "B", "a/ b.1"))})
    for table in ("systems", "pairs", "groups"):
        assert pq.read_schema(found["paths"][table]).names == list(TABLES[table])
        metadata = read_metadata(found["paths"][table])
        assert metadata["signature"] == "sig|x:1"
        assert metadata["seed"] == "12345"
    assert [row["system"] for row in found["systems"]] == ["B", "a/ b.1", "b"]
    pairs = [(row["system_a"], row["system_b"]) for row in found["pairs"]]
    assert pairs == [("B", "a/ b.1"), ("B", "b"), ("a/ b.1", "b")]
    for row in (*found["systems"], *found["pairs"]):
        assert (row["testset"], row["langpair"], row["metric"], row["signature"]) == (
            "demo",
            "en-de",
            "chrf",
            "sig|x:1",
        )
        assert (row["n_resamples"], row["seed"], row["confidence_level"], row["alpha"]) == (200, 12345, 0.95, 0.05)
        assert row["higher_is_better"] is True
        assert row["resample_unit"] == "segment"
    assert all((row["n_trials"], row["adjust"]) == (300, "none") for row in found["pairs"])
    assert found["groups"] == []


def test_groups_are_written(job: Job) -> None:
    """By domain and by document."""
    documents, domains = ["d1"] * 20 + ["d2"] * 20, ["news"] * 40
    found = job({"a": chrf_rows(40)}, documents=documents, domains=domains)
    keys = [(row["group_kind"], row["group"], row["domain"], row["n_segments"]) for row in found["groups"]]
    assert keys == [("document", "d1", "news", 20), ("document", "d2", "news", 20), ("domain", "news", "news", 40)]
    assert found["groups"][2]["score"] == found["systems"][0]["score"]


def test_undefined_is_null_and_never_nan(job: Job) -> None:
    """A metric without a direction, and a system without any score."""
    rows = np.random.default_rng(0).integers(5, 20, size=(30, 2)).astype(float)
    found = job(
        {"a": rows, "b": rows + 1, "c": np.full((30, 2), np.nan)},
        ("hyp_len", "ref_len"),
        metric="length_ratio",
        missing="intersect",
    )
    for row in found["pairs"]:
        assert row["p_value"] is None
        assert row["ar_exact"] is None
        assert row["significant"] is False
    assert found["systems"][2]["score"] is None
    assert found["systems"][2]["flags"] == [
        "few_units", "missing_segments", "no_direction", "undefined", "unequal_segments",
    ]  # fmt: skip


def test_one_system_gives_an_empty_pairs_table(job: Job) -> None:
    """B16: with all its columns."""
    found = job({"only": chrf_rows(30)})
    assert found["pairs"] == []
    assert found["systems"][0]["rank"] == 1


def test_mean_metrics_need_no_files_of_theirs(job: Job) -> None:
    """Scores from elsewhere: the direction is declared in the settings."""
    rng = np.random.default_rng(1)
    scores = {"a": rng.normal(3, 1, size=(60, 1)), "b": rng.normal(1, 1, size=(60, 1))}
    settings = {"kind": "precomputed", "scores": "gone/*.tsv", "higher_is_better": False}
    found = job(scores, ("value",), metric="errors", settings=settings)
    assert found["pairs"][0]["winner"] == "b"
    assert found["systems"][0]["score"] == pytest.approx(scores["a"].mean(), rel=1e-12)


def test_a_missing_score_is_refused_by_name(job: Job) -> None:
    """The system, how many, the first segment, and what to do."""
    rows = {"a": chrf_rows(10), "b": chrf_rows(10)}
    rows["b"][[3, 7]] = np.nan
    with pytest.raises(
        InputError, match=r"system b has no score on 2 of 10 segments, the first is segment id3 \(row 4\).*intersect"
    ):
        job(rows)


def test_intersect_compares_common_segments(job: Job) -> None:
    """And each system keeps its own score."""
    rows = {"a": chrf_rows(50, seed=1), "b": chrf_rows(50, seed=2)}
    rows["b"][:20] = np.nan
    found = job(rows, missing="intersect")
    assert [row["n_segments"] for row in found["systems"]] == [50, 30]
    assert found["pairs"][0]["n_segments"] == 30
    assert found["pairs"][0]["score_b"] == found["systems"][1]["score"]
    assert found["pairs"][0]["score_a"] != found["systems"][0]["score"]


def test_the_number_of_threads_does_not_show(job: Job) -> None:
    """Byte for byte the same rows."""
    rows = {name: chrf_rows(80, seed=seed) for seed, name in enumerate("abc")}
    one, three = job(rows), job(rows, threads=3)
    assert [one[table] for table in TABLES if table in one] == [three[table] for table in TABLES if table in three]


def test_a_damaged_scores_table_is_refused(job: Job, tmp_path: Path) -> None:
    """Rows in another order, or columns of another metric."""
    job({"a": chrf_rows(10), "b": chrf_rows(10)})
    outputs = {table: tmp_path / f"{table}.parquet" for table in ("systems", "pairs", "groups")}
    inputs = {"segments": tmp_path / "segments.parquet", "scores": tmp_path / "scores.parquet"}
    with pytest.raises(InputError, match=r"cannot be read as Parquet \(.*hyp_len"):
        resample(**inputs, **outputs, **{**OPTIONS, "metric": "bleu"})
    table = pq.read_table(inputs["scores"])
    pq.write_table(table.slice(0, 15), inputs["scores"])
    with pytest.raises(InputError, match="expected a row for each system and each of 10 segments"):
        resample(**inputs, **outputs, **OPTIONS)


def test_a_test_set_without_segments_is_refused(job: Job) -> None:
    """B21: one message, no empty tables."""
    with pytest.raises(InputError, match="the test set has no segments"):
        job({"a": np.empty((0, 18))})


def test_an_unknown_policy_for_missing_scores_is_refused(job: Job) -> None:
    """Only two are offered."""
    with pytest.raises(ConfigError, match="missing: 'ignore' is neither error nor intersect"):
        job({"a": chrf_rows(3)}, missing="ignore")


@pytest.mark.slow
def test_large_test_sets_stay_within_memory_and_take_linear_time() -> None:
    """B25: 20 systems, 100,000 segments, ten statistics, 10,000 resamples: below 2 GB, and twice for twice as many."""
    script = """
import resource, sys, time
import numpy as np
from mtsig.metrics import create_metric
from mtsig.resampling.analysis import analyse
from mtsig.resampling.settings import ResamplingSettings
n, n_resamples = int(sys.argv[1]), int(sys.argv[2])
rng = np.random.default_rng(0)
totals = rng.integers(4, 60, size=n)
statistics = {}
for number in range(20):
    shares = np.cumprod(rng.uniform(0.4, 0.9, size=(n, 4)), axis=1)
    orders = totals[:, None] - np.arange(4)
    correct = np.floor(orders * shares)
    statistics[f"s{number:02}"] = np.column_stack([totals, totals, correct, orders]).astype(np.float64)
start = time.process_time()
settings = ResamplingSettings(seed=1, n_resamples=n_resamples, n_trials=100)
found = analyse(statistics, create_metric("bleu", {}, "en-de"), settings)
assert len(found.pairs) == 190
print(time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""

    def measure(n: int, n_resamples: int) -> tuple[float, float]:
        output = subprocess.run(
            [sys.executable, "-c", script, str(n), str(n_resamples)], capture_output=True, text=True, check=True
        )
        seconds, peak = map(float, output.stdout.split())
        return seconds, peak

    half, _ = measure(50_000, 5000)
    whole, peak = measure(100_000, 10_000)
    assert peak < 2e9
    # Four times the draws: generously below six times the time.
    assert whole < 6 * half
