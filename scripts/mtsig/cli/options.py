"""Options that several commands share: one name, one default and one line of help for each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "Adjust",
    "Alpha",
    "ConfidenceLevel",
    "Documents",
    "Json",
    "Langpair",
    "Metrics",
    "NResamples",
    "NTrials",
    "ResampleUnit",
    "Seed",
    "Source",
]

Metrics = Annotated[
    list[str] | None,
    typer.Option("--metric", "-m", help="bleu, chrf, chrf++, ter, exact_match, length_ratio, gtm; repeatable."),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of every draw; 0 is a seed like any other.")]
NResamples = Annotated[
    int, typer.Option("--n-resamples", "--n-bootstrap", min=1, help="Bootstrap resamples; 10000 for final tables.")
]
NTrials = Annotated[int, typer.Option("--n-trials", min=1, help="Trials of approximate randomization.")]
Alpha = Annotated[float, typer.Option("--alpha", help="Significance level, between 0 and 1.")]
ConfidenceLevel = Annotated[float, typer.Option("--confidence-level", help="Level of the intervals.")]
Adjust = Annotated[str, typer.Option("--adjust", help="Adjust p-values for the number of pairs: none, holm, bh.")]
ResampleUnit = Annotated[str, typer.Option("--resample-unit", help="What is drawn as a whole: segment or document.")]
Langpair = Annotated[
    str, typer.Option("--langpair", "-l", help="Language pair, as en-zh; BLEU's tokenizer follows the target.")
]
Source = Annotated[Path | None, typer.Option("--source", help="File with the source texts.")]
Documents = Annotated[
    Path | None, typer.Option("--documents", help='One row per segment: "domain<TAB>document" or "document".')
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
