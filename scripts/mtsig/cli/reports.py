"""Commands on reports of mt-eval-harness: ``mtsig significance``, ``mtsig test``, and ``mtsig compare`` on reports."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mtsig.cli import options
from mtsig.cli.texts import STDIN, is_report
from mtsig.errors import ConfigError

if TYPE_CHECKING:
    from mtsig.compat.reports import PairOfRuns

__all__ = ["are_reports", "print_comparison", "score_report", "significance"]

# The names under which the columns of a run are stored.
_COLUMNS = {
    "corpus_chrf": "chrf",
    "corpus_bleu": "bleu",
    "exact_match_rate": "exact_match",
    "comet_score": "comet",
}


def are_reports(files: Sequence[str]) -> bool:
    """Whether the files are reports; the standard input is what the others are.

    Raises
    ------
    ConfigError
        If some are and some are not.
    """
    named = [file for file in files if file != STDIN]
    reports = [file for file in named if is_report(file)]
    if reports and len(reports) < len(named):
        other = next(file for file in named if file not in reports)
        raise ConfigError(
            f"{reports[0]} is a report and {other} is not; compare reports with reports, texts with texts."
        )
    return bool(reports)


def significance(
    reports: Annotated[list[str], typer.Argument(help="Two or more reports of mt-eval-harness.", show_default=False)],
    metric: options.ReportMetrics = None,
    n_bootstrap: options.NBootstrap = 1000,
    alpha: options.Alpha = 0.05,
    seed: options.Seed = 12345,
    higher_is_better: options.HigherIsBetter = None,
    lower_is_better: options.LowerIsBetter = None,
    json: options.Json = False,
) -> None:
    """Test whether runs of mt-eval-harness differ, by every metric that their entries share."""
    print_comparison(
        "significance",
        reports,
        metrics=metric,
        higher_is_better=higher_is_better,
        lower_is_better=lower_is_better,
        n_bootstrap=n_bootstrap,
        alpha=alpha,
        seed=seed,
        json=json,
    )


def score_report(
    report: Annotated[str, typer.Argument(help="A report of mt-eval-harness; - for standard input.")],
    ci: Annotated[bool, typer.Option("--ci/--no-ci", help="Whether to make confidence intervals.")] = True,
    n_bootstrap_ci: Annotated[int, typer.Option("--n-bootstrap-ci", min=1, help="Bootstrap resamples.")] = 1000,
    confidence_level: options.ConfidenceLevel = 0.95,
    seed: options.Seed = 12345,
    json: options.Json = False,
) -> None:
    """Score one run of mt-eval-harness, with confidence intervals."""
    from mtsig.cli.output import print_json, print_table, say, warn
    from mtsig.cli.texts import files_on_disk
    from mtsig.compat.reports import RunScore, score_run
    from mtsig.corpus.reports import read_report
    from mtsig.report import format as fmt

    with files_on_disk([report], suffix=".json") as (file,):
        scored = score_run(
            read_report(Path(file)),
            n_bootstrap=n_bootstrap_ci,
            confidence_level=confidence_level,
            seed=seed,
            intervals=ci,
        )
    name = "stdin" if report == STDIN else report
    warn(scored.messages)
    if json:
        columns: dict[str, float | None] = {}
        for metric, short in _COLUMNS.items():
            found = scored.scores.get(metric) or RunScore(metric, None, None, None)
            columns[metric] = found.score
            columns[f"{short}_ci_lower"] = found.ci_lower
            columns[f"{short}_ci_upper"] = found.ci_upper
        print_json(
            "test",
            report=name,
            run_id=scored.run,
            n_entries=scored.n_entries,
            n_failed=scored.n_failed,
            **columns,
            confidence_level=confidence_level if ci else None,
            n_bootstrap=n_bootstrap_ci if ci else None,
            seed=seed if ci else None,
            messages=list(scored.messages),
        )
        return
    rows = []
    for found in scored.scores.values():
        places = 3 if _is_rate(found.metric_name, found.score) else 2
        interval = [fmt.interval(found.ci_lower, found.ci_upper, places)] if ci else []
        rows.append((found.metric_name, fmt.number(found.score, places), *interval))
    heading = [("Metric", "left"), ("Score", "right")]
    if ci:
        heading.append((f"{100 * confidence_level:g} % interval", "right"))
    print_table(heading, rows, title=f"{scored.run} ({fmt.count(scored.n_entries)} entries)")
    if ci:
        say(f"Percentile intervals, {fmt.count(n_bootstrap_ci)} bootstrap resamples, seed {seed}.")


def print_comparison(
    command: str,
    files: Sequence[str],
    *,
    metrics: Sequence[str] | None,
    higher_is_better: Sequence[str] | None,
    lower_is_better: Sequence[str] | None,
    n_bootstrap: int,
    alpha: float,
    seed: int,
    json: bool,
) -> None:
    """Test all pairs of runs and print what is found: one list of results for two runs, a list per pair for more."""
    from mtsig.cli.output import print_json, warn
    from mtsig.cli.texts import files_on_disk
    from mtsig.compat.reports import compare_runs
    from mtsig.corpus.reports import read_report

    both = sorted(set(higher_is_better or ()) & set(lower_is_better or ()))
    if both:
        raise ConfigError(f"--lower-is-better: {both[0]} cannot be better both higher and lower.")
    with files_on_disk(files, suffix=".json") as paths:
        pairs = compare_runs(
            [read_report(Path(path)) for path in paths],
            metrics=metrics,
            directions={**dict.fromkeys(higher_is_better or (), True), **dict.fromkeys(lower_is_better or (), False)},
            n_bootstrap=n_bootstrap,
            alpha=alpha,
            seed=seed,
        )
    for pair in pairs:
        warn(pair.messages if len(pairs) == 1 else [f"{_title(pair)}: {message}" for message in pair.messages])
    if json:
        by_pair = {_title(pair): [vars(result) for result in pair.significance] for pair in pairs}
        print_json(
            command,
            n_bootstrap=n_bootstrap,
            alpha=alpha,
            seed=seed,
            significance=by_pair if len(pairs) > 1 else next(iter(by_pair.values())),
            pairs=[_description(pair) for pair in pairs],
        )
        return
    for number, pair in enumerate(pairs):
        _print_pair(pair, n_bootstrap, alpha, first=number == 0)


def _title(pair: PairOfRuns) -> str:
    return f"({pair.run_a}, {pair.run_b})"


def _description(pair: PairOfRuns) -> dict[str, Any]:
    """What is to be known of a pair beside its tests."""
    names = ("run_a", "run_b", "n_entries", "n_left_out_a", "n_left_out_b", "n_failed")
    return {
        **{name: getattr(pair, name) for name in names},
        "not_tested": [vars(each) for each in pair.not_tested],
        "messages": list(pair.messages),
    }


def _print_pair(pair: PairOfRuns, n_bootstrap: int, alpha: float, *, first: bool) -> None:
    from mtsig.cli.output import print_table, say
    from mtsig.report import format as fmt

    rows = []
    for result in pair.significance:
        scores = (result.system_a_score, result.system_b_score)
        places = 3 if _is_rate(result.metric_name, *scores) else 2
        rows.append(
            (
                result.metric_name,
                *(fmt.number(score, places) for score in scores),
                fmt.number(result.delta, places, signed=True),
                # Three decimals, as mt-eval-harness prints; the next column says on which side of alpha it is.
                "<0.001" if result.p_value < 0.001 else fmt.number(result.p_value, 3),
                "Yes *" if result.significant else "No",
            )
        )
    if not first:
        say()
    say(f"  A: {pair.run_a}\n  B: {pair.run_b}\n")
    say(f"  Significance Tests (paired bootstrap, n={n_bootstrap}, α={alpha:g}):\n")
    columns = [("Metric", "left"), *((title, "right") for title in ("A", "B", "Δ", "p-value")), ("Sig?", "left")]
    print_table(columns, rows, indent=2)
    for each in pair.not_tested:
        say(f"  Not tested: {each.metric_name} ({each.reason}).")


def _p_words(p: float, alpha: float) -> str:
    """Three decimals, as mt-eval-harness prints them, or more where these would lie on the other side of alpha."""
    from mtsig.report import format as fmt

    text = f"{p:.3f}"
    return text if p >= 0.001 and (float(text) < alpha) == (p < alpha) else fmt.p_value(p, alpha=alpha).replace(" ", "")


def _is_rate(metric: str, *scores: float | None) -> bool:
    """Whether a metric's scores are shares, which need three decimals."""
    return metric not in ("corpus_chrf", "corpus_bleu") and all(score is None or abs(score) <= 1 for score in scores)
