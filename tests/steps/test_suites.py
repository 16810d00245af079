"""The step `suites`, against direct computation."""

from __future__ import annotations

import numpy as np
import pytest
from mtsig import io
from mtsig.contracts import TABLES, scores_schema
from mtsig.errors import InputError
from mtsig.metrics import create_metric
from mtsig.resampling.intervals import percentile_interval
from mtsig.resampling.scorer import MeanScorer
from mtsig.resampling.settings import ResamplingSettings
from mtsig.resampling.suites import SuiteMember, analyse_suite, member_seed
from mtsig.steps.figures import figures
from mtsig.steps.suites import suites
from mtsig.steps.summary import summary
from mtsig.steps.tables import tables

R, TRIALS = 500, 400


def _members(n_systems=3, sizes=(40, 60), *, seed=1, gap=0.3, higher_is_better=True):
    rng = np.random.default_rng(seed)
    return [
        SuiteMember(
            testset=f"set{number}",
            statistics={f"s{system}": rng.normal(gap * system, 1, (size, 1)) for system in range(n_systems)},
            scorer=MeanScorer(higher_is_better=higher_is_better),
            documents=[None] * size,
            domains=[None] * size,
        )
        for number, size in enumerate(sizes)
    ]


def _settings(**changes):
    return ResamplingSettings(**{"seed": 7, "n_resamples": R, "n_trials": TRIALS, **changes})


def _replicates(members, system):
    """The mean over test sets of the mean of each resample, drawn with the generator's own choice."""
    total = np.zeros(R)
    for member in members:
        values = member.statistics[system][:, 0]
        rng = np.random.default_rng(member_seed(7, member.testset))
        total += values[rng.choice(len(values), size=(R, len(values)))].mean(axis=1)
    return total / len(members)


def test_scores_intervals_and_p_values_are_those_of_a_direct_computation():
    members = _members()
    analysis = analyse_suite(members, _settings())
    for row in analysis.systems:
        expected = np.mean([member.statistics[row.system].mean() for member in members])
        assert row.score == pytest.approx(expected, rel=1e-12)
        interval = percentile_interval(_replicates(members, row.system))
        assert (row.ci_low, row.ci_high) == pytest.approx((interval.low, interval.high), rel=1e-12)
        assert row.n_segments == 100
    for row in analysis.pairs:
        differences = _replicates(members, row.system_a) - _replicates(members, row.system_b)
        below, above = np.count_nonzero(differences <= 0), np.count_nonzero(differences >= 0)
        assert row.p_value == min(1.0, 2 * (min(below, above) + 1) / (R + 1))


def test_randomization_swaps_every_test_set_by_itself():
    members = _members(2)
    (row,) = analyse_suite(members, _settings()).pairs
    total = np.zeros(TRIALS)
    for member in members:
        differences = (member.statistics["s0"] - member.statistics["s1"])[:, 0]
        rng = np.random.default_rng(member_seed(7, member.testset))
        keep = rng.integers(2, size=(TRIALS, len(differences)), dtype=bool)
        total += np.where(keep, differences, -differences).mean(axis=1)
    extreme = np.count_nonzero(np.abs(total / 2) >= abs(row.delta) - 1e-9)
    assert row.p_ar == (extreme + 1) / (TRIALS + 1)
    assert row.ar_exact is False


def test_few_segments_are_swapped_in_every_possible_way():
    """Differences 1, 1 on one test set and 1 on the other: 2 of the 8 ways are as extreme."""
    members = [
        SuiteMember(
            name,
            {"a": np.ones((size, 1)), "b": np.zeros((size, 1))},
            MeanScorer(higher_is_better=True),
            [None] * size,
            [None] * size,
        )
        for name, size in (("one", 2), ("two", 1))
    ]
    (row,) = analyse_suite(members, _settings()).pairs
    assert (row.p_ar, row.ar_exact) == (2 / 8, True)
    assert not row.significant
    assert {"few_units", "very_few_units"} <= set(row.flags)


def test_one_small_test_set_makes_the_average_unreliable():
    (row,) = analyse_suite(_members(2, (500, 12)), _settings()).pairs
    assert "few_units" in row.flags


def test_without_common_segments_nothing_is_defined():
    """BLEU makes a 0 of empty sums; a test set without any common segment has no score all the same."""
    rows = np.ones((5, 10))
    members = [
        SuiteMember("one", {"a": rows, "b": other}, create_metric("bleu", {}, "xx-en"), [None] * 5, [None] * 5)
        for other in (rows * np.nan, rows)
    ]
    analysis = analyse_suite(members, _settings(), missing="intersect")
    assert [row.score for row in analysis.systems] == [pytest.approx(100.0), None]
    (row,) = analysis.pairs
    assert (row.delta, row.p_value, row.winner) == (None, None, None)
    assert "undefined" in row.flags
    assert "identical_output" not in row.flags


