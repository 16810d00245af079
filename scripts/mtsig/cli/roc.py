"""``mtsig roc``: how well does quality estimation find the segments with an error?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from mtsig.cli import options
from mtsig.cli.texts import STDIN, TESTSET, UNKNOWN_LANGPAIR, named, require_file
from mtsig.errors import ConfigError, InputError

__all__ = ["roc"]

_SEG_SCORE = ".seg.score"


def roc(
    gold: Annotated[
        str,
        typer.Argument(
            help="Human scores of the segments: one number per line, or a .seg.score file of mt-metrics-eval."
        ),
    ],
    qe: Annotated[list[str], typer.Argument(help="Scores of QE systems, in one of these forms; NAME=FILE names one.")],
    system: Annotated[
        str | None, typer.Option("--system", help="The MT system, for files with the scores of several.")
    ] = None,
    cutoff: Annotated[
        list[str] | None,
        typer.Option("--cutoff", help='Human scores that mean an error, as "<0" (default) or "<=-5"; repeatable.'),
    ] = None,
    positive: Annotated[
        str | None,
        typer.Option(
            "--positive",
            help='Label of segments with an error, where the first file has labels: "error".',
            metavar="LABEL",
        ),
    ] = None,
    lower_is_better: Annotated[
        list[str] | None,
        typer.Option(
            "--lower-is-better", help="A QE system whose high scores announce errors; repeatable.", metavar="QE"
        ),
    ] = None,
    review_budget: Annotated[
        list[float] | None,
        typer.Option("--review-budget", min=0, max=100, help="Percentage of segments to review; repeatable."),
    ] = None,
    risk_target: Annotated[
        list[float] | None,
        typer.Option("--risk-target", min=0, max=100, help="Errors tolerated in 100 segments; repeatable."),
    ] = None,
    cost: Annotated[
        list[str] | None,
        typer.Option(
            "--cost",
            help="Cost of a missed error to that of a false alarm: 10:1 where a miss costs ten alarms; repeatable.",
            metavar="MISS:ALARM",
        ),
    ] = None,
    class_ratio: Annotated[
        list[str] | None,
        typer.Option(
            "--class-ratio",
            help="Segments with and without an error where QE will be used, for --cost: 1:5, or sample; repeatable.",
            metavar="WITH:WITHOUT",
        ),
    ] = None,
    keep_share: Annotated[
        list[float] | None,
        typer.Option(
            "--keep-share", min=0, max=100, help="Percentage of segments to keep when data are cleaned; repeatable."
        ),
    ] = None,
    reviewer_miss: Annotated[
        list[float] | None,
        typer.Option("--reviewer-miss", help="Share of the errors that reviewers overlook, 0 to 1; repeatable."),
    ] = None,
    partial_fpr: Annotated[
        float, typer.Option("--partial-fpr", help="False positive rate up to which, and from the end, areas are taken.")
    ] = 0.2,
    documents: options.Documents = None,
    domains: Annotated[bool, typer.Option("--domains", help="Analyse each domain of --documents, too.")] = False,
    resample_unit: options.ResampleUnit = "segment",
    n_resamples: options.NResamples = 1000,
    confidence_level: options.ConfidenceLevel = 0.95,
    seed: options.Seed = 12345,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Figure of the curves: .svg, .png or .pdf.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Analyse quality estimation as a search for errors: areas under the ROC curve, and what to review.

    Segments without a human score are left out.
    """
    from mtsig.cli.output import check_figure, print_json, print_report_table, save_figure, say
    from mtsig.kinds import study_kind
    from mtsig.report import roc as report
    from mtsig.report.studies import tables_for_reading
    from mtsig.steps.judged import read_given_scores
    from mtsig.steps.roc import roc_tables

    check_figure(output)
    percentages = {"--review-budget": review_budget, "--risk-target": risk_target, "--keep-share": keep_share}
    _refuse(
        percentages,
        reviewer_miss or [],
        partial_fpr,
        resample_unit,
        has_documents=documents is not None,
        domains=domains,
    )
    files = _named([gold, *qe])
    first, *names = files
    unknown = sorted(set(lower_is_better or ()) - set(names))
    if unknown:
        raise ConfigError(f"--lower-is-better: there is no QE system {unknown[0]!r}. There are {', '.join(names)}.")
    chosen = system or _only_system(files[first])
    directions = {name: name not in (lower_is_better or ()) for name in files}
    study: dict[str, Any] = {
        "gold": first,
        "qe": names,
        "cutoffs": cutoff or ["<0"],
        "systems": None,
        "domains": domains,
        "review_budgets": review_budget or [10, 20, 30, 50],
        "risk_targets": risk_target or [30, 20, 10],
        "costs": cost or ["1:1", "10:1"],
        "class_ratios": class_ratio or ["sample"],
        "keep_shares": keep_share or [],
        "reviewer_miss": reviewer_miss or [0],
        "partial_fpr": partial_fpr,
        "seed": seed,
        "n_resamples": n_resamples,
        "confidence_level": confidence_level,
        "resample_unit": resample_unit,
    }
    judged = read_given_scores(
        {
            name: {
                "kind": "precomputed",
                "scores": {chosen: str(path)},
                "higher_is_better": directions[name],
                **({"positive": positive} if positive is not None and name == first else {}),
            }
            for name, path in files.items()
        },
        system=chosen,
        n_segments=_n_segments(files[first], chosen),
        documents=documents,
    )
    keys = {"study": "roc", "testset": TESTSET, "langpair": UNKNOWN_LANGPAIR}
    found = roc_tables(judged, study, directions=directions, keys=keys, missing="error")
    tables = {name: table.to_pylist() for name, table in found.items()}
    if output is not None:
        save_figure(report.curves_figure(tables["curve"], tables["bands"], tables["auc"], qe=names), output)
    if json:
        print_json("roc", **{table.name: tables[table.name] for table in study_kind("roc").read})
        return
    shown = [
        table
        for part in study_kind("roc").read
        if tables[part.name]
        for table in tables_for_reading("roc", part.name, tables[part.name], study)
    ]
    for table in shown:
        print_report_table(table)
        say()


