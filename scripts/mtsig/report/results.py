"""What the report layer knows of one metric on one test set (or suite): systems in order of standing, pairs by name.

Everything that tables, figures, the console and the page say about a comparison is read off these objects, so that
they cannot disagree.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from mtsig.errors import InputError
from mtsig.report import format as fmt
from mtsig.resampling.settings import ResamplingSettings

__all__ = ["Comparison", "MetricResult", "Row", "read_results", "result_of"]

#: One row of a results table: column name to value, null as None.
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Comparison:
    """One pair of systems as seen from one of them.

    Attributes
    ----------
    system, other
        The two systems; `delta` is the score of `system` minus that of `other`, in the metric's unit.
    delta, low, high
        The difference and its interval, or None where undefined.
    p
        The p-value that decides: adjusted where the config adjusts.
    significant
        Whether the test speaks for one of the two.
    better
        The better system if significant, else None.
    row
        The row of the pairs table, whose columns stand in its own order (system_a < system_b).
    """

    system: str
    other: str
    delta: float | None
    low: float | None
    high: float | None
    p: float | None
    significant: bool
    better: str | None
    row: Row

    @property
    def stars(self) -> str:
        """``*``, ``**`` or nothing."""
        return fmt.stars(self.significant, self.p, alpha=self.row["alpha"])

    @property
    def half_width(self) -> float | None:
        """Half the width of the interval of the difference."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    @property
    def koehn(self) -> float | None:
        """The share of resamples in which `system` is better."""
        side = "a" if self.row["system_a"] == self.system else "b"
        return self.row[f"koehn_{side}"]  # type: ignore[no-any-return]

    @property
    def favours(self) -> int:
        """1 if `system` is significantly better, -1 if `other` is, else 0."""
        return 0 if self.better is None else 1 if self.better == self.system else -1


@dataclass(frozen=True)
class MetricResult:
    """The rows of one metric on one test set or suite.

    Attributes
    ----------
    testset, langpair, metric
        Which results these are.
    systems
        Rows of the systems table, best first (by name where scores are equal, undefined scores last). A metric
        without direction is sorted from the highest score down.
    pairs
        Rows of the pairs table, in its own order.
    """

    testset: str
    langpair: str
    metric: str
    systems: tuple[Row, ...]
    pairs: tuple[Row, ...]

    @property
    def names(self) -> list[str]:
        """The systems, best first."""
        return [row["system"] for row in self.systems]

    @property
    def higher_is_better(self) -> bool | None:
        """The metric's direction, None where it has none."""
        return self.systems[0]["higher_is_better"]  # type: ignore[no-any-return]

    def setting(self, name: str) -> Any:
        """A setting that all rows share (alpha, confidence_level, n_resamples, seed, resample_unit, ...)."""
        source = self.systems if name in self.systems[0] else self.pairs
        if not source:
            return None
        # Open pairs come to more trials than were configured.
        return min(row[name] for row in source) if name == "n_trials" else source[0][name]

    @property
    def comparison_signature(self) -> str:
        """What fixes the numbers of pairs beside texts and metric, as one string; empty where there is no pair."""
        if not self.pairs:
            return ""
        known = {*self.systems[0], *self.pairs[0]}
        names = [option.name for option in fields(ResamplingSettings) if option.name in known]
        options = {name: self.setting(name) for name in names}
        return ResamplingSettings(**options).signature()

    @property
    def drawn(self) -> str:
        """What was resampled, in words: segments, or documents with their number, which no column for reading has."""
        unit = f"{self.setting('resample_unit')}s"
        counts = {row["n_units"] for row in self.systems}
        return f"{fmt.count(counts.pop())} {unit}" if unit != "segments" and len(counts) == 1 else unit

    @cached_property
    def _by_pair(self) -> dict[tuple[str, str], Row]:
        return {(row["system_a"], row["system_b"]): row for row in self.pairs}

    def compare(self, system: str, other: str) -> Comparison | None:
        """The pair as seen from `system`, or None where the two were not compared."""
        row = self._by_pair.get((system, other))
        if row is not None:
            delta, low, high = row["delta"], row["ci_low"], row["ci_high"]
        else:
            row = self._by_pair.get((other, system))
            if row is None:
                return None
            delta, low, high = (None if row[key] is None else -row[key] for key in ("delta", "ci_high", "ci_low"))
        return Comparison(system, other, delta, low, high, deciding_p(row), row["significant"], row["winner"], row)

    @cached_property
    def score_decimals(self) -> int:
        """Decimals for this metric's scores, after the median interval of the systems.

        No fewer than differences have, so that the two can be seen to agree.
        """
        own = fmt.decimals(half_width(row) for row in self.systems)
        return max(own, self.delta_decimals) if self.pairs else own

    @cached_property
    def delta_decimals(self) -> int:
        """Decimals for this metric's differences, after the median interval of the pairs."""
        return fmt.decimals(half_width(row) for row in self.pairs)

    def decimals_of(self, row: Row) -> int:
        """Decimals for one row's difference: those of the metric, or more where its own interval is narrower.

        Two nearly equal systems can differ by a small, well measured amount; at the table's common digits it would
        read as 0.
        """
        width = half_width(row)
        return max(self.delta_decimals, fmt.decimals([width])) if width else self.delta_decimals


