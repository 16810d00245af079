"""From scores to what small test sets would have shown.

Needs: segments.parquet, scores/{metric}.parquet. Makes: truth/{metric}.parquet of simulated test sets, and
results/studies/{study}/.
"""

calibration_raw = ("subsets", "conclusions", "verdicts")
calibration_read = ("calibration", "power", "tests", "coverage", "ranges")
calibration_outputs = report_outputs(
    calibration_raw, calibration_read, ("reliability", "power", "tests", "coverage", "ranges", "differences")
)
study_outputs["calibration"] = calibration_outputs


rule truth:
    """Score much more text of the source that a simulated test set comes from."""
    output:
        truth="<results>/{testset}/truth/{metric}.parquet",
    log:
        "<logs>/{testset}/truth.{metric}.log",
    conda:
        "../envs/mtsig.yaml"
    threads: 4
    resources:
        mem_mb=grows(800),
        runtime=grows(60),
    params:
        testset="{testset}",
        langpair=langpair,
        testset_settings=testset_settings,
        metric="{metric}",
        settings=metric_settings,
        code=lambda wildcards: code("truth", wildcards),
        packages=provenance.versions("numpy", *scorers),
    script:
        "../../scripts/truth.py"


rule calibration:
    """Divide a test set into smaller ones, and see what intervals and tests say on each."""
    input:
        segments="<results>/{testset}/segments.parquet",
        scores="<results>/{testset}/scores/{metric}.parquet",
        truth=true_scores,
    output:
        **{
            table: f"<results>/studies/{{study}}/parts/{{testset}}/{{metric}}/{table}.parquet"
            for table in (*calibration_raw, *calibration_read)
        },
    log:
        "<logs>/studies/{study}/calibration.{testset}.{metric}.log",
    wildcard_constraints:
        study=studies_of("calibration"),
    conda:
        "../envs/mtsig.yaml"
    threads: 4
    resources:
        mem_mb=grows(800, text=10, pairs=3),
        runtime=grows(60, drawn_text=1, drawn_pairs=0.05),
    params:
        study="{study}",
        testset="{testset}",
        langpair=langpair,
        metric="{metric}",
        metric_settings=metric_settings,
        settings=study_settings,
        missing=lambda wildcards: plan.missing(wildcards.testset),
        code=lambda wildcards: code("calibration", wildcards),
        packages=provenance.versions("numpy", "scipy"),
    script:
        "../../scripts/calibration.py"


rule calibration_report:
    """Put the parts of a calibration study together, in the paper's layout."""
    input:
        parts=cell_parts(*calibration_raw, *calibration_read),
    output:
        files=in_report(calibration_outputs, "../report/calibration.rst"),
    log:
        "<logs>/studies/{study}/calibration_report.log",
    wildcard_constraints:
        study=studies_of("calibration"),
    conda:
        "../envs/mtsig.yaml"
    threads: 1
    resources:
        mem_mb=grows(700, tables=1300),
        runtime=grows(30, tables=10),
    params:
        study="{study}",
        confidence_level=lambda wildcards: study_settings(wildcards)["confidence_level"],
        code=code("calibration_report"),
    script:
        "../../scripts/calibration_report.py"
