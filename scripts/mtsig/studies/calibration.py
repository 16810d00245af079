"""Koehn's study (2004) on any test set: can the verdict drawn from a small test set be trusted?

A large test set is divided into small ones (`mtsig.corpus.sampling`). On each, every test gives its verdict on every
pair of systems, and every system gets its interval. The truth is the score on the whole test set, or on much more text
from the same source where the texts are simulated. The tables here are those of the paper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mtsig.corpus.sampling import Positions, subsets
from mtsig.resampling import pairs as pair_tests
from mtsig.resampling.intervals import percentile_interval
from mtsig.resampling.montecarlo import clopper_pearson
from mtsig.resampling.scorer import Scorer
from mtsig.studies.bands import binomial_band
from mtsig.studies.evidence import Evidence, Judgement, Pairs, Settings, evidence_of, judge

__all__ = [
    "BINS",
    "Calibration",
    "Cell",
    "calibrate",
    "calibration_table",
    "conclusions_table",
    "coverage_table",
    "power_table",
    "ranges_table",
    "subsets_table",
    "table_of_tests",
    "verdicts_table",
]

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Columns = dict[str, Any]
Rows = list[dict[str, Any]]

#: The paper's bins of confidence, each with its lower end in thousandths, and a tenth one that ties make possible.
BINS: tuple[tuple[str, int], ...] = (
    ("100%", 1000),
    ("99-99.9%", 990),
    ("98-98.9%", 980),
    ("95-97.9%", 950),
    ("90-94.9%", 900),
    ("80-89.9%", 800),
    ("70-79.9%", 700),
    ("60-69.9%", 600),
    ("50-59.9%", 500),
    ("below 50%", 0),
)

#: A subset that is more than this part of the test set is flagged, since it makes up part of the truth.
_PART_OF_TRUTH = 20


@dataclass(frozen=True)
class Cell:
    """The subsets of one scheme and size; arrays have the shape (n_subsets, n_systems) or (n_subsets, n_pairs).

    Attributes
    ----------
    scheme, subset_size
        How they were drawn, and the size that was asked for.
    n_segments
        (n_subsets,) their true sizes.
    scores, low, high
        Score and interval of each system.
    wins_a, wins_b, ties
        Resamples in which the first or the second system of a pair is better, or none.
    judgements
        What each test says about each pair.
    """

    scheme: str
    subset_size: int
    n_segments: Ints
    scores: Floats
    low: Floats
    high: Floats
    wins_a: Ints
    wins_b: Ints
    ties: Ints
    judgements: Mapping[str, Judgement]


@dataclass(frozen=True)
class Calibration:
    """All cells of a study with what they are compared with.

    Attributes
    ----------
    systems
        Names of the systems.
    pairs
        Positions of the systems of each pair.
    truth
        (n_systems,) true scores.
    n_segments
        Segments of the whole test set.
    settings
        How the tests were run.
    tolerance
        Differences up to this size are ties.
    higher_is_better
        Direction of the metric.
    truth_is_testset
        Whether the truth is the score on the whole test set, of which the subsets are parts.
    cells
        By scheme, then size, as asked for; a size beyond the test set gives a cell without subsets.
    """

    systems: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    truth: Floats
    n_segments: int
    settings: Settings
    tolerance: float
    higher_is_better: bool
    truth_is_testset: bool
    cells: tuple[Cell, ...]

    @property
    def schemes(self) -> tuple[str, ...]:
        """The schemes in the order of the cells."""
        return tuple(dict.fromkeys(cell.scheme for cell in self.cells))

    @property
    def true_winner(self) -> npt.NDArray[np.int8]:
        """(n_pairs,) 1 where the first system is truly better, -1 where the second is, 0 for a tie."""
        difference = self.true_difference
        sign = np.where(np.abs(difference) <= self.tolerance, 0, np.sign(difference))
        return np.nan_to_num(sign if self.higher_is_better else -sign).astype(np.int8)

    @property
    def true_difference(self) -> Floats:
        """(n_pairs,) true score of the first system minus that of the second."""
        first, second = ([pair[side] for pair in self.pairs] for side in (0, 1))
        return np.asarray(self.truth[first] - self.truth[second])

    def flags(self, cell: Cell) -> list[str]:
        """What to know about the size of a cell's subsets."""
        if not len(cell.n_segments):
            return ["subset_too_large"]
        large = self.truth_is_testset and cell.n_segments.max() * _PART_OF_TRUTH > self.n_segments
        return ["subset_in_truth"] if large else []


