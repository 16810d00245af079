"""Two one-sided tests against a margin, from the bootstrap's own replicates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mtsig.errors import ConfigError
from mtsig.resampling.analysis import analyse
from mtsig.resampling.pairs import equivalence
from mtsig.resampling.scorer import MeanScorer
from mtsig.resampling.settings import ResamplingSettings


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=30), st.integers(-9, 9), st.integers(1, 9))
def test_counts_are_those_of_a_loop(replicates, observed, margin):
    larger, side = equivalence([float(value) for value in replicates], float(observed), float(margin))
    below = (sum(value <= -margin for value in replicates) + 1) / (len(replicates) + 1)
    above = (sum(value >= margin for value in replicates) + 1) / (len(replicates) + 1)
    assert larger == max(below, above)
    assert side == (above if observed > 0 else below if observed < 0 else max(below, above))


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=30), st.integers(-9, 9), st.integers(1, 9))
def test_the_order_of_the_two_systems_does_not_matter(replicates, observed, margin):
    values = np.asarray(replicates, dtype=float)
    assert equivalence(values, float(observed), margin) == equivalence(-values, -float(observed), margin)


def _analysis(shift, margin, *, higher_is_better=True):
    rng = np.random.default_rng(5)
    base = rng.normal(0, 1, (400, 1))
    other = base + rng.normal(shift, 0.5, (400, 1))
    settings = ResamplingSettings(seed=1, n_resamples=2000, n_trials=10, equivalence_margin=margin)
    scorer = MeanScorer(higher_is_better=higher_is_better)
    return analyse({"a": base, "b": other}, scorer, settings).pairs[0]


def test_close_systems_are_equivalent_and_distant_ones_are_not():
    close, distant = _analysis(0.01, 0.2), _analysis(0.2, 0.2)
    assert close.p_equivalence < 0.05
    assert close.p_noninferiority <= close.p_equivalence
    assert distant.p_equivalence > 0.2


def test_equivalence_and_difference_can_both_hold():
    """A difference can be real and too small to matter."""
    row = _analysis(0.08, 0.3)
    assert row.significant
    assert row.p_equivalence < 0.05


def test_without_a_margin_there_is_no_equivalence_test():
    assert _analysis(0.1, None).p_equivalence is None


def test_a_metric_without_direction_can_be_equivalent():
    row = _analysis(0.0, 0.5, higher_is_better=None)
    assert row.p_equivalence < 0.05
    assert row.p_value is None


def test_the_margin_is_a_positive_number():
    with pytest.raises(ConfigError, match="equivalence_margin"):
        ResamplingSettings(seed=1, equivalence_margin=0.0)


def test_the_rate_of_false_equivalence_at_the_margin_is_near_alpha():
    """True differences of exactly the margin are declared equivalent in about 5 % of experiments."""
    rng = np.random.default_rng(11)
    margin, found, experiments = 0.1, 0, 400
    for _ in range(experiments):
        differences = rng.normal(margin, 0.5, 100)
        means = differences[rng.integers(0, 100, (500, 100))].mean(axis=1)
        found += equivalence(means, differences.mean(), margin)[0] < 0.05
    # 99.9 % of binomial(400, 0.05) lies below 36; the percentile bootstrap of 100 units is a little liberal.
    assert found <= 40
