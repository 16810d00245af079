"""When neural metrics take part, and whether they can run.

Given: `settings`, the targets. Made: what `plan` asks about neural metrics, and what the
rules in comet.smk look up.

Neural scores are made under the target `comet`, or for a file asked for by name. Other runs take the scores that lie
there, as long as they belong to the present texts and settings, and never start a model.
"""

import hashlib
import json
import shlex
from types import SimpleNamespace

from mtsig.metrics.neural import availability, checkpoint, signatures

scorer = home / "scripts" / "comet_score.py"
comet_environment = home / "workflow" / "envs" / "comet.yaml"
# What decides about neural scores; the rest of `neural` says how they are computed.
neural_defaults = {key: settings["neural"][key] for key in ("batch_size", "precision")}


def names_of(gpu):
    """A wildcard's pattern for the metrics of one of the two rules that score."""
    return any_of(metric for metric in settings["metrics"] if plan.kind_of(metric).gpu == gpu)


def asked_for(metric):
    """Whether a target makes the scores of a neural metric: `comet`, also as part of a module, or one of its files."""
    pattern = rf"(\w+_)?comet(_score)?|.*/{re.escape(metric)}\.\w+(\.\w+)?"
    return any(re.fullmatch(pattern, target) for target in targets())


@functools.cache
def has_scores(testset, metric):
    """Whether the scores of a neural metric lie there and belong to the present texts, settings and code."""
    wildcards = SimpleNamespace(testset=testset, metric=metric)
    scores, notes = resolved(
        [f"<results>/{testset}/scores/{metric}.parquet", f"<results>/{testset}/neural/{metric}.json"]
    )
    try:
        made_from = json.loads(Path(notes).read_text(encoding="utf-8"))["made_from"]
    except (OSError, ValueError, KeyError):
        return False
    return os.path.exists(scores) and made_from["inputs"] == neural_inputs(wildcards)


def neural_notes(testset):
    """What there is to be said about a test set's neural metrics that take part."""
    return [
        f"<results>/{testset}/neural/{metric}.json"
        for metric in plan.shown_metrics(testset)
        if plan.kind_of(metric).gpu
    ]


def neural_settings(metric):
    """A neural metric's settings, with those of `neural` where it leaves them open."""
    its = settings["metrics"][metric]
    return {**its, **{key: value if its[key] is None else its[key] for key, value in neural_defaults.items()}}


def neural_inputs(wildcards):
    """Digest of what a neural metric's scores are made from, as far as it is known without asking COMET."""
    parts = [
        plan.testset_settings(wildcards),
        content(plan.raw_texts(wildcards)),
        neural_settings(wildcards.metric),
        plan.missing(wildcards.testset),
        code("ingest", wildcards),
        code("comet_score", wildcards),
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def neural_texts(wildcards):
    """Nothing, once it is known that the model can run; or, where it need not, a file that is never there.

    For Snakemake a job whose input cannot be had is no way to make a file: it takes the scores that lie there.
    """
    if not asked_for(wildcards.metric) and has_scores(wildcards.testset, wildcards.metric):
        return ["neural scores are made under the target comet"]
    found_for_neural()
    return []


@functools.cache
def found_for_neural():
    """Versions of the packages and commits of the models; or one message on what is in the way, and the end of the run."""
    metrics = {metric: neural_settings(metric) for metric in settings["metrics"] if plan.kind_of(metric).gpu}
    if uses_conda():
        # The environment is made later: what is in it follows from its description.
        return {"versions": {"environment": content([comet_environment])}, "commits": {}}
    return or_exit(
        availability.examine,
        metrics,
        python=settings["neural"]["python"],
        script=scorer,
        local_files_only=settings["neural"]["local_files_only"],
    )


def neural_job(wildcards):
    """What a job computes, as JSON. A change of it is a reason to compute again."""
    found = found_for_neural()
    its = neural_settings(wildcards.metric)
    local = content(or_exit(checkpoint.local_files, its["model"])) if signatures.is_path(its["model"]) else None
    job = {
        "testset": wildcards.testset,
        "langpair": plan.langpair(wildcards),
        "metric": wildcards.metric,
        "settings": its,
        "missing": plan.missing(wildcards.testset),
        "made_from": {
            "inputs": neural_inputs(wildcards),
            "versions": found["versions"],
            "checkpoint": local or found["commits"].get(wildcards.metric),
        },
    }
    return json.dumps(job, sort_keys=True)


def neural_runtime(wildcards, threads):
    """How it is computed, as JSON; because it takes `threads`, no change of it is a reason to compute again."""
    keys = ("devices", "store", "local_files_only")
    return json.dumps({**{key: settings["neural"][key] for key in keys}, "threads": threads})


def neural_command(wildcards, threads):
    """The Python that has COMET, and what it is to run; no reason to compute again either."""
    python = "python" if uses_conda() else settings["neural"]["python"] or sys.executable
    return shlex.join([str(python), str(scorer)])


def neural_gpus():
    devices = settings["neural"]["devices"]
    return {"auto": 1, "cpu": 0}.get(devices, devices)


def comet_files():
    """Every contract file of the neural metrics, and everything else, which shows them."""
    if not any(plan.kind_of(metric).gpu for metric in settings["metrics"]):
        sys.exit("error: metrics: none is of kind comet, so the target comet has nothing to make. Add one.")
    return plan.neural_files()
