"""The format ``text``: one file per system, source and reference, one segment per line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mtsig.corpus.alignment import Part, check_counts
from mtsig.corpus.files import named_files, one_file, system_files
from mtsig.corpus.model import EvaluationSet, Finding, check_names
from mtsig.corpus.textfiles import read_text
from mtsig.errors import InputError

__all__ = ["documents_of", "read", "without"]


def read(testset: str, settings: Mapping[str, Any]) -> EvaluationSet:
    """Read a test set from plain text files.

    Parameters
    ----------
    testset
        Its name.
    settings
        ``langpair``, ``systems``, and optionally ``source``, ``references``, ``documents``, ``exclude``,
        ``missing_text``.

    Raises
    ------
    ConfigError
        If a file is missing, a pattern matches nothing or two files would go by the same name.
    InputError
        If a file is not UTF-8, or the files have different numbers of lines.
    """
    prefix = f"testsets.{testset}."
    systems = system_files(settings, prefix)
    references = {}
    if settings.get("references") is not None:
        references = named_files(settings["references"], f"{prefix}references")
    source = _optional(settings, "source", prefix)
    documents = _optional(settings, "documents", prefix)
    return assemble(
        testset, settings, source=source, references=references, documents=documents, systems=systems, prefix=prefix
    )


def assemble(
    testset: str,
    settings: Mapping[str, Any],
    *,
    source: Path | None,
    references: Mapping[str, Path],
    documents: Path | None,
    systems: Mapping[str, Path],
    prefix: str,
) -> EvaluationSet:
    """Read the given files and put them together, once they are known to be aligned."""
    check_names(references, f"{prefix}references")
    check_names(systems, f"{prefix}systems")
    findings: list[Finding] = []

    def part(path: Path, system: str | None = None) -> Part:
        text = read_text(path)
        findings.extend(text.findings(system))
        return Part(str(path), text.lines())

    source_part = part(source) if source else None
    reference_parts = {name: part(path) for name, path in references.items()}
    document_part = part(documents) if documents else None
    system_parts = {name: part(path, name) for name, path in systems.items()}
    frame = [each for each in (source_part, *reference_parts.values(), document_part) if each is not None]
    n_segments = check_counts([*frame, *system_parts.values()])

    missing_text = settings.get("missing_text")
    nothing: tuple[str | None, ...] = (None,) * n_segments
    domains, names = documents_of(document_part) if document_part else (nothing, nothing)
    return EvaluationSet(
        testset=testset,
        langpair=settings["langpair"],
        segment_ids=tuple(str(line) for line in range(1, n_segments + 1)),
        documents=names,
        domains=domains,
        sources=tuple(source_part.lines) if source_part else nothing,
        references={name: without(missing_text, each.lines) for name, each in reference_parts.items()},
        systems={name: without(missing_text, system_parts[name].lines) for name in sorted(system_parts)},
        findings=tuple(findings),
    )


def without(missing_text: str | None, texts: Sequence[str | None]) -> tuple[str | None, ...]:
    """The texts, with None in place of those that stand for a missing one."""
    return tuple(None if text == missing_text else text for text in texts)


def documents_of(part: Part) -> tuple[tuple[str | None, ...], tuple[str | None, ...]]:
    """Domains and documents from rows of ``domain<TAB>document`` or ``document``; blank fields are None.

    Raises
    ------
    InputError
        If the rows do not all have the same number of fields, one or two.
    """
    rows = [(line or "").split("\t") for line in part.lines]
    width = len(rows[0])
    for number, row in enumerate(rows, start=1):
        if len(row) != width or len(row) > 2:
            raise InputError(
                f"{part.label}, line {number}: has {len(row)} fields, but line 1 has {width}. Write "
                '"domain<TAB>document" or "document" on every line.'
            )
    documents = tuple(row[-1] if row[-1].strip() else None for row in rows)
    domains = tuple(row[0] if width == 2 and row[0].strip() else None for row in rows)
    return domains, documents


def _optional(settings: Mapping[str, Any], key: str, prefix: str) -> Path | None:
    return None if settings.get(key) is None else one_file(settings[key], prefix + key)
