"""Evaluatio's functions of BLEU on the ten-segment corpus, against numbers of the real package (0.5.2)."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from mtsig.compat.evaluatio import bleu_bootstrap_test, bleu_ci
from sacrebleu.metrics import BLEU


@pytest.fixture(scope="module")
def rows(t10):
    return [[reference] for reference in t10["reference"]]


def test_p_of_the_bootstrap_test(rows, t10):
    """The package gives .0158249 with 200,000 resamples; the band is that of 9,999."""
    p = bleu_bootstrap_test(rows, t10["A"], t10["B"], 9999)
    assert abs(p - 0.01554) < 3 * math.sqrt(0.01554 * 0.98446 / 9999)


def test_order_of_the_systems_does_not_matter(rows, t10):
    assert bleu_bootstrap_test(rows, t10["A"], t10["B"], 999) == bleu_bootstrap_test(rows, t10["B"], t10["A"], 999)


def test_known_p_on_the_shared_draws(rows, t10):
    assert bleu_bootstrap_test(rows, t10["A"], t10["B"], 1000) == 18 / 1001


def test_identical_outputs(rows, t10):
    assert bleu_bootstrap_test(rows, t10["A"], t10["A"], 999) == 1.0


def test_mean_of_the_interval_is_the_corpus_score(rows, t10):
    assert bleu_ci(rows, t10["A"], 999, 0.05).mean == pytest.approx(75.37619097398905, rel=1e-12)


@pytest.mark.parametrize(("system", "low", "high"), [("A", 62.1969, 87.3338), ("B", 43.0594, 75.4058)])
def test_limits_with_many_resamples(rows, t10, system, low, high):
    """200,000 resamples of the package; a limit of 20,000 resamples here scatters by a few tenths."""
    ci = bleu_ci(rows, t10[system], 20000, 0.05)
    assert (ci.lower, ci.upper) == (pytest.approx(low, abs=0.5), pytest.approx(high, abs=0.5))


def test_effective_order_of_short_texts():
    references = [["hello world"], ["cymru am byth"], ["croeso i gymru"]]
    ci = bleu_ci(references, ["hello byd", "gymru ap dydd", "croeso i gymru"], 99)
    assert ci.mean == pytest.approx(46.415888, abs=1e-6)


def test_unusable_arguments(rows, t10):
    with pytest.raises(ValueError, match="alpha"):
        bleu_ci(rows, t10["A"], alpha=0.0)
    with pytest.raises(ValueError, match="10 segments, hypotheses 9"):
        bleu_ci(rows, t10["A"][:9])
    with pytest.raises(ValueError, match="at least one segment"):
        bleu_bootstrap_test([], [], [])
    with pytest.raises(ValueError, match="n_resamples"):
        bleu_ci(rows, t10["A"], 0)


EXAMPLE = {
    "references": [["hello world"], ["cymru am byth", "Cymru am byth"], ["croeso i gymru"]],
    "model_1": ["hello byd", "gymru ap dydd", "croeso i gymru"],
    "model_2": ["hello world", "cymru am byth", "croeso gymru"],
}


def as_pandas():
    return pd.DataFrame(EXAMPLE)


def as_numpy():
    ragged = np.empty(3, dtype=object)
    ragged[:] = [np.array(row) for row in EXAMPLE["references"]]
    return {**{name: np.array(EXAMPLE[name]) for name in ("model_1", "model_2")}, "references": ragged}


def as_arrow():
    return pa.table(EXAMPLE)


def as_two_columns():
    """References as a frame with a column for each, a hole where a segment has fewer."""
    return {**EXAMPLE, "references": pd.DataFrame([(*row, math.nan)[:2] for row in EXAMPLE["references"]])}


@pytest.mark.parametrize("container", [as_pandas, as_numpy, as_arrow, as_two_columns, lambda: EXAMPLE])
def test_the_published_example_with_any_collection_of_texts(container):
    """The call that the package documents; scores by sacreBLEU with effective order."""
    df = container()
    references = [["hello world", "cymru am byth", "croeso i gymru"], [None, "Cymru am byth", None]]
    peer = BLEU(effective_order=True)
    for model in ("model_1", "model_2"):
        expected = peer.corpus_score(EXAMPLE[model], references).score
        ci = bleu_ci(df["references"], df[model], 999, 0.05)
        assert ci.mean == pytest.approx(expected, rel=1e-12)
        assert ci.lower <= ci.mean <= ci.upper
    p = bleu_bootstrap_test(df["references"], df["model_1"], df["model_2"], 9999)
    assert p == bleu_bootstrap_test(EXAMPLE["references"], EXAMPLE["model_1"], EXAMPLE["model_2"], 9999)


def test_without_effective_order():
    """One segment of three words has no 4-grams: BLEU is 0 by sacreBLEU's default, 100 with effective order."""
    assert bleu_ci([["a b c"]], ["a b c"], 9, 0.05, False).mean == 0
    assert bleu_ci([["a b c"]], ["a b c"], 9).mean == pytest.approx(100)
    assert bleu_bootstrap_test([["a b c"]], ["a b c"], ["a x c"], 9, False) == 1.0


@pytest.mark.parametrize(
    ("references", "hypotheses", "message"),
    [
        (["a b", "c"], ["a b", "c"], r"references\[0\]: expected a list of references, found 'a b'"),
        ("a b", ["a b"], "references: expected lists of references, one list per segment, found 'a b'"),
        ([["a b"]], "a b", "hypotheses: expected texts, found 'a b'"),
        ([["a b"]], {"a b"}, "hypotheses: expected texts, found set"),
        ([["a b"]], [None], r"hypotheses\[0\]: expected a text, found NoneType"),
        ([[1]], ["a"], r"references\[0\]\[0\]: expected a text, found int"),
        ([3], ["a"], r"references\[0\]: expected a list of references, found int"),
    ],
)
def test_arguments_of_another_shape_are_named(references, hypotheses, message):
    """A text in a list's place would be read as a list of characters."""
    with pytest.raises(TypeError, match=message):
        bleu_ci(references, hypotheses)


def test_a_segment_without_references():
    with pytest.raises(ValueError, match=r"references\[1\]: a segment needs at least one reference"):
        bleu_ci([["a"], [None]], ["a", "b"])
