"""``mtsig score`` and ``mtsig ci``: corpus scores with signatures, scores of segments, confidence intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mtsig.cli import options
from mtsig.cli.texts import TESTSET, UNKNOWN_LANGPAIR
from mtsig.errors import ConfigError

if TYPE_CHECKING:
    from mtsig.corpus.model import EvaluationSet
    from mtsig.metrics.base import FloatArray, Metric

    Scorers = Mapping[str, Metric]
    #: Of each metric and system, (n_segments, n_statistics).
    Statistics = Mapping[str, Mapping[str, FloatArray]]

__all__ = ["ci", "score"]

#: Columns of the systems table that only make sense beside other systems.
_RANKS = ("rank", "rank_low", "rank_high", "cluster")


def score(
    reference: options.Reference,
    systems: options.Systems,
    metric: options.Metrics = None,
    references: options.References = None,
    langpair: options.Langpair = UNKNOWN_LANGPAIR,
    source: options.Source = None,
    documents: options.Documents = None,
    segments: Annotated[
        bool, typer.Option("--segments", help="Scores of single segments, as tab-separated rows (or JSON).")
    ] = False,
    by_document: Annotated[
        bool,
        typer.Option("--by-document", help="Scores of documents, those of --documents or of SGML, as rows (or JSON)."),
    ] = False,
    json: options.Json = False,
) -> None:
    """Score systems: corpus scores and signatures, the same as sacreBLEU's.

    Metrics are BLEU and chrF unless --metric names others. --documents implies --by-document; with --segments rows of
    segments name their document.
    """
    import numpy as np

    from mtsig.cli.evaluation import load
    from mtsig.cli.output import print_json, print_table, say, warn
    from mtsig.cli.texts import files_on_disk, metrics, text_settings
    from mtsig.contracts import FLAGS
    from mtsig.metrics import create_metric
    from mtsig.metrics.base import reference_count
    from mtsig.metrics.cautions import cautions_of
    from mtsig.report import format as fmt

    with files_on_disk([reference, *systems]) as (first, *others):
        settings = text_settings(
            first, others, langpair=langpair, source=source, documents=documents, references=references
        )
        chosen = metrics(metric, langpair)
        evaluation = load(settings, chosen)
    scorers = {name: create_metric(name, its, langpair) for name, its in chosen.items()}
    statistics = {name: scorer.statistics(evaluation) for name, scorer in scorers.items()}
    for name, scorer in scorers.items():
        flags = frozenset().union(*cautions_of(scorer, evaluation, statistics[name]).systems.values())
        warn(f"{name}: {FLAGS[flag]}." for flag in sorted(flags))
    if segments:
        _print_segments(evaluation, scorers, statistics, json=json)
        return
    if by_document or documents is not None:
        if all(document is None for document in evaluation.documents):
            raise ConfigError(
                "--by-document: the texts have no documents. Name the file that has them with --documents."
            )
        _print_documents(evaluation, scorers, statistics, json=json)
        return
    signatures = {name: scorer.signature(reference_count(evaluation)) for name, scorer in scorers.items()}
    rows: list[dict[str, Any]] = [
        {
            "metric": name,
            "system": system,
            "score": _number(scorers[name].corpus_score(values)),
            "n_segments": int((~np.isnan(values).any(axis=1)).sum()),
            "higher_is_better": scorers[name].higher_is_better,
            "signature": signatures[name],
        }
        for name in scorers
        for system, values in sorted(statistics[name].items())
    ]
    warn(
        f"{row['metric']}: {row['system']} has a score on {row['n_segments']} of {evaluation.n_segments} segments only."
        for row in rows
        if row["n_segments"] < evaluation.n_segments
    )
    if json:
        print_json("score", scores=rows)
        return
    found = {(row["system"], row["metric"]): row["score"] for row in rows}
    print_table(
        [("System", "left"), *((name, "right") for name in scorers)],
        (
            (
                system,
                *(fmt.number(found[system, name], 2 if scorer.scale == 100 else 4) for name, scorer in scorers.items()),
            )
            for system in sorted(evaluation.systems)
        ),
    )
    say()
    for name, signature in signatures.items():
        say(f"{name}: {signature}")


def _print_segments(evaluation: EvaluationSet, scorers: Scorers, statistics: Statistics, *, json: bool) -> None:
    """One row per system and segment, one column per metric; with documents where there are any."""
    systems = sorted(evaluation.systems)
    columns = {
        (name, system): scorer.segment_scores(statistics[name][system]).tolist()
        for name, scorer in scorers.items()
        for system in systems
    }
    with_documents = any(document is not None for document in evaluation.documents)
    documents = _documents(evaluation) if with_documents else [{}] * evaluation.n_segments
    rows: list[dict[str, Any]] = [
        {
            "system": system,
            **documents[number],
            "segment": number,
            "segment_id": segment_id,
            "scores": {name: _number(columns[name, system][number]) for name in scorers},
        }
        for system in systems
        for number, segment_id in enumerate(evaluation.segment_ids)
    ]
    _print_rows("segments", rows, list(scorers), json=json)


def _print_documents(evaluation: EvaluationSet, scorers: Scorers, statistics: Statistics, *, json: bool) -> None:
    """One row per system and document, in the order of the text, one column per metric."""
    members: dict[tuple[tuple[str, str], ...], list[int]] = {}
    for number, document in enumerate(_documents(evaluation)):
        members.setdefault(tuple(document.items()), []).append(number)
    rows: list[dict[str, Any]] = [
        {
            "system": system,
            **dict(document),
            "n_segments": len(numbers),
            "scores": {
                name: _number(scorer.corpus_score(statistics[name][system][numbers]))
                for name, scorer in scorers.items()
            },
        }
        for system in sorted(evaluation.systems)
        for document, numbers in members.items()
    ]
    _print_rows("documents", rows, list(scorers), json=json)


def _documents(evaluation: EvaluationSet) -> list[dict[str, str]]:
    """The document of every segment, with its domain where the test set has domains."""
    with_domains = any(domain is not None for domain in evaluation.domains)
    return [
        {**({"domain": domain or ""} if with_domains else {}), "document": document or ""}
        for domain, document in zip(evaluation.domains, evaluation.documents, strict=True)
    ]


def _print_rows(what: str, rows: list[dict[str, Any]], metrics: list[str], *, json: bool) -> None:
    """Tab-separated rows with the scores at the end, or JSON."""
    from mtsig.cli.output import print_json, say

    if json:
        print_json("score", **{what: rows})
        return
    keys = [key for key in rows[0] if key not in ("segment", "scores")]
    say("\t".join([*keys, *metrics]))
    for row in rows:
        cells = ("" if value is None else repr(value) for value in row["scores"].values())
        say("\t".join([*(str(row[key]) for key in keys), *cells]))


def ci(
    reference: options.Reference,
    systems: options.Systems,
    metric: options.Metrics = None,
    references: options.References = None,
    langpair: options.Langpair = UNKNOWN_LANGPAIR,
    documents: options.Documents = None,
    n_resamples: options.NResamples = 1000,
    confidence_level: options.ConfidenceLevel = 0.95,
    seed: options.Seed = 12345,
    resample_unit: options.ResampleUnit = "segment",
    json: options.Json = False,
) -> None:
    """Give the score of each system a confidence interval, by bootstrap.

    Intervals that overlap say nothing about a difference; `mtsig compare` tests differences.
    """
    from mtsig.cli.evaluation import load
    from mtsig.cli.output import print_json, print_signature, print_table, say
    from mtsig.cli.texts import files_on_disk, metrics, text_settings
    from mtsig.metrics import create_metric
    from mtsig.metrics.base import reference_count
    from mtsig.report import format as fmt
    from mtsig.report.tables import flag_words
    from mtsig.resampling.analysis import analyse
    from mtsig.resampling.settings import ResamplingSettings

    asked = ResamplingSettings(
        seed=seed, n_resamples=n_resamples, confidence_level=confidence_level, resample_unit=resample_unit
    )
    with files_on_disk([reference, *systems]) as (first, *others):
        settings = text_settings(first, others, langpair=langpair, documents=documents, references=references)
        chosen = metrics(metric, langpair)
        evaluation = load(settings, chosen)
    rows: list[dict[str, Any]] = []
    for name, its in chosen.items():
        scorer = create_metric(name, its, langpair)
        shared = {
            "confidence_level": confidence_level,
            "n_resamples": n_resamples,
            "seed": seed,
            "resample_unit": resample_unit,
            "higher_is_better": scorer.higher_is_better,
            "signature": scorer.signature(reference_count(evaluation)),
        }
        for system, values in sorted(scorer.statistics(evaluation).items()):
            # One system at a time: without pairs there is nothing to test.
            analysis = analyse(
                {system: values}, scorer, asked, documents=evaluation.documents, domains=evaluation.domains
            )
            row = asdict(analysis.systems[0])
            row["flags"] = list(row["flags"])
            kept = {key: value for key, value in row.items() if key not in _RANKS}
            rows.append({"testset": TESTSET, "langpair": langpair, "metric": name, **kept, **shared})
    if json:
        print_json("ci", systems=rows)
        return
    for number, name in enumerate(dict.fromkeys(row["metric"] for row in rows)):
        if number:
            say()
        own = [row for row in rows if row["metric"] == name]
        places = fmt.decimals((row["ci_high"] - row["ci_low"]) / 2 for row in own if row["ci_low"] is not None)
        print_table(
            [
                ("System", "left"),
                ("Score", "right"),
                (f"{100 * confidence_level:g} % interval", "right"),
                ("Segments", "right"),
            ],
            (
                (
                    row["system"],
                    fmt.number(row["score"], places),
                    fmt.interval(row["ci_low"], row["ci_high"], places),
                    fmt.count(row["n_segments"]),
                )
                for row in own
            ),
            title=name,
        )
        print_signature(own[0]["signature"])
    say()
    say(f"{fmt.count(n_resamples)} bootstrap resamples of {resample_unit}s, seed {seed}.")
    for words in flag_words(rows):
        say(words)


def _number(value: float) -> float | None:
    """A score, None for one that is undefined."""
    return None if value != value else float(value)
