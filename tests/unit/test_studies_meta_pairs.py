"""Agreement over pairs: worked examples, scipy where it has the statistic, and ties."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mtsig.studies.meta.pairs import PAIR_STATISTICS, count_pairs, merge_equal, tau_c_factor
from mtsig.studies.meta.segments import group_values
from mtsig.studies.meta.systems import system_replicates
from mtsig.studies.meta.ties import calibrate_ties
from scipy import stats

HUMAN, METRIC = [1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3]
SYSTEMS_HUMAN, SYSTEMS_METRIC = [80, 75, 75, 60, 55], [0.83, 0.84, 0.80, 0.70, 0.70]
ITEMS_HUMAN = [[4, 3, 3, 1], [2, 2, 2, 2], [5, 1, 4, 4]]
ITEMS_METRIC = [[0.9, 0.7, 0.72, 0.1], [0.5, 0.51, 0.49, 0.5], [0.8, 0.2, 0.6, 0.9]]


def _value(statistic: str, human: object, metric: object, *, epsilon: float = 0.0) -> float:
    counts = count_pairs(human, metric, epsilon=epsilon)  # type: ignore[arg-type]
    return float(group_values(statistic, counts, tau_c_factor(human, metric)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("statistic", "expected"),
    [
        ("kendall_a", 0.3),
        ("kendall_b", 0.316227766),
        ("kendall_c", 0.32),
        ("kendall_eq", 0.2),
        ("acc_eq", 0.6),
    ],
)
def test_five_units(statistic: str, expected: float) -> None:
    assert _value(statistic, HUMAN, METRIC) == pytest.approx(expected, abs=1e-9)


def test_pearson_and_spearman_of_five_units() -> None:
    human, metric = np.array([HUMAN], dtype=float), np.array([METRIC], dtype=float)
    assert system_replicates(human, metric, "pearson")[0] == pytest.approx(0.554700196225229, abs=1e-14)
    assert system_replicates(human, metric, "spearman")[0] == pytest.approx(0.5642880936468347, abs=1e-14)


@pytest.mark.parametrize(("epsilon", "accuracy"), [(0, 0.6), (0.5, 0.7), (1, 0.6), (2, 0.4), (4, 0.1)])
def test_accuracy_with_a_tie_threshold(epsilon: float, accuracy: float) -> None:
    assert _value("acc_eq", HUMAN, METRIC, epsilon=epsilon) == pytest.approx(accuracy, abs=1e-12)


def test_tie_calibration_of_five_units() -> None:
    calibration = calibrate_ties(HUMAN, METRIC)
    assert (calibration.epsilon, calibration.accuracy) == (0.5, pytest.approx(0.7))
    assert calibration.thresholds == pytest.approx([0, 0.5, 1, 1.5, 2, 3, 3.5, 4])
    assert calibration.accuracies == pytest.approx([0.6, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1])


@pytest.mark.parametrize(
    ("statistic", "expected"),
    [
        ("pairwise_accuracy", 7 / 10),
        ("pairwise_accuracy_untied", 7 / 9),
        ("pearson", 0.9573903017045436),
        ("kendall_a", 3 / 5),
        ("kendall_b", 2 / 3),
        ("kendall_10", 5 / 9),
        ("kendall_13", 3 / 4),
        ("kendall_14", 2 / 3),
        ("kendall_eq", 2 / 5),
        ("acc_eq", 7 / 10),
    ],
)
def test_five_systems(statistic: str, expected: float) -> None:
    human, metric = np.array([SYSTEMS_HUMAN], dtype=float), np.array([SYSTEMS_METRIC], dtype=float)
    assert system_replicates(human, metric, statistic)[0] == pytest.approx(expected, abs=1e-14)


def test_items_are_averaged_and_calibrated_together() -> None:
    counts = count_pairs(ITEMS_HUMAN, ITEMS_METRIC)
    assert PAIR_STATISTICS["acc_eq"](counts) == pytest.approx([5 / 6, 1 / 6, 2 / 3])
    calibration = calibrate_ties(ITEMS_HUMAN, ITEMS_METRIC)
    assert calibration.accuracies[0] == pytest.approx(0.555556, abs=1e-6)
    assert calibration.epsilon == pytest.approx(0.02)
    assert calibration.accuracy == pytest.approx(0.888889, abs=1e-6)
    calibrated = count_pairs(ITEMS_HUMAN, ITEMS_METRIC, epsilon=calibration.epsilon)
    assert PAIR_STATISTICS["acc_eq"](calibrated) == pytest.approx([1, 1, 2 / 3])


def test_differences_equal_up_to_rounding_are_one_threshold() -> None:
    """0.8 - 0.2 and 0.9 - 0.3 differ in the last digit; both are 0.6."""
    calibration = calibrate_ties([1, 1, 2, 2], [0.2, 0.8, 0.3, 0.9])
    assert calibration.thresholds == pytest.approx([0, 0.1, 0.5, 0.6, 0.7])


def test_constant_scores() -> None:
    """Rank correlations with a constant are undefined; accuracy with ties is not."""
    assert math.isnan(_value("kendall_b", [2, 2, 2, 2], [0.5, 0.51, 0.49, 0.5]))
    assert math.isnan(_value("kendall_c", [2, 2, 2, 2], [0.5, 0.51, 0.49, 0.5]))
    assert math.isnan(_value("kendall_13", [2, 2, 2, 2], [0.5, 0.51, 0.49, 0.5]))
    assert _value("acc_eq", [2, 2, 2, 2], [0.5, 0.51, 0.49, 0.5]) == pytest.approx(1 / 6)
    for statistic in ("pearson", "spearman"):
        assert math.isnan(system_replicates(np.ones((1, 4)), np.array([[1.0, 2, 3, 4]]), statistic)[0])


def test_sums_of_penalties_in_another_order_are_ties() -> None:
    merged = merge_equal([[-5.2, -17.2], [-5.199999999999999, -17.200000000000003]])
    assert (merged[0] == merged[1]).all()
    assert np.isnan(merge_equal([np.nan, 1.0])[0])
    assert _value("acc_eq", [-5.2, -5.199999999999999], [1, 1]) == 1


def test_missing_scores_take_part_in_no_pair() -> None:
    assert _value("kendall_b", [*HUMAN, np.nan, 3], [*METRIC, 9, np.nan]) == pytest.approx(0.316227766, abs=1e-9)


def test_agreement_with_scipy() -> None:
    rng = np.random.default_rng(4)
    for size in (3, 8, 30):
        for _ in range(10):
            human, metric = rng.integers(0, 5, size).astype(float), rng.integers(0, 7, size) / 3
            if len(set(human)) < 2 or len(set(metric)) < 2:
                continue
            for statistic, variant in (("kendall_b", "b"), ("kendall_c", "c")):
                expected = stats.kendalltau(human, metric, variant=variant).statistic
                assert _value(statistic, human, metric) == pytest.approx(expected, abs=1e-12)
            rows = human[None], metric[None]
            assert system_replicates(*rows, "pearson")[0] == pytest.approx(
                stats.pearsonr(human, metric).statistic, abs=1e-12
            )
            assert system_replicates(*rows, "spearman")[0] == pytest.approx(
                stats.spearmanr(human, metric).statistic, abs=1e-12
            )
