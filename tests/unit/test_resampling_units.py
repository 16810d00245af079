"""Documents as units."""

from __future__ import annotations

import numpy as np
import pytest
from mtsig.errors import ConfigError, InputError
from mtsig.resampling.units import document_labels, sum_units


def test_equal_document_names_in_two_domains_are_two_documents() -> None:
    """B29: ids are unique within a domain only."""
    labels = document_labels(["d1", "d1", "d1", "d2"], ["news", "social", "news", "news"])
    assert labels.tolist() == [0, 1, 0, 2]


def test_documents_need_no_domain() -> None:
    """A name is enough."""
    assert document_labels(["x", "y", "x"], [None, None, None]).tolist() == [0, 1, 0]


def test_documents_as_units_need_documents() -> None:
    """The key is named, with the way out."""
    with pytest.raises(ConfigError, match="resample_unit: 'document' needs documents, and the test set has none"):
        document_labels([None, None], [None, None])


def test_missing_document_names_are_reported() -> None:
    """B29: which segment, and how many."""
    with pytest.raises(InputError, match=r"row 2: no document, while other segments have one \(2 of 3 lack it\)"):
        document_labels(["d", None, None], [None, None, None])


def test_units_keep_the_order_of_their_first_segment() -> None:
    """And sum all of theirs, wherever they stand."""
    statistics = np.array([[[1.0, 10], [2, 20], [4, 40], [8, 80]]])
    assert sum_units(statistics, np.array([0, 1, 0, 2])).tolist() == [[[5, 50], [2, 20], [8, 80]]]


def test_units_without_a_segment_left_are_left_out() -> None:
    """As when all segments of a document are missing."""
    assert sum_units(np.array([[1.0], [2.0]]), np.array([0, 3])).tolist() == [[1.0], [2.0]]
    assert sum_units(np.zeros((2, 0, 3)), np.array([], dtype=np.int64)).shape == (2, 0, 3)
