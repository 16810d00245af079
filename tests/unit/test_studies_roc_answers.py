"""Answers read off ROC curves: intervals with their estimates, stated class ratios, targets on the band."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from mtsig.studies.roc.analysis import RocAnalysis, analyse
from mtsig.studies.roc.answers import QeScores, RocSettings
from mtsig.studies.roc.bootstrap import hull_areas
from mtsig.studies.roc.curve import area_up_to, convex_hull, hull_auc, mcclish, partial_auc, roc_curve
from mtsig.studies.roc.decisions import share_for_target
from mtsig.studies.roc.delong import auc_covariances, normal_interval

#: The worked example of ten segments: six with an error, tied scores.
ERRORS = np.array([1, 0, 1, 1, 0, 0, 1, 1, 0, 1], dtype=bool)
SCORES = np.array([25.0, 75, 93, 95, 95, 95, 99, 99, 100, 100])
INTERVALS = {
    "decisions": [
        ("errors_left_per_100", "low", "high"),
        ("errors_left_per_100", "band_low", "band_high"),
        ("review_share", "review_low", "review_high"),
        ("review_share_random_ties", "band_review_low", "band_review_high"),
    ],
    "auc": [("auc", "ci_low", "ci_high"), ("auc", "delong_low", "delong_high")],
    "partial_auc": [("area", "ci_low", "ci_high"), ("standardized", "standardized_low", "standardized_high")],
    "hulls": [("hull_auc", "hull_auc_low", "hull_auc_high")],
}
ALL = RocSettings(
    review_budgets=(0, 10, 40, 75),
    risk_targets=(0, 5, 10, 30, 60),
    costs=("1:1", "10:1", "1:3"),
    class_ratios=("sample", "1:5", "3:1"),
    keep_shares=(90, 50, 10),
    reviewer_miss=(0.0, 0.2),
    n_resamples=40,
)


def _answers(errors: Any, scores: Any, settings: RocSettings, **options: Any) -> RocAnalysis:
    labels = np.asarray(errors, dtype=bool)
    qe = {"qe": QeScores(np.asarray(scores, dtype=float), higher_is_better=True)}
    return analyse(-1.0 * labels, labels, qe, settings, segments=np.arange(len(labels)), **options)


def _outside(result: RocAnalysis) -> list[tuple[str, str, dict[str, Any]]]:
    """Estimates that lie outside their intervals."""
    return [
        (table, estimate, row)
        for table, columns in INTERVALS.items()
        for row in getattr(result, table)
        for estimate, low, high in columns
        if row[estimate] is not None and row[low] is not None and not row[low] <= row[estimate] <= row[high]
    ]


@pytest.mark.parametrize("seed", range(25))
def test_every_interval_contains_its_estimate(seed: int) -> None:
    """On samples of all sizes, with ties of all degrees, drawn by segments and by documents."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 60))
    errors = rng.random(n) < rng.uniform(0.1, 0.9)
    errors[:2] = [True, False]
    scores = np.round(rng.normal(size=n) - errors * rng.uniform(-1, 2), int(rng.integers(0, 2)))
    documents = None if seed % 3 else np.arange(n) // 3
    assert _outside(_answers(errors, scores, ALL, documents=documents)) == []


def test_shares_by_lot_lie_in_their_intervals_where_the_first_point_is_steep() -> None:
    """Five segments, both good ones with the worst score: the band's edges are read between points of the curve."""
    rows = _answers([0, 1, 0, 1, 1], [1, 2, 1, 3, 4], RocSettings(risk_targets=(30, 20, 10))).decisions
    assert [row["review_share_random_ties"] for row in rows] == [pytest.approx(each) for each in (0.7, 0.8, 0.9)]
    assert all(row["band_review_low"] <= row["review_share_random_ties"] <= row["band_review_high"] for row in rows)


def test_a_budget_on_a_vertical_stretch_is_read_where_its_threshold_lies() -> None:
    """Both good segments share the worst score: reviewing them finds nothing, in every resample too."""
    settings = RocSettings(review_budgets=(40,), n_resamples=200)
    (row,) = _answers([0, 1, 0, 1, 1], [1, 2, 1, 3, 4], settings).decisions
    assert (row["errors_left_per_100"], row["band_low"], row["band_high"]) == (60, 60, 60)


