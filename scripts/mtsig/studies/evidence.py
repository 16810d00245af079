"""What the tests look at, for many small test sets at once, and what each definition makes of it.

Studies judge definitions side by side on the very same draws: Koehn's verdict, the two-sided bootstrap p-value, the
one-sided and the shifted one, approximate randomization, and sacreBLEU's two tests. A definition is called like its
column in the pairs tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from mtsig.errors import ConfigError
from mtsig.resampling import draws, pairs
from mtsig.resampling.bootstrap import bootstrap_replicates, bootstrap_with_sacrebleu
from mtsig.resampling.pairs import SignCounts
from mtsig.resampling.randomization import swap_differences
from mtsig.resampling.scorer import Scorer
from mtsig.resampling.settings import FEW_UNITS

__all__ = ["NO_DIRECTION", "TESTS", "Evidence", "Judgement", "Settings", "check_tests", "evidence_of", "judge"]

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Signs = npt.NDArray[np.int8]
Pairs = Sequence[tuple[int, int]]

#: Why a metric such as the length ratio cannot be studied.
NO_DIRECTION = "metric: it has no direction, so no system is better and nothing is tested. Choose another one."

#: Each definition and what it is.
TESTS: dict[str, str] = {
    "koehn": "Koehn's verdict: wins in at least 1 - alpha of the resamples",
    "p_value": "two-sided bootstrap",
    "p_one_sided": "one-sided bootstrap",
    "p_shift": "bootstrap of differences shifted to mean zero",
    "p_ar": "approximate randomization, counting equal differences",
    "p_sacrebleu_bs": "sacreBLEU's paired bootstrap",
    "p_sacrebleu_ar": "sacreBLEU's approximate randomization, counting larger differences only",
    "significant": "the star: two-sided bootstrap, and randomization too where units are few",
}
_SWAPPING = frozenset({"p_ar", "p_sacrebleu_ar"})

# About so many columns of statistics are resampled at once.
_PART_COLUMNS = 16_000


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How the tests of a study are run.

    Parameters
    ----------
    tests
        Definitions, names in `TESTS`.
    seed
        Seed of the draws: every test set of one size gets the same, as separate runs with one seed would.
    n_resamples
        Bootstrap resamples.
    n_trials
        Trials of approximate randomization; all ways to swap where those are fewer.
    alpha
        Significance level.
    confidence_level
        Of intervals.
    """

    tests: Sequence[str] = tuple(TESTS)
    seed: int = 12345
    n_resamples: int = 1000
    n_trials: int = 1000
    alpha: float = 0.05
    confidence_level: float = 0.95

    def __post_init__(self) -> None:
        check_tests(self.tests)


def check_tests(tests: Sequence[str]) -> None:
    """Refuse names of tests that do not exist.

    Raises
    ------
    mtsig.errors.ConfigError
        If one is unknown.
    """
    for test in tests:
        if test not in TESTS:
            raise ConfigError(f"tests: {test!r} is unknown; there are {', '.join(TESTS)}.")


