"""Numbers for tests of the studies: mean-type metrics without texts, and statistics from simulated texts."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from mtsig.metrics.base import MeanMetric


@dataclass(frozen=True, kw_only=True)
class Mean(MeanMetric):
    """A metric that is the mean of given segment scores."""

    key: str = "mean"
    kind: str = "precomputed"
    higher_is_better: bool | None = True
    scale: float = field(default=1.0)

    def signature(self, n_references):
        return "mean"

    def statistics(self, evaluation, *, threads=1):
        raise NotImplementedError


MEAN = Mean()


def columns_of(*values):
    """Columns (n_systems, n_segments, 2) of a mean-type metric from the segment scores of each system."""
    return np.stack([MEAN.columns(np.asarray(value, dtype=float)[:, None]) for value in values])
