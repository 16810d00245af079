"""What jobs ask for: threads, memory (MB) and time (minutes). Clusters reserve it; local runs heed it where
`--resources mem_mb=...` sets a limit.

Given: `settings`. Made: `grows()`, `threads_for()`.

It follows from what is known before any job has run, so that a group of jobs can ask for what its last job needs. None of
it is a reason to run again.
"""

from math import comb


def grows(base, **factors):
    """An amount of memory or time: `base`, and each factor times its quantity (below); doubled at each new attempt.

    The amounts in the rules were measured on 20 systems x 3,000, 5 x 30,000 and 20 x 30,000 segments of 160 bytes. About
    half of each is reserve; 250 MB are for the two Snakemakes that start a job on a cluster.
    """

    def amount(wildcards, input, attempt):
        grown = sum(factor * quantities[name](wildcards, input) for name, factor in factors.items())
        return int((base + grown) * 2 ** (attempt - 1))

    return amount


def threads_for(wildcards):
    """Threads of a job on a test set: a small one is done before a second thread could help."""
    return 1 if text_size(wildcards) < 10 else 4


def text_size(wildcards):
    """Megabytes of the texts that a job works on."""
    return sum(map(testset_size, testsets_of(wildcards)))


def testsets_of(wildcards):
    """A job's test set, those of its study or suite, or all."""
    if hasattr(wildcards, "testset"):
        return [wildcards.testset]
    if hasattr(wildcards, "study"):
        return study_testsets(wildcards.study)
    return settings["suites"][wildcards.suite]["testsets"] if hasattr(wildcards, "suite") else settings["testsets"]


@functools.cache
def testset_size(testset):
    """Megabytes of a test set's raw files; of texts made by rule, about those that they would have."""
    its = settings["testsets"][testset]
    if its["format"] == "simulated":
        return 7e-6 * its["segments"] * its["segment_length"] * (1 + len(its["systems"]))
    paths = [Path(path) for path in raw.testset_files(its)]
    # Text is compressed to about a fifth.
    sizes = [os.path.getsize(path) * (5 if path.suffix in (".gz", ".xz", ".parquet") else 1) for path in paths]
    return sum(sizes) / 1e6


def n_pairs(wildcards):
    """Pairs of systems of a job."""
    its = study_settings(wildcards) if hasattr(wildcards, "study") else {}
    if its.get("pairs"):
        return len(its["pairs"])
    return comb(len(its["systems"]) if its.get("systems") else max(map(n_systems, testsets_of(wildcards))), 2)


def n_systems(testset):
    """Systems of a test set; twenty where only its files tell."""
    known = raw.known_systems(settings["testsets"][testset])
    return 20 if known is None else len(known)


def n_draws(wildcards):
    """Thousands of resamples, or ten thousands of trials, whichever is more; at least one."""
    its = study_settings(wildcards) if hasattr(wildcards, "study") else settings
    return max([1000, its.get("n_trials", 0) / 10, *listed(its.get("n_resamples", 0))]) / 1000


def n_curves(wildcards):
    """ROC curves of a system of a job's study."""
    its = study_settings(wildcards)
    return len(listed(its["gold"])) * len(its["qe"]) * len(its["cutoffs"])


# Megabytes of text, and of the tables that are put together to a report, once they are there; pairs of systems; both with
# the number of draws; the square of the megabytes of one text; and ROC curves, each of all texts.
quantities = {
    "text": lambda wildcards, input: text_size(wildcards),
    "tables": lambda wildcards, input: input.size_mb,
    "pairs": lambda wildcards, input: n_pairs(wildcards),
    "drawn_text": lambda wildcards, input: text_size(wildcards) * n_draws(wildcards),
    "drawn_pairs": lambda wildcards, input: n_pairs(wildcards) * n_draws(wildcards),
    "segment_pairs": lambda wildcards, input: (text_size(wildcards) / (2 + n_systems(wildcards.testset))) ** 2,
    "curves": lambda wildcards, input: text_size(wildcards) * n_curves(wildcards),
}
