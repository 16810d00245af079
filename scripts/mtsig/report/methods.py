"""How the numbers of a paper were made, in sentences that can go into its methods section."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mtsig.report import format as fmt
from mtsig.report.paper import ADJUSTMENTS
from mtsig.report.render import escape_latex, escape_markdown
from mtsig.report.results import MetricResult
from mtsig.report.words import listed, resampled_on

__all__ = ["methods", "methods_pages"]

#: Enumerations are complete here.
_ALL = 10_000


def methods(
    results: Sequence[MetricResult], suites: Mapping[str, Sequence[str]], versions: Mapping[str, str]
) -> list[str]:
    """Describe how results were made.

    Parameters
    ----------
    results
        All results that a paper shows.
    suites
        Suite to its test sets.
    versions
        Package to version.

    Returns
    -------
    list of str
        Paragraphs of plain text.
    """
    shown = dict.fromkeys(result.testset for result in results)
    packages = [f"{package} {number}" for package, number in versions.items()]
    return [
        *_testsets([result for result in results if result.testset not in suites]),
        _metrics(results, suites),
        _intervals(results[0]),
        *_tests(results),
        *(_suite(suite, testsets) for suite, testsets in suites.items() if suite in shown),
        f"All numbers were computed with {listed(packages, _ALL)}.",
    ]


def _testsets(results: Sequence[MetricResult]) -> list[str]:
    sizes = []
    for testset in sorted({result.testset for result in results}):
        its = [result for result in results if result.testset == testset]
        counts = {result.metric: max(row["n_segments"] for row in result.systems) for result in its}
        most = max(counts.values())
        # Human scores often cover a part of the segments only.
        fewer = "".join(f", {metric} on {fmt.count(count)}" for metric, count in counts.items() if count < most)
        names = {name for result in its for name in result.names}
        systems = "1 system" if len(names) == 1 else f"{len(names)} systems"
        sizes.append(f"{testset} ({its[0].langpair}, {systems}, {fmt.count(most)} segments{fewer})")
    return [f"Test sets: {listed(sizes, _ALL)}."] if sizes else []


def _metrics(results: Sequence[MetricResult], suites: Mapping[str, Sequence[str]]) -> str:
    signatures: dict[str, dict[str, None]] = {}
    for result in results:
        own = signatures.setdefault(result.metric, {})
        if result.testset not in suites:
            own[result.setting("signature")] = None
    described = [f"{metric} ({'; '.join(own)})" if own else metric for metric, own in signatures.items()]
    return f"Metrics: {listed(described, _ALL)}."


def _intervals(result: MetricResult) -> str:
    return (
        f"Confidence intervals are {100 * result.setting('confidence_level'):g} % percentile intervals over "
        f"{fmt.count(result.setting('n_resamples'))} bootstrap resamples of {result.setting('resample_unit')}s "
        f"(seed {result.setting('seed')}); corpus scores are recomputed from resampled sufficient statistics "
        "(Koehn, 2004). They hold for texts like these: resampling takes "
        f"{result.setting('resample_unit')}s for exchangeable and knows nothing of other kinds of text."
    )


def _tests(results: Sequence[MetricResult]) -> list[str]:
    tested = [result for result in results if result.pairs and result.higher_is_better is not None]
    if not tested:
        return []
    first = tested[0]
    sentences = [
        "Two systems are compared on the same resamples by a two-sided paired bootstrap test. With d* the resampled "
        "difference and R the number of resamples, "
        "p = min(1, 2 min((#(d* <= 0) + 1)/(R + 1), (#(d* >= 0) + 1)/(R + 1))). "
        f"A difference is called significant if p < {first.setting('alpha'):g}; {ADJUSTMENTS[first.setting('adjust')]}."
    ]
    if detectable := _detectable(tested):
        sentences.append(detectable)
    if further := resampled_on(tested):
        sentences.append(
            f"{further} Under this rule at most 3 % of seeds decide otherwise than infinitely many resamples would, "
            "whatever p is."
        )
    if any("few_units" in row["flags"] for result in tested for row in result.pairs):
        sentences.append(
            f"Where there are fewer than 30 {first.setting('resample_unit')}s, approximate randomization (Riezler and "
            "Maxwell, 2005) has to reject as well."
        )
    return sentences


def _detectable(results: Sequence[MetricResult]) -> str:
    """The differences that the tests detect; empty where no pair has one."""
    parts = []
    for result in results:
        known = [row["detectable_difference"] for row in result.pairs if row["detectable_difference"] is not None]
        if known:
            low, high = (fmt.number(value, result.delta_decimals) for value in (min(known), max(known)))
            parts.append(f"{result.metric} on {result.testset} {low if low == high else f'{low} to {high}'}")
    if not parts:
        return ""
    return (
        f"With 80 % power the tests detect differences from these on, depending on the pair: {listed(parts, _ALL)} "
        "(by the normal law, from the standard errors of the resampled differences)."
    )


def _suite(suite: str, testsets: Sequence[str]) -> str:
    return (
        f"{suite} is the unweighted mean over {listed(list(testsets), _ALL)}. Each test set is resampled by draws of "
        "its own; intervals and tests are those of the mean."
    )


def methods_pages(paragraphs: Sequence[str]) -> tuple[str, str]:
    """The paragraphs as a Markdown page, and as LaTeX to be read in by a paper."""
    page = "\n\n".join(["# Methods", *map(escape_markdown, paragraphs)]) + "\n"
    return page, "\n\n".join(map(escape_latex, paragraphs)) + "\n"