def calibrate(
    metric: Scorer,
    columns: Floats,
    *,
    systems: Sequence[str],
    pairs: Pairs,
    subset_sizes: Sequence[int],
    schemes: Sequence[str],
    settings: Settings,
    truth: Floats | None = None,
    threads: int = 1,
) -> Calibration:
    """Run the study on one test set and metric.

    Parameters
    ----------
    metric
        Scores sums of `columns`.
    columns
        (n_systems, n_segments, k) what `Scorer.columns` gives, without NaN.
    systems
        Names of the systems.
    pairs
        Positions of the systems of each pair; empty for a metric without direction.
    subset_sizes, schemes
        Which subsets to draw.
    settings
        How the tests are run; its seed serves the random scheme as well.
    truth
        (n_systems,) true scores; the scores on the whole test set where it is None.
    threads
        How many threads work; the numbers do not depend on it.

    Raises
    ------
    mtsig.errors.ConfigError
        If a scheme or size is impossible, or the metric has no direction although there are pairs.
    """
    n_segments = columns.shape[1]
    cells = []
    for scheme in schemes:
        for size in subset_sizes:
            parts = subsets(scheme, n_segments=n_segments, subset_size=size, seed=settings.seed)
            cells.append(_cell(metric, columns, pairs, scheme, size, parts, settings, threads))
    return Calibration(
        systems=tuple(systems),
        pairs=tuple((first, second) for first, second in pairs),
        truth=metric.corpus_scores(columns.sum(axis=1)) if truth is None else np.asarray(truth, dtype=np.float64),
        n_segments=n_segments,
        settings=settings,
        tolerance=pair_tests.TOLERANCE * metric.scale,
        higher_is_better=metric.higher_is_better is not False,
        truth_is_testset=truth is None,
        cells=tuple(cells),
    )


def _cell(
    metric: Scorer,
    columns: Floats,
    pairs: Pairs,
    scheme: str,
    size: int,
    parts: Sequence[Positions],
    settings: Settings,
    threads: int,
) -> Cell:
    """The subsets of one scheme and size. Those of equal true size share their draws."""
    n_systems, n_pairs = len(columns), len(pairs)
    lengths = np.array([len(part) for part in parts], dtype=np.int64)
    shape = (len(parts), n_systems)
    cell = Cell(
        scheme=scheme,
        subset_size=size,
        n_segments=lengths,
        scores=np.empty(shape),
        low=np.empty(shape),
        high=np.empty(shape),
        wins_a=np.empty((len(parts), n_pairs), dtype=np.int64),
        wins_b=np.empty((len(parts), n_pairs), dtype=np.int64),
        ties=np.empty((len(parts), n_pairs), dtype=np.int64),
        judgements={
            test: Judgement(
                np.empty((len(parts), n_pairs)),
                np.empty((len(parts), n_pairs), dtype=bool),
                np.empty((len(parts), n_pairs), dtype=np.int8),
            )
            for test in settings.tests
        },
    )
    for length in np.unique(lengths):
        chosen = np.flatnonzero(lengths == length)
        drawn = np.moveaxis(columns[:, np.stack([parts[k] for k in chosen.tolist()])], 1, 0)
        _fill(cell, chosen, evidence_of(metric, drawn, pairs, settings, threads=threads), settings)
    return cell


def _fill(cell: Cell, chosen: Ints, evidence: Evidence, settings: Settings) -> None:
    cell.scores[chosen] = evidence.scores
    interval = percentile_interval(evidence.replicates, confidence_level=settings.confidence_level)
    cell.low[chosen], cell.high[chosen] = interval.low, interval.high
    if not evidence.pairs:
        return
    signs = evidence.signs
    wins = pair_tests.wins(signs, higher_is_better=evidence.higher_is_better)
    cell.wins_a[chosen], cell.wins_b[chosen], cell.ties[chosen] = *wins, signs.ties
    for test, judgement in cell.judgements.items():
        found = judge(test, evidence, settings)
        judgement.p_value[chosen] = found.p_value
        judgement.significant[chosen] = found.significant
        judgement.winner[chosen] = found.winner


def _coverage(study: Calibration, cell: Cell) -> tuple[Bools, Bools]:
    """Which intervals of a cell hold the true score, and which are defined, (n_subsets, n_systems)."""
    defined = ~np.isnan(cell.scores + cell.low + cell.high + study.truth)
    holds = (cell.low <= study.truth + study.tolerance) & (study.truth <= cell.high + study.tolerance)
    return holds & defined, defined


def subsets_table(study: Calibration) -> Columns:
    """One row per subset and system: score, interval, truth, and whether the interval holds it."""
    parts = []
    for cell in study.cells:
        n_subsets, n_systems = cell.scores.shape
        holds, defined = _coverage(study, cell)
        parts.append(
            {
                **_subset_keys(cell, n_systems),
                "system": _tiled(study.systems, n_subsets),
                "score": cell.scores.ravel(),
                "ci_low": cell.low.ravel(),
                "ci_high": cell.high.ravel(),
                "truth": np.tile(study.truth, n_subsets),
                "covered": _known(holds, defined),
            }
        )
    return _stacked(parts)


