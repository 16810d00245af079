"""What calibration, null and power studies look up: one job for each test set and metric that a study goes through.

Given: `settings`. Made: functions of the study's name, for calibration.smk, null.smk and power.smk.
"""


def study_cells(study):
    """The (test set, metric) pairs of a study that take part."""
    its = settings["studies"][study]
    return [
        (testset, metric)
        for testset in listed(its["testset"])
        for metric in listed(its["metric"])
        if takes_part(testset, metric)
    ]


def cell_parts(*tables):
    """The named tables of each test set and metric of the study of a job."""
    return lambda wildcards: [
        f"<results>/studies/{wildcards.study}/parts/{testset}/{metric}/{table}.parquet"
        for testset, metric in study_cells(wildcards.study)
        for table in tables
    ]


def report_outputs(raw, read, figures):
    """The files of a study: Parquet and csv of all tables, pages of those that one reads, and figures."""
    return [
        *expand("{table}.{format}", table=(*raw, *read), format=("parquet", "csv")),
        *expand("{table}.{format}", table=read, format=("md", "tex")),
        *expand("figures/{figure}.{format}", figure=figures, format=("svg", "png", "pdf")),
    ]


def true_scores(wildcards):
    """The generator's true scores, where a test set is simulated and the study wants them; else nothing."""
    its = settings["studies"][wildcards.study]["truth"]
    simulated = settings["testsets"][wildcards.testset]["format"] == "simulated"
    computed = not kind_of(wildcards.metric).gpu and not reads_files(wildcards.metric)
    if its == "generator" and not (simulated and computed):
        sys.exit(
            f"error: studies.{wildcards.study}.truth: generator needs a simulated test set and a metric that is computed "
            f"from texts; {wildcards.testset} with {wildcards.metric} is not. Use auto or testset."
        )
    wanted = its != "testset" and simulated and computed
    return [f"<results>/{wildcards.testset}/truth/{wildcards.metric}.parquet"] if wanted else []
