"""The format ``text``: one file per system, source and reference, one segment per line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mtsig.corpus.alignment import Part, check_counts
from mtsig.corpus.assembly import assemble, line_numbers, nothing, without
from mtsig.corpus.files import log_short_names, named_files, one_file, system_files
from mtsig.corpus.model import EvaluationSet, Finding
from mtsig.corpus.textfiles import read_text
from mtsig.errors import InputError

__all__ = ["document_rows", "read", "read_files", "read_part"]


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
    files = system_files(settings, prefix)
    log_short_names(settings, files, prefix)
    references = {}
    if settings.get("references") is not None:
        references = named_files(settings["references"], f"{prefix}references")
    return read_files(
        testset,
        settings,
        source=_optional(settings, "source", prefix),
        references=references,
        documents=_optional(settings, "documents", prefix),
        systems=files,
    )


def read_files(
    testset: str,
    settings: Mapping[str, Any],
    *,
    source: Path | None,
    references: Mapping[str, Path],
    documents: Path | None,
    systems: Mapping[str, Path],
) -> EvaluationSet:
    """Read the given files and put them together, once they are known to be aligned."""
    findings: list[Finding] = []
    source_part = read_part(source, findings) if source else None
    reference_parts = {name: read_part(path, findings) for name, path in references.items()}
    document_part = read_part(documents, findings) if documents else None
    system_parts = {name: read_part(path, findings, name) for name, path in systems.items()}
    frame = [each for each in (source_part, *reference_parts.values(), document_part) if each is not None]
    n_segments = check_counts([*frame, *system_parts.values()])

    missing = settings.get("missing_text")
    domains, names = document_rows(document_part) if document_part else (nothing(n_segments), nothing(n_segments))
    return assemble(
        testset,
        settings,
        segment_ids=line_numbers(n_segments),
        documents=names,
        domains=domains,
        sources=source_part.lines if source_part else nothing(n_segments),
        references={name: without(missing, each.lines) for name, each in reference_parts.items()},
        systems={name: without(missing, each.lines) for name, each in system_parts.items()},
        findings=findings,
    )


def read_part(path: Path, findings: list[Finding], system: str | None = None) -> Part:
    """Read the lines of a file, of a system's output where one is named; what was dropped is added to `findings`."""
    text = read_text(path)
    findings += text.findings(system)
    return Part(str(path), text.lines())


def document_rows(part: Part) -> tuple[Sequence[str | None], Sequence[str | None]]:
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
    documents = [row[-1] if row[-1].strip() else None for row in rows]
    domains = [row[0] if width == 2 and row[0].strip() else None for row in rows]
    return domains, documents


def _optional(settings: Mapping[str, Any], key: str, prefix: str) -> Path | None:
    return None if settings.get(key) is None else one_file(settings[key], prefix + key)
