"""Which files each target stands for.

Given: `settings`. Made: one function per target; whoever adds results adds their files here. A kind of study says in its
own rule file which files it makes.
"""

# Kind of study to the names of its files below results/studies/{study}/.
study_outputs = {}


# How the tables of a test set or suite are called, and the figures of a metric.
table_names = {"table": ("systems", "pairs", "matrix"), "format": ("csv", "md", "tex", "json")}
figure_names = {"figure": ("intervals", "matrix"), "format": ("svg", "png", "pdf")}


def per_study():
    """The files of all studies."""
    return [
        f"<results>/studies/{study}/{name}"
        for study, its in settings["studies"].items()
        if study_takes_part(study)
        for name in study_outputs[its["kind"]]
    ]


def study_takes_part(study):
    """Whether a study can be made: with the cells that take part, or, where it has no cells, with all its metrics."""
    its = settings["studies"][study]
    if its["kind"] in ("calibration", "null", "power"):
        return bool(study_cells(study))
    metrics = [metric for key in ("metric", "metrics", "gold", "qe") for metric in listed(its.get(key) or [])]
    return all(takes_part(testset, metric) for testset in listed(its["testset"]) for metric in metrics)


def suite_metrics(suite, of_testset=shown_metrics):
    """The metrics of a suite: the named ones, or those that all its test sets have."""
    its = settings["suites"][suite]
    first, *others = map(of_testset, its["testsets"])
    return [metric for metric in its["metrics"] or first if all(metric in other for other in others)]


def shown_of_suite(pattern, suite):
    """The pattern for the metrics that tables of a suite show."""
    return expand(pattern, suite=suite, metric=suite_metrics(suite))


def per_suite(*patterns, **others):
    """The patterns for every suite and each of its metrics, and for all values of other wildcards."""
    return [
        path
        for suite in settings["suites"]
        for path in expand(patterns, suite=suite, metric=suite_metrics(suite), **others)
    ]


def per_testset(*patterns):
    """The patterns for every test set."""
    return expand(patterns, testset=settings["testsets"])


def per_metric(*patterns, gpu=False, **others):
    """The patterns for every test set and each of its metrics, and for all values of other wildcards."""
    return [
        path
        for testset in settings["testsets"]
        for path in expand(patterns, testset=testset, metric=metrics_of(testset, gpu), **others)
    ]


def per_shown(pattern):
    """The pattern for every test set and each of its metrics that takes part."""
    return [path for testset in settings["testsets"] for path in shown(pattern, testset)]


def text_files():
    return per_testset(
        "<results>/{testset}/segments.parquet",
        "<results>/{testset}/hypotheses.parquet",
        "<results>/{testset}/lint.json",
    )


def score_files(gpu=False):
    return per_metric(
        "<results>/{testset}/scores/{metric}.parquet",
        "<results>/{testset}/systems/{metric}.parquet",
        "<results>/{testset}/pairs/{metric}.parquet",
        "<results>/{testset}/groups/{metric}.parquet",
        gpu=gpu,
    )


def table_files():
    testsets = [testset for testset in settings["testsets"] if shown_metrics(testset)]
    return expand("<results>/{testset}/tables/{table}.{format}", testset=testsets, **table_names)


def figure_files(gpu=False):
    return per_metric("<results>/{testset}/figures/{metric}.{figure}.{format}", gpu=gpu, **figure_names)


def suite_files():
    """The files of all suites."""
    suites = [suite for suite in settings["suites"] if suite_metrics(suite)]
    return [
        *per_suite(
            "<results>/suites/{suite}/systems/{metric}.parquet", "<results>/suites/{suite}/pairs/{metric}.parquet"
        ),
        *expand("<results>/suites/{suite}/tables/{table}.{format}", suite=suites, **table_names),
        *per_suite("<results>/suites/{suite}/figures/{metric}.{figure}.{format}", **figure_names),
    ]


def report_files():
    return ["<results>/report.html", "<results>/provenance.json"]


def all_files():
    """Every contract file of the configuration except those of GPU metrics, so that a deleted one is made again."""
    return [
        *text_files(),
        *score_files(),
        *table_files(),
        *figure_files(),
        *suite_files(),
        *per_study(),
        *paper_files(gpu=False),
        *report_files(),
    ]
