"""What the report layer reads off the rows of one metric."""

from __future__ import annotations

from dataclasses import replace

import pytest
from mtsig.errors import InputError
from mtsig.report.figures import evidence, labels, matrix_key
from mtsig.report.results import read_results
from mtsig.report.tables import how_tested, matrix_rows, matrix_tables, pairs_table
from mtsig.report.verdicts import agreement, best_systems, headline
from mtsig.report.words import practical
from simulated_results import names, write_results


def _read(folder, systems, **options):
    systems_path, pairs_path = write_results(folder, systems, **options)
    return read_results([systems_path], [pairs_path])[0]


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_the_best_system_stands_first_whatever_the_direction(tmp_path, higher_is_better):
    """B09: scores sorted by what is better."""
    result = _read(tmp_path, names(6), metric="m", higher_is_better=higher_is_better)
    scores = [row["score"] for row in result.systems]
    assert scores == sorted(scores, reverse=higher_is_better)


def test_a_pair_seen_from_the_other_side_is_mirrored(tmp_path):
    result = _read(tmp_path, names(5))
    for row in result.pairs:
        one = result.compare(row["system_a"], row["system_b"])
        other = result.compare(row["system_b"], row["system_a"])
        assert (one.delta, one.low, one.high) == (-other.delta, -other.high, -other.low)
        assert one.favours == -other.favours
        assert (one.p, one.stars, one.better) == (other.p, other.stars, other.better)
        assert one.row is other.row


def test_colours_follow_the_better_system_not_the_larger_number(tmp_path):
    """B09: under TER the lower score is coloured as the better one."""
    result = _read(tmp_path, names(8), metric="ter", higher_is_better=False)
    seen = set()
    for row in result.pairs:
        comparison = result.compare(row["system_a"], row["system_b"])
        kind = evidence(comparison)
        seen.add(kind)
        if row["significant"]:
            assert kind.startswith("better") == (comparison.delta < 0)
        else:
            assert kind == "none"
    assert len(seen) >= 3


def test_without_direction_nobody_is_better(tmp_path):
    result = _read(tmp_path, names(4), metric="length_ratio", higher_is_better=None)
    assert best_systems(result) == []
    assert {evidence(result.compare(row["system_a"], row["system_b"])) for row in result.pairs} == {"none"}
    assert "p" not in [column.title for column in pairs_table(result).columns]


def test_the_matrix_holds_both_directions_of_every_pair(tmp_path):
    result = _read(tmp_path, names(15))
    rows = matrix_rows(result)
    assert len(rows) == 2 * len(result.pairs) == 15 * 14
    tables = matrix_tables(result)
    assert [len(table.columns) for table in tables] == [2 + 12, 2 + 3]
    assert all(len(table.rows) == 15 for table in tables)


def test_identical_systems_are_named_as_such(tmp_path):
    """B01: not as two systems without a significant difference."""
    systems = names(2)
    result = _read(tmp_path, systems, identical=(systems[0], systems[1]))
    assert "same output" in headline(result).sentence


def test_systems_without_a_score_are_no_rivals(tmp_path):
    """Nobody is better than what has no score, and the sentence says so."""
    result = _read(tmp_path, names(3), spread=20.0)
    bare = {**result.systems[2], "score": None, "ci_low": None, "ci_high": None, "rank_low": None, "rank_high": None}
    two = replace(result, systems=(*result.systems[:2], bare))
    assert "significantly better than the other system with a score" in headline(two).sentence
    gone = dict.fromkeys(("delta", "ci_low", "ci_high", "p_value", "p_ar", "winner")) | {"significant": False}
    one = replace(
        result,
        systems=(result.systems[0], {**bare, "system": result.systems[1]["system"]}, bare),
        pairs=tuple({**row, **gone} for row in result.pairs),
    )
    assert "the only system with a score" in headline(one).sentence


def test_a_p_value_that_does_not_decide_is_not_left_alone(tmp_path):
    """With few units a small bootstrap p gives no star; the sentence names the p that decided."""
    result = _read(tmp_path, names(2), spread=20.0)
    row = {**result.pairs[0], "p_value": 0.039, "p_ar": 0.5, "significant": False, "winner": None}
    found = headline(replace(result, pairs=(row,))).sentence
    assert "is not significantly different from it" in found
    assert "p = 0.039, by randomization = 0.500" in found


def test_an_adjusted_p_value_is_called_so(tmp_path):
    """It may be large where the interval beside it leaves out 0."""
    result = _read(tmp_path, names(2), spread=20.0)
    row = {
        **result.pairs[0],
        "adjust": "holm",
        "p_value": 0.01,
        "p_adjusted": 0.2,
        "significant": False,
        "winner": None,
    }
    assert "adjusted p = 0.200" in headline(replace(result, pairs=(row,))).sentence


