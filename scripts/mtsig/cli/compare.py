"""``mtsig compare``: which of these systems is better, and how sure is that."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mtsig.cli import options
from mtsig.cli.evaluation import UNKNOWN_LANGPAIR

__all__ = ["compare"]


def compare(
    reference: Annotated[Path, typer.Argument(help="Reference translation, one segment per line.")],
    systems: Annotated[list[Path], typer.Argument(help="Outputs of two or more systems, in the same form.")],
    metric: options.Metrics = None,
    langpair: options.Langpair = UNKNOWN_LANGPAIR,
    source: options.Source = None,
    documents: options.Documents = None,
    n_resamples: options.NResamples = 1000,
    n_trials: options.NTrials = 10000,
    alpha: options.Alpha = 0.05,
    confidence_level: options.ConfidenceLevel = 0.95,
    seed: options.Seed = 12345,
    resample_unit: options.ResampleUnit = "segment",
    adjust: options.Adjust = "none",
    json: options.Json = False,
) -> None:
    """Compare systems with each other: scores with intervals, and every pair by paired bootstrap and randomization.

    Metrics are BLEU and chrF unless --metric names others.
    """
    from mtsig.cli.evaluation import evaluate, kinds, text_settings
    from mtsig.cli.output import print_results

    settings = text_settings(reference, systems, langpair=langpair, source=source, documents=documents)
    results = evaluate(
        settings,
        kinds(metric),
        seed=seed,
        n_resamples=n_resamples,
        n_trials=n_trials,
        confidence_level=confidence_level,
        alpha=alpha,
        adjust=adjust,
        resample_unit=resample_unit,
    )
    print_results(results, json=json)
