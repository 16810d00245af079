"""ROC curves: the worked example of ten segments (the paper's Table 3), ties, hulls and edges."""

from __future__ import annotations

import numpy as np
import pytest
from mtsig.errors import InputError
from mtsig.studies.roc.curve import (
    convex_hull,
    hanley_mcneil_error,
    hull_auc,
    mcclish,
    partial_auc,
    precision_recall,
    roc_curve,
    union_hull,
)
from sklearn.metrics import roc_auc_score

# Segments 5, 9, 6, 1, 2, 4, 8, 10, 3, 7 of the table, worst first.
ERRORS = [1, 0, 1, 1, 0, 0, 1, 1, 0, 1]
SCORES = [25, 75, 93, 95, 95, 95, 99, 99, 100, 100]
TABLE_3 = roc_curve(ERRORS, SCORES)


def test_table_3_has_one_point_per_unique_score() -> None:
    assert TABLE_3.thresholds.tolist() == [25, 75, 93, 95, 99, 100]
    assert TABLE_3.true_positives.tolist() == [0, 1, 1, 2, 3, 5, 6]
    assert TABLE_3.false_positives.tolist() == [0, 0, 1, 1, 3, 3, 4]
    assert TABLE_3.false_negatives.tolist() == [6, 5, 5, 4, 3, 1, 0]
    assert TABLE_3.reviewed.tolist() == [0, 1, 2, 3, 6, 8, 10]
    assert TABLE_3.tpr.round(2).tolist() == [0, 0.17, 0.17, 0.33, 0.5, 0.83, 1]
    assert TABLE_3.fpr.tolist() == [0, 0, 0.25, 0.25, 0.75, 0.75, 1]


def test_table_3_areas() -> None:
    assert pytest.approx(23 / 48, abs=1e-15) == TABLE_3.auc
    assert roc_curve(ERRORS, SCORES, higher_is_better=False).auc == pytest.approx(25 / 48, abs=1e-15)
    assert hull_auc(convex_hull(TABLE_3)) == pytest.approx(29 / 48, abs=1e-15)
    assert hanley_mcneil_error(23 / 48, 6, 4) == pytest.approx(0.195730, abs=1e-6)


@pytest.mark.parametrize(
    ("high", "area", "standardized"),
    [(0.25, 1 / 24, 0.5238095), (0.5, 0.1354167, 0.5138889), (0.75, 0.25, 0.4666667), (1.0, 23 / 48, 23 / 48)],
)
def test_table_3_partial_areas(high: float, area: float, standardized: float) -> None:
    assert partial_auc(TABLE_3, 0, high) == pytest.approx(area, abs=1e-7)
    assert mcclish(partial_auc(TABLE_3, 0, high), 0, high) == pytest.approx(standardized, abs=1e-7)
    if high < 1:
        expected = roc_auc_score(ERRORS, -np.asarray(SCORES), max_fpr=high)
        assert mcclish(partial_auc(TABLE_3, 0, high), 0, high) == pytest.approx(expected, abs=1e-12)
        assert partial_auc(TABLE_3, 0, high) + partial_auc(TABLE_3, high, 1) == pytest.approx(23 / 48, abs=1e-12)


def test_table_3_precision_and_recall() -> None:
    curve = precision_recall(ERRORS, SCORES)
    assert curve.precision == pytest.approx([1, 1 / 2, 2 / 3, 1 / 2, 5 / 8, 3 / 5])
    assert curve.recall == pytest.approx([1 / 6, 1 / 6, 1 / 3, 1 / 2, 5 / 6, 1])
    assert curve.f1 == pytest.approx([2 / 7, 1 / 4, 4 / 9, 1 / 2, 5 / 7, 3 / 4])
    assert curve.average_precision == pytest.approx(0.6694444, abs=1e-7)
    assert curve.auc == pytest.approx(0.6506944, abs=1e-7)


def test_table_3_hull() -> None:
    vertices = convex_hull(TABLE_3)
    assert [(vertex.false_positives, vertex.true_positives) for vertex in vertices] == [(0, 0), (0, 1), (3, 5), (4, 6)]
    assert [vertex.threshold for vertex in vertices] == [None, 25, 99, 100]


def test_union_hull_says_which_system_to_use_where() -> None:
    errors = [1, 1, 0, 0]
    curves = {
        "S1": roc_curve(errors, [4, 1, 3, 2], higher_is_better=False),
        "S2": roc_curve(errors, [3, 2, 4, 1], higher_is_better=False),
    }
    assert [curve.auc for curve in curves.values()] == [0.5, 0.5]
    assert [hull_auc(convex_hull(curve)) for curve in curves.values()] == [0.75, 0.75]
    vertices = union_hull(curves)
    assert [(v.false_positives, v.true_positives, v.name) for v in vertices] == [
        (0, 0, None),
        (0, 1, "S1"),
        (1, 2, "S2"),
        (2, 2, None),
    ]
    assert hull_auc(vertices) == 0.875


def test_hull_of_different_segments_is_refused() -> None:
    with pytest.raises(InputError, match="same segments"):
        union_hull({"a": TABLE_3, "b": roc_curve([1, 0], [1, 2])})


@pytest.mark.parametrize("labels", [[0, 0, 0], [1, 1, 1]])
def test_one_class_has_no_curve(labels: list[int]) -> None:
    """B30: undefined, not 0 or 0.5."""
    with pytest.raises(InputError, match="needs both kinds"):
        roc_curve(labels, [1, 2, 3])


def test_equal_scores_give_the_diagonal() -> None:
    """B30: four equal scores of either kind have the area 0.5."""
    curve = roc_curve([1, 0, 1, 0], [7, 7, 7, 7])
    assert curve.auc == 0.5
    assert (curve.fpr.tolist(), curve.tpr.tolist()) == ([0, 1], [0, 1])
    assert [(v.false_positives, v.true_positives) for v in convex_hull(curve)] == [(0, 0), (2, 2)]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_scores_that_are_no_numbers_are_refused(bad: float) -> None:
    """B30: with the segment."""
    with pytest.raises(InputError, match="segment 1 is"):
        roc_curve([1, 0, 1], [1, bad, 2])


def test_perfect_and_reversed_systems() -> None:
    assert roc_curve([1, 1, 0], [1, 2, 3]).auc == 1
    assert roc_curve([1, 1, 0], [3, 2, 1]).auc == 0
    assert hanley_mcneil_error(1.0, 5, 5) == 0


def test_auc_is_the_share_of_pairs_in_order_ties_counting_one_half() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        errors, scores = rng.random(40) < 0.4, rng.integers(0, 6, 40)
        bad, good = scores[errors][:, None], scores[~errors][None, :]
        expected = ((bad < good) + 0.5 * (bad == good)).mean()
        assert roc_curve(errors, scores).auc == pytest.approx(expected, abs=1e-12)
