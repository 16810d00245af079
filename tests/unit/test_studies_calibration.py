"""Koehn's study: every subset counted once, ties never wrong, bins exact, intervals that hold the truth."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from mtsig.errors import ConfigError
from mtsig.studies import calibration as study
from mtsig.studies.calibration import Calibration, Cell, calibrate
from mtsig.studies.evidence import TESTS, Judgement, Settings
from study_data import MEAN, Mean, columns_of


def run(columns, pairs, sizes, schemes=("broad",), *, metric=MEAN, truth=None, **settings):
    return calibrate(
        metric,
        columns,
        systems=[f"s{k}" for k in range(len(columns))],
        pairs=pairs,
        subset_sizes=sizes,
        schemes=schemes,
        settings=Settings(**{"tests": ["koehn", "p_value"], "n_resamples": 100, **settings}),
        truth=truth,
    )


def chain(count):
    return [(first, second) for first in range(count) for second in range(first + 1, count)]


def test_paper_design_gives_4140_conclusions():
    """Nine pairs, 300 + 100 + 50 + 10 subsets: one conclusion each, in exactly one bin."""
    rng = np.random.default_rng(1)
    columns = columns_of(*(rng.normal(size=(6, 30000)) + np.arange(6)[:, None] / 10))
    found = run(columns, chain(6)[:9], [100, 300, 600, 3000], n_resamples=20)
    assert len(study.conclusions_table(found)["wins_a"]) == 4140
    assert sum(row["conclusions"] for row in study.calibration_table(found)) == 4140
    assert len(study.subsets_table(found)["score"]) == 460 * 6
    assert len(study.verdicts_table(found)["test"]) == 4140 * 2


@pytest.mark.parametrize("scheme", ["broad", "consecutive", "random"])
def test_correct_wrong_and_undecided_sum_to_sets_times_pairs(scheme):
    """B27: 31 segments in 3 sets, 3 pairs: nine conclusions, each right, wrong or open."""
    rng = np.random.default_rng(2)
    found = run(columns_of(*rng.normal(size=(3, 31))), chain(3), [10], [scheme])
    rows = study.power_table(found)
    assert [row["n_subsets"] for row in rows] == [3, 3, 3]
    verdicts = study.conclusions_table(found)["koehn_verdict"]
    open_cases = sum(verdict == "none" for verdict in verdicts)
    decided = sum(3 * (row["percent_correct"] + row["percent_wrong"]) / 100 for row in rows)
    assert decided + open_cases == pytest.approx(9)
    assert sorted(set(study.subsets_table(found)["n_segments"].tolist())) == [10, 11]


def test_scores_are_those_of_the_segments_of_each_subset():
    """Broad subset k holds the segments i with i mod K = k."""
    values = np.arange(20.0)
    found = run(columns_of(values), [], [5])
    assert study.subsets_table(found)["score"].tolist() == [values[k::4].mean() for k in range(4)]
    assert study.subsets_table(found)["truth"].tolist() == [9.5] * 4


def _with_wins(wins_a, wins_b, n_resamples=1000, truth=(1.0, 0.0)):
    """A study of one pair and one cell with given numbers of wins."""
    wins_a, wins_b = (np.array(wins, dtype=np.int64)[:, None] for wins in (wins_a, wins_b))
    shape = (len(wins_a), 2)
    nothing = Judgement(
        np.full((len(wins_a), 1), np.nan), np.zeros((len(wins_a), 1), bool), np.zeros((len(wins_a), 1), np.int8)
    )
    cell = Cell(
        scheme="broad",
        subset_size=10,
        n_segments=np.full(len(wins_a), 10),
        scores=np.zeros(shape),
        low=np.zeros(shape),
        high=np.zeros(shape),
        wins_a=wins_a,
        wins_b=wins_b,
        ties=n_resamples - wins_a - wins_b,
        judgements={"koehn": nothing},
    )
    return Calibration(
        systems=("A", "B"),
        pairs=((0, 1),),
        truth=np.array(truth),
        n_segments=10000,
        settings=Settings(n_resamples=n_resamples, tests=["koehn"]),
        tolerance=1e-9,
        higher_is_better=True,
        truth_is_testset=True,
        cells=(cell,),
    )


def test_bins_are_decided_in_whole_numbers():
    """Each bin's first and last number of wins falls where the paper's labels say."""
    edges = [1000, 999, 990, 989, 980, 979, 950, 949, 900, 899, 800, 799, 700, 699, 600, 599, 500, 499, 0]
    expected = [1, 2, 2, 2, 2, 2, 2, 2, 2, 2]
    found = _with_wins(edges, [0] * len(edges))
    assert [row["conclusions"] for row in study.calibration_table(found)] == expected
    assert study.conclusions_table(found)["koehn_verdict"].tolist() == ["a"] * 7 + ["none"] * 12


def test_ties_put_a_winner_below_one_half():
    """400 wins to 300 with 300 ties: the leading system is right, in the tenth bin."""
    row = study.calibration_table(_with_wins([400], [300]))[-1]
    assert (row["bin"], row["conclusions"], row["correct"]) == ("below 50%", 1, 1)


def test_other_numbers_of_resamples_fall_in_the_same_bins():
    """With 20 resamples 19 wins are 95%, and 20 are 100%."""
    labels = [row["bin"] for row in study.calibration_table(_with_wins([19, 20], [1, 0], 20)) if row["conclusions"]]
    assert labels == ["100%", "95-97.9%"]


def test_ties_are_neither_right_nor_wrong():
    """B27: without a leading system, or a truly better one, a conclusion is open; it is still counted."""
    equal = study.conclusions_table(_with_wins([500, 0], [500, 0]))
    assert equal["leading"].tolist() == [None, None]
    assert equal["correct"].tolist() == [None, None]
    tied = _with_wins([990], [10], truth=(1.0, 1.0))
    conclusions = study.conclusions_table(tied)
    assert (conclusions["truth"][0], conclusions["correct"][0]) == ("tie", None)
    power = study.power_table(tied)[0]
    assert (power["truth"], power["percent_correct"], power["percent_wrong"]) == ("tie", None, None)
    assert power["flags"] == ["true_tie"]
    assert sum(row["decided"] for row in study.calibration_table(tied)) == 0


def test_identical_systems_everywhere():
    """Equal outputs: all resamples tie, nothing is significant, nothing is wrong, intervals stay."""
    values = np.random.default_rng(3).normal(size=200)
    found = run(columns_of(values, values), [(0, 1)], [20], tests=list(TESTS), n_trials=100)
    conclusions = study.conclusions_table(found)
    assert set(conclusions["ties"].tolist()) == {100}
    assert set(conclusions["correct"].tolist()) == {None}
    assert {row["conclusions"] for row in study.table_of_tests(found)} == {0}
    assert {row["percent_wrong"] for row in study.table_of_tests(found)} == {None}


def test_constant_scores_are_covered_by_their_points():
    """All segments alike: intervals without width hold the truth."""
    found = run(columns_of(np.full(60, 0.1), np.full(60, 0.3)), [(0, 1)], [20])
    assert set(study.subsets_table(found)["covered"].tolist()) == {True}
    assert {row["sd"] for row in study.ranges_table(found)} == {0.0}


def test_size_beyond_the_test_set_is_flagged():
    """No rows among the subsets, and a flag where sizes have rows of their own."""
    found = run(columns_of(*np.random.default_rng(4).normal(size=(2, 30))), [(0, 1)], [10, 31])
    assert set(study.subsets_table(found)["subset_size"].tolist()) == {10}
    for table in (study.coverage_table, study.power_table, study.ranges_table, study.table_of_tests):
        by_size = {row["subset_size"]: row["flags"] for row in table(found)}
        assert by_size == {10: ["subset_in_truth"], 31: ["subset_too_large"]}


def test_nothing_but_impossible_sizes():
    """Empty tables keep their columns."""
    found = run(columns_of(*np.random.default_rng(4).normal(size=(2, 30))), [(0, 1)], [31])
    assert all(len(values) == 0 for values in study.conclusions_table(found).values())
    assert [row["conclusions"] for row in study.calibration_table(found)] == [0] * 10
    assert study.coverage_table(found)[0]["coverage"] is None


def test_large_subsets_are_flagged_unless_the_truth_comes_from_elsewhere():
    """More than a twentieth of the test set makes up part of the truth, but not of a generator's."""
    columns = columns_of(np.random.default_rng(5).normal(size=2000))
    assert [row["flags"] for row in study.coverage_table(run(columns, [], [100]))] == [[]]
    assert "subset_in_truth" in study.coverage_table(run(columns, [], [101]))[0]["flags"]
    assert "subset_in_truth" not in study.coverage_table(run(columns, [], [101], truth=[0.0]))[0]["flags"]


