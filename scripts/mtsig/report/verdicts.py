"""Verdicts: what may be said of a comparison, of which kind, and why.

Console, page, tables, papers and JSON all speak from here. A verdict is of one kind from a closed list, and its
reasons are sentences, the first of which is the outcome. None of them calls a difference significant without its size
and its interval, names a best system among equals, or leaves out what the tables' flags and the check of the input
have against it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from mtsig.contracts import DOUBTS, FLAGS, UNSUITED
from mtsig.report import format as fmt
from mtsig.report.results import Comparison, MetricResult, Row
from mtsig.report.words import difference, listed

__all__ = [
    "FEW_SEGMENTS",
    "KINDS",
    "Verdict",
    "agreement",
    "best_systems",
    "headline",
    "headline_rows",
    "judged_rows",
    "pair_verdict",
]

#: What kinds of verdicts there are.
KINDS: dict[str, str] = {
    "winner": "one system is significantly better than the other, or than all others",
    "below_detectable": "a star on a difference below the one that the test set detects with 80 % power",
    "not_significant": "no significant difference, or none between the best system and another",
    "same_score": "the scores are equal, and the texts differ or are not known",
    "same_output": "the texts are equal",
    "monte_carlo": "as many resamples as were allowed leave the decision open: another seed could change it",
    "doubtful": "a finding about the input speaks against taking the scores at face value",
    "undefined": "a score or a test is undefined, or there is nothing to compare",
    "not_judged": "the metric cannot judge: it has no direction, or means nothing for these texts",
}

#: Koehn (2004) found verdicts from 100 segments unreliable and those from a few hundred mostly right.
FEW_SEGMENTS = 300

#: Scores within this share of each other are equal.
_ROUNDING = 1e-9

#: Findings that can spoil a score altogether, and so matter wherever the system stands. The others favour a system, or
#: cost it some segments, and matter to a verdict on all systems if it is at the top.
_SPOILING = (
    "repeated_hypothesis",
    "sgml_as_text",
    "shifted_lines",
    "shuffled_lines",
    "system_equals_source",
    "unlike_ranges",
    "wrong_script",
)


@dataclass(frozen=True)
class Verdict:
    """What may be said of a comparison.

    Attributes
    ----------
    kind
        A key of `KINDS`.
    because
        Sentences: the outcome, then what is to be known of it.
    """

    kind: str
    because: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"{self.kind!r} is no kind of verdict")

    @property
    def sentence(self) -> str:
        """All of it."""
        return " ".join(self.because)

    @property
    def reservations(self) -> tuple[str, ...]:
        """What is to be known beside the outcome; all of it where the metric cannot judge."""
        return self.because if self.kind == "not_judged" else self.because[1:]

    def as_json(self) -> dict[str, Any]:
        """The verdict as it stands in JSON."""
        return {"kind": self.kind, "because": list(self.because)}


def pair_verdict(result: MetricResult, row: Row) -> Verdict:
    """The verdict on one pair.

    Parameters
    ----------
    result
        The metric's rows.
    row
        One of its pairs.
    """
    first, second = row["system_a"], row["system_b"]
    both = f"{first} and {second}"
    comparison = result.compare(first, second)
    assert comparison is not None
    if (reasons := _unjudged(result, [row])) is not None:
        return Verdict("not_judged", reasons)
    if row["delta"] is None or row["p_value"] is None:
        return Verdict("undefined", (_undefined(both, row), *_doubts(result, (first, second), lambda system: True)))
    if row["winner"] is not None:
        comparison = result.compare(row["winner"], second if row["winner"] == first else first)
        assert comparison is not None
        size = difference(result, comparison)
        text = f"{comparison.system} is significantly better than {comparison.other} ({size})."
    elif _same_output(row):
        text = f"{both} gave the same output."
    elif _equal(row):
        text = f"{both} score the same ({_score(result, row['score_a'])})."
    else:
        text = f"{both} are not significantly different ({difference(result, comparison)})."
    doubts = (*_doubts(result, (first, second), lambda system: True), *_unequal_scores([row]))
    because = (text, *doubts, *_cautions(result, [row]))
    if _same_output(row):
        return Verdict("same_output", because)
    if _equal(row):
        return Verdict("same_score", because)
    if doubts:
        return Verdict("doubtful", because)
    if "monte_carlo" in row["flags"]:
        return Verdict("monte_carlo", because)
    return Verdict(_strength(row) if row["winner"] is not None else "not_significant", because)


def headline(result: MetricResult) -> Verdict:
    """The verdict on all systems of one metric.

    Parameters
    ----------
    result
        The metric's rows.
    """
    if (reasons := _unjudged(result, result.systems)) is not None:
        return Verdict("not_judged", reasons)
    if _unequal(result):
        text = "The scores are of different segments and rank no systems: see the pairs, each on the segments of both."
        return Verdict("undefined", (text,))
    scored = [row["system"] for row in result.systems if row["score"] is not None]
    if not scored:
        return Verdict("undefined", ("No score is defined, so nothing can be said.",))
    if len(scored) == 1:
        only = "system" if len(result.systems) == 1 else "system with a score"
        return Verdict("undefined", (f"{scored[0]} is the only {only}: there is nothing to compare it with.",))
    leaders = _leaders(result, scored)
    standing = _Standing(result, leaders, [name for name in scored if name not in leaders])
    doubts = (
        *_doubts(result, scored, lambda system: system in leaders or system in standing.open),
        *_unequal_scores(standing.decisive),
    )
    because = (standing.sentence(), *doubts, *_cautions(result, standing.decisive))
    if len(leaders) > 1:
        return Verdict("same_output" if standing.all_identical else "same_score", because)
    if standing.undefined and not standing.open:
        return Verdict("undefined", because)
    if doubts:
        return Verdict("doubtful", because)
    firm = [row for row in standing.open_rows if "monte_carlo" not in row["flags"]]
    if not firm and any("monte_carlo" in row["flags"] for row in standing.rows):
        return Verdict("monte_carlo", because)
    if standing.open:
        return Verdict("not_significant", because)
    weak = any(_strength(row) == "below_detectable" for row in standing.rows)
    return Verdict("below_detectable" if weak else "winner", because)


def judged_rows(result: MetricResult) -> list[dict[str, Any]]:
    """The rows of the pairs, each with its verdict, as JSON has them."""
    return [{**row, "verdict": pair_verdict(result, row).as_json()} for row in result.pairs]


def headline_rows(results: Sequence[MetricResult]) -> list[dict[str, Any]]:
    """The verdict on each metric, with where it holds, as JSON has them."""
    return [{"testset": result.testset, "metric": result.metric, **headline(result).as_json()} for result in results]


class _Standing:
    """The best systems against all others that have a score."""

    def __init__(self, result: MetricResult, leaders: Sequence[str], others: Sequence[str]) -> None:
        self.result = result
        self.leaders = leaders
        self.others = others
        found = {(leader, other): result.compare(leader, other) for leader in leaders for other in others}
        self.comparisons = {pair: comparison for pair, comparison in found.items() if comparison is not None}
        untested = {pair[1] for pair, its in self.comparisons.items() if its.p is None}
        #: Systems that some leader does not beat although it was tested against them.
        self.open = [name for name in others if name not in untested and self._unbeaten_by(name)]
        #: Systems against which some leader has no test.
        self.undefined = [name for name in others if name in untested]

    def _unbeaten_by(self, other: str) -> list[str]:
        """The leaders that are not significantly better."""
        its = {leader: self.comparisons.get((leader, other)) for leader in self.leaders}
        return [leader for leader, comparison in its.items() if comparison is None or comparison.favours <= 0]

    @property
    def rows(self) -> list[Row]:
        """The pairs of a leader and another system."""
        return [comparison.row for comparison in self.comparisons.values()]

    @property
    def open_rows(self) -> list[Row]:
        """Those of them that are not significant."""
        return [row for row in self.rows if not row["significant"]]

    @property
    def decisive(self) -> list[Row]:
        """The pairs that the sentence names or stands on, those among the leaders included."""
        return [*self.rows, *self._among_leaders()]

    def _among_leaders(self) -> list[Row]:
        found = [self.result.compare(*pair) for pair in combinations(self.leaders, 2)]
        return [comparison.row for comparison in found if comparison is not None]

    @property
    def all_identical(self) -> bool:
        """Whether the leaders gave one output."""
        return all(_same_output(row) for row in self._among_leaders())

    def sentence(self) -> str:
        """The outcome."""
        parts = [self._open_words()] if self.open else []
        if self.undefined:
            one_unit = all("one_unit" in row["flags"] for row in self.rows)
            why = f"one {self.result.setting('resample_unit')} allows none" if one_unit else "one is undefined"
            parts.append(f"no test compares {listed(self.undefined)} with {self._them()}: {why}")
        if len(self.leaders) == 1:
            first = self.leaders[0]
            if parts:
                return f"{first} scores best, but {'; '.join(parts)}."
            return f"{first} is {self._beaten_words()}."
        if self.all_identical:
            text = f"{listed(self.leaders)} gave the same output"
            text += " and score best" if self.others else ""
        else:
            text = f"{listed(self.leaders)} score the same ({self._score()})"
            same = [pair for pair in self._among_leaders() if _same_output(pair)]
            if same:
                names = sorted({row[side] for row in same for side in ("system_a", "system_b")}, key=self.leaders.index)
                text += f", {listed(names)} with an output that another of them has too"
        if parts:
            return f"{text}; {'; '.join(parts)}."
        if not self.others:
            return f"{text}."
        return f"{text}; {'both' if len(self.leaders) == 2 else 'all'} are {self._beaten_words()}."

    def _score(self) -> str:
        row = next(row for row in self.result.systems if row["system"] == self.leaders[0])
        return _score(self.result, row["score"])

    def _them(self) -> str:
        return "it" if len(self.leaders) == 1 else "them"

    def _open_words(self) -> str:
        unbeaten = list(dict.fromkeys(leader for name in self.open for leader in self._unbeaten_by(name)))
        from_whom = self._them() if len(unbeaten) == len(self.leaders) else listed(unbeaten)
        verb = "is" if len(self.open) == 1 else "are"
        comparison = self.comparisons.get((unbeaten[0], self.open[0]))
        nearest = f"nearest: {self.open[0]}, " if len(self.open) > 1 else ""
        gap = "" if comparison is None else f" ({nearest}{difference(self.result, comparison)})"
        return f"{listed(self.open)} {verb} not significantly different from {from_whom}{gap}"

    def _beaten_words(self) -> str:
        number = len(self.others)
        nearest, number = self.others[0], len(self.others)
        size = difference(self.result, self.comparisons[self.leaders[0], nearest])
        unscored = number + len(self.leaders) < len(self.result.systems)
        scored = " with a score" if unscored else ""
        if number > 1:
            beaten = "both others" if number == 2 else f"all {number} others"
            return f"significantly better than {beaten}{scored}; the nearest is {nearest} ({size})"
        beaten = f"the other system{scored}, {nearest}" if len(self.leaders) == 1 else nearest
        return f"significantly better than {beaten} ({size})"


def _unjudged(result: MetricResult, rows: Sequence[Row]) -> tuple[str, ...] | None:
    """Why the metric cannot judge; None if it can."""
    if result.higher_is_better is None:
        return ("The metric has no direction: its scores describe the systems and rank none of them.",)
    unsuited = [flag for flag in UNSUITED if any(flag in row["flags"] for row in rows)]
    if unsuited:
        return tuple(f"{result.metric} cannot judge these texts: {FLAGS[flag]}." for flag in unsuited)
    return None


def _unequal(result: MetricResult) -> bool:
    return any("unequal_segments" in row["flags"] for row in result.systems)


def _undefined(both: str, row: Row) -> str:
    if row["delta"] is None:
        return f"The difference between {both} is undefined: one of them has no score on their common segments."
    if "one_unit" in row["flags"]:
        return f"{both} cannot be tested: there is one {row['resample_unit']} only, so nothing can be resampled."
    return f"{both} cannot be tested: some resamples leave a score undefined."


def _same_output(row: Row) -> bool:
    """Whether the texts of a pair are equal, and the scores with them."""
    return {"identical_output", "equal_texts"} <= {*row["flags"]}


def _equal(row: Row) -> bool:
    """Whether the scores of a pair are equal but for rounding."""
    return bool(abs(row["delta"]) <= _ROUNDING * max(abs(row["score_a"]), abs(row["score_b"])))


def _score(result: MetricResult, score: float | None) -> str:
    return fmt.number(score, result.score_decimals)


def _strength(row: Row) -> str:
    """Whether a significant difference is one that the test set detects reliably."""
    detectable = row["detectable_difference"]
    return "winner" if detectable is None or abs(row["delta"]) >= detectable else "below_detectable"


def _doubts(result: MetricResult, systems: Collection[str], leads: Callable[[str], bool]) -> tuple[str, ...]:
    """What the check of the input has against the scores of some systems.

    What may spoil an output altogether matters wherever the system stands, all else if it leads.
    """
    sentences = []
    for flag, words in DOUBTS.items():
        names = [row["system"] for row in result.systems if flag in row["flags"] and row["system"] in systems]
        if flag not in _SPOILING:
            names = [name for name in names if leads(name)]
        if names:
            sentences.append(f"Doubtful: {listed(names, 3)}: {words}.")
    return tuple(sentences)


def _unequal_scores(rows: Sequence[Row]) -> tuple[str, ...]:
    """What equal texts have against the pairs in whose scores they differ."""
    pairs = [f"{row['system_a']} and {row['system_b']}" for row in rows if "unequal_scores" in row["flags"]]
    return (f"Doubtful: {listed(pairs, 3)}: {FLAGS['unequal_scores']}.",) if pairs else ()


def _cautions(result: MetricResult, rows: Sequence[Row]) -> tuple[str, ...]:
    """What is to be known of the tests behind a verdict."""
    sentences = []
    open_rows = [row for row in rows if "monte_carlo" in row["flags"]]
    if open_rows:
        used = max(row["n_resamples"] for row in open_rows)
        names = [f"{row['system_a']} and {row['system_b']}" for row in open_rows]
        sentences.append(
            f"Another seed could change the verdict on {listed(names, 3)}, even with {fmt.count(used)} resamples."
        )
    units = min((row["n_units"] for row in rows), default=FEW_SEGMENTS)
    unit = f"{result.setting('resample_unit')}s"
    tested = [row for row in rows if "one_unit" not in row["flags"]]
    if any("very_few_units" in row["flags"] for row in tested):
        sentences.append(f"With {units} {unit} no test is reliable.")
    elif any("few_units" in row["flags"] for row in tested):
        sentences.append(f"With {units} {unit} neither intervals nor tests are reliable.")
    weak = [row for row in rows if row["significant"] and _strength(row) == "below_detectable"]
    segments = min((row["n_segments"] for row in rows), default=FEW_SEGMENTS)
    least = min((row["detectable_difference"] for row in rows if row["detectable_difference"]), default=None)
    if weak:
        row = min(weak, key=lambda row: abs(row["delta"]) / row["detectable_difference"])
        limit = fmt.number(row["detectable_difference"], result.decimals_of(row))
        pair = f"{row['system_a']} and {row['system_b']}"
        sentences.append(
            f"The difference between {pair} is below the {limit} that {fmt.count(row['n_segments'])} segments detect "
            "with 80 % power: where two systems are close, a star on so small a difference overstates it and may be "
            "for the wrong one."
        )
    elif least is not None and segments < FEW_SEGMENTS:
        limit = fmt.number(least, result.delta_decimals)
        sentences.append(
            f"{fmt.count(segments)} segments are few: with 80 % power they detect differences from {limit} on, and "
            "where two systems are closer, a star may be for the wrong one."
        )
    return tuple(sentences)


def _leaders(result: MetricResult, names: Sequence[str]) -> list[str]:
    """The systems with the best score among some of them, in order of standing; several if they score the same."""
    ranks: Mapping[str, int] = {row["system"]: row["rank"] for row in result.systems}
    return [name for name in names if ranks[name] == ranks[names[0]]]


def best_systems(result: MetricResult, among: Collection[str] | None = None) -> list[str]:
    """The top: the systems with the best score, and all that are not significantly worse than each of them.

    Parameters
    ----------
    result
        The metric's rows.
    among
        The systems to look at; all of them where it is not given.

    Returns
    -------
    list of str
        In order of standing. Empty for a metric that cannot judge, where no score is defined, and where scores are of
        different segments.
    """
    if _unjudged(result, result.systems) is not None or _unequal(result):
        return []
    names = [
        row["system"]
        for row in result.systems
        if row["score"] is not None and (among is None or row["system"] in among)
    ]
    if not names:
        return []
    leaders = _leaders(result, names)
    return [name for name in names if not all(_beats(result.compare(leader, name)) for leader in leaders)]


def _beats(comparison: Comparison | None) -> bool:
    return comparison is not None and comparison.favours > 0


def agreement(results: Sequence[MetricResult]) -> str:
    """Whether the metrics have the same systems at the top; empty for one metric that judges, or one system."""
    best = {result.metric: best_systems(result) for result in results if len(result.systems) > 1}
    best = {metric: names for metric, names in best.items() if names}
    if len(best) < 2:
        return ""
    common = [name for name in next(iter(best.values())) if all(name in names for names in best.values())]
    # No system is praised twice and doubted once.
    doubts = dict.fromkeys(each for result in results for each in _doubts(result, common, lambda system: True))
    if all(names == common and len(names) == 1 for names in best.values()):
        return " ".join([f"By every metric {common[0]} is significantly better than all others.", *doubts])
    if common:
        verb = "is" if len(common) == 1 else "are"
        text = f"By every metric {listed(common)} {verb} best or not significantly worse than the best."
        return " ".join([text, *doubts])
    firsts = "; ".join(f"{metric}: {listed(names, 3)}" for metric, names in best.items())
    return f"No system is best, or not significantly worse than the best, by every metric ({firsts})."
