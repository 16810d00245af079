"""The tables that mtsig writes: their columns and the closed vocabulary of their flags.

Every Parquet file of a results tree is written through one of these schemas (`mtsig.io.write_table`), so that a
column has one name, one type and one place in the order. Units: BLEU, chrF and TER as sacreBLEU prints them (0 to
100); rates, shares and AUC as fractions; only columns named ``percent_...`` hold percent. Undefined numbers are null.
"""

from __future__ import annotations

import pyarrow as pa

__all__ = ["FLAGS", "TABLES", "scores_schema"]

TEXT, INTEGER, REAL, BOOL = pa.string(), pa.int64(), pa.float64(), pa.bool_()
TEXTS = pa.list_(pa.string())


def _schema(keys: str, **types: pa.DataType) -> pa.Schema:
    """Schema of string key columns followed by the typed columns, in that order."""
    return pa.schema([*((key, TEXT) for key in keys.split()), *types.items()])


_TEST_SETTINGS = {"resample_unit": TEXT, "higher_is_better": BOOL, "signature": TEXT, "flags": TEXTS}

_ROC_SETTINGS = {"confidence_level": REAL, "n_resamples": INTEGER, "seed": INTEGER, "resample_unit": TEXT}

TABLES: dict[str, pa.Schema] = {
    "segments": _schema(
        "testset langpair",
        segment=INTEGER,
        segment_id=TEXT,
        document=TEXT,
        domain=TEXT,
        source=TEXT,
        references=TEXTS,
    ),
    "hypotheses": _schema("testset langpair system", segment=INTEGER, hypothesis=TEXT),
    "systems": _schema(
        "testset langpair metric system",
        n_segments=INTEGER,
        n_units=INTEGER,
        score=REAL,
        ci_low=REAL,
        ci_high=REAL,
        boot_mean=REAL,
        boot_se=REAL,
        rank=INTEGER,
        rank_low=INTEGER,
        rank_high=INTEGER,
        cluster=INTEGER,
        confidence_level=REAL,
        alpha=REAL,
        n_resamples=INTEGER,
        seed=INTEGER,
        **_TEST_SETTINGS,
    ),
    "pairs": _schema(
        "testset langpair metric system_a system_b",
        n_segments=INTEGER,
        n_units=INTEGER,
        score_a=REAL,
        score_b=REAL,
        delta=REAL,
        ci_low=REAL,
        ci_high=REAL,
        wins_a=INTEGER,
        wins_b=INTEGER,
        ties=INTEGER,
        koehn_a=REAL,
        koehn_b=REAL,
        koehn_verdict=TEXT,
        p_value=REAL,
        p_value_low=REAL,
        p_value_high=REAL,
        p_adjusted=REAL,
        p_one_sided=REAL,
        p_shift=REAL,
        p_ar=REAL,
        ar_exact=BOOL,
        p_sacrebleu_bs=REAL,
        p_sacrebleu_ar=REAL,
        equivalence_margin=REAL,
        p_equivalence=REAL,
        p_noninferiority=REAL,
        significant=BOOL,
        winner=TEXT,
        confidence_level=REAL,
        alpha=REAL,
        adjust=TEXT,
        n_resamples=INTEGER,
        n_trials=INTEGER,
        seed=INTEGER,
        **_TEST_SETTINGS,
    ),
    "groups": _schema(
        "testset langpair metric system group_kind group domain",
        n_segments=INTEGER,
        score=REAL,
        ci_low=REAL,
        ci_high=REAL,
        confidence_level=REAL,
        n_resamples=INTEGER,
        seed=INTEGER,
        higher_is_better=BOOL,
        signature=TEXT,
        flags=TEXTS,
    ),
    # ROC analysis of quality estimation (study kind roc). A null domain stands for all segments.
    "auc": _schema(
        "study testset langpair system qe gold cutoff",
        n_segments=INTEGER,
        positives=INTEGER,
        negatives=INTEGER,
        auc=REAL,
        ci_low=REAL,
        ci_high=REAL,
        se_hanley_mcneil=REAL,
        flags=TEXTS,
        domain=TEXT,
        partial_auc_low=REAL,
        partial_auc_high=REAL,
        hull_auc=REAL,
        average_precision=REAL,
        pr_auc=REAL,
        best_f1=REAL,
        best_f1_threshold=REAL,
        **_ROC_SETTINGS,
    ),
    "auc_pairs": _schema(
        "study testset langpair system gold cutoff qe_a qe_b",
        delta=REAL,
        ci_low=REAL,
        ci_high=REAL,
        p_value=REAL,
        flags=TEXTS,
        domain=TEXT,
        **_ROC_SETTINGS,
    ),
    "curve": _schema(
        "study testset langpair system qe gold cutoff",
        segment=INTEGER,
        gold_score=REAL,
        qe_score=REAL,
        threshold=REAL,
        tp=INTEGER,
        fn=INTEGER,
        fp=INTEGER,
        tn=INTEGER,
        tpr=REAL,
        fpr=REAL,
        precision=REAL,
        f1=REAL,
        domain=TEXT,
    ),
    "bands": _schema(
        "study testset langpair system qe gold cutoff",
        fpr=REAL,
        tpr=REAL,
        tpr_low=REAL,
        tpr_high=REAL,
        domain=TEXT,
        **_ROC_SETTINGS,
    ),
    "hulls": _schema(
        "study testset langpair system gold cutoff hull",
        vertex=INTEGER,
        qe=TEXT,
        threshold=REAL,
        tp=INTEGER,
        fp=INTEGER,
        tpr=REAL,
        fpr=REAL,
        fp_per_fn_saved=REAL,
        hull_auc=REAL,
        domain=TEXT,
    ),
    "decisions": _schema(
        "study testset langpair system qe gold cutoff scenario setting",
        threshold=REAL,
        review_share=REAL,
        errors_left_per_100=REAL,
        low=REAL,
        high=REAL,
        band_low=REAL,
        band_high=REAL,
        errors_left_per_100_random_ties=REAL,
        review_low=REAL,
        review_high=REAL,
        tp=INTEGER,
        fn=INTEGER,
        fp=INTEGER,
        tn=INTEGER,
        slope=REAL,
        reviewer_miss=REAL,
        flags=TEXTS,
        domain=TEXT,
        **_ROC_SETTINGS,
    ),
    # Meta-evaluation (study kind meta).
    "correlations": _schema(
        "study testset langpair gold level grouping statistic metric_name",
        value=REAL,
        ci_low=REAL,
        ci_high=REAL,
        n=INTEGER,
        flags=TEXTS,
        rank=INTEGER,
        epsilon=REAL,
        n_systems=INTEGER,
        n_segments=INTEGER,
        domain=TEXT,
        resampled=TEXT,
        alpha=REAL,
        confidence_level=REAL,
        n_resamples=INTEGER,
        seed=INTEGER,
        resample_unit=TEXT,
    ),
    "metric_pairs": _schema(
        "study testset langpair gold level grouping statistic metric_a metric_b",
        value_a=REAL,
        value_b=REAL,
        delta=REAL,
        p_value=REAL,
        significant=BOOL,
        winner=TEXT,
        test=TEXT,
        p_williams=REAL,
        flags=TEXTS,
        domain=TEXT,
        alpha=REAL,
        n_trials=INTEGER,
        seed=INTEGER,
    ),
    "system_scores": _schema(
        "study testset langpair metric_name system",
        n_segments=INTEGER,
        score=REAL,
        rank=INTEGER,
        rank_low=INTEGER,
        rank_high=INTEGER,
        cluster=INTEGER,
        flags=TEXTS,
    ),
}

