"""Findings in words: who is better, by how much, how sure, and what cannot be told.

The same sentences stand in the console, the tables of a paper and the page. None of them says that a difference is
significant without its size and its interval.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from mtsig.report import format as fmt
from mtsig.report.results import Comparison, MetricResult

__all__ = ["agreement", "best_systems", "difference", "headline", "limits", "listed", "practical"]


def listed(names: Sequence[str], limit: int = 5) -> str:
    """Names as an enumeration, cut after `limit` of them.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"]), listed(list("abcd"), limit=2)
    ('a', 'a and b', 'a, b and c', 'a, b and 2 more')
    """
    if len(names) > limit:
        return f"{', '.join(names[:limit])} and {len(names) - limit} more"
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def difference(result: MetricResult, comparison: Comparison) -> str:
    """Size, interval and p-value of one pair: ``+1.2 [+0.3, +2.1], p = 0.012``.

    An adjusted p-value is called so: it may be large where the interval, which is not adjusted, leaves out 0. Where too
    few units were resampled for this p-value to decide, the one that decides follows it.
    """
    if comparison.delta is None:
        return "their difference is undefined"
    places, alpha = result.decimals_of(comparison.row), result.setting("alpha")
    size = fmt.number(comparison.delta, places, signed=True)
    interval = fmt.interval(comparison.low, comparison.high, places, signed=True)
    name = "p" if comparison.row["adjust"] == "none" else "adjusted p"
    text = f"{size} {interval}, {name} {_equals(fmt.p_value(comparison.p, alpha=alpha))}"
    if comparison.p is not None and comparison.p < alpha and not comparison.significant:
        text += f", by randomization {_equals(fmt.p_value(comparison.row['p_ar'], alpha=alpha))}"
    return text


def _equals(p: str) -> str:
    return p if p.startswith("<") else f"= {p}"


def best_systems(result: MetricResult, among: Collection[str] | None = None) -> list[str]:
    """The best system and all that are not significantly worse than it, in order of standing.

    Parameters
    ----------
    result
        The metric's rows.
    among
        The systems to look at; all of them where it is not given.

    Returns
    -------
    list of str
        Empty for a metric without direction, where no score is defined, and where scores are of different segments.
    """
    if result.higher_is_better is None or _unequal(result):
        return []
    names = [
        row["system"]
        for row in result.systems
        if row["score"] is not None and (among is None or row["system"] in among)
    ]
    return [name for name in names if name == names[0] or not _beats(result.compare(names[0], name))]


def _unequal(result: MetricResult) -> bool:
    return any("unequal_segments" in row["flags"] for row in result.systems)


def _beats(comparison: Comparison | None) -> bool:
    return comparison is not None and comparison.favours > 0


def headline(result: MetricResult) -> str:
    """The outcome for one metric in one or two sentences.

    Parameters
    ----------
    result
        The metric's rows.
    """
    if result.higher_is_better is None:
        return "The metric has no direction: its scores describe the systems and rank none of them."
    if _unequal(result):
        return "The scores are of different segments and rank no systems: see the pairs, each on the segments of both."
    best = best_systems(result)
    if not best:
        return "No score is defined, so nothing can be said."
    first = best[0]
    scored = [row["system"] for row in result.systems if row["score"] is not None]
    if len(scored) == 1:
        only = "system" if len(result.systems) == 1 else "system with a score"
        return f"{first} is the only {only}: there is nothing to compare it with."
    if len(best) > 1:
        identical = [name for name in best[1:] if _identical(result, first, name)]
        others = [name for name in best[1:] if name not in identical]
        parts = []
        if identical:
            parts.append(f"{listed(identical)} gave the same output as {first}")
        if others:
            comparison = result.compare(first, others[0])
            nearest = f"nearest: {others[0]}, " if len(others) > 1 else ""
            gap = "" if comparison is None else f" ({nearest}{difference(result, comparison)})"
            parts.append(f"{listed(others)} cannot be told from it{gap}")
        return f"{first} scores best, but {'; '.join(parts)}."
    runner_up = result.compare(first, scored[1])
    assert runner_up is not None
    beaten = "the other system" if len(scored) == 2 else f"all {len(scored) - 1} others"
    beaten += "" if len(scored) == len(result.systems) else " with a score"
    gap = f"{scored[1]} ({difference(result, runner_up)})"
    return f"{first} is significantly better than {beaten}{', ' if len(scored) == 2 else '; the nearest is '}{gap}."


def _identical(result: MetricResult, system: str, other: str) -> bool:
    comparison = result.compare(system, other)
    return comparison is not None and "identical_output" in comparison.row["flags"]


def agreement(results: Sequence[MetricResult]) -> str:
    """Whether the metrics name the same best systems; empty for one metric with a direction, or one system."""
    best = {result.metric: best_systems(result) for result in results if len(result.systems) > 1}
    best = {metric: names for metric, names in best.items() if names}
    if len(best) < 2:
        return ""
    common = [name for name in next(iter(best.values())) if all(name in names for names in best.values())]
    if common:
        return f"At the top by every metric: {listed(common)}."
    firsts = "; ".join(f"{metric}: {listed(names, 3)}" for metric, names in best.items())
    return f"The metrics disagree about the best system ({firsts})."


def practical(result: MetricResult) -> str:
    """How many pairs are equivalent at the configured margin; empty where there is none."""
    margin = result.setting("equivalence_margin") if result.pairs else None
    if margin is None:
        return ""
    alpha = result.setting("alpha")
    equivalent = [row for row in result.pairs if row["p_equivalence"] is not None and row["p_equivalence"] < alpha]
    if not equivalent:
        return f"No pair is equivalent: for none the tests exclude a difference of {margin:g} or more."
    both = sum(row["significant"] for row in equivalent)
    verb = "is" if len(equivalent) == 1 else "are"
    sentence = (
        f"{len(equivalent)} of {fmt.count(len(result.pairs))} pairs {verb} equivalent: "
        f"the two differ by less than {margin:g} (two one-sided tests at alpha = {alpha:g})"
    )
    if both:
        sentence += (
            f"; {both} of these {'differs' if both == 1 else 'differ'} significantly, but by too little to matter"
        )
    return f"{sentence}."


def limits(result: MetricResult) -> list[str]:
    """What cannot be told from one metric's results, and what a reader should not conclude."""
    if result.higher_is_better is None or not result.pairs:
        return []
    told = sum(row["significant"] for row in result.pairs)
    number = len(result.pairs)
    alpha = result.setting("alpha")
    sentences = [f"{number - told} of {fmt.count(number)} {'pair' if number == 1 else 'pairs'} cannot be told apart."]
    smallest = min(
        (abs(row["delta"]) for row in result.pairs if row["significant"] and row["delta"] is not None), default=None
    )
    if smallest is not None:
        places = max(result.decimals_of(row) for row in result.pairs if row["significant"])
        sentences.append(f"The smallest significant difference is {fmt.number(smallest, places)}.")
    if result.setting("adjust") == "none" and alpha * number >= 1:
        sentences.append(
            f"The {fmt.count(number)} tests are not corrected: if all systems were equally good, about "
            f"{alpha * number:.0f} of the pairs would still be starred."
        )
    uncertain = sum("monte_carlo" in row["flags"] for row in result.pairs)
    if uncertain:
        sentences.append(
            f"For {uncertain} {'pair' if uncertain == 1 else 'pairs'} another seed could turn the verdict: "
            "raise `n_resamples`."
        )
    if any("few_units" in row["flags"] for row in result.pairs):
        sentences.append(f"There are fewer than 30 {result.setting('resample_unit')}s, too few to rely on intervals.")
    if any("very_few_units" in row["flags"] for row in result.pairs):
        sentences.append("With fewer than 10 of them no test is reliable.")
    identical = [
        f"{row['system_a']} and {row['system_b']}" for row in result.pairs if "identical_output" in row["flags"]
    ]
    if identical:
        sentences.append(f"Identical output: {listed(identical, 3)}.")
    return sentences
