"""From scores to studies.

Needs: segments.parquet, scores/{metric}.parquet and what the kinds of studies declare besides. Makes:
truth/{metric}.parquet of simulated test sets, and results/studies/{study}/.
"""

from mtsig import configschemas
from mtsig.kinds import study_kind

study_kinds = {name: study_kind(name) for name in configschemas.variants(schemas, "studies")}


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
        langpair=plan.langpair,
        testset_settings=plan.testset_settings,
        metric="{metric}",
        settings=plan.metric_settings,
        code=lambda wildcards: code("truth", wildcards),
        packages=provenance.versions("numpy", *scorers),
    script:
        "../../scripts/truth.py"


for kind, declared in study_kinds.items():

    rule:
        """Analyse a test set, or a test set by one metric, for a study of one kind."""
        name:
            kind
        input:
            unpack(lambda wildcards: or_exit(plan.study_inputs, wildcards)),
        output:
            tables=[plan.study_part(declared).replace("{table}", table.name) for table in declared.tables],
        log:
            f"<logs>/studies/{{study}}/{kind}.{{testset}}{'.{metric}' * declared.per_metric}.log",
        wildcard_constraints:
            study=studies_of(kind),
        conda:
            "../envs/mtsig.yaml"
        threads: declared.threads
        resources:
            mem_mb=grows(**declared.memory),
            runtime=grows(**declared.runtime),
        params:
            kind=kind,
            study="{study}",
            testset="{testset}",
            langpair=plan.langpair,
            metrics=plan.job_metrics,
            settings=plan.study_settings,
            missing=lambda wildcards: plan.missing(wildcards.testset),
            code=lambda wildcards: study_code("study", wildcards),
            packages=provenance.versions(*declared.packages),
        script:
            "../../scripts/study.py"

    rule:
        """Put the parts of a study of one kind together, and draw its figures."""
        name:
            f"{kind}_report"
        input:
            parts=plan.study_parts,
        output:
            files=list(map(in_report, declared.files())),
        log:
            f"<logs>/studies/{{study}}/{kind}_report.log",
        wildcard_constraints:
            study=studies_of(kind),
        conda:
            "../envs/mtsig.yaml"
        threads: 1
        resources:
            mem_mb=grows(**declared.report_memory),
            runtime=grows(**declared.report_runtime),
        params:
            kind=kind,
            study="{study}",
            options=plan.shown_options,
            about=plan.study_caption,
            code=lambda wildcards: study_code("study_report", wildcards),
        script:
            "../../scripts/study_report.py"
