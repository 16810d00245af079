"""Parts of a test set: the settings ``only`` and ``without``, by labels, ids, lengths, columns, or as a sample.

A part is a test set like any other; it remembers of which segments of the whole it consists, so that scores in files
that cover the whole still find their places.
"""

from __future__ import annotations

import difflib
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mtsig.corpus.model import EvaluationSet, Finding, Whole
from mtsig.corpus.sampling import sample
from mtsig.corpus.tablefiles import written
from mtsig.corpus.textfiles import read_lines
from mtsig.errors import ConfigError

__all__ = ["LENGTH_UNITS", "choose", "part_of", "wanted_columns"]

_LOG = logging.getLogger(__name__)

#: How lengths are counted.
LENGTH_UNITS: dict[str, Callable[[str], int]] = {"words": lambda text: len(text.split()), "characters": len}

Conditions = Mapping[str, Any]


def wanted_columns(settings: Mapping[str, Any]) -> list[str]:
    """Names of the columns or attributes of the input that a part is chosen by."""
    names: list[str] = []
    for key in ("only", "without"):
        names += (settings.get(key) or {}).get("column") or {}
    by = ((settings.get("only") or {}).get("sample") or {}).get("by")
    return list(dict.fromkeys([*names, *([by] if by not in (None, "document", "domain") else [])]))


def choose(evaluation: EvaluationSet, settings: Mapping[str, Any]) -> EvaluationSet:
    """The part of a test set that its settings choose; all of it where they choose none.

    Parameters
    ----------
    evaluation
        The whole test set.
    settings
        Its settings. Segments must meet all conditions of ``only`` and none of ``without``; a ``sample`` is drawn from
        those that are left.

    Raises
    ------
    ConfigError
        If a condition names what is not there, or no segment is left.

    Examples
    --------
    >>> texts = ("A canary.", "One line.", "A second line.")
    >>> evaluation = EvaluationSet("demo", "en-de", ("1", "2", "3"), *[(None,) * 3] * 3, {"ref": texts}, {"A": texts})
    >>> choose(evaluation, {"without": {"segments": ["1"]}}).segment_ids
    ('2', '3')
    """
    only, without = settings.get("only") or {}, settings.get("without") or {}
    prefix = f"testsets.{evaluation.testset}"
    rows = list(range(evaluation.n_segments))
    for key, met in _conditions(evaluation, only, f"{prefix}.only"):
        rows = [row for row in rows if met(row)]
        _refuse_nothing(rows, key)
    for key, met in _conditions(evaluation, without, f"{prefix}.without"):
        rows = [row for row in rows if not met(row)]
        _refuse_nothing(rows, key)
    drawn = only.get("sample")
    n_before = len(rows)
    if drawn:
        rows = _sample(evaluation, rows, drawn, f"{prefix}.only.sample")
    if len(rows) == evaluation.n_segments:
        return evaluation
    _LOG.info("%s: %d of %d segments are evaluated", prefix, len(rows), evaluation.n_segments)
    kinds = [f"{key}.{name}" for key, its in (("only", only), ("without", without)) for name in its if its[name]]
    return part_of(evaluation, rows, _findings(evaluation, rows, n_before, kinds, only))


def part_of(evaluation: EvaluationSet, rows: Sequence[int], findings: Iterable[Finding] = ()) -> EvaluationSet:
    """The segments of a test set at the given positions, in their order."""
    new = {row: position for position, row in enumerate(rows)}

    def pick(texts: Sequence[str | None]) -> tuple[str | None, ...]:
        return tuple(texts[row] for row in rows)

    return replace(
        evaluation,
        segment_ids=tuple(evaluation.segment_ids[row] for row in rows),
        documents=pick(evaluation.documents),
        domains=pick(evaluation.domains),
        sources=pick(evaluation.sources),
        references={name: pick(texts) for name, texts in evaluation.references.items()},
        systems={name: pick(texts) for name, texts in evaluation.systems.items()},
        columns={name: pick(texts) for name, texts in evaluation.columns.items()},
        findings=(
            *(
                replace(each, segment=None if each.segment is None else new.get(each.segment))
                for each in evaluation.findings
            ),
            *findings,
        ),
        whole=Whole(evaluation.segment_ids, evaluation.documents, evaluation.domains, tuple(rows)),
    )


def _conditions(
    evaluation: EvaluationSet, wanted: Conditions, prefix: str
) -> Iterator[tuple[str, Callable[[int], bool]]]:
    """Each condition that is given: its key, and whether the segment at a position meets it."""
    columns: list[tuple[str, Sequence[str | None], Any]] = [
        ("domains", evaluation.domains, wanted.get("domains")),
        ("documents", evaluation.documents, wanted.get("documents")),
        ("segments", evaluation.segment_ids, _ids(wanted.get("segments"))),
    ]
    for name, values in (wanted.get("column") or {}).items():
        key = f"column.{name}"
        columns.append((key, _column(evaluation, name, f"{prefix}.{key}"), values))
    for key, cells, values in columns:
        if values is not None:
            yield f"{prefix}.{key}", _among(cells, values, f"{prefix}.{key}")
    sides = {"source_length": evaluation.sources, "reference_length": _first_references(evaluation)}
    for key, texts in sides.items():
        for unit, limits in (wanted.get(key) or {}).items():
            if limits is not None:
                yield f"{prefix}.{key}.{unit}", _within(texts, unit, limits, f"{prefix}.{key}.{unit}")