def test_a_suite_of_one_test_set_scores_like_it():
    members = _members(sizes=(50,))
    for row in analyse_suite(members, _settings()).systems:
        assert row.score == pytest.approx(members[0].statistics[row.system].mean(), rel=1e-12)


def test_a_pair_does_not_depend_on_other_systems_or_their_order():
    members = _members(4)
    fewer = [
        SuiteMember(m.testset, {name: m.statistics[name] for name in ("s2", "s0")}, m.scorer, m.documents, m.domains)
        for m in members
    ]
    whole = {(row.system_a, row.system_b): row for row in analyse_suite(members, _settings()).pairs}
    (row,) = analyse_suite(fewer, _settings()).pairs
    other = whole["s0", "s2"]
    assert (row.p_value, row.p_ar, row.winner, row.flags) == (other.p_value, other.p_ar, other.winner, other.flags)
    # Sums of real numbers may differ in their last digit.
    assert (row.delta, row.ci_low, row.ci_high) == pytest.approx((other.delta, other.ci_low, other.ci_high), rel=1e-12)


def test_identical_systems_are_equal_for_certain():
    members = [
        SuiteMember(m.testset, {"a": m.statistics["s0"], "b": m.statistics["s0"]}, m.scorer, m.documents, m.domains)
        for m in _members(1)
    ]
    (row,) = analyse_suite(members, _settings()).pairs
    assert (row.p_value, row.p_ar, row.significant, row.ci_low, row.ci_high) == (1.0, 1.0, False, 0.0, 0.0)
    assert "identical_output" in row.flags


def test_wins_over_test_sets_follow_the_direction():
    members = _members(2, gap=2.0, higher_is_better=False)
    analysis = analyse_suite(members, _settings())
    assert analysis.pairs[0].winner == "s0"
    assert analysis.wins["s0", "s1"] == (2, 0)


def test_a_system_that_a_test_set_lacks_is_refused_or_left_out_and_named():
    one, two = _members()
    lacking = SuiteMember(
        two.testset, {name: two.statistics[name] for name in ("s0", "s1")}, two.scorer, two.documents, two.domains
    )
    with pytest.raises(InputError, match="set1: system s2 is missing"):
        analyse_suite([one, lacking], _settings())
    analysis = analyse_suite([one, lacking], _settings(), missing="intersect")
    assert [(row.system, row.score is None, "missing_testsets" in row.flags) for row in analysis.systems] == [
        ("s0", False, False),
        ("s1", False, False),
        ("s2", True, True),
    ]
    assert [row.rank for row in analysis.systems] == [2, 1, None]
    assert len(analysis.pairs) == 1


def test_a_pair_does_not_depend_on_the_segments_that_another_system_lacks():
    """B18: a system with gaps of its own changes neither the other systems nor their pair."""
    members, fewer = _members(3), _members(3)
    members[0].statistics["s2"][5:9] = np.nan
    for member in fewer:
        del member.statistics["s2"]
    analysis, alone = (analyse_suite(them, _settings(), missing="intersect") for them in (members, fewer))
    (expected,) = alone.pairs
    row, other, _ = analysis.pairs
    assert (row.p_value, row.p_ar, row.wins_a, row.winner, row.flags, row.n_segments) == (
        expected.p_value,
        expected.p_ar,
        expected.wins_a,
        expected.winner,
        expected.flags,
        100,
    )
    assert (row.delta, row.ci_low, row.ci_high) == pytest.approx((expected.delta, expected.ci_low, expected.ci_high))
    assert (other.n_segments, "missing_segments" in other.flags) == (96, True)
    for one, same in zip(alone.systems, analysis.systems, strict=False):
        assert (one.n_segments, one.score) == (same.n_segments, pytest.approx(same.score))
    assert [found.rank for found in analysis.systems] == [None, None, None]
    assert analysis.wins["s0", "s1"] == alone.wins["s0", "s1"]


def test_a_system_is_scored_on_its_own_segments_and_a_pair_on_the_common_ones():
    members = _members(2)
    members[0].statistics["s0"][3] = np.nan
    with pytest.raises(InputError, match="set0: system s0 has no score on segment 4"):
        analyse_suite(members, _settings())
    analysis = analyse_suite(members, _settings(), missing="intersect")
    first, second = (member.statistics["s1"] for member in members)
    assert analysis.systems[1].score == pytest.approx((first.mean() + second.mean()) / 2, rel=1e-12)
    assert analysis.pairs[0].score_b == pytest.approx((np.delete(first, 3).mean() + second.mean()) / 2, rel=1e-12)
    assert "missing_segments" in analysis.pairs[0].flags
    assert [row.n_segments for row in analysis.systems] == [99, 100]


