"""From scores to the error rates of tests.

Needs: segments.parquet, scores/{metric}.parquet. Makes: results/studies/{study}/.
"""

null_read = ("rejections",)
null_outputs = report_outputs((), null_read, ("rejections",))
study_outputs["null"] = null_outputs


rule null:
    """Make systems equal, and count how often each test calls them different."""
    input:
        segments="<results>/{testset}/segments.parquet",
        scores="<results>/{testset}/scores/{metric}.parquet",
    output:
        rejections="<results>/studies/{study}/parts/{testset}/{metric}/rejections.parquet",
    log:
        "<logs>/studies/{study}/null.{testset}.{metric}.log",
    wildcard_constraints:
        study=studies_of("null"),
    conda:
        "../envs/mtsig.yaml"
    threads: 4
    resources:
        mem_mb=grows(700, text=5, pairs=2),
        runtime=grows(60, drawn_text=0.5, drawn_pairs=0.1),
    params:
        study="{study}",
        testset="{testset}",
        langpair=langpair,
        metric="{metric}",
        metric_settings=metric_settings,
        settings=study_settings,
        missing=lambda wildcards: plan.missing(wildcards.testset),
        code=lambda wildcards: code("null", wildcards),
        packages=provenance.versions("numpy", "scipy"),
    script:
        "../../scripts/null.py"


rule null_report:
    """Put the parts of a null study together."""
    input:
        parts=cell_parts(*null_read),
    output:
        files=in_report(null_outputs, "../report/null.rst"),
    log:
        "<logs>/studies/{study}/null_report.log",
    wildcard_constraints:
        study=studies_of("null"),
    conda:
        "../envs/mtsig.yaml"
    threads: 1
    resources:
        mem_mb=grows(700, tables=1000),
        runtime=grows(30, tables=10),
    params:
        study="{study}",
        alpha=lambda wildcards: study_settings(wildcards)["alpha"],
        code=code("null_report"),
    script:
        "../../scripts/null_report.py"
