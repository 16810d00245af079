"""The command line on WMT23: the numbers of the workflow's steps, of the organisers and of sacreBLEU."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from mtsig.io import read_table
from mtsig.steps.ingest import ingest
from mtsig.steps.resample import resample
from mtsig.steps.score import score

_COLUMNS = {"bleu": "BLEU", "chrf": "chrF2"}
SYSTEMS = ("ONLINE-W", "ONLINE-A", "GPT4-5shot")


@pytest.fixture(scope="module")
def texts(shared_data) -> tuple[Path, list[Path]]:
    """Reference and outputs of three systems, English to German."""
    root = shared_data / "mtme" / "wmt23"
    outputs = [root / "system-outputs" / "en-de" / f"{name}.txt" for name in SYSTEMS]
    return root / "references" / "en-de.refA.txt", outputs


def test_compare_equals_the_workflow(shared_data, texts, mtsig_command, tmp_path):
    """Text files on the command line and a folder of mt-metrics-eval through the steps: row by row."""
    reference, outputs = texts
    settings = {
        "format": "mtme",
        "root": str(shared_data / "mtme" / "wmt23"),
        "langpair": "en-de",
        "references": ["refA"],
        "exclude": [],
    }
    common = {"segments": tmp_path / "segments.parquet", "testset": "wmt23", "langpair": "en-de"}
    hypotheses = tmp_path / "hypotheses.parquet"
    ingest(
        testset="wmt23", settings=settings, segments=common["segments"], hypotheses=hypotheses, lint=tmp_path / "lint"
    )
    this = {**common, "metric": "bleu", "settings": {"kind": "bleu"}, "missing": "error"}
    score(hypotheses=hypotheses, scores=tmp_path / "scores.parquet", **this)
    tables = {name: tmp_path / f"{name}.parquet" for name in ("systems", "pairs", "groups")}
    tables["lint"] = tmp_path / "lint"
    resample(scores=tmp_path / "scores.parquet", options={"seed": 12345}, **tables, **this)
    document = mtsig_command.json("compare", reference, *outputs, "-m", "bleu", "--langpair", "en-de")
    for name, keys in (("pairs", ("system_a", "system_b")), ("systems", ("system",))):
        theirs = {tuple(row[key] for key in keys): row for row in read_table(tables[name]).to_pylist()}
        assert document[name]
        for row in document[name]:
            other = theirs[tuple(row[key] for key in keys)]
            # Ranks depend on the other systems, and the workflow has twelve.
            ranks = ("rank", "rank_low", "rank_high", "cluster", "testset")
            ranks = (*ranks, "verdict") if name == "pairs" else ranks
            assert {k: v for k, v in row.items() if k not in ranks} == {
                k: v for k, v in other.items() if k not in ranks
            }


def test_score_equals_published_numbers(shared_data, texts, mtsig_command):
    """sacreBLEU's own corpus scores."""
    reference, outputs = texts
    with (shared_data / "published" / "sacrebleu-2.6.0.corpus.tsv").open(encoding="utf-8", newline="") as file:
        rows = [
            row for row in csv.DictReader(file, delimiter="\t") if (row["testset"], row["lp"]) == ("wmt23", "en-de")
        ]
    theirs = {(row["system"], metric): float(row[name]) for row in rows for metric, name in _COLUMNS.items()}
    document = mtsig_command.json("score", reference, *outputs, "--langpair", "en-de")
    assert len(document["scores"]) == 6
    for row in document["scores"]:
        assert row["score"] == pytest.approx(theirs[row["system"], row["metric"]], abs=5e-5)


def test_compare_equals_sacrebleu(shared_data, texts, mtsig_command):
    """Its p-values of both tests against ONLINE-W, to the last digit that it prints."""
    reference, outputs = texts
    path = shared_data / "published" / "sacrebleu-2.6.0.paired.wmt23.en-de.tsv"
    with path.open(encoding="utf-8", newline="") as file:
        theirs = {row["system"]: row for row in csv.DictReader(file, delimiter="\t")}
    document = mtsig_command.json("compare", reference, *outputs, "-m", "bleu", "--langpair", "en-de")
    compared = 0
    for row in document["pairs"]:
        others = {row["system_a"], row["system_b"]} - {"ONLINE-W"}
        if len(others) == 1:
            its = theirs[others.pop()]
            assert f"{row['p_sacrebleu_bs']:.6f}" == its["p_bs_1000_seed12345_vs_ONLINE-W"]
            assert f"{row['p_sacrebleu_ar']:.6f}" == its["p_ar_10000_seed12345_vs_ONLINE-W"]
            compared += 1
    assert compared == 2


def test_intervals_equal_sacrebleu(shared_data, texts, mtsig_command):
    """What its option --confidence prints: the mean of the resamples, and half the width of the interval."""
    reference, outputs = texts
    path = shared_data / "published" / "sacrebleu-2.6.0.paired.wmt23.en-de.tsv"
    with path.open(encoding="utf-8", newline="") as file:
        theirs = {row["system"]: row for row in csv.DictReader(file, delimiter="\t")}
    document = mtsig_command.json("ci", reference, *outputs, "-m", "bleu", "--langpair", "en-de")
    assert len(document["systems"]) == 3
    for row in document["systems"]:
        its = theirs[row["system"]]
        assert row["boot_mean"] == pytest.approx(float(its["bs_mean"]), rel=1e-6)
        assert (row["ci_high"] - row["ci_low"]) / 2 == pytest.approx(float(its["bs_ci"]), rel=1e-5)
