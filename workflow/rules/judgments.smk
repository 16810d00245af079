"""What the studies of judgments look up: which test sets and metrics they need.

Given: `settings`, `takes_part()`. Made: functions of the study's name, for roc.smk and meta.smk.
"""


def studies_of(kind):
    """A wildcard's pattern: the studies of one kind and no others."""
    found = [name for name, its in settings["studies"].items() if its["kind"] == kind]
    return "|".join(map(re.escape, found)) or "(?!)"


def listed(value):
    """The value, or the values of a swept option."""
    return value if isinstance(value, list) else [value]


def study_testsets(study):
    return listed(settings["studies"][study]["testset"])


def study_metrics(study):
    """Human scores and metrics of a study, each once."""
    its = settings["studies"][study]
    return list(dict.fromkeys([*listed(its["gold"]), *(its["qe"] if its["kind"] == "roc" else its["metrics"])]))


def can_judge(study):
    """Whether the scores of all its metrics are made, or there; a study that waits for a neural metric is left out."""
    return all(takes_part(testset, metric) for testset in study_testsets(study) for metric in study_metrics(study))


def judged_metrics(wildcards):
    """Human scores and metrics of the study of a job."""
    return study_metrics(wildcards.study)


def judged(pattern):
    """The pattern for each metric of the study of a job."""
    return lambda wildcards: expand(pattern, testset=wildcards.testset, metric=judged_metrics(wildcards))


def directions(wildcards):
    """Whether more is better, for each metric of a study."""
    return {
        metric: settings["metrics"][metric].get("higher_is_better", kind_of(metric).higher_is_better)
        for metric in judged_metrics(wildcards)
    }


def study_parts(*tables):
    """The named tables of each test set of the study of a job."""
    return lambda wildcards: expand(
        "<results>/studies/{study}/parts/{testset}/{table}.parquet",
        study=wildcards.study,
        testset=study_testsets(wildcards.study),
        table=tables,
    )
