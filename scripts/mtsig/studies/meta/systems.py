"""Agreement at the system level, for the data as they are and for all resamples at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mtsig.studies.meta.correlations import weighted_pearson, weighted_spearman
from mtsig.studies.meta.pairs import PAIR_STATISTICS, PairCounts, merge_equal, pair_kinds, pair_signs, tau_c_factor
from mtsig.studies.meta.segments import Weights, group_values

__all__ = ["SYSTEM_STATISTICS", "system_replicates"]

Floats = npt.NDArray[np.float64]

#: What can be computed from one score per system; soft pairwise accuracy needs the segments as well.
SYSTEM_STATISTICS = ("pearson", "spearman", *PAIR_STATISTICS)


def system_replicates(human: Floats, metric: Floats, statistic: str, *, v: Weights = None) -> Floats:
    """A statistic over systems, of every resample.

    Parameters
    ----------
    human, metric
        (n_resamples, n_systems) scores of the systems in each resample; (1, n_systems) where segments stay.
    statistic
        One of `SYSTEM_STATISTICS`.
    v
        (n_resamples, n_systems) how often each system was drawn; None where systems stay.

    Returns
    -------
    numpy.ndarray
        (n_resamples,) values; NaN where undefined. Copies of a system are not paired with each other.

    Examples
    --------
    >>> human = np.array([[80.0, 75, 75, 60, 55]])
    >>> metric = np.array([[0.83, 0.84, 0.80, 0.70, 0.70]])
    >>> system_replicates(human, metric, "pairwise_accuracy").tolist()
    [0.7]
    """
    total = max(len(human), len(metric), 1 if v is None else len(v))
    human, metric = (merge_equal(scores) for scores in (human, metric))
    if statistic in ("pearson", "spearman"):
        correlate = weighted_pearson if statistic == "pearson" else weighted_spearman
        weights = np.ones((total, human.shape[1])) if v is None else v
        return np.broadcast_to(correlate(human, metric, weights), (total,))
    first, second = np.triu_indices(human.shape[1], 1)
    kinds = pair_kinds(pair_signs(human[:, first], human[:, second]), pair_signs(metric[:, first], metric[:, second]))
    pairs = np.ones((1, len(first))) if v is None else v[:, first] * v[:, second]
    counts = PairCounts(*((kind * pairs).sum(axis=1) for kind in kinds))
    return np.broadcast_to(group_values(statistic, counts, tau_c_factor(human, metric)), (total,))
