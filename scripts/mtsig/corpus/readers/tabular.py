"""The formats ``tsv``, ``csv``, ``jsonl`` and ``parquet``: test sets in tables.

Three shapes are understood. *Wide*: one row per segment and one column per system. *Long*: one row per system and
segment, with the names of the systems in a column. *Outputs*: one table for the segments and one more per system,
joined by segment id.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mtsig.corpus.assembly import assemble, line_numbers, nothing, without
from mtsig.corpus.files import check_excluded, kept, log_short_names, named_outputs, one_file
from mtsig.corpus.model import EvaluationSet, Finding
from mtsig.corpus.parts import wanted_columns
from mtsig.corpus.tablefiles import Table, read_table_file, written
from mtsig.corpus.textfiles import repeated
from mtsig.errors import ConfigError, InputError

__all__ = ["read"]

Texts = Sequence[str | None]

#: Columns that are never taken for a system unless the settings name them as one.
_RESERVED = frozenset(
    ("testset", "langpair", "segment", "segment_id", "document", "domain", "source", "reference", "references")
) | {"system", "hypothesis"}
#: Ids of WMT25 join language pair, domain and document, which other files of that task name without "vid_".
_WMT_ID = re.compile(r"[^#]+_#_(?P<domain>[^#]+)_#_(?:vid_)?(?P<document>.+)")
_PARAGRAPH_END = "\n\n"


@dataclass
class _Frame:
    """The segments with everything but the hypotheses."""

    segment_ids: list[str]
    documents: Texts
    domains: Texts
    sources: Texts
    references: dict[str, Texts] = field(default_factory=dict)
    columns: dict[str, Texts] = field(default_factory=dict)


def read(testset: str, settings: Mapping[str, Any]) -> EvaluationSet:
    """Read a test set from one or several tables.

    Parameters
    ----------
    testset
        Its name.
    settings
        ``format``, ``langpair``, ``path`` (the table of the segments) or ``outputs`` (further tables, one per system)
        or both, and the names of columns where they are not the usual ones.

    Raises
    ------
    ConfigError
        If a file or column is missing, or the settings do not say where the hypotheses are.
    InputError
        If a table is malformed, a text column holds anything else, or the tables do not fit together.
    """
    prefix = f"testsets.{testset}."
    if settings.get("path") is None and settings.get("outputs") is None:
        raise ConfigError(f"{prefix}path: is missing. Name the table that holds the texts, or give `outputs`.")
    findings: list[Finding] = []
    columns = _Columns(settings, prefix)
    frame: _Frame | None = None
    systems: dict[str, Texts] = {}
    files = named_outputs(settings, "outputs", prefix) if settings.get("outputs") is not None else {}
    log_short_names(settings, files, prefix)
    if settings.get("path") is not None:
        table = read_table_file(one_file(settings["path"], f"{prefix}path"), settings["format"])
        table = table.where(settings.get("where"), f"{prefix}where")
        findings += table.findings
        if not table.n_rows:
            raise InputError(f"{table.path}: has no rows; a test set needs at least one segment.")
        if columns.is_long(table):
            frame, systems = _long(table, columns)
            check_excluded([*systems, *files], settings, prefix)
        else:
            names = _system_columns(table, columns, settings)
            check_excluded([*names, *files], settings, prefix)
            frame, systems = _wide(table, columns, {name: names[name] for name in kept(names, settings)})
    else:
        check_excluded(files, settings, prefix)
    if settings.get("outputs") is not None:
        outputs = {
            name: read_table_file(files[name], settings["format"]).where(settings.get("where"), f"{prefix}where")
            for name in kept(files, settings)
        }
        findings += [finding for table in outputs.values() for finding in table.findings]
        frame, systems = _joined(frame, systems, outputs, columns)
    assert frame is not None
    if settings.get("missing_text") is not None:
        systems = {name: without(settings["missing_text"], texts) for name, texts in systems.items()}
        frame.references = {name: without(settings["missing_text"], texts) for name, texts in frame.references.items()}
    findings += _line_breaks(systems, settings)
    if settings.get("paragraphs"):
        frame, systems = _split(frame, systems)
    return assemble(
        testset,
        settings,
        segment_ids=frame.segment_ids,
        documents=frame.documents,
        domains=frame.domains,
        sources=frame.sources,
        references=frame.references,
        systems=systems,
        findings=findings,
        columns=frame.columns,
    )


class _Columns:
    """Which column holds what: as the settings say, else the usual name where the table has it."""

    def __init__(self, settings: Mapping[str, Any], prefix: str) -> None:
        self._settings = settings
        self.prefix = prefix

    def name(self, key: str, table: Table) -> str | None:
        """The column for `key`, or None if there is none."""
        given = self._settings.get(key)
        if given is not None:
            return str(given)
        return key if key in table.columns else None

    def is_long(self, table: Table) -> bool:
        """Whether the systems' names stand in a column."""
        if self._settings.get("system") is not None:
            return True
        return self._settings.get("systems") is None and {"system", "hypothesis"} <= table.columns.keys()

    def texts(self, key: str, table: Table) -> Texts:
        """The texts of the column for `key`, or all None if there is none."""
        name = self.name(key, table)
        return nothing(table.n_rows) if name is None else table.texts(name, self.prefix + key)

    def hypotheses(self, table: Table) -> Texts:
        """The texts of the column of hypotheses."""
        if self.name("hypothesis", table) is None:
            raise ConfigError(f"{self.prefix}hypothesis: {table.path} has no column 'hypothesis'; name the right one.")
        return self.texts("hypothesis", table)

    def ids(self, table: Table) -> list[str] | None:
        """The ids of the rows, or None if there is no column for them."""
        name = self.name("segment_id", table)
        return None if name is None else table.ids(name, f"{self.prefix}segment_id")

    def labels(self, key: str, table: Table, ids: Sequence[str]) -> Texts:
        """Documents or domains: a column, else what the ids say where they are WMT25's."""
        name = self.name(key, table)
        if name is not None:
            cells = table.cells(name, self.prefix + key)
            return [None if cell is None or cell == "" else str(cell) for cell in cells]
        matches = [_WMT_ID.fullmatch(each) for each in ids]
        return [match and match[key] for match in matches] if all(matches) else nothing(len(ids))

    def references(self, table: Table) -> dict[str, Texts]:
        """The reference columns; a column of lists or maps holds several references."""
        key = f"{self.prefix}references"
        given = self._settings.get("references")
        if given is None:
            given = [name for name in ("reference", "references") if name in table.columns][:1]
        names = given if isinstance(given, Mapping) else {name: name for name in _listed(given)}
        found: dict[str, Texts] = {}
        for name, column in names.items():
            several = _several(table.cells(column, key), "ref" if len(names) == 1 else name)
            found |= several if several is not None else {name: table.texts(column, key)}
        for name, texts in found.items():
            Table(table.path, {name: list(texts)}, table.places).texts(name, key)
        return found

    def used(self, table: Table) -> set[str]:
        """Columns that hold something else than hypotheses."""
        names = {self.name(key, table) for key in ("segment_id", "document", "domain", "source")}
        given = self._settings.get("references")
        references = given.values() if isinstance(given, Mapping) else _listed(given or [])
        chosen_by = {*wanted_columns(self._settings), *(self._settings.get("where") or ())}
        return {name for name in names if name is not None} | set(references) | chosen_by

    def further(self, table: Table) -> dict[str, Texts]:
        """The columns that segments are chosen by."""
        return {
            name: [None if cell is None else written(cell) for cell in cells]
            for name in wanted_columns(self._settings)
            if (cells := table.find(name)) is not None
        }


