"""What an analysis finds: rows of the tables ``systems``, ``pairs`` and ``groups``, without the settings they share.

Fields are called like the columns of `mtsig.contracts` and mean the same; None is undefined, and a flag says why.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Analysis", "GroupResult", "PairResult", "SystemResult"]


@dataclass(frozen=True, kw_only=True)
class SystemResult:
    """A row of the systems table; None where undefined."""

    system: str
    n_segments: int
    n_units: int
    score: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    boot_mean: float | None = None
    boot_se: float | None = None
    rank: int | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    cluster: int | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class PairResult:
    """A row of the pairs table; None where undefined."""

    system_a: str
    system_b: str
    n_segments: int
    n_units: int
    score_a: float | None = None
    score_b: float | None = None
    delta: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    detectable_difference: float | None = None
    wins_a: int | None = None
    wins_b: int | None = None
    ties: int | None = None
    koehn_a: float | None = None
    koehn_b: float | None = None
    koehn_verdict: str | None = None
    p_value: float | None = None
    p_value_low: float | None = None
    p_value_high: float | None = None
    p_adjusted: float | None = None
    p_one_sided: float | None = None
    p_shift: float | None = None
    p_ar: float | None = None
    ar_exact: bool | None = None
    p_sacrebleu_bs: float | None = None
    p_sacrebleu_ar: float | None = None
    p_equivalence: float | None = None
    p_noninferiority: float | None = None
    significant: bool = False
    winner: str | None = None
    n_resamples: int | None = None
    n_trials: int | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class GroupResult:
    """A row of the groups table: one system on the segments of one domain or document."""

    system: str
    group_kind: str
    group: str
    domain: str | None
    n_segments: int
    score: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Analysis:
    """Results of one test set and metric, sorted by names."""

    systems: tuple[SystemResult, ...]
    pairs: tuple[PairResult, ...]
    groups: tuple[GroupResult, ...]
