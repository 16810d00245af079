"""Intervals: which replicates are the limits, and the two other kinds of interval."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mtsig.errors import ConfigError
from mtsig.resampling.exact import as_fraction, tail_rank
from mtsig.resampling.intervals import basic_interval, bca_interval, percentile_interval


@pytest.mark.parametrize(
    ("n_resamples", "level", "low", "high"),
    [
        (1000, 0.95, 26, 975),
        (100, 0.95, 3, 98),
        (999, 0.95, 25, 975),
        (10_000, 0.95, 251, 9750),
        (20, 0.95, 1, 20),
        # In floating point (1 - 0.9) * 1000 / 2 is below 50, which would give ranks 50 and 951.
        (1000, 0.9, 51, 950),
        (1000, 0.99, 6, 995),
        (1, 0.95, 1, 1),
    ],
)
def test_limits_are_the_replicates_of_the_exact_ranks(n_resamples: int, level: float, low: int, high: int) -> None:
    """Ranks [k + 1, R - k] with k = floor((1 - level) R / 2): Koehn's 26th and 975th of 1000."""
    replicates = np.random.default_rng(0).permutation(np.arange(1.0, n_resamples + 1))
    interval = percentile_interval(replicates, confidence_level=level)
    assert (interval.low, interval.high) == (low, high)


@given(st.integers(1, 3000), st.decimals("0.01", "0.99", places=2))
def test_as_many_replicates_lie_below_as_above(n_resamples: int, level: object) -> None:
    """The interval is symmetric in ranks, and never upside down."""
    interval = percentile_interval(np.arange(float(n_resamples)), confidence_level=float(level))  # type: ignore[arg-type]
    assert interval.low == n_resamples - 1 - interval.high
    assert interval.low <= interval.high


def test_levels_are_the_decimal_numbers_they_are_written_as() -> None:
    """0.1 is one tenth, not the nearest binary fraction."""
    assert as_fraction(0.1) * 10 == 1
    assert tail_rank(0.05, 1000) == 25
    assert tail_rank(1 - as_fraction(0.9), 1000) == 50


def test_one_undefined_replicate_makes_only_its_own_interval_undefined() -> None:
    """NaN is not sorted silently to the end."""
    interval = percentile_interval(np.array([[1.0, 2.0, np.nan], [1.0, 2.0, 3.0]]))
    np.testing.assert_array_equal(interval.low, [np.nan, 1.0])
    np.testing.assert_array_equal(interval.high, [np.nan, 3.0])


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0])
def test_an_impossible_level_is_refused(level: float) -> None:
    """Percent is no confidence level."""
    with pytest.raises(ConfigError, match=f"confidence_level: expected a number between 0 and 1, found {level}"):
        percentile_interval(np.arange(10.0), confidence_level=level)


def test_an_interval_of_nothing_is_refused() -> None:
    """There must be a replicate."""
    with pytest.raises(ConfigError, match="at least one replicate"):
        percentile_interval(np.empty((3, 0)))


def test_the_basic_interval_mirrors_the_percentile_interval() -> None:
    """2 t - high and 2 t - low."""
    replicates = np.random.default_rng(1).gamma(2, size=1000)
    percentile, basic = percentile_interval(replicates), basic_interval(replicates, 2.0)
    assert (basic.low, basic.high) == (4 - percentile.high, 4 - percentile.low)


def _enumerated_means(values: list[int]) -> np.ndarray:
    return np.array([np.mean(resample) for resample in itertools.product(values, repeat=len(values))])


def test_bca_by_hand() -> None:
    """x = [2, 1, -1, 1], all 256 resamples: z0 -.0489772 with half the ties, limits -0.5 and 1.5."""
    values = np.array([2, 1, -1, 1])
    left_out = (values.sum() - values) / 3
    interval = bca_interval(_enumerated_means([2, 1, -1, 1]), 0.75, left_out, tolerance=1e-9)
    assert (interval.low, interval.high) == (-0.5, 1.5)


def test_bca_of_a_constant_is_that_constant() -> None:
    """Where scipy gives NaN."""
    interval = bca_interval(np.ones(100), 1.0, np.ones(5))
    assert (interval.low, interval.high) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("replicates", "jackknife"),
    [([1.0, 2.0, 3.0], [0.0, 0.5]), ([1.0, 2.0, np.nan], [1.0, 2.0]), ([1.0, 2.0, 3.0], [1.0])],
)
def test_bca_is_undefined_where_its_correction_is(replicates: list[float], jackknife: list[float]) -> None:
    """All replicates on one side of the observed value, an undefined one, or a single unit."""
    interval = bca_interval(np.array(replicates), 0.5, np.array(jackknife))
    assert np.isnan(interval.low)
    assert np.isnan(interval.high)


def test_bca_agrees_with_scipy_where_there_are_no_ties() -> None:
    """On continuous data both corrections are the same; scipy interpolates between replicates, we do not."""
    from scipy.stats import bootstrap

    rng = np.random.default_rng(2)
    sample = rng.gamma(1.5, size=40)
    peer = bootstrap((sample,), np.mean, n_resamples=4999, method="BCa", random_state=np.random.default_rng(5))
    left_out = (sample.sum() - sample) / 39
    interval = bca_interval(peer.bootstrap_distribution, sample.mean(), left_out)
    spacing = 0.02
    assert abs(interval.low - peer.confidence_interval.low) < spacing
    assert abs(interval.high - peer.confidence_interval.high) < spacing
