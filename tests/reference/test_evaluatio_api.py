"""Evaluatio's functions of BLEU on the ten-segment corpus, against numbers of the real package (0.5.2)."""

from __future__ import annotations

import math

import pytest
from mtsig.compat.evaluatio import bleu_bootstrap_test, bleu_ci


@pytest.fixture(scope="module")
def rows(t10):
    return [[reference] for reference in t10["reference"]]


def test_p_of_the_bootstrap_test(rows, t10):
    """The package gives .0158249 with 200,000 resamples; the band is that of 9,999."""
    p = bleu_bootstrap_test(rows, t10["A"], t10["B"], 9999)
    assert abs(p - 0.01554) < 3 * math.sqrt(0.01554 * 0.98446 / 9999)


def test_order_of_the_systems_does_not_matter(rows, t10):
    assert bleu_bootstrap_test(rows, t10["A"], t10["B"], 999) == bleu_bootstrap_test(rows, t10["B"], t10["A"], 999)


def test_known_p_on_the_shared_draws(rows, t10):
    assert bleu_bootstrap_test(rows, t10["A"], t10["B"], 1000) == 18 / 1001


def test_identical_outputs(rows, t10):
    assert bleu_bootstrap_test(rows, t10["A"], t10["A"], 999) == 1.0


def test_mean_of_the_interval_is_the_corpus_score(rows, t10):
    assert bleu_ci(rows, t10["A"], 999, 0.05).mean == pytest.approx(75.37619097398905, rel=1e-12)


@pytest.mark.parametrize(("system", "low", "high"), [("A", 62.1969, 87.3338), ("B", 43.0594, 75.4058)])
def test_limits_with_many_resamples(rows, t10, system, low, high):
    """200,000 resamples of the package; a limit of 20,000 resamples here scatters by a few tenths."""
    ci = bleu_ci(rows, t10[system], 20000, 0.05)
    assert (ci.lower, ci.upper) == (pytest.approx(low, abs=0.5), pytest.approx(high, abs=0.5))


def test_effective_order_of_short_texts():
    references = [["hello world"], ["cymru am byth"], ["croeso i gymru"]]
    ci = bleu_ci(references, ["hello byd", "gymru ap dydd", "croeso i gymru"], 99)
    assert ci.mean == pytest.approx(46.415888, abs=1e-6)


def test_unusable_arguments(rows, t10):
    with pytest.raises(ValueError, match="alpha"):
        bleu_ci(rows, t10["A"], alpha=0.0)
    with pytest.raises(ValueError, match="10 segments, hypotheses 9"):
        bleu_ci(rows, t10["A"][:9])
    with pytest.raises(ValueError, match="at least one segment"):
        bleu_bootstrap_test([], [], [])
    with pytest.raises(ValueError, match="n_resamples"):
        bleu_ci(rows, t10["A"], 0)
