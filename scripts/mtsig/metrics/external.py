"""Metrics whose segment scores were computed elsewhere and are read from files: ``precomputed`` and ``mtme``."""

from __future__ import annotations

import hashlib
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mtsig import __version__
from mtsig.corpus.files import score_files
from mtsig.corpus.model import EvaluationSet
from mtsig.corpus.mtmefolder import mtme_score_file
from mtsig.corpus.scorefiles import Columns, join_scores
from mtsig.corpus.textfiles import read_bytes
from mtsig.errors import ConfigError, InputError
from mtsig.metrics.base import MeanMetric
from mtsig.metrics.catalog import given_options
from mtsig.metrics.cautions import Cautions

__all__ = ["ExternalMetric", "create"]

_LOG = logging.getLogger(__name__)

# Scores of equal texts are equal up to so much, relative to the largest: batches of neural metrics differ in the last
# digits. Ranges that differ by such a factor are of different scales: 0 to 1 and 0 to 100 do by a hundred.
_EQUAL, _UNLIKE = 1e-6, 20.0
# Above this share of a difference, scores of equal texts call it into question.
_NOTABLE = 0.1
# Differences of 1e-9 and less count as ties (scale 1), and sums of scores must be finite numbers.
_SMALLEST, _LARGEST = 1e-6, 1e100


@dataclass(frozen=True, kw_only=True)
class ExternalMetric(MeanMetric):
    """A mean of segment scores that stand in files.

    Attributes
    ----------
    name
        What the scores are called where they come from.
    files
        System name (or any name, where the files name the systems) to file.
    score_columns
        Which columns of the files hold what.
    """

    name: str
    files: Mapping[str, Path] = field(hash=False)
    score_columns: Columns = field(default_factory=Columns)
    scale: float = 1.0

    def signature(self, n_references: int | str) -> str:
        """Name, contents and direction of the scores; references were somebody else's choice and do not count."""
        digest = hashlib.sha256()
        for name, path in sorted(self.files.items()):
            digest.update(name.encode() + b"\0" + hashlib.sha256(read_bytes(path)).digest())
        parts = [f"{self.kind}:{self.name}", f"sha256:{digest.hexdigest()[:16]}"]
        usual = Columns()
        for column in fields(Columns):
            if getattr(self.score_columns, column.name) != getattr(usual, column.name):
                parts.append(f"{column.name}:{getattr(self.score_columns, column.name)}")
        if not self.higher_is_better:
            parts.append("lower_is_better")
        return "|".join([*parts, f"version:mtsig-{__version__}"])

    def statistics(self, evaluation: EvaluationSet, *, threads: int = 1) -> dict[str, NDArray[np.float64]]:
        """The scores as they stand in the files, (n_segments, 1) per system; NaN where there is none.

        Raises
        ------
        InputError
            If a file does not fit the test set, or all scores are so small that they would count as ties.
        """
        scores = join_scores(self.files, evaluation, self.score_columns)
        largest = max((float(np.nanmax(np.abs(values), initial=0.0)) for values in scores.values()), default=0.0)
        if 0 < largest < _SMALLEST:
            raise InputError(
                f"metrics.{self.key}: no score is larger than {largest:.1g}, and differences below 1e-9 count as ties. "
                "Multiply the scores, by a million say."
            )
        if largest > _LARGEST:
            raise InputError(f"metrics.{self.key}: a score of {largest:.1g} is too large to be added up. Divide them.")
        return {system: values[:, np.newaxis] for system, values in scores.items()}

    def cautions(self, evaluation: EvaluationSet, statistics: Mapping[str, NDArray[np.float64]]) -> Cautions:
        """Pairs that differ by scores of equal texts, or whose scores differ by orders of magnitude.

        Scores of equal texts differ a little wherever models or people give them. What counts is how much of the
        difference between two systems lies there.
        """
        names = sorted(statistics)
        texts = _numbered(evaluation, names)
        scores = {name: statistics[name][:, 0] for name in names}
        sizes = {name: _size(values) for name, values in scores.items()}
        pairs: dict[tuple[str, str], frozenset[str]] = {}
        unequal: list[tuple[str, str, int]] = []
        for first, second in combinations(names, 2):
            flags = set()
            differences = scores[first] - scores[second]
            apart = np.abs(differences) > _EQUAL * max(1.0, sizes[first][0], sizes[second][0])
            rows = np.flatnonzero(apart & (texts[first] == texts[second]) & (texts[first] > 0))
            if abs(differences[rows].sum()) > _NOTABLE * abs(np.nansum(differences)):
                flags.add("unequal_scores")
                unequal.append((first, second, int(rows[0])))
            if all(_are_unlike(one, other) for one, other in zip(sizes[first], sizes[second], strict=True)):
                flags.add("unlike_ranges")
            if flags:
                pairs[first, second] = frozenset(flags)
        where = f"{evaluation.testset}, {self.key}"
        if unequal:
            first, second, row = unequal[0]
            _LOG.warning(
                "%s: %s and %s have the same text on segment %s (row %d) and other scores, %g and %g. Scores of equal "
                "texts should be equal, unless people gave them.%s",
                where,
                first,
                second,
                evaluation.segment_ids[row],
                row + 1,
                scores[first][row],
                scores[second][row],
                "" if len(unequal) == 1 else f" The same holds for {len(unequal) - 1} more pairs.",
            )
        unlike = [pair for pair, flags in pairs.items() if "unlike_ranges" in flags]
        if unlike:
            ranges = ", ".join(
                f"{name} {np.nanmin(scores[name]):g} to {np.nanmax(scores[name]):g}" for name in sorted({*unlike[0]})
            )
            _LOG.warning(
                "%s: scores differ by orders of magnitude (%s). Are they on different scales? Bring them to one.",
                where,
                ranges,
            )
        # The odd one out, not all that are paired with it.
        odd = Counter(chain.from_iterable(unlike))
        alone = {name: frozenset({"unlike_ranges"}) for name, count in odd.items() if 2 * count > len(names) - 1}
        return Cautions(alone, pairs)