def test_the_only_rival_is_not_called_the_nearest(tmp_path):
    result = _read(tmp_path, names(2))
    undecided = tuple({**row, "significant": False, "winner": None} for row in result.pairs)
    assert "nearest" not in headline(replace(result, pairs=undecided)).sentence


def test_one_system_is_at_the_top_of_nothing(tmp_path):
    results = [_read(tmp_path / metric, ["only"], metric=metric) for metric in ("bleu", "chrf")]
    assert agreement(results) == ""


def test_one_system_has_no_pairs_and_that_is_said(tmp_path):
    result = _read(tmp_path, ["only"])
    assert "only system" in headline(result).sentence
    assert "no pairs" in " ".join(pairs_table(result).notes)


def test_scores_of_different_segments_name_no_best_system(tmp_path):
    result = _read(tmp_path, names(3), spread=20.0)
    unequal = tuple({**row, "flags": ["unequal_segments"]} for row in result.systems)
    assert "rank no systems" in headline(replace(result, systems=unequal)).sentence
    assert best_systems(replace(result, systems=unequal)) == []


def test_a_small_well_measured_difference_does_not_read_as_zero(tmp_path):
    result = _read(tmp_path, names(4))
    row = {**result.pairs[0], "delta": 0.012, "ci_low": 0.010, "ci_high": 0.014}
    assert result.decimals_of(row) > result.delta_decimals


@pytest.mark.parametrize(
    ("alpha", "two", "words"), [(0.001, "0.0002", "* p < 0.001, ** p < 0.0002"), (0.9, "0.18", "")]
)
def test_what_is_said_of_stars_follows_alpha(tmp_path, alpha, two, words):
    """In tables and in the legend of the matrix."""
    result = _read(tmp_path, names(3))
    other = replace(
        result,
        systems=tuple({**row, "alpha": alpha} for row in result.systems),
        pairs=tuple({**row, "alpha": alpha} for row in result.pairs),
    )
    assert f"* p < {alpha}, ** p < {two}." in how_tested(other)
    assert matrix_key(other)["better_strong"] == f"row better, p < {two}"


def test_scores_have_the_decimals_of_their_differences(tmp_path):
    """53.6 and 53.1 beside a difference of +0.57 would not add up."""
    result = _read(tmp_path, names(4))
    narrow = tuple({**row, "ci_low": row["delta"] - 0.004, "ci_high": row["delta"] + 0.004} for row in result.pairs)
    assert replace(result, pairs=narrow).delta_decimals == 4
    assert replace(result, pairs=narrow).score_decimals == 4


def test_tables_of_different_metrics_are_refused(tmp_path):
    bleu = write_results(tmp_path, names(3), metric="bleu")
    chrf = write_results(tmp_path, names(3), metric="chrf")
    with pytest.raises(InputError, match="metric chrf"):
        read_results([bleu[0]], [chrf[1]])


def test_labels_are_short_and_distinct():
    long = [f"{'x' * 100}{i}{'y' * 100}" for i in range(30)]
    found = labels([*long, "a\nb"])
    assert len(set(found.values())) == 31
    assert max(map(len, found.values())) <= 36
    assert "\n" not in found["a\nb"]


@pytest.mark.parametrize(
    ("p_values", "significant", "sentence"),
    [
        (
            [0.2, None, 0.05],
            [True, False, False],
            "No pair is equivalent: for none the tests exclude a difference of 2",
        ),
        ([0.01, None, 0.2], [False, False, True], "1 of 3 pairs is equivalent: the two differ by less than 2 (two"),
        ([0.01, 0.2, 0.04], [True, True, False], "alpha = 0.05); 1 of these differs significantly, but by too little"),
        ([0.01, 0.01, 0.04], [True, True, False], "2 of these differ significantly, but by too little to matter."),
    ],
)
def test_equivalence_is_told_from_significance(tmp_path, p_values, significant, sentence):
    """A pair may be equivalent, significant, both or neither; at alpha itself nothing is rejected."""
    result = _read(tmp_path, names(3))
    changes = [
        {"equivalence_margin": 2.0, "p_equivalence": p_value, "significant": told}
        for p_value, told in zip(p_values, significant, strict=True)
    ]
    rows = tuple({**row, **change} for row, change in zip(result.pairs, changes, strict=True))
    assert sentence in practical(replace(result, pairs=rows))
    assert practical(result) == ""
