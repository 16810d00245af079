"""Data for the interactive parts of the page: details of pairs, segments with their texts and scores, documents.

They go into compressed blocks, which the page unpacks when they are first needed: one with the numbers of a test set,
one with the scores of its segments, and texts in blocks of some hundred segments. Numbers are rounded here, in Python,
or shipped as whole numbers of the last shown digit, so that the page formats nothing itself.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtsig.report import format as fmt
from mtsig.report.results import Comparison, MetricResult, Row, p_words
from mtsig.report.verdicts import pair_verdict

__all__ = ["SegmentData", "details", "document_block", "pack", "segment_blocks"]

#: Characters of segment text that the part of one test set keeps; the rest is left out and that is said.
TEXT_LIMIT = 12_000_000

#: Segments in one block of texts.
_BLOCK = 25


#: P-values that count the observed difference as one more resample or trial, so that they have a floor.
_OURS = ("p_value", "p_adjusted", "p_ar", "p_one_sided", "p_shift", "p_equivalence", "p_noninferiority")


@dataclass(frozen=True)
class SegmentData:
    """What the segment browser needs of a test set.

    Attributes
    ----------
    ids, documents, domains, sources
        One entry per segment.
    references
        Name to texts, one per segment.
    hypotheses
        System to texts, one per segment; None where missing.
    scores
        Metric to system to segment scores; NaN where undefined.
    """

    ids: Sequence[str]
    documents: Sequence[str | None]
    domains: Sequence[str | None]
    sources: Sequence[str | None]
    references: Mapping[str, Sequence[str | None]]
    hypotheses: Mapping[str, Sequence[str | None]]
    scores: Mapping[str, Mapping[str, NDArray[np.float64]]]

    def __len__(self) -> int:
        return len(self.ids)


def pack(value: Any) -> str:
    """`value` as JSON, deflated, in base64: what the page's ``DecompressionStream("deflate")`` reads.

    Examples
    --------
    >>> pack({"a": 1}) == pack({"a": 1})
    True
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # Higher levels take up to three times as long and save a few hundredths.
    return base64.b64encode(zlib.compress(text.encode("utf-8"), 5)).decode("ascii")


def details(result: MetricResult) -> dict[str, Any]:
    """Everything that is known of every pair of one metric, as finished text.

    Returns
    -------
    dict
        ``names``: systems in order of standing; ``labels``: what the values mean; ``pairs``: ``"i,j"`` (positions in
        `names`, i < j) to values, empty where they do not apply; ``turned``: the same to those values that are others
        with the two systems in the other order, by their place among the labels.
    """
    names = result.names
    labels: list[str] = []
    pairs: dict[str, list[str]] = {}
    turned: dict[str, dict[int, str]] = {}
    for i, j in combinations(range(len(names)), 2):
        comparison, back = result.compare(names[i], names[j]), result.compare(names[j], names[i])
        if comparison is None or back is None:
            continue
        values = _detail(result, comparison)
        others = _detail(result, back).values()
        labels = list(values)
        pairs[f"{i},{j}"] = list(values.values())
        turned[f"{i},{j}"] = {
            place: other for place, (own, other) in enumerate(zip(values.values(), others, strict=True)) if own != other
        }
    return {"names": names, "labels": labels, "pairs": pairs, "turned": turned}


def _detail(result: MetricResult, comparison: Comparison) -> dict[str, str]:
    row = comparison.row
    turned = row["system_a"] != comparison.system
    own, other = ("b", "a") if turned else ("a", "b")
    alpha, places = result.setting("alpha"), result.decimals_of(row)

    def p(name: str) -> str:
        if row[name] is None:
            return ""
        return p_words(row, name) if name in _OURS else fmt.p_value(row[name], alpha=alpha)

    def share(name: str) -> str:
        return "" if row[name] is None else fmt.percent(row[name])

    verdict = {"none": "none", own: "row", other: "column"}.get(row["koehn_verdict"] or "", "")
    tested = result.higher_is_better is not None
    return {
        "Verdict": pair_verdict(result, row).sentence,
        "Segments": fmt.count(row["n_segments"]),
        "Units resampled": fmt.count(row["n_units"]),
        "Score, row": fmt.number(row[f"score_{own}"], places, minus="−"),
        "Score, column": fmt.number(row[f"score_{other}"], places, minus="−"),
        "Difference": fmt.number(comparison.delta, places, signed=True, minus="−"),
        "Interval": fmt.interval(comparison.low, comparison.high, places, signed=True, minus="−"),
        "Detectable with 80 % power": ""
        if row["detectable_difference"] is None
        else fmt.number(row["detectable_difference"], places),
        "Better": (comparison.better or "neither is significantly better") if tested else "the metric has no direction",
        "p (bootstrap, two-sided)": p("p_value") if tested else "",
        "p, Monte Carlo limits": _limits(row, alpha) if tested else "",
        "p adjusted": p("p_adjusted"),
        "p (randomization)": (p("p_ar") + (" (exact)" if row["ar_exact"] else "")) if tested else "",
        "p (one-sided bootstrap)": p("p_one_sided"),
        "p (shifted bootstrap)": p("p_shift"),
        "p (sacreBLEU paired-bs)": p("p_sacrebleu_bs"),
        "p (sacreBLEU paired-ar)": p("p_sacrebleu_ar"),
        "Margin of equivalence": "" if row["equivalence_margin"] is None else f"{row['equivalence_margin']:g}",
        "p (equivalence)": p("p_equivalence"),
        "p (non-inferiority)": p("p_noninferiority"),
        "Resamples won by row": share(f"koehn_{own}"),
        "Resamples won by column": share(f"koehn_{other}"),
        "Resamples": fmt.count(row["n_resamples"]),
        "Resamples tied": "" if row["ties"] is None else fmt.count(row["ties"]),
        "Koehn's verdict": verdict if tested else "",
        "Notes": ", ".join(row["flags"]),
    }


