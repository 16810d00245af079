"""Scores and intervals on the segments of one domain or one document.

A group is a small test set of its own: it is resampled by itself, groups of equal size with the same draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mtsig.resampling.bootstrap import bootstrap_replicates
from mtsig.resampling.decisions import holding, number_or_none, ordered
from mtsig.resampling.draws import draw_counts
from mtsig.resampling.intervals import percentile_interval
from mtsig.resampling.pairs import TOLERANCE
from mtsig.resampling.results import GroupResult
from mtsig.resampling.scorer import Scorer, score_rows
from mtsig.resampling.settings import FEW_UNITS, ResamplingSettings
from mtsig.resampling.units import sum_units

__all__ = ["group_results"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Replicates of so many groups are held at a time.
_CELLS_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class _Group:
    """One system on one group of segments."""

    system: str
    kind: str
    name: str
    domain: str | None
    units: FloatArray
    n_segments: int
    complete: bool


def group_results(
    columns: Mapping[str, FloatArray],
    scorer: Scorer,
    settings: ResamplingSettings,
    *,
    documents: Sequence[str | None],
    domains: Sequence[str | None],
    labels: IntArray | None,
    threads: int = 1,
) -> tuple[GroupResult, ...]:
    """Results of every system on every domain and document, sorted by system, kind, domain and name.

    Parameters
    ----------
    columns
        What is summed, (n_segments, k) per system, NaN where a segment is missing.
    scorer, settings
        The metric; how to resample.
    documents, domains
        Names per segment. Segments without one are in no group; a document is known by its domain and name.
    labels
        Unit of every segment; None if segments are the units.
    threads
        How many threads work; no number depends on it.
    """
    by_size: dict[int, list[_Group]] = {}
    for group in _groups(columns, documents, domains, labels):
        by_size.setdefault(group.units.shape[0], []).append(group)
    results: list[GroupResult] = []
    for size, groups in by_size.items():
        step = max(1, _CELLS_AT_ONCE // settings.n_resamples)
        for start in range(0, len(groups), step):
            results.extend(_resample(groups[start : start + step], size, scorer, settings, threads))
    return tuple(sorted(results, key=lambda row: (row.system, row.group_kind, row.domain or "", row.group)))


def _groups(
    columns: Mapping[str, FloatArray],
    documents: Sequence[str | None],
    domains: Sequence[str | None],
    labels: IntArray | None,
) -> Iterator[_Group]:
    segments: dict[tuple[str, str, str | None], list[int]] = {}
    for segment, (document, domain) in enumerate(zip(documents, domains, strict=True)):
        if domain is not None:
            segments.setdefault(("domain", domain, domain), []).append(segment)
        if document is not None:
            segments.setdefault(("document", document, domain), []).append(segment)
    for system, rows in columns.items():
        present: NDArray[np.bool_] = np.all(~np.isnan(rows), axis=1)
        for (kind, name, domain), members in segments.items():
            kept = np.array(members)[present[members]]
            units = rows[kept] if labels is None else sum_units(rows[kept], labels[kept])
            yield _Group(system, kind, name, domain, units, len(kept), len(kept) == len(members))


def _resample(
    groups: list[_Group], size: int, scorer: Scorer, settings: ResamplingSettings, threads: int
) -> Iterator[GroupResult]:
    """Results of groups with the same number of units."""
    units = np.stack([group.units for group in groups])
    scores = score_rows(units, scorer)
    if size:
        counts = draw_counts(settings.seed, size, settings.n_resamples)
        replicates = bootstrap_replicates(units[:, None], scorer.corpus_scores, counts, threads=threads)[:, 0]
    else:
        replicates = np.full((len(groups), 1), np.nan)
    interval = percentile_interval(replicates, confidence_level=settings.confidence_level)
    widths = np.ptp(replicates, axis=1)
    for number, group in enumerate(groups):
        defined = not np.isnan(interval.low[number])
        flags = holding(
            degenerate_interval=defined and widths[number] <= TOLERANCE * scorer.scale,
            few_units=size < FEW_UNITS,
            missing_segments=not group.complete,
            one_document=settings.resample_unit == "document" and size == 1,
            undefined=not defined,
        )
        yield GroupResult(
            system=group.system,
            group_kind=group.kind,
            group=group.name,
            domain=group.domain,
            n_segments=group.n_segments,
            score=number_or_none(scores[number]),
            ci_low=float(interval.low[number]) if defined else None,
            ci_high=float(interval.high[number]) if defined else None,
            flags=ordered(flags),
        )
