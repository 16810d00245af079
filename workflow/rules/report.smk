"""From everything to one page.

Needs: what the page shows. Makes: page.json of every test set, report.html, provenance.json.
"""


rule page_part:
    """Write what the page shows of a test set."""
    input:
        segments="<results>/{testset}/segments.parquet",
        hypotheses="<results>/{testset}/hypotheses.parquet",
        lint="<results>/{testset}/lint.json",
        notes=lambda wildcards: neural_notes(wildcards.testset),
        scores=lambda wildcards: plan.shown("<results>/{testset}/scores/{metric}.parquet", wildcards.testset),
        systems=lambda wildcards: plan.shown("<results>/{testset}/systems/{metric}.parquet", wildcards.testset),
        pairs=lambda wildcards: plan.shown("<results>/{testset}/pairs/{metric}.parquet", wildcards.testset),
        groups=lambda wildcards: plan.shown("<results>/{testset}/groups/{metric}.parquet", wildcards.testset),
    output:
        part="<results>/{testset}/page.json",
    log:
        "<logs>/{testset}/page.log",
    conda:
        "../envs/mtsig.yaml"
    threads: 1
    resources:
        mem_mb=grows(800, text=4, pairs=0.5),
        runtime=grows(20, text=0.1),
    params:
        metrics=lambda wildcards: plan.configured_metrics(wildcards.testset),
        code=code("page_part"),
    script:
        "../../scripts/page_part.py"


rule report:
    """Write the report page and the record of what it was made from."""
    input:
        parts=plan.per_testset("<results>/{testset}/page.json"),
        suite_systems=lambda wildcards: plan.per_suite("<results>/suites/{suite}/systems/{metric}.parquet"),
        suite_pairs=lambda wildcards: plan.per_suite("<results>/suites/{suite}/pairs/{metric}.parquet"),
        studies=lambda wildcards: plan.per_study(),
    output:
        report="<results>/report.html",
        provenance="<results>/provenance.json",
    log:
        "<logs>/report.log",
    conda:
        "../envs/mtsig.yaml"
    threads: 1
    resources:
        mem_mb=grows(800, text=4, pairs=0.5),
        runtime=grows(20),
    params:
        settings=settings,
        digests=lambda wildcards: digests(),
        code=code("report", also=shown_studies()),
    script:
        "../../scripts/report.py"
