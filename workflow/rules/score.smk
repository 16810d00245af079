"""From segments and hypotheses to segment scores and sufficient statistics.

Needs: segments.parquet, hypotheses.parquet, and the score files of metrics that only read them. Makes:
scores/{metric}.parquet.
"""


rule score:
    """Score all systems of a test set with one metric."""
    input:
        metric_files,
        segments="<results>/{testset}/segments.parquet",
        hypotheses="<results>/{testset}/hypotheses.parquet",
    output:
        scores="<results>/{testset}/scores/{metric}.parquet",
    log:
        "<logs>/{testset}/score.{metric}.log",
    wildcard_constraints:
        metric=names_of(gpu=False),
    cache: True
    conda:
        "../envs/mtsig.yaml"
    threads: threads_for
    resources:
        mem_mb=grows(700, text=8),
        runtime=grows(20, text=0.5),
    params:
        testset="{testset}",
        langpair=plan.langpair,
        metric="{metric}",
        settings=plan.metric_settings,
        testset_settings=plan.metric_testset_settings,
        missing=lambda wildcards: plan.missing(wildcards.testset),
        code=lambda wildcards: code("score", wildcards),
        packages=provenance.versions(*scorers),
        watched=watched_metric,
    script:
        "../../scripts/score.py"
