"""Neural scores of an evaluation set: distinct triples, the store, and the counts that go with them."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtsig.corpus.model import EvaluationSet, Finding
from mtsig.errors import ConfigError, InputError
from mtsig.metrics.neural import batches, checkpoint, model
from mtsig.metrics.neural.batches import Plan, Triple
from mtsig.metrics.neural.signatures import Options, display_name, signature
from mtsig.metrics.neural.store import Entry, ScoreStore, context_digest, default_path, triple_key

__all__ = ["NeuralScores", "Runtime", "context_of", "score_evaluation"]

# Name of the way in which batches are made; it changes when `batches` would give other digits.
_BATCHING = "fixed"
_COMMIT_SECONDS = 0.2
_PROGRESS_SECONDS = 30.0


@dataclass(frozen=True, kw_only=True)
class Runtime:
    """How it is computed; none of it changes a score by more than rounding.

    Attributes
    ----------
    devices
        ``auto``, ``cpu``, or a number of GPUs.
    store
        The score store, or None for the one in the user's cache folder.
    local_files_only
        Never ask the hub.
    threads
        Threads on the CPU.
    report
        Called with one line at a time: warnings, progress, counts.
    """

    devices: str | int = "auto"
    store: str | None = None
    local_files_only: bool = False
    threads: int = 1
    report: Callable[[str], None] = field(default=lambda line: print(line, file=sys.stderr, flush=True))


@dataclass(frozen=True)
class NeuralScores:
    """Scores of all systems, and what has to be said about them.

    Attributes
    ----------
    values
        System to (n_segments,) scores, NaN where a text is missing.
    spans
        System to (n_segments,) marked errors, each a mapping with reference, start, end, text, severity, confidence;
        None for models that mark none.
    signature
        What fixes the scores.
    findings
        Truncated texts and blank hypotheses, in order.
    n_computed
        How many distinct triples were computed; the others came from the store.
    """

    values: dict[str, NDArray[np.float64]]
    spans: dict[str, list[list[dict[str, Any]] | None]] | None
    signature: str
    findings: tuple[Finding, ...]
    n_computed: int


def score_evaluation(evaluation: EvaluationSet, options: Options, runtime: Runtime) -> NeuralScores:
    """Score every system of an evaluation set, each distinct triple of texts once.

    Raises
    ------
    ConfigError
        If the model cannot be used with these references.
    InputError
        If the model gives something else than a number.
    UnavailableError
        If COMET, the model, the store or memory is not there.
    """
    # First, since everything below relies on packages that come with COMET.
    model.package_versions()
    found = checkpoint.locate(options.model, options.revision, local_files_only=runtime.local_files_only)
    names = _references(evaluation, options, found)
    devices = model.choose_devices(runtime.devices, runtime.report)
    context = context_of(options, found, devices[0])
    rows = _rows(evaluation, names, found.reads)
    distinct = list(dict.fromkeys(triple for row in _each(rows) for triple in row.values()))
    with ScoreStore(runtime.store or default_path(), report=runtime.report) as store:
        job = _Job(store, context, display_name(options.model), runtime)
        entries = job.known(distinct)
        missing = [triple for triple in distinct if triple not in entries]
        if missing:
            loaded = model.load(
                found,
                precision=options.precision,
                devices=devices,
                threads=runtime.threads,
                local_files_only=runtime.local_files_only,
            )
            try:
                entries |= job.compute(missing, loaded, options.batch_size)
            except _UndefinedError as error:
                raise InputError(_undefined(evaluation, rows, error, options)) from None
    runtime.report(f"{len(missing)} of {len(distinct)} distinct triples computed, the others were in the store.")
    return NeuralScores(
        values={
            system: np.array(
                [
                    _combined([entries[triple].score for triple in row.values()], text, options)
                    for row, text in zip(rows[system], texts, strict=True)
                ]
            )
            for system, texts in evaluation.systems.items()
        },
        spans={system: [_spans(row, entries) for row in rows[system]] for system in rows} if found.word_level else None,
        signature=signature(options, context, _number(rows, names), names),
        findings=tuple(_findings(evaluation, rows, entries)),
        n_computed=len(missing),
    )


def _references(evaluation: EvaluationSet, options: Options, found: checkpoint.Checkpoint) -> tuple[str, ...]:
    """Names of the references that are used, once it is known that they can be."""
    given = options.references
    unknown = [name for name in given or () if name not in evaluation.references]
    if unknown:
        raise ConfigError(
            f"references: {evaluation.testset} has no reference {unknown[0]}. "
            f"It has: {', '.join(evaluation.references) or 'none'}."
        )
    if "reference" not in found.reads:
        if given:
            raise ConfigError(f"references: the model {options.model} reads no reference. Leave the key out.")
        return ()
    names = tuple(evaluation.references) if given is None else given
    if not names and not found.reference_free:
        raise ConfigError(
            f"the model {options.model} needs a reference, and {evaluation.testset} "
            f"{'is to be scored without' if given == () else 'has none'}. Give one, or choose a reference-free model."
        )
    return names


#: What one hypothesis is scored with: reference name (or None) to triple; empty where a text is missing.
Row = dict[str | None, Triple]


def _rows(evaluation: EvaluationSet, names: Sequence[str], reads: Sequence[str]) -> dict[str, list[Row]]:
    """The triples of every system and segment."""
    sources = evaluation.sources if "source" in reads else ("",) * evaluation.n_segments
    rows: dict[str, list[Row]] = {}
    for system, hypotheses in evaluation.systems.items():
        rows[system] = []
        for segment, (source, hypothesis) in enumerate(zip(sources, hypotheses, strict=True)):
            row: Row = {}
            if hypothesis is not None and source is not None:
                read = source if "source" in reads else None
                if not names:
                    row[None] = Triple(read, hypothesis, None)
                for name in names:
                    reference = evaluation.references[name][segment]
                    if reference is not None:
                        row[name] = Triple(read, hypothesis, reference)
            rows[system].append(row)
    return rows


def _each(rows: Mapping[str, list[Row]]) -> Iterable[Row]:
    return (row for segments in rows.values() for row in segments)


def _combined(scores: Sequence[float], hypothesis: str | None, options: Options) -> float:
    """One score from those against several references; NaN where there is none."""
    if not scores or hypothesis is None:
        return math.nan
    if options.blank_hypotheses == "zero" and not hypothesis.strip():
        return 0.0
    return max(scores) if options.combine == "max" else math.fsum(scores) / len(scores)


def _spans(row: Row, entries: Mapping[Triple, Entry]) -> list[dict[str, Any]] | None:
    """The errors marked against each reference; None where the hypothesis was not scored."""
    if not row:
        return None
    return [
        {"reference": name, **span} for name, triple in row.items() for span in _extra(entries[triple]).get("spans", ())
    ]


def _extra(entry: Entry) -> dict[str, Any]:
    return json.loads(entry.extra) if entry.extra else {}


def _number(rows: Mapping[str, list[Row]], names: Sequence[str]) -> int | str:
    """How many references the scored hypotheses have; "var" where it differs."""
    counts = {len(row) for row in _each(rows) if row} if names else {0}
    return counts.pop() if len(counts) == 1 else "var"


def context_of(options: Options, found: checkpoint.Checkpoint, device: str) -> dict[str, str]:
    """What a score depends on beside its texts.

    Parameters
    ----------
    options
        What is computed.
    found
        The checkpoint.
    device
        ``cpu``, or ``cuda`` with or without a number.
    """
    versions = model.package_versions()
    return {
        "package": f"unbabel-comet {versions['comet']}",
        "torch": versions["torch"],
        "checkpoint": found.identity,
        "precision": options.precision,
        "device": device.split(":")[0],
        "batching": f"{_BATCHING}{options.batch_size}",
    }


def _findings(
    evaluation: EvaluationSet, rows: Mapping[str, list[Row]], entries: Mapping[Triple, Entry]
) -> Iterable[Finding]:
    """Blank hypotheses and truncated texts, by system and segment; sources and references belong to no system."""
    reported: set[tuple[int, str]] = set()
    for system, segments in rows.items():
        for segment, row in enumerate(segments):
            where = f"segment {evaluation.segment_ids[segment]}"
            hypothesis = evaluation.systems[system][segment]
            if row and hypothesis is not None and not hypothesis.strip():
                yield Finding(
                    "warning", "blank_hypothesis", f"{system}, {where}: the hypothesis is blank.", system, segment
                )
            for name, triple in row.items():
                for text, n_tokens in sorted(_extra(entries[triple]).get("truncated", {}).items()):
                    owner = system if text in ("hypothesis", "input") else None
                    what = {"reference": f"reference {name}", "input": "the input of all texts together"}.get(
                        text, text
                    )
                    message = (
                        f"{where}: {what} has {n_tokens} tokens, more than the encoder reads; the rest was cut off."
                    )
                    key = (segment, f"{owner} {message}")
                    if key not in reported:
                        reported.add(key)
                        prefix = f"{owner}, " if owner else ""
                        yield Finding("warning", "truncated", prefix + message, owner, segment)


class _UndefinedError(Exception):
    """A model's answer that is no number."""

    def __init__(self, triple: Triple, score: float) -> None:
        super().__init__()
        self.triple = triple
        self.score = score


