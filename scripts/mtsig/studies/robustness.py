"""Does a verdict survive other choices that an evaluation could as well have made?

A verdict says for a pair of systems which of the two is significantly better, if any. The basis is the verdict of the
main job. Each choice changes one thing: the metric, the tokenizer, the test, the seed, the number of resamples, the
unit that is resampled, the reference, or one document or domain less. A pair whose verdict holds under all of them
does not hang on any; one that loses its star when a single document is left out does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mtsig.resampling.analysis import analyse
from mtsig.resampling.results import PairResult
from mtsig.resampling.scorer import Scorer
from mtsig.resampling.settings import FEW_UNITS, ResamplingSettings

__all__ = [
    "BASIS",
    "KINDS",
    "TESTS",
    "Agreement",
    "Choice",
    "Verdict",
    "agreement",
    "by_tests",
    "left_out",
    "resampled",
    "verdicts_of",
]

FloatArray = NDArray[np.float64]
Pair = tuple[str, str]

#: Kind of the basis among the choices.
BASIS = "basis"

#: What can be chosen otherwise, in the order of tables and figures.
KINDS = (
    "metric",
    "tokenizer",
    "reference",
    "test",
    "seed",
    "n_resamples",
    "resample_unit",
    "domain",
    "document",
)

#: Tests that a verdict can rest on instead.
TESTS = ("p_ar", "p_shift", "p_one_sided", "koehn")


@dataclass(frozen=True)
class Verdict:
    """What one choice says about one pair.

    Attributes
    ----------
    delta
        Score of the first system minus that of the second, in the metric's unit; None where undefined.
    p_value
        The p-value that decides; None where undefined, and for Koehn's test.
    winner
        The system that is significantly better, None for neither.
    """

    delta: float | None
    p_value: float | None
    winner: str | None


@dataclass(frozen=True)
class Choice:
    """One choice and its verdicts, by pair of systems (the first by name first)."""

    kind: str
    value: str
    verdicts: Mapping[Pair, Verdict]


def resampled(
    kind: str,
    value: str,
    statistics: Mapping[str, FloatArray],
    scorer: Scorer,
    settings: ResamplingSettings,
    *,
    documents: Sequence[str | None] | None = None,
    domains: Sequence[str | None] | None = None,
    threads: int = 1,
) -> Choice:
    """The verdicts of a choice that takes a bootstrap of its own.

    Parameters
    ----------
    kind, value
        What was chosen.
    statistics, scorer, settings
        As in `mtsig.resampling.analysis.analyse`.
    documents, domains
        Names per segment, needed if documents are the units.
    threads
        How many threads work; no number depends on it.
    """
    by_document = settings.resample_unit == "document"
    n_segments = len(next(iter(statistics.values())))
    n_units = len(set(zip(domains or (), documents or (), strict=True))) if by_document else n_segments
    if n_units >= FEW_UNITS and scorer.higher_is_better is not None:
        # Randomization decides nothing with so many units, and takes most of the time.
        settings = replace(settings, n_trials=1)
    analysis = analyse(
        statistics,
        scorer,
        settings,
        documents=documents if by_document else None,
        domains=domains if by_document else None,
        threads=threads,
    )
    return Choice(kind, value, verdicts_of(analysis.pairs, settings))


def _pair(row: PairResult) -> Pair:
    return row.system_a, row.system_b


def verdicts_of(rows: Iterable[PairResult], settings: ResamplingSettings) -> dict[Pair, Verdict]:
    """What the workflow's own test says about each pair."""
    adjusted = settings.adjust != "none"
    return {_pair(row): Verdict(row.delta, row.p_adjusted if adjusted else row.p_value, row.winner) for row in rows}


