"""From everything to one page.

Needs: what the page shows. Makes: report.html, provenance.json.
"""


rule report:
    """Write the report page and the record of what it was made from."""
    input:
        segments=plan.per_testset("<results>/{testset}/segments.parquet"),
        hypotheses=plan.per_testset("<results>/{testset}/hypotheses.parquet"),
        lint=plan.per_testset("<results>/{testset}/lint.json"),
        notes=lambda wildcards: neural_notes(),
        scores=lambda wildcards: plan.per_shown("<results>/{testset}/scores/{metric}.parquet"),
        systems=lambda wildcards: plan.per_shown("<results>/{testset}/systems/{metric}.parquet"),
        pairs=lambda wildcards: plan.per_shown("<results>/{testset}/pairs/{metric}.parquet"),
        groups=lambda wildcards: plan.per_shown("<results>/{testset}/groups/{metric}.parquet"),
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
        runtime=grows(20, text=0.1),
    params:
        settings=settings,
        digests=lambda wildcards: digests(),
        code=code("report", also=shown_studies()),
    script:
        "../../scripts/report.py"
