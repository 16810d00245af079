"""A guard against losing the speed of resampling: no ratio may drop below half its goal."""

from __future__ import annotations

from resampling import measure_bootstrap, measure_randomization


def test_bootstrap_is_at_least_half_as_fast_as_promised() -> None:
    """A tenth of the segments, where fixed costs weigh more, and every p-value equal to sacreBLEU's."""
    result = measure_bootstrap(n_segments=300, n_systems=6, n_resamples=100, goal=100)
    assert result.ratio > result.goal / 2, result


def test_randomization_is_at_least_half_as_fast_as_promised() -> None:
    """Few trials, and every p-value equal to sacreBLEU's."""
    result = measure_randomization(n_segments=300, n_systems=4, n_trials=200, goal=100)
    assert result.ratio > result.goal / 2, result
