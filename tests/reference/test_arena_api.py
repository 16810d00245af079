"""The functions of the mt-eval-harness specification, on its own cases and on the ten-segment corpus."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from mtsig.compat.arena import SignificanceResult, corpus_bleu, corpus_chrf, exact_match_rate, paired_bootstrap


@pytest.fixture(scope="module")
def entries(t10):
    return {
        name: [
            {"id": i, "expected": expected, "predicted": predicted, "exact_match": expected == predicted}
            for i, (expected, predicted) in enumerate(zip(t10["reference"], t10[name], strict=True))
        ]
        for name in ("A", "B")
    }


@pytest.mark.parametrize(
    ("metric", "a", "b"),
    [
        (corpus_chrf, 84.54031733656137, 80.80022673092847),
        (corpus_bleu, 75.37619097398905, 59.56236475473167),
        (exact_match_rate, 0.3, 0.2),
    ],
)
def test_scores_are_those_of_the_specification(entries, metric, a, b):
    assert metric(entries["A"]) == pytest.approx(a, rel=1e-12)
    assert metric(entries["B"]) == pytest.approx(b, rel=1e-12)


@pytest.mark.parametrize(
    ("metric", "p", "low", "high"),
    [
        # The two-sided p and the intervals of the known answers, same draws (seed 12345, 1000 resamples).
        (corpus_bleu, 2 * 18 / 1001, 1.9203325660346877, 31.940401169926055),
        (corpus_chrf, 2 * 195 / 1001, -5.0570984, 11.6145554),
    ],
)
def test_p_is_two_sided_on_the_shared_draws(entries, metric, p, low, high):
    result = paired_bootstrap(entries["A"], entries["B"], metric)
    assert result.p_value == pytest.approx(p, rel=1e-12)
    assert (result.ci_lower, result.ci_upper) == (pytest.approx(low, rel=1e-5), pytest.approx(high, rel=1e-5))
    assert result.winner == ("A" if p < 0.05 else None)
    assert (result.seed, result.n_bootstrap, result.confidence_level) == (12345, 1000, 0.95)


def test_swapping_the_systems_mirrors_the_result(entries):
    ab = paired_bootstrap(entries["A"], entries["B"], corpus_bleu)
    ba = paired_bootstrap(entries["B"], entries["A"], corpus_bleu)
    assert ba == replace(
        ab,
        system_a_score=ab.system_b_score,
        system_b_score=ab.system_a_score,
        delta=-ab.delta,
        winner="B",
        ci_lower=-ab.ci_upper,
        ci_upper=-ab.ci_lower,
    )


def test_statistics_and_repeated_calls_agree(entries):
    """A metric known by its statistics gives what calling it on every resample gives."""
    slow = paired_bootstrap(entries["A"], entries["B"], lambda some: corpus_chrf(some), n_bootstrap=200)
    fast = paired_bootstrap(entries["A"], entries["B"], corpus_chrf, n_bootstrap=200)
    assert (slow.p_value, slow.significant) == (fast.p_value, fast.significant)
    assert (slow.ci_lower, slow.ci_upper) == pytest.approx((fast.ci_lower, fast.ci_upper), rel=1e-12)


def test_seed_decides_and_repeats(entries):
    first, again, other = (paired_bootstrap(entries["A"], entries["B"], corpus_bleu, seed=seed) for seed in (0, 0, 1))
    assert first == again
    assert first.ci_lower != other.ci_lower


def test_identical_entries_are_never_significant(entries):
    result = paired_bootstrap(entries["A"], list(reversed(entries["A"])), corpus_bleu)
    assert (result.p_value, result.winner, result.ci_lower, result.ci_upper) == (1.0, None, 0.0, 0.0)


def test_all_right_against_all_wrong():
    right, wrong = ([{"id": i, "exact_match": match} for i in range(50)] for match in (True, False))
    result = paired_bootstrap(right, wrong, exact_match_rate)
    assert result.p_value == 2 / 1001
    assert (result.winner, result.ci_lower, result.ci_upper) == ("A", 1.0, 1.0)


def test_no_entries_at_all():
    with pytest.warns(UserWarning, match="0 entries"):
        result = paired_bootstrap([], [], corpus_bleu)
    assert (result.system_a_score, result.p_value, result.winner) == (0.0, 1.0, None)


def test_few_entries_warn_and_run(entries):
    with pytest.warns(UserWarning, match="9 entries"):
        result = paired_bootstrap(entries["A"][:9], entries["B"][:9], corpus_bleu)
    assert isinstance(result, SignificanceResult)
    assert math.isfinite(result.p_value)


def test_different_lengths_and_ids_are_refused(entries):
    with pytest.raises(ValueError, match="A has 10 entries, B has 5"):
        paired_bootstrap(entries["A"], entries["B"][:5], corpus_bleu)
    renamed = [{**entry, "id": str(entry["id"])} for entry in entries["B"]]
    with pytest.raises(ValueError, match="do not match"):
        paired_bootstrap(entries["A"], renamed, corpus_bleu)
    with pytest.raises(ValueError, match="occurs twice"):
        paired_bootstrap(entries["A"], [*entries["B"][:9], entries["B"][0]], corpus_bleu)


def test_mixed_types_of_ids_are_told_apart(entries):
    """Contradiction (h): ids 1 and "1" in one report neither collide nor raise."""
    mixed = {
        name: [{**entry, "id": str(entry["id"] - 5) if entry["id"] >= 5 else entry["id"]} for entry in entries[name]]
        for name in "AB"
    }
    assert paired_bootstrap(mixed["A"], mixed["B"], corpus_bleu) == paired_bootstrap(
        entries["A"], entries["B"], corpus_bleu
    )


@pytest.mark.filterwarnings("ignore:9 entries")
def test_failed_entries_are_left_out_for_both(entries):
    """Contradiction (g): a failure in one report must not change which entries the other is scored on."""
    failed = [{**entry, "error": "timeout"} if entry["id"] == 0 else entry for entry in entries["A"]]
    with pytest.warns(UserWarning, match="left out for both"):
        result = paired_bootstrap(failed, entries["B"], exact_match_rate)
    assert (result.system_a_score, result.system_b_score) == (2 / 9, 2 / 9)


def test_blank_prediction_is_an_empty_hypothesis():
    """The reference or a dummy word is never scored in its place (case B41)."""
    good = {"expected": "a normal sentence", "predicted": "a normal sentence"}
    assert corpus_chrf([good, {"expected": "EMPTY", "predicted": ""}]) < 100
    assert corpus_chrf([good, {"expected": " ", "predicted": "words"}]) == 100.0
