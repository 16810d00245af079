"""Metrics whose segment scores were computed elsewhere and are read from files: ``precomputed`` and ``mtme``."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
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

__all__ = ["ExternalMetric", "create"]

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
        """Name and contents of the scores; the references were somebody else's choice, so they are not counted."""
        digest = hashlib.sha256()
        for path in sorted(self.files.values()):
            digest.update(hashlib.sha256(read_bytes(path)).digest())
        return f"{self.kind}:{self.name}|sha256:{digest.hexdigest()[:16]}|version:mtsig-{__version__}"

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
