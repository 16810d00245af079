"""Scores and intervals per domain and document."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mtsig.resampling.analysis import analyse
from mtsig.resampling.results import GroupResult
from mtsig.resampling.scorer import MeanScorer
from mtsig.resampling.settings import ResamplingSettings

SCORER = MeanScorer(higher_is_better=True)


def groups(scores: dict[str, Any], documents: list[Any], domains: list[Any], **options: Any) -> list[GroupResult]:
    arrays = {name: np.asarray(values, dtype=np.float64)[:, None] for name, values in scores.items()}
    settings = ResamplingSettings(seed=12345, n_resamples=200, n_trials=50, **options)
    return list(analyse(arrays, SCORER, settings, documents=documents, domains=domains).groups)


def test_every_domain_and_document_of_every_system() -> None:
    """Equal document names in two domains are two groups; rows are sorted."""
    found = groups(
        {"b": np.arange(6.0), "a": np.ones(6)}, ["d1", "d1", "d2", "d1", "d1", "d2"], ["news"] * 3 + ["chat"] * 3
    )
    keys = [(row.system, row.group_kind, row.group, row.domain) for row in found]
    of_one_system = [
        ("document", "d1", "chat"),
        ("document", "d2", "chat"),
        ("document", "d1", "news"),
        ("document", "d2", "news"),
        ("domain", "chat", "chat"),
        ("domain", "news", "news"),
    ]
    assert keys == [(system, *key) for system in ("a", "b") for key in of_one_system]
    scores = {row.group if row.group_kind == "domain" else row.group + "/" + str(row.domain): row for row in found[6:]}
    assert scores["news"].score == 1
    assert scores["d1/chat"].score == 3.5
    assert scores["d1/chat"].n_segments == 2


def test_a_group_is_a_test_set_of_its_own() -> None:
    """The interval of a domain is that of its segments alone, with the same draws."""
    values = np.random.default_rng(0).normal(size=90)
    (row,) = groups({"a": values}, [None] * 90, ["news"] * 50 + [None] * 40)
    arrays = {"a": values[:50, None]}
    alone = analyse(arrays, SCORER, ResamplingSettings(seed=12345, n_resamples=200)).systems[0]
    assert (row.score, row.ci_low, row.ci_high) == (alone.score, alone.ci_low, alone.ci_high)
    assert row.flags == ()


def test_test_sets_without_domains_and_documents_have_no_groups() -> None:
    """Not one group called None."""
    assert groups({"a": np.ones(4)}, [None] * 4, [None] * 4) == []


def test_missing_segments_are_left_out_and_flagged() -> None:
    """A group that a system does not have at all is undefined."""
    found = groups({"a": [1.0, np.nan, np.nan, np.nan]}, [None] * 4, ["x", "x", "y", "y"])
    assert [(row.group, row.n_segments, row.score) for row in found] == [("x", 1, 1.0), ("y", 0, None)]
    assert found[0].flags == ("degenerate_interval", "few_units", "missing_segments")
    assert found[1].flags == ("few_units", "missing_segments", "undefined")
    assert found[1].ci_low is None


def test_domains_are_resampled_by_document_where_documents_are_units() -> None:
    """Whole documents of the domain are drawn; a single document has no interval to speak of."""
    documents = [f"d{number}" for number in range(8) for _ in range(5)]
    found = groups({"a": np.repeat(np.arange(8.0), 5)}, documents, ["news"] * 40, resample_unit="document")
    domain = next(row for row in found if row.group_kind == "domain")
    assert domain.score == 3.5
    # All replicates are means of eight documents of equal length.
    assert (domain.ci_low or 0) * 8 == pytest.approx(round((domain.ci_low or 0) * 8))
    document = next(row for row in found if row.group_kind == "document")
    assert {"one_document", "degenerate_interval"} <= set(document.flags)