def _limits(row: Row, alpha: float) -> str:
    if row["p_value_low"] is None or row["p_value_high"] is None:
        return ""
    return f"{fmt.p_value(row['p_value_low'], alpha=alpha)} to {fmt.p_value(row['p_value_high'], alpha=alpha)}"


def segment_blocks(data: SegmentData, limit: int = TEXT_LIMIT) -> tuple[dict[str, Any], list[str]]:
    """The scores of segments, and their texts in packed blocks.

    Parameters
    ----------
    data
        The test set.
    limit
        The most characters of text to keep. If the test set has more, the segments on which the systems' scores
        differ most are kept.

    Returns
    -------
    index : dict
        ``total`` segments and the kept ones in ``segments`` (0-based, in order) with ``ids``, ``documents``,
        ``domains``, ``lengths`` (characters of the longest reference, or of the source), and the ``block`` and row
        (``at``) in which their texts stand; ``references`` and ``systems`` by name; ``scores`` as whole numbers of the
        last of ``places`` decimals.
    texts : list of str
        Packed blocks of rows ``[source, [references], [hypotheses]]``. The segments on which the systems differ most
        stand in the first blocks, so that later ones can be left out.
    """
    by_weight = _within(data, limit)
    at = {segment: divmod(place, _BLOCK) for place, segment in enumerate(by_weight)}
    kept = sorted(by_weight)
    scores, places = {}, {}
    for metric, by_system in data.scores.items():
        places[metric] = _places(by_system)
        scale = 10 ** places[metric]
        scores[metric] = {
            system: [None if np.isnan(value) else int(value) for value in np.rint(values[kept] * scale)]
            for system, values in by_system.items()
        }
    references, hypotheses = list(data.references.values()), list(data.hypotheses.values())
    lengths = references or [data.sources]
    index = {
        "total": len(data),
        "segments": kept,
        "ids": [data.ids[i] for i in kept],
        "documents": [data.documents[i] for i in kept],
        "domains": [data.domains[i] for i in kept],
        "lengths": [max(len(column[i] or "") for column in lengths) for i in kept],
        "block": [at[i][0] for i in kept],
        "at": [at[i][1] for i in kept],
        "references": list(data.references),
        "systems": list(data.hypotheses),
        "scores": scores,
        "places": places,
    }
    texts = [
        pack(
            [
                [data.sources[i], [column[i] for column in references], [column[i] for column in hypotheses]]
                for i in by_weight[start : start + _BLOCK]
            ]
        )
        for start in range(0, len(by_weight), _BLOCK)
    ]
    return index, texts


def _places(by_system: Mapping[str, NDArray[np.float64]]) -> int:
    """Decimals that tell segments apart: a tenth of their usual difference is fine enough."""
    known = np.concatenate(list(by_system.values())) if by_system else np.zeros(0)
    known = known[~np.isnan(known)]
    return fmt.decimals([float(known.std()) / 10]) if known.size > 1 else 2


def _within(data: SegmentData, limit: int) -> list[int]:
    """The segments to keep: those on which the systems' scores differ most, first."""
    columns = [data.sources, *data.references.values(), *data.hypotheses.values()]
    sizes = np.zeros(len(data), dtype=np.int64)
    for column in columns:
        sizes += np.fromiter((len(text or "") for text in column), dtype=np.int64, count=len(data))
    spreads = np.zeros(len(data))
    for by_system in data.scores.values():
        if not by_system:
            continue
        rows = np.stack(list(by_system.values()))
        highest = np.where(np.isnan(rows), -np.inf, rows).max(axis=0)
        lowest = np.where(np.isnan(rows), np.inf, rows).min(axis=0)
        widths = np.where(highest >= lowest, highest - lowest, 0.0)
        spreads += widths / (widths.max(initial=0.0) or 1.0)
    order = np.argsort(-spreads, kind="stable")
    return [int(i) for i in order[np.cumsum(sizes[order]) <= limit]]


def document_block(groups: Sequence[Row], names: Sequence[str], places: int) -> dict[str, Any]:
    """Scores of documents for the comparison of two systems.

    Parameters
    ----------
    groups
        Rows of a groups table of one metric.
    names
        The systems, in the order of the scores.
    places
        Decimals of the metric's scores.

    Returns
    -------
    dict
        ``documents``: name, domain and number of segments of each; ``scores``: per system, whole numbers of the last
        of ``places`` decimals, None where undefined.
    """
    rows = [row for row in groups if row["group_kind"] == "document"]
    documents = sorted({(row["domain"] or "", row["group"], row["n_segments"]) for row in rows})
    # Systems may miss segments; the largest number is that of the document.
    sizes: dict[tuple[str, str], int] = {}
    for domain, name, number in documents:
        sizes[domain, name] = max(number, sizes.get((domain, name), 0))
    found = {(row["system"], row["domain"] or "", row["group"]): row["score"] for row in rows}
    scale = 10**places
    return {
        "documents": [[name, domain, number] for (domain, name), number in sizes.items()],
        "scores": {
            system: [
                None if (score := found.get((system, domain, name))) is None else round(score * scale)
                for domain, name in sizes
            ]
            for system in names
        },
        "places": places,
    }
