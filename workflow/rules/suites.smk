"""From scores on several test sets to their average.

Needs: segments, scores, pairs of the metric and lint.json of every test set of a suite. Makes: results/suites/{suite}/.
"""


rule suites:
    """The averages over test sets, with their tables and figures."""
    input:
        plan.suite_files(),


rule suite_average:
    """Average a metric over the test sets of a suite, and compare all systems with each other by it."""
    input:
        segments=plan.of_suite("<results>/{testset}/segments.parquet"),
        scores=plan.of_suite("<results>/{testset}/scores/{metric}.parquet"),
        member_pairs=plan.of_suite("<results>/{testset}/pairs/{metric}.parquet"),
        lint=plan.of_suite("<results>/{testset}/lint.json"),
    output:
        systems="<results>/suites/{suite}/systems/{metric}.parquet",
        pairs="<results>/suites/{suite}/pairs/{metric}.parquet",
    log:
        "<logs>/suites/{suite}/average.{metric}.log",
    conda:
        "../envs/mtsig.yaml"
    threads: 4
    resources:
        mem_mb=grows(800, text=12),
        runtime=grows(20, drawn_text=0.2, drawn_pairs=0.01),
    params:
        suite="{suite}",
        testsets=lambda wildcards: settings["suites"][wildcards.suite]["testsets"],
        langpairs=lambda wildcards: [
            settings["testsets"][testset]["langpair"] for testset in settings["suites"][wildcards.suite]["testsets"]
        ],
        metric="{metric}",
        settings=plan.metric_settings,
        options=lambda wildcards: plan.resampling_options(wildcards.metric),
        missing=lambda wildcards: plan.missing(*plan.suite_testsets(wildcards.suite)),
        code=lambda wildcards: code("suites", wildcards),
        packages=provenance.versions("numpy"),
    script:
        "../../scripts/suites.py"


use rule testset_tables as suite_tables with:
    input:
        systems=lambda wildcards: plan.shown_of_suite(
            "<results>/suites/{suite}/systems/{metric}.parquet", wildcards.suite
        ),
        pairs=lambda wildcards: plan.shown_of_suite("<results>/suites/{suite}/pairs/{metric}.parquet", wildcards.suite),
    output:
        tables=expand("<results>/suites/{{suite}}/tables/{table}.{format}", **TABLES),
    log:
        "<logs>/suites/{suite}/tables.log",


use rule testset_figures as suite_figures with:
    input:
        systems="<results>/suites/{suite}/systems/{metric}.parquet",
        pairs="<results>/suites/{suite}/pairs/{metric}.parquet",
    output:
        figures=[
            report(
                "<results>/suites/{suite}/figures/{metric}.intervals.svg",
                caption="../report/suite_intervals.rst",
                category="Averages",
                labels={"suite": "{suite}", "metric": "{metric}", "figure": "scores"},
            ),
            report(
                "<results>/suites/{suite}/figures/{metric}.matrix.svg",
                caption="../report/suite_matrix.rst",
                category="Averages",
                labels={"suite": "{suite}", "metric": "{metric}", "figure": "significance"},
            ),
            "<results>/suites/{suite}/figures/{metric}.intervals.png",
            "<results>/suites/{suite}/figures/{metric}.matrix.png",
            "<results>/suites/{suite}/figures/{metric}.intervals.pdf",
            "<results>/suites/{suite}/figures/{metric}.matrix.pdf",
        ],
    log:
        "<logs>/suites/{suite}/figures.{metric}.log",
