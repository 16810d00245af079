"""What the studies look up: which test sets and metrics they need.

Given: `settings`, `plan`. Made: functions of the study's name, for the rule files of the kinds of studies.
"""

from mtsig.plan.plan import values_of

study_outputs = plan.study_outputs
study_settings, metric_settings, testset_settings = plan.study_settings, plan.metric_settings, plan.testset_settings
langpair = plan.langpair


def studies_of(kind):
    """A wildcard's pattern: the studies of one kind and no others."""
    return any_of(name for name, its in settings["studies"].items() if its["kind"] == kind)


def judged_metrics(wildcards):
    """Human scores and metrics of the study of a job, each once."""
    its = study_settings(wildcards)
    return list(dict.fromkeys([*values_of(its["gold"]), *(its["qe"] if its["kind"] == "roc" else its["metrics"])]))


def judged(pattern):
    """The pattern for each metric of the study of a job."""
    return lambda wildcards: expand(pattern, testset=wildcards.testset, metric=judged_metrics(wildcards))


def directions(wildcards):
    """Whether more is better, for each metric of a study."""
    return {metric: plan.direction_of(metric) for metric in judged_metrics(wildcards)}


def study_parts(*tables):
    """The named tables of each test set of the study of a job."""
    return lambda wildcards: expand(
        "<results>/studies/{study}/parts/{testset}/{table}.parquet",
        study=wildcards.study,
        testset=plan.study_testsets(wildcards.study),
        table=tables,
    )


def robustness_metrics(wildcards):
    """The metric of the basis, then those to choose instead."""
    its = study_settings(wildcards)
    others = its["metrics"]
    if others is None:
        others = [metric for metric in plan.metrics_of(wildcards.testset) if plan.direction_of(metric) is not None]
    return list(dict.fromkeys([its["metric"], *others]))


def cell_parts(*tables):
    """The named tables of each test set and metric of the study of a job."""
    return lambda wildcards: [
        f"<results>/studies/{wildcards.study}/parts/{testset}/{metric}/{table}.parquet"
        for testset, metric in plan.study_cells(wildcards.study)
        for table in tables
    ]


def report_outputs(raw, read, figures):
    """The files of a study: Parquet and csv of all tables, pages of those that one reads, and figures."""
    return [
        *expand("{table}.{format}", table=(*raw, *read), format=("parquet", "csv")),
        *expand("{table}.{format}", table=read, format=("md", "tex")),
        *expand("figures/{figure}.{format}", figure=figures, format=("svg", "png", "pdf")),
    ]


# At the start of a line the word would be a directive of Snakemake's.
marked = report


def in_report(outputs, caption):
    """The files of a study, of which the SVG figures stand in Snakemake's report too, `caption` naming their texts."""
    return [
        (
            marked(
                f"<results>/studies/{{study}}/{path}",
                caption=caption.format(figure=Path(path).stem),
                category="Studies",
                labels={"study": "{study}", "figure": Path(path).stem.replace("_", " ")},
            )
            if path.endswith(".svg")
            else f"<results>/studies/{{study}}/{path}"
        )
        for path in outputs
    ]


def true_scores(wildcards):
    """The generator's true scores, where a test set is simulated and the study wants them; else nothing."""
    its = study_settings(wildcards)["truth"]
    simulated = settings["testsets"][wildcards.testset]["format"] == "simulated"
    computed = not (plan.kind_of(wildcards.metric).gpu or plan.kind_of(wildcards.metric).reads_files)
    if its == "generator" and not (simulated and computed):
        sys.exit(
            f"error: studies.{wildcards.study}.truth: generator needs a simulated test set and a metric that is computed "
            f"from texts; {wildcards.testset} with {wildcards.metric} is not. Use auto or testset."
        )
    wanted = its != "testset" and simulated and computed
    return [f"<results>/{wildcards.testset}/truth/{wildcards.metric}.parquet"] if wanted else []