def conclusions_table(study: Calibration) -> Columns:
    """One row per subset and pair: who wins how often, and whether the leading system is truly better."""
    parts = []
    for cell in study.cells:
        leading = _leading(cell)
        truth = np.broadcast_to(study.true_winner, leading.shape)
        parts.append(
            {
                **_subset_keys(cell, len(study.pairs)),
                **_pair_keys(study, len(cell.n_segments)),
                "wins_a": cell.wins_a.ravel(),
                "wins_b": cell.wins_b.ravel(),
                "ties": cell.ties.ravel(),
                "leading": _sides(leading, None),
                "confidence": (np.maximum(cell.wins_a, cell.wins_b) / study.settings.n_resamples).ravel(),
                "koehn_verdict": _sides(_koehn(study, cell), "none"),
                "truth": _sides(truth, "tie"),
                "correct": _known(leading == truth, (leading != 0) & (truth != 0)),
            }
        )
    return _stacked(parts)


def verdicts_table(study: Calibration) -> Columns:
    """One row per conclusion and test.

    ``correct`` says whether the system that the test calls better is truly better; it is null where the test calls
    none better or the truth is a tie.
    """
    parts = []
    for cell in study.cells:
        for test, judgement in cell.judgements.items():
            truth = np.broadcast_to(study.true_winner, judgement.winner.shape)
            parts.append(
                {
                    **_subset_keys(cell, len(study.pairs)),
                    **_pair_keys(study, len(cell.n_segments)),
                    "test": _tiled((test,), judgement.winner.size),
                    "p_value": judgement.p_value.ravel(),
                    "significant": judgement.significant.ravel(),
                    "correct": _known(judgement.winner == truth, (judgement.winner != 0) & (truth != 0)),
                }
            )
    return _stacked(parts)


def calibration_table(study: Calibration) -> Rows:
    """The paper's first table, per scheme: conclusions by confidence, and how many of them are right.

    Bins are decided in whole numbers of wins. Every subset gives one conclusion per pair, so they sum to subsets times
    pairs. Conclusions without a leading system, or on pairs that truly tie, are neither right nor wrong.
    """
    rows: Rows = []
    for scheme in study.schemes:
        cells = [cell for cell in study.cells if cell.scheme == scheme]
        most = np.concatenate([np.maximum(cell.wins_a, cell.wins_b).ravel() for cell in cells])
        leading = np.concatenate([_leading(cell).ravel() for cell in cells])
        truth = np.concatenate([np.broadcast_to(study.true_winner, cell.wins_a.shape).ravel() for cell in cells])
        decided = (leading != 0) & (truth != 0)
        upper = np.inf
        for label, lower in BINS:
            thousandths = most * 1000
            inside = (thousandths >= lower * study.settings.n_resamples) & (thousandths < upper)
            upper = lower * study.settings.n_resamples
            total, right = int((inside & decided).sum()), int((inside & decided & (leading == truth)).sum())
            low, high = _limits(right, total)
            rows.append(
                {
                    "scheme": scheme,
                    "bin": label,
                    "conclusions": int(inside.sum()),
                    "decided": total,
                    "correct": right,
                    "percent_correct": 100 * right / total if total else None,
                    "percent_low": low,
                    "percent_high": high,
                    "mean_confidence": float(most[inside].mean()) / study.settings.n_resamples
                    if inside.any()
                    else None,
                }
            )
    return rows


def power_table(study: Calibration) -> Rows:
    """The paper's second table: per pair and size, how often Koehn's verdict is right, and how often wrong."""
    rows: Rows = []
    for cell in study.cells:
        verdicts, n_subsets = _koehn(study, cell), len(cell.n_segments)
        for position, (first, second) in enumerate(study.pairs):
            truth = int(study.true_winner[position])
            known = bool(n_subsets and truth)
            right = float((verdicts[:, position] == truth).mean()) if known else np.nan
            wrong = float((verdicts[:, position] == -truth).mean()) if known else np.nan
            rows.append(
                {
                    "scheme": cell.scheme,
                    "system_a": study.systems[first],
                    "system_b": study.systems[second],
                    "difference": _finite(float(study.true_difference[position])),
                    "truth": {1: "a", -1: "b", 0: "tie"}[truth],
                    "subset_size": cell.subset_size,
                    "n_subsets": n_subsets,
                    "percent_correct": _finite(100 * right),
                    "percent_wrong": _finite(100 * wrong),
                    "flags": sorted([*study.flags(cell), *([] if truth else ["true_tie"])]),
                }
            )
    return rows


