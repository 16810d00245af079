"""Sampling schemes: the subsets are those of Koehn (2004), and no segment is lost or used twice."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mtsig.corpus.sampling import SCHEMES, n_subsets, sample, subsets
from mtsig.errors import ConfigError


@pytest.mark.parametrize(
    ("size", "count", "first", "last"),
    [(100, 300, (1, 301, 29701), (300, 600, 30000)), (300, 100, (1, 101, 29901), (100, 200, 30000)),
     (600, 50, (1, 51, 29951), (50, 100, 30000)), (3000, 10, (1, 11, 29991), (10, 20, 30000))],
)  # fmt: skip
def test_broad_subsets_are_those_of_the_paper(size, count, first, last):
    """The paper counts from 1: subset k of K is k, k + K, and so on up to 30,000."""
    parts = [part + 1 for part in subsets("broad", n_segments=30000, subset_size=size)]
    assert len(parts) == count
    assert all(len(part) == size for part in parts)
    assert (parts[0][0], parts[0][1], parts[0][-1]) == first
    assert (parts[-1][0], parts[-1][1], parts[-1][-1]) == last


def test_consecutive_block_of_the_paper():
    """Block k holds the 300 segments from (k - 1) 300 + 1 to k 300."""
    parts = subsets("consecutive", n_segments=30000, subset_size=300)
    assert all(np.array_equal(part, np.arange(300 * k, 300 * (k + 1))) for k, part in enumerate(parts))


@given(st.sampled_from(SCHEMES), st.integers(1, 400), st.integers(1, 400), st.integers(0, 9), st.booleans())
def test_a_sample_has_as_many_segments_as_are_asked_for(scheme, n_segments, size, number, by):
    """Whatever is left over: sorted, without repetition, disjoint from the next one, each stratum in proportion."""
    size = min(size, n_segments)
    strata = [f"{row * 3 // n_segments}" for row in range(n_segments)] if by and scheme != "consecutive" else None
    count = n_segments // size
    number = 1 + number % count
    drawn = sample(scheme, n_segments=n_segments, subset_size=size, number=number, seed=3, strata=strata)
    assert len(drawn) == size
    assert np.all(np.diff(drawn) > 0)
    assert 0 <= drawn[0] <= drawn[-1] < n_segments
    if number < count:
        other = sample(scheme, n_segments=n_segments, subset_size=size, number=number + 1, seed=3, strata=strata)
        assert not set(drawn) & set(other)
    if scheme == "consecutive":
        assert drawn[-1] - drawn[0] == size - 1
    for stratum in sorted(set(strata or ())):
        share = strata.count(stratum) / n_segments
        assert abs(sum(strata[row] == stratum for row in drawn.tolist()) - share * size) <= 1 + 1e-9


@given(st.sampled_from(SCHEMES), st.integers(1, 400), st.integers(1, 60), st.integers(0, 9))
def test_subsets_use_every_segment_once(scheme, n_segments, size, seed):
    """B27: every scheme gives floor(N / size) disjoint sorted subsets whose sizes differ by at most one."""
    parts = subsets(scheme, n_segments=n_segments, subset_size=size, seed=seed)
    assert len(parts) == n_subsets(n_segments, size) == n_segments // size
    if parts:
        assert sorted(np.concatenate(parts).tolist()) == list(range(n_segments))
        sizes = [len(part) for part in parts]
        assert min(sizes) >= size
        assert max(sizes) - min(sizes) <= 1
        assert all(np.all(np.diff(part) > 0) for part in parts)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_remainder_goes_to_larger_subsets(scheme):
    """B27: 31 segments in 3 subsets: 11, 10 and 10 segments, none left over."""
    assert [len(part) for part in subsets(scheme, n_segments=31, subset_size=10)] == [11, 10, 10]


def test_random_subsets_depend_on_seed_alone():
    """The same seed gives the same division, another seed another one."""
    first, again, other = (subsets("random", n_segments=50, subset_size=10, seed=seed) for seed in (0, 0, 1))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert any(not np.array_equal(a, b) for a, b in zip(first, other, strict=True))


def test_size_beyond_the_test_set_gives_no_subsets():
    """A subset larger than the test set cannot be drawn from it."""
    assert subsets("broad", n_segments=31, subset_size=32) == ()


@pytest.mark.parametrize(("scheme", "size"), [("wide", 3), ("broad", 0)])
def test_impossible_arguments_are_refused(scheme, size):
    """Unknown schemes and empty subsets are refused by name."""
    with pytest.raises(ConfigError, match=r"wide|subset size 0"):
        subsets(scheme, n_segments=10, subset_size=size)
