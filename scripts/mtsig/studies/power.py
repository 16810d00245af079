"""How large must a test set be? Power of the two-sided bootstrap test, and the differences that it can detect.

Test sets of any size are drawn with replacement from the one at hand, and each is put through the test. A true
difference of the wanted size is imposed by shifting the replicates: with d the difference that the test set shows, a
true difference t is simulated by adding t - d to everything. What varies from set to set is thus taken from the data,
and what is asked of the test is put in by hand. Power at the difference that was observed says nothing new (it is a
function of the p-value), so it is given over the whole interval of the difference only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mtsig.errors import ConfigError
from mtsig.resampling.bootstrap import bootstrap_replicates
from mtsig.resampling.draws import draw_counts
from mtsig.resampling.exact import as_fraction
from mtsig.resampling.intervals import percentile_interval
from mtsig.resampling.montecarlo import clopper_pearson
from mtsig.resampling.pairs import TOLERANCE
from mtsig.resampling.scorer import Scorer
from mtsig.studies.evidence import NO_DIRECTION, Pairs, Settings

__all__ = ["PairPower", "Power", "PowerDesign", "SizePower", "difference_grid", "power_study"]

Floats = npt.NDArray[np.float64]

# Test sets are made in groups of at most so many numbers; each group has its own draws.
_GROUP_CELLS = 8_000_000


@dataclass(frozen=True, kw_only=True)
class PowerDesign:
    """What is asked.

    Parameters
    ----------
    sizes
        Numbers of segments of the test sets to come. The size of the test set at hand is always added.
    target_power
        The power wanted, in (0, 1).
    n_simulations
        Test sets drawn per size.
    """

    sizes: Sequence[int] = (100, 300, 600, 1000, 3000)
    target_power: float = 0.8
    n_simulations: int = 200

    def __post_init__(self) -> None:
        if not 0 < self.target_power < 1:
            raise ConfigError(f"target_power: {self.target_power} is not a power; it lies between 0 and 1.")
        if any(size < 1 for size in self.sizes):
            raise ConfigError(f"sizes: {min(self.sizes)} is too small; a test set needs at least 1 segment.")


@dataclass(frozen=True)
class SizePower:
    """The test on sets of one size, for one pair.

    Differences are in favour of the system that is ahead on the test set at hand.

    Attributes
    ----------
    size, n_units
        Segments, and units that are drawn.
    high, low
        (n_simulations,) for each simulated set, the true difference above which the test speaks for the system that is
        ahead, and the one below which it speaks for the other.
    extrapolated
        Whether the size exceeds that of the test set at hand.
    """

    size: int
    n_units: int
    high: Floats
    low: Floats
    extrapolated: bool

    def power(self, difference: float) -> tuple[float, float, float]:
        """Share of simulated sets in which the test finds a true difference, with its 95% Monte Carlo limits.

        Parameters
        ----------
        difference
            In the metric's unit.
        """
        count = int(((self.high < difference) | (self.low > difference)).sum())
        low, high = clopper_pearson(count, len(self.high))
        return count / len(self.high), float(low), float(high)

    def detectable_difference(self, target_power: float) -> float | None:
        """The smallest true difference that the test finds with the wanted power.

        None where the test never varies, as between identical outputs.
        """
        ordered = np.sort(self.high)
        found = float(ordered[math.ceil(as_fraction(target_power) * len(ordered)) - 1])
        return found if found > 0 and np.isfinite(found) else None


@dataclass(frozen=True)
class PairPower:
    """One pair of systems at all sizes.

    Attributes
    ----------
    pair
        Positions of the two systems.
    delta, delta_low, delta_high
        Observed difference, first minus second, and its interval; NaN where undefined.
    sizes
        By size.
    """

    pair: tuple[int, int]
    delta: float
    delta_low: float
    delta_high: float
    sizes: tuple[SizePower, ...]

    def segments_needed(self, difference: float, target_power: float) -> int | None:
        """How many segments make a true difference detectable with the wanted power.

        From the size whose detectable difference lies nearest, by the law that it shrinks with the square root of the
        number of segments. Not fewer than the smallest size that was simulated: that law fails on few segments.

        Parameters
        ----------
        difference
            In the metric's unit, positive.
        target_power
            In (0, 1).
        """
        known = [(size.size, size.detectable_difference(target_power)) for size in self.sizes]
        candidates = [(size, found) for size, found in known if found is not None]
        if not candidates:
            return None
        size, found = min(candidates, key=lambda item: abs(math.log(item[1] / difference)))
        return max(self.sizes[0].size, math.ceil(size * (found / difference) ** 2))

    def power_at_observed(self, size: SizePower) -> tuple[float, float] | None:
        """Range of the power on sets of one size over the interval of the observed difference."""
        if math.isnan(self.delta_low + self.delta_high):
            return None
        sign = -1 if self.delta < 0 else 1
        ends = sorted((sign * self.delta_low, sign * self.delta_high))
        # Power is least where there is no difference, so the interval's end is not its least value if 0 lies inside.
        inner = [0.0] if ends[0] < 0 < ends[1] else []
        powers = [size.power(difference)[0] for difference in (*ends, *inner)]
        return min(powers), max(powers)


@dataclass(frozen=True)
class Power:
    """The whole study: one entry per pair, in the order of the pairs that were asked for."""

    n_segments: int
    design: PowerDesign
    pairs: tuple[PairPower, ...]


def power_study(
    metric: Scorer,
    units: Floats,
    *,
    n_segments: int,
    pairs: Pairs,
    design: PowerDesign,
    settings: Settings,
    threads: int = 1,
) -> Power:
    """Simulate test sets of all sizes.

    Parameters
    ----------
    metric
        Scores sums of `units`.
    units
        (n_systems, n_units, k) what `Scorer.columns` gives, per segment or summed per document.
    n_segments
        Number of segments of the test set. Sizes are translated to units by their mean length.
    pairs
        Positions of the systems of each pair.
    design
        What is asked.
    settings
        Seed, resamples, alpha and confidence level.
    threads
        How many threads work; the numbers do not depend on it.

    Raises
    ------
    mtsig.errors.ConfigError
        If the metric has no direction, or too few resamples can never give significance.
    """
    if pairs and metric.higher_is_better is None:
        raise ConfigError(NO_DIRECTION)
    most = most_against(settings.alpha, settings.n_resamples)
    n_units = units.shape[1]
    scores = metric.corpus_scores(units.sum(axis=1))
    counts = draw_counts(settings.seed, n_units, settings.n_resamples)
    interval_of = percentile_interval(
        _differences(bootstrap_replicates(units, metric.corpus_scores, counts, threads=threads), pairs, axis=0),
        confidence_level=settings.confidence_level,
    )
    deltas = _differences(scores, pairs, axis=0)
    ahead = np.where(deltas < 0, -1.0, 1.0)
    by_size = []
    for size in sorted({*design.sizes, n_segments}):
        drawn = max(1, round(size * n_units / n_segments))
        high, low = np.empty((2, len(pairs), design.n_simulations))
        for start, replicates in _simulated(metric, units, size, drawn, design, settings, threads):
            stop = start + len(replicates)
            differences = _differences(replicates, pairs, axis=1) * ahead[:, None]
            ordered = np.partition(differences, (most, settings.n_resamples - 1 - most), axis=-1)
            centre = np.abs(deltas)
            above = centre - ordered[..., most]
            below = centre - ordered[..., settings.n_resamples - 1 - most]
            # Sets on which nothing differs stay so however large the true difference: they never speak for either.
            mute = differences.max(axis=-1) - differences.min(axis=-1) <= TOLERANCE * metric.scale
            high[:, start:stop] = np.where(mute, np.inf, above).T
            low[:, start:stop] = np.where(mute, -np.inf, below).T
        by_size.append((size, drawn, high, low))
    found = tuple(
        PairPower(
            pair=(pair[0], pair[1]),
            delta=float(deltas[position]),
            delta_low=float(interval_of.low[position]),
            delta_high=float(interval_of.high[position]),
            sizes=tuple(
                SizePower(size, drawn, high[position], low[position], size > n_segments)
                for size, drawn, high, low in by_size
            ),
        )
        for position, pair in enumerate(pairs)
    )
    return Power(n_segments, design, found)


def most_against(alpha: float, n_resamples: int) -> int:
    """The largest number of replicates on or beyond zero with which the two-sided p-value is still below alpha.

    Raises
    ------
    mtsig.errors.ConfigError
        If not even none suffices.

    Examples
    --------
    >>> most_against(0.05, 1000), most_against(0.05, 999)
    (24, 23)
    """
    # p = 2 (count + 1) / (R + 1) < alpha
    most = math.ceil(as_fraction(alpha) * (n_resamples + 1) / 2) - 2
    if most < 0:
        raise ConfigError(
            f"n_resamples: with {n_resamples} resamples no p-value is below alpha = {alpha}; use at least "
            f"{math.floor(2 / as_fraction(alpha))}."
        )
    return most


def _simulated(
    metric: Scorer, units: Floats, size: int, drawn: int, design: PowerDesign, settings: Settings, threads: int
) -> Iterable[tuple[int, Floats]]:
    """Replicates (n_sets, n_systems, n_resamples) of groups of simulated sets, and the number of the first of each."""
    n_systems, n_units, k = units.shape
    rng = np.random.default_rng(np.random.SeedSequence((settings.seed, size)))
    step = max(1, _GROUP_CELLS // (n_systems * drawn * k))
    for start in range(0, design.n_simulations, step):
        chosen = rng.integers(n_units, size=(min(step, design.n_simulations - start), drawn))
        counts = draw_counts(int(rng.integers(2**63)), drawn, settings.n_resamples)
        sets = np.moveaxis(units[:, chosen], 1, 0)
        yield start, bootstrap_replicates(sets, metric.corpus_scores, counts, threads=threads)


def _differences(values: Floats, pairs: Pairs, *, axis: int) -> Floats:
    first, second = (np.take(values, [pair[side] for pair in pairs], axis=axis) for side in (0, 1))
    return np.asarray(first - second)


def difference_grid(study: Power, extra: Sequence[float] = ()) -> list[float]:
    """Differences from 0 up at which to draw power curves: round steps, far enough for the smallest size.

    Parameters
    ----------
    study
        Whose curves.
    extra
        Differences to have among them.

    Examples
    --------
    >>> difference_grid(Power(100, PowerDesign(), ()), extra=[1.0])
    [0.0, 1.0]
    """
    target = study.design.target_power
    found = [size.detectable_difference(target) for pair in study.pairs for size in pair.sizes]
    widest = max((difference for difference in found if difference is not None), default=0.0)
    if widest == 0:
        return sorted({0.0, *extra})
    rough = 1.3 * widest / 20
    power_of_ten = 10.0 ** math.floor(math.log10(rough))
    step = max(factor * power_of_ten for factor in (1, 2, 5) if factor * power_of_ten <= rough)
    digits = max(0, 1 - math.floor(math.log10(step)))
    grid = {round(number * step, digits) for number in range(math.ceil(1.3 * widest / step) + 1)}
    return sorted({*grid, *extra})
