"""Tests of a pair, from replicates: ties, directions, verdicts and limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from mtsig.resampling.pairs import (
    count_signs,
    koehn_verdict,
    on_boundary,
    p_moses,
    p_one_sided,
    p_randomization,
    p_sacrebleu_bootstrap,
    p_shift,
    p_value,
    paired_bootstrap,
    wins,
)

replicates = hnp.arrays(np.float64, st.integers(1, 60), elements=st.integers(-3, 3).map(float))


@given(replicates)
def test_wins_and_ties_partition_the_resamples(differences: np.ndarray) -> None:
    """B08: shares sum to exactly one, in either direction."""
    signs = count_signs(differences)
    assert signs.positive + signs.negative + signs.ties == signs.n_resamples == len(differences)
    assert wins(signs, higher_is_better=True) == wins(signs, higher_is_better=False)[::-1]


def test_a_clear_win_and_a_full_tie() -> None:
    """B08: (1, 0, 0) and (0, 0, 1)."""
    clear, tied = count_signs(np.full(10, 0.3)), count_signs(np.zeros(10))
    assert (clear.positive, clear.negative, clear.ties) == (10, 0, 0)
    assert (tied.positive, tied.negative, tied.ties) == (0, 0, 10)


def test_rounding_noise_is_a_tie() -> None:
    """Differences within the tolerance are no wins, and exactly the tolerance is within."""
    signs = count_signs([1e-12, -1e-12, 1e-7, 2e-7], tolerance=1e-7)
    assert (signs.positive, signs.negative, signs.ties) == (1, 0, 3)


@given(replicates, st.integers(-3, 3).map(float))
def test_swapping_the_systems_changes_no_two_sided_quantity(differences: np.ndarray, observed: float) -> None:
    """B06: p is the same, the interval and the wins are mirrored exactly."""
    there, back = paired_bootstrap(differences, observed), paired_bootstrap(-differences, -observed)
    assert there.p_value == back.p_value
    assert there.p_shift == back.p_shift
    assert there.p_one_sided == back.p_one_sided
    assert (there.ci_low, there.ci_high) == (-back.ci_high, -back.ci_low)
    assert (there.signs.positive, there.signs.negative) == (back.signs.negative, back.signs.positive)
    assert there.boundary == back.boundary


@given(replicates)
def test_one_sided_p_values_of_both_directions_cover_everything(differences: np.ndarray) -> None:
    """B06: the two tails together hold every replicate, and the ties twice."""
    signs, n = count_signs(differences), len(differences)
    tails = sum(float(p_one_sided(signs, observed)) * (n + 1) - 1 for observed in (1.0, -1.0))
    assert tails == pytest.approx(n + int(signs.ties))


@given(replicates, st.integers(-3, 3).map(float))
def test_no_p_value_is_0(differences: np.ndarray, observed: float) -> None:
    """B04: the floor is 1/(R + 1), and p never exceeds 1."""
    result = paired_bootstrap(differences, observed)
    floor = 1 / (len(differences) + 1)
    for p in (result.p_value, result.p_one_sided, result.p_shift):
        assert floor <= p <= 1
    assert result.p_value_low <= result.p_value_high <= 1


@pytest.mark.parametrize(("n", "floor"), [(99, 0.01), (999, 0.001), (9999, 0.0001)])
def test_the_floor_is_exact(n: int, floor: float) -> None:
    """One-sided 1/(R + 1), two-sided twice that; randomization 1/(trials + 1)."""
    signs = count_signs(np.ones(n))
    assert p_one_sided(signs, 1.0) == floor
    assert p_value(signs) == 2 * floor
    assert p_randomization(0, n, exact=False) == floor


@given(replicates, st.sampled_from([0.05, 0.1, 0.32]))
def test_p_value_and_interval_agree_except_at_the_boundary(differences: np.ndarray, alpha: float) -> None:
    """p < alpha if and only if the interval excludes 0, unless exactly floor(alpha R / 2) replicates reach it."""
    result = paired_bootstrap(differences, 1.0, alpha=alpha, confidence_level=round(1 - alpha, 10))
    excludes = result.ci_low > 0 or result.ci_high < 0
    if not result.boundary:
        assert (result.p_value < alpha) == excludes


def test_the_boundary_is_where_they_disagree() -> None:
    """25 of 1000: the interval excludes 0 and p is 52/1001, above 0.05."""
    differences = np.r_[np.ones(975), -np.ones(25)]
    result = paired_bootstrap(differences, 1.0)
    assert result.ci_low > 0
    assert result.p_value == 52 / 1001
    assert result.boundary
    assert not on_boundary(count_signs(np.r_[np.ones(976), -np.ones(24)]))


@pytest.mark.parametrize(
    ("wins_a", "wins_b", "verdict"), [(950, 50, 1), (949, 51, 0), (50, 950, -1), (0, 0, 0), (500, 500, 0)]
)
def test_koehns_verdict_is_decided_in_whole_numbers(wins_a: int, wins_b: int, verdict: int) -> None:
    """At least 1 - alpha, a first."""
    assert koehn_verdict(wins_a, wins_b, 1000) == verdict


def test_koehn_asks_a_first() -> None:
    """With alpha one half both may reach the share."""
    assert koehn_verdict(5, 5, 10, alpha=0.5) == 1


@pytest.mark.parametrize(("alpha", "n", "needed"), [(0.1, 10, 9), (0.05, 7, 7), (0.3, 10, 7), (0.05, 999, 950)])
def test_the_share_that_koehn_needs_is_exact(alpha: float, n: int, needed: int) -> None:
    """(1 - 0.3) * 10 is 7, although floating point says 7.000000000000001 or less for its like."""
    assert koehn_verdict(needed, 0, n, alpha=alpha) == 1
    assert koehn_verdict(needed - 1, 0, n, alpha=alpha) == 0


def test_koehns_95_percent_is_the_51st_smallest_difference() -> None:
    """950 wins and no more than 50 others, that is s(51) > 0 of 1000."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        differences = rng.normal(1.6, 1, size=1000).round(1)
        verdict = koehn_verdict(*wins(count_signs(differences), higher_is_better=True), 1000)
        assert (verdict == 1) == (np.sort(differences)[50] > 0)


