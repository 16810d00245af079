"""A study of kind `robustness` from texts and scores to tables, pages and figures."""

from __future__ import annotations

import numpy as np
import pytest
from mtsig import io
from mtsig.contracts import TABLES, scores_schema
from mtsig.errors import ConfigError
from mtsig.metrics import create_metric
from mtsig.resampling.scorer import MeanScorer
from mtsig.resampling.settings import ResamplingSettings
from mtsig.steps import evaluation_set
from mtsig.steps.study import study
from mtsig.steps.study_report import study_report
from mtsig.studies.robustness import BASIS, Choice, Verdict, agreement, left_out, resampled

WORDS = ["a", "small", "red", "house", "stands", "on", "the", "green", "hill", "near", "our", "old", "town"]
SETTINGS = {
    "seed": 1,
    "n_resamples": 300,
    "n_trials": 100,
    "confidence_level": 0.95,
    "alpha": 0.05,
    "adjust": "none",
    "resample_unit": "segment",
    "tokenizers": ["char"],
    "references": True,
    "tests": ["p_ar", "koehn"],
    "seeds": [2, 3],
    "resamples": [200],
    "units": ["segment", "document"],
    "leave_out": ["domain", "document"],
}


def _write(folder):
    """A test set of 40 segments in 8 documents of 2 domains, with a good, an equal and a poor system."""
    rng = np.random.default_rng(4)
    common = {"testset": "demo", "langpair": "de-en"}
    references = [" ".join(rng.choice(WORDS, 9)) for _ in range(40)]

    def spoilt(text, share):
        return " ".join(word if rng.random() > share else "x" for word in text.split())

    segments = [
        {
            **common,
            "segment": i,
            "segment_id": str(i + 1),
            "document": f"d{i // 5}",
            "domain": ["news", "talk"][i // 20],
            "source": "s",
            "references": [text, spoilt(text, 0.3)],
        }
        for i, text in enumerate(references)
    ]
    systems = {
        "good": [spoilt(text, 0.1) for text in references],
        "poor": [spoilt(text, 0.5) for text in references],
    }
    systems["twin"] = systems["good"]
    hypotheses = [
        {**common, "system": name, "segment": i, "hypothesis": text}
        for name in sorted(systems)
        for i, text in enumerate(systems[name])
    ]
    paths = {"segments": folder / "segments.parquet", "hypotheses": folder / "hypotheses.parquet"}
    metadata = {"references": '["r1", "r2"]'}
    io.write_table(paths["segments"], segments, TABLES["segments"], metadata=metadata)
    io.write_table(paths["hypotheses"], hypotheses, TABLES["hypotheses"])
    evaluation = evaluation_set.load(**paths)
    its = {
        "bleu": {"kind": "bleu", "tokenize": None},
        "exact_match": {"kind": "exact_match"},
        "length_ratio": {"kind": "length_ratio"},
    }
    scores = []
    for key, settings in its.items():
        metric = create_metric(key, settings, "de-en")
        rows = [
            {**common, "metric": key, "system": name, "segment": i, "score": 0.0}
            | dict(zip(metric.statistic_names, values.tolist(), strict=True))
            for name, statistics in sorted(metric.statistics(evaluation).items())
            for i, values in enumerate(statistics)
        ]
        scores.append(folder / f"{key}.parquet")
        io.write_table(scores[-1], rows, scores_schema(metric.statistic_names))
    return paths, dict(zip(its, scores, strict=True)), its


@pytest.fixture(scope="module")
def choices(tmp_path_factory):
    folder = tmp_path_factory.mktemp("robustness")
    paths, scores, its = _write(folder)

    def run(metrics, out):
        study(
            kind="robustness",
            tables=[out / "choices.parquet", out / "agreement.parquet"],
            **paths,
            study="robust",
            testset="demo",
            langpair="de-en",
            missing="error",
            scores=[scores[metric] for metric in metrics],
            metrics={metric: its[metric] for metric in metrics},
            settings=SETTINGS,
        )

    run(["bleu", "exact_match"], folder)
    return folder, run


def test_every_choice_has_a_verdict_for_every_pair(choices):
    rows = io.read_table(choices[0] / "choices.parquet").to_pylist()
    found = {}
    for row in rows:
        found.setdefault(row["choice_kind"], set()).add(row["choice"])
    assert found == {
        "basis": {"bleu"},
        "metric": {"exact_match"},
        "tokenizer": {"char"},
        "reference": {"r1", "r2"},
        "test": {"p_ar", "koehn"},
        "seed": {"2", "3"},
        "n_resamples": {"200"},
        "resample_unit": {"document"},
        "domain": {"news", "talk"},
        "document": {f"{'news' if i < 4 else 'talk'}: d{i}" for i in range(8)},
    }
    assert len(rows) == 3 * sum(map(len, found.values()))


def test_a_clear_difference_holds_and_identical_systems_stay_equal(choices):
    rows = io.read_table(choices[0] / "choices.parquet").to_pylist()
    clear = [row for row in rows if (row["system_a"], row["system_b"]) == ("good", "poor")]
    assert {row["winner"] for row in clear if row["choice_kind"] != "metric"} == {"good"}
    twins = [row for row in rows if (row["system_a"], row["system_b"]) == ("good", "twin")]
    assert {row["winner"] for row in twins} == {None}
    assert all(row["agrees"] for row in twins)


def test_the_counts_of_the_report_are_those_of_the_choices(choices, tmp_path):
    names = ["choices.parquet", "choices.csv", "agreement.parquet", "agreement.csv", "agreement.md", "agreement.tex"]
    study_report(
        kind="robustness",
        study="robust",
        options={},
        about="",
        parts=[choices[0] / "choices.parquet", choices[0] / "agreement.parquet"],
        files=[tmp_path / name for name in (*names, "agreement.svg")],
    )
    rows = io.read_table(tmp_path / "choices.parquet").to_pylist()
    for row in io.read_table(tmp_path / "agreement.parquet").to_pylist():
        kinds = (
            {row["choice_kind"]} if row["choice_kind"] != "all" else {one["choice_kind"] for one in rows} - {"basis"}
        )
        own = [
            one
            for one in rows
            if (one["system_a"], one["system_b"]) == (row["system_a"], row["system_b"]) and one["choice_kind"] in kinds
        ]
        assert (row["choices"], row["agree"]) == (len(own), sum(one["agrees"] for one in own))
        assert row["agree"] + row["lost"] + row["gained"] + row["turned"] == row["choices"]
        assert f"{row['agree']}/{row['choices']}" in (tmp_path / "agreement.md").read_text(encoding="utf-8")
    shares = {}
    for row in io.read_table(tmp_path / "agreement.parquet").to_pylist():
        shares.setdefault((row["system_a"], row["system_b"]), {})[row["choice_kind"]] = row["share_agree"]
    for by_kind in shares.values():
        every = by_kind.pop("all")
        assert every == pytest.approx(sum(by_kind.values()) / len(by_kind))
    assert "good ≈ twin" in (tmp_path / "agreement.svg").read_text(encoding="utf-8")


def test_a_metric_without_direction_is_no_basis(choices, tmp_path):
    with pytest.raises(ConfigError, match="length_ratio has no direction"):
        choices[1](["length_ratio"], tmp_path)


def test_a_metric_without_tokenizer_cannot_choose_one(choices, tmp_path):
    with pytest.raises(ConfigError, match="exact_match has no tokenizer"):
        choices[1](["exact_match"], tmp_path)


def test_one_outlying_document_decides_and_leaving_it_out_shows_it():
    """All of the difference lies in document 3 of 20."""
    rng = np.random.default_rng(8)
    documents = [f"d{i // 5:02d}" for i in range(100)]
    base = rng.normal(0, 0.1, (100, 1))
    other = base + rng.normal(0, 0.05, (100, 1))
    other[10:15] += 3.0
    statistics = {"a": base, "b": other}
    scorer, settings = MeanScorer(higher_is_better=True), ResamplingSettings(seed=1, n_resamples=500)
    names = {"documents": documents, "domains": [None] * 100}
    basis = resampled(BASIS, "", statistics, scorer, settings, **names)
    others = list(left_out("document", documents, statistics, scorer, settings, **names))
    (row,) = [row for row in agreement(basis, others) if row.kind == "document"]
    assert (row.basis, row.choices, row.agree, row.lost) == ("b", 20, 19, 1)


def test_lost_gained_and_turned_are_told_apart():
    pair = ("a", "b")

    def choice(kind, winner):
        return Choice(kind, "x", {pair: Verdict(1.0, 0.5, winner)})

    winners = ["a", "b", None, "a"]
    others = [Choice("seed", str(i), {pair: Verdict(1.0, 0.5, winner)}) for i, winner in enumerate(winners)]
    won = agreement(choice(BASIS, "a"), others)[0]
    assert (won.agree, won.lost, won.gained, won.turned) == (2, 1, 0, 1)
    even = agreement(choice(BASIS, None), others)[0]
    assert (even.agree, even.lost, even.gained, even.turned) == (1, 0, 3, 0)
