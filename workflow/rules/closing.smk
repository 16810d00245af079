"""What is said at the end of a run.

Given: `settings`, the targets, and what home.smk makes. Made: `failures()` and `closing()`, the messages of a run that
failed and of one that did not, and `print_unsaid()`, for runs in which no job ran.
"""

import json
import shlex
import time

from mtsig import entry, leftovers

started = time.time()


def failures():
    """What was not made, and what went wrong in this run's jobs, for the last lines of the output."""
    errors = entry.failures([folder("logs")], since=started)
    if not errors:
        return (
            "error: The run, or a job of it, was stopped from outside (Ctrl-C, kill, no memory, time or room left), "
            "and no log says more. The same command goes on from here."
        )
    return "\n".join([*not_made(unfinished()), errors])


def not_made(absent):
    """Where results are missing, and a page of those that are not."""
    places = sorted({place_of(path) for path in absent})
    if places:
        more = f" and {len(places) - 10} more" if len(places) > 10 else ""
        yield f"Not made, because of the errors below: {', '.join(places[:10])}{more}. What does not depend on them is done."
    if page_of(absent):
        yield f"A page of what there is, until they are mended: {folder('logs') / 'report.html'}"


def place_of(path):
    """The part of the results folder that a file belongs to: a test set, a suite, a study, the paper or the page."""
    first, *rest = Path(os.path.relpath(path, folder("results"))).parts
    return f"{first}/{rest[0]}" if first in ("studies", "suites") and rest else first


def page_of(absent):
    """Whether a page could be made, among the logs, where the one of all results is one of those that are absent."""

    def there(patterns):
        return [path for path in resolved(patterns) if path not in absent and os.path.exists(path)]

    parts = there(plan.per_testset("<results>/{testset}/page.json"))
    if str(folder("results") / "report.html") not in absent or not parts:
        return False
    from mtsig.steps.report import report as page

    studies = {name for name in settings["studies"] if str(Path("studies", name)) not in map(place_of, absent)}
    page(
        parts=parts,
        suite_systems=there(plan.per_suite("<results>/suites/{suite}/systems/{metric}.parquet")),
        suite_pairs=there(plan.per_suite("<results>/suites/{suite}/pairs/{metric}.parquet")),
        studies=there(plan.per_study()),
        settings={**settings, "studies": {name: its for name, its in settings["studies"].items() if name in studies}},
        digests={},
        **{
            name: folder("logs") / file for name, file in (("report", "report.html"), ("provenance", "provenance.json"))
        },
    )
    return True


def closing():
    """The main results, what to look at, and what lies around."""
    for name in ("report.html", "provenance.json"):
        (folder("logs") / name).unlink(missing_ok=True)
    return "\n".join([*main_results(), *not_run(), *lint_counts(), *unused_results()])


def print_unsaid():
    """Errors of Snakemake's own that --quiet hides, why the folder is locked, or that there was nothing to do."""
    if unsaid.locked:
        unlock = shlex.join(["snakemake", *sys.argv[1:], "--unlock"])
        print(run_lock.explanation(unlock), file=sys.stderr)
    elif unsaid.errors and not unsaid.job_failed:
        print(*unsaid.errors, sep="\n", file=sys.stderr)
    elif unsaid.nothing_to_do:
        print("Everything is up to date; no job had to run.", file=sys.stderr)


def main_results():
    """Scores and verdicts, once there are all of them."""
    systems = resolved(plan.per_shown("<results>/{testset}/systems/{metric}.parquet"))
    pairs = resolved(plan.per_shown("<results>/{testset}/pairs/{metric}.parquet"))
    page = folder("results") / "report.html"
    averages = [
        resolved(plan.per_suite(f"<results>/suites/{{suite}}/{kind}/{{metric}}.parquet"))
        for kind in ("systems", "pairs")
    ]
    if all(map(os.path.exists, sum(averages, []))):
        systems, pairs = systems + averages[0], pairs + averages[1]
    if systems and all(map(os.path.exists, [*systems, *pairs])):
        # Not imported when the workflow is read: it brings pyarrow and rich.
        from mtsig.steps.summary import summary

        yield or_exit(summary, systems=systems, pairs=pairs)
    # Targets that leave the page as it is may have left it behind.
    if page.exists() and all(
        os.path.getmtime(page) >= os.path.getmtime(path) for path in filter(os.path.exists, systems + pairs)
    ):
        yield f"All of it, with figures and provenance: {page}"
    yield from extras()


def extras():
    """Where studies and the tables of a paper lie, as far as they have been made."""
    studies = [folder("results") / "studies" / name for name in settings["studies"]]
    if made := [str(path) for path in studies if path.exists()]:
        yield f"{'Study' if len(made) == 1 else 'Studies'}, with tables (md, tex, csv) and figures: {', '.join(made)}"
    paper = folder("results") / "paper"
    if any(settings["paper"].values()) and paper.exists():
        yield f"Tables and figures of the paper: {paper}"


def not_run():
    """Which metrics are configured and were not computed."""
    absent = [
        f"{metric} on {testset}"
        for testset in settings["testsets"]
        for metric in plan.configured_metrics(testset)
        if not plan.takes_part(testset, metric)
    ]
    if absent:
        yield f"Not run: {', '.join(absent)}. Neural metrics are made by: snakemake comet"


def lint_counts():
    """How much the inputs' check found, by test set."""
    for path in resolved(plan.per_testset("<results>/{testset}/lint.json")):
        findings = json.loads(Path(path).read_text(encoding="utf-8"))["findings"] if os.path.exists(path) else []
        warnings = [finding for finding in findings if finding["level"] != "info"]
        if warnings:
            count = f"{len(warnings)} warning{'s' if len(warnings) > 1 else ''}"
            yield f"{count} about the input, see {path}. The first: {warnings[0]['message']}"


def unused_results():
    """What this configuration did not make."""
    unused = leftovers.leftovers(folder("results"), settings)
    if unused:
        yield f"Not part of this configuration, and kept: {', '.join(map(str, unused[:10]))}" + (
            f" and {len(unused) - 10} more" if len(unused) > 10 else ""
        )
