"""How often does each test call two systems different that are equal by construction?

A null test set is made from the outputs of two systems by giving each segment, or each whole document, to the two at
random. Neither of the two is better then, whatever the metric, and what differs is chance. A test that holds its level
rejects in a share alpha of such sets. Randomization over the same units does so by construction, so its rate says
nothing about its power; that of a bootstrap test is a finding.

The second null keeps the outputs apart and draws sets with replacement from the test set, with the differences
recentred to mean zero; there randomization is no longer exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mtsig.errors import ConfigError
from mtsig.resampling.scorer import Scorer
from mtsig.resampling.units import UNITS, sum_units
from mtsig.studies.bands import binomial_band
from mtsig.studies.evidence import NO_DIRECTION, Evidence, Pairs, Settings, evidence_of, judge

__all__ = ["NULLS", "NullDesign", "null_rejections"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: The two ways in which systems are made equal.
NULLS = ("swap", "recentred")

# Tests that look at random swaps; recentring is not defined for them where a score is no mean.
_SWAPPING = ("p_ar", "p_sacrebleu_ar")


@dataclass(frozen=True, kw_only=True)
class NullDesign:
    """How null test sets are made.

    Parameters
    ----------
    subset_sizes
        Numbers of segments.
    n_null
        Null test sets per pair and size.
    null
        ``swap`` or ``recentred``.
    swap_unit
        ``segment`` or ``document``: what is given to either system as a whole, and drawn as a whole.
    resample_unit
        ``segment`` or ``document``: the units of the tests.
    """

    subset_sizes: Sequence[int] = (100, 300)
    n_null: int = 1000
    null: str = "swap"
    swap_unit: str = "segment"
    resample_unit: str = "segment"

    def __post_init__(self) -> None:
        if self.null not in NULLS:
            raise ConfigError(f"null: {self.null!r} is unknown; there are {', '.join(NULLS)}.")
        for key, unit in (("swap_unit", self.swap_unit), ("resample_unit", self.resample_unit)):
            if unit not in UNITS:
                raise ConfigError(f"{key}: {unit!r} is unknown; there are {', '.join(UNITS)}.")


def null_rejections(
    metric: Scorer,
    columns: Floats,
    *,
    systems: Sequence[str],
    pairs: Pairs,
    design: NullDesign,
    settings: Settings,
    documents: Ints | None = None,
    threads: int = 1,
) -> list[dict[str, Any]]:
    """Count rejections.

    Parameters
    ----------
    metric
        Scores sums of `columns`.
    columns
        (n_systems, n_segments, k) what `Scorer.columns` gives, without NaN.
    systems
        Names of the systems.
    pairs
        Positions of the systems of each pair.
    design
        How null test sets are made.
    settings
        How the tests are run. Its seed also serves the making of the test sets.
    documents
        (n_segments,) document of each segment, where documents are a unit.
    threads
        How many threads work; the numbers do not depend on it.

    Returns
    -------
    list of dict
        One row per pair, size and test: how many sets were tested and rejected, the rate, the limits within which
        chance alone leaves it 99% of the time, and flags. Where the size exceeds the test set no set is tested.

    Raises
    ------
    mtsig.errors.ConfigError
        If a unit is documents and there are none, or the metric has no direction.
    """
    if documents is None and "document" in (design.swap_unit, design.resample_unit):
        raise ConfigError("swap_unit and resample_unit: 'document' needs documents, and the test set has none.")
    if pairs and metric.higher_is_better is None:
        raise ConfigError(NO_DIRECTION)
    n_segments = columns.shape[1]
    rows = []
    for size in design.subset_sizes:
        tested = np.zeros((len(settings.tests), len(pairs)), dtype=np.int64)
        rejected = np.zeros_like(tested)
        if size <= n_segments and pairs:
            for evidence in _evidence(metric, columns, pairs, design, settings, size, documents, threads):
                for number, test in enumerate(settings.tests):
                    if _is_undefined(test, metric, design):
                        continue
                    judgement = judge(test, evidence, settings)
                    tested[number] += (~evidence.undefined).sum(axis=0)
                    rejected[number] += judgement.significant.sum(axis=0)
        for position, (first, second) in enumerate(pairs):
            for number, test in enumerate(settings.tests):
                counts = int(tested[number, position]), int(rejected[number, position])
                row = _row(*counts, test, design, settings, size, n_segments, documents)
                names = {"system_a": systems[first], "system_b": systems[second]}
                rows.append({**names, "subset_size": size, "swap_unit": design.swap_unit, **row})
    return rows


def _row(
    trials: int,
    rejections: int,
    test: str,
    design: NullDesign,
    settings: Settings,
    size: int,
    n_segments: int,
    documents: Ints | None,
) -> dict[str, Any]:
    flags = []
    limits: tuple[float | None, float | None] = (None, None)
    if size > n_segments:
        flags.append("subset_too_large")
    elif not trials:
        flags.append("undefined")
    else:
        low, high = limits = binomial_band(settings.alpha, trials)
        if rejections / trials > high:
            flags.append("rejects_too_often")
        elif rejections / trials < low:
            flags.append("rejects_too_rarely")
    # Whole documents may also be swapped where segments were: the null stays the same under either.
    if test == "p_ar" and design.null == "swap" and design.swap_unit in ("segment", design.resample_unit):
        flags.append("exact_by_construction")
    if design.null == "swap" and (design.swap_unit, design.resample_unit) == ("document", "segment"):
        flags.append("mismatched_units")
    if documents is not None and design.resample_unit == "document" and documents.max() == 0:
        flags.append("one_document")
    return {
        "null": design.null,
        "resample_unit": design.resample_unit,
        "test": test,
        "trials": trials,
        "rejections": rejections,
        "rate": rejections / trials if trials else None,
        "limit_low": limits[0],
        "limit_high": limits[1],
        "flags": sorted(flags),
    }


def _is_undefined(test: str, metric: Scorer, design: NullDesign) -> bool:
    """Whether a test has no recentred form: swaps mix the systems, and only means can be recentred by segment."""
    return test in _SWAPPING and design.null == "recentred" and not is_mean(metric)


def _evidence(
    metric: Scorer,
    columns: Floats,
    pairs: Pairs,
    design: NullDesign,
    settings: Settings,
    size: int,
    documents: Ints | None,
    threads: int,
) -> Iterator[Evidence]:
    """Evidence on each null test set of one size: pair p is made of the systems 2 p and 2 p + 1.

    Every set has draws of its own. If all shared theirs, the luck of one matrix of draws would be in every rejection.
    """
    first, second = ([pair[side] for pair in pairs] for side in (0, 1))
    made_pairs = [(2 * position, 2 * position + 1) for position in range(len(pairs))]
    entropy = (settings.seed, NULLS.index(design.null), size)
    rng = np.random.default_rng(np.random.SeedSequence(entropy))
    totals = metric.corpus_scores(columns.sum(axis=1))
    difference = totals[first] - totals[second]
    for _ in range(design.n_null):
        chosen, units = _draw(rng, design, size, columns.shape[1], documents)
        drawn = columns[:, chosen]
        made = np.empty((2 * len(pairs), size, columns.shape[-1]))
        made[0::2], made[1::2] = drawn[first], drawn[second]
        if design.null == "swap":
            swapped = rng.integers(2, size=int(units.max()) + 1, dtype=bool)[units]
            made[0::2, swapped], made[1::2, swapped] = drawn[second][:, swapped], drawn[first][:, swapped]
        elif is_mean(metric):
            # The columns of a mean are the value and 1.
            made[0::2, :, 0] -= difference[:, None] * made[0::2, :, 1]
        if design.resample_unit == "document":
            made = sum_units(made, units if design.swap_unit == "document" else _known(documents)[chosen])
        own_draws = replace(settings, seed=int(rng.integers(2**63)))
        evidence = evidence_of(metric, made[None], made_pairs, own_draws, threads=threads)
        shifted = design.null == "recentred" and not is_mean(metric)
        yield _shifted(evidence, difference) if shifted else evidence


def _draw(
    rng: np.random.Generator, design: NullDesign, size: int, n_segments: int, documents: Ints | None
) -> tuple[Ints, Ints]:
    """Segments of a set and the number of each one's unit within it."""
    again = design.null == "recentred"
    if design.swap_unit == "segment" or documents is None:
        chosen = rng.integers(n_segments, size=size) if again else rng.choice(n_segments, size=size, replace=False)
        return chosen, np.arange(size)
    members = np.argsort(documents, kind="stable")
    lengths = np.bincount(documents)
    starts = np.cumsum(lengths) - lengths
    # Whole documents in random order until the size is reached; the last one is cut.
    order = rng.integers(len(lengths), size=size) if again else rng.permutation(len(lengths))
    needed = int(np.searchsorted(np.cumsum(lengths[order]), size)) + 1
    order = order[:needed]
    chosen = np.concatenate([members[starts[number] : starts[number] + lengths[number]] for number in order.tolist()])
    return chosen[:size], np.repeat(np.arange(needed), lengths[order])[:size]


def is_mean(metric: Scorer) -> bool:
    """Whether the columns of a metric are a value and 1, and its score their quotient."""
    return metric.statistic_names == ("value",)


def _known(documents: Ints | None) -> Ints:
    if documents is None:
        raise ValueError("documents: needed where they are the units of the tests")
    return documents


def _shifted(evidence: Evidence, difference: Floats) -> Evidence:
    """The same evidence with the true difference of every pair taken from its first system."""
    scores, replicates = evidence.scores.copy(), evidence.replicates.copy()
    scores[:, ::2] -= difference
    replicates[:, ::2] -= difference[:, None]
    single = evidence.single
    if single is not None:
        single = single.copy()
        single[:, ::2] -= difference[:, None].astype(single.dtype)
    return replace(evidence, scores=scores, replicates=replicates, single=single)