def _refuse(
    percentages: Mapping[str, list[float] | None],
    reviewer_miss: list[float],
    partial_fpr: float,
    resample_unit: str,
    *,
    has_documents: bool,
    domains: bool,
) -> None:
    """Refuse values that mean nothing, as the schema of the study does.

    Raises
    ------
    ConfigError
        Naming the option.
    """
    for share in reviewer_miss:
        if not 0 <= share <= 1:
            raise ConfigError(f"--reviewer-miss: {share} is no share; it must be between 0 and 1.")
    for option, shares in percentages.items():
        for share in shares or ():
            if not 0 <= share <= 100:
                raise ConfigError(f"{option}: {share} is no percentage; it must be between 0 and 100.")
    if not 0 < partial_fpr <= 1:
        raise ConfigError(f"--partial-fpr: {partial_fpr} must be above 0 and at most 1.")
    if resample_unit not in ("segment", "document"):
        raise ConfigError(f"--resample-unit: {resample_unit!r} is neither segment nor document.")
    if (domains or resample_unit == "document") and not has_documents:
        raise ConfigError("--documents: is missing; --domains and --resample-unit document need it.")


def _named(arguments: list[str]) -> dict[str, Path]:
    """Name to file, human scores first."""
    from mtsig.corpus.files import file_stem

    found: dict[str, Path] = {}
    for argument in arguments:
        name, path = named(argument)
        if path == STDIN:
            raise InputError("-: scores cannot come from the standard input; give a file.")
        require_file(path)
        file = Path(path)
        name = name or (file.name[: -len(_SEG_SCORE)] if file.name.endswith(_SEG_SCORE) else file_stem(file))
        if name in found:
            raise ConfigError(f"{found[name]} and {file} would both be called {name!r}. Write NAME={file}.")
        found[name] = file
    return found


def _only_system(path: Path) -> str:
    """The one system of a file of scores."""
    from mtsig.corpus.textfiles import read_lines

    if not path.name.endswith(_SEG_SCORE):
        return "system"
    systems = list(dict.fromkeys(line.partition("\t")[0] for line in read_lines(path)))
    if len(systems) != 1:
        raise ConfigError(f"--system: {path} has scores of {', '.join(systems) or 'no system'}. Name one.")
    return systems[0]


def _n_segments(path: Path, system: str) -> int:
    """How many segments the human scores are of."""
    from mtsig.corpus.textfiles import read_lines

    lines = read_lines(path)
    if path.name.endswith(_SEG_SCORE):
        there = dict.fromkeys(line.partition("\t")[0] for line in lines)
        lines = [line for line in lines if line.partition("\t")[0] == system]
        if not lines:
            raise ConfigError(f"--system: {path} has no scores of {system!r}. It has {', '.join(there)}.")
    if not lines:
        raise InputError(f"{path}: has no scores.")
    return len(lines)
