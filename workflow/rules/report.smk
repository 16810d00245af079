"""From everything to one page.

Needs: what the page shows. Makes: report.html, provenance.json.
"""


rule report:
    """Write the report page and the record of what it was made from."""
    input:
        segments=per_testset("<results>/{testset}/segments.parquet"),
        lint=per_testset("<results>/{testset}/lint.json"),
        systems=per_metric("<results>/{testset}/systems/{metric}.parquet"),
        pairs=per_metric("<results>/{testset}/pairs/{metric}.parquet"),
        groups=per_metric("<results>/{testset}/groups/{metric}.parquet"),
    output:
        report="<results>/report.html",
        provenance="<results>/provenance.json",
    log:
        "<logs>/report.log",
    conda:
        "../envs/mtsig.yaml"
    resources:
        mem_mb=memory(1000, 40),
        runtime=lambda wildcards, attempt: 30 * attempt,
    params:
        settings=settings,
        code=code("report"),
    script:
        "../../scripts/report.py"
