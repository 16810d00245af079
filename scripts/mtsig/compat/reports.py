"""Whole reports of mt-eval-harness: what a run scored, and whether two runs differ.

The definitions are those of `mtsig.compat.arena`. Every metric that stands in the entries of both runs is tested: the
three of the specification, ``comet_score``, and whatever numbers plugins left there. An aggregate that stands only in
a report's summary cannot be resampled, so it is named and left out. COMET itself is never started.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from mtsig.compat import arena
from mtsig.corpus.readers.arena import check_agreement
from mtsig.corpus.reports import Report, common_ids, entry_value, field_names, flags_unlike_texts, matches_by_text
from mtsig.errors import ConfigError, InputError
from mtsig.metrics.catalog import default_tokenizer
from mtsig.metrics.neural.coverage import is_covered
from mtsig.resampling.intervals import percentile_interval
from mtsig.resampling.settings import FEW_UNITS

__all__ = ["NotTested", "PairOfRuns", "RunScore", "ScoredRun", "compare_runs", "run_names", "score_run"]

Entry = Mapping[str, Any]
Metric = Callable[[arena.Entries], float]

_PLUGINS = "plugin_metrics"
_COMET = "comet_score"

#: The metrics of the specification, in its order.
_BUILT_IN: dict[str, Metric] = {
    "corpus_chrf": arena.corpus_chrf,
    "exact_match_rate": arena.exact_match_rate,
    "corpus_bleu": arena.corpus_bleu,
}


@dataclass(frozen=True)
class NotTested:
    """A metric that is in the reports and cannot be tested, and why."""

    metric_name: str
    reason: str


@dataclass(frozen=True)
class PairOfRuns:
    """The tests of two runs.

    Attributes
    ----------
    run_a, run_b
        Names of the runs.
    n_entries
        Entries that both have and neither failed on.
    n_left_out_a, n_left_out_b
        Entries that only one of them has.
    n_failed
        Common entries on which one of them failed; they are left out for both.
    significance
        One result per metric.
    not_tested
        Metrics that could not be tested.
    messages
        What the reader should know, one line each.
    """

    run_a: str
    run_b: str
    n_entries: int
    n_left_out_a: int
    n_left_out_b: int
    n_failed: int
    significance: tuple[arena.SignificanceResult, ...]
    not_tested: tuple[NotTested, ...]
    messages: tuple[str, ...]


@dataclass(frozen=True)
class RunScore:
    """The score of one run by one metric; None where there is none or no interval was asked for."""

    metric_name: str
    score: float | None
    ci_lower: float | None
    ci_upper: float | None


@dataclass(frozen=True)
class ScoredRun:
    """The scores of one run.

    Attributes
    ----------
    run
        Its name.
    n_entries
        Entries that were scored.
    n_failed
        Entries on which the system failed, which are left out.
    scores
        By metric; a metric that the entries do not have is absent.
    messages
        What the reader should know, one line each.
    """

    run: str
    n_entries: int
    n_failed: int
    scores: dict[str, RunScore]
    messages: tuple[str, ...]


def run_names(reports: Sequence[Report]) -> list[str]:
    """What to call the runs: their ids, or their files where ids are not unique."""
    names = [report.run_id for report in reports]
    if len(set(names)) < len(names):
        names = [str(report.path) for report in reports]
    return [name if names.index(name) == place else f"{name}#{place + 1}" for place, name in enumerate(names)]


def score_run(
    report: Report,
    *,
    n_bootstrap: int = 1000,
    confidence_level: float = 0.95,
    seed: int = 12345,
    intervals: bool = True,
) -> ScoredRun:
    """Score one run, with percentile intervals by bootstrap over its entries.

    Parameters
    ----------
    report
        The run.
    n_bootstrap, confidence_level, seed
        Of the intervals.
    intervals
        Whether to make them.

    Raises
    ------
    InputError
        If the report has no entry without an error.
    """
    entries = [entry for entry in report.entries.values() if not _failed(entry)]
    n_failed = len(report.entries) - len(entries)
    if not entries:
        raise InputError(f"{report.path}: has no entry with a prediction, so there is nothing to score.")
    found: dict[str, RunScore] = {}
    messages = [*_repeated(report), *_few(len(entries))]
    if n_failed:
        messages.append(f"{n_failed} of {len(report.entries)} entries failed (an error, or no prediction): left out.")
    for name in (*_BUILT_IN, _COMET):
        metric = _metric(name)
        usable = [entry for entry in entries if _has(entry, name)]
        if not usable:
            continue
        if name == _COMET and len(usable) < len(entries):
            messages.append(f"{_COMET}: only {len(usable)} of {len(entries)} entries have one; it is their mean.")
        low = high = None
        if intervals:
            drawn = arena.replicates(metric, [usable], n_resamples=n_bootstrap, seed=seed)[0]
            interval = percentile_interval(drawn, confidence_level=confidence_level)
            low, high = float(interval.low), float(interval.high)
        found[name] = RunScore(name, metric(usable), low, high)
    messages += _languages(report, found)
    return ScoredRun(report.run_id, len(entries), n_failed, found, tuple(messages))


def compare_runs(
    reports: Sequence[Report],
    *,
    metrics: Sequence[str] | None = None,
    directions: Mapping[str, bool] | None = None,
    n_bootstrap: int = 1000,
    alpha: float = 0.05,
    seed: int = 12345,
) -> list[PairOfRuns]:
    """Test all pairs of runs.

    Parameters
    ----------
    reports
        Two or more runs.
    metrics
        Names of metrics; every one that both runs of a pair have where it is not given.
    directions
        Metric to whether higher is better, for those of plugins: without it a difference has no winner.
    n_bootstrap, alpha, seed
        As of `mtsig.compat.arena.paired_bootstrap`.

    Raises
    ------
    ConfigError
        If there are fewer than two runs, or a metric that was asked for is in no entry.
    InputError
        If two runs have no entry in common, or disagree on a reference.
    """
    if len(reports) < 2:
        raise ConfigError("A comparison needs two or more reports.")
    known = {**dict.fromkeys((*_BUILT_IN, _COMET), True), **(directions or {})}
    pairs = []
    for (report_a, name_a), (report_b, name_b) in combinations(zip(reports, run_names(reports), strict=True), 2):
        pair = _Pair(report_a, report_b)
        tests, not_tested, remarks = [], [], []
        for name in metrics or pair.metrics():
            entries, reason = pair.entries_with(name)
            if not entries[0]:
                if metrics:
                    raise ConfigError(f"{name}: {reason}. {pair.choices()}")
                not_tested.append(NotTested(name, reason))
                continue
            if reason:
                remarks.append(f"{name}: {reason}.")
            if name == "exact_match_rate":
                remarks += _flags(entries)
            direction = known.get(name)
            result = arena.compare_entries(
                *entries,
                _metric(name),
                n_bootstrap=n_bootstrap,
                alpha=alpha,
                seed=seed,
                metric_name=name,
                higher_is_better=direction,
            )
            tests.append(result)
        not_tested += pair.aggregates() if not metrics else []
        names = [test.metric_name for test in tests]
        undirected = [test.metric_name for test in tests if test.significant and test.metric_name not in known]
        if undirected:
            remarks.append(
                f"{', '.join(undirected)}: different, but nobody has said which direction is better, so there is no "
                "winner."
            )
        pairs.append(
            PairOfRuns(
                run_a=name_a,
                run_b=name_b,
                n_entries=len(pair.sound),
                n_left_out_a=len(report_a.entries) - len(pair.common),
                n_left_out_b=len(report_b.entries) - len(pair.common),
                n_failed=len(pair.common) - len(pair.sound),
                significance=tuple(tests),
                not_tested=tuple(not_tested),
                messages=(*pair.messages(), *remarks, *_languages(report_a, names)),
            )
        )
    return pairs


class _Pair:
    """The common entries of two runs."""

    def __init__(self, report_a: Report, report_b: Report) -> None:
        self.reports = (report_a, report_b)
        self.common = common_ids(self.reports)
        check_agreement(self.reports, self.common)
        self.sound = [name for name in self.common if not any(_failed(report.entries[name]) for report in self.reports)]

    def _entries(self, keep: Callable[[Entry], bool]) -> tuple[list[Entry], list[Entry]]:
        """Sound entries that `keep` accepts in both runs."""
        a, b = (report.entries for report in self.reports)
        kept = [name for name in self.sound if keep(a[name]) and keep(b[name])]
        return [a[name] for name in kept], [b[name] for name in kept]

    def entries_with(self, metric: str) -> tuple[tuple[list[Entry], list[Entry]], str]:
        """The entries to test a metric on; and what is to be said of them, or why there are none."""
        entries = self._entries(lambda entry: _has(entry, metric))
        n_usable, n_sound = len(entries[0]), len(self.sound)
        if n_usable == n_sound and n_sound:
            return entries, ""
        if n_usable and metric in _BUILT_IN and metric != "exact_match_rate":
            return entries, f"{n_sound - n_usable} entries without a reference do not count"
        if n_usable:
            return entries, f"tested on the {n_usable} of {n_sound} entries that have it in both runs"
        if not n_sound:
            return entries, "there is no entry on which neither run failed"
        if metric in ("corpus_chrf", "corpus_bleu"):
            return entries, "no entry has a reference (`expected`)"
        holders = [any(_has(report.entries[name], metric) for name in self.sound) for report in self.reports]
        if any(holders):
            report = self.reports[holders.index(True)]
            return entries, f"only the entries of {report.path} have it"
        if metric == "exact_match_rate":
            return entries, "no entry says whether it is right (`exact_match`)"
        if any(entry_value(self.reports[0].entries[name], metric) is not None for name in self.sound):
            return entries, "its values are no numbers"
        if metric in self._summaries():
            return entries, "is given for the whole report only and cannot be resampled"
        return entries, "there is no such number in the entries"

    def metrics(self) -> list[str]:
        """The metrics that at least one run has as a number."""
        found = list(_BUILT_IN)
        plugins = sorted(set(self._fields(0)) | set(self._fields(1)))
        comet = any(_has(report.entries[name], _COMET) for report in self.reports for name in self.sound)
        return [*found, *([_COMET] if comet else []), *plugins]

    def _fields(self, side: int) -> Collection[str]:
        """Plugin metrics that are numbers in some entry of one run."""
        entries = [self.reports[side].entries[name] for name in self.sound]
        names = dict.fromkeys(
            name
            for entry in entries
            if isinstance(entry.get(_PLUGINS), Mapping)
            for name in field_names(entry[_PLUGINS], _PLUGINS)
        )
        return [name for name in names if any(_has(entry, name) for entry in entries)]

    def _summaries(self) -> set[str]:
        """Plugin metrics that both runs give for the whole report."""
        found = []
        for report in self.reports:
            overall = report.summary.get("overall")
            places = [report.summary, overall if isinstance(overall, Mapping) else {}]
            found.append(
                {
                    name
                    for place in places
                    if isinstance(place.get(_PLUGINS), Mapping)
                    for name in field_names(place[_PLUGINS], _PLUGINS)
                }
            )
        return found[0] & found[1]

    def aggregates(self) -> list[NotTested]:
        """Plugin metrics of the whole report, where the plugin left no number in the entries."""
        tested = {name.split(".")[1] for side in (0, 1) for name in self._fields(side)}
        return [
            NotTested(name, "is given for the whole report only and cannot be resampled")
            for name in sorted(self._summaries())
            if name.split(".")[1] not in tested
        ]

    def choices(self) -> str:
        """Which metrics there are."""
        there = [name for name in self.metrics() if self.entries_with(name)[0][0]]
        return f"Both runs have {', '.join(there)}." if there else "The runs have no metric in common."

    def messages(self) -> list[str]:
        """What concerns all metrics."""
        found = []
        left_out = [len(report.entries) - len(self.common) for report in self.reports]
        if any(left_out):
            found.append(
                f"Testing on {len(self.common)} common entries (excluded {left_out[0]} from A, {left_out[1]} from B)."
            )
        for report in self.reports:
            found += _repeated(report)
        if failed := len(self.common) - len(self.sound):
            found.append(
                f"{failed} common entries failed in A or B (an error, or no prediction); they are left out for both."
            )
        return [*found, *_few(len(self.sound))]


def _flags(runs: Sequence[Sequence[Entry]]) -> list[str]:
    """Say so where the runs' own flags are not what comparing texts gives, and what that gives."""
    differing = [flags_unlike_texts(entries) for entries in runs]
    if not any(differing):
        return []
    matches = [[matches_by_text(entry) for entry in entries] for entries in runs]
    rates = [f"{sum(map(bool, found)) / len(found):.3f}" for found in matches]
    return [
        f"exact_match_rate: by the entries' own flag `exact_match`, which differs from comparing the texts on "
        f"{differing[0]} entries of A and {differing[1]} of B. By the texts, as `mtsig run` computes exact_match, the "
        f"rates are {rates[0]} and {rates[1]}."
    ]