@dataclass(frozen=True)
class Evidence:
    """Differences between the systems of pairs, for any number of test sets at once.

    All differences are first system minus second, in the metric's unit.

    Attributes
    ----------
    scores
        (n_sets, n_systems) scores on the test sets themselves.
    replicates
        (n_sets, n_systems, n_resamples) scores on their resamples.
    single
        The same in sacreBLEU's arithmetic and precision; None where not asked for, or sacreBLEU lacks the metric.
    swapped
        (n_sets, n_pairs, n_trials) differences after random swaps; None where no test needs them.
    exact
        Whether the swaps are all there are.
    pairs
        Positions of the two systems of each pair.
    n_units
        Units (segments or documents) in each test set.
    tolerance
        Differences up to this size are ties.
    higher_is_better
        Direction of the metric.
    """

    scores: Floats
    replicates: Floats
    single: npt.NDArray[Any] | None
    swapped: Floats | None
    exact: bool
    pairs: Pairs
    n_units: int
    tolerance: float
    higher_is_better: bool

    def sides(self, values: npt.NDArray[Any], *, axis: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """The values of the first and of the second system of each pair, from an array with an axis of systems."""
        first, second = (np.take(values, [pair[side] for pair in self.pairs], axis=axis) for side in (0, 1))
        return first, second

    @cached_property
    def observed(self) -> Floats:
        """(n_sets, n_pairs) differences on the test sets themselves."""
        first, second = self.sides(self.scores, axis=-1)
        return np.asarray(first - second)

    @cached_property
    def differences(self) -> Floats:
        """(n_sets, n_pairs, n_resamples) differences on the resamples."""
        first, second = self.sides(self.replicates, axis=-2)
        return np.asarray(first - second)

    @cached_property
    def signs(self) -> SignCounts:
        """How many replicates of the difference are above, below and at zero."""
        return pairs.count_signs(self.differences, tolerance=self.tolerance)

    @cached_property
    def undefined(self) -> Bools:
        """(n_sets, n_pairs) whether a score is missing on the set or on one of its resamples."""
        return np.asarray(np.isnan(self.observed) | np.isnan(self.differences).any(axis=-1))


@dataclass(frozen=True)
class Judgement:
    """What one definition says, for each test set and pair.

    Attributes
    ----------
    p_value
        NaN for Koehn's verdict, which has none, and where the difference is undefined.
    significant
        Whether the definition calls the difference significant.
    winner
        1 where the first system is called better, -1 where the second is, else 0.
    """

    p_value: Floats
    significant: Bools
    winner: Signs


def evidence_of(metric: Scorer, columns: Floats, chosen: Pairs, settings: Settings, *, threads: int = 1) -> Evidence:
    """Resample test sets of equal size, all with the same draws.

    Parameters
    ----------
    metric
        Scores sums of `columns`.
    columns
        (n_sets, n_systems, n_units, k) what `Scorer.columns` gives, per unit.
    chosen
        Positions of the systems of each pair.
    settings
        How the tests are run.
    threads
        How many threads work; the numbers do not depend on it.

    Raises
    ------
    mtsig.errors.ConfigError
        If the metric has no direction although there are pairs to be tested.
    """
    if chosen and metric.higher_is_better is None:
        raise ConfigError(NO_DIRECTION)
    n_sets, n_systems, n_units, k = columns.shape
    # Systems of different test sets are resampled side by side, as many at once as keeps the sums small.
    step = max(1, _PART_COLUMNS // (n_systems * k))
    parts = [
        _resampled(metric, columns[start : start + step], chosen, settings, threads) for start in range(0, n_sets, step)
    ]
    replicates, single, swapped = zip(*parts, strict=True)
    return Evidence(
        scores=metric.corpus_scores(columns.sum(axis=2)),
        replicates=np.concatenate(replicates),
        single=_joined(single),
        swapped=_joined(swapped),
        exact=draws.is_enumerable(n_units, settings.n_trials),
        pairs=chosen,
        n_units=n_units,
        tolerance=pairs.TOLERANCE * metric.scale,
        higher_is_better=metric.higher_is_better is not False,
    )


def _joined(parts: Sequence[npt.NDArray[Any] | None]) -> npt.NDArray[Any] | None:
    arrays = [part for part in parts if part is not None]
    return np.concatenate(arrays) if arrays else None


def _resampled(
    metric: Scorer, columns: Floats, chosen: Pairs, settings: Settings, threads: int
) -> tuple[Floats, npt.NDArray[Any] | None, Floats | None]:
    """Replicates, sacreBLEU's replicates and differences after swaps of some test sets."""
    n_sets, n_systems, n_units, k = columns.shape
    single = None
    if chosen and "p_sacrebleu_bs" in settings.tests:
        replicates, peers = bootstrap_with_sacrebleu(
            columns, metric, seed=settings.seed, n_resamples=settings.n_resamples, threads=threads
        )
        if peers is not None:
            single = peers.scores if peers.double.any() else peers.scores.astype(np.float32)
    else:
        counts = draws.draw_counts(settings.seed, n_units, settings.n_resamples)
        replicates = bootstrap_replicates(columns, metric.corpus_scores, counts, threads=threads)
    swapped = None
    if chosen and needs_swaps(settings.tests, n_units):
        signs = draws.swaps(settings.seed, n_units, settings.n_trials)
        flat = columns.reshape(n_sets * n_systems, n_units, k)
        offsets = np.arange(n_sets)[:, None, None] * n_systems
        positions = (np.asarray(chosen, dtype=np.int64) + offsets).reshape(-1, 2)
        swapped = swap_differences(
            flat, metric.corpus_scores, positions, signs, formula=metric.formula, threads=threads
        ).reshape(n_sets, len(chosen), -1)
    return replicates, single, swapped


def needs_swaps(tests: Sequence[str], n_units: int) -> bool:
    """Whether any of the tests looks at random swaps on test sets of this size."""
    return bool(_SWAPPING.intersection(tests)) or ("significant" in tests and n_units < FEW_UNITS)


def judge(test: str, evidence: Evidence, settings: Settings) -> Judgement:
    """Apply one definition to every test set and pair.

    Parameters
    ----------
    test
        One of `TESTS`.
    evidence
        What it looks at.
    settings
        With the significance level.
    """
    observed, undefined = evidence.observed, evidence.undefined
    if test == "koehn":
        wins = pairs.wins(evidence.signs, higher_is_better=evidence.higher_is_better)
        verdict = pairs.koehn_verdict(*wins, settings.n_resamples, alpha=settings.alpha)
        winner = np.where(undefined, 0, verdict).astype(np.int8)
        return Judgement(np.full(observed.shape, np.nan), winner != 0, winner)
    p_values = np.where(undefined, np.nan, _p_values("p_value" if test == "significant" else test, evidence))
    significant = p_values < settings.alpha
    if test == "significant" and evidence.n_units < FEW_UNITS:
        significant &= _p_values("p_ar", evidence) < settings.alpha
    better = np.where(np.abs(observed) <= evidence.tolerance, 0, np.sign(observed))
    winner = np.where(significant, better if evidence.higher_is_better else -better, 0)
    return Judgement(p_values, significant, winner.astype(np.int8))


def _p_values(test: str, evidence: Evidence) -> Floats:
    observed, tolerance = evidence.observed, evidence.tolerance
    match test:
        case "p_value":
            return pairs.p_value(evidence.signs)
        case "p_one_sided":
            return pairs.p_one_sided(evidence.signs, observed, tolerance=tolerance)
        case "p_shift":
            return pairs.p_shift(evidence.differences, observed, tolerance=tolerance)
        case "p_sacrebleu_bs":
            values = evidence.replicates if evidence.single is None else evidence.single
            return pairs.p_sacrebleu_bootstrap(*evidence.sides(values, axis=-2), observed)
    if evidence.swapped is None:
        raise ValueError(f"{test}: the evidence was gathered without swaps")
    n_trials = evidence.swapped.shape[-1]
    if test == "p_sacrebleu_ar":
        more = np.abs(evidence.swapped) > np.abs(observed)[..., None]
        return pairs.p_sacrebleu_randomization(np.count_nonzero(more, axis=-1), n_trials)
    extreme = pairs.at_least(evidence.swapped, observed, tolerance=tolerance)
    return pairs.p_randomization(np.count_nonzero(extreme, axis=-1), n_trials, exact=evidence.exact)