def test_answers_at_a_stated_class_ratio_are_those_of_the_ratio() -> None:
    """At 1:5 one segment in six has an error; the best threshold finds one in six of them and no good segment."""
    settings = RocSettings(costs=("1:1",), class_ratios=("1:5",), n_resamples=300)
    (row,) = _answers(ERRORS, SCORES, settings).decisions
    assert row["threshold"] == 25
    assert row["errors_left_per_100"] == pytest.approx(100 / 6 * 5 / 6)  # 13.9
    assert row["review_share"] == pytest.approx(1 / 6 / 6)  # 2.8%
    # None of six errors found, or (as 97.5% of the resamples) four of six.
    assert row["band_high"] == pytest.approx(100 / 6)
    assert 0 < row["low"] <= row["errors_left_per_100"] < row["high"] <= 100 / 6 + 1e-9
    assert (row["tp"], row["fn"], row["fp"], row["tn"]) == (1, 5, 0, 4)
    assert "assumed_ratio" in row["flags"]


def test_reviewers_who_overlook_errors_at_a_stated_class_ratio() -> None:
    """At 1:1 and threshold 99, five of six errors are seen and four of five of these are found."""
    settings = RocSettings(costs=("8:5",), class_ratios=("1:1",), reviewer_miss=(0.2,), n_resamples=20)
    rows = _answers(ERRORS, SCORES, settings).decisions
    chosen = {row["threshold"]: row for row in rows}
    expected = {25: (1, 0), 99: (5, 3), 100: (6, 4)}
    for threshold, row in chosen.items():
        tp, fp = expected[threshold]
        assert row["errors_left_per_100"] == pytest.approx(50 * (1 - 0.8 * tp / 6))
        assert row["review_share"] == pytest.approx(tp / 12 + fp / 8)


def test_the_interval_of_a_risk_target_is_where_the_edges_of_the_band_reach_it() -> None:
    """30 of 100 left need half of six errors: 3 of 10 on the upper edge, which starts above; on the lower edge later.

    The lower edge rises from 1/9 at three of four good segments to 1 at all four, as the exact resamples say.
    """
    (row,) = _answers(ERRORS, SCORES, RocSettings(risk_targets=(30,), n_resamples=4000)).decisions
    later = (3 + 4 * (0.75 + 0.25 * (1 / 2 - 1 / 9) / (1 - 1 / 9))) / 10
    assert (row["band_review_low"], row["band_review_high"]) == (pytest.approx(0.3), pytest.approx(later, abs=0.03))
    assert (row["review_share"], row["review_low"]) == (0.6, row["band_review_low"])
    assert row["review_share_random_ties"] == pytest.approx(0.6)


def test_a_target_inside_a_tie_is_reached_by_lot_before_all_tied_are_reviewed() -> None:
    """Half of the segments share one score and half of these have an error."""
    errors, scores = [1, 1, 1, 0, 1, 0, 1, 0], [1, 2, 3, 4, 5, 5, 5, 5]
    (row,) = _answers(errors, scores, RocSettings(risk_targets=(12.5,), n_resamples=200)).decisions
    # One of five errors may be left: after the four worst segments, one of the two errors among four tied ones.
    assert row["review_share"] == 1
    assert row["review_share_random_ties"] == pytest.approx(0.75)
    assert row["review_high"] == 1
    assert row["band_review_high"] <= 1


@pytest.mark.parametrize(
    ("per_100", "miss", "share"),
    [(60, 0, 0), (30, 0, 0.5), (0, 0, 1), (30, 0.5, 1), (29, 0.5, None), (48, 0.5, 0.4), (60, 1, 0), (59, 1, None)],
)
def test_shares_along_the_diagonal(per_100: float, miss: float, share: float | None) -> None:
    """On a straight line the share of errors seen is the share that is reviewed."""
    assert share_for_target(roc_curve(ERRORS, SCORES), [0, 1], [0, 1], per_100, reviewer_miss=miss) == (
        None if share is None else pytest.approx(share)
    )


def test_a_budget_that_ties_exceed_says_so_and_what_is_possible() -> None:
    """Four of ten segments share the worst score: 10% and 30% review nothing, 40% those; 0% wants nothing."""
    scores = [1, 1, 1, 1, 2, 3, 4, 5, 6, 7]
    rows = _answers(ERRORS, scores, RocSettings(review_budgets=(0, 10, 30, 40), n_resamples=20)).decisions
    assert [row["threshold"] for row in rows] == [None, None, None, 1]
    assert ["ties_exceed_budget" in row["flags"] for row in rows] == [False, True, True, False]
    assert {row["least_review_share"] for row in rows} == {0.4}