def _failed(entry: Entry) -> bool:
    return bool(entry.get("error")) or entry.get("predicted") is None


def _metric(name: str) -> Metric:
    return _BUILT_IN.get(name) or arena.FieldMean(name)


def _has(entry: Entry, metric: str) -> bool:
    """Whether an entry has what a metric is made of."""
    if metric == "exact_match_rate":
        return entry.get("exact_match") is not None
    if metric in _BUILT_IN:
        return bool((entry.get("expected") or "").strip())
    return arena.number_of(entry_value(entry, metric)) is not None


def _few(n_entries: int) -> list[str]:
    if n_entries < arena.FEW_ENTRIES:
        return [f"Only {n_entries} entries: no test or interval is reliable with fewer than {arena.FEW_ENTRIES}."]
    if n_entries < FEW_UNITS:
        return [
            f"Only {n_entries} entries: with fewer than {FEW_UNITS} the bootstrap finds differences too often, and its "
            "intervals are too narrow."
        ]
    return []


def _repeated(report: Report) -> list[str]:
    if not report.repeated:
        return []
    return [
        f"{report.path}: {len(report.repeated)} ids occur more than once, first {report.repeated[0]!r}; repetitions "
        "are paired in their order."
    ]


def _languages(report: Report, metrics: Collection[str]) -> list[str]:
    """Warnings about metrics that do not suit the languages."""
    config = report.summary.get("config")
    settings = config if isinstance(config, Mapping) else {}
    messages = []
    languages = [str(settings.get(f"{side}_lang_code") or settings.get(f"{side}_lang") or "") for side in _SIDES]
    uncovered = [language for language in languages if not is_covered(language)]
    if _COMET in metrics and uncovered:
        messages.append(
            f"{_COMET}: XLM-R, which COMET reads texts with, does not cover {' and '.join(uncovered)}, so its scores "
            "are unreliable."
        )
    if "corpus_bleu" in metrics and default_tokenizer(f"und-{_code(languages[1])}") != "13a":
        messages.append(
            f"corpus_bleu: splits words at spaces, as mt-eval-harness does, which does not suit {languages[1]}. "
            "Rely on corpus_chrf."
        )
    return messages


_SIDES = ("source", "target")


def _code(language: str) -> str:
    """ISO code of the languages that are written without spaces and have a tokenizer of their own."""
    names = {"chinese": "zh", "mandarin": "zh", "japanese": "ja", "korean": "ko"}
    return next((code for name, code in names.items() if name in language.lower()), language)
