"""The format ``wmt-sgm``: the SGML of NIST, of GTM and of the WMT shared tasks until 2020.

Sources stand in a ``srcset``, references in a ``refset``, outputs in a ``tstset``, each with ``doc`` elements (their
``sysid`` says whose text it is) and these with ``seg`` elements, whose ids are unique in their document. The sets may
stand in one file or in several, several references or systems in one set or in several. This is SGML, not XML: names of
elements and attributes in upper or lower case, values without quotes, and ampersands that begin no entity are fine.
Nothing outside of the files is ever read, and declarations of entities are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.entities import html5
from pathlib import Path
from typing import Any

from mtsig.corpus.assembly import assemble, without
from mtsig.corpus.files import check_excluded, named_files, one_file
from mtsig.corpus.model import EvaluationSet
from mtsig.corpus.parts import wanted_columns
from mtsig.corpus.readers.wmt_xml import language_findings, segment_content
from mtsig.corpus.textfiles import read_text
from mtsig.errors import ConfigError, InputError

__all__ = ["SETS", "Document", "TextSet", "parse", "read"]

#: Kinds of sets, and what each holds.
SETS = {"srcset": "sources", "refset": "references", "tstset": "outputs"}

# No "<" inside, so that one which is never closed ends at the next.
_TAG_START = re.compile(r"<(/?)(srcset|refset|tstset|doc|seg)(?![\w.:-])", re.IGNORECASE)
_TAG_REST = re.compile(r"""((?:[^<>"']|"[^<"]*"|'[^<']*')*)>""")
_ATTRIBUTE = re.compile(r"""([A-Za-z][\w.:-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'/]+))""")
_DECLARATION = re.compile(r"<!\s*ENTITY|<!\[|<!\s*DOCTYPE[^<>\[]*\[", re.IGNORECASE)
_ENTITY = re.compile(r"&(#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")


@dataclass
class Document:
    """One document of one text.

    Parameters
    ----------
    attributes
        Those of the ``doc`` element, their names in lower case: ``docid``, ``genre``, ``origlang``.
    line
        Where it starts.
    segments
        Segment id to text.
    """

    attributes: dict[str, str]
    line: int
    segments: dict[str, str] = field(default_factory=dict)


@dataclass
class TextSet:
    """The source, one reference, or the output of one system.

    Parameters
    ----------
    kind
        One of `SETS`.
    name
        The ``sysid``; blank where there is none.
    path
        The file.
    languages
        The language codes of source and target as they are given.
    documents
        Document id to document.
    """

    kind: str
    name: str
    path: Path
    languages: dict[str, str]
    documents: dict[str, Document] = field(default_factory=dict)


def parse(path: Path) -> list[TextSet]:
    """The sets of a file, one for each text in them, in its order.

    Raises
    ------
    InputError
        If the file is not UTF-8, declares entities, or is not built as described above; naming the line.
    """
    return _Parser(path).parse()


class _Parser:
    """Collects sets while it goes from tag to tag."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._text = _without_comments(read_text(path).text, path)
        self._sets: dict[tuple[str, str], TextSet] = {}
        self._place = (0, 1)  # a position in the text and its line
        self._set: tuple[str, dict[str, str]] | None = None
        self._document: Document | None = None
        self._segment: tuple[str, int] | None = None  # its id and where its text starts

    def parse(self) -> list[TextSet]:
        declaration = _DECLARATION.search(self._text)
        if declaration:
            raise self._fail(declaration.start(), "declarations are not followed. Write the text itself.")
        for tag in _TAG_START.finditer(self._text):
            closing, name = tag[1], tag[2].lower()
            if self._segment is not None and not (closing and name == "seg"):
                raise self._fail(self._segment[1], f"<seg> is not closed before {tag[0]}.")
            rest = _TAG_REST.match(self._text, tag.end())
            if rest is None:
                raise self._fail(tag.start(), f"the tag {tag[0]} is not closed, or a quote in it is not.")
            if closing:
                self._close(name, tag.start())
            else:
                self._open(name, self._attributes(rest[1], tag.start()), tag.start(), rest.end())
        if self._segment is not None:
            raise self._fail(self._segment[1], "<seg> is never closed.")
        if not self._sets:
            raise InputError(
                f"{self._path}: has no <srcset>, <refset> or <tstset> with documents, so it is no SGML of WMT."
            )
        return list(self._sets.values())

    def _line(self, position: int) -> int:
        """The line of a position; positions are asked for in ascending order, but for errors."""
        start, line = self._place if position >= self._place[0] else (0, 1)
        self._place = (position, line + self._text.count("\n", start, position))
        return self._place[1]

    def _fail(self, position: int, message: str) -> InputError:
        return InputError(f"{self._path}, line {self._line(position)}: {message}")

    def _attributes(self, text: str, position: int) -> dict[str, str]:
        return {
            match[1].lower(): self._decoded(match[2] or match[3] or match[4] or "", position)
            for match in _ATTRIBUTE.finditer(text)
        }

    def _decoded(self, text: str, position: int) -> str:
        """The text with characters for entities."""

        def character(entity: re.Match[str]) -> str:
            name = entity[1]
            if not name.startswith("#"):
                return html5.get(f"{name};", entity[0])
            number = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
            if number in range(0xD800, 0xE000) or not 0 < number <= 0x10FFFF:
                raise self._fail(position, f"{entity[0]} is no character.")
            return chr(number)

        return _ENTITY.sub(character, text) if "&" in text else text

    def _open(self, name: str, attributes: dict[str, str], start: int, end: int) -> None:
        if name in SETS:
            if self._set is not None:
                raise self._fail(start, f"<{name}> stands inside of <{self._set[0]}>.")
            self._set = (name, attributes)
        elif name == "doc":
            self._open_document(attributes, start)
        else:
            if self._document is None:
                raise self._fail(start, "<seg> stands outside of <doc>.")
            segment = attributes.get("id", "")
            if not segment or segment in self._document.segments:
                raise self._fail(start, f"<seg> needs an id of its own in its document, but has {segment!r}.")
            self._segment = (segment, end)

    def _open_document(self, attributes: dict[str, str], start: int) -> None:
        if self._set is None:
            raise self._fail(start, "<doc> stands outside of <srcset>, <refset> and <tstset>.")
        if self._document is not None:
            raise self._fail(start, "<doc> stands inside of another <doc>.")
        kind, shared = self._set
        owner = (
            ""
            if kind == "srcset"
            else next(
                (given for given in (attributes.get("sysid"), shared.get("sysid"), shared.get("refid")) if given), ""
            )
        )
        languages = {
            side: code
            for side, key in (("source", "srclang"), ("target", "trglang"))
            if (code := shared.get(key, "any")) not in ("any", "")
        }
        texts = self._sets.setdefault((kind, owner), TextSet(kind, owner, self._path, languages))
        document = attributes.get("docid") or attributes.get("id") or ""
        if not document or document in texts.documents:
            whose = f" in what {owner!r} wrote" if owner else ""
            raise self._fail(start, f"<doc> needs a docid of its own{whose}, but has {document!r}.")
        self._document = texts.documents[document] = Document(attributes, self._line(start))

    def _close(self, name: str, position: int) -> None:
        if name == "seg":
            if self._segment is None or self._document is None:
                raise self._fail(position, "</seg> closes nothing.")
            segment, start = self._segment
            text = self._decoded(self._text[start:position], start)
            self._document.segments[segment] = segment_content(text)
            self._segment = None
        elif name == "doc":
            self._document = None
        else:
            self._document = self._set = None


def _without_comments(text: str, path: Path) -> str:
    """The text with line feeds alone in place of comments."""
    parts, position = [], 0
    while (start := text.find("<!--", position)) >= 0:
        end = text.find("-->", start + 4)
        if end < 0:
            line = text.count("\n", 0, start) + 1
            raise InputError(f"{path}, line {line}: the comment that starts here is never closed.")
        parts += [text[position:start], "\n" * text.count("\n", start, end)]
        position = end + 3
    return "".join([*parts, text[position:]])


def read(testset: str, settings: Mapping[str, Any]) -> EvaluationSet:
    """Read a test set from SGML files.

    Parameters
    ----------
    testset
        Its name.
    settings
        ``langpair``, ``systems``, and optionally ``source``, ``references``, ``exclude``, ``missing_text``.

    Raises
    ------
    ConfigError
        If a file is missing or does not hold what it is named for.
    InputError
        If a file is malformed, or a text has a segment that the source (or first reference) does not have.
    """
    prefix = f"testsets.{testset}."
    parsed: dict[Path, list[TextSet]] = {}

    def sets_of(path: Path, kind: str, key: str) -> list[TextSet]:
        if path not in parsed:
            parsed[path] = parse(path)
        found = [each for each in parsed[path] if each.kind == kind]
        if not found:
            others = " and ".join(f"<{other}>" for other in dict.fromkeys(each.kind for each in parsed[path]))
            raise ConfigError(f"{key}: {path} holds no {SETS[kind]} (<{kind}>), but {others}.")
        return found

    def texts_of(key: str, kind: str) -> dict[str, TextSet]:
        value = settings.get(key)
        if value is None:
            return {}
        files = named_files(value, prefix + key)
        parts = {name: sets_of(path, kind, prefix + key) for name, path in files.items()}
        if isinstance(value, Mapping):
            return {name: _called(name, each, prefix + key) for name, each in parts.items()}
        return _by_own_names(parts, prefix + key)

    source = None
    if settings.get("source") is not None:
        source = sets_of(one_file(settings["source"], f"{prefix}source"), "srcset", f"{prefix}source")[0]
    references, systems = texts_of("references", "refset"), texts_of("systems", "tstset")
    check_excluded(systems, settings, prefix)
    texts = [*([source] if source else ()), *references.values(), *systems.values()]
    frame = texts[0]
    rows = [(name, document, segment) for name, document in frame.documents.items() for segment in document.segments]
    for each in texts[1:]:
        _check_segments(each, frame)
    missing = settings.get("missing_text")

    def column(text: TextSet | None) -> list[str | None]:
        if text is None:
            return [None] * len(rows)
        nothing = Document({}, 0)
        return without(missing, (text.documents.get(name, nothing).segments.get(segment) for name, _, segment in rows))

    languages: dict[str, str] = {}
    for each in texts:
        languages = {**each.languages, **languages}
    return assemble(
        testset,
        settings,
        segment_ids=[f"{name}:{segment}" for name, _, segment in rows],
        documents=[name for name, _, _ in rows],
        domains=[document.attributes.get("genre") or None for _, document, _ in rows],
        sources=column(source),
        references={name: column(text) for name, text in references.items()},
        systems={name: column(text) for name, text in systems.items()},
        findings=language_findings(languages, settings["langpair"], frame.path),
        columns={
            name: [document.attributes.get(name) for _, document, _ in rows]
            for name in wanted_columns(settings)
            if any(name in document.attributes for document in frame.documents.values())
        },
    )


def _called(name: str, found: list[TextSet], key: str) -> TextSet:
    """The one text of a file that was named in the configuration, or the one of that name among several."""
    own = [each for each in found if each.name == name]
    if len(found) == 1 or own:
        return (own or found)[0]
    names = ", ".join(repr(each.name) for each in found)
    raise ConfigError(
        f"{key}.{name}: {found[0].path} holds {names}, of which none is called {name!r}. Use their names."
    )


def _by_own_names(parts: Mapping[str, list[TextSet]], key: str) -> dict[str, TextSet]:
    """Texts by their ``sysid``; those that have none by the name of their file."""
    texts: dict[str, TextSet] = {}
    for stem, each in ((stem, each) for stem, found in parts.items() for each in found):
        name = each.name or stem
        if name in texts:
            raise ConfigError(
                f"{key}: {texts[name].path} and {each.path} both hold {name!r}. Name them: "
                f"{key}: {{{name}: {texts[name].path}, OTHER: {each.path}}}."
            )
        texts[name] = each
    return texts


def _check_segments(text: TextSet, frame: TextSet) -> None:
    """Refuse segments that the frame does not have; those that are missing are missing."""
    for document, segment in _places(text):
        if document not in frame.documents or segment not in frame.documents[document].segments:
            raise InputError(
                f"{text.path}, document {document!r} (line {text.documents[document].line}): has segment {segment!r}, "
                f"which {frame.path} does not have."
            )


def _places(text: TextSet) -> Iterator[tuple[str, str]]:
    for name, document in text.documents.items():
        for segment in document.segments:
            yield name, segment
