"""The null study: it gives back known error rates, flags broken tests, and sees that documents are correlated."""

from __future__ import annotations

import numpy as np
import pytest
from mtsig.corpus.simulated import Simulation, evaluation_set
from mtsig.errors import ConfigError
from mtsig.metrics import create_metric
from mtsig.studies.bands import binomial_band
from mtsig.studies.evidence import TESTS, Settings
from mtsig.studies.null import NullDesign, null_rejections
from study_data import MEAN, Mean, columns_of


def run(columns, *, metric=MEAN, pairs=((0, 1),), documents=None, tests=tuple(TESTS), n_resamples=1000, **design):
    return null_rejections(
        metric,
        columns,
        systems=[f"s{k}" for k in range(len(columns))],
        pairs=list(pairs),
        design=NullDesign(**{"subset_sizes": [100], **design}),
        settings=Settings(tests=tests, n_resamples=n_resamples, n_trials=1000, seed=7),
        documents=documents,
    )


def by_test(rows):
    return {row["test"]: row for row in rows}


# Rates under a true null at nominal 5%, R = 1000, by Monte Carlo with 4,000 trials each (the reference's table).
KNOWN = {
    ("normal", 100): {"koehn": 0.1128, "p_one_sided": 0.1113, "p_sacrebleu_bs": 0.1220, "p_shift": 0.0568,
                      "p_value": 0.0570, "p_ar": 0.0532, "p_sacrebleu_ar": 0.0532},
    ("normal", 10): {"koehn": 0.1630, "p_one_sided": 0.1598, "p_sacrebleu_bs": 0.1715, "p_shift": 0.1032,
                     "p_value": 0.1025, "p_ar": 0.0545, "p_sacrebleu_ar": 0.0568},
    ("discrete", 100): {"koehn": 0.0922, "p_one_sided": 0.0897, "p_sacrebleu_bs": 0.1260, "p_shift": 0.0447,
                        "p_value": 0.0473, "p_ar": 0.0307, "p_sacrebleu_ar": 0.0927},
    ("discrete", 10): {"koehn": 0.0600, "p_one_sided": 0.0600, "p_sacrebleu_bs": 0.2500, "p_shift": 0.0135,
                       "p_value": 0.0213, "p_ar": 0.0000, "p_sacrebleu_ar": 0.5950},
}  # fmt: skip


def pool(kind):
    """30,000 segments of two systems whose differences are normal, or -1, 0 and 1 with shares .1, .8 and .1."""
    if kind == "normal":
        difference = np.random.default_rng(1).normal(size=30000)
    else:
        difference = np.random.default_rng(1).permutation(np.repeat([-1.0, 0.0, 1.0], [3000, 24000, 3000]))
    return columns_of(difference, np.zeros(30000))


def known_rates_hold(kind, size, n_null):
    found = by_test(run(pool(kind), subset_sizes=[size], n_null=n_null))
    for test, expected in KNOWN[kind, size].items():
        # Both numbers have Monte Carlo error: four standard errors of their difference, and one count for rates near 0.
        rate = max(expected, 0.001)
        error = np.sqrt(rate * (1 - rate) * (1 / n_null + 1 / 4000))
        assert found[test]["rate"] == pytest.approx(expected, abs=4 * error + 1 / n_null), test
    return found


@pytest.mark.parametrize(("kind", "size"), KNOWN)
def test_known_error_rates(kind, size):
    """The reference's table comes out, for normal and for discrete differences, at 100 and at 10 segments."""
    known_rates_hold(kind, size, n_null=400)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "size"), KNOWN)
def test_known_error_rates_closely(kind, size):
    """The same with as many trials as the reference had."""
    known_rates_hold(kind, size, n_null=4000)


def test_tests_that_hold_their_level_and_tests_that_do_not():
    """At 100 segments the two-sided forms pass, and the one-sided ones are flagged."""
    found = by_test(run(pool("normal"), n_null=600))
    assert found["p_ar"]["flags"] == ["exact_by_construction"]
    for test in ("p_value", "p_shift", "significant"):
        assert found[test]["flags"] == []
    for test in ("koehn", "p_one_sided", "p_sacrebleu_bs"):
        assert found[test]["flags"] == ["rejects_too_often"]


def test_limits_are_those_of_the_binomial_distribution():
    """B28: of 1000 sets at alpha 0.05 between 33 and 69 are rejected 99% of the time, and so it is here."""
    row = run(pool("normal"), tests=["p_value"], n_null=1000, n_resamples=100)[0]
    assert (row["limit_low"], row["limit_high"]) == (0.033, 0.069) == binomial_band(0.05, 1000)
    assert row["trials"] == 1000
    assert row["rate"] == row["rejections"] / 1000
    assert row["limit_low"] <= row["rate"] <= row["limit_high"]
    assert row["flags"] == []


def test_a_broken_test_is_flagged():
    """B28: randomization that counts only larger differences rejects most of ten discrete differences without cause."""
    found = by_test(run(pool("discrete"), subset_sizes=[10], n_null=200, n_resamples=200))
    assert found["p_sacrebleu_ar"]["flags"] == ["rejects_too_often"]
    assert found["p_ar"]["flags"] == ["exact_by_construction", "rejects_too_rarely"]