def half_width(row: Row) -> float | None:
    """Half the width of the interval in a row with ``ci_low`` and ``ci_high``."""
    return None if row["ci_low"] is None or row["ci_high"] is None else (row["ci_high"] - row["ci_low"]) / 2


def deciding(row: Row) -> str:
    """The column that decides about `significant`: the adjusted p-value where there is an adjustment."""
    return "p_value" if row["adjust"] == "none" else "p_adjusted"


def at_floor(row: Row, name: str) -> bool:
    """Whether a p-value of a pairs row is the smallest that its resamples or trials allow.

    Examples
    --------
    >>> row = {"p_value": 2 / 1001, "n_resamples": 1000, "p_ar": 0.2, "n_trials": 9, "ar_exact": False}
    >>> at_floor(row, "p_value"), at_floor(row, "p_ar")
    (True, False)
    """
    if name == "p_ar":
        return not row["ar_exact"] and _is_least(row["p_ar"], 1, row["n_trials"])
    if name in ("p_value", "p_adjusted"):
        return _is_least(row["p_value"], 2, row["n_resamples"])
    return _is_least(row[name], 1, row["n_resamples"])


def _is_least(p: float | None, tails: int, draws: int) -> bool:
    return p is not None and p <= tails / (draws + 1) * (1 + 1e-9)


def p_words(row: Row, name: str) -> str:
    """A p-value of a pairs row as it is written for people, with `<=` where more resamples would lower it."""
    return fmt.p_value(row[name], alpha=row["alpha"], floor=at_floor(row, name))


def koehn_words(row: Row) -> str:
    """Koehn's verdict on a pair: the system that he would call better, or none; empty where nothing is tested."""
    names = {"a": row["system_a"], "b": row["system_b"], "none": "none", None: ""}
    return names[row["koehn_verdict"]]  # type: ignore[no-any-return]


def deciding_p(row: Row) -> float | None:
    """The p-value of a pairs row that decides about `significant`."""
    return row[deciding(row)]  # type: ignore[no-any-return]


def _standing(row: Row) -> tuple[bool, float, str]:
    score = row["score"]
    sign = 1 if row["higher_is_better"] is False else -1
    return (score is None, 0.0 if score is None else sign * score, row["system"])


def result_of(systems: Iterable[Row], pairs: Iterable[Row]) -> MetricResult:
    """The rows of one metric on one test set or suite, put in order.

    Raises
    ------
    InputError
        If there are no systems.
    """
    ordered = tuple(sorted(systems, key=_standing))
    if not ordered:
        raise InputError("A systems table has no rows: there is nothing to report.")
    first = ordered[0]
    return MetricResult(
        testset=first["suite"] if "suite" in first else first["testset"],
        langpair=first.get("langpair", ""),
        metric=first["metric"],
        systems=ordered,
        pairs=tuple(pairs),
    )


def read_results(
    systems: Sequence[str | os.PathLike[str]], pairs: Sequence[str | os.PathLike[str]]
) -> list[MetricResult]:
    """Read the systems and pairs tables of some metrics.

    Parameters
    ----------
    systems, pairs
        The Parquet files, in the same order: one of each per metric.

    Returns
    -------
    list of MetricResult
        In the order of the files.

    Raises
    ------
    InputError
        If a file is damaged, or the two lists do not belong together.
    """
    from mtsig.io import read_table

    if len(systems) != len(pairs):
        raise InputError(f"{len(systems)} systems tables but {len(pairs)} pairs tables: give one of each per metric.")
    results = []
    for systems_path, pairs_path in zip(systems, pairs, strict=True):
        result = result_of(read_table(systems_path).to_pylist(), read_table(pairs_path).to_pylist())
        for row in result.pairs[:1]:
            if row["metric"] != result.metric:
                raise InputError(f"{pairs_path}: metric {row['metric']}, but {systems_path} holds {result.metric}.")
        results.append(result)
    return results