#: Columns of a suite's tables that those of a test set lack.
_SUITE_COLUMNS = {
    "systems": ("n_testsets",),
    "pairs": (
        "n_testsets",
        "testset_wins_a",
        "testset_wins_b",
        "testset_significant_a",
        "testset_significant_b",
    ),
}
for _table, _counts in _SUITE_COLUMNS.items():
    _fields = [field for field in TABLES[_table] if field.name not in ("testset", "langpair")]
    _keys = [field for field in _fields if field.name in ("metric", "system", "system_a", "system_b")]
    TABLES[f"suite_{_table}"] = pa.schema(
        [("suite", TEXT), *_keys, *((name, INTEGER) for name in _counts), *_fields[len(_keys) :]]
    )


def scores_schema(statistic_names: tuple[str, ...]) -> pa.Schema:
    """Schema of a scores table: one row per system and segment, one named column per sufficient statistic."""
    return _schema(
        "testset langpair metric system", segment=INTEGER, score=REAL, **dict.fromkeys(statistic_names, REAL)
    )


#: Every flag that a table may carry, with its meaning. Flags warn; they never change a number.
FLAGS: dict[str, str] = {
    "boundary": "exactly floor(alpha R / 2) replicates lie on or beyond 0, where p-value and interval may disagree",
    "chance_level": "the interval of the area under the curve includes 0.5, what guessing would give",
    "constant_scores": "all human or all metric scores are equal, so there is nothing to correlate",
    "degenerate_interval": "all replicates are equal, so the interval has no width and says nothing",
    "few_units": "fewer than 30 units: the interval is unreliable, and a star also needs approximate randomization",
    "identical_output": "both systems produced the same text or scores on every common segment",
    "missing_segments": "segments without a hypothesis, reference or score were left out",
    "missing_testsets": "not on all test sets of the suite, so left out of the average",
    "monte_carlo": "alpha lies inside the Monte Carlo limits of the p-value: another seed may give another verdict",
    "no_direction": "the metric has no better or worse: intervals only, no tests and no ranks",
    "no_interval": "no interval: each resample would need its own permutation test or visit of all pairs",
    "one_class": "all segments have an error, or none has: there is no ROC curve",
    "one_document": "resampling by document, but there is only one document",
    "small_class": "fewer than 50 segments with an error, or without one: areas and thresholds are unreliable",
    "tied_optimum": "several thresholds cost the same; there is a row for each",
    "undefined": "the score or the test is undefined on these segments",
    "undefined_replicates": "some resamples leave the quantity undefined; the interval is made of the others",
    "unequal_segments": "the systems were scored on different numbers of segments, so ranks are undefined",
    "unreachable": "no threshold gives what was asked for, since reviewers overlook too much",
    "very_few_units": "fewer than 10 units: no test is reliable",
}
