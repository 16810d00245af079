"""From results to the tables and figures of a paper.

Needs: systems and pairs of the metrics, and tables of the studies, that the configuration's `paper` names. Makes:
results/paper/.
"""


rule paper:
    """The tables and figures of the paper."""
    input:
        plan.paper_files(),
        plan.paper_study_files(),


if plan.paper_files():

    rule paper_files:
        """Write the tables and figures that the configuration names, and how their numbers were made."""
        input:
            systems=plan.paper_inputs("systems"),
            pairs=plan.paper_inputs("pairs"),
        output:
            files=plan.paper_files(),
        log:
            "<logs>/paper.log",
        conda:
            "../envs/mtsig.yaml"
        threads: 1
        resources:
            mem_mb=grows(700, pairs=0.5),
            runtime=grows(20),
        params:
            settings=settings["paper"],
            suites=settings["suites"],
            code=code("paper"),
            packages=provenance.versions("sacrebleu"),
        script:
            "../../scripts/paper.py"


if plan.paper_study_files():

    rule paper_studies:
        """Write the tables and figures of studies that the configuration names for the paper."""
        input:
            tables=plan.paper_study_inputs(),
        output:
            files=plan.paper_study_files(),
        log:
            "<logs>/paper_studies.log",
        conda:
            "../envs/mtsig.yaml"
        threads: 1
        resources:
            mem_mb=grows(700, tables=1300),
            runtime=grows(30, tables=10),
        params:
            named=plan.paper_studies,
            studies=plan.paper_study_options(),
            code=code("paper_studies", also=shown_studies()),
        script:
            "../../scripts/paper_studies.py"