def test_star_needs_more_than_a_bootstrap_where_units_are_few():
    """Ten units: the bootstrap rejects a tenth of true nulls; the star asks randomization too, and holds its level."""
    found = by_test(run(pool("normal"), subset_sizes=[10], n_null=500, n_resamples=500))
    assert "rejects_too_often" in found["p_value"]["flags"]
    assert found["significant"]["flags"] == []


@pytest.fixture(scope="module")
def correlated():
    """600 documents of 10 segments whose differences share the level of the document."""
    rng = np.random.default_rng(2)
    documents = np.repeat(np.arange(600), 10)
    difference = np.repeat(rng.normal(size=600), 10) + 0.5 * rng.normal(size=6000)
    return columns_of(difference, np.zeros(6000)), documents


def test_segment_tests_are_inflated_when_documents_are_correlated(correlated):
    """Under swaps of documents, tests by segment reject far too often, tests by document do not."""
    columns, documents = correlated
    design = {"subset_sizes": [400], "n_null": 300, "swap_unit": "document", "documents": documents, "n_resamples": 300}
    by_segment = by_test(run(columns, **design))
    by_document = by_test(run(columns, resample_unit="document", **design))
    for test in ("p_value", "p_ar"):
        assert by_segment[test]["rate"] > 0.3
        assert "rejects_too_often" in by_segment[test]["flags"]
        assert by_document[test]["rate"] < 0.1
    assert by_document["p_ar"]["flags"] == ["exact_by_construction"]
    assert "exact_by_construction" not in by_segment["p_ar"]["flags"]


def test_documents_may_be_units_of_the_test_alone(correlated):
    """Segments are swapped, documents resampled: still a true null, also for randomization."""
    columns, documents = correlated
    found = by_test(run(columns, documents=documents, resample_unit="document", n_null=200, n_resamples=200))
    assert found["p_ar"]["flags"] == ["exact_by_construction"]
    assert found["p_value"]["rate"] < 0.12


def test_recentred_null():
    """A large difference, recentred: the two-sided forms hold their level, and nothing is exact."""
    columns = pool("normal") + np.array([1.0, 0.0])[None, None, :] * np.array([5.0, 0.0])[:, None, None]
    found = by_test(run(columns, null="recentred", n_null=400, n_resamples=400))
    for test in ("p_value", "p_ar", "p_shift"):
        assert found[test]["flags"] == []
        assert found[test]["null"] == "recentred"
    assert found["koehn"]["flags"] == ["rejects_too_often"]


def test_recentred_null_of_a_corpus_metric():
    """BLEU cannot be recentred by segment: the bootstrap's replicates are shifted, randomization is undefined."""
    evaluation = evaluation_set("demo", "xx-yy", Simulation(systems={"A": 0.7, "B": 0.5}, segments=600))
    metric = create_metric("bleu", {"kind": "bleu"}, "xx-yy")
    statistics = metric.statistics(evaluation)
    columns = np.stack([statistics[name] for name in "AB"])
    found = by_test(run(columns, metric=metric, null="recentred", n_null=150, n_resamples=200))
    assert (found["p_ar"]["trials"], found["p_ar"]["rate"], found["p_ar"]["flags"]) == (0, None, ["undefined"])
    for test in ("p_value", "p_shift"):
        assert found[test]["flags"] == []
    swapped = by_test(run(columns, metric=metric, n_null=150, n_resamples=200))
    assert all(swapped[test]["rate"] < 0.12 for test in ("p_value", "p_ar"))


def test_identical_systems_are_never_rejected_by_valid_tests():
    """All differences are zero; sacreBLEU's two definitions call every one of them significant."""
    values = np.random.default_rng(3).normal(size=300)
    found = by_test(run(columns_of(values, values), n_null=20, n_resamples=100))
    assert {test: found[test]["rejections"] for test in TESTS} == {
        **dict.fromkeys(TESTS, 0),
        "p_sacrebleu_bs": 20,
        "p_sacrebleu_ar": 20,
    }


def test_sizes_beyond_the_test_set_are_not_tested():
    """A row with a flag instead."""
    row = run(columns_of(*np.random.default_rng(4).normal(size=(2, 50))), tests=["p_value"], n_null=10)[0]
    assert (row["trials"], row["rate"], row["flags"]) == (0, None, ["subset_too_large"])


def test_same_seed_same_rates_whatever_the_other_systems():
    """A pair's rates do not depend on which other pairs are studied."""
    columns = columns_of(*np.random.default_rng(5).normal(size=(3, 400)))
    alone = run(columns, pairs=[(0, 2)], n_null=30, n_resamples=100)
    among = run(columns, pairs=[(0, 1), (0, 2), (1, 2)], n_null=30, n_resamples=100)
    assert [row for row in among if row["system_a"] == "s0" and row["system_b"] == "s2"] == alone


def test_one_system_gives_no_rows():
    """No pairs, nothing to test."""
    assert run(columns_of(np.ones(200)), pairs=[], n_null=5) == []


def test_impossible_designs_are_refused():
    """Each message names the key."""
    columns = columns_of(*np.random.default_rng(6).normal(size=(2, 50)))
    with pytest.raises(ConfigError, match="needs documents"):
        run(columns, swap_unit="document")
    with pytest.raises(ConfigError, match="swap_unit: 'line'"):
        run(columns, swap_unit="line")
    with pytest.raises(ConfigError, match="null: 'none'"):
        run(columns, null="none")
    with pytest.raises(ConfigError, match="no direction"):
        run(columns, metric=Mean(higher_is_better=None))
