"""The format ``wmt-xml``: the XML files of the WMT shared tasks since 2021, with sources, references and outputs.

A file holds documents; a document holds one ``src``, any number of ``ref`` (told apart by ``translator``) and of
``hyp`` (by ``system``), each with ``seg`` elements that share their ids. Nothing outside the file is ever read, and
entities other than XML's own five are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

from mtsig.corpus.assembly import assemble, without
from mtsig.corpus.files import check_excluded, check_references, one_file
from mtsig.corpus.model import EvaluationSet, Finding
from mtsig.corpus.parts import wanted_columns
from mtsig.corpus.textfiles import read_bytes
from mtsig.errors import ConfigError, InputError

__all__ = ["Document", "language_findings", "parse", "read", "reference_name", "segment_content"]


@dataclass
class Document:
    """One document: attributes, and the texts of each part by segment id.

    Parameters
    ----------
    attributes
        Those of the ``doc`` element: ``id``, ``origlang``, ``domain``, ``testsuite``.
    line
        Where it starts.
    source
        Segment id to text.
    references, systems
        Name to segments.
    languages
        The language codes of source and target as they are given.
    """

    attributes: dict[str, str]
    line: int
    source: dict[str, str] = field(default_factory=dict)
    references: dict[str, dict[str, str]] = field(default_factory=dict)
    systems: dict[str, dict[str, str]] = field(default_factory=dict)
    languages: dict[str, str] = field(default_factory=dict)


def reference_name(translator: str | None) -> str:
    """What the reference by `translator` is called: WMT's translator "A" and "refA" are both refA.

    Examples
    --------
    >>> reference_name("A"), reference_name("refB"), reference_name(None)
    ('refA', 'refB', 'ref')
    """
    translator = translator or ""
    return translator if translator.startswith("ref") else f"ref{translator}"


def parse(path: Path) -> list[Document]:
    """The documents of a file, in its order.

    Raises
    ------
    InputError
        If the file is no well-formed XML, declares entities, or is not built as described above; naming the line.
    """
    return _Parser(path).parse(read_bytes(path))


class _Parser:
    """Collects documents while expat walks through the file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._documents: list[Document] = []
        self._part: dict[str, str] | None = None
        self._segment: str | None = None
        self._text: list[str] = []
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.EntityDeclHandler = self._entity
        self._parser.SkippedEntityHandler = self._entity

    def parse(self, data: bytes) -> list[Document]:
        try:
            self._parser.Parse(data, True)
        except expat.ExpatError as error:
            raise InputError(f"{self._path}, line {error.lineno}: is not well-formed XML ({error}).") from None
        except (LookupError, UnicodeError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{self._path}: declares an encoding that cannot be used ({error}). Use UTF-8.") from None
        if not self._documents:
            raise InputError(f"{self._path}: has no <doc> elements, so it is no WMT test set.")
        return self._documents

    def _fail(self, message: str) -> InputError:
        return InputError(f"{self._path}, line {self._parser.CurrentLineNumber}: {message}")

    def _entity(self, name: str, *_: object) -> None:
        raise self._fail(f"the entity {name!r} is declared or used; entities are not expanded. Write the text itself.")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "doc":
            self._documents.append(Document(attributes, self._parser.CurrentLineNumber))
        elif tag in ("src", "ref", "hyp"):
            self._open_part(tag, attributes)
        elif tag == "seg":
            if self._part is None:
                raise self._fail("<seg> stands outside of <src>, <ref> and <hyp>.")
            self._segment = attributes.get("id")
            if self._segment is None or self._segment in self._part:
                raise self._fail(f"<seg> needs an id of its own, but has {self._segment!r}.")
            self._text = []

    def _open_part(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._documents:
            raise self._fail(f"<{tag}> stands outside of <doc>.")
        document = self._documents[-1]
        self._part = {}
        if tag == "src":
            if document.source:
                raise self._fail("the document has a second <src>.")
            document.source = self._part
        else:
            holder = document.references if tag == "ref" else document.systems
            name = reference_name(attributes.get("translator")) if tag == "ref" else attributes.get("system")
            if not name or name in holder:
                raise self._fail(f"<{tag}> needs a name of its own within the document, but has {name!r}.")
            holder[name] = self._part
        language = attributes.get("lang")
        if language:
            document.languages.setdefault("source" if tag == "src" else "target", language)

    def _end(self, tag: str) -> None:
        if tag == "seg" and self._part is not None and self._segment is not None:
            self._part[self._segment] = segment_content("".join(self._text))
            self._segment = None
        elif tag in ("src", "ref", "hyp"):
            self._part = None

    def _characters(self, data: str) -> None:
        if self._segment is not None:
            self._text.append(data)


def segment_content(text: str) -> str:
    """A segment's text; a line break inside is layout of the file, and so is white space at its ends."""
    return re.sub(r"[ \t]*\r?\n[ \t]*", " ", text).strip(" \t")


def read(testset: str, settings: Mapping[str, Any]) -> EvaluationSet:
    """Read a test set from one WMT XML file.

    Parameters
    ----------
    testset
        Its name.
    settings
        ``langpair``, ``path``, and optionally ``references`` (names), ``testsuite``, ``exclude``, ``missing_text``.

    Raises
    ------
    ConfigError
        If the file, a reference or the test suite is not there.
    InputError
        If the file is malformed.
    """
    prefix = f"testsets.{testset}."
    path = one_file(settings["path"], f"{prefix}path")
    found = parse(path)
    documents, findings = _chosen(found, settings.get("testsuite"), path, prefix)
    languages: dict[str, str] = {}
    for document in documents:
        languages = {**document.languages, **languages}
    findings += language_findings(languages, settings["langpair"], path)
    for document in documents:
        _check_segments(document, path)
    everything = dict.fromkeys(name for document in documents for name in sorted(document.references))
    wanted = settings.get("references") or list(everything)
    check_references(wanted, everything, holder=str(path), langpair=settings["langpair"], prefix=prefix)
    names = dict.fromkeys(name for document in documents for name in document.systems)
    check_excluded(names, settings, prefix)
    rows = [(document, segment) for document in documents for segment in document.source]
    missing = settings.get("missing_text")

    def column(parts: Iterable[Mapping[str, str]]) -> list[str | None]:
        return without(missing, (texts.get(segment) for texts, (_, segment) in zip(parts, rows, strict=True)))

    return assemble(
        testset,
        settings,
        segment_ids=_segment_ids(rows),
        documents=[document.attributes.get("id") for document, _ in rows],
        domains=[document.attributes.get("domain") for document, _ in rows],
        sources=column(document.source for document, _ in rows),
        references={name: column(document.references.get(name, {}) for document, _ in rows) for name in wanted},
        systems={name: column(document.systems.get(name, {}) for document, _ in rows) for name in names},
        findings=findings,
        columns={
            name: [document.attributes.get(name) for document, _ in rows]
            for name in wanted_columns(settings)
            if any(name in document.attributes for document in documents)
        },
    )


def _segment_ids(rows: list[tuple[Document, str]]) -> list[str]:
    """``document:segment``, with the domain in front where documents are unique within a domain only."""
    ids = [f"{document.attributes.get('id', '')}:{segment}" for document, segment in rows]
    if len(set(ids)) < len(ids):
        ids = [f"{document.attributes.get('domain', '')}:{name}" for (document, _), name in zip(rows, ids, strict=True)]
    return ids


def _chosen(
    found: list[Document], testsuite: str | None, path: Path, prefix: str
) -> tuple[list[Document], list[Finding]]:
    """The documents of the main test set, or those of one test suite; never both together."""
    suites: dict[str | None, list[Document]] = {}
    for document in found:
        suites.setdefault(document.attributes.get("testsuite"), []).append(document)
    others = [f"{name} ({len(suites[name])})" for name in suites if name != testsuite and name is not None]
    if testsuite not in suites:
        raise ConfigError(
            f"{prefix}testsuite: {path} has no documents "
            + (f"of the test suite {testsuite!r}" if testsuite else "outside of test suites")
            + f". It has: {', '.join(others) or 'no test suites'}."
        )
    if not others:
        return suites[testsuite], []
    message = f"{path}: documents of test suites are kept apart: {', '.join(others)}. Choose one with `testsuite`."
    return suites[testsuite], [Finding("info", "testsuite_documents", message)]


def language_findings(languages: Mapping[str, str], langpair: str, path: Path) -> list[Finding]:
    """Warn where a file gives other languages of its ``source`` and ``target`` than the settings do."""
    source, _, target = langpair.partition("-")
    findings = []
    for side, wanted in (("source", source), ("target", target)):
        given = languages.get(side, wanted)
        if re.split("[-_]", given.lower())[0] != re.split("[-_]", wanted.lower())[0]:
            message = f"{path}: the {side} is in {given!r}, but langpair is {langpair}. Correct langpair or the file."
            findings.append(Finding("warning", "other_language", message))
    return findings


def _check_segments(document: Document, path: Path) -> None:
    """Every translated segment must have a source."""
    parts = [("reference", document.references), ("system", document.systems)]
    for kind, holder in parts:
        for name, texts in holder.items():
            strange = next((segment for segment in texts if segment not in document.source), None)
            if strange is not None:
                raise InputError(
                    f"{path}, document {document.attributes.get('id')!r} (line {document.line}): {kind} {name!r} has "
                    f"segment {strange!r}, which the source does not have."
                )
