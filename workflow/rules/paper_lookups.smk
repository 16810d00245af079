"""What the paper shows.

Given: `settings`. Made: `shown_in_paper`, and functions that name the paper's inputs and files.
"""

from mtsig.errors import ConfigError


def paper_results():
    """What the paper shows: (folder of a test set or suite, metric), each once."""
    found = {}
    for name, its in settings["paper"]["tables"].items():
        places = [*its["testsets"], *(f"suites/{suite}" for suite in its["suites"])]
        cells = [(place, metric) for place in places for metric in its["metrics"] if computed(place, metric)]
        if not cells:
            raise ConfigError(
                f"paper.tables.{name}: none of its metrics is computed on any of its test sets and suites."
            )
        found |= dict.fromkeys(cells)
    for name, its in settings["paper"]["figures"].items():
        place = its["testset"] or f"suites/{its['suite']}"
        if not computed(place, its["metric"]):
            raise ConfigError(f"paper.figures.{name}.metric: {its['metric']} is not computed on {place}.")
        found[place, its["metric"]] = None
    return list(found)


def computed(place, metric):
    """Whether the configuration computes a metric there."""
    if place.startswith("suites/"):
        return metric in suite_metrics(place.removeprefix("suites/"), of_testset=configured_metrics)
    return metric in configured_metrics(place)


def paper_inputs(kind):
    return [f"<results>/{place}/{kind}/{metric}.parquet" for place, metric in shown_in_paper]


def paper_files(gpu=True):
    """The files of the paper; without those of GPU metrics, none if it shows any."""
    if not shown_in_paper or (not gpu and any(kind_of(metric).gpu for _, metric in shown_in_paper)):
        return []
    return [
        *expand(
            "<results>/paper/{table}.{format}",
            table=settings["paper"]["tables"],
            format=("csv", "md", "tex", "table.tex"),
        ),
        *expand("<results>/paper/{figure}.{format}", figure=settings["paper"]["figures"], format=("pdf", "svg")),
        "<results>/paper/methods.md",
        "<results>/paper/methods.tex",
    ]


shown_in_paper = or_exit(paper_results)
