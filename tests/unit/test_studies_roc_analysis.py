"""The ROC analysis of one MT system: tables, flags, and the published areas of WMT23."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from mtsig.errors import ConfigError
from mtsig.studies.roc.analysis import RocAnalysis, analyse
from mtsig.studies.roc.answers import QeScores, RocSettings
from mtsig.studies.roc.curve import roc_curve
from mtsig.studies.roc.cutoff import Cutoff

IDS = np.array([5, 9, 6, 1, 2, 4, 8, 10, 3, 7])
ERRORS = np.array([1, 0, 1, 1, 0, 0, 1, 1, 0, 1], dtype=bool)
SCORES = np.array([25.0, 75, 93, 95, 95, 95, 99, 99, 100, 100])
SETTINGS = RocSettings(
    review_budgets=(0, 30, 50),
    risk_targets=(10, 40),
    costs=("1:1", "5:6"),
    class_ratios=("sample", "1:1"),
    keep_shares=(50, 10),
    partial_fpr=0.25,
    n_resamples=500,
)


def _analyse(settings: RocSettings = SETTINGS, **options: Any) -> RocAnalysis:
    order = np.argsort(IDS)
    errors, scores = ERRORS[order], SCORES[order]
    qe = {"qe": QeScores(scores, higher_is_better=True), "reversed": QeScores(scores, higher_is_better=False)}
    return analyse(-5.0 * errors, errors, qe, settings, segments=np.sort(IDS), **options)


RESULT = _analyse()


def test_table_3_row_by_row() -> None:
    rows = [row for row in RESULT.curve if row["qe"] == "qe"]
    expected = [
        (None, None, 0, 6, 0, 4, "0.00", "0.00"),
        (5, 25, 1, 5, 0, 4, "0.17", "0.00"),
        (9, 75, 1, 5, 1, 3, "0.17", "0.25"),
        (6, 93, 2, 4, 1, 3, "0.33", "0.25"),
        (1, 95, 3, 3, 3, 1, "0.50", "0.75"),
        (2, 95, 3, 3, 3, 1, "0.50", "0.75"),
        (4, 95, 3, 3, 3, 1, "0.50", "0.75"),
        (8, 99, 5, 1, 3, 1, "0.83", "0.75"),
        (10, 99, 5, 1, 3, 1, "0.83", "0.75"),
        (3, 100, 6, 0, 4, 0, "1.00", "1.00"),
        (7, 100, 6, 0, 4, 0, "1.00", "1.00"),
        (None, None, 6, 0, 4, 0, "1.00", "1.00"),
    ]
    found = [
        (
            *(row[name] for name in ("segment", "threshold", "tp", "fn", "fp", "tn")),
            *(f"{row[name]:.2f}" for name in ("tpr", "fpr")),
        )
        for row in rows
    ]
    assert found == expected
    assert [row["threshold"] for row in rows] == [row["qe_score"] for row in rows]


def test_a_reversed_direction_reverses_the_table() -> None:
    """B09, B30: scores of which the lower are the better."""
    rows = [row for row in RESULT.curve if row["qe"] == "reversed"]
    assert [row["threshold"] for row in rows[1:-1]] == [100, 100, 99, 99, 95, 95, 95, 93, 75, 25]
    assert [row["tp"] for row in rows] == [0, 1, 1, 3, 3, 4, 4, 4, 5, 5, 6, 6]
    areas = {row["qe"]: row["auc"] for row in RESULT.auc}
    assert areas == pytest.approx({"qe": 23 / 48, "reversed": 25 / 48})


def test_areas_of_table_3() -> None:
    row = next(row for row in RESULT.auc if row["qe"] == "qe")
    assert (row["n_segments"], row["positives"], row["negatives"]) == (10, 6, 4)
    assert row["partial_auc_low"] == pytest.approx(1 / 24)
    assert row["hull_auc"] == pytest.approx(29 / 48)
    assert row["se_hanley_mcneil"] == pytest.approx(0.195730, abs=1e-6)
    assert (row["best_f1"], row["best_f1_threshold"]) == (pytest.approx(3 / 4), 100)
    assert row["average_precision"] == pytest.approx(0.6694444, abs=1e-7)
    assert row["ci_low"] < row["auc"] < row["ci_high"]
    assert row["flags"] == ["chance_level", "small_class", "wide_interval"]


def test_bands_lie_on_the_grid_of_the_negatives() -> None:
    rows = [row for row in RESULT.bands if row["qe"] == "qe"]
    assert [row["fpr"] for row in rows] == [0, 0.25, 0.5, 0.75, 1]
    assert [row["tpr"] for row in rows] == pytest.approx([1 / 6, 1 / 3, 5 / 12, 5 / 6, 1])
    assert all(row["tpr_low"] <= row["tpr"] <= row["tpr_high"] for row in rows)
    assert rows[-1]["tpr_low"] == 1


def _decision(scenario: str, setting: str, result: RocAnalysis = RESULT) -> list[dict[str, Any]]:
    return [
        row
        for row in result.decisions
        if row["qe"] == "qe" and row["scenario"] == scenario and row["setting"] == setting
    ]


def test_decisions() -> None:
    (row,) = _decision("review_budget", "50")
    assert (row["threshold"], row["review_share"], row["errors_left_per_100"]) == (93, 0.3, 40)
    assert row["errors_left_per_100_random_ties"] == pytest.approx(33.333333, abs=1e-6)
    (row,) = _decision("review_budget", "0")
    assert (row["threshold"], row["errors_left_per_100"], row["review_share"]) == (None, 60, 0)
    (row,) = _decision("risk_target", "10")
    assert (row["threshold"], row["review_share"], row["fn"]) == (99, 0.8, 1)
    rows = _decision("cost", "1:1")
    assert [row["threshold"] for row in rows] == [99, 100]
    assert all("tied_optimum" in row["flags"] for row in rows)
    assert rows[0]["slope"] == pytest.approx(2 / 3)
    (row,) = _decision("cost", "1:1 at 1:1")
    assert (row["threshold"], row["slope"]) == (25, 1)
    (row,) = _decision("data_cleaning", "50")
    assert (row["fn"], row["fp"], row["errors_left_per_100"]) == (3, 3, 75)
    (row,) = _decision("data_cleaning", "10")
    assert (row["errors_left_per_100"], row["low"], row["high"]) == (None, None, None)
    assert "undefined" in row["flags"]


def test_decision_intervals_take_the_uncertain_class_ratio_in() -> None:
    """With the threshold fixed, the number of errors left is binomial among all ten segments, not among the six."""
    result = _analyse(RocSettings(review_budgets=(30,), n_resamples=20000, seed=3))
    (row,) = _decision("review_budget", "30", result)
    # 2.5% and 97.5% quantiles of Binomial(10, 0.4), per 100.
    assert (row["low"], row["high"]) == (10, 70)
    # The band at FPR 1/4 goes from 0 to 5/6 here: of six errors, one to all six are left.
    assert (row["band_low"], row["band_high"]) == (pytest.approx(10), pytest.approx(60))


def test_reviewers_who_miss_errors_are_asked_for_apart() -> None:
    result = _analyse(RocSettings(risk_targets=(10, 12), reviewer_miss=(0.0, 0.2), n_resamples=50))
    rows = _decision("risk_target", "10", result)
    assert [row["reviewer_miss"] for row in rows] == [0, 0.2]
    assert rows[1]["threshold"] is None
    assert "unreachable" in rows[1]["flags"]
    assert _decision("risk_target", "12", result)[1]["errors_left_per_100"] == pytest.approx(12)


def test_one_class_is_undefined_and_says_so() -> None:
    """B30: with flags, in every table."""
    errors = np.zeros(5, dtype=bool)
    qe = {name: QeScores(np.arange(5.0), higher_is_better=True) for name in "ab"}
    result = analyse(np.zeros(5), errors, qe, SETTINGS, segments=np.arange(5))
    assert [(row["auc"], row["ci_low"]) for row in result.auc] == [(None, None)] * 2
    assert result.auc[0]["flags"] == ["one_class", "small_class", "undefined"]
    assert result.auc_pairs[0]["p_value"] is None
    assert result.curve == result.bands == result.decisions == []


def test_identical_systems_do_not_differ() -> None:
    qe = {name: QeScores(SCORES, higher_is_better=True) for name in "ab"}
    (row,) = analyse(-5.0 * ERRORS, ERRORS, qe, SETTINGS, segments=IDS).auc_pairs
    assert (row["delta"], row["p_value"], row["ci_low"], row["ci_high"]) == (0, 1, 0, 0)
    assert "degenerate_interval" in row["flags"]


def test_document_resampling_counts_resamples_without_a_curve() -> None:
    result = _analyse(documents=np.arange(10) // 5)
    row = result.auc[0]
    assert row["ci_low"] is not None
    few = _analyse(documents=ERRORS[np.argsort(IDS)].astype(int))
    assert "undefined_replicates" in few.auc[0]["flags"]


def test_hulls_say_what_a_saved_miss_costs() -> None:
    rows = [row for row in RESULT.hulls if row["hull"] == "qe"]
    assert [(row["fp"], row["tp"], row["fp_per_fn_saved"]) for row in rows] == [
        (0, 0, None),
        (0, 1, 0),
        (3, 5, 0.75),
        (4, 6, 1),
    ]
    union = [row for row in RESULT.hulls if row["hull"] is None]
    assert union[-1]["hull_auc"] >= rows[-1]["hull_auc"]
    assert {row["qe"] for row in union} <= {"qe", "reversed", None}


@pytest.mark.parametrize(
    ("text", "errors"),
    [
        ("<0", [True, True, True, True, False]),
        ("<=-5", [True, True, False, False, False]),
        ("< -5", [True, False, False, False, False]),
        (">=0", [False, False, False, False, True]),
        (">-1", [False, False, False, False, True]),
    ],
)
def test_cutoffs(text: str, errors: list[bool]) -> None:
    assert Cutoff.parse(text).errors([-25, -4.999999999999999, -1, -1.000000000000002, -0.0]).tolist() == errors


@pytest.mark.parametrize("text", ["0", "=0", "<", "< zero", "<<0", "<0 or >5"])
def test_other_cutoffs_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="no comparison"):
        Cutoff.parse(text)


def _mtme_scores(path: Path) -> dict[str, npt.NDArray[np.float64]]:
    scores: dict[str, list[float]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").strip("\n").split("\n"):
        system, score = line.split("\t")
        scores[system].append(float("nan") if score == "None" else float(score))
    return {system: np.array(values) for system, values in scores.items()}


def test_published_areas_of_wmt23(shared_data: Path) -> None:
    """N, P and AUC of five QE metrics on the outputs of all systems, both language pairs."""
    root = shared_data / "mtme" / "wmt23"
    rows = (shared_data / "published" / "roc.wmt23.strict-cutoff.tsv").read_text(encoding="utf-8").split("\n")
    names = rows[0].split("\t")
    gold, qe = {}, {}
    found = 0
    for line in filter(None, rows[1:]):
        row = dict(zip(names, line.split("\t"), strict=True))
        pair, name, system = row["lp"], row["qe_metric"], row["system"]
        if pair not in gold:
            gold[pair] = _mtme_scores(root / "human-scores" / f"{pair}.mqm.seg.score")
        if (pair, name) not in qe:
            qe[pair, name] = _mtme_scores(root / "metric-scores" / pair / f"{name}-src.seg.score")
        rated = ~np.isnan(gold[pair][system])
        errors = Cutoff.parse("<0").errors(gold[pair][system][rated])
        curve = roc_curve(errors, qe[pair, name][system][rated])
        assert (curve.n_segments, curve.positives) == (int(row["N"]), int(row["P_mqm_below_0"]))
        assert curve.auc == pytest.approx(float(row["AUC"]), abs=1e-4), row
        found += 1
    assert found == 145
