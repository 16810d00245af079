"""Batches: every triple scored once, in shapes that depend on nothing but its own lengths."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mtsig.errors import UnavailableError
from mtsig.metrics.neural.batches import Triple, score, width
from neural_fakes import FakeModel, expected_score

WORDS = ["ferry", "fog", "harbour", "bakery", "flour", "garden", "light", "door", "sea", "Monday"]


def make_triples(number: int, systems: int = 3) -> list[Triple]:
    rng = random.Random(11)
    texts = [" ".join(rng.choices(WORDS, k=rng.randint(0, 70))) for _ in range(2 * number)]
    return list(
        dict.fromkeys(
            Triple(texts[i], " ".join(rng.choices(WORDS, k=rng.randint(0, 70))), texts[number + i])
            for i in range(number)
            for _ in range(systems)
        )
    )


def run(triples: list[Triple], model: FakeModel, rows: int = 4) -> dict[Triple, float]:
    found: dict[Triple, float] = {}

    def on_batch(plans, entries):
        assert len(plans) <= rows
        for plan, entry in zip(plans, entries, strict=True):
            assert plan.triple not in found
            found[plan.triple] = entry.score

    score(triples, model, rows=rows, on_batch=on_batch)
    return found


@pytest.mark.parametrize("n_devices", [1, 2])
@pytest.mark.parametrize("rows", [1, 4, 64])
def test_every_triple_is_scored_once(rows, n_devices):
    """B73: results belong to their texts for any batch size and number of devices."""
    triples = make_triples(40)
    model = FakeModel(n_devices=n_devices)
    assert run(triples, model, rows) == {triple: expected_score(triple) for triple in triples}
    assert sorted(model.scored) == sorted(triples)
    assert model.devices <= set(range(n_devices))


def test_sources_and_references_are_encoded_once():
    triples = make_triples(30, systems=8)
    model = FakeModel(fill=False)
    run(triples, model)
    distinct = {text for triple in triples for text in (triple.source, triple.reference)}
    assert len(model.encoded) == len(distinct) + len(triples)


def test_all_batches_of_a_width_have_the_same_number_of_rows_on_a_gpu():
    model = FakeModel(fill=True)
    run(make_triples(25), model, rows=8)
    assert {rows for rows, _ in model.shapes} == {8}


def test_no_rows_are_wasted_on_a_cpu():
    model = FakeModel(fill=False)
    triples = make_triples(25, systems=1)
    run(triples, model, rows=8)
    assert sum(rows for rows, _ in model.shapes) <= 3 * len(triples)


def test_batches_that_do_not_fit_become_smaller():
    """B74: memory for a few short rows suffices for everything."""
    triples = make_triples(40)
    model = FakeModel(capacity=3 * 64)
    assert run(triples, model, rows=32) == {triple: expected_score(triple) for triple in triples}
    assert max(rows * columns for rows, columns in model.shapes) <= 3 * 64


def test_too_little_memory_for_one_input_is_said():
    with pytest.raises(UnavailableError, match="not enough memory"):
        run([Triple("a b", "c " * 30, "e")], FakeModel(capacity=20), rows=8)


def test_other_errors_are_passed_on():
    class Broken(FakeModel):
        def encode(self, inputs, width, device):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(make_triples(2), Broken())


@given(st.integers(1, 512))
def test_widths_leave_room_for_padding(n_tokens):
    columns = width(n_tokens, 512)
    assert n_tokens < columns <= 512 or n_tokens == columns == 512
    assert columns < 1.3 * n_tokens + 9