def test_a_zero_difference_has_no_better_system() -> None:
    """One-sided p is 1 by rule, not a tail's share."""
    assert p_one_sided(count_signs([1.0, 1.0, -1.0]), 0.0) == 1
    assert p_one_sided(count_signs([1.0, 1.0, -1.0]), 1e-9, tolerance=1e-7) == 1


def test_identical_outputs() -> None:
    """B01: p is exactly 1 and the interval [0, 0]; sacreBLEU's p is its floor."""
    result = paired_bootstrap(np.zeros(1000), 0.0, tolerance=1e-7)
    assert result.p_value == result.p_shift == result.p_one_sided == 1
    assert result.ci_low == result.ci_high == 0
    assert result.degenerate
    assert result.p_value_high == 1
    assert p_sacrebleu_bootstrap(np.ones(1000), np.ones(1000), 0.0) == 1 / 1001


def test_functions_take_any_leading_axes() -> None:
    """Pairs, subsets, or both: every row as if it came alone."""
    rng = np.random.default_rng(0)
    differences, observed = rng.integers(-2, 3, size=(3, 4, 50)).astype(float), rng.integers(-2, 3, size=(3, 4)) * 1.0
    whole = paired_bootstrap(differences, observed)
    shift, moses = p_shift(differences, observed), p_moses(differences, observed)
    for index in np.ndindex(3, 4):
        single = paired_bootstrap(differences[index], observed[index])
        for field in ("ci_low", "p_value", "p_value_high", "p_one_sided", "boundary", "degenerate"):
            assert getattr(whole, field)[index] == getattr(single, field)
        assert shift[index] == p_shift(differences[index], observed[index])
        assert moses[index] == p_moses(differences[index], observed[index])


def test_sacrebleus_p_is_computed_in_the_precision_of_the_replicates() -> None:
    """In single precision 0.1 + 0.2 is 0.3; in double precision it exceeds it, and p counts it."""
    a, b = np.array([0.3, 0.3]), np.array([0.0, 0.0])
    observed = 0.0
    single = p_sacrebleu_bootstrap(a.astype(np.float32), b.astype(np.float32), observed)
    assert single == p_sacrebleu_bootstrap(a, b, observed) == 1 / 3
    # |d*| - mean = 1e-9: below single precision's resolution next to 0.3, above it in double precision.
    near = np.array([0.3, 0.3 + 2e-9])
    assert p_sacrebleu_bootstrap(near, b, 1e-10) == 2 / 3
    assert p_sacrebleu_bootstrap(near.astype(np.float32), b.astype(np.float32), 1e-10) == 1 / 3
