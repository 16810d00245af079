"""Options that several commands share: one name, one default and one line of help for each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from mtsig.errors import ConfigError

__all__ = [
    "Adjust",
    "Alpha",
    "ConfidenceLevel",
    "Documents",
    "HigherIsBetter",
    "Json",
    "Langpair",
    "LowerIsBetter",
    "MaxResamples",
    "Metrics",
    "NBootstrap",
    "NResamples",
    "NTrials",
    "Reference",
    "References",
    "ReportMetrics",
    "ResampleUnit",
    "Seed",
    "Source",
    "Systems",
    "refuse",
]

Reference = Annotated[str, typer.Argument(help="Reference translation, one segment per line; - for standard input.")]
Systems = Annotated[
    list[str],
    typer.Argument(help="Outputs of systems, in the same form. A system goes by its file's name, or NAME=FILE."),
]
References = Annotated[
    list[Path] | None, typer.Option("--reference", "-r", help="A further reference of the same segments; repeatable.")
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "-m",
        help="bleu, chrf, chrf++, ter, nist, wer, cer, gtm, exact_match or length_ratio, with options as in "
        "bleu:tokenize=intl; repeatable.",
    ),
]
Seed = Annotated[
    int, typer.Option("--seed", min=0, max=2**63 - 1, help="Seed of every draw; 0 is a seed like any other.")
]
#: Of resamples and trials, as the schema has it.
MOST = 1_000_000_000

NResamples = Annotated[
    int,
    typer.Option(
        "--n-resamples", "--n-bootstrap", min=1, max=MOST, help="Bootstrap resamples; 10000 for final tables."
    ),
]
NBootstrap = Annotated[
    int, typer.Option("--n-bootstrap", "--n-resamples", min=1, max=MOST, help="Bootstrap resamples.")
]
MaxResamples = Annotated[
    int,
    typer.Option(
        "--max-resamples",
        min=0,
        max=10_000_000,
        help="For a pair whose decision lies within Monte Carlo error, as many resamples at most; 0 for never more "
        "than --n-resamples.",
    ),
]
NTrials = Annotated[int, typer.Option("--n-trials", min=1, max=MOST, help="Trials of approximate randomization.")]
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
ReportMetrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "-m",
        help="corpus_chrf, corpus_bleu, exact_match_rate, comet_score, or a number in the entries by its keys, joined "
        "by dots; repeatable. Default: all that both runs have.",
    ),
]
HigherIsBetter = Annotated[
    list[str] | None,
    typer.Option("--higher-is-better", help="A plugin's metric of which more is better; repeatable.", metavar="METRIC"),
]
LowerIsBetter = Annotated[
    list[str] | None,
    typer.Option("--lower-is-better", help="A plugin's metric of which less is better; repeatable.", metavar="METRIC"),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


def refuse(context: typer.Context, names: Sequence[str], why: str) -> None:
    """Refuse options that were given and would be ignored.

    Raises
    ------
    ConfigError
        Naming the first of them.
    """
    for name in names:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            flag = "reference" if name == "references" else name.replace("_", "-")
            raise ConfigError(f"--{flag}: {why}. Leave it out.")
