"""A neural model without torch: its encodings are token counts, its scores follow from the texts alone."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from mtsig.metrics.neural.batches import Plan, Tokens, Triple
from mtsig.metrics.neural.store import Entry


class FakeMemoryError(Exception):
    """What a device says when a batch does not fit."""


def expected_score(triple: Triple) -> float:
    """The score that the fake model gives."""
    return zlib.crc32(repr(tuple(triple)).encode()) / 2**32


def tokens(text: str) -> Tokens:
    ids = (0, *(zlib.crc32(word.encode()) % 1000 + 3 for word in text.split()), 2)
    return Tokens(ids[:64], len(ids[:64]))


@dataclass
class FakeModel:
    """Counts what it is asked for."""

    n_devices: int = 1
    fill: bool = True
    limit: int = 64
    #: Most cells (rows by columns) that fit into memory.
    capacity: int = 10**9
    undefined: str | None = None
    shapes: list[tuple[int, int]] = field(default_factory=list)
    encoded: list[Tokens] = field(default_factory=list)
    scored: list[Triple] = field(default_factory=list)
    devices: set[int] = field(default_factory=set)

    def plan(self, triples: Sequence[Triple]) -> list[Plan]:
        return [
            Plan(
                triple,
                tuple(tokens(text) for text in (triple.source, triple.reference) if text is not None),
                (tokens(triple.hypothesis),),
                {"hypothesis": 99} if len(triple.hypothesis.split()) > 62 else {},
            )
            for triple in triples
        ]

    def encode(self, inputs: Sequence[Tokens], width: int, device: int) -> list[Any]:
        if len(inputs) * width > self.capacity:
            raise FakeMemoryError
        assert all(len(one.ids) < width or len(one.ids) == self.limit for one in inputs)
        self.shapes.append((len(inputs), width))
        self.encoded += inputs
        self.devices.add(device)
        return [one.ids for one in inputs]

    def combine(self, plans: Sequence[Plan], encoded: Sequence[Sequence[Any]]) -> list[Entry]:
        entries = []
        for plan, parts in zip(plans, encoded, strict=True):
            assert [tuple(part) for part in parts] == [one.ids for one in (*plan.shared, *plan.own)]
            self.scored.append(plan.triple)
            wrong = self.undefined is not None and self.undefined in plan.triple.hypothesis
            extra = json.dumps({"truncated": dict(plan.truncated)}) if plan.truncated else ""
            entries.append(Entry(float("nan") if wrong else expected_score(plan.triple), extra))
        return entries

    def is_out_of_memory(self, error: BaseException) -> bool:
        return isinstance(error, FakeMemoryError)

    def release(self) -> None: ...