def _undefined(
    evaluation: EvaluationSet, rows: Mapping[str, list[Row]], error: _UndefinedError, options: Options
) -> str:
    """The message for a score that is no number."""
    system, segment = next(
        (system, segment)
        for system, segments in rows.items()
        for segment, row in enumerate(segments)
        if error.triple in row.values()
    )
    way_out = "Use precision: fp32." if options.precision != "fp32" else "The model or its checkpoint is at fault."
    return (
        f"the model {options.model} gives {error.score} in {options.precision} for system {system}, segment "
        f"{evaluation.segment_ids[segment]}. {way_out}"
    )


class _Job:
    """One run of the model over the triples that the store lacks."""

    def __init__(self, store: ScoreStore, context: Mapping[str, str], name: str, runtime: Runtime) -> None:
        self._store = store
        self._context = context
        self._digest = context_digest(context)
        self._name = name
        self._report = runtime.report
        self._slow = context["device"] == "cpu"
        self._waiting: dict[bytes, Entry] = {}
        self._committed = time.monotonic()

    def _key(self, triple: Triple) -> bytes:
        return triple_key(self._digest, *triple)

    def known(self, triples: Iterable[Triple]) -> dict[Triple, Entry]:
        """What the store holds of these triples."""
        keys = {self._key(triple): triple for triple in triples}
        return {keys[key]: entry for key, entry in self._store.lookup(keys).items()}

    def compute(self, triples: Sequence[Triple], model: batches.Model, rows: int) -> dict[Triple, Entry]:
        """Score triples, adding them to the store as the batches come in."""
        entries: dict[Triple, Entry] = {}
        progress = _Progress(triples, self._report, slow=self._slow)

        def on_batch(plans: list[Plan], results: list[Entry]) -> None:
            for plan, entry in zip(plans, results, strict=True):
                if not math.isfinite(entry.score):
                    raise _UndefinedError(plan.triple, entry.score)
                entries[plan.triple] = entry
                self._waiting[self._key(plan.triple)] = entry
            # A transaction costs a few milliseconds: small batches share one.
            if time.monotonic() - self._committed >= _COMMIT_SECONDS:
                self._commit()
            progress.advance([plan.triple for plan in plans])

        try:
            batches.score(triples, model, rows=rows, on_batch=on_batch)
        finally:
            self._commit()
        return entries

    def _commit(self) -> None:
        if self._waiting:
            self._store.add(self._waiting, self._context, model=self._name)
        self._waiting = {}
        self._committed = time.monotonic()


class _Progress:
    """Says how long it will take: soon where it is slow, and now and then in any case."""

    def __init__(self, triples: Sequence[Triple], report: Callable[[str], None], *, slow: bool) -> None:
        self._report = report
        self._n_triples = len(triples)
        self._work = sum(map(_work, triples))
        self._done = self._n_done = 0
        self._started = time.monotonic()
        # The first estimate waits for a few batches, since the first one takes longer than the others.
        self._next = self._started + (3.0 if slow else _PROGRESS_SECONDS)

    def advance(self, triples: Sequence[Triple]) -> None:
        """Count some triples as done."""
        self._done += sum(map(_work, triples))
        self._n_done += len(triples)
        now = time.monotonic()
        if now < self._next or self._n_done == self._n_triples:
            return
        self._next = now + _PROGRESS_SECONDS
        left = (now - self._started) * (self._work - self._done) / self._done
        self._report(f"{self._n_done} of {self._n_triples} triples scored, about {_duration(left)} left.")


def _work(triple: Triple) -> int:
    return 1 + sum(len(text) for text in triple if text)


def _duration(seconds: float) -> str:
    """A duration in words.

    Examples
    --------
    >>> _duration(20), _duration(600), _duration(9000)
    ('20 s', '10 min', '2.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
