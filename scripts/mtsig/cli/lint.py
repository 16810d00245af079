"""``mtsig lint``: what looks wrong with a test set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from mtsig.cli import options
from mtsig.cli.texts import TESTSET, UNKNOWN_LANGPAIR

__all__ = ["lint"]

#: Exit status of ``--strict`` where there are warnings.
WARNED = 3


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def lint(
    context: typer.Context,
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="REFERENCE SYSTEM... | REPORT.json...",
            help="A reference and the outputs of systems, one segment per line; or reports of mt-eval-harness.",
            show_default=False,
        ),
    ],
    source: options.Source = None,
    documents: options.Documents = None,
    references: options.References = None,
    langpair: options.Langpair = UNKNOWN_LANGPAIR,
    strict: Annotated[bool, typer.Option("--strict", help="Leave with status 3 if there is a warning.")] = False,
    json: options.Json = False,
) -> None:
    """Look for faults in texts: shifted lines, byte-order marks, empty or copied outputs, wrong scripts and more.

    Nothing is changed. Files with different numbers of lines are an error.
    """
    from mtsig.cli.output import print_json, say
    from mtsig.cli.reports import are_reports
    from mtsig.cli.texts import files_on_disk, text_settings
    from mtsig.corpus.lint import as_row
    from mtsig.corpus.lint import lint as find_faults
    from mtsig.corpus.reading import read
    from mtsig.errors import ConfigError

    if not are_reports(files) and len(files) < 2:
        raise ConfigError(f"{files[0]}: give a reference and at least one output, or reports.")
    with files_on_disk(files) as paths:
        settings: dict[str, Any]
        if are_reports(files):
            options.refuse(context, ("source", "documents", "references"), "does not apply to reports")
            settings = {"format": "arena", "langpair": langpair, "reports": [str(Path(path)) for path in paths]}
        else:
            settings = text_settings(
                paths[0], paths[1:], langpair=langpair, source=source, documents=documents, references=references
            )
        evaluation = read(TESTSET, settings)
    findings = find_faults(evaluation)
    if json:
        print_json("lint", findings=[as_row(finding) for finding in findings])
    else:
        for finding in findings:
            # Checks of a text say whose it is, readers of files name the file.
            told = finding.system is None or finding.message.startswith(f"system {finding.system}:")
            who = "" if told else f"{finding.system}: "
            say(f"{finding.level} [{finding.code}] {who}{finding.message}")
        if not findings:
            systems, segments = _counted(len(evaluation.systems), "system"), _counted(evaluation.n_segments, "segment")
            say(f"Nothing found in {systems} and {segments}.")
    if strict and any(finding.level == "warning" for finding in findings):
        raise typer.Exit(WARNED)
