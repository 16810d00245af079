"""Meta-evaluation of metrics on one test set: all swept seeds and numbers of resamples."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mtsig.contracts import TABLES
from mtsig.errors import ConfigError, InputError
from mtsig.io import StrPath, read_table
from mtsig.metrics import create_metric
from mtsig.steps.cells import as_rows, listed, swept
from mtsig.steps.judged import Judged, read_judged, within
from mtsig.steps.study import StudyJob, StudyTables
from mtsig.studies.meta.analysis import MetaAnalysis, MetaSettings, Scored, evaluate

__all__ = ["meta"]

Floats = npt.NDArray[np.float64]
Rows = list[dict[str, Any]]


def meta(job: StudyJob) -> StudyTables:
    """Compare metrics with each human score, at all levels that are asked for.

    Raises
    ------
    ConfigError
        If a system or domain is unknown, or a metric has no direction.
    InputError
        If a human score has no value at all, or scores are missing.
    """
    settings = job.settings
    golds = listed(settings["gold"])
    for name, direction in job.directions.items():
        if direction is None:
            raise ConfigError(f"metrics: {name} has no direction, so it cannot agree with anybody. Leave it out.")
    judged = read_judged(job.segments, job.score_files, systems=settings["systems"])
    scored = {name: _scored(judged, name, job) for name in job.metrics}
    rows: dict[str, Rows] = {"correlations": [], "metric_pairs": []}
    for (domain, kept), gold, cell in itertools.product(
        within(judged, settings["domains"]).items(), golds, swept(settings)
    ):
        asked = MetaSettings(
            **{name: settings[name] for name in ("levels", "groupings", "statistics", "resampled")},
            **cell,
            confidence_level=settings["confidence_level"],
            n_trials=settings["n_trials"],
            alpha=settings["alpha"],
        )
        keys = {
            **job.keys,
            "gold": gold,
            "domain": domain,
            **{name: settings[name] for name in ("resampled", "resample_unit", "confidence_level", "alpha")},
            **cell,
        }
        for names, ranked in ((settings["metrics"], True), ([other for other in golds if other != gold], False)):
            if not names:
                continue
            result = _evaluate(judged, scored, gold, names, kept, asked, settings["resample_unit"], job.missing)
            for row in result.correlations:
                rows["correlations"].append({**keys, **row, **({} if ranked else {"rank": None})})
            if ranked:
                rows["metric_pairs"] += as_rows(result.metric_pairs, TABLES["metric_pairs"], keys)
    standing = _standing(dict(zip(job.metrics, job.systems, strict=True)), judged, _of_judged(scored, golds, job))
    rows["system_scores"] = [{**job.keys, **row} for row in standing]
    return StudyTables(rows)


def _scored(judged: Judged, name: str, job: StudyJob) -> Scored:
    """Scores of a metric, turned so that more is better."""
    sign = 1.0 if job.directions[name] else -1.0
    scores, statistics = sign * judged.scores[name], judged.statistics[name]
    if judged.statistic_names[name] == ("value",):
        return Scored.of_means(scores)
    metric = create_metric(name, job.metrics[name], job.langpair)
    if metric.statistic_names != judged.statistic_names[name]:
        raise InputError(f"scores of {name}: the statistics are not those of the metric. Delete them and run again.")
    return Scored(scores, metric.columns(statistics), _turned(metric.corpus_scores, sign), metric.scale)


def _turned(corpus_scores: Callable[[Floats], Floats], sign: float) -> Callable[[Floats], Floats]:
    return lambda sums: sign * corpus_scores(sums)


def _evaluate(
    judged: Judged,
    scored: Mapping[str, Scored],
    gold: str,
    names: Sequence[str],
    kept: npt.NDArray[np.intp],
    settings: MetaSettings,
    resample_unit: str,
    missing: str,
) -> MetaAnalysis:
    """Compare metrics with a human score on the segments that people have judged."""
    human = scored[gold].scores
    rated = kept[~np.isnan(human[:, kept]).all(axis=0)]
    if not len(rated):
        raise InputError(f"gold: {gold} has no score for any segment. Check its name and file.")
    flags = set()
    for name in names:
        absent = ~np.isnan(human[:, rated]) & np.isnan(scored[name].scores[:, rated])
        if absent.any():
            if missing == "error":
                row, segment = np.argwhere(absent)[0]
                raise InputError(
                    f"{name} has no score for {np.count_nonzero(absent)} outputs that {gold} has judged, the first of "
                    f"system {judged.systems[row]}, row {int(rated[segment]) + 1}. Complete the scores, or set "
                    "`missing: intersect` to leave such outputs out."
                )
            flags.add("missing_segments")
    return evaluate(
        scored[gold].take(rated),
        {name: scored[name].take(rated) for name in names},
        settings,
        units=judged.units(rated, resample_unit),
        flags=sorted(flags),
    )


def _of_judged(
    scored: Mapping[str, Scored], golds: Sequence[str], job: StudyJob
) -> dict[str, tuple[npt.NDArray[np.int64], Floats]]:
    """Metric to numbers of segments that people have judged and scores on these alone, one of each per system."""
    judged = ~np.isnan(np.concatenate([scored[gold].scores for gold in golds])).all(axis=0)
    outcome = {}
    for name, metric in scored.items():
        columns = metric.columns[:, judged]
        absent = np.isnan(columns).any(axis=-1, keepdims=True)
        scores = metric.corpus_scores(np.where(absent, 0.0, columns).sum(axis=1))
        outcome[name] = (~absent).sum(axis=(1, 2)), scores if job.directions[name] else -scores
    return outcome


def _standing(
    systems: Mapping[str, StrPath],
    judged: Judged,
    of_judged: Mapping[str, tuple[npt.NDArray[np.int64], Floats]],
) -> Iterator[dict[str, Any]]:
    """Scores, ranks and clusters by each metric, as its own table has them, and scores of what people have judged."""
    columns = ("system", "n_segments", "score", "rank", "rank_low", "rank_high", "cluster", "flags")
    for name, path in systems.items():
        numbers, scores = of_judged[name]
        for row in read_table(path, columns=list(columns)).to_pylist():
            if row["system"] in judged.systems:
                place = judged.systems.index(row["system"])
                score = None if np.isnan(scores[place]) else float(scores[place])
                yield {"metric_name": name, **row, "n_judged": int(numbers[place]), "score_judged": score}
