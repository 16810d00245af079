"""From results to tables.

Needs: systems and pairs of all metrics of a test set. Makes: tables/{systems,pairs,matrix}.{csv,md,tex,json}.
"""


rule tables:
    """The tables of every test set."""
    input:
        plan.table_files(),


rule testset_tables:
    """Write the tables of a test set or suite: systems, pairs and matrix with all its metrics."""
    input:
        systems=lambda wildcards: plan.shown("<results>/{testset}/systems/{metric}.parquet", wildcards.testset),
        pairs=lambda wildcards: plan.shown("<results>/{testset}/pairs/{metric}.parquet", wildcards.testset),
    output:
        tables=expand("<results>/{{testset}}/tables/{table}.{format}", **TABLES),
    log:
        "<logs>/{testset}/tables.log",
    conda:
        "../envs/mtsig.yaml"
    threads: 1
    resources:
        mem_mb=grows(600, pairs=0.2),
        runtime=grows(20),
    params:
        code=code("tables"),
    script:
        "../../scripts/tables.py"