def _ids(value: Any) -> Any:
    """Ids as they are listed, or as the file that is named lists them, one a line."""
    return read_lines(Path(value)) if isinstance(value, str) else value


def _column(evaluation: EvaluationSet, name: str, key: str) -> Sequence[str | None]:
    if name not in evaluation.columns:
        there = "domain, document, and what else tables, XML and SGML have"
        raise ConfigError(f"{key}: the test set has no column {name!r}. Segments can be chosen by {there}.")
    return evaluation.columns[name]


def _among(cells: Sequence[str | None], values: Any, key: str) -> Callable[[int], bool]:
    wanted = {written(value) for value in (values if isinstance(values, list | tuple) else [values])}
    known = {cell for cell in cells if cell is not None}
    unknown = sorted(wanted - known)
    if unknown:
        close = difflib.get_close_matches(unknown[0], known, n=1)
        meant = f" Did you mean {close[0]!r}?" if close else ""
        listed = ", ".join(map(repr, sorted(known)[:8])) + (", ..." if len(known) > 8 else "")
        raise ConfigError(f"{key}: no segment has {unknown[0]!r}.{meant} There are {listed or 'none at all'}.")
    return lambda row: cells[row] in wanted


def _within(texts: Sequence[str | None], unit: str, limits: Sequence[int | None], key: str) -> Callable[[int], bool]:
    if all(text is None for text in texts):
        raise ConfigError(f"{key}: the test set has no such texts, so they have no length.")
    if len(limits) != 2 or (None not in limits and limits[0] > limits[1]):  # type: ignore[operator]
        raise ConfigError(f"{key}: {list(limits)} is no range; write [from, to], with null for an open end.")
    low, high = limits
    length = LENGTH_UNITS[unit]

    def met(row: int) -> bool:
        text = texts[row]
        if text is None:
            return False
        size = length(text)
        return (low is None or size >= low) and (high is None or size <= high)

    return met


def _first_references(evaluation: EvaluationSet) -> Sequence[str | None]:
    """Of each segment the first reference that it has."""
    if not evaluation.references:
        return [None] * evaluation.n_segments
    return [
        next((text for text in texts if text is not None), None)
        for texts in zip(*evaluation.references.values(), strict=True)
    ]


def _refuse_nothing(rows: Sequence[int], key: str) -> None:
    if not rows:
        raise ConfigError(f"{key}: no segment is left. Choose more.")


def _sample(evaluation: EvaluationSet, rows: list[int], drawn: Mapping[str, Any], key: str) -> list[int]:
    by = drawn.get("by")
    strata = None
    if by is not None:
        labels = {"document": evaluation.documents, "domain": evaluation.domains}
        cells = labels[by] if by in labels else _column(evaluation, by, f"{key}.by")
        if all(cells[row] is None for row in rows):
            raise ConfigError(f"{key}.by: the segments have no {by}.")
        strata = [cells[row] or "" for row in rows]
    try:
        chosen = sample(
            drawn.get("scheme", "broad"),
            n_segments=len(rows),
            subset_size=drawn["segments"],
            number=drawn.get("number", 1),
            seed=drawn.get("seed", 12345),
            strata=strata,
        )
    except ConfigError as error:
        raise ConfigError(f"{key}: {error}") from None
    return [rows[position] for position in chosen]


def _findings(
    evaluation: EvaluationSet, rows: Sequence[int], n_before: int, kinds: Sequence[str], only: Conditions
) -> Iterator[Finding]:
    n_left = evaluation.n_segments - len(rows)
    message = f"{n_left} of {evaluation.n_segments} segments are left out by {', '.join(kinds)}."
    drawn = only.get("sample")
    if drawn:
        scheme = drawn.get("scheme", "broad")
        keys = ["by", "number", *(["seed"] if scheme == "random" else [])]
        details = ", ".join(f"{key} {drawn[key]}" for key in keys if drawn.get(key) is not None)
        message += f" {len(rows)} are a {scheme} sample of {n_before}" + (f" ({details})." if details else ".")
    message += " Lines that other findings name are counted among those that are left."
    yield Finding("info", "segments_left_out", message)
    in_a_row = len(rows) > 1 and rows[-1] - rows[0] == len(rows) - 1
    if in_a_row and (only.get("segments") is not None or (drawn and drawn.get("scheme") == "consecutive")):
        places = set(zip(evaluation.domains, evaluation.documents, strict=True))
        own = {(evaluation.domains[row], evaluation.documents[row]) for row in rows}
        covered = f" It covers {len(own)} of {len(places)} documents." if len(places) > 1 else ""
        message = (
            f"the segments are one run of neighbours of a larger test set, which one topic or document may cover, so "
            f"scores say little about the rest.{covered} A broad sample says more: `sample: {{scheme: broad, segments: "
            f"{len(rows)}}}`."
        )
        yield Finding("warning", "consecutive_segments", message)
