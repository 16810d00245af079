"""From statistics to the rows of the systems, pairs and groups tables. Nothing here reads or writes a file."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtsig import kernels
from mtsig.contracts import DOUBTS, TABLES
from mtsig.errors import MtsigError
from mtsig.metrics import create_metric
from mtsig.metrics.catalog import direction_of, kind_of
from mtsig.metrics.cautions import Cautions
from mtsig.progress import Progress
from mtsig.resampling.analysis import analyse
from mtsig.resampling.scorer import MeanScorer, Scorer
from mtsig.resampling.settings import ResamplingSettings
from mtsig.steps.cells import as_rows

__all__ = ["compare_systems", "doubted", "doubts_of", "scorer_of"]

_LOG = logging.getLogger(__name__)


def scorer_of(metric: str, settings: Mapping[str, Any], langpair: str) -> Scorer:
    """What turns sums of a metric's statistics into scores.

    Metrics that average given scores need nothing but their direction here: not the files or models they came from.
    """
    if kind_of(metric, settings).mean_type:
        return MeanScorer(higher_is_better=direction_of(metric, settings))
    return create_metric(metric, settings, langpair)


def compare_systems(
    statistics: Mapping[str, NDArray[np.float64]],
    scorer: Scorer,
    settings: ResamplingSettings,
    *,
    testset: str,
    langpair: str,
    metric: str,
    signature: str,
    documents: Sequence[str | None],
    domains: Sequence[str | None],
    findings: Iterable[Mapping[str, Any]] = (),
    cautions: Cautions | None = None,
    threads: int = 1,
) -> dict[str, list[dict[str, Any]]]:
    """Resample one metric's statistics on one test set; the rows of the three tables, by the names of the tables.

    Parameters
    ----------
    statistics, scorer, settings, documents, domains, cautions, threads
        As in `mtsig.resampling.analysis.analyse`.
    testset, langpair, metric, signature
        What all rows share.
    findings
        What the check of the input found; what speaks against a system's score becomes a flag of its rows.

    Raises
    ------
    ConfigError
        If documents are wanted and absent, or an adjustment could never give a star.
    InputError
        If some segments have a document and others none.
    """
    how = "compiled kernels" if kernels.NATIVE else "kernels in Python"
    _LOG.info("%s, %s: %d systems, %d segments, %s", testset, metric, len(statistics), len(documents), how)
    try:
        with Progress(f"{testset}, {metric}", unit="resamples") as progress:
            analysis = analyse(
                statistics,
                scorer,
                settings,
                documents=documents,
                domains=domains,
                cautions=cautions,
                threads=threads,
                progress=progress,
            )
    except MtsigError as error:
        # Arrays have no names; a configuration may have many test sets.
        raise type(error)(f"{testset}, {metric}: {error}") from error
    shared = {
        **asdict(settings),
        "testset": testset,
        "langpair": langpair,
        "metric": metric,
        "higher_is_better": scorer.higher_is_better,
        "signature": signature,
    }
    doubts = doubts_of(findings)
    return {
        table: as_rows(doubted(map(asdict, getattr(analysis, table)), doubts), TABLES[table], shared)
        for table in ("systems", "pairs", "groups")
    }


def doubts_of(findings: Iterable[Mapping[str, Any]]) -> dict[str, set[str]]:
    """System to the flags that findings give its rows.

    Examples
    --------
    >>> doubts_of([{"level": "warning", "code": "shifted_lines", "system": "A"}])
    {'A': {'shifted_lines'}}
    """
    doubts: dict[str, set[str]] = {}
    for finding in findings:
        if finding["level"] == "warning" and finding["code"] in DOUBTS and finding["system"] is not None:
            doubts.setdefault(finding["system"], set()).add(finding["code"])
    return doubts


def doubted(rows: Iterable[Mapping[str, Any]], doubts: Mapping[str, Collection[str]]) -> Iterator[dict[str, Any]]:
    """Rows of systems or pairs with the flags of `doubts` on their systems."""
    for row in rows:
        systems = [row[name] for name in ("system", "system_a", "system_b") if name in row]
        flags = {flag for system in systems for flag in doubts.get(system, ())}
        yield {**row, "flags": sorted({*row["flags"], *flags})}
