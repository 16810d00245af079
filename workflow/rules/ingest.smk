"""From raw files to segments and hypotheses.

Needs: the files that a test set's settings name. Makes: segments.parquet, hypotheses.parquet, lint.json.
"""


rule ingest:
    """Read a test set in its format, check its alignment, and note what looks wrong with it."""
    input:
        testset_files,
    output:
        segments="<results>/{testset}/segments.parquet",
        hypotheses="<results>/{testset}/hypotheses.parquet",
        lint="<results>/{testset}/lint.json",
    log:
        "<logs>/{testset}/ingest.log",
    conda:
        "../envs/mtsig.yaml"
    threads: 1
    resources:
        mem_mb=grows(600, text=8),
        runtime=grows(20, text=0.1),
    params:
        testset="{testset}",
        settings=plan.testset_settings,
        code=lambda wildcards: code("ingest", wildcards),
        watched=watched_testset,
    script:
        "../../scripts/ingest.py"
