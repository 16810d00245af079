"""Holm and Benjamini-Hochberg: the right family, undefined p-values, and too few resamples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mtsig.errors import ConfigError, InputError
from mtsig.resampling.adjust import adjust_p_values, benjamini_hochberg, check_resamples, holm
from scipy.stats import false_discovery_control

p_lists = st.lists(st.floats(0.001, 1), min_size=1, max_size=12)


def test_the_family_is_the_unordered_pairs() -> None:
    """B15: six pairs of four systems count six times, not twelve, sixteen or once."""
    assert holm([0.01, 0.02, 0.03, 0.04, 0.2, 0.5]) == pytest.approx([0.06, 0.10, 0.12, 0.12, 0.40, 0.50])


def test_known_answer_of_holm_in_any_order() -> None:
    """The published example, whose last value is raised to the largest before it."""
    assert holm([0.03, 0.04, 0.001, 0.8, 0.02]) == pytest.approx([0.09, 0.09, 0.005, 0.8, 0.08])


def test_undefined_p_values_stay_undefined_and_do_not_count() -> None:
    """B14: the family of 0.01, undefined, 0.02, 0.04 counts three."""
    assert holm([0.01, None, 0.02, 0.04]) == pytest.approx([0.03, None, 0.04, 0.04])
    assert benjamini_hochberg([0.01, None, 0.02, 0.04]) == pytest.approx([0.03, None, 0.03, 0.04])


def test_an_empty_family_is_no_problem() -> None:
    """B16: one system makes no pairs."""
    assert holm([]) == benjamini_hochberg([]) == []
    assert holm([None]) == [None]


@given(p_lists)
def test_benjamini_hochberg_is_scipys(p_values: list[float]) -> None:
    """Against another implementation."""
    np.testing.assert_allclose(benjamini_hochberg(p_values), false_discovery_control(p_values), rtol=1e-12)


@given(p_lists)
def test_adjustment_raises_p_and_keeps_the_order(p_values: list[float]) -> None:
    """Holm never below Benjamini-Hochberg, both never below p, and ranks unchanged."""
    by_holm, by_bh = np.array(holm(p_values)), np.array(benjamini_hochberg(p_values))
    slack = 1e-12
    assert (by_holm >= by_bh - slack).all()
    assert (by_bh >= np.array(p_values) - slack).all()
    order = np.argsort(p_values)
    assert (np.diff(by_holm[order]) >= 0).all()
    assert (np.diff(by_bh[order]) >= 0).all()
    assert by_holm.max() <= 1


def test_no_adjustment_gives_no_adjusted_p_values() -> None:
    """The column is null."""
    assert adjust_p_values([0.01, 0.02], "none") == [None, None]


def test_an_unknown_adjustment_is_refused() -> None:
    """By its name and with those that exist."""
    with pytest.raises(ConfigError, match="adjust: expected one of none, holm, bh, found 'bonferroni'"):
        adjust_p_values([0.01], "bonferroni")


@pytest.mark.parametrize(("adjust", "n_pairs"), [("holm", 190), ("holm", 1), ("bh", 190)])
def test_the_number_of_resamples_that_is_asked_for_is_the_smallest_that_works(adjust: str, n_pairs: int) -> None:
    """One fewer is still refused, and what is asked for is accepted."""
    with pytest.raises(ConfigError, match="no pair can be significant in 10 resamples") as caught:
        check_resamples(adjust, n_pairs=n_pairs, n_resamples=10, alpha=0.05)
    needed = int(str(caught.value).rsplit(" ", 1)[1].rstrip("."))
    check_resamples(adjust, n_pairs=n_pairs, n_resamples=needed, alpha=0.05)
    with pytest.raises(ConfigError):
        check_resamples(adjust, n_pairs=n_pairs, n_resamples=needed - 1, alpha=0.05)


def test_without_adjustment_or_pairs_any_number_of_resamples_is_accepted() -> None:
    """Nothing can fail to be significant where nothing is tested."""
    check_resamples("none", n_pairs=190, n_resamples=1, alpha=0.05)
    check_resamples("holm", n_pairs=0, n_resamples=1, alpha=0.05)


@pytest.mark.parametrize("n_resamples", [999, 1999, 4999, 9999, 99_999])
@pytest.mark.parametrize("alpha", [0.1, 0.05, 0.01])
def test_an_adjusted_p_value_of_exactly_alpha_is_not_below_it(n_resamples: int, alpha: float) -> None:
    """Rounding must not push a product just below alpha, where there would be a star."""
    for factor in range(1, 400):
        count = alpha * (n_resamples + 1) / factor
        if round(count) > 0 and abs(count - round(count)) < 1e-9:
            p_value = round(count) / (n_resamples + 1)
            adjusted = holm([p_value] * factor)[0]
            assert adjusted is not None
            assert not adjusted < alpha, (factor, p_value)


@pytest.mark.parametrize("wrong", [float("nan"), -0.1, 1.5, float("inf")])
@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_what_is_no_p_value_is_refused(adjust, wrong) -> None:
    """By its position; 0 and 1 are p-values."""
    with pytest.raises(InputError, match="p-value 2: expected a number from 0 to 1"):
        adjust([0.01, wrong])
    assert adjust([0, 1, None]) == [0, 1, None]
