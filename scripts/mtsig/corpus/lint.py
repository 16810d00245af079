"""What looks wrong with a test set. Nothing here changes the data; every finding says what was seen and what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from mtsig.corpus.checks.characters import Letters, check_characters, check_forms, check_scripts
from mtsig.corpus.checks.column import Column, columns, listed, percent
from mtsig.corpus.checks.copies import check_copies, check_duplicates, check_post_edited, numbered
from mtsig.corpus.checks.lengths import check_blank, check_lengths
from mtsig.corpus.checks.order import check_order
from mtsig.corpus.checks.wording import check_placeholders, check_tokenized
from mtsig.corpus.model import EvaluationSet, Finding

__all__ = ["DESCRIPTIONS", "lint"]

#: Code to what it means. Findings come in this order.
DESCRIPTIONS: dict[str, str] = {
    "canary_line": "a benchmark canary stands among the segments",
    "no_translation_line": "a line says that there is no translation instead of being one",
    "missing_hypotheses": "a system has no output at all for some segments",
    "missing_references": "a reference does not cover some segments",
    "missing_sources": "some segments have no source text",
    "blank_hypotheses": "a system's output is empty or white space on some segments",
    "blank_references": "a reference is empty or white space on some segments",
    "blank_sources": "a source is empty or white space on some segments",
    "shifted_lines": "a run of lines fits the reference of a neighbouring line better than its own",
    "shuffled_lines": "lines fit the references of other lines better than their own, in no regular way",
    "identical_outputs": "two systems have the same output throughout",
    "nearly_identical_outputs": "two systems have the same output on at least 90% of the segments",
    "system_equals_reference": "an output equals a reference on at least half of the longer segments",
    "system_equals_source": "an output equals the source on at least a tenth of the longer segments",
    "post_edited_reference": "a reference equals one system's output far more often than any other's",
    "repeated_hypothesis": "a system gives one and the same output for many different segments",
    "wrong_script": "letters are not those that the language is written in",
    "other_language": "a file names other languages than the configured language pair",
    "length_ratio_system": "an output is much shorter or longer than the reference as a whole",
    "length_ratio_segments": "single segments are much shorter or longer than the reference suggests",
    "tokenized_text": "spaces before punctuation, or marks of a tokenizer",
    "escaped_text": "characters are written as escapes, such as &quot;",
    "byte_order_mark": "a byte-order mark, dropped at the start of a file and kept elsewhere",
    "windows_line_ends": "lines ended in carriage return and line feed; the carriage returns were dropped",
    "unusual_separators": "characters inside a segment at which other tools split lines",
    "control_characters": "control characters inside a segment",
    "replacement_characters": "U+FFFD, which stands where a text could not be decoded",
    "tabs_inside": "tab characters inside a segment",
    "line_breaks_inside": "line breaks inside a segment, from a format that allows them",
    "mixed_unicode_forms": "texts in different Unicode normal forms",
    "names_differ_in_case": "two systems whose names differ in upper and lower case only",
    "duplicated_segments": "a source that occurs more than once",
    "documents_missing": "segments without a document where others have one",
    "documents_split": "a document whose segments do not follow each other",
    "references_unused": "references that are there and that nothing is scored against",
    "testsuite_documents": "documents of test suites, which are kept apart",
    "segments_left_out": "segments that the settings `only` and `without` leave out",
    "consecutive_segments": "the segments are a run of neighbours of a larger test set",
    "entries_left_out": "entries that not all reports have",
    "repeated_ids": "ids that occur more than once in a report",
    "exact_match_flags": "the flags of exact match in a report are not what comparing its texts gives",
    "failed_entries": "entries of a report that carry an error",
}
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
        Warnings first, then by the order of `DESCRIPTIONS`, system and segment.

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


def _check_names(sides: Sequence[Column]) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    for column in sides:
        if column.role == "system":
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
