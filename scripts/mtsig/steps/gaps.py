"""Segments without a score, where there must be none: whose they are, how many, and where the first one is."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mtsig.corpus.model import EvaluationSet
from mtsig.errors import InputError

__all__ = ["refuse_gaps", "refuse_missing"]

Statistics = Mapping[str, NDArray[np.float64]]


def refuse_missing(evaluation: EvaluationSet, metric: str, statistics: Statistics) -> None:
    """Say which systems lack scores, how many, and where the first one is."""
    gaps = {name: np.flatnonzero(np.isnan(rows).any(axis=1)) for name, rows in sorted(statistics.items())}
    gaps = {name: segments for name, segments in gaps.items() if len(segments)}
    if not gaps:
        return
    name, segments = next(iter(gaps.items()))
    first = int(segments[0])
    why = ""
    if evaluation.systems[name][first] is None:
        why = ", where the hypothesis is missing"
    elif evaluation.references and all(texts[first] is None for texts in evaluation.references.values()):
        why = ", where the reference is missing"
    more = len(gaps) - 1
    others = f" ({more} more {'system lacks' if more == 1 else 'systems lack'} some too)" if more else ""
    raise InputError(
        f"{evaluation.testset}, {metric}: {len(segments)} of {evaluation.n_segments} segments of system {name} have no "
        f"score{others}; the first is segment {evaluation.segment_ids[first]} (row {first + 1}){why}. "
        f"Complete the input, or set `missing: intersect` to leave such segments out."
    )


def refuse_gaps(statistics: Statistics, segment_ids: Sequence[str], scores: str | os.PathLike[str]) -> None:
    """Refuse systems that lack scores, naming the first one, how many it lacks and where the first is."""
    for system, rows in sorted(statistics.items()):
        gaps = np.flatnonzero(np.isnan(rows).any(axis=1))
        if len(gaps):
            raise InputError(
                f"{scores}: system {system} has no score on {len(gaps)} of {len(rows)} segments, the first is segment "
                f"{segment_ids[gaps[0]]} (row {gaps[0] + 1}). Complete the input, or set `missing: intersect`."
            )
