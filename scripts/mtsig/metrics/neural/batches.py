"""Batches whose shape does not depend on who else is in them, so that neither does a score.

COMET's own loop pads a batch to its longest text and lets the last batch be shorter. Rounding then makes a score
depend, in its last digits, on which other texts were scored in the same call. Here every text is padded to a width
that follows from its own length alone, only texts of the same width share a batch, and on a GPU (where the arithmetic
of a row may depend on the number of rows) every batch is filled up to the same number of rows. So a score is the same
whatever else is scored, in any order, with any number of devices, and whatever came out of the store.

No torch here: the model is an object that does the arithmetic.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from mtsig.errors import UnavailableError
from mtsig.metrics.neural.store import Entry

__all__ = ["Model", "Plan", "Tokens", "Triple", "score", "width"]


class Triple(NamedTuple):
    """The texts of one score; None for a text that the model does not read."""

    source: str | None
    hypothesis: str
    reference: str | None


class Tokens(NamedTuple):
    """One input of the encoder.

    Attributes
    ----------
    ids
        Token numbers, special tokens included.
    first
        How many of them belong to the first text, for encoders that are told so.
    """

    ids: tuple[int, ...]
    first: int


@dataclass(frozen=True)
class Plan:
    """What has to be encoded for one triple.

    Attributes
    ----------
    triple
        The texts.
    shared
        Inputs that other triples are likely to need too: source and reference on their own.
    own
        Inputs with the hypothesis in them. Triples are batched by their widths.
    truncated
        Text (or ``input`` for all texts together) to its number of tokens, where the encoder cannot read them all.
    note
        Whatever the model wants back in `Model.combine`.
    """

    triple: Triple
    shared: tuple[Tokens, ...]
    own: tuple[Tokens, ...]
    truncated: Mapping[str, int]
    note: Any = None


class Model(Protocol):
    """A neural model on one or more devices.

    Attributes
    ----------
    n_devices
        How many devices hold a copy.
    fill
        Whether batches are to be filled up to the full number of rows.
    limit
        The longest input that the encoder reads, in tokens.
    """

    n_devices: int
    fill: bool
    limit: int

    def plan(self, triples: Sequence[Triple]) -> list[Plan]:
        """Tokenize some triples."""

    def encode(self, inputs: Sequence[Tokens], width: int, device: int) -> list[Any]:
        """Encode inputs, padded to `width`, on a device; one result per input, in ordinary memory."""

    def combine(self, plans: Sequence[Plan], encoded: Sequence[Sequence[Any]]) -> list[Entry]:
        """Scores from the results for the shared inputs and then the own inputs of every plan."""

    def is_out_of_memory(self, error: BaseException) -> bool:
        """Whether a smaller batch might help against `error`."""

    def release(self) -> None:
        """Give back memory that is not in use."""


def width(n_tokens: int, limit: int) -> int:
    """Number of columns for an input of some length: the next step of a ladder that grows coarser.

    At least one column is padding, except for inputs as long as the encoder allows: encoders may take another way
    through their arithmetic for a batch without any padding, and which way a text goes must not depend on the others.

    Examples
    --------
    >>> [width(n, 512) for n in (1, 7, 8, 63, 64, 200, 500, 512)]
    [8, 8, 16, 64, 80, 224, 512, 512]
    """
    step = 8 if n_tokens < 64 else 16 if n_tokens < 128 else 32 if n_tokens < 256 else 64
    return min(n_tokens // step * step + step, limit)


def score(
    triples: Iterable[Triple],
    model: Model,
    *,
    rows: int,
    on_batch: Callable[[list[Plan], list[Entry]], None],
) -> None:
    """Score distinct triples, batch by batch.

    Parameters
    ----------
    triples
        Without repetition, in any order.
    model
        What does the arithmetic.
    rows
        Inputs per batch.
    on_batch
        Called after each batch with its plans and their results, in the caller's thread.

    Raises
    ------
    UnavailableError
        If memory does not suffice for a single input.
    """
    ordered = sorted(triples, key=_similar_first)
    block = 32 * rows * model.n_devices
    kept: dict[Tokens, Any] = {}
    with _Devices(model, rows) as devices:
        for start in range(0, len(ordered), block):
            plans = model.plan(ordered[start : start + block])
            # Neighbouring blocks share the sources at their border; others are not needed again.
            needed = dict.fromkeys(tokens for plan in plans for tokens in plan.shared)
            kept = {tokens: kept[tokens] for tokens in needed if tokens in kept}
            missing = [tokens for tokens in needed if tokens not in kept]
            for part, encoded in devices.encode(_grouped(missing, lambda t: _shape((t,), model.limit), rows)):
                kept.update(zip(part, (one for (one,) in encoded), strict=True))
            for batch, encoded in devices.encode(_grouped(plans, lambda p: _shape(p.own, model.limit), rows)):
                inputs = [
                    [*(kept[tokens] for tokens in plan.shared), *own] for plan, own in zip(batch, encoded, strict=True)
                ]
                on_batch(batch, model.combine(batch, inputs))


def _similar_first(triple: Triple) -> tuple[int, str, str, str]:
    """Sorts triples of similar length together, those of one segment next to each other."""
    source, hypothesis, reference = triple.source or "", triple.hypothesis, triple.reference or ""
    return len(source or reference), source, reference, hypothesis


def _shape(inputs: Sequence[Tokens], limit: int) -> tuple[tuple[int, bool], ...]:
    """What inputs must have in common to share a batch: the width, and whether all of it is used."""
    return tuple((width(len(tokens.ids), limit), len(tokens.ids) >= limit) for tokens in inputs)


Item = Any


def _grouped(items: Iterable[Item], shape: Callable[[Item], Hashable], rows: int) -> Iterator[tuple[Any, list[Item]]]:
    """Batches of at most `rows` items of the same shape, narrow ones first."""
    groups: dict[Any, list[Item]] = {}
    for item in items:
        groups.setdefault(shape(item), []).append(item)
    for common in sorted(groups):
        members = groups[common]
        for start in range(0, len(members), rows):
            yield common, members[start : start + rows]


def _filled(n_items: int, rows: int) -> list[int]:
    """Positions 0 to n_items - 1, the last one repeated until there are `rows`."""
    return [min(position, n_items - 1) for position in range(max(n_items, rows))]


class _Devices:
    """Hands batches to the devices and the results back in the order of the batches."""

    def __init__(self, model: Model, rows: int) -> None:
        self._model = model
        self._rows = rows
        #: Width to the number of rows that fitted, where that is fewer.
        self._fitting: dict[int, int] = {}
        self._free: queue.SimpleQueue[int] = queue.SimpleQueue()
        for device in range(model.n_devices):
            self._free.put(device)
        self._pool = ThreadPoolExecutor(model.n_devices) if model.n_devices > 1 else None

    def __enter__(self) -> _Devices:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool:
            self._pool.shutdown(cancel_futures=True)

    def encode(self, batches: Iterable[tuple[Any, list[Item]]]) -> Iterator[tuple[list[Item], list[list[Any]]]]:
        """Each batch with the results for every one of its items, one per input of the item."""
        if self._pool is None:
            yield from map(self._batch, batches)
        else:
            yield from self._pool.map(self._batch, batches)

    def _batch(self, batch: tuple[Any, list[Item]]) -> tuple[list[Item], list[list[Any]]]:
        shape, items = batch
        device = self._free.get()
        try:
            inputs = [item.own if isinstance(item, Plan) else (item,) for item in items]
            columns = [
                self._column([row[position] for row in inputs], columns, device)
                for position, (columns, _) in enumerate(shape)
            ]
        finally:
            self._free.put(device)
        return items, [list(row) for row in zip(*columns, strict=True)]

    def _column(self, inputs: list[Tokens], columns: int, device: int) -> list[Any]:
        """Encode inputs of one width, in parts that fit into memory."""
        results: list[Any] = []
        while len(results) < len(inputs):
            rows = min([self._rows, *(fit for wide, fit in self._fitting.items() if wide <= columns)])
            part = inputs[len(results) : len(results) + rows]
            positions = _filled(len(part), rows) if self._model.fill else range(len(part))
            encoded = self._try([part[i] for i in positions], columns, device)
            if encoded is not None:
                results += encoded[: len(part)]
            elif len(positions) > 1:
                self._model.release()
                self._fitting[columns] = len(positions) // 2
            else:
                raise UnavailableError(
                    f"there is not enough memory for a single input of {columns} tokens on device {device}. Use a "
                    f"device with more memory, neural.precision: bf16, or a smaller model."
                )
        return results

    def _try(self, inputs: list[Tokens], columns: int, device: int) -> list[Any] | None:
        try:
            return self._model.encode(inputs, columns, device)
        except Exception as error:
            if not self._model.is_out_of_memory(error):
                raise
            return None
