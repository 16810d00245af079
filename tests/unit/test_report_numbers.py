"""Numbers for people: digits after the uncertainty, p-values that never lie."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mtsig.report import format as fmt


@given(st.floats(min_value=1e-12, max_value=1.0))
def test_a_p_value_is_never_written_as_zero_and_keeps_its_side_of_every_threshold(p):
    """B04: small ones are written as smaller than a number."""
    text = fmt.p_value(p, alpha=0.02)
    if text.startswith("<"):
        assert p < float(text[1:])
    else:
        assert float(text) > 0
        assert all((p < level) == (float(text) < level) for level in (0.05, 0.02, 0.01))


@given(st.floats(min_value=1e-4, max_value=1e4))
def test_the_half_width_keeps_two_significant_digits(width):
    places = fmt.decimals([width])
    if 0 < places < fmt.MAX_DECIMALS:
        assert 10 <= width * 10**places < 100


@pytest.mark.parametrize("value", [-0.0, -0.004, 0.0])
def test_zero_has_no_sign(value):
    assert fmt.number(value, 2, signed=True) == "0.00"


def test_a_share_that_is_not_whole_is_not_rounded_to_whole():
    assert fmt.percent(999_999 / 1_000_000) == "> 99.9 %"
    assert fmt.percent(1.0) == "100 %"


@given(st.floats(min_value=1e-12, max_value=1.0), st.sampled_from([0.001, 0.05, 0.9]))
def test_a_p_at_its_floor_is_written_as_an_upper_limit_on_its_side_of_every_threshold(p, alpha):
    text = fmt.p_value(p, alpha=alpha, floor=True)
    sign, _, number = text.partition(" ")
    assert (p < float(number)) if sign == "<" else (sign == "<=" and p <= float(number) * (1 + 1e-12))
    assert not (p < alpha) or float(number) < alpha or (sign == "<" and float(number) <= alpha)


def test_stars_follow_alpha():
    """One star at alpha itself and two at a fifth of it, whatever alpha is."""
    assert fmt.stars(True, 0.5, alpha=0.9) == "*"
    assert fmt.stars(True, 0.1, alpha=0.9) == "**"
    assert fmt.stars(True, 0.0005, alpha=0.001) == "*"
    assert fmt.stars(True, 0.0001, alpha=0.001) == "**"
    assert (fmt.stars(True, 0.01), fmt.stars(True, 0.05)) == ("*", "")
    assert fmt.star_words(0.05) == "* p < 0.05, ** p < 0.01"
    assert fmt.star_words(0.001) == "* p < 0.001, ** p < 0.0002"


def test_stars_need_significance():
    """A p below 0.01 that the test does not call significant (few units, adjustment) gets no star."""
    assert fmt.stars(False, 0.001) == ""
    assert fmt.stars(True, 0.07) == ""
