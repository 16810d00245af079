"""Agreement of resampled cells: against listing every copy, pair by pair."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import pytest
from mtsig.studies.meta.pairs import PAIR_STATISTICS, PairCounts
from mtsig.studies.meta.segments import GROUPINGS, pair_replicates, pearson_replicates
from mtsig.studies.meta.systems import system_replicates

Floats = npt.NDArray[np.float64]
RNG = np.random.default_rng(1)
N_SYSTEMS, N_SEGMENTS = 4, 7
HUMAN = RNG.integers(0, 4, (N_SYSTEMS, N_SEGMENTS)).astype(float)
METRIC = RNG.integers(0, 6, (N_SYSTEMS, N_SEGMENTS)).astype(float)
HUMAN[1, 2] = METRIC[3, 5] = np.nan
W = RNG.multinomial(N_SEGMENTS, np.full(N_SEGMENTS, 1 / N_SEGMENTS), size=3).astype(float)
V = RNG.multinomial(N_SYSTEMS, np.full(N_SYSTEMS, 1 / N_SYSTEMS), size=3).astype(float)
STATISTICS = [name for name in PAIR_STATISTICS if name != "kendall_c"]

Cell = tuple[int, int, int, int]


def _groups(w: Floats, v: Floats, grouping: str) -> list[list[Cell]]:
    """Every copy of every cell (system, segment, copy of the system, copy of the segment), by group."""
    groups: dict[object, list[Cell]] = {}
    for system, segment in itertools.product(range(N_SYSTEMS), range(N_SEGMENTS)):
        if np.isnan(HUMAN[system, segment] + METRIC[system, segment]):
            continue
        for copies in itertools.product(range(int(v[system])), range(int(w[segment]))):
            cell = (system, segment, *copies)
            key = {"none": 0, "item": (segment, copies[1]), "system": (system, copies[0])}[grouping]
            groups.setdefault(key, []).append(cell)  # type: ignore[arg-type]
    return list(groups.values())


def _listed(statistic: str, w: Floats, v: Floats, grouping: str, epsilon: float) -> float:
    values = []
    for group in _groups(w, v, grouping):
        counts = np.zeros(5)
        for a, b in itertools.combinations(group, 2):
            if (a[0] == b[0] and a[2] != b[2]) or (a[1] == b[1] and a[3] != b[3]):
                continue  # a unit and its own copy
            human = np.sign(HUMAN[a[:2]] - HUMAN[b[:2]])
            difference = METRIC[a[:2]] - METRIC[b[:2]]
            metric = 0 if abs(difference) <= epsilon else np.sign(difference)
            tied = 4 if human == metric == 0 else 2 if human == 0 else 3
            counts[0 if human * metric > 0 else 1 if human * metric < 0 else tied] += 1
        values.append(float(PAIR_STATISTICS[statistic](PairCounts(*map(np.asarray, counts)))))
    defined = [value for value in values if not np.isnan(value)]
    return float(np.mean(defined)) if defined else float("nan")


@pytest.mark.parametrize("grouping", GROUPINGS)
@pytest.mark.parametrize("resampled", ["nothing", "segments", "systems", "both"])
@pytest.mark.parametrize("epsilon", [0.0, 1.0])
@pytest.mark.parametrize("held", [4_000_000, 15])
def test_pair_statistics_of_resamples(
    monkeypatch: pytest.MonkeyPatch, grouping: str, resampled: str, epsilon: float, held: int
) -> None:
    monkeypatch.setattr("mtsig.studies.meta.segments._BLOCK_CELLS", held)
    w = W if resampled in ("segments", "both") else None
    v = V if resampled in ("systems", "both") else None
    if grouping == "none" and resampled == "both":
        with pytest.raises(ValueError, match="not by both"):
            pair_replicates(HUMAN, METRIC, STATISTICS, grouping=grouping, epsilon=epsilon, w=w, v=v)
        return
    found = pair_replicates(HUMAN, METRIC, STATISTICS, grouping=grouping, epsilon=epsilon, w=w, v=v)
    for statistic in STATISTICS:
        values = found[statistic]
        expected = [
            _listed(
                statistic,
                np.ones(N_SEGMENTS) if w is None else w[row],
                np.ones(N_SYSTEMS) if v is None else v[row],
                grouping,
                epsilon,
            )
            for row in range(len(values))
        ]
        assert values == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("resampled", ["segments", "both"])
def test_systems_with_many_segments_are_counted_one_at_a_time(monkeypatch: pytest.MonkeyPatch, resampled: str) -> None:
    v = V if resampled == "both" else None
    usual = pair_replicates(HUMAN, METRIC, ["kendall_b", "kendall_c"], grouping="system", w=W, v=v)
    monkeypatch.setattr("mtsig.studies.meta.segments._MANY_UNITS", 1)
    monkeypatch.setattr("mtsig.studies.meta.segments._BLOCK_CELLS", 15)
    again = pair_replicates(HUMAN, METRIC, ["kendall_b", "kendall_c"], grouping="system", w=W, v=v)
    for statistic, values in usual.items():
        assert values == pytest.approx(again[statistic], abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("grouping", GROUPINGS)
@pytest.mark.parametrize("resampled", ["nothing", "segments", "systems", "both"])
def test_pearson_of_resamples(grouping: str, resampled: str) -> None:
    w = W if resampled in ("segments", "both") else None
    v = V if resampled in ("systems", "both") else None
    found = pearson_replicates(HUMAN, METRIC, grouping=grouping, w=w, v=v)
    for row, value in enumerate(found):
        groups = _groups(
            np.ones(N_SEGMENTS) if w is None else w[row], np.ones(N_SYSTEMS) if v is None else v[row], grouping
        )
        values = []
        for group in groups:
            x, y = (np.array([scores[cell[:2]] for cell in group]) for scores in (HUMAN, METRIC))
            if np.ptp(x) > 0 and np.ptp(y) > 0:
                values.append(np.corrcoef(x, y)[0, 1])
        assert value == pytest.approx(np.mean(values), abs=1e-10)


def test_system_level_copies_are_not_paired() -> None:
    """Of two systems drawn as (2, 1) only two pairs remain, both between the two; of (3, 0) none."""
    human, metric = np.array([[1.0, 2.0]]), np.array([[5.0, 6.0]])
    v = np.array([[2.0, 1.0], [3.0, 0.0]])
    assert system_replicates(human, metric, "pairwise_accuracy", v=v) == pytest.approx([1, np.nan], nan_ok=True)


def test_system_level_correlations_of_resamples() -> None:
    rng = np.random.default_rng(8)
    human, metric = rng.normal(size=6), rng.normal(size=6)
    v = rng.multinomial(6, np.full(6, 1 / 6), size=5)
    for statistic in ("pearson", "spearman"):
        found = system_replicates(human[None], metric[None], statistic, v=v.astype(float))
        for row, value in zip(v, found, strict=True):
            x, y = (np.repeat(scores, row) for scores in (human, metric))
            if statistic == "spearman":
                x, y = (np.array([(a < b).sum() + (a <= b).sum() for b in a], dtype=float) for a in (x, y))
            assert value == pytest.approx(np.corrcoef(x, y)[0, 1], abs=1e-12)
