"""Reports of mt-eval-harness: JSON files with one entry per translated text.

An entry holds ``id``, ``expected`` (the reference), ``predicted`` (the hypothesis), perhaps ``source``,
``exact_match``, ``error``, ``comet_score`` and ``plugin_metrics``. This module reads such files and finds the entries
that several of them have in common.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mtsig.corpus.files import file_stem
from mtsig.corpus.textfiles import read_json
from mtsig.errors import InputError

__all__ = [
    "Report",
    "common_ids",
    "entry_value",
    "field_names",
    "flags_unlike_texts",
    "matches_by_text",
    "read_report",
    "report_of",
]


@dataclass(frozen=True)
class Report:
    """One report.

    Parameters
    ----------
    path
        The file.
    entries
        Id to entry, in the file's order. Ids are text; the second entry with the id 7 has the id ``7#2``.
    repeated
        Ids that occur more than once in the file.
    summary
        Everything else in the file: ``run_id``, ``config``, ``overall``, ...
    """

    path: Path
    entries: dict[str, dict[str, Any]]
    repeated: tuple[str, ...]
    summary: Mapping[str, Any]

    @property
    def run_id(self) -> str:
        """What the run is called: its ``run_id``, else the file's stem."""
        name = self.summary.get("run_id")
        return name if isinstance(name, str) and name.strip() else file_stem(self.path)

    def errors(self) -> list[str]:
        """Ids of the entries for which the system failed."""
        return [name for name, entry in self.entries.items() if entry.get("error")]


def matches_by_text(entry: Mapping[str, Any]) -> bool | None:
    """Whether the texts of an entry are equal, whitespace at both ends aside; None where one of them is missing.

    This is what the metric `exact_match` computes. A run's own flag ``exact_match`` may follow another rule.

    Examples
    --------
    >>> matches_by_text({"expected": "Yes.", "predicted": "Yes. "}), matches_by_text({"expected": "Yes."})
    (True, None)
    """
    texts = [entry.get(key) for key in ("expected", "predicted")]
    expected, predicted = (text.strip() if isinstance(text, str) else None for text in texts)
    return None if expected is None or predicted is None else expected == predicted


def flags_unlike_texts(entries: Iterable[Mapping[str, Any]]) -> int:
    """How many entries have a flag ``exact_match`` that differs from what comparing their texts gives."""
    found = ((entry.get("exact_match"), matches_by_text(entry)) for entry in entries if not entry.get("error"))
    return sum(flag is not None and equal is not None and bool(flag) != equal for flag, equal in found)


def read_report(path: Path) -> Report:
    """Read a report.

    Raises
    ------
    InputError
        If the file is not JSON with a list ``entries`` of objects, or an entry's fields have impossible types.
    """
    return report_of(read_json(path), path)


def report_of(content: Any, path: Path) -> Report:
    """The report that a JSON file holds; errors as in `read_report`."""
    entries = content.get("entries") if isinstance(content, dict) else None
    if not isinstance(entries, list):
        raise InputError(f"{path}: is no report; it needs a list `entries` at the top level.")
    found: dict[str, dict[str, Any]] = {}
    counts: dict[str, int] = {}
    for position, entry in enumerate(entries, start=1):
        name = _checked_id(entry, position, path)
        counts[name] = counts.get(name, 0) + 1
        found[name if counts[name] == 1 else f"{name}#{counts[name]}"] = entry
    repeated = tuple(name for name, count in counts.items() if count > 1)
    return Report(path, found, repeated, {key: value for key, value in content.items() if key != "entries"})


def _checked_id(entry: object, position: int, path: Path) -> str:
    if not isinstance(entry, dict):
        raise InputError(f"{path}, entry {position}: is no object with named fields.")
    name = entry.get("id", position)
    if isinstance(name, bool) or not isinstance(name, str | int):
        raise InputError(f"{path}, entry {position}: the id {name!r} is neither text nor a whole number.")
    for key in ("expected", "predicted", "source"):
        if not isinstance(entry.get(key), str | None):
            raise InputError(f"{path}, entry {position} (id {name!r}): {key} holds {entry[key]!r}, which is no text.")
    return str(name)


def common_ids(reports: Sequence[Report]) -> list[str]:
    """Ids that all reports have, in the order of the first.

    Raises
    ------
    InputError
        If there is none.
    """
    first, *others = reports
    common = [name for name in first.entries if all(name in other.entries for other in others)]
    if not common:
        paths = " and ".join(str(report.path) for report in reports)
        raise InputError(f"{paths} have no entry in common; compare reports on the same test set.")
    return common


def entry_value(entry: object, field: str) -> object:
    """The value of a field, where dots lead into nested objects; None where it is absent.

    Names may hold dots themselves.

    Examples
    --------
    >>> entry_value({"plugin_metrics": {"fst": {"valid": 1}}}, "plugin_metrics.fst.valid")
    1
    >>> entry_value({"scores": {"GPT4.1": 72}}, "scores.GPT4.1")
    72
    """
    if not isinstance(entry, Mapping):
        return None
    if field in entry:
        value: object = entry[field]
        return value
    parts = field.split(".")
    for n_parts in range(1, len(parts)):
        inner = entry.get(".".join(parts[:n_parts]))
        if inner is not None:
            return entry_value(inner, ".".join(parts[n_parts:]))
    return None


def field_names(value: object, prefix: str) -> Iterator[str]:
    """Names of all fields in nested objects, as `entry_value` takes them.

    Examples
    --------
    >>> list(field_names({"fst": {"valid": 1, "words": []}, "length": 3}, "plugin_metrics"))
    ['plugin_metrics.fst.valid', 'plugin_metrics.fst.words', 'plugin_metrics.length']
    """
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from field_names(inner, f"{prefix}.{key}")
    else:
        yield prefix