def test_one_system_has_intervals_and_no_pairs():
    """Coverage and ranges without any conclusion."""
    found = run(columns_of(np.random.default_rng(6).normal(size=300)), [], [30])
    assert len(study.subsets_table(found)["system"]) == 10
    assert study.power_table(found) == []
    assert len(study.conclusions_table(found)["correct"]) == 0


def test_metric_without_direction_has_no_pairs():
    """Intervals only; asking for pairs is refused."""
    columns = columns_of(*np.random.default_rng(7).normal(size=(2, 40)))
    aimless = Mean(higher_is_better=None)
    assert len(study.coverage_table(run(columns, [], [10], metric=aimless))) == 2
    with pytest.raises(ConfigError, match="no direction"):
        run(columns, [(0, 1)], [10], metric=aimless)


def test_lower_is_better():
    """The truly better system is the one with the lower score."""
    rng = np.random.default_rng(8)
    columns = columns_of(rng.normal(size=400), rng.normal(2, 1, size=400))
    found = run(columns, [(0, 1)], [40], metric=Mean(higher_is_better=False))
    row = study.power_table(found)[0]
    assert (row["truth"], row["percent_correct"], row["percent_wrong"]) == ("a", 100, 0)
    assert row["difference"] < 0


def test_intervals_hold_the_truth_as_often_as_they_should():
    """100 broad samples of 300, 95% intervals, true means known: between 87 and 100 of them, for each of 20 systems."""
    rng = np.random.default_rng(9)
    columns = columns_of(*rng.normal(size=(20, 30000)))
    rows = study.coverage_table(run(columns, [], [300], n_resamples=1000, truth=np.zeros(20)))
    assert all(87 <= row["covered"] <= 100 for row in rows)
    assert sum(row["covered"] for row in rows) / 2000 == pytest.approx(0.945, abs=0.02)


