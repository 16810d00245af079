"""The units that are drawn and swapped: segments, or whole documents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mtsig.errors import ConfigError, InputError

__all__ = ["UNITS", "document_labels", "sum_units"]

#: The values of the configuration key ``resample_unit``.
UNITS = ("segment", "document")

FloatArray = NDArray[np.float64]


def document_labels(documents: Sequence[str | None], domains: Sequence[str | None]) -> NDArray[np.int64]:
    """Number the documents in the order in which they first occur.

    Parameters
    ----------
    documents, domains
        Names per segment; a document is known by both, since names repeat across domains. Domains may be None.

    Returns
    -------
    numpy.ndarray
        Document number of every segment, (n_segments,).

    Raises
    ------
    ConfigError
        If no segment has a document.
    InputError
        If some segments have one and others not.

    Examples
    --------
    >>> document_labels(["d1", "d1", "d1"], ["news", "news", "social"]).tolist()
    [0, 0, 1]
    """
    missing = [segment for segment, document in enumerate(documents) if document is None]
    if missing:
        if len(missing) == len(documents):
            raise ConfigError("resample_unit: 'document' needs documents, and the test set has none. Use 'segment'.")
        raise InputError(
            f"row {missing[0] + 1}: no document, while other segments have one ({len(missing)} of {len(documents)} "
            "lack it). Name a document for every segment, or set resample_unit to 'segment'."
        )
    numbers: dict[tuple[str | None, str | None], int] = {}
    keys = zip(domains, documents, strict=True)
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)


def sum_units(statistics: FloatArray, labels: NDArray[np.int64]) -> FloatArray:
    """Sum the statistics of each unit.

    Parameters
    ----------
    statistics
        Array (..., n_segments, k).
    labels
        Unit number of every segment, (n_segments,). Units keep the order of their numbers.

    Returns
    -------
    numpy.ndarray
        Array (..., n_units, k), with a row for every number that occurs.

    Examples
    --------
    >>> sum_units(np.array([[1.0], [2.0], [4.0]]), np.array([0, 1, 0])).ravel().tolist()
    [5.0, 2.0]
    """
    order = np.argsort(labels, kind="stable")
    ordered = labels[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(ordered) else np.zeros(0, dtype=np.int64)
    if not len(starts):
        return np.zeros((*statistics.shape[:-2], 0, statistics.shape[-1]))
    sums: FloatArray = np.add.reduceat(statistics[..., order, :], starts, axis=-2)
    return sums
