"""From texts and scores to verdicts under other choices.

Needs: segments, hypotheses and scores of a test set. Makes: results/studies/{study}/ of the studies of kind robustness.
"""

robustness_outputs = report_outputs(("choices",), ("agreement",), ("agreement",))
study_outputs["robustness"] = robustness_outputs


rule robustness:
    """Compare all systems of a test set under every choice of the study."""
    input:
        segments="<results>/{testset}/segments.parquet",
        hypotheses="<results>/{testset}/hypotheses.parquet",
        scores=lambda wildcards: expand(
            "<results>/{testset}/scores/{metric}.parquet",
            testset=wildcards.testset,
            metric=robustness_metrics(wildcards),
        ),
    output:
        choices="<results>/studies/{study}/parts/{testset}/choices.parquet",
    log:
        "<logs>/studies/{study}/robustness.{testset}.log",
    wildcard_constraints:
        study=studies_of("robustness"),
    conda:
        "../envs/mtsig.yaml"
    threads: 4
    resources:
        mem_mb=grows(900, text=10, pairs=3),
        runtime=grows(240, drawn_text=5, drawn_pairs=1),
    params:
        study="{study}",
        testset="{testset}",
        langpair=langpair,
        metrics=robustness_metrics,
        metric_settings=lambda wildcards: {
            metric: settings["metrics"][metric] for metric in robustness_metrics(wildcards)
        },
        settings=study_settings,
        code=code("robustness"),
        packages=provenance.versions("numpy", *scorers),
    script:
        "../../scripts/robustness.py"


rule robustness_report:
    """Count which choices agree with the basis, and show it."""
    input:
        parts=study_parts("choices"),
    output:
        files=in_report(robustness_outputs, "../report/robustness.rst"),
    log:
        "<logs>/studies/{study}/robustness_report.log",
    wildcard_constraints:
        study=studies_of("robustness"),
    conda:
        "../envs/mtsig.yaml"
    threads: 1
    resources:
        mem_mb=grows(700, tables=1000),
        runtime=grows(30, tables=10),
    params:
        study="{study}",
        code=code("robustness_report"),
    script:
        "../../scripts/robustness_report.py"
