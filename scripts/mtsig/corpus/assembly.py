"""The last step of every reader: names, ids and texts are checked and put together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mtsig.corpus.files import kept
from mtsig.corpus.model import EvaluationSet, Finding, check_names
from mtsig.errors import ConfigError, InputError

__all__ = ["assemble", "line_numbers", "nothing", "without"]

Texts = Sequence[str | None]


def line_numbers(n_segments: int) -> list[str]:
    """The ids of segments that have none of their own: 1-based line numbers."""
    return [str(line) for line in range(1, n_segments + 1)]


def nothing(n_segments: int) -> list[None]:
    """A column of missing values."""
    return [None] * n_segments


def without(missing_text: str | None, texts: Iterable[str | None]) -> list[str | None]:
    """The texts, with None in place of those that stand for a missing one."""
    return [None if text == missing_text else text for text in texts]


def assemble(
    testset: str,
    settings: Mapping[str, Any],
    *,
    segment_ids: Sequence[str],
    documents: Texts,
    domains: Texts,
    sources: Texts,
    references: Mapping[str, Texts],
    systems: Mapping[str, Texts],
    findings: Iterable[Finding] = (),
    columns: Mapping[str, Texts] | None = None,
) -> EvaluationSet:
    """Build an evaluation set from columns of equal length, without the systems that ``exclude`` names.

    Raises
    ------
    ConfigError
        If no system is left.
    InputError
        If names or segment ids cannot be told apart, or a text cannot be written as UTF-8.
    """
    prefix = f"testsets.{testset}"
    check_names(references, f"{prefix}.references")
    check_names(systems, f"{prefix}.systems")
    names = kept(systems, settings)
    if not names:
        raise ConfigError(f"{prefix}: no system is left" + (" once exclude is applied." if systems else "."))
    _check_ids(segment_ids, prefix)
    labels = {"segment id": segment_ids, "document": documents, "domain": domains, "source": sources}
    for name, texts in [*labels.items(), *references.items(), *systems.items()]:
        _check_unicode(name, texts, prefix)
    return EvaluationSet(
        testset=testset,
        langpair=settings["langpair"],
        segment_ids=tuple(segment_ids),
        documents=tuple(documents),
        domains=tuple(domains),
        sources=tuple(sources),
        references={name: tuple(texts) for name, texts in references.items()},
        systems={name: tuple(systems[name]) for name in names},
        findings=tuple(finding for finding in findings if finding.system is None or finding.system in names),
        columns={name: tuple(cells) for name, cells in (columns or {}).items()},
    )


def _check_ids(segment_ids: Sequence[str], prefix: str) -> None:
    seen: dict[str, int] = {}
    for row, name in enumerate(segment_ids, start=1):
        if name in seen:
            raise InputError(
                f"{prefix}: the segment id {name!r} occurs twice (rows {seen[name]} and {row}); make ids unique."
            )
        seen[name] = row


def _check_unicode(name: str, texts: Texts, prefix: str) -> None:
    # JSON can spell half a surrogate pair, which no other file can hold.
    for row, text in enumerate(texts, start=1):
        if text is not None and not text.isascii():
            try:
                text.encode("utf-8")
            except UnicodeEncodeError as error:
                raise InputError(
                    f"{prefix}: {name}, segment {row}: character {error.start + 1} is half a surrogate pair, which is "
                    "no text. Repair the file."
                ) from None