def table_of_tests(study: Calibration) -> Rows:
    """The tests side by side, per scheme and size: how often each finds the better system, and how often the worse one.

    Percentages are of all conclusions on pairs that do not truly tie.
    """
    rows: Rows = []
    for cell in study.cells:
        truth = np.broadcast_to(study.true_winner, cell.wins_a.shape)
        total = int((truth != 0).sum())
        for test, judgement in cell.judgements.items():
            right = int(((judgement.winner == truth) & (truth != 0)).sum())
            wrong = int(((judgement.winner == -truth) & (truth != 0)).sum())
            low, high = _limits(wrong, total)
            rows.append(
                {
                    "scheme": cell.scheme,
                    "subset_size": cell.subset_size,
                    "test": test,
                    "conclusions": total,
                    "percent_correct": 100 * right / total if total else None,
                    "percent_wrong": 100 * wrong / total if total else None,
                    "percent_wrong_low": low,
                    "percent_wrong_high": high,
                    "flags": study.flags(cell),
                }
            )
    return rows


def coverage_table(study: Calibration) -> Rows:
    """How many of the subsets' intervals hold the true score, per system and size, with the limits of chance."""
    rows: Rows = []
    level = study.settings.confidence_level
    for cell in study.cells:
        holds, defined = _coverage(study, cell)
        for position, system in enumerate(study.systems):
            total, covered = int(defined[:, position].sum()), int(holds[:, position].sum())
            limits = binomial_band(level, total) if total else None
            flags = study.flags(cell)
            if limits and not limits[0] <= covered / total <= limits[1]:
                flags = sorted([*flags, "outside_limits"])
            rows.append(
                {
                    "scheme": cell.scheme,
                    "system": system,
                    "subset_size": cell.subset_size,
                    "n_subsets": total,
                    "truth": _finite(float(study.truth[position])),
                    "covered": covered,
                    "coverage": covered / total if total else None,
                    "limit_low": limits[0] if limits else None,
                    "limit_high": limits[1] if limits else None,
                    "flags": flags,
                }
            )
    return rows


def ranges_table(study: Calibration) -> Rows:
    """How far the scores of subsets spread, per system and size: broad samples against blocks."""
    rows: Rows = []
    for cell in study.cells:
        for position, system in enumerate(study.systems):
            scores = cell.scores[:, position]
            scores = scores[~np.isnan(scores)]
            rows.append(
                {
                    "scheme": cell.scheme,
                    "system": system,
                    "subset_size": cell.subset_size,
                    "n_subsets": len(scores),
                    "truth": _finite(float(study.truth[position])),
                    "minimum": float(scores.min()) if len(scores) else None,
                    "maximum": float(scores.max()) if len(scores) else None,
                    "mean": float(scores.mean()) if len(scores) else None,
                    "sd": float(scores.std(ddof=1)) if len(scores) > 1 else None,
                    "flags": study.flags(cell),
                }
            )
    return rows


def _koehn(study: Calibration, cell: Cell) -> npt.NDArray[np.int8]:
    settings = study.settings
    return pair_tests.koehn_verdict(cell.wins_a, cell.wins_b, settings.n_resamples, alpha=settings.alpha)


def _leading(cell: Cell) -> npt.NDArray[np.int8]:
    return np.asarray(np.sign(cell.wins_a - cell.wins_b), dtype=np.int8)


def _subset_keys(cell: Cell, repeats: int) -> Columns:
    """The columns that say which subset a row is about, each subset `repeats` times."""
    n_subsets = len(cell.n_segments)
    return {
        "scheme": _tiled((cell.scheme,), n_subsets * repeats),
        "subset_size": np.full(n_subsets * repeats, cell.subset_size),
        "subset": np.repeat(np.arange(n_subsets), repeats),
        "n_segments": np.repeat(cell.n_segments, repeats),
    }


def _pair_keys(study: Calibration, n_subsets: int) -> Columns:
    return {
        name: _tiled([study.systems[pair[side]] for pair in study.pairs], n_subsets)
        for side, name in enumerate(("system_a", "system_b"))
    }


def _tiled(names: Sequence[str], times: int) -> npt.NDArray[np.object_]:
    return np.tile(np.array(names, dtype=object), times)


def _known(values: npt.NDArray[np.bool_], known: npt.NDArray[np.bool_]) -> npt.NDArray[np.object_]:
    """Truth values, with None where they are not known."""
    found = values.ravel().astype(object)
    found[~np.broadcast_to(known, values.shape).ravel()] = None
    return found


def _sides(signs: npt.NDArray[np.int8], neither: str | None) -> npt.NDArray[np.object_]:
    return np.array([neither, "a", "b"], dtype=object)[signs.ravel()]


def _stacked(parts: Sequence[Columns]) -> Columns:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _limits(count: int, total: int) -> tuple[float | None, float | None]:
    """95% limits of a share in percent."""
    if not total:
        return None, None
    low, high = clopper_pearson(count, total)
    return 100 * float(low), 100 * float(high)


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
