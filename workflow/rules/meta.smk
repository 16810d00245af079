"""From human scores and metrics to their agreement.

Needs: segments.parquet, scores and systems of the metrics that a study of kind meta names. Makes:
results/studies/{study}/.
"""

meta_read = ("correlations", "metric_pairs", "system_scores")
meta_outputs = report_outputs((), meta_read, ("agreement", "systems"))
study_outputs["meta"] = meta_outputs


rule meta:
    """Compare metrics with human scores on a test set."""
    input:
        segments="<results>/{testset}/segments.parquet",
        scores=judged("<results>/{testset}/scores/{metric}.parquet"),
        systems=judged("<results>/{testset}/systems/{metric}.parquet"),
    output:
        correlations="<results>/studies/{study}/parts/{testset}/correlations.parquet",
        metric_pairs="<results>/studies/{study}/parts/{testset}/metric_pairs.parquet",
        system_scores="<results>/studies/{study}/parts/{testset}/system_scores.parquet",
    log:
        "<logs>/studies/{study}/meta.{testset}.log",
    wildcard_constraints:
        study=studies_of("meta"),
    conda:
        "../envs/mtsig.yaml"
    threads: 4
    resources:
        mem_mb=grows(1500, text=60),
        runtime=grows(60, drawn_text=2, segment_pairs=10),
    params:
        study="{study}",
        testset="{testset}",
        langpair=langpair,
        metrics=judged_metrics,
        metric_settings=lambda wildcards: {name: settings["metrics"][name] for name in judged_metrics(wildcards)},
        directions=directions,
        settings=study_settings,
        missing=lambda wildcards: plan.missing(wildcards.testset),
        code=code("meta"),
        packages=provenance.versions("numpy", "scipy"),
    script:
        "../../scripts/meta.py"


rule meta_report:
    """Put the parts of a meta-evaluation together, and draw them."""
    input:
        parts=study_parts(*meta_read),
    output:
        files=in_report(meta_outputs, "../report/meta_{figure}.rst"),
    log:
        "<logs>/studies/{study}/meta_report.log",
    wildcard_constraints:
        study=studies_of("meta"),
    conda:
        "../envs/mtsig.yaml"
    threads: 1
    resources:
        mem_mb=grows(700, tables=1000),
        runtime=grows(30, tables=10),
    params:
        study="{study}",
        gold=lambda wildcards: study_settings(wildcards)["gold"],
        code=code("meta_report"),
    script:
        "../../scripts/meta_report.py"
