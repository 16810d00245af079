"""Scores are COMET's own, for every kind of model, and do not depend on what is scored with them."""

from __future__ import annotations

import pytest

KINDS = ("reference-based", "reference-free", "unified", "unified-free", "spans", "xcomet")
#: Stated in the documentation: fp32 scores against COMET's own `predict`.
TOLERANCE = 1e-6


@pytest.fixture(scope="module")
def differences(call, checkpoints):
    return call("compare_with_comet.py", checkpoints)


@pytest.mark.parametrize("kind", KINDS)
def test_scores_equal_predict_for_any_batch_size(differences, kind):
    assert max(differences[kind][f"comet, batch {size}"] for size in (1, 4, 16)) < TOLERANCE


@pytest.mark.parametrize("kind", KINDS)
def test_scores_depend_on_nothing_but_their_texts(differences, kind):
    """Batch size, order and the presence of other systems change at most what rounding does, here nothing at all."""
    assert differences[kind]["own batches"] < 1e-12
    assert differences[kind]["other order"] == 0
    assert differences[kind]["without others"] == 0


@pytest.mark.parametrize("kind", KINDS)
def test_half_precision_is_comet_s(differences, kind):
    """Half precision has steps of 2^-12 or less below 0.5; COMET's own depends on its batches as well."""
    assert differences[kind]["comet, fp16"] < 2e-3


@pytest.mark.parametrize("kind", ["reference-based", "reference-free", "unified", "unified-free"])
def test_bfloat16_runs_and_is_close(differences, kind):
    assert 0 < differences[kind]["bf16 against fp32"] < 0.05


@pytest.mark.parametrize("kind", ["spans", "xcomet"])
def test_error_spans_are_comet_s(differences, kind):
    assert differences[kind]["spans"] > 30
    assert differences[kind]["other spans"] == 0


def test_two_devices_give_the_same(differences):
    """B73"""
    assert differences["reference-based"]["two devices"] == 0


def test_equal_triples_are_computed_once(differences):
    """Systems b and c share all but two of 16 hypotheses."""
    assert {differences[kind]["computed"] for kind in KINDS} == {16 * 4 - 14}


@pytest.mark.parametrize("kind", KINDS)
def test_blank_and_truncated_texts_are_listed(differences, kind):
    findings = [tuple(finding) for finding in differences[kind]["findings"]]
    assert ("blank_hypothesis", "c", 15) in findings
    assert ("truncated", "c", 14) in findings
    assert ("truncated", "", 3) in findings
    if kind in ("unified", "unified-free", "spans", "xcomet"):
        # Together, a long source and an ordinary hypothesis are too long as well.
        assert ("truncated", "a", 3) in findings