def by_tests(
    rows: Iterable[PairResult], tests: Sequence[str], settings: ResamplingSettings, *, higher_is_better: bool
) -> Iterator[Choice]:
    """The verdicts of other tests on the same resamples, without adjustment.

    Parameters
    ----------
    rows
        Results of the basis.
    tests
        Some of `TESTS`.
    settings
        The level.
    higher_is_better
        The direction.
    """
    pairs = list(rows)
    for test in tests:
        verdicts = {}
        for row in pairs:
            p_value = None if test == "koehn" else getattr(row, test)
            winner = None
            if test == "koehn":
                winner = {"a": row.system_a, "b": row.system_b}.get(row.koehn_verdict or "")
            elif p_value is not None and p_value < settings.alpha and row.delta:
                winner = row.system_a if (row.delta > 0) == higher_is_better else row.system_b
            verdicts[_pair(row)] = Verdict(row.delta, p_value, winner)
        yield Choice("test", test, verdicts)


def left_out(
    kind: str,
    labels: Sequence[str | None],
    statistics: Mapping[str, FloatArray],
    scorer: Scorer,
    settings: ResamplingSettings,
    *,
    documents: Sequence[str | None],
    domains: Sequence[str | None],
    threads: int = 1,
) -> Iterator[Choice]:
    """The verdicts without each group of segments in turn.

    Parameters
    ----------
    kind
        ``document`` or ``domain``.
    labels
        The group of each segment; segments without one are never left out.
    statistics, scorer, settings, documents, domains, threads
        As in `resampled`.
    """
    groups = sorted({label for label in labels if label is not None})
    for group in groups if len(groups) > 1 else ():
        kept = np.array([label != group for label in labels])
        yield resampled(
            kind,
            group,
            {system: values[kept] for system, values in statistics.items()},
            scorer,
            settings,
            documents=[document for document, keep in zip(documents, kept, strict=True) if keep],
            domains=[domain for domain, keep in zip(domains, kept, strict=True) if keep],
            threads=threads,
        )


@dataclass(frozen=True)
class Agreement:
    """How many choices of one kind (or of all kinds) give a pair the verdict of the basis.

    Attributes
    ----------
    pair, kind
        Which pair, which kind of choice (``all`` for all together).
    basis
        The winner of the basis, None for neither.
    choices, agree
        Number of choices, and of those with the same winner.
    lost, gained, turned
        Number of choices with no winner where the basis has one, with one where it has none, and with the other.
    share
        Share of the choices that agree; for ``all`` the mean over kinds, so that the many documents that can be left
        out do not outweigh the few metrics that can be chosen. None without choices.
    """

    pair: Pair
    kind: str
    basis: str | None
    choices: int
    agree: int
    lost: int
    gained: int
    turned: int
    share: float | None


def agreement(basis: Choice, choices: Sequence[Choice]) -> list[Agreement]:
    """Compare all choices with the basis, by pair and kind.

    Examples
    --------
    >>> pair = ("a", "b")
    >>> basis = Choice(BASIS, "", {pair: Verdict(1.0, 0.01, "a")})
    >>> others = [
    ...     Choice("seed", "1", {pair: Verdict(1.0, 0.01, "a")}),
    ...     Choice("seed", "2", {pair: Verdict(1.0, 0.07, None)}),
    ... ]
    >>> others.append(Choice("metric", "chrf", {pair: Verdict(1.0, 0.01, "a")}))
    >>> [(row.kind, row.choices, row.agree, row.lost, row.share) for row in agreement(basis, others)]
    [('all', 3, 2, 1, 0.75), ('metric', 1, 1, 0, 1.0), ('seed', 2, 1, 1, 0.5)]
    """
    kinds = [kind for kind in KINDS if any(choice.kind == kind for choice in choices)]
    rows = []
    for pair, verdict in sorted(basis.verdicts.items()):
        shares: list[float] = []
        of_pair = []
        for kind in (*kinds, "all"):
            found = [
                choice.verdicts[pair].winner
                for choice in choices
                if kind in ("all", choice.kind) and pair in choice.verdicts
            ]
            same = found.count(verdict.winner)
            none = 0 if verdict.winner is None else found.count(None)
            other = len(found) - same - none
            gained = other if verdict.winner is None else 0
            if kind == "all":
                share = sum(shares) / len(shares) if shares else None
            elif found:
                shares.append(share := same / len(found))
            else:
                share = None
            of_pair.append(Agreement(pair, kind, verdict.winner, len(found), same, none, gained, other - gained, share))
        rows += [of_pair[-1], *of_pair[:-1]]
    return rows
