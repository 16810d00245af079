"""Simulated test sets: exact seeds, graded quality, documents that matter, independence of other systems."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path

import numpy as np
import pytest
import yaml
from mtsig.corpus.readers.simulated import read
from mtsig.corpus.simulated import Simulation, evaluation_set, fresh_samples, simulation_of
from mtsig.errors import ConfigError, InputError

SYSTEMS = {"A": 0.9, "B": 0.7, "C": 0.5}


def made(**options):
    return evaluation_set("demo", "xx-yy", Simulation(**{"systems": SYSTEMS, "segments": 400, "seed": 3, **options}))


def kept_words(evaluation, system, segments=slice(None)):
    """Share of the reference's words at whose place the output has the same word, over segments of equal length."""
    pairs = [
        (a.split(), b.split())
        for a, b in zip(evaluation.references["reference"][segments], evaluation.systems[system][segments], strict=True)
    ]
    pairs = [(a, b) for a, b in pairs if len(a) == len(b)]
    return np.mean([x == y for a, b in pairs for x, y in zip(a, b, strict=True)])


def test_same_seed_gives_the_same_texts_and_another_seed_others():
    """Seed 0 is a seed like any other."""
    assert made() == made()
    assert made(seed=0) == made(seed=0)
    assert made(seed=0).references != made().references


def test_output_does_not_depend_on_other_systems():
    """Leaving systems out, or naming them in another order, changes nothing in the rest."""
    alone = made(systems={"B": 0.7})
    assert alone.systems["B"] == made().systems["B"]
    assert alone.references == made().references
    assert made(systems=dict(reversed(SYSTEMS.items()))) == made()


def test_first_segments_have_documents_and_topics():
    """Documents are runs of neighbouring segments with one topic each."""
    evaluation = made(document_length=10)
    documents = evaluation.documents
    starts = [i for i in range(len(documents)) if i == 0 or documents[i] != documents[i - 1]]
    assert len(starts) == len(set(documents))
    assert 20 < len(starts) < 80
    assert len({(d, t) for d, t in zip(documents, evaluation.domains, strict=True)}) == len(starts)
    assert set(evaluation.domains) <= {f"topic-{k}" for k in range(1, 9)}


def test_quality_is_the_expected_share_of_unharmed_words():
    """With nothing but replacement visible place by place, better systems keep more; order and size are as asked."""
    evaluation = made(segments=3000)
    shares = [kept_words(evaluation, name) for name in "ABC"]
    assert shares[0] > shares[1] > shares[2]
    assert shares[0] == pytest.approx(0.9, abs=0.05)


def test_difficulty_clusters_by_document():
    """Consecutive blocks differ more than broad samples of the same size when documents differ in difficulty."""
    evaluation = made(segments=6000, document_length=60, document_spread=0.5)
    blocks = [kept_words(evaluation, "C", slice(100 * k, 100 * (k + 1))) for k in range(60)]
    broad = [kept_words(evaluation, "C", slice(k, None, 60)) for k in range(60)]
    assert np.std(blocks) > 2 * np.std(broad)


def test_texts_are_sentences():
    """No blank references, no comma out of place, capital letter and full stop."""
    evaluation = made(segments=2000)
    texts = [*evaluation.references["reference"], *evaluation.systems["C"]]
    assert all(text == "" or (text[0].isupper() and text[-1] == ".") for text in texts)
    assert not any(",," in text or text.startswith(",") or " ," in text or "  " in text for text in texts)
    assert all(len(text.split()) >= 2 for text in evaluation.references["reference"])


def test_fresh_samples_are_new_and_equal_qualities_agree():
    """No sample repeats another; systems of one quality get one output, hence one true score."""
    simulation = Simulation(systems={"A": 0.8, "B": 0.8, "C": 0.6}, seed=3)
    first, second = fresh_samples("demo", "xx-yy", simulation, segments=50, count=2)
    assert first.systems["A"] == first.systems["B"] != first.systems["C"]
    assert first.references != second.references
    assert evaluation_set("demo", "xx-yy", simulation).systems["A"] != first.systems["A"]


def test_one_segment_and_tiny_vocabulary():
    """The smallest test set there is."""
    evaluation = made(segments=1, vocabulary=1000)
    assert evaluation.n_segments == 1
    assert evaluation.documents == ("document-1",)


def test_reader_leaves_systems_out():
    """`exclude` works as in every format; with nothing left it is an error."""
    settings = {"langpair": "xx-yy", "systems": SYSTEMS, "segments": 5, "exclude": ["B"], "truth_segments": 100}
    assert list(read("demo", settings).systems) == ["A", "C"]
    with pytest.raises(ConfigError, match="no system is left"):
        read("demo", {**settings, "exclude": list(SYSTEMS)})


def test_impossible_qualities_and_names_are_refused():
    """A quality lies between 0 and 1; a name must be visible."""
    with pytest.raises(ConfigError, match=r"systems.A: 1.5"):
        made(systems={"A": 1.5})
    with pytest.raises(InputError, match="blank"):
        made(systems={" ": 0.5})


def test_schema_and_defaults_agree(repository: Path):
    """The schema's defaults are those of the library, and it lists every parameter."""
    schema = yaml.safe_load((repository / "workflow/schemas/testsets/simulated.schema.yaml").read_text())
    defaults = {name: item["default"] for name, item in schema["properties"].items() if "default" in item}
    del defaults["truth_segments"]
    fields = {item.name: item.default for item in dataclasses.fields(Simulation) if item.name != "systems"}
    assert defaults == fields
    assert simulation_of({**defaults, "systems": SYSTEMS}) == Simulation(systems=SYSTEMS)


def test_thirty_thousand_segments_take_seconds():
    """Six systems of 30,000 segments: about 2 s of processor time, so that studies run at any size."""
    start = time.process_time()
    evaluation = made(segments=30000, systems=dict.fromkeys("ABCDEF", 0.5))
    assert evaluation.n_segments == 30000
    assert time.process_time() - start < 15
