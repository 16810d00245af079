"""``mtsig compare``: which of these systems is better, and how sure is that."""

from __future__ import annotations

from typing import Annotated

import typer

from mtsig.cli import options
from mtsig.cli.texts import UNKNOWN_LANGPAIR
from mtsig.errors import ConfigError

__all__ = ["compare"]

#: Options that say something about texts, and so nothing about reports.
_OF_TEXTS = (
    "references",
    "langpair",
    "source",
    "documents",
    "max_resamples",
    "n_trials",
    "confidence_level",
    "resample_unit",
    "adjust",
    "koehn",
)
_OF_REPORTS = ("higher_is_better", "lower_is_better")


def compare(
    context: typer.Context,
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="REFERENCE SYSTEM... | REPORT.json...",
            help="A reference and the outputs of systems, one segment per line (a system goes by its file's name, or "
            "NAME=FILE); or reports of mt-eval-harness.",
            show_default=False,
        ),
    ],
    metric: options.Metrics = None,
    references: options.References = None,
    langpair: options.Langpair = UNKNOWN_LANGPAIR,
    source: options.Source = None,
    documents: options.Documents = None,
    n_resamples: options.NResamples = 1000,
    max_resamples: options.MaxResamples = 100_000,
    n_trials: options.NTrials = 10000,
    alpha: options.Alpha = 0.05,
    confidence_level: options.ConfidenceLevel = 0.95,
    seed: options.Seed = 12345,
    resample_unit: options.ResampleUnit = "segment",
    adjust: options.Adjust = "none",
    higher_is_better: options.HigherIsBetter = None,
    lower_is_better: options.LowerIsBetter = None,
    significance: Annotated[
        bool, typer.Option("--significance", hidden=True, help="Always on; for users of mt-eval-harness.")
    ] = True,
    koehn: Annotated[
        bool,
        typer.Option(
            "--koehn", help="Show the shares of resamples in which A and B are better, and Koehn's (2004) verdict."
        ),
    ] = False,
    json: options.Json = False,
) -> None:
    """Compare systems with each other: scores with intervals, and every pair by paired bootstrap and randomization.

    Metrics of texts are BLEU and chrF unless --metric names others; of reports, all that their entries share.
    """
    del significance
    from mtsig.cli.reports import are_reports

    if are_reports(files):
        from mtsig.cli.reports import print_comparison

        options.refuse(context, _OF_TEXTS, "does not apply to reports")
        print_comparison(
            "compare",
            files,
            metrics=metric,
            higher_is_better=higher_is_better,
            lower_is_better=lower_is_better,
            n_bootstrap=n_resamples,
            alpha=alpha,
            seed=seed,
            json=json,
        )
        return
    from mtsig.cli.evaluation import evaluate
    from mtsig.cli.output import print_results
    from mtsig.cli.texts import files_on_disk, metrics, text_settings

    options.refuse(context, _OF_REPORTS, "applies to reports only; metrics of texts know their direction")
    if len(files) < 2:
        raise ConfigError(f"{files[0]}: give a reference and at least one output, or two reports.")
    with files_on_disk(files) as (first, *others):
        settings = text_settings(
            first, others, langpair=langpair, source=source, documents=documents, references=references
        )
        results = evaluate(
            settings,
            metrics(metric, langpair),
            seed=seed,
            n_resamples=n_resamples,
            max_resamples=max_resamples,
            n_trials=n_trials,
            confidence_level=confidence_level,
            alpha=alpha,
            adjust=adjust,
            resample_unit=resample_unit,
        )
    print_results("compare", results, json=json, koehn=koehn)
