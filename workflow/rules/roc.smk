"""From human and QE scores to ROC curves and decisions.

Needs: segments.parquet, scores of the metrics that a study of kind roc names. Makes: results/studies/{study}/.
"""

roc_raw = ("curve", "bands")
roc_read = ("auc", "auc_pairs", "hulls", "decisions")
roc_outputs = report_outputs(roc_raw, roc_read, ("curves", "hulls"))
study_outputs["roc"] = roc_outputs


rule roc:
    """Analyse quality estimation on the outputs of each MT system of a test set."""
    input:
        segments="<results>/{testset}/segments.parquet",
        scores=judged("<results>/{testset}/scores/{metric}.parquet"),
    output:
        auc="<results>/studies/{study}/parts/{testset}/auc.parquet",
        auc_pairs="<results>/studies/{study}/parts/{testset}/auc_pairs.parquet",
        curve="<results>/studies/{study}/parts/{testset}/curve.parquet",
        bands="<results>/studies/{study}/parts/{testset}/bands.parquet",
        hulls="<results>/studies/{study}/parts/{testset}/hulls.parquet",
        decisions="<results>/studies/{study}/parts/{testset}/decisions.parquet",
    log:
        "<logs>/studies/{study}/roc.{testset}.log",
    wildcard_constraints:
        study=studies_of("roc"),
    conda:
        "../envs/mtsig.yaml"
    threads: 1
    resources:
        mem_mb=grows(700, curves=40),
        runtime=grows(60, curves=2),
    params:
        study="{study}",
        testset="{testset}",
        langpair=langpair,
        metrics=judged_metrics,
        directions=directions,
        settings=study_settings,
        missing=lambda wildcards: plan.missing(wildcards.testset),
        code=code("roc"),
        packages=provenance.versions("numpy", "scikit-learn"),
    script:
        "../../scripts/roc.py"


rule roc_report:
    """Put the parts of a ROC study together, and draw its curves."""
    input:
        parts=study_parts(*roc_raw, *roc_read),
    output:
        files=in_report(roc_outputs, "../report/roc_{figure}.rst"),
    log:
        "<logs>/studies/{study}/roc_report.log",
    wildcard_constraints:
        study=studies_of("roc"),
    conda:
        "../envs/mtsig.yaml"
    threads: 1
    resources:
        mem_mb=grows(700, tables=400),
        runtime=grows(60, tables=10),
    params:
        study="{study}",
        qe=lambda wildcards: study_settings(wildcards)["qe"],
        code=code("roc_report"),
    script:
        "../../scripts/roc_report.py"
