"""From scores to the size that a test set should have.

Needs: segments.parquet, scores/{metric}.parquet. Makes: results/studies/{study}/.
"""

power_raw = ("power_curve",)
power_read = ("planning",)
power_outputs = report_outputs(power_raw, power_read, ("power_curve", "detectable"))
study_outputs["power"] = power_outputs


rule power:
    """Simulate test sets of several sizes, and see which differences they detect."""
    input:
        segments="<results>/{testset}/segments.parquet",
        scores="<results>/{testset}/scores/{metric}.parquet",
    output:
        power_curve="<results>/studies/{study}/parts/{testset}/{metric}/power_curve.parquet",
        planning="<results>/studies/{study}/parts/{testset}/{metric}/planning.parquet",
    log:
        "<logs>/studies/{study}/power.{testset}.{metric}.log",
    wildcard_constraints:
        study=studies_of("power"),
    conda:
        "../envs/mtsig.yaml"
    threads: 4
    resources:
        mem_mb=grows(800, text=8, pairs=10),
        runtime=grows(120, drawn_text=1, drawn_pairs=0.1),
    params:
        study="{study}",
        testset="{testset}",
        langpair=langpair,
        metric="{metric}",
        metric_settings=metric_settings,
        settings=study_settings,
        missing=lambda wildcards: plan.missing(wildcards.testset),
        code=lambda wildcards: code("power", wildcards),
        packages=provenance.versions("numpy", "scipy"),
    script:
        "../../scripts/power.py"


rule power_report:
    """Put the parts of a power study together."""
    input:
        parts=cell_parts(*power_raw, *power_read),
    output:
        files=in_report(power_outputs, "../report/power.rst"),
    log:
        "<logs>/studies/{study}/power_report.log",
    wildcard_constraints:
        study=studies_of("power"),
    conda:
        "../envs/mtsig.yaml"
    threads: 1
    resources:
        mem_mb=grows(700, tables=1000),
        runtime=grows(30, tables=10),
    params:
        study="{study}",
        target_power=lambda wildcards: study_settings(wildcards)["target_power"],
        code=code("power_report"),
    script:
        "../../scripts/power_report.py"
