"""Neural scores of an evaluation set, with a model that needs no torch."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from mtsig.corpus.model import EvaluationSet
from mtsig.errors import ConfigError, InputError
from mtsig.metrics.neural import checkpoint, model, scoring
from mtsig.metrics.neural.batches import Triple
from mtsig.metrics.neural.scoring import Runtime, score_evaluation
from mtsig.metrics.neural.signatures import Options
from neural_fakes import FakeModel, expected_score

ALL = ("source", "hypothesis", "reference")


def evaluation(systems: dict[str, list[str | None]], references: dict[str, list[str | None]] | None = None, **changes):
    n_segments = len(next(iter(systems.values())))
    fields = {
        "testset": "demo",
        "langpair": "de-en",
        "segment_ids": tuple(f"id{i}" for i in range(n_segments)),
        "documents": (None,) * n_segments,
        "domains": (None,) * n_segments,
        "sources": tuple(f"Quelle {i}" for i in range(n_segments)),
        "references": {name: tuple(texts) for name, texts in (references or {}).items()},
        "systems": {name: tuple(texts) for name, texts in systems.items()},
        "findings": (),
    }
    return EvaluationSet(**{**fields, **changes})


class Bench:
    """Scores with fakes in the places of COMET, torch and the checkpoint, and counts."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.store = str(folder / "scores.sqlite")
        self.model = FakeModel()
        self.loads = 0
        self.identity = "rev:0123456789ab"
        self.reads, self.reference_free = ALL, False
        self.versions = {"comet": "2.2.7", "torch": "2.13"}
        self.lines: list[str] = []
        monkeypatch.setattr(model, "package_versions", lambda: self.versions)
        monkeypatch.setattr(model, "choose_devices", lambda devices, warn: ("cpu",))
        monkeypatch.setattr(model, "load", self._load)
        monkeypatch.setattr(checkpoint, "locate", self._locate)

    def _load(self, *_, **__):
        self.loads += 1
        return self.model

    def _locate(self, *_, **__):
        return checkpoint.Checkpoint(Path("model.ckpt"), self.identity, self.reads, self.reference_free, False)

    def score(self, texts: EvaluationSet, **options):
        self.model.scored.clear()
        runtime = Runtime(store=self.store, report=self.lines.append)
        return score_evaluation(texts, Options(model="someone/some-model", **options), runtime)


@pytest.fixture
def bench(tmp_path, monkeypatch):
    return Bench(tmp_path, monkeypatch)


TWO = {"a": ["the ferry", "the fog", "the sea"], "b": ["the ferry", "a fog", "a sea"]}
REFERENCES = {"refA": ["ferry", "fog", "sea"]}


def test_scores_are_those_of_the_texts(bench):
    found = bench.score(evaluation(TWO, REFERENCES))
    for system, texts in TWO.items():
        wanted = [expected_score(Triple(f"Quelle {i}", text, REFERENCES["refA"][i])) for i, text in enumerate(texts)]
        assert found.values[system].tolist() == wanted
    assert found.n_computed == len(bench.model.scored) == 5


def test_a_second_run_computes_nothing_and_loads_no_model(bench):
    first = bench.score(evaluation(TWO, REFERENCES))
    second = bench.score(evaluation(TWO, REFERENCES))
    assert (second.n_computed, bench.loads) == (0, 1)
    assert second.signature == first.signature
    assert all(np.array_equal(first.values[system], second.values[system]) for system in TWO)


def test_a_new_system_is_all_that_is_scored(bench):
    bench.score(evaluation(TWO, REFERENCES))
    more = {**TWO, "c": ["the ferry", "no fog", "no sea"]}
    assert bench.score(evaluation(more, REFERENCES)).n_computed == 2
    assert {triple.hypothesis for triple in bench.model.scored} == {"no fog", "no sea"}


def test_a_changed_hypothesis_is_all_that_is_scored(bench):
    bench.score(evaluation(TWO, REFERENCES))
    changed = {**TWO, "a": ["the ferry", "the fog", "the ocean"]}
    assert bench.score(evaluation(changed, REFERENCES)).n_computed == 1
    assert [triple.hypothesis for triple in bench.model.scored] == ["the ocean"]


@pytest.mark.parametrize("change", ["precision", "batch_size", "checkpoint", "comet", "torch"])
def test_what_decides_about_scores_makes_all_of_them_new(bench, change):
    """B70: nothing computed under other versions, revisions, precision or batches is taken for current."""
    first = bench.score(evaluation(TWO, REFERENCES))
    options = {}
    if change in ("comet", "torch"):
        bench.versions = {**bench.versions, change: "9.9"}
    elif change == "checkpoint":
        bench.identity = "rev:ba9876543210"
    else:
        options = {"precision": {"precision": "bf16"}, "batch_size": {"batch_size": 8}}[change]
    second = bench.score(evaluation(TWO, REFERENCES), **options)
    assert second.n_computed == 5
    assert second.signature != first.signature