def test_targets_beyond_every_budget_are_flagged() -> None:
    rows = _answers(ERRORS, SCORES, RocSettings(review_budgets=(60,), risk_targets=(30, 20), n_resamples=20)).decisions
    flagged = {row["setting"]: "beyond_budget" in row["flags"] for row in rows if row["scenario"] == "risk_target"}
    assert flagged == {"30": False, "20": True}


def test_the_cheapest_of_several_qe_systems_is_the_touching_point_of_the_common_hull() -> None:
    """Where a false alarm is dear the first is better, where a miss is dear the second; at 1:1 they tie."""
    qe = {
        "first": QeScores(np.array([4.0, 1, 3, 2]), higher_is_better=False),
        "second": QeScores(np.array([3.0, 2, 4, 1]), higher_is_better=False),
    }
    errors = np.array([True, True, False, False])
    settings = RocSettings(costs=("1:2", "1:1", "2:1"), n_resamples=20)
    result = analyse(-1.0 * errors, errors, qe, settings, segments=np.arange(4))
    best: dict[str, set[str]] = {}
    for row in result.decisions:
        if row["cheapest"]:
            best.setdefault(row["setting"], set()).add(row["qe"])
    assert best == {"1:2": {"first"}, "1:1": {"first", "second"}, "2:1": {"second"}}
    union = [row for row in result.hulls if row["hull"] is None]
    # (0,0), (0,1/2), (1/2,1), (1,1): upwards no alarm, one alarm an error, and alarms for nothing.
    assert [row["fp_per_fn_saved"] for row in union] == [None, 0, 1, None]
    assert [row["fn_per_fp_spared"] for row in union] == [None, None, 1, 0]


def test_areas_up_to_a_rate() -> None:
    """The part up to a rate and the part from it on are the whole; vertical stretches have no area."""
    curve = roc_curve(ERRORS, SCORES)
    for limit in (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0):
        below = area_up_to(curve.fpr, curve.tpr, limit)
        assert below == pytest.approx(partial_auc(curve, 0, limit) if limit else 0)
        assert curve.auc - below == pytest.approx(partial_auc(curve, limit, 1) if limit < 1 else 0)


def test_resampled_partial_areas_average_to_the_area() -> None:
    """Over low and high parts that meet, replicates of both sum to those of the whole area, whose mean is the area."""
    settings = RocSettings(partial_fpr=0.5, n_resamples=4000)
    result = _answers(ERRORS, SCORES, settings)
    low, high = result.partial_auc
    assert low["area"] == pytest.approx(0.1354167, abs=1e-7)
    assert low["standardized"] == pytest.approx(0.5138889, abs=1e-7)
    assert low["area"] + high["area"] == pytest.approx(23 / 48)
    assert (high["fpr_low"], high["fpr_high"]) == (0.5, 1)


