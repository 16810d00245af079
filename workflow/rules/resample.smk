"""From scores to intervals, tests and ranks.

Needs: segments.parquet, scores/{metric}.parquet, lint.json. Makes: systems, pairs and groups of the metric.
"""


rule resample:
    """Resample the test set, and compare all systems with each other by one metric."""
    input:
        segments="<results>/{testset}/segments.parquet",
        scores="<results>/{testset}/scores/{metric}.parquet",
        lint="<results>/{testset}/lint.json",
    output:
        systems="<results>/{testset}/systems/{metric}.parquet",
        pairs="<results>/{testset}/pairs/{metric}.parquet",
        groups="<results>/{testset}/groups/{metric}.parquet",
    log:
        "<logs>/{testset}/resample.{metric}.log",
    conda:
        "../envs/mtsig.yaml"
    threads: threads_for
    resources:
        mem_mb=grows(800, text=12),
        runtime=grows(20, drawn_text=0.2, drawn_pairs=0.01),
    params:
        testset="{testset}",
        langpair=plan.langpair,
        metric="{metric}",
        settings=plan.metric_settings,
        options=lambda wildcards: plan.resampling_options(wildcards.metric, wildcards.testset),
        missing=lambda wildcards: plan.missing(wildcards.testset),
        code=lambda wildcards: code("resample", wildcards),
        packages=provenance.versions("numpy"),
    script:
        "../../scripts/resample.py"
