"""Decisions read off a ROC curve: all scenarios of the worked example of ten segments."""

from __future__ import annotations

from fractions import Fraction

import pytest
from mtsig.errors import ConfigError
from mtsig.studies.roc.curve import roc_curve
from mtsig.studies.roc.decisions import (
    data_cleaning,
    errors_left_with_random_ties,
    iso_performance_slope,
    least_cost,
    outcome,
    parse_ratio,
    review_budget,
    risk_target,
)

ERRORS = [1, 0, 1, 1, 0, 0, 1, 1, 0, 1]
CURVE = roc_curve(ERRORS, [25, 75, 93, 95, 95, 95, 99, 99, 100, 100])


@pytest.mark.parametrize(
    ("percent", "threshold", "missed", "expected"),
    [
        (0, None, 6, 60),
        (5, None, 6, 55),
        (10, 25, 5, 50),
        (20, 75, 5, 50),
        (30, 93, 4, 40),
        (50, 93, 4, 33.333333),
        (60, 95, 3, 30),
        (70, 95, 3, 20),
        (80, 99, 1, 10),
        (90, 99, 1, 5),
        (100, 100, 0, 0),
    ],
)
def test_review_budget(percent: float, threshold: float | None, missed: int, expected: float) -> None:
    chosen = outcome(CURVE, review_budget(CURVE, percent))
    assert (chosen.threshold, chosen.false_negatives) == (threshold, missed)
    assert chosen.errors_left_per_100 == 10 * missed
    assert 10 * errors_left_with_random_ties(CURVE, percent) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("per_100", "threshold", "share"),
    [
        (0, 100, 1.0),
        (5, 100, 1.0),
        (10, 99, 0.8),
        (20, 99, 0.8),
        (30, 95, 0.6),
        (35, 95, 0.6),
        (40, 93, 0.3),
        (50, 25, 0.1),
        (60, None, 0.0),
        (75, None, 0.0),
    ],
)
def test_risk_target(per_100: float, threshold: float | None, share: float) -> None:
    point = risk_target(CURVE, per_100)
    assert point is not None
    chosen = outcome(CURVE, point)
    assert (chosen.threshold, chosen.review_share) == (threshold, share)


def test_budgets_are_compared_exactly() -> None:
    """Of 1,000 segments, 0.7% are seven: 0.7 * 1000 / 100 is 6.999... in floating point."""
    curve = roc_curve([1] * 500 + [0] * 500, list(range(1000)))
    assert review_budget(curve, 0.7) == 7


@pytest.mark.parametrize(
    ("costs", "classes", "slope", "thresholds"),
    [
        ("10:1", None, "1/15", [100]),
        ("1:1", None, "2/3", [99, 100]),
        ("5:6", None, "4/5", [99]),
        ("3:4", None, "8/9", [25, 99]),
        ("1:2", None, "4/3", [25]),
        ("10:1", "1:5", "1/2", [100]),
        ("1:1", "1:1", "1", [25]),
    ],
)
def test_least_cost(costs: str, classes: str | None, slope: str, thresholds: list[float]) -> None:
    ratio = parse_ratio(costs, "costs")
    population = parse_ratio(classes, "classes") if classes else None
    assert iso_performance_slope(CURVE, ratio, population) == Fraction(slope)
    points = least_cost(CURVE, ratio, population)
    assert [outcome(CURVE, point).threshold for point in points] == thresholds


def test_least_cost_is_least() -> None:
    """FN costs 6 and FP 5: 25 at threshold 25, 23 at 99, 24 at 100 with the weights 5 and 6."""
    by_threshold = {}
    for point in range(1, 7):
        chosen = outcome(CURVE, point)
        by_threshold[chosen.threshold] = 5 * chosen.false_negatives + 6 * chosen.false_positives
    assert (by_threshold[25], by_threshold[99], by_threshold[100]) == (25, 23, 24)


@pytest.mark.parametrize(
    ("percent", "threshold", "errors", "good_lost", "kept_errors"),
    [
        (100, None, 6, 0, 60),
        (95, 25, 5, 0, 500 / 9),
        (90, 25, 5, 0, 500 / 9),
        (50, 95, 3, 3, 75),
        (40, 95, 3, 3, 75),
        (20, 99, 1, 3, 50),
        (10, 100, 0, 4, None),
        (0, 100, 0, 4, None),
    ],
)
def test_data_cleaning(
    percent: float, threshold: float | None, errors: int, good_lost: int, kept_errors: float | None
) -> None:
    chosen = outcome(CURVE, data_cleaning(CURVE, percent))
    assert (chosen.threshold, chosen.false_negatives, chosen.false_positives) == (threshold, errors, good_lost)
    assert chosen.kept_errors_per_100 == (pytest.approx(kept_errors) if kept_errors is not None else None)


def test_reviewers_who_miss_errors() -> None:
    """At threshold 99 one error is not reviewed; of the five reviewed ones a fifth is missed as well."""
    assert outcome(CURVE, 5, reviewer_miss=0.2).errors_left == pytest.approx(2)
    assert risk_target(CURVE, 10, reviewer_miss=0.2) is None
    assert risk_target(CURVE, 20, reviewer_miss=0.2) == 5
    assert risk_target(CURVE, 12, reviewer_miss=0.2) == 6
    # Reviews that find little are worth less: the line touches at an earlier point.
    costs = parse_ratio("5:6", "costs")
    assert outcome(CURVE, least_cost(CURVE, costs, reviewer_miss=0.5)[0]).threshold == 25


@pytest.mark.parametrize("text", ["10", "1:0", "a:b", "-1:2", "1:2:3"])
def test_ratios_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"costs: .* is no ratio"):
        parse_ratio(text, "costs")
