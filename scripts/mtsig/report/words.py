"""What verdicts are made of: names in a row, differences with their size and p-value, what a comparison leaves open."""

from __future__ import annotations

from collections.abc import Sequence

from mtsig.report import format as fmt
from mtsig.report.results import Comparison, MetricResult, deciding, p_words

__all__ = ["difference", "limits", "listed", "practical", "resampled_on"]


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
    text = f"{size} {interval}, {name} {_equals(p_words(comparison.row, deciding(comparison.row)))}"
    if comparison.p is not None and comparison.p < alpha and not comparison.significant:
        text += f", by randomization {_equals(p_words(comparison.row, 'p_ar'))}"
    return text


def _equals(p: str) -> str:
    return p if p.startswith("<") else f"= {p}"


def resampled_on(results: Sequence[MetricResult]) -> str:
    """Which pairs took more resamples, or trials, than configured; empty where none did."""
    counts = {"resamples": "n_resamples", "trials of randomization": "n_trials"}
    parts = []
    for unit, name in counts.items():
        used = [row[name] for result in results for row in result.pairs]
        least = min(used, default=0)
        more = [number for number in used if number > least]
        if more:
            pairs = "1 pair" if len(more) == 1 else f"{fmt.count(len(more))} pairs"
            parts.append(f"{pairs} to at most {fmt.count(max(more))} {unit}")
    if not parts:
        return ""
    return (
        f"While the limits of p contained alpha, the same draws went on: {' and '.join(parts)} (Besag and Clifford "
        "1991; Gandy 2009)."
    )


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
    """What one metric's tests leave open, and what a reader should not conclude."""
    if result.higher_is_better is None or not result.pairs:
        return []
    number = len(result.pairs)
    alpha = result.setting("alpha")
    undefined = sum(row["p_value"] is None for row in result.pairs)
    significant = sum(row["significant"] for row in result.pairs)
    pairs = "pair" if number == 1 else "pairs"
    verb = "is" if significant == 1 else "are"
    sentences = [f"{significant} of {fmt.count(number)} {pairs} {verb} significantly different."]
    if undefined:
        sentences.append(f"For {fmt.count(undefined)} of them no test is defined.")
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
    open_pairs = [f"{row['system_a']} and {row['system_b']}" for row in result.pairs if "monte_carlo" in row["flags"]]
    if open_pairs:
        used = max(row["n_resamples"] for row in result.pairs if "monte_carlo" in row["flags"])
        sentences.append(
            f"Another seed could change the verdict on {listed(open_pairs, 3)}, even with {fmt.count(used)} resamples: "
            "raise `max_resamples`."
        )
    if any("few_units" in row["flags"] for row in result.pairs):
        sentences.append(f"There are fewer than 30 {result.setting('resample_unit')}s, too few to rely on intervals.")
    if any("very_few_units" in row["flags"] for row in result.pairs):
        sentences.append("With fewer than 10 of them no test is reliable.")
    identical = [f"{row['system_a']} and {row['system_b']}" for row in result.pairs if "equal_texts" in row["flags"]]
    if identical:
        sentences.append(f"Equal texts: {listed(identical, 3)}.")
    return sentences
