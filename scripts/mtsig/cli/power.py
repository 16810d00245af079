"""``mtsig power``: how large must the test set be?"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from mtsig.cli import options
from mtsig.cli.texts import TESTSET, UNKNOWN_LANGPAIR

__all__ = ["power"]


def power(
    reference: options.Reference,
    system_a: Annotated[
        str, typer.Argument(help="Output of one system; a system goes by its file's name, or NAME=FILE.")
    ],
    system_b: Annotated[str, typer.Argument(help="Output of the other.")],
    metric: options.Metrics = None,
    references: options.References = None,
    langpair: options.Langpair = UNKNOWN_LANGPAIR,
    documents: options.Documents = None,
    size: Annotated[
        list[int] | None,
        typer.Option("--size", min=1, help="Segments of a test set to come; repeatable. That of the files is added."),
    ] = None,
    difference: Annotated[
        float | None,
        typer.Option(
            "--difference", help="True difference to plan for, in the metric's unit; default a hundredth of its scale."
        ),
    ] = None,
    target_power: Annotated[
        float, typer.Option("--target-power", help="Probability with which a difference is to be found.")
    ] = 0.8,
    n_simulations: Annotated[int, typer.Option("--n-simulations", min=10, help="Simulated test sets per size.")] = 200,
    n_resamples: options.NResamples = 1000,
    alpha: options.Alpha = 0.05,
    confidence_level: options.ConfidenceLevel = 0.95,
    seed: options.Seed = 12345,
    resample_unit: options.ResampleUnit = "segment",
    json: options.Json = False,
) -> None:
    """Say which differences a test set can detect, and how many segments a difference needs.

    Test sets of every size are drawn from the one at hand and put through the test of `mtsig compare`.
    """
    from mtsig.cli.evaluation import load, threads
    from mtsig.cli.output import print_json, print_table, say
    from mtsig.cli.texts import files_on_disk, metrics, text_settings
    from mtsig.metrics import create_metric
    from mtsig.metrics.base import reference_count
    from mtsig.report import format as fmt
    from mtsig.steps.gaps import refuse_missing
    from mtsig.steps.power import power_tables
    from mtsig.steps.studied import studied_of

    study = {
        "systems": None,
        "pairs": None,
        "sizes": size or [100, 300, 600, 1000, 3000],
        "difference": difference,
        "target_power": target_power,
        "n_simulations": n_simulations,
        "n_resamples": n_resamples,
        "alpha": alpha,
        "confidence_level": confidence_level,
        "seed": seed,
        "resample_unit": resample_unit,
    }
    with files_on_disk([reference, system_a, system_b]) as (first, *others):
        settings = text_settings(first, others, langpair=langpair, documents=documents, references=references)
        chosen = metrics(metric, langpair)
        evaluation = load(settings, chosen)
    rows: list[dict[str, Any]] = []
    for name, its in chosen.items():
        scorer = create_metric(name, its, evaluation.langpair)
        statistics = scorer.statistics(evaluation, threads=threads())
        refuse_missing(evaluation, name, statistics)
        studied = studied_of(
            statistics,
            scorer,
            documents=evaluation.documents,
            domains=evaluation.domains,
            settings=study,
            keys={"study": "power", "testset": TESTSET, "langpair": evaluation.langpair, "metric": name},
            signature=scorer.signature(reference_count(evaluation)),
        )
        rows += power_tables(studied, threads=threads())["planning"].to_pylist()
    if json:
        print_json("power", planning=rows)
        return
    for number, name in enumerate(dict.fromkeys(row["metric"] for row in rows)):
        own = [row for row in rows if row["metric"] == name]
        if number:
            say()
        say(next(row["sentence"] for row in own if row["size"] == evaluation.n_segments))
        say()
        print_table(
            [("Segments", "right"), ("Detectable difference", "right"), ("", "left")],
            (
                (
                    fmt.count(row["size"]),
                    fmt.significant(row["detectable_difference"], 2),
                    "more than there are here" if row["extrapolated"] else "",
                )
                for row in own
            ),
            title=f"{name}, {100 * target_power:g}% power at α={alpha:g}",
        )