def test_several_references_are_combined_and_named(bench):
    references = {"refA": ["ferry", "fog", None], "refB": ["boat", "mist", "ocean"]}
    found = bench.score(evaluation(TWO, references))
    pair = [expected_score(Triple("Quelle 0", "the ferry", text)) for text in ("ferry", "boat")]
    assert found.values["a"][0] == math.fsum(pair) / 2
    assert found.values["a"][2] == expected_score(Triple("Quelle 2", "the sea", "ocean"))
    assert "|rvar|" in found.signature
    assert "|refs:refA+refB|combine:mean|" in found.signature
    best = bench.score(evaluation(TWO, references), combine="max")
    assert best.n_computed == 0
    assert best.values["a"][0] == max(pair)
    one = bench.score(evaluation(TWO, references), references=("refB",))
    assert "|r1|" in one.signature
    assert "|refs:refB|blank" in one.signature


def test_references_do_not_matter_to_a_model_without(bench):
    bench.reads, bench.reference_free = ("source", "hypothesis"), True
    first = bench.score(evaluation(TWO, REFERENCES))
    assert "|r0|" in first.signature
    assert bench.score(evaluation(TWO, {"refA": ["x", "y", None]})).n_computed == 0
    with pytest.raises(ConfigError, match="reads no reference"):
        bench.score(evaluation(TWO, REFERENCES), references=("refA",))


def test_references_that_are_not_there_are_refused(bench):
    with pytest.raises(ConfigError, match="refX"):
        bench.score(evaluation(TWO, REFERENCES), references=("refX",))
    with pytest.raises(ConfigError, match="needs a reference"):
        bench.score(evaluation(TWO))


def test_what_is_missing_has_no_score(bench):
    systems = {"a": ["the ferry", None, "the sea"]}
    texts = evaluation(systems, {"refA": ["ferry", "fog", None]}, sources=("Quelle", "Quelle", "Quelle"))
    assert np.isnan(bench.score(texts).values["a"]).tolist() == [False, True, True]
    texts = evaluation(TWO, REFERENCES, sources=(None, "Quelle", "Quelle"))
    assert np.isnan(bench.score(texts).values["a"]).tolist() == [True, False, False]


def test_blank_hypotheses_are_counted(bench):
    systems = {"a": ["", " \u3000", "the sea"]}
    found = bench.score(evaluation(systems, REFERENCES))
    assert [finding.segment for finding in found.findings if finding.code == "blank_hypothesis"] == [0, 1]
    assert found.values["a"][0] == expected_score(Triple("Quelle 0", "", "ferry"))
    zero = bench.score(evaluation(systems, REFERENCES), blank_hypotheses="zero")
    assert zero.values["a"][:2].tolist() == [0.0, 0.0]
    assert zero.values["a"][2] == found.values["a"][2]
    assert "blank:zero" in zero.signature


def test_truncated_texts_are_listed_also_from_the_store(bench):
    systems = {"a": ["long " * 70, "the fog", "the sea"]}
    for _ in range(2):
        (finding,) = bench.score(evaluation(systems, REFERENCES)).findings
        assert (finding.code, finding.system, finding.segment) == ("truncated", "a", 0)
        assert "99 tokens" in finding.message


def test_what_is_no_number_is_refused_and_not_kept(bench):
    """B48: one undefined score stops the run, naming the segment; what was right is not computed again."""
    bench.model.undefined = "a sea"
    with pytest.raises(InputError, match=r"nan in fp16 for system b, segment id2.*precision: fp32"):
        bench.score(evaluation(TWO, REFERENCES), precision="fp16", batch_size=1)
    computed = len(bench.model.scored)
    bench.model.undefined = None
    assert bench.score(evaluation(TWO, REFERENCES), precision="fp16", batch_size=1).n_computed == 6 - computed


def test_signature_begins_as_sacrecomet_s(bench):
    signature = bench.score(evaluation(TWO, REFERENCES)).signature
    python, *rest = signature.split("|")
    assert python.startswith("Python3.")
    assert rest == [
        "Comet2.2.7",
        "fp32",
        "someone/some-model",
        "r1",
        "rev:0123456789ab",
        "refs:refA",
        "blank:model",
        "batch:fixed32",
        "device:cpu",
        "torch:2.13",
    ]


def test_progress_is_said_where_it_is_slow(bench, monkeypatch):
    clock = iter(range(0, 10_000, 5))
    monkeypatch.setattr(scoring.time, "monotonic", lambda: float(next(clock)))
    bench.score(evaluation(TWO, REFERENCES), batch_size=1)
    assert any("left." in line for line in bench.lines)
    assert bench.lines[-1].startswith("5 of 5 distinct triples computed")