def _size(values: NDArray[np.float64]) -> tuple[float, float]:
    """How large scores are: the largest, and the root of their mean square."""
    present = values[~np.isnan(values)]
    if not len(present):
        return 0.0, 0.0
    return float(np.abs(present).max()), float(np.sqrt(np.mean(present**2)))


def _are_unlike(one: float, other: float) -> bool:
    return 0 < min(one, other) <= max(one, other) / _UNLIKE


def _numbered(evaluation: EvaluationSet, names: Sequence[str]) -> dict[str, NDArray[np.int64]]:
    """A number for each text of each system, the same for equal texts; 0 for none and the empty one."""
    numbers: dict[str | None, int] = {None: 0, "": 0}
    return {
        name: np.array([numbers.setdefault(text, len(numbers)) for text in evaluation.systems[name]], np.int64)
        for name in names
    }


def create(
    key: str,
    settings: Mapping[str, Any],
    langpair: str,
    testset_settings: Mapping[str, Any] | None = None,
) -> ExternalMetric:
    """Make a metric of kind ``precomputed`` or ``mtme``.

    Raises
    ------
    ConfigError
        If there is no such option, the direction is not declared, or a file is missing.
    """
    kind = settings.get("kind", key)
    prefix = f"metrics.{key}."
    if kind == "mtme":
        options = given_options(key, settings, ["name"])
        path = mtme_score_file(options["name"], testset_settings or {}, prefix)
        name = path.name.removesuffix(".seg.score")
        # Everything in mt-metrics-eval is stored so that more is better, MQM and MetricX included.
        return ExternalMetric(key=key, kind=kind, higher_is_better=True, name=name, files={name: path})
    columns = [column.name for column in fields(Columns)]
    options = given_options(key, settings, ["scores", "higher_is_better", *columns])
    if not isinstance(options.get("higher_is_better"), bool):
        raise ConfigError(f"{prefix}higher_is_better: is missing. Say true or false: only you know the direction.")
    return ExternalMetric(
        key=key,
        kind=kind,
        higher_is_better=options["higher_is_better"],
        name=key,
        files=score_files(options, langpair, prefix),
        score_columns=Columns(**{name: options[name] for name in columns if name in options}),
    )
