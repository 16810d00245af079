"""The format ``arena``: reports of mt-eval-harness, one per system, compared on the entries they share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mtsig.corpus.assembly import assemble, nothing
from mtsig.corpus.files import named_files, some_kept
from mtsig.corpus.model import EvaluationSet, Finding
from mtsig.corpus.reports import Report, common_ids, flags_unlike_texts, read_report
from mtsig.errors import InputError

__all__ = ["check_agreement", "evaluation_set", "read"]

#: The fields of an entry that must agree between reports.
_SHARED = ("expected", "source")


def read(testset: str, settings: Mapping[str, Any]) -> EvaluationSet:
    """Read a test set from reports.

    Parameters
    ----------
    testset
        Its name.
    settings
        ``langpair``, ``reports`` (files; the name of a system is its file's stem unless a map gives another),
        ``exclude``.

    Raises
    ------
    ConfigError
        If a file is missing or two would go by the same name.
    InputError
        If a file is no report, or the reports share no entries or disagree on a reference.
    """
    prefix = f"testsets.{testset}."
    files = named_files(settings["reports"], f"{prefix}reports")
    reports = {name: read_report(files[name]) for name in some_kept(files, settings, prefix)}
    return evaluation_set(testset, settings, reports)


def evaluation_set(testset: str, settings: Mapping[str, Any], reports: Mapping[str, Report]) -> EvaluationSet:
    """Put reports together on the entries that all of them have.

    The hypothesis of an entry with an ``error`` is missing: the system gave none.

    Parameters
    ----------
    testset, settings
        As for `read`; only ``langpair`` and ``exclude`` are used.
    reports
        System name to report.
    """
    names = sorted(reports)
    ids = common_ids([reports[name] for name in names])
    check_agreement([reports[name] for name in names], ids)
    first = reports[names[0]].entries
    shared = {field: [first[entry_id].get(field) for entry_id in ids] for field in _SHARED}
    hypotheses = {}
    for name in names:
        entries = reports[name].entries
        hypotheses[name] = [
            None if entries[entry_id].get("error") else entries[entry_id].get("predicted") for entry_id in ids
        ]
    return assemble(
        testset,
        settings,
        segment_ids=ids,
        documents=nothing(len(ids)),
        domains=nothing(len(ids)),
        sources=shared["source"],
        references={"expected": shared["expected"]},
        systems=hypotheses,
        findings=_findings({name: reports[name] for name in names}, ids),
    )


def check_agreement(reports: Sequence[Report], ids: Sequence[str]) -> None:
    """Refuse reports that give an entry another reference or source.

    Raises
    ------
    InputError
        Naming the first such entry.
    """
    first, *others = reports
    for other in others:
        for entry_id in ids:
            for field in _SHARED:
                if other.entries[entry_id].get(field) != first.entries[entry_id].get(field):
                    raise InputError(
                        f"{other.path}: entry {entry_id!r} has another `{field}` than in {first.path}; the reports "
                        "are not on the same test set."
                    )


def _findings(reports: Mapping[str, Report], ids: list[str]) -> list[Finding]:
    found = []
    if any(len(report.entries) > len(ids) for report in reports.values()):
        counts = ", ".join(f"{len(report.entries) - len(ids)} from {name}" for name, report in reports.items())
        message = f"Compared on {len(ids)} common entries; left out: {counts}."
        found.append(Finding("warning", "entries_left_out", message))
    for name, report in reports.items():
        if report.repeated:
            message = (
                f"{report.path}: {len(report.repeated)} ids occur more than once, first {report.repeated[0]!r}; "
                "repetitions are paired in their order. Make ids unique."
            )
            found.append(Finding("warning", "repeated_ids", message, name))
        unlike = flags_unlike_texts(report.entries[entry_id] for entry_id in ids)
        if unlike:
            message = (
                f"{report.path}: on {unlike} of {len(ids)} entries the flag `exact_match` differs from comparing the "
                "texts, which the metric exact_match does. For the flag use the metric `{kind: precomputed, scores: "
                "[REPORT.json, ...], score: exact_match, higher_is_better: true}`."
            )
            found.append(Finding("info", "exact_match_flags", message, name))
        if failed := [entry_id for entry_id in report.errors() if entry_id in set(ids)]:
            message = (
                f"{report.path}: {len(failed)} of {len(ids)} entries carry an error, first {failed[0]!r}; their "
                "hypotheses count as missing."
            )
            found.append(Finding("warning", "failed_entries", message, name, ids.index(failed[0])))
    return found
