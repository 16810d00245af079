"""Intervals of replicates of which some may be undefined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mtsig.resampling.intervals import percentile_interval

__all__ = ["StudyInterval", "defined_interval"]

_TOLERANCE = 1e-9


@dataclass(frozen=True)
class StudyInterval:
    """An interval with what is to be said about it.

    Attributes
    ----------
    low, high
        Limits; None where no replicate is defined.
    flags
        Names of `mtsig.contracts.FLAGS`.
    """

    low: float | None
    high: float | None
    flags: tuple[str, ...] = ()


def defined_interval(replicates: npt.ArrayLike, *, confidence_level: float, flags: Sequence[str] = ()) -> StudyInterval:
    """Percentile interval of the replicates that are defined.

    Parameters
    ----------
    replicates
        (n_resamples,) values; NaN where a resample leaves the quantity undefined.
    confidence_level
        Between 0 and 1.
    flags
        Flags to be passed on.

    Returns
    -------
    StudyInterval
        With the flag ``undefined_replicates`` where some were left out, ``degenerate_interval`` where all are equal.

    Examples
    --------
    >>> defined_interval([1.0, float("nan"), 2.0, 3.0], confidence_level=0.95)
    StudyInterval(low=1.0, high=3.0, flags=('undefined_replicates',))
    """
    values = np.asarray(replicates, dtype=np.float64)
    defined = values[~np.isnan(values)]
    found = set(flags)
    if len(defined) < len(values):
        found.add("undefined_replicates")
    if not len(defined):
        return StudyInterval(None, None, tuple(sorted(found)))
    if np.ptp(defined) <= _TOLERANCE * max(1.0, np.abs(defined).max()):
        found.add("degenerate_interval")
    interval = percentile_interval(defined, confidence_level=confidence_level)
    return StudyInterval(float(interval.low), float(interval.high), tuple(sorted(found)))
