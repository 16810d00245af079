"""A guard against losing the speed of resampling: no ratio may drop below half of what is usual at this size.

The sizes are far below those of the goals, so fixed costs weigh more and the ratios are smaller.
"""

from __future__ import annotations

import pytest
from mtsig import kernels
from resampling import measure_bootstrap, measure_randomization

pytestmark = pytest.mark.skipif(not kernels.NATIVE, reason="the goals are for the compiled kernels")


def test_bootstrap_is_at_least_half_as_fast_as_usual() -> None:
    """And every p-value equals sacreBLEU's."""
    result = measure_bootstrap(n_segments=300, n_systems=6, n_resamples=100, goal=80, repeats=3)
    assert result.ratio > result.goal / 2, result


def test_randomization_is_at_least_half_as_fast_as_usual() -> None:
    """And every p-value equals sacreBLEU's."""
    result = measure_randomization(n_segments=300, n_systems=4, n_trials=500, goal=70, repeats=3)
    assert result.ratio > result.goal / 2, result
