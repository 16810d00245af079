"""ROC analysis of quality estimation on one test set: all swept seeds and numbers of resamples."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import pyarrow as pa

from mtsig.contracts import TABLES
from mtsig.errors import ConfigError, InputError
from mtsig.steps.cells import as_columns, listed, swept
from mtsig.steps.judged import Judged, read_judged, within
from mtsig.steps.study import StudyJob, StudyTables
from mtsig.studies.roc.analysis import RocAnalysis, analyse
from mtsig.studies.roc.answers import QeScores, RocSettings
from mtsig.studies.roc.cutoff import Cutoff
from mtsig.studies.roc.decisions import parse_ratio

__all__ = ["roc", "roc_tables"]

#: A domain with fewer segments than this is flagged.
_SMALL_DOMAIN = 400


def roc(job: StudyJob) -> StudyTables:
    """Analyse each MT system's outputs, with each human score and cutoff, by all QE systems.

    Raises
    ------
    ConfigError
        If an option is impossible, a system or domain unknown, or a QE system has no direction.
    InputError
        If a human score has no value at all, or scores are missing.
    """
    judged = read_judged(job.segments, job.score_files, systems=job.settings["systems"], with_references=True)
    return StudyTables(roc_tables(judged, job.settings, directions=job.directions, keys=job.keys, missing=job.missing))


def roc_tables(
    judged: Judged,
    settings: Mapping[str, Any],
    *,
    directions: Mapping[str, bool | None],
    keys: Mapping[str, str],
    missing: str,
) -> dict[str, pa.Table]:
    """All tables of a ROC study.

    Parameters
    ----------
    judged
        Scores of people and of QE systems.
    settings
        The study's options.
    directions
        Metric to whether higher is better.
    keys
        What all rows share.
    missing
        ``error`` refuses segments that people have judged and a QE system has not; ``intersect`` leaves them out.
    """
    _check(settings, directions)
    golds = listed(settings["gold"])
    qe = sorted(settings["qe"])
    cutoffs = [Cutoff.parse(text) for text in settings["cutoffs"]]
    draws = swept(settings)
    rows: dict[str, list[dict[str, Any]]] = {table.name: [] for table in fields(RocAnalysis)}
    cells = itertools.product(within(judged, settings["domains"]).items(), enumerate(judged.systems), golds)
    for (domain, kept), (row, system), gold in cells:
        common, flags = _common(judged, kept, row, gold, qe, missing)
        human = judged.scores[gold][row, common]
        chosen = {
            name: QeScores(judged.scores[name][row, common], higher_is_better=bool(directions[name])) for name in qe
        }
        flags = (*flags, *_domain_flags(judged, domain, common))
        unit = settings["resample_unit"]
        documents = judged.units(common, unit) if unit == "document" else None
        for cutoff, draw in itertools.product(cutoffs, draws):
            asked = _settings(settings, draw)
            result = analyse(
                human, cutoff.errors(human), chosen, asked, segments=common, documents=documents, flags=flags
            )
            own = {
                **keys,
                "system": system,
                "gold": gold,
                "cutoff": cutoff.text,
                "domain": domain,
                "confidence_level": asked.confidence_level,
                "resample_unit": unit,
                **draw,
            }
            _collect(rows, result, own, first=draw == draws[0])
    return {table: as_columns(found, TABLES[table]) for table, found in rows.items()}


def _check(settings: Mapping[str, Any], directions: Mapping[str, bool | None]) -> None:
    """Refuse what no analysis could use, before any work is done."""
    for name in sorted(settings["qe"]):
        if directions[name] is None:
            raise ConfigError(f"qe: {name} has no direction, so its worst segments are unknown. Leave it out.")
    others = sorted(set(settings.get("shown_qe") or ()) - set(settings["qe"]))
    if others:
        raise ConfigError(f"shown_qe: {others[0]} is not among qe, which has {', '.join(settings['qe'])}.")
    for text in settings["costs"]:
        parse_ratio(text, "costs")
    for text in settings["class_ratios"]:
        if text != "sample":
            parse_ratio(text, "class_ratios")


def _settings(settings: Mapping[str, Any], draw: Mapping[str, Any]) -> RocSettings:
    names = ("review_budgets", "risk_targets", "costs", "class_ratios", "keep_shares", "reviewer_miss")
    lists: dict[str, Any] = {name: tuple(settings[name]) for name in names}
    return RocSettings(
        **lists, **draw, partial_fpr=settings["partial_fpr"], confidence_level=settings["confidence_level"]
    )


def _common(
    judged: Judged, kept: np.ndarray[Any, np.dtype[np.intp]], row: int, gold: str, qe: Sequence[str], missing: str
) -> tuple[np.ndarray[Any, np.dtype[np.intp]], tuple[str, ...]]:
    """Segments that people have judged and all QE systems have scored."""
    system = judged.systems[row]
    rated = kept[~np.isnan(judged.scores[gold][row, kept])]
    if not len(rated):
        raise InputError(f"gold: {gold} has no score for any segment of system {system}. Leave the system out.")
    scored = np.ones(len(rated), dtype=bool)
    for name in qe:
        has = ~np.isnan(judged.scores[name][row, rated])
        if missing == "error" and not has.all():
            raise InputError(
                f"qe: {name} has no score for {np.count_nonzero(~has)} of the {len(rated)} segments of system {system} "
                f"that {gold} has judged, the first in row {int(rated[~has][0]) + 1}. Complete the scores, or set "
                "`missing: intersect` to leave such segments out."
            )
        scored &= has
    if not scored.any():
        raise InputError(f"qe: system {system} has no segment that {gold} and all of {', '.join(qe)} have scored.")
    return rated[scored], () if scored.all() else ("missing_segments",)


def _domain_flags(judged: Judged, domain: str | None, common: np.ndarray[Any, np.dtype[np.intp]]) -> tuple[str, ...]:
    """What is to be said of segments of one domain, or of several."""
    if domain is None:
        return ("mixed_domains",) if len({judged.domains[segment] for segment in common.tolist()}) > 1 else ()
    return ("small_domain",) if len(common) < _SMALL_DOMAIN else ()


def _collect(
    rows: dict[str, list[dict[str, Any]]], result: RocAnalysis, keys: Mapping[str, Any], *, first: bool
) -> None:
    """Add the rows of one cell; curves and hulls do not depend on draws and stand once."""
    for table in rows:
        if first or table not in ("curve", "hulls"):
            rows[table] += [{**keys, **row} for row in getattr(result, table)]
