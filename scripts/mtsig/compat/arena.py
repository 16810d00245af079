"""Paired bootstrap on lists of report entries, as mt-eval-harness specifies it.

An entry is a mapping with ``id``, ``expected``, ``predicted``, ``exact_match``, ``error``, and what plugins add. A
metric is any function of a list of entries. Where the specification contradicts itself or misleads, the sound reading
is taken:

* the p-value, which it calls two-sided, *is* two-sided: twice the smaller tail, with the observed difference counted
  as one more resample, so never 0;
* the seed stands in the result;
* an entry that failed in one report is left out for both, so that both systems are scored on the same entries;
* an empty prediction is an empty hypothesis, not a word.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtsig.corpus.model import EvaluationSet
from mtsig.corpus.reports import entry_value
from mtsig.errors import ConfigError, InputError
from mtsig.metrics import create_metric
from mtsig.resampling.draws import draw_counts
from mtsig.resampling.exact import as_fraction
from mtsig.resampling.pairs import TOLERANCE
from mtsig.resampling.pairs import paired_bootstrap as bootstrap_quantities

__all__ = [
    "FEW_ENTRIES",
    "FieldMean",
    "SignificanceResult",
    "compare_entries",
    "corpus_bleu",
    "corpus_chrf",
    "exact_match_rate",
    "number_of",
    "paired_bootstrap",
    "replicates",
]

Entry = Mapping[str, Any]
Entries = Sequence[Entry]
FloatArray = NDArray[np.float64]

#: Fewer entries than this say nothing.
FEW_ENTRIES = 10


@dataclass(frozen=True)
class SignificanceResult:
    """Outcome of `paired_bootstrap`.

    Attributes
    ----------
    metric_name
        As it was given.
    system_a_score, system_b_score, delta
        Scores on all common entries, and a minus b.
    p_value
        Two-sided, between 2 / (n_bootstrap + 1) and 1.
    n_bootstrap
        Number of resamples.
    confidence_level
        1 - alpha.
    significant
        Whether `p_value` is below alpha.
    winner
        ``"A"`` or ``"B"`` if significant, else None. Metrics of entries are higher-is-better.
    ci_lower, ci_upper
        Percentile interval of the difference at `confidence_level`.
    seed
        Seed of the draws.
    """

    metric_name: str
    system_a_score: float
    system_b_score: float
    delta: float
    p_value: float
    n_bootstrap: int
    confidence_level: float
    significant: bool
    winner: str | None
    ci_lower: float
    ci_upper: float
    seed: int


def exact_match_rate(entries: Entries) -> float:
    """Share of entries with a truthy ``exact_match``; entries with an ``error`` do not count. 0.0 for none.

    Parameters
    ----------
    entries
        Entries of a report.

    Returns
    -------
    float
        0 to 1.

    Examples
    --------
    >>> exact_match_rate([{"exact_match": True}, {"exact_match": False}, {"error": "timeout"}])
    0.5
    """
    return _score(exact_match_rate, entries)


def corpus_chrf(entries: Entries) -> float:
    """ChrF++ (word order 2) of the predictions, 0 to 100; entries with a blank ``expected`` do not count.

    Parameters
    ----------
    entries
        Entries of a report.

    Returns
    -------
    float
        0.0 where no entry counts.

    Examples
    --------
    >>> round(corpus_chrf([{"expected": "a small lake", "predicted": "a little lake"}]), 2)
    27.14
    """
    return _score(corpus_chrf, entries)


def corpus_bleu(entries: Entries) -> float:
    """BLEU with sacreBLEU's defaults, 0 to 100; entries with a blank ``expected`` do not count.

    Parameters
    ----------
    entries
        Entries of a report.

    Returns
    -------
    float
        0.0 where no entry counts.

    Examples
    --------
    >>> round(corpus_bleu([{"expected": "He wrote a short letter.", "predicted": "He wrote a letter."}]), 2)
    40.94
    """
    return _score(corpus_bleu, entries)


def paired_bootstrap(
    entries_a: Entries,
    entries_b: Entries,
    metric_fn: Callable[[Entries], float],
    n_bootstrap: int = 1000,
    alpha: float = 0.05,
    seed: int = 12345,
    metric_name: str = "metric",
) -> SignificanceResult:
    """Test whether two systems differ, by resampling their common entries (Koehn 2004).

    Parameters
    ----------
    entries_a, entries_b
        Entries of both systems with the same ids, in any order.
    metric_fn
        Function of a list of entries; `exact_match_rate`, `corpus_chrf` and `corpus_bleu` are resampled through
        their sufficient statistics, others are called for every resample.
    n_bootstrap
        Number of resamples.
    alpha
        Significance level, also of the interval.
    seed
        Of the draws, which are those of ``numpy.random.default_rng(seed).choice(n, size=(n_bootstrap, n))``.
    metric_name
        For the result.

    Returns
    -------
    SignificanceResult
        With p 1.0 where the outputs are identical or there are no entries.

    Raises
    ------
    InputError
        If the numbers of entries or their ids differ, or an id occurs twice (a ValueError).

    Warns
    -----
    UserWarning
        If fewer than 10 entries are tested, or entries with an error are left out.

    Examples
    --------
    >>> a = [{"id": i, "exact_match": True} for i in range(20)]
    >>> b = [{"id": i, "exact_match": i % 2 == 0} for i in range(20)]
    >>> result = paired_bootstrap(a, b, exact_match_rate, metric_name="exact_match_rate")
    >>> result.winner, result.delta, result.p_value < 0.01
    ('A', 0.5, True)
    """
    kept_a, kept_b = _paired(entries_a, entries_b)
    if len(kept_a) < FEW_ENTRIES:
        warnings.warn(f"{len(kept_a)} entries: no test is reliable with fewer than {FEW_ENTRIES}.", stacklevel=2)
    return compare_entries(
        kept_a,
        kept_b,
        metric_fn,
        n_bootstrap=n_bootstrap,
        alpha=alpha,
        seed=seed,
        metric_name=metric_name,
        higher_is_better=True,
    )


def compare_entries(
    entries_a: Entries,
    entries_b: Entries,
    metric_fn: Callable[[Entries], float],
    *,
    n_bootstrap: int,
    alpha: float,
    seed: int,
    metric_name: str,
    higher_is_better: bool | None,
) -> SignificanceResult:
    """`paired_bootstrap` of entries that are known to belong together, one by one.

    Parameters
    ----------
    entries_a, entries_b, metric_fn, n_bootstrap, alpha, seed, metric_name
        As there.
    higher_is_better
        The metric's direction; None where nobody knows it, and then nobody wins.
    """
    if not 0 < alpha < 1:
        raise ConfigError(f"alpha: expected a number between 0 and 1, found {alpha!r}.")
    score_a, score_b = metric_fn(entries_a), metric_fn(entries_b)
    confidence_level = float(1 - as_fraction(alpha))
    drawn_a, drawn_b = replicates(metric_fn, (entries_a, entries_b), n_resamples=n_bootstrap, seed=seed)
    quantities = bootstrap_quantities(
        drawn_a - drawn_b,
        score_a - score_b,
        tolerance=TOLERANCE * max(1.0, abs(score_a), abs(score_b)),
        alpha=alpha,
        confidence_level=confidence_level,
    )
    significant = bool(quantities.p_value < alpha)
    winner = "A" if (score_a > score_b) == higher_is_better else "B"
    return SignificanceResult(
        metric_name=metric_name,
        system_a_score=score_a,
        system_b_score=score_b,
        delta=score_a - score_b,
        p_value=float(quantities.p_value),
        n_bootstrap=n_bootstrap,
        confidence_level=confidence_level,
        significant=significant,
        winner=winner if significant and higher_is_better is not None else None,
        ci_lower=float(quantities.ci_low),
        ci_upper=float(quantities.ci_high),
        seed=seed,
    )


def _paired(entries_a: Entries, entries_b: Entries) -> tuple[list[Entry], list[Entry]]:
    """Entries of both systems in the order of the first, without those that failed in either."""
    if len(entries_a) != len(entries_b):
        raise InputError(f"Entry count mismatch: A has {len(entries_a)} entries, B has {len(entries_b)}.")
    by_id = [_by_id(entries, name) for entries, name in ((entries_a, "A"), (entries_b, "B"))]
    only = sorted(map(repr, by_id[0].keys() ^ by_id[1].keys()))
    if only:
        raise InputError(f"Entry ids do not match: {len(only)} stand in one of A and B only, for example {only[0]}.")
    sound = [key for key in by_id[0] if not any(entries[key].get("error") for entries in by_id)]
    if len(sound) < len(entries_a):
        message = f"{len(entries_a) - len(sound)} entries with an error in A or B are left out for both."
        warnings.warn(message, stacklevel=3)
    return [by_id[0][key] for key in sound], [by_id[1][key] for key in sound]


def _by_id(entries: Entries, name: str) -> dict[Any, Entry]:
    """Entries by id; without an id, the position identifies an entry. The ids 1 and "1" are different ones."""
    found: dict[Any, Entry] = {}
    for position, entry in enumerate(entries):
        key = entry.get("id", position)
        if (type(key), key) in found:
            raise InputError(f"{name}: the id {key!r} occurs twice; give every entry an id of its own.")
        found[type(key), key] = entry
    return found


def replicates(
    metric_fn: Callable[[Entries], float], systems: Sequence[Entries], *, n_resamples: int, seed: int
) -> FloatArray:
    """Scores of all systems on the same resamples of their entries, (n_systems, n_resamples)."""
    n_entries = len(systems[0])
    if not n_entries:
        return np.zeros((len(systems), n_resamples))
    blocks = draw_counts(seed, n_entries, n_resamples, dtype=np.float64)
    known: Callable[[Entries], _Statistics] | None
    known = metric_fn.statistics if isinstance(metric_fn, FieldMean) else _STATISTICS.get(metric_fn)
    if known is None:
        return np.array([[metric_fn(entries) for entries in drawn] for drawn in _resamples(blocks, systems)]).T
    columns = [known(entries) for entries in systems]
    return np.concatenate([[scores(block @ values) for values, scores in columns] for block in blocks], axis=1)


def _resamples(blocks: Iterator[FloatArray], systems: Sequence[Entries]) -> Iterator[list[list[Entry]]]:
    """Every resample as lists of entries."""
    for block in blocks:
        for counts in block.astype(np.int64):
            drawn = np.repeat(np.arange(len(counts)), counts)
            yield [[entries[int(index)] for index in drawn] for entries in systems]


#: Columns of statistics (n_entries, k), and the function from their sums (..., k) to scores (...).
_Statistics = tuple[FloatArray, Callable[[FloatArray], FloatArray]]


def _mean(sums: FloatArray) -> FloatArray:
    """First column over second, 0 for none."""
    return np.divide(sums[..., 0], sums[..., 1], out=np.zeros(sums.shape[:-1]), where=sums[..., 1] > 0)


@dataclass(frozen=True)
class FieldMean:
    """Mean of a number that stands in every entry, such as ``comet_score`` or what a plugin says of it.

    Attributes
    ----------
    field
        Its name; dots lead into nested objects. True and false count as 1 and 0; entries without a number do not
        count.

    Examples
    --------
    >>> entries = [{"plugin_metrics": {"fst": {"valid": True}}}, {"plugin_metrics": {"fst": {"valid": False}}}]
    >>> FieldMean("plugin_metrics.fst.valid")(entries)
    0.5
    """

    field: str

    def __call__(self, entries: Entries) -> float:
        """The mean, 0.0 for no number."""
        columns, scores = self.statistics(entries)
        return float(scores(columns.sum(axis=0)))

    def statistics(self, entries: Entries) -> _Statistics:
        """Numbers and how many they are, (n_entries, 2)."""
        numbers = [number_of(entry_value(entry, self.field)) for entry in entries]
        rows = [(0.0, 0.0) if number is None else (number, 1.0) for number in numbers]
        return np.array(rows, dtype=np.float64).reshape(-1, 2), _mean


def number_of(value: object) -> float | None:
    """A finite number as such, true and false as 1 and 0, anything else as None."""
    if not isinstance(value, bool | int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _exact_match_statistics(entries: Entries) -> _Statistics:
    counted = [not entry.get("error") for entry in entries]
    hits = [bool(entry.get("exact_match")) and counts for entry, counts in zip(entries, counted, strict=True)]
    return np.array([hits, counted], dtype=np.float64).T, _mean


def _text_statistics(kind: str) -> Callable[[Entries], _Statistics]:
    def statistics(entries: Entries) -> _Statistics:
        metric = create_metric(kind, {"kind": kind}, "und-und")
        expected = [str(entry.get("expected") or "") for entry in entries]
        predicted = tuple(str(entry.get("predicted") or "") for entry in entries)
        nothing = (None,) * len(entries)
        ids = tuple(map(str, range(len(entries))))
        evaluation = EvaluationSet(
            "entries", "und-und", ids, nothing, nothing, nothing, {"expected": tuple(expected)}, {"system": predicted}
        )
        columns = metric.columns(metric.statistics(evaluation)["system"])
        # An entry without a reference adds nothing to any sum.
        columns[[not text.strip() for text in expected]] = 0.0

        def scores(sums: FloatArray) -> FloatArray:
            return np.nan_to_num(metric.corpus_scores(sums), nan=0.0)

        return columns, scores

    return statistics


_STATISTICS: dict[Callable[[Entries], float], Callable[[Entries], _Statistics]] = {
    exact_match_rate: _exact_match_statistics,
    corpus_chrf: _text_statistics("chrf++"),
    corpus_bleu: _text_statistics("bleu"),
}


def _score(metric_fn: Callable[[Entries], float], entries: Entries) -> float:
    if not entries:
        return 0.0
    columns, scores = _STATISTICS[metric_fn](entries)
    return float(scores(columns.sum(axis=0)))
