"""Which files each target stands for.

Given: `settings`. Made: one function per target; whoever adds results adds their files here.
"""


def per_testset(*patterns):
    """The patterns for every test set."""
    return expand(patterns, testset=settings["testsets"])


def per_metric(*patterns, gpu=False):
    """The patterns for every test set and each of its metrics."""
    return [
        path
        for testset in settings["testsets"]
        for path in expand(patterns, testset=testset, metric=metrics_of(testset, gpu))
    ]


def data_files():
    return [
        *per_testset(
            "<results>/{testset}/segments.parquet",
            "<results>/{testset}/hypotheses.parquet",
            "<results>/{testset}/lint.json",
        ),
        *per_metric(
            "<results>/{testset}/scores/{metric}.parquet",
            "<results>/{testset}/systems/{metric}.parquet",
            "<results>/{testset}/pairs/{metric}.parquet",
            "<results>/{testset}/groups/{metric}.parquet",
        ),
    ]


def table_files():
    return [
        file
        for testset in settings["testsets"]
        if metrics_of(testset)
        for file in expand(
            "<results>/{testset}/tables/{table}.{format}",
            testset=testset,
            table=("systems", "pairs", "matrix"),
            format=("csv", "md", "tex", "json"),
        )
    ]


def figure_files():
    return [
        file
        for pattern in per_metric("<results>/{testset}/figures/{metric}.{{figure}}.{{format}}")
        for file in expand(pattern, figure=("intervals", "matrix"), format=("svg", "png", "pdf"))
    ]


def report_files():
    return ["<results>/report.html", "<results>/provenance.json"]


def all_files():
    """Every contract file of the configuration except those of GPU metrics, so that a deleted one is made again."""
    return [*data_files(), *table_files(), *figure_files(), *report_files()]