def test_hulls_of_resamples_are_those_of_their_corners() -> None:
    """Against the hull made of corners, on curves of all shapes; and McClish's scale at the far end of the curve."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        errors = np.array([True, False] * 10)
        scores = np.round(rng.normal(size=20), 1)
        curve = roc_curve(errors, scores)
        grid = np.arange(11) / 10
        (area,) = hull_areas(np.interp(grid, curve.fpr, curve.tpr)[np.newaxis])
        assert area == pytest.approx(hull_auc(convex_hull(curve)))
    assert (mcclish(0.375, 0.5, 1.0), mcclish(0.5, 0.5, 1.0)) == (0.5, 1.0)


def test_placement_values_by_hand() -> None:
    """Two by two: of the errors one beats both good segments, the other one of them; variances 1/8 each, halved."""
    covariances = auc_covariances([1, 1, 0, 0], {"one": [3, 1, 2, 0], "same": [3, 1, 2, 0], "other": [0, 2, 1, 3]})
    assert covariances["one", "one"] == covariances["one", "same"] == pytest.approx(0.125)
    assert covariances["one", "other"] == pytest.approx(-0.125)
    assert auc_covariances([1, 0, 0], {"qe": [1, 2, 3]}) == {}
    assert normal_interval(0.95, 0.01, confidence_level=0.95)[1] == 1


def _seg_scores(path: Path) -> dict[str, np.ndarray]:
    scores: dict[str, list[float]] = {}
    for line in path.read_text(encoding="utf-8").strip("\n").split("\n"):
        system, score = line.split("\t")
        scores.setdefault(system, []).append(float("nan") if score == "None" else float(score))
    return {system: np.array(values) for system, values in scores.items()}


def test_every_decision_of_the_shipped_study_on_wmt23(shared_data: Path, repository: Path) -> None:
    """Each row recounted from the scores: what its threshold reviews and leaves, and intervals around it.

    GEMBA-MQM on Lan-BridgeMT: 10 errors in 100 are left after all segments, or after 75% to 81% by the band, since
    most good segments share one score.
    """
    study = yaml.safe_load((repository / "config/studies/qe-roc-wmt23.yaml").read_text(encoding="utf-8"))["studies"]
    checked = 0
    for options in study.values():
        langpair = options["testset"].removeprefix("wmt23-")
        root = shared_data / "mtme" / "wmt23"
        human = _seg_scores(root / "human-scores" / f"{langpair}.mqm.seg.score")
        files = {name: "Random-sysname" if name == "Random" else name for name in options["qe"]}
        qe = {
            name: _seg_scores(root / "metric-scores" / langpair / f"{file}-src.seg.score")
            for name, file in files.items()
        }
        names = ("review_budgets", "risk_targets", "costs", "keep_shares", "reviewer_miss")
        settings = RocSettings(**{name: tuple(options[name]) for name in names}, n_resamples=200)
        for system in options["systems"]:
            rated = ~np.isnan(human[system])
            errors = human[system][rated] < -1e-9
            own = {name: QeScores(scores[system][rated], higher_is_better=True) for name, scores in qe.items()}
            result = analyse(human[system][rated], errors, own, settings, segments=np.flatnonzero(rated))
            assert _outside(result) == []
            for row in result.decisions:
                if row["review_share"] is None:
                    continue
                scores = own[row["qe"]].scores
                reviewed = scores <= (-np.inf if row["threshold"] is None else row["threshold"])
                missed = (errors & ~reviewed).sum() + row["reviewer_miss"] * (errors & reviewed).sum()
                left = 100 * missed / len(errors)
                if row["scenario"] == "data_cleaning":
                    left = 100 * errors[~reviewed].mean() if not reviewed.all() else None
                elif row["scenario"] == "review_budget":
                    assert 100 * reviewed.mean() <= float(row["setting"])
                elif row["scenario"] == "risk_target":
                    assert left <= float(row["setting"]) + 1e-9
                assert row["errors_left_per_100"] == (None if left is None else pytest.approx(left))
                assert row["review_share"] == pytest.approx(reviewed.mean())
                checked += 1
                if (system, row["qe"], row["scenario"], row["setting"], row["reviewer_miss"], langpair) == (
                    *("Lan-BridgeMT", "GEMBA-MQM", "risk_target", "10", 0.0),
                    "en-de",
                ):
                    assert row["review_share"] == 1
                    assert row["band_review_low"] == pytest.approx(0.75, abs=0.01)
                    assert row["band_review_high"] == pytest.approx(0.81, abs=0.01)
    assert checked > 500


@pytest.mark.slow
def test_intervals_contain_the_truth_as_often_as_they_say() -> None:
    """Errors left at a fixed threshold, areas by bootstrap and by DeLong, and partial areas, over 300 samples.

    Scores of segments with an error are normal with mean 1, of others with mean 0, and 40% have an error.
    """
    from math import erf, sqrt

    def phi(x: float) -> float:
        return (1 + erf(x / sqrt(2))) / 2

    n, trials = 300, 300
    hits = dict.fromkeys(("fixed", "auc", "delong", "partial"), 0)
    rng = np.random.default_rng(5)
    x = np.linspace(-8, 9, 200_001)
    fpr, tpr = np.array([1 - phi(t) for t in x[::40]]), np.array([1 - phi(t - 1) for t in x[::40]])
    order = np.argsort(fpr)
    truth_auc = phi(1 / sqrt(2))
    truth_partial = area_up_to(fpr[order], tpr[order], 0.2)
    for trial in range(trials):
        errors = rng.random(n) < 0.4
        scores = -(rng.normal(size=n) + errors)
        settings = RocSettings(review_budgets=(30,), seed=trial, n_resamples=300)
        result = _answers(errors, scores, settings)
        (row,) = result.decisions
        left = 40 * phi(-row["threshold"] - 1)
        hits["fixed"] += row["low"] <= left <= row["high"]
        area = result.auc[0]
        hits["auc"] += area["ci_low"] <= truth_auc <= area["ci_high"]
        hits["delong"] += area["delong_low"] <= truth_auc <= area["delong_high"]
        part = result.partial_auc[0]
        hits["partial"] += part["ci_low"] <= truth_partial <= part["ci_high"]
    # Of 300 with 95%, at least 272 with 99.9% probability; percentile intervals of so many may be a little short.
    assert all(count >= 268 for count in hits.values()), hits
