"""The meta-evaluation as a whole: rows, intervals, tests between metrics."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from mtsig.resampling.draws import draw_counts, swap_signs
from mtsig.studies.meta.analysis import STATISTICS, MetaAnalysis, MetaSettings, Scored, evaluate
from mtsig.studies.meta.comparison import standardize
from mtsig.studies.meta.permutation import permuted_items, permuted_pair_statistics, permuted_pearson
from mtsig.studies.meta.segments import GROUPINGS, pair_replicates, pearson_replicates
from scipy import stats

Floats = npt.NDArray[np.float64]
N_SYSTEMS, N_SEGMENTS = 5, 40


def _data() -> tuple[Floats, dict[str, Floats]]:
    rng = np.random.default_rng(1)
    quality = rng.normal(size=(N_SYSTEMS, 1)) + rng.normal(size=(N_SYSTEMS, N_SEGMENTS))
    human = np.round(quality)
    return human, {
        "good": human + rng.normal(scale=0.2, size=human.shape),
        "fair": human + rng.normal(scale=2.0, size=human.shape),
        "noise": rng.normal(size=human.shape),
    }


HUMAN, METRICS = _data()


def _evaluate(
    human: Floats = HUMAN, metrics: dict[str, Floats] = METRICS, *, units: Any = None, **options: Any
) -> MetaAnalysis:
    settings = MetaSettings(
        **{"groupings": GROUPINGS, "statistics": STATISTICS, "n_resamples": 100, "n_trials": 200, **options}
    )
    return evaluate(
        Scored.of_means(human),
        {name: Scored.of_means(scores) for name, scores in metrics.items()},
        settings,
        units=np.arange(human.shape[1]) if units is None else units,
    )


RESULT = _evaluate()


def _row(result: MetaAnalysis, metric: str, statistic: str, level: str, grouping: str = "none") -> dict[str, Any]:
    key = {"metric_name": metric, "statistic": statistic, "level": level, "grouping": grouping}
    (row,) = (row for row in result.correlations if all(row[name] == value for name, value in key.items()))
    return row


def test_better_metrics_come_first() -> None:
    for level, grouping, statistic in {
        (row["level"], row["grouping"], row["statistic"]) for row in RESULT.correlations if row["level"] == "segment"
    }:
        values = [_row(RESULT, name, statistic, level, grouping)["value"] for name in ("good", "fair", "noise")]
        assert values == sorted(values, reverse=True)


def test_values_are_scipys() -> None:
    mean = HUMAN.mean(axis=1)
    for name, scores in METRICS.items():
        row = _row(RESULT, name, "pearson", "system")
        assert row["value"] == pytest.approx(stats.pearsonr(mean, scores.mean(axis=1)).statistic)
        row = _row(RESULT, name, "spearman", "system")
        assert row["value"] == pytest.approx(stats.spearmanr(mean, scores.mean(axis=1)).statistic)
        row = _row(RESULT, name, "pearson", "segment")
        assert row["value"] == pytest.approx(stats.pearsonr(HUMAN.ravel(), scores.ravel()).statistic)
        row = _row(RESULT, name, "kendall_b", "segment")
        assert row["value"] == pytest.approx(stats.kendalltau(HUMAN.ravel(), scores.ravel()).statistic)
        by_system = [stats.kendalltau(h, m).statistic for h, m in zip(HUMAN, scores, strict=True)]
        row = _row(RESULT, name, "kendall_b", "segment", "system")
        assert row["value"] == pytest.approx(np.mean(by_system))
        assert row["n"] == N_SYSTEMS
        by_item = [stats.kendalltau(h, m).statistic for h, m in zip(HUMAN.T, scores.T, strict=True) if np.ptp(h)]
        row = _row(RESULT, name, "kendall_b", "segment", "item")
        assert row["value"] == pytest.approx(np.mean(by_item))
        assert row["n"] == len(by_item)


def test_system_interval_is_that_of_the_resampled_means() -> None:
    counts = np.concatenate(list(draw_counts(12345, N_SEGMENTS, 100, dtype=np.float64)))
    human, metric = counts @ HUMAN.T, counts @ METRICS["fair"].T
    replicates = np.sort([np.corrcoef(h, m)[0, 1] for h, m in zip(human, metric, strict=True)])
    row = _row(RESULT, "fair", "pearson", "system")
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((replicates[2], replicates[97]))


def test_corpus_metrics_are_resampled_through_their_sums() -> None:
    """A ratio of sums is not the mean of ratios."""
    rng = np.random.default_rng(3)
    columns = rng.integers(1, 9, size=(N_SYSTEMS, N_SEGMENTS, 2)).astype(float)

    def ratio(sums: Floats) -> Floats:
        return sums[..., 0] / sums[..., 1]

    scored = Scored(ratio(columns), columns, ratio, 1.0)
    settings = MetaSettings(levels=("system",), statistics=("pearson",), n_resamples=50)
    result = evaluate(Scored.of_means(HUMAN), {"ratio": scored}, settings, units=np.arange(N_SEGMENTS))
    expected = np.corrcoef(HUMAN.mean(axis=1), ratio(columns.sum(axis=1)))[0, 1]
    assert result.correlations[0]["value"] == pytest.approx(expected)


@pytest.mark.parametrize("resampled", ["systems", "both"])
def test_systems_may_be_drawn_too(resampled: str) -> None:
    result = _evaluate(resampled=resampled)
    without = {
        (row["level"], row["grouping"], row["statistic"])
        for row in result.correlations
        if "no_interval" in row["flags"]
    }
    if resampled == "systems":
        assert not without
    else:
        assert {statistic for _, grouping, statistic in without if grouping == "none"} >= {"kendall_b", "spa"}
        assert all(grouping == "none" for _, grouping, _ in without)
    wide, narrow = (_row(x, "fair", "pearson", "system") for x in (result, RESULT))
    assert wide["ci_high"] - wide["ci_low"] > narrow["ci_high"] - narrow["ci_low"]


def test_documents_are_drawn_whole() -> None:
    result = _evaluate(units=np.zeros(N_SEGMENTS, dtype=np.int64), levels=("segment",), statistics=("pearson",))
    assert all("degenerate_interval" in row["flags"] for row in result.correlations)


def test_constant_scores_are_undefined_with_a_reason() -> None:
    result = _evaluate(metrics={"constant": np.ones_like(HUMAN), "good": METRICS["good"]})
    for level, statistic in (("system", "pearson"), ("segment", "pearson"), ("segment", "kendall_b")):
        row = _row(result, "constant", statistic, level)
        assert row["value"] is None
        assert row["flags"] == ["constant_scores", "undefined"]
        assert row["rank"] is None
    for statistic in ("pairwise_accuracy", "spa"):
        row = _row(result, "constant", statistic, "system")
        assert (row["value"], row["ci_low"], row["flags"]) == (None, None, ["constant_scores", "undefined"])
        assert _row(result, "good", statistic, "system")["value"] > 0.5
    assert _row(result, "constant", "acc_eq", "segment", "item")["value"] is not None
    pairs = [row for row in result.metric_pairs if row["statistic"] == "pearson" and row["level"] == "segment"]
    assert all(row["p_value"] is None and not row["significant"] for row in pairs)


def test_tests_between_metrics() -> None:
    rows = {
        (row["metric_a"], row["metric_b"], row["level"], row["grouping"], row["statistic"]): row
        for row in RESULT.metric_pairs
    }
    row = rows["fair", "good", "segment", "none", "pearson"]
    assert (row["p_value"], row["winner"], row["test"]) == (1 / 201, "good", "perm_both")
    assert row["p_williams"] < 1e-6
    row = rows["good", "noise", "segment", "item", "acc_eq_calibrated"]
    assert (row["winner"], row["test"]) == ("good", "perm_items")
    # Five systems can be swapped in 32 ways: all of them are counted, and p has no +1.
    row = rows["fair", "noise", "system", "none", "pearson"]
    assert row["n_trials"] == 32
    assert (row["p_value"] * 32).is_integer()
    assert all(0 < row["p_value"] <= 1 for row in RESULT.metric_pairs if row["p_value"] is not None)


def test_identical_metrics_do_not_differ() -> None:
    result = _evaluate(metrics={"a": METRICS["fair"], "b": METRICS["fair"].copy()})
    assert {row["p_value"] for row in result.metric_pairs} == {1}
    assert {row["rank"] for row in result.correlations if row["statistic"] != "spa"} <= {1, None}


def test_ranks_follow_significance() -> None:
    rows = [_row(RESULT, name, "pearson", "segment") for name in ("good", "fair", "noise")]
    assert [row["rank"] for row in rows] == [1, 2, 3]


def test_missing_scores_are_left_out_for_all() -> None:
    human = HUMAN.copy()
    human[:, 30:] = np.nan
    shown = _evaluate(human, statistics=("pearson", "kendall_b"))
    short = _evaluate(
        HUMAN[:, :30], {name: scores[:, :30] for name, scores in METRICS.items()}, statistics=("pearson", "kendall_b")
    )
    values = [[row["value"] for row in result.correlations] for result in (shown, short)]
    assert values[0] == pytest.approx(values[1])


def test_perm_both_recomputes_the_statistic_on_swapped_scores() -> None:
    first, second = (standardize(METRICS[name][:, :8]) for name in ("fair", "noise"))
    human = HUMAN[:, :8].copy()
    human[1, 2] = np.nan
    blocks = list(swap_signs(3, human.size, 15, dtype=np.float64))
    names = ["kendall_a", "kendall_b", "kendall_13", "acc_eq"]
    pairs = permuted_pair_statistics(human, first, second, names, blocks)
    pearson = {grouping: permuted_pearson(human, first, second, grouping, blocks) for grouping in GROUPINGS}
    for trial, keep in enumerate(np.concatenate(blocks).reshape(-1, *human.shape).astype(bool)):
        one, other = np.where(keep, first, second), np.where(keep, second, first)
        for grouping in GROUPINGS:
            values = [pearson_replicates(human, mixture, grouping=grouping)[0] for mixture in (one, other)]
            assert pearson[grouping][trial] == pytest.approx(values[0] - values[1], abs=1e-9)
        listed = [pair_replicates(human, mixture, names, grouping="item") for mixture in (one, other)]
        for name in names:
            assert pairs[name][trial] == pytest.approx(listed[0][name][0] - listed[1][name][0], abs=1e-6)


def test_items_are_swapped_whole() -> None:
    keep = np.array([[1.0, 1.0, 1.0], [0.0, 1.0, 1.0]])
    found = permuted_items(np.array([1.0, 0.5, np.nan]), np.array([0.0, 0.0, 1.0]), [keep])
    assert found == pytest.approx([0.75, -0.25])


def test_systems_that_people_score_alike_have_no_order() -> None:
    """Whatever a metric says of them: no accuracy is 0 for want of an order to find."""
    alike = Scored.of_means(np.tile(HUMAN[:1], (len(HUMAN), 1)))
    settings = MetaSettings(levels=("system",), statistics=("pairwise_accuracy", "spa"), n_resamples=20, n_trials=20)
    metrics = {name: Scored.of_means(scores) for name, scores in METRICS.items()}
    rows = evaluate(alike, metrics, settings, units=np.arange(N_SEGMENTS)).correlations
    assert len(rows) == 2 * len(METRICS)
    assert all(row["value"] is None and "constant_scores" in row["flags"] for row in rows)
