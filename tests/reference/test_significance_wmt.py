"""Real test sets: newstest2017 and WMT23, against published p-values of sacreBLEU, Moses and MultEval."""

from __future__ import annotations

import csv
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mtsig.corpus.model import EvaluationSet
from mtsig.metrics import create_metric
from mtsig.resampling.analysis import analyse
from mtsig.resampling.results import Analysis, PairResult, SystemResult
from mtsig.resampling.settings import ResamplingSettings


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def lines(path: Path) -> tuple[str, ...]:
    return tuple(path.read_text(encoding="utf-8-sig").removesuffix("\n").split("\n"))


def evaluation_set(langpair: str, reference: tuple[str, ...], systems: dict[str, tuple[str, ...]]) -> EvaluationSet:
    nothing = (None,) * len(reference)
    return EvaluationSet(
        testset="wmt",
        langpair=langpair,
        segment_ids=tuple(str(number + 1) for number in range(len(reference))),
        documents=nothing,
        domains=nothing,
        sources=nothing,
        references={"ref": reference},
        systems=systems,  # type: ignore[arg-type]
        findings=(),
    )


def analysed(evaluation: EvaluationSet, metric: str, options: dict[str, Any], **settings: Any) -> Analysis:
    scorer = create_metric(metric, options, evaluation.langpair)
    return analyse(scorer.statistics(evaluation), scorer, ResamplingSettings(seed=12345, **settings))


def assert_printed(row: SystemResult, known: dict[str, str]) -> None:
    """The mean and half width that sacreBLEU prints; its replicates are in single precision, ours in double."""
    assert row.ci_low is not None
    assert row.ci_high is not None
    assert row.boot_mean == pytest.approx(float(known["bs_mean"]), abs=1.5e-6)
    assert (row.ci_high - row.ci_low) / 2 == pytest.approx(float(known["bs_ci"]), abs=3e-6)


def with_baseline(found: Analysis, baseline: str) -> Iterator[tuple[str, PairResult]]:
    for row in found.pairs:
        if baseline in (row.system_a, row.system_b):
            yield row.system_b if row.system_a == baseline else row.system_a, row


@pytest.fixture(scope="module")
def newstest2017(shared_data: Path) -> EvaluationSet:
    with lzma.open(
        shared_data / "peers" / "sacrebleu-wmt17-en-de" / "newstest2017.en-de.tsv.xz",
        "rt",
        encoding="utf-8",
        newline="\n",
    ) as file:
        rows = [line.removesuffix("\n").split("\t") for line in file]
    columns = dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True))
    reference = columns.pop("reference")
    return evaluation_set("en-de", reference, columns)


def test_newstest2017_equals_sacrebleu_and_agrees_with_moses_and_multeval(
    shared_data: Path, newstest2017: EvaluationSet
) -> None:
    """16 systems against LIUM, 2000 resamples and 10,000 trials: equal digits, and within 0.01 of the others."""
    found = analysed(newstest2017, "bleu", {"tokenize": "none"}, n_resamples=2000, n_trials=10_000)
    expected = {row["system"]: row for row in table(shared_data / "peers/sacrebleu-wmt17-en-de/expected.tsv")}
    baseline = next(name for name, row in expected.items() if row["p_bs_sacrebleu_2000_seed12345"] == "baseline")
    for row in found.systems:
        known = expected[row.system]
        assert f"{row.score:.6f}" == known["BLEU_tok_none"]
        assert_printed(row, known)
    compared = dict(with_baseline(found, baseline))
    assert len(compared) == 15
    for system, row in compared.items():
        known = expected[system]
        assert f"{row.p_sacrebleu_bs:.6f}" == known["p_bs_sacrebleu_2000_seed12345"]
        assert f"{row.p_sacrebleu_ar:.6f}" == known["p_ar_sacrebleu_10000_seed12345"]
        assert row.p_sacrebleu_bs == pytest.approx(float(known["p_bs_moses_2000x3runs"]), abs=0.01)
        for p in (row.p_sacrebleu_ar, row.p_ar):
            assert p == pytest.approx(float(known["p_ar_multeval_BLEU_10000"]), abs=0.01)


@pytest.mark.parametrize(("langpair", "baseline"), [("en-de", "ONLINE-W"), ("zh-en", "HW-TSC")])
def test_wmt23_equals_sacrebleu(shared_data: Path, langpair: str, baseline: str) -> None:
    """All systems against the best one: score, bootstrap mean, half width and both p-values."""
    folder = shared_data / "mtme" / "wmt23"
    published = table(shared_data / f"published/sacrebleu-2.6.0.paired.wmt23.{langpair}.tsv")
    expected = {row["system"]: row for row in published}
    systems = {name: lines(folder / "system-outputs" / langpair / f"{name}.txt") for name in expected}
    found = analysed(
        evaluation_set(langpair, lines(folder / "references" / f"{langpair}.refA.txt"), systems), "bleu", {}
    )
    for row in found.systems:
        known = expected[row.system]
        assert f"{row.score:.6f}" == known["BLEU"]
        assert_printed(row, known)
    compared = dict(with_baseline(found, baseline))
    assert len(compared) == len(expected) - 1
    for system, row in compared.items():
        known = expected[system]
        assert f"{row.p_sacrebleu_bs:.6f}" == known[f"p_bs_1000_seed12345_vs_{baseline}"]
        assert f"{row.p_sacrebleu_ar:.6f}" == known[f"p_ar_10000_seed12345_vs_{baseline}"]
        assert row.winner in (baseline, system, None)
