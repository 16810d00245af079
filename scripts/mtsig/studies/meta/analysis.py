"""The whole meta-evaluation of metrics against one human score, on one selection of systems and segments.

Tables come out as rows without the keys (study, test set, human score, domain), which the caller knows.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from mtsig.metrics.base import Mean, divide
from mtsig.resampling.draws import draw_counts, is_enumerable, swaps
from mtsig.studies.meta.comparison import assign_ranks, standardize, two_sided_p, williams_test
from mtsig.studies.meta.pairs import PAIR_STATISTICS, count_pairs, merge_equal, tau_c_factor
from mtsig.studies.meta.permutation import (
    permuted_items,
    permuted_pair_statistics,
    permuted_pearson,
    permuted_systems,
)
from mtsig.studies.meta.segments import Weights, group_values, pair_replicates, pearson_replicates
from mtsig.studies.meta.spa import one_sided_p_values, soft_accuracies
from mtsig.studies.meta.systems import SYSTEM_STATISTICS, system_replicates
from mtsig.studies.meta.ties import calibrate_ties
from mtsig.studies.replicates import StudyInterval, defined_interval

__all__ = ["SEGMENT_ONLY", "STATISTICS", "SYSTEM_ONLY", "MetaAnalysis", "MetaSettings", "Scored", "evaluate"]

Floats = npt.NDArray[np.float64]
Rows = list[dict[str, Any]]

#: Statistics that make sense at one level only: few systems are rarely tied, and ranks over thousands of outputs say
#: little that Kendall's tau does not.
SYSTEM_ONLY = ("spearman", "pairwise_accuracy", "pairwise_accuracy_untied", "spa")
SEGMENT_ONLY = ("acc_eq", "acc_eq_calibrated")

#: All statistics, as the configuration names them.
STATISTICS = (*SYSTEM_STATISTICS, "acc_eq_calibrated", "spa")


@dataclass(frozen=True)
class Scored:
    """Scores of one metric or of people, turned so that more is better.

    Attributes
    ----------
    scores
        (n_systems, n_segments) scores of single segments; NaN where there is none.
    columns
        (n_systems, n_segments, n_columns) what is summed for a corpus score; NaN likewise.
    corpus_scores
        From sums (..., n_columns) to scores (...), more is better.
    scale
        Size of a good score.
    """

    scores: Floats
    columns: Floats
    corpus_scores: Callable[[Floats], Floats]
    scale: float

    @classmethod
    def of_means(cls, scores: Floats) -> Scored:
        """Scores whose corpus score is their mean."""
        mean = Mean()
        return cls(scores, mean.columns(scores[..., None]), mean.corpus_scores, scale=1.0)

    def take(self, segments: npt.NDArray[np.intp]) -> Scored:
        """The same on some segments."""
        return Scored(self.scores[:, segments], self.columns[:, segments], self.corpus_scores, self.scale)


@dataclass(frozen=True, kw_only=True)
class MetaSettings:
    """What is computed.

    Attributes
    ----------
    levels
        ``system``, ``segment`` or both.
    groupings
        Of the segment level: ``none``, ``item``, ``system``.
    statistics
        Names of `STATISTICS`; each is computed at the levels where it makes sense.
    resampled
        ``segments``, ``systems`` or ``both``.
    seed, n_resamples, confidence_level
        Of the bootstrap.
    n_trials, alpha
        Of the permutation tests.
    """

    levels: Sequence[str] = ("system", "segment")
    groupings: Sequence[str] = ("none", "item")
    statistics: Sequence[str] = ("pearson", "kendall_b", "acc_eq_calibrated", "pairwise_accuracy", "spa")
    resampled: str = "segments"
    seed: int = 12345
    n_resamples: int = 1000
    confidence_level: float = 0.95
    n_trials: int = 1000
    alpha: float = 0.05


@dataclass(frozen=True)
class MetaAnalysis:
    """Rows of the tables ``correlations`` and ``metric_pairs``."""

    correlations: Rows = field(default_factory=list)
    metric_pairs: Rows = field(default_factory=list)


def evaluate(
    human: Scored,
    metrics: Mapping[str, Scored],
    settings: MetaSettings,
    *,
    units: npt.NDArray[np.int64],
    flags: Sequence[str] = (),
) -> MetaAnalysis:
    """Compare metrics with human scores.

    Parameters
    ----------
    human, metrics
        Scores of the same systems and segments.
    settings
        What is computed.
    units
        (n_segments,) number of each segment's unit of resampling, from 0.
    flags
        Flags of the data, for every row.

    Returns
    -------
    MetaAnalysis
        Rows in the order of the levels, groupings, statistics and metric names.
    """
    names = sorted(metrics)
    data = _Data(human, {name: metrics[name] for name in names}, settings, units)
    result = MetaAnalysis()
    for level, grouping, statistics in _cells(settings):
        cell = _system_level(data, statistics) if level == "system" else _segment_level(data, grouping, statistics)
        for statistic, found in cell.items():
            keys = {"level": level, "grouping": grouping, "statistic": statistic}
            tests = list(_tests(data, found, level, grouping, statistic))
            ranks = _ranks(found, tests, names)
            for name in names:
                agreement = found[name]
                result.correlations.append(
                    {
                        **keys,
                        "metric_name": name,
                        "value": agreement.value,
                        "ci_low": agreement.interval.low,
                        "ci_high": agreement.interval.high,
                        "n": agreement.n,
                        "rank": ranks.get(name),
                        "epsilon": agreement.epsilon,
                        "n_systems": human.scores.shape[0],
                        "n_segments": human.scores.shape[1],
                        "flags": sorted({*flags, *agreement.interval.flags}),
                    }
                )
            for row in tests:
                row["flags"] = sorted({*flags, *row["flags"]})
                result.metric_pairs.append({**keys, **row})
    return result


def _cells(settings: MetaSettings) -> Iterator[tuple[str, str, list[str]]]:
    """(level, grouping, statistics) to be computed."""
    for level in settings.levels:
        others = SEGMENT_ONLY if level == "system" else SYSTEM_ONLY
        statistics = [name for name in settings.statistics if name not in others]
        for grouping in ("none",) if level == "system" else settings.groupings:
            # Calibration over all pairs of outputs would have to sort hundreds of millions of differences.
            left = [name for name in statistics if not (name == "acc_eq_calibrated" and grouping == "none")]
            if left:
                yield level, grouping, left


@dataclass(frozen=True)
class _Agreement:
    """One statistic of one metric. `items` holds its values on each segment, where segments are swapped whole."""

    value: float | None
    interval: StudyInterval
    n: int
    epsilon: float | None = None
    items: Floats | None = None


class _Data:
    """Scores, draws and what is computed once for all statistics."""

    def __init__(
        self, human: Scored, metrics: Mapping[str, Scored], settings: MetaSettings, units: npt.NDArray[np.int64]
    ) -> None:
        self.settings = settings
        self.n_systems, self.n_segments = human.scores.shape
        present = ~np.isnan(human.scores)
        for metric in metrics.values():
            present &= ~np.isnan(metric.scores) & ~np.isnan(metric.columns).any(axis=-1)
        self.human = self._masked(human, present)
        self.metrics = {name: self._masked(metric, present) for name, metric in metrics.items()}
        self.present = present
        self.human_ties = merge_equal(self.human.scores)
        # The first row of either weights stands for the data as they are; no weights where nothing is drawn.
        self.w: Weights = None
        self.v: Weights = None
        if settings.resampled in ("segments", "both"):
            blocks = draw_counts(settings.seed, int(units.max()) + 1, settings.n_resamples, dtype=np.float64)
            drawn = np.concatenate([block[:, units] for block in blocks])
            self.w = np.concatenate([np.ones((1, self.n_segments)), drawn])
        if settings.resampled in ("systems", "both"):
            blocks = draw_counts(self.seed("systems"), self.n_systems, settings.n_resamples, dtype=np.float64)
            self.v = np.concatenate([np.ones((1, self.n_systems)), *blocks])
        self._permuted: dict[tuple[str, str], dict[str, Floats]] = {}
        self.human_systems = self.system_scores(self.human)
        self.metric_systems = {name: self.system_scores(metric) for name, metric in self.metrics.items()}

    @staticmethod
    def _masked(scored: Scored, present: npt.NDArray[np.bool_]) -> Scored:
        columns = np.where(present[..., None], scored.columns, np.nan)
        return Scored(np.where(present, scored.scores, np.nan), columns, scored.corpus_scores, scored.scale)

    def seed(self, purpose: str) -> int:
        """A seed of its own for each purpose, so that draws of systems, swaps and segments do not go together."""
        words = [self.settings.seed, *purpose.encode()]
        return int(np.random.SeedSequence(words).generate_state(1, np.uint64)[0]) >> 1

    def system_scores(self, scored: Scored) -> Floats:
        """(1 or 1 + n_resamples, n_systems) scores of the systems on each resample of the segments."""
        columns = np.where(np.isnan(scored.columns), 0.0, scored.columns)
        if self.w is None:
            return scored.corpus_scores(columns.sum(axis=1))[None]
        sums = np.stack([self.w @ columns[system] for system in range(self.n_systems)], axis=1)
        return scored.corpus_scores(sums)

    def interval(
        self, values: Floats, *, why: Callable[[], tuple[str, ...]] = tuple
    ) -> tuple[float | None, StudyInterval]:
        """Value on the data (the first one) and interval of the others; `why` says why it may be undefined."""
        if np.isnan(values[0]):
            return None, StudyInterval(None, None, tuple(sorted({"undefined", *why()})))
        if len(values) == 1:
            return float(values[0]), StudyInterval(None, None, ("no_interval",))
        return float(values[0]), defined_interval(values[1:], confidence_level=self.settings.confidence_level)

    def why_undefined(self, *scores: Floats) -> tuple[str, ...]:
        """The reason where a correlation is undefined: constant scores on either side."""
        constant = any(len(np.unique(merged[~np.isnan(merged)])) < 2 for merged in map(merge_equal, scores))
        return ("constant_scores",) if constant else ()

    def why_unordered(self, name: str) -> tuple[str, ...]:
        """The reason where all systems have one score by people or by a metric, so that no pair has an order."""
        return self.why_undefined(self.human_systems[0], self.metric_systems[name][0])

    def permuted_pairs(self, a: str, b: str, statistic: str) -> Floats:
        """Differences of a pair statistic under PERM-BOTH; all statistics of a pair of metrics are made together."""
        if (a, b) not in self._permuted:
            first, second = (standardize(merge_equal(self.metrics[name].scores)) for name in (a, b))
            statistics = [name for name in self.settings.statistics if name in PAIR_STATISTICS]
            self._permuted[a, b] = permuted_pair_statistics(
                self.human_ties, first, second, statistics, self.swaps(self.n_systems * self.n_segments)
            )
        return self._permuted[a, b][statistic]

    def swaps(self, n: int) -> Iterator[Floats]:
        """Which of `n` scores stay with their metric in each trial, in blocks; all ways where they are few."""
        return swaps(self.seed("swaps"), n, self.settings.n_trials, dtype=np.float64)


Found = dict[str, _Agreement]


def _undefined(n: int, why: tuple[str, ...] = ()) -> _Agreement:
    return _Agreement(None, StudyInterval(None, None, tuple(sorted({"undefined", *why}))), n)


def _system_level(data: _Data, statistics: Sequence[str]) -> dict[str, Found]:
    found: dict[str, Found] = {}
    for statistic in statistics:
        if statistic == "spa":
            found[statistic] = _soft_accuracy(data)
            continue
        found[statistic] = {}
        for name, scores in data.metric_systems.items():
            if statistic == "pairwise_accuracy" and (why := data.why_unordered(name)):
                found[statistic][name] = _undefined(data.n_systems, why)
                continue
            values = system_replicates(data.human_systems, scores, statistic, v=data.v)
            value, interval = data.interval(values, why=partial(data.why_undefined, data.human_systems[0], scores[0]))
            found[statistic][name] = _Agreement(value, interval, data.n_systems)
    return found


def _soft_accuracy(data: _Data) -> Found:
    """Soft pairwise accuracy; pairs of systems keep their p-values when systems are drawn."""
    # Best first by human score, then by name (rows are sorted by name).
    order = np.argsort(-data.human_systems[0], kind="stable")
    first, second = np.triu_indices(data.n_systems, 1)
    pairs = None if data.v is None else data.v[:, order[first]] * data.v[:, order[second]]

    def p_values(scored: Scored) -> Floats:
        # Segments without all scores are swapped too, as zeros: that changes nothing.
        columns = np.where(np.isnan(scored.columns), 0.0, scored.columns)[order]
        return one_sided_p_values(
            columns,
            scored.corpus_scores,
            scale=scored.scale,
            n_trials=data.settings.n_trials,
            seed=data.seed("soft accuracy"),
        )

    if not len(first):
        return {name: _undefined(data.n_systems) for name in data.metrics}
    of_human = p_values(data.human)
    found: Found = {}
    for name, metric in data.metrics.items():
        if why := data.why_unordered(name):
            found[name] = _undefined(data.n_systems, why)
            continue
        soft = soft_accuracies(of_human, p_values(metric))
        if pairs is None or data.w is not None:
            interval = StudyInterval(None, None, ("no_interval",))
        else:
            interval = data.interval(divide(pairs @ soft, pairs.sum(axis=1)))[1]
        found[name] = _Agreement(float(soft.mean()), interval, data.n_systems)
    return found


def _segment_level(data: _Data, grouping: str, statistics: Sequence[str]) -> dict[str, Found]:
    found: dict[str, Found] = {statistic: {} for statistic in statistics}
    plain = [name for name in statistics if name in PAIR_STATISTICS]
    for name, metric in data.metrics.items():
        merged = merge_equal(metric.scores)
        if "pearson" in statistics:
            values = pearson_replicates(data.human.scores, metric.scores, grouping=grouping, w=data.w, v=data.v)
            found["pearson"][name] = _agreement(data, values, grouping, merged, "pearson")
        if plain:
            # All pairs of outputs cannot be counted anew in each resample of both (see `pair_replicates`).
            drawn = (
                (None, None) if grouping == "none" and data.v is not None and data.w is not None else (data.w, data.v)
            )
            replicates = pair_replicates(data.human_ties, merged, plain, grouping=grouping, w=drawn[0], v=drawn[1])
            for statistic in plain:
                found[statistic][name] = _agreement(data, replicates[statistic], grouping, merged, statistic)
        if "acc_eq_calibrated" in statistics:
            found["acc_eq_calibrated"][name] = _calibrated(data, merged, grouping)
    return found


def _agreement(data: _Data, values: Floats, grouping: str, metric: Floats, statistic: str) -> _Agreement:
    value, interval = data.interval(values, why=partial(data.why_undefined, data.human_ties, metric))
    return _Agreement(value, interval, _number(data, grouping, metric, statistic))


def _calibrated(data: _Data, metric: Floats, grouping: str) -> _Agreement:
    """Accuracy with ties, at the epsilon that is best on the data; resamples keep it."""
    human = data.human_ties
    groups = (human.T, metric.T) if grouping == "item" else (human, metric)
    epsilon = calibrate_ties(*groups).epsilon
    if np.isnan(epsilon):
        return _undefined(0)
    values = pair_replicates(human, metric, ["acc_eq"], grouping=grouping, epsilon=epsilon, w=data.w, v=data.v)
    value, interval = data.interval(values["acc_eq"])
    items = PAIR_STATISTICS["acc_eq"](count_pairs(human.T, metric.T, epsilon=epsilon)) if grouping == "item" else None
    return _Agreement(value, interval, _number(data, grouping, metric, "acc_eq"), epsilon, items)


def _number(data: _Data, grouping: str, metric: Floats, statistic: str) -> int:
    """Outputs compared, or groups in which the statistic is defined."""
    if grouping == "none":
        return int(data.present.sum())
    human = data.human_ties
    human, metric = (human.T, metric.T) if grouping == "item" else (human, metric)
    if statistic == "pearson":
        spread = [np.nanmax(scores, axis=1) > np.nanmin(scores, axis=1) for scores in _without_empty(human, metric)]
        return int((spread[0] & spread[1]).sum())
    counts = count_pairs(human, metric)
    return int((~np.isnan(group_values(statistic, counts, tau_c_factor(human, metric)))).sum())


def _without_empty(*scores: Floats) -> list[Floats]:
    """Groups that have any score."""
    some = ~np.isnan(scores[0]).all(axis=1)
    return [values[some] for values in scores]


def _tests(data: _Data, found: Found, level: str, grouping: str, statistic: str) -> Iterator[dict[str, Any]]:
    """Rows of the tests between every two metrics, for statistics that have one."""
    for a, b in itertools.combinations(sorted(found), 2):
        outcome = _permuted(data, found, a, b, level, grouping, statistic)
        if outcome is None:
            return
        permuted, test, exact = outcome
        one, other = found[a].value, found[b].value
        delta = None if one is None or other is None else one - other
        p = None if delta is None else two_sided_p(delta, permuted, exact=exact)
        significant = p is not None and p < data.settings.alpha
        yield {
            "metric_a": a,
            "metric_b": b,
            "value_a": one,
            "value_b": other,
            "delta": delta,
            "p_value": p,
            "significant": significant,
            "winner": (a if delta is not None and delta > 0 else b) if significant else None,
            "test": test,
            "n_trials": len(permuted),
            "p_williams": _williams(data, a, b, level) if statistic == "pearson" and grouping == "none" else None,
            "flags": [] if p is not None else ["undefined"],
        }


def _permuted(
    data: _Data, found: Found, a: str, b: str, level: str, grouping: str, statistic: str
) -> tuple[Floats, str, bool] | None:
    """Differences under permutation, what was swapped, and whether in all ways; None for statistics without a test."""
    cells = data.n_systems * data.n_segments
    exact = is_enumerable(cells, data.settings.n_trials)
    if level == "system":
        if statistic == "spa":
            return None
        first, second = (standardize(data.metric_systems[name][0]) for name in (a, b))
        permuted = permuted_systems(data.human_systems[0], first, second, statistic, data.swaps(data.n_systems))
        return permuted, "perm_both", is_enumerable(data.n_systems, data.settings.n_trials)
    if statistic == "pearson":
        first, second = (standardize(data.metrics[name].scores) for name in (a, b))
        return permuted_pearson(data.human.scores, first, second, grouping, data.swaps(cells)), "perm_both", exact
    if grouping != "item" or statistic == "kendall_c":
        return None
    if statistic == "acc_eq_calibrated":
        first_items, second_items = found[a].items, found[b].items
        assert first_items is not None
        assert second_items is not None
        permuted = permuted_items(first_items, second_items, data.swaps(data.n_segments))
        return permuted, "perm_items", is_enumerable(data.n_segments, data.settings.n_trials)
    return data.permuted_pairs(a, b, statistic), "perm_both", exact


def _williams(data: _Data, a: str, b: str, level: str) -> float | None:
    """Williams's test on the same scores."""
    if level == "system":
        rows = [data.human_systems[0], data.metric_systems[a][0], data.metric_systems[b][0]]
    else:
        rows = [scored.scores[data.present] for scored in (data.human, data.metrics[a], data.metrics[b])]
    if len(rows[0]) <= 3 or any(np.ptp(row) == 0 for row in rows):
        return None
    correlations = np.corrcoef(rows)
    return williams_test(correlations[0, 1], correlations[0, 2], correlations[1, 2], len(rows[0]))


def _ranks(found: Found, tests: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, int]:
    """Ranks of the metrics by value and significance; none where there is no test."""
    if not tests and len(names) > 1:
        return {}
    order = [name for name in names if found[name].value is not None]
    order.sort(key=lambda name: (-float(found[name].value or 0.0), name))
    wins = {(row["winner"], row["metric_b"] if row["winner"] == row["metric_a"] else row["metric_a"]) for row in tests}
    better = [[(one, other) in wins for other in order] for one in order]
    return dict(zip(order, assign_ranks(better), strict=True)) if order else {}
