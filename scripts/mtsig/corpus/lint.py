"""What looks wrong with a test set. Nothing here changes the data; every finding says what was seen and what to do."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from mtsig.corpus.checks.characters import Letters, check_characters, check_forms, check_scripts
from mtsig.corpus.checks.column import Column, columns, listed, percent
from mtsig.corpus.checks.copies import check_copies, check_duplicates, check_post_edited, numbered
from mtsig.corpus.checks.generated import check_generated, check_sgml
from mtsig.corpus.checks.lengths import check_blank, check_lengths
from mtsig.corpus.checks.order import check_order
from mtsig.corpus.checks.wording import check_placeholders, check_tokenized
from mtsig.corpus.model import EvaluationSet, Finding

__all__ = ["DESCRIPTIONS", "as_row", "consequence_of", "lint", "summary"]

#: What follows from a finding, in the order of weight, and the codes of each with what they mean, in the order of
#: findings. Scores mean something else than they seem to, so that a verdict may be wrong; the input may not be what was
#: meant; scores do not depend on it.
_BY_CONSEQUENCE: dict[str, dict[str, str]] = {
    "verdict": {
        "post_edited_reference": "a reference equals one system's output far more often than any other's",
        "system_equals_reference": "an output equals a reference on at least half of the longer segments",
        "reference_among_systems": "a system is called as references are",
        "sgml_as_text": "lines of SGML where plain text is due; the format `wmt-sgm` reads it",
        "shifted_lines": "a run of lines fits the reference of a neighbouring line better than its own",
        "shuffled_lines": "lines fit the references of other lines better than their own, in no regular way",
        "wrong_script": "letters are not those that the language is written in",
        "system_equals_source": "an output equals the source on at least a tenth of the longer segments",
        "repeated_hypothesis": "a system gives one and the same output for many different segments",
        "repeated_opening": "many outputs of a system begin alike, where neither sources nor references do",
        "assistant_talk": "outputs speak of the translation, or refuse it, as language models do",
        "prompt_repeated": "outputs repeat the source before what follows",
        "markup": "outputs hold code fences, ** or tags that neither source nor reference has",
        "foreign_segments": "single segments hold hardly a word of the language",
        "length_ratio_system": "an output is much shorter or longer than the reference as a whole",
        "tokenized_text": "spaces before punctuation, or marks of a tokenizer",
        "mixed_unicode_forms": "texts in different Unicode normal forms",
        "missing_hypotheses": "a system has no output at all for some segments",
        "missing_references": "a reference does not cover some segments",
        "blank_hypotheses": "a system's output is empty or white space on some segments",
        "blank_references": "a reference is empty or white space on some segments",
        "identical_outputs": "two systems have the same output throughout",
        "canary_line": "a benchmark canary stands among the segments",
        "no_translation_line": "a line says that there is no translation instead of being one",
    },
    "input": {
        "missing_sources": "some segments have no source text",
        "blank_sources": "a source is empty or white space on some segments",
        "other_language": "a file names other languages than the configured language pair",
        "nearly_identical_outputs": "two systems have the same output on at least 90% of the segments",
        "length_ratio_segments": "single segments are much shorter or longer than the reference suggests",
        "escaped_text": "characters are written as escapes, such as &quot;",
        "replacement_characters": "U+FFFD, which stands where a text could not be decoded",
        "byte_order_mark": "a byte-order mark, dropped at the start of a file and kept elsewhere",
        "unusual_separators": "characters inside a segment at which other tools split lines",
        "control_characters": "control characters inside a segment",
        "documents_missing": "segments without a document where others have one",
        "documents_split": "a document whose segments do not follow each other",
        "duplicated_segments": "a source that occurs more than once",
        "consecutive_segments": "the segments are a run of neighbours of a larger test set",
        "names_differ_in_case": "two systems whose names differ in upper and lower case only",
        "entries_left_out": "entries that not all reports have",
        "exact_match_flags": "the flags of exact match in a report are not what comparing its texts gives",
        "repeated_ids": "ids that occur more than once in a report",
        "failed_entries": "entries of a report that carry an error",
        "segments_left_out": "segments that the settings `only` and `without` leave out",
        "references_unused": "references that are there and that nothing is scored against",
        "testsuite_documents": "documents of test suites, which are kept apart",
    },
    "cosmetic": {
        "tabs_inside": "tab characters inside a segment",
        "line_breaks_inside": "line breaks inside a segment, from a format that allows them",
        "windows_line_ends": "lines ended in carriage return and line feed; the carriage returns were dropped",
    },
}
#: Code to what it means. Findings come in this order.
DESCRIPTIONS: dict[str, str] = {code: text for codes in _BY_CONSEQUENCE.values() for code, text in codes.items()}
_LEVELS = ("warning", "info")


def lint(evaluation: EvaluationSet) -> tuple[Finding, ...]:
    """Look for faults in a test set.

    Parameters
    ----------
    evaluation
        The test set; what its reader noticed is part of the result.

    Returns
    -------
    tuple of Finding
        Warnings first, then by consequence, and further by the order of `DESCRIPTIONS`, system and segment.

    Examples
    --------
    >>> texts = ("One line.", "", "A third.")
    >>> evaluation = EvaluationSet(
    ...     "demo", "en-de", ("1", "2", "3"), (None,) * 3, (None,) * 3, ("Eins.", "Zwei.", "Drei."), {}, {"A": texts}
    ... )
    >>> [(finding.code, finding.system, finding.segment) for finding in lint(evaluation)]
    [('blank_hypotheses', 'A', 1)]
    """
    found = list(evaluation.findings)
    sides = columns(evaluation)
    letters = [Letters(column) for column in sides]
    for column, each in zip(sides, letters, strict=True):
        found += check_characters(column, each)
        found += check_blank(column)
    found += check_forms(sides)
    found += check_scripts(sides, letters, evaluation.langpair)
    numbers = numbered(sides)
    found += check_copies(sides, numbers)
    found += check_post_edited(sides, numbers)
    found += check_duplicates(sides, numbers)
    found += check_lengths(sides)
    found += check_order(sides)
    found += check_tokenized(sides)
    found += check_generated(sides)
    found += check_sgml(sides)
    found += check_placeholders(sides, evaluation.segment_ids)
    found += _check_names(sides)
    found += _check_documents(evaluation)
    order = list(DESCRIPTIONS)
    return tuple(
        sorted(
            dict.fromkeys(found),
            key=lambda each: (
                _LEVELS.index(each.level),
                order.index(each.code),
                each.system or "",
                -1 if each.segment is None else each.segment,
                each.message,
            ),
        )
    )


def consequence_of(code: str) -> str:
    """What follows from findings of that code: ``verdict``, ``input`` or ``cosmetic``.

    Examples
    --------
    >>> consequence_of("shifted_lines"), consequence_of("tabs_inside")
    ('verdict', 'cosmetic')
    """
    return next((name for name, codes in _BY_CONSEQUENCE.items() if code in codes), "input")


def as_row(finding: Finding) -> dict[str, Any]:
    """A finding as ``lint.json`` and ``mtsig lint --json`` have it."""
    return {**asdict(finding), "consequence": consequence_of(finding.code)}


def summary(findings: Sequence[Finding], most: int) -> list[str]:
    """The warnings among findings for a log, one line for each code, at most so many.

    Examples
    --------
    >>> rows = [Finding("warning", "markup", f"system {name}: holds markup.", name) for name in "ABC"]
    >>> summary(rows, 5)
    ['system A: holds markup. (The same kind: B, C.)']
    """
    kinds: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.level == "warning":
            kinds.setdefault(finding.code, []).append(finding)
    lines = []
    for first, *others in list(kinds.values())[:most]:
        names = list(dict.fromkeys(other.system for other in others if other.system and other.system != first.system))
        shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        lines.append(f"{first.message} (The same kind: {shown}.)" if names else first.message)
    return lines


# How references are called: ref, refA, ref.de, reference-2, gold.
_REFERENCE_NAME = re.compile(r"(?:ref|reference|gold|human)(?:[-_.]?[a-z0-9]{1,2})?", re.IGNORECASE)


def _check_names(sides: Sequence[Column]) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    references = {column.name for column in sides if column.role == "reference"}
    for column in sides:
        if column.role == "system":
            if _REFERENCE_NAME.fullmatch(column.name) and column.name not in references:
                message = (
                    "is called as references are, and is compared as a system. If the files were given in another "
                    "order, name the reference first; if people wrote it, read its rank as theirs."
                )
                yield column.finding("warning", "reference_among_systems", message)
            other = seen.setdefault(column.name.casefold(), column.name)
            if other != column.name:
                message = f"the name differs from {other!r} in case only; make sure that these are two systems."
                yield column.finding("info", "names_differ_in_case", message)


def _check_documents(evaluation: EvaluationSet) -> Iterator[Finding]:
    keys = list(zip(evaluation.domains, evaluation.documents, strict=True))
    missing = [row for row, (_, document) in enumerate(keys) if document is None]
    if missing and len(missing) < len(keys):
        message = f"{percent(len(missing), len(keys))} segments have no document, {listed(missing)}. Complete the file."
        yield Finding("warning", "documents_missing", message, None, missing[0])
    starts = [row for row, key in enumerate(keys) if key[1] is not None and (row == 0 or keys[row - 1] != key)]
    counts = Counter(keys[row] for row in starts)
    split = sorted(document for (_, document), count in counts.items() if count > 1 and document is not None)
    if split:
        first = [row for row in starts if keys[row][1] == split[0]][1]
        message = (
            f"{percent(len(split), len(counts))} documents do not stand together, such as {split[0]!r} (again on line "
            f"{first + 1}). All their segments count as one document."
        )
        yield Finding("info", "documents_split", message, None, first)