def _listed(value: str | Iterable[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _several(cells: Sequence[Any], stem: str) -> dict[str, Texts] | None:
    """References from cells that hold lists or maps of texts; None if they hold neither."""
    rows: list[dict[str, Any]] = []
    for cell in cells:
        if isinstance(cell, list):
            rows.append({f"{stem}{number}": text for number, text in enumerate(cell, start=1)})
        elif isinstance(cell, dict):
            rows.append(cell)
        elif cell is None:
            rows.append({})
        else:
            return None
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _frame(table: Table, columns: _Columns, ids: list[str]) -> _Frame:
    return _Frame(
        segment_ids=ids,
        documents=columns.labels("document", table, ids),
        domains=columns.labels("domain", table, ids),
        sources=columns.texts("source", table),
        references=columns.references(table),
        columns=columns.further(table),
    )


def _system_columns(table: Table, columns: _Columns, settings: Mapping[str, Any]) -> dict[str, str]:
    """Which systems have a column of a table with one row per segment, and which."""
    given = settings.get("systems")
    if given is not None:
        return dict(given) if isinstance(given, Mapping) else {name: name for name in _listed(given)}
    if settings.get("outputs") is not None:
        return {}
    other = _RESERVED | columns.used(table)
    return {name: name for name in table.columns if name not in other}


def _wide(table: Table, columns: _Columns, names: Mapping[str, str]) -> tuple[_Frame, dict[str, Texts]]:
    """One row per segment, one column per system."""
    ids = columns.ids(table) or line_numbers(table.n_rows)
    systems: dict[str, Texts] = {name: table.texts(own, f"{columns.prefix}systems") for name, own in names.items()}
    return _frame(table, columns, ids), systems


def _long(table: Table, columns: _Columns) -> tuple[_Frame, dict[str, Texts]]:
    """One row per system and segment: the segments are those of all systems, in order of their first row."""
    owners = table.ids(columns.name("system", table) or "system", f"{columns.prefix}system")
    ids = columns.ids(table) or _positions(owners)
    everything = _frame(table, columns, ids)
    first: dict[str, int] = {}
    for row, name in enumerate(ids):
        first.setdefault(name, row)
    parts = {"document": everything.documents, "domain": everything.domains, "source": everything.sources}
    for label, texts in [*parts.items(), *everything.references.items(), *everything.columns.items()]:
        for row, name in enumerate(ids):
            if texts[row] != texts[first[name]]:
                raise InputError(
                    f"{table.path}, {table.places[row]}: segment {name!r} has another {label} than on "
                    f"{table.places[first[name]]}. All rows of a segment must agree."
                )
    rows = list(first.values())

    def pick(texts: Texts) -> Texts:
        return [texts[row] for row in rows]

    frame = _Frame(
        segment_ids=list(first),
        documents=pick(everything.documents),
        domains=pick(everything.domains),
        sources=pick(everything.sources),
        references={name: pick(texts) for name, texts in everything.references.items()},
        columns={name: pick(cells) for name, cells in everything.columns.items()},
    )
    hypotheses = columns.hypotheses(table)
    by_system: dict[str, dict[str, str | None]] = {}
    for row, (system, name) in enumerate(zip(owners, ids, strict=True)):
        own = by_system.setdefault(system, {})
        if name in own:
            raise InputError(
                f"{table.path}, {table.places[row]}: system {system!r} has segment {name!r} twice. If the file holds "
                "several language pairs or runs, choose rows with `where: {COLUMN: VALUE}`."
            )
        own[name] = hypotheses[row]
    return frame, {system: [own.get(name) for name in first] for system, own in by_system.items()}


def _positions(owners: Iterable[str]) -> list[str]:
    """Ids for rows without: the how-manieth row of its system each one is."""
    counts: dict[str, int] = {}
    ids = []
    for owner in owners:
        counts[owner] = counts.get(owner, 0) + 1
        ids.append(str(counts[owner]))
    return ids


def _joined(
    frame: _Frame | None, systems: dict[str, Texts], outputs: Mapping[str, Table], columns: _Columns
) -> tuple[_Frame, dict[str, Texts]]:
    """Add the systems of the output tables to the segments by id, or to all ids where no table holds the segments."""
    texts_of: dict[str, dict[str, str | None]] = {}
    for system, table in outputs.items():
        ids = columns.ids(table) or line_numbers(table.n_rows)
        twice = repeated(ids)
        if twice is not None:
            raise InputError(f"{table.path}: the segment id {twice!r} occurs twice; make ids unique.")
        texts_of[system] = dict(zip(ids, columns.hypotheses(table), strict=True))
    if frame is None:
        ids = list(dict.fromkeys(name for texts in texts_of.values() for name in texts))
        labelled: dict[str, dict[str, str | None]] = {"document": {}, "domain": {}}
        for table in outputs.values():
            names = columns.ids(table) or line_numbers(table.n_rows)
            for key, labels in labelled.items():
                labels.update(zip(names, columns.labels(key, table, names), strict=True))
        frame = _Frame(
            segment_ids=ids,
            documents=[labelled["document"].get(name) for name in ids],
            domains=[labelled["domain"].get(name) for name in ids],
            sources=nothing(len(ids)),
        )
    known = set(frame.segment_ids)
    for system, texts in texts_of.items():
        strange = next((name for name in texts if name not in known), None)
        if strange is not None:
            raise InputError(f"{outputs[system].path}: has the segment id {strange!r}, which the segments do not have.")
    added: dict[str, Texts] = {
        system: [texts.get(name) for name in frame.segment_ids] for system, texts in texts_of.items()
    }
    both = next((name for name in added if name in systems), None)
    if both is not None:
        raise ConfigError(f"{columns.prefix}outputs: the system {both!r} is also a column of the table; rename one.")
    return frame, {**systems, **added}


def _line_breaks(systems: Mapping[str, Texts], settings: Mapping[str, Any]) -> list[Finding]:
    """Say where hypotheses are several lines long, and whether they are split."""
    findings = []
    how = "each was split at blank lines" if settings.get("paragraphs") else "each stays one segment"
    for system, texts in systems.items():
        broken = [row for row, text in enumerate(texts) if text is not None and "\n" in text]
        if broken:
            message = (
                f"{len(broken)} of {len(texts)} hypotheses hold line breaks; {how} (setting `paragraphs`). Metrics see "
                "a line break as white space."
            )
            findings.append(Finding("info", "line_breaks_inside", message, system, broken[0]))
    return findings


def _split(frame: _Frame, systems: Mapping[str, Texts]) -> tuple[_Frame, dict[str, Texts]]:
    """Make every paragraph a segment of its own; all texts of a document must have equally many."""
    labels = {"source": frame.sources, **frame.references, **systems}
    n_paragraphs: list[int] = []
    for row, name in enumerate(frame.segment_ids):
        counts = {
            label: len(text.split(_PARAGRAPH_END))
            for label, texts in labels.items()
            if (text := texts[row]) is not None
        }
        if len(set(counts.values())) > 1:
            raise InputError(
                f"segment {name!r}: the texts have different numbers of paragraphs ("
                + ", ".join(f"{label} {count}" for label, count in counts.items())
                + "), so they cannot be aligned by paragraph. Leave out `paragraphs` to compare whole texts."
            )
        n_paragraphs.append(next(iter(counts.values()), 1))

    def spread(texts: Texts) -> Texts:
        paragraphs: list[str | None] = []
        for text, count in zip(texts, n_paragraphs, strict=True):
            paragraphs += nothing(count) if text is None else text.split(_PARAGRAPH_END)
        return paragraphs

    def repeat(cells: Sequence[Any], label: Callable[[Any, int], Any]) -> list[Any]:
        return [
            label(cell, number)
            for cell, count in zip(cells, n_paragraphs, strict=True)
            for number in range(1, count + 1)
        ]

    has_documents = any(document is not None for document in frame.documents)
    split = _Frame(
        segment_ids=repeat(frame.segment_ids, lambda name, number: f"{name}:{number}"),
        documents=repeat(frame.documents if has_documents else frame.segment_ids, lambda name, _: name),
        domains=repeat(frame.domains, lambda name, _: name),
        sources=spread(frame.sources),
        references={name: spread(texts) for name, texts in frame.references.items()},
        columns={name: repeat(cells, lambda cell, _: cell) for name, cells in frame.columns.items()},
    )
    return split, {name: spread(texts) for name, texts in systems.items()}