def test_equal_systems_are_starred_about_as_often_as_alpha_says():
    """400 pairs of equal systems on three test sets of 60: the 99.9 % range of binomial(400, 0.05) ends at 35."""
    starred = 0
    for seed in range(400):
        members = _members(2, (60, 60, 60), seed=seed, gap=0.0)
        starred += analyse_suite(members, _settings(n_resamples=399, n_trials=1)).pairs[0].significant
    # The percentile bootstrap of 60 units is a little liberal: about 6 %.
    assert 6 <= starred <= 40


def _write(folder, *, missing_system=False, signatures=("sig0", "sig1")):
    """Two test sets on disk with a metric of given scores, and what the step needs of them."""
    rng = np.random.default_rng(2)
    paths = {"segments": [], "scores": [], "member_pairs": []}
    for number, testset in enumerate(("one", "two")):
        common = {"testset": testset, "langpair": "en-de"}
        names = ["a", "b"] if missing_system and number else ["a", "b", "c"]
        segments = [
            {**common, "segment": i, "segment_id": str(i + 1), "document": None, "domain": None, "source": None}
            | {"references": []}
            for i in range(50)
        ]
        scores = [
            {**common, "metric": "mine", "system": name, "segment": i, "score": value, "value": value}
            for shift, name in enumerate(names)
            for i, value in enumerate(rng.normal(shift, 1, 50).tolist())
        ]
        pair = dict.fromkeys(TABLES["pairs"])
        pair |= {**common, "metric": "mine", "system_a": "a", "system_b": "b", "winner": "b", "significant": True}
        pair |= {"flags": []}
        files = {name: folder / testset / f"{name}.parquet" for name in paths}
        io.write_table(files["segments"], segments, TABLES["segments"])
        io.write_table(files["scores"], scores, scores_schema(("value",)), metadata={"signature": signatures[number]})
        io.write_table(files["member_pairs"], [pair], TABLES["pairs"])
        for name, file in files.items():
            paths[name].append(file)
    return paths


def _suites(folder, **changes):
    options = {
        **_write(folder, **{key: changes.pop(key) for key in ("missing_system", "signatures") if key in changes}),
        "suite": "avg",
        "testsets": ["one", "two"],
        "langpairs": ["en-de", "en-de"],
        "metric": "mine",
        "settings": {"kind": "precomputed", "higher_is_better": True},
        "options": {"seed": 1, "n_resamples": R, "n_trials": TRIALS, "equivalence_margin": 5.0},
        "missing": "error",
        "systems": folder / "systems.parquet",
        "pairs": folder / "pairs.parquet",
        **changes,
    }
    suites(**options)
    return io.read_table(options["systems"]).to_pylist(), io.read_table(options["pairs"]).to_pylist()


def test_the_tables_hold_counts_signatures_and_settings(tmp_path):
    systems, pairs = _suites(tmp_path)
    assert [row["system"] for row in systems] == ["a", "b", "c"]
    assert {row["signature"] for row in systems} == {"one: sig0; two: sig1"}
    assert (pairs[0]["testset_wins_a"], pairs[0]["testset_wins_b"], pairs[0]["n_testsets"]) == (0, 2, 2)
    assert (pairs[0]["testset_significant_a"], pairs[0]["testset_significant_b"]) == (0, 2)
    assert pairs[0]["p_equivalence"] < 0.05
    assert io.read_metadata(tmp_path / "pairs.parquet")["seed"] == "1"


def test_neural_scores_made_in_two_ways_are_not_averaged(tmp_path):
    """B70: references may differ between test sets, precision may not."""
    signature = "Python3.11.7|Comet2.2.7|{}|some/model|r{}|rev:0123|refs:{}|blank:model|batch:fixed32|device:cpu"
    one, other = signature.format("fp32", 1, "refA"), signature.format("fp32", 2, "refA+refB")
    assert f"two: {other}" in _suites(tmp_path, signatures=(one, other))[0][0]["signature"]
    with pytest.raises(InputError, match="made in different ways"):
        _suites(tmp_path, signatures=(one, signature.format("bf16", 1, "refA")))


def test_tables_figures_and_summary_show_a_suite_like_a_test_set(tmp_path):
    _suites(tmp_path, missing_system=True, missing="intersect")
    results = {"systems": tmp_path / "systems.parquet", "pairs": tmp_path / "pairs.parquet"}
    tables(
        systems=[results["systems"]], pairs=[results["pairs"]], tables=[tmp_path / "systems.md", tmp_path / "pairs.csv"]
    )
    figures(**results, figures=[tmp_path / "mine.intervals.svg", tmp_path / "mine.matrix.svg"])
    assert "missing_testsets" in (tmp_path / "systems.md").read_text(encoding="utf-8")
    assert (tmp_path / "pairs.csv").read_text(encoding="utf-8").startswith("suite,metric,system_a,system_b,n_testsets")
    assert "undefined" in summary(systems=[results["systems"]], pairs=[results["pairs"]])
