"""From results to figures.

Needs: systems and pairs of a metric. Makes: figures/{metric}.{intervals,matrix}.{svg,png,pdf}.
"""


rule figures:
    """The figures of every test set and metric."""
    input:
        plan.figure_files(),


rule testset_figures:
    """Draw the scores of a metric with their intervals, and who is better than whom."""
    input:
        systems="<results>/{testset}/systems/{metric}.parquet",
        pairs="<results>/{testset}/pairs/{metric}.parquet",
    output:
        figures=[
            report(
                "<results>/{testset}/figures/{metric}.intervals.svg",
                caption="../report/intervals.rst",
                category="Scores",
                labels={"test set": "{testset}", "metric": "{metric}"},
            ),
            report(
                "<results>/{testset}/figures/{metric}.matrix.svg",
                caption="../report/matrix.rst",
                category="Significance",
                labels={"test set": "{testset}", "metric": "{metric}"},
            ),
            "<results>/{testset}/figures/{metric}.intervals.png",
            "<results>/{testset}/figures/{metric}.matrix.png",
            "<results>/{testset}/figures/{metric}.intervals.pdf",
            "<results>/{testset}/figures/{metric}.matrix.pdf",
        ],
    log:
        "<logs>/{testset}/figures.{metric}.log",
    conda:
        "../envs/mtsig.yaml"
    threads: 1
    resources:
        mem_mb=grows(700, pairs=0.5),
        runtime=grows(20),
    params:
        code=code("figures"),
    script:
        "../../scripts/figures.py"
