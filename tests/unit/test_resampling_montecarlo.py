"""Exact binomial limits."""

from __future__ import annotations

import numpy as np
import pytest
from mtsig.resampling.montecarlo import clopper_pearson, p_value_limits
from scipy import stats


@pytest.mark.parametrize(
    ("count", "n", "low", "high"),
    [
        (50, 1000, 0.03734, 0.06539),
        (500, 10_000, 0.04581, 0.05445),
        (5000, 100_000, 0.04866, 0.05137),
        (0, 10, 0.0, 0.3085),
    ],
)
def test_known_limits(count: int, n: int, low: float, high: float) -> None:
    """Limits at a share of 5% for three numbers of resamples, and for no success in ten."""
    found = clopper_pearson(count, n)
    assert found == (pytest.approx(low, abs=5.1e-6 if count else 1e-12), pytest.approx(high, abs=5e-5))


def test_limits_leave_the_stated_probability_in_each_tail() -> None:
    """By definition: P(X >= count | low) = P(X <= count | high) = 2.5%."""
    low, high = clopper_pearson(np.array([1, 7, 19]), 20)
    np.testing.assert_allclose(stats.binom.sf(np.array([1, 7, 19]) - 1, 20, low), 0.025, rtol=1e-9)
    np.testing.assert_allclose(stats.binom.cdf(np.array([1, 7, 19]), 20, high), 0.025, rtol=1e-9)


def test_limits_at_the_ends() -> None:
    """No successes: low is 0; no failures: high is 1."""
    low, high = clopper_pearson(np.array([0, 20]), 20)
    assert low[0] == 0
    assert high[1] == 1


def test_limits_of_a_two_sided_p_value_are_doubled_and_capped() -> None:
    """Those of the smaller tail, times two, and never above 1."""
    low, high = clopper_pearson(np.array([25, 1000]), 1000)
    doubled_low, doubled_high = p_value_limits(np.array([25, 1000]), 1000)
    assert doubled_low[0] == 2 * low[0]
    assert doubled_high[0] == 2 * high[0]
    assert doubled_low[1] == doubled_high[1] == 1