def test_flag_where_coverage_leaves_its_limits():
    """A truth that is not the truth of the data is covered too rarely."""
    columns = columns_of(np.random.default_rng(10).normal(size=3000))
    assert study.coverage_table(run(columns, [], [100], truth=[0.3]))[0]["flags"] == ["outside_limits"]


def test_bins_are_honest_for_data_of_known_truth():
    """True differences of all sizes: more confidence is more often right, and right as often as it claims."""
    rng = np.random.default_rng(11)
    truth = np.arange(6) * 0.15
    columns = columns_of(*(rng.normal(size=(6, 12000)) + truth[:, None]))
    rows = study.calibration_table(run(columns, chain(6), [100, 300], n_resamples=1000, truth=truth))[:9]
    for better, worse in itertools.pairwise(rows):
        assert better["percent_high"] >= worse["percent_low"]
    assert rows[0]["percent_correct"] > 95 > 70 > rows[-1]["percent_correct"]
    assert all(row["percent_high"] >= lower / 10 for row, (_, lower) in zip(rows, study.BINS[:9], strict=True))


def test_blocks_spread_more_than_broad_samples_where_neighbours_are_alike():
    """Segments that share the level of their document."""
    rng = np.random.default_rng(12)
    columns = columns_of(np.repeat(rng.normal(size=100), 60) + rng.normal(size=6000))
    spread = {row["scheme"]: row["sd"] for row in study.ranges_table(run(columns, [], [60], ["broad", "consecutive"]))}
    assert spread["consecutive"] > 3 * spread["broad"]
