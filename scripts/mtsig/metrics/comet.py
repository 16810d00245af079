"""COMET as a metric: segment scores from a neural model, their mean as the corpus score.

The model runs in the process that asks for scores, so that process needs COMET. The workflow asks in a process of its
own (`mtsig.steps.comet`), which may use another Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mtsig.metrics.base import MeanMetric
from mtsig.metrics.catalog import given_options
from mtsig.metrics.neural import checkpoint, model
from mtsig.metrics.neural.scoring import Runtime, context_of, score_evaluation
from mtsig.metrics.neural.signatures import Options, signature

if TYPE_CHECKING:
    from mtsig.corpus.model import EvaluationSet

__all__ = ["Comet", "create"]

DEFAULT_MODEL = "Unbabel/wmt22-comet-da"


@dataclass(frozen=True, kw_only=True)
class Comet(MeanMetric):
    """A COMET model with its options.

    Attributes
    ----------
    options
        What is computed.
    runtime
        How it is computed, when `statistics` is called.
    """

    options: Options
    runtime: Runtime = field(default_factory=Runtime)

    def statistics(self, evaluation: EvaluationSet, *, threads: int = 1) -> dict[str, NDArray[np.float64]]:
        """Scores of every system and segment, (n_segments, 1); NaN where a text that the model reads is missing."""
        runtime = Runtime(**{**vars(self.runtime), "threads": threads})
        values = score_evaluation(evaluation, self.options, runtime).values
        return {system: scores[:, None] for system, scores in values.items()}

    def signature(self, n_references: int | str) -> str:
        """What fixes the scores; the workflow's own tables also name the references."""
        model.package_versions()
        found = checkpoint.locate(
            self.options.model, self.options.revision, local_files_only=self.runtime.local_files_only
        )
        (device, *_) = model.choose_devices(self.runtime.devices, lambda _: None)
        reads = "reference" in found.reads and self.options.references != ()
        names = self.options.references if reads else ()
        return signature(self.options, context_of(self.options, found, device), n_references if reads else 0, names)


def create(
    key: str,
    settings: Mapping[str, Any],
    langpair: str,
    testset_settings: Mapping[str, Any] | None = None,
) -> Comet:
    """Make a metric of kind ``comet``.

    Parameters
    ----------
    key
        The metric's name.
    settings
        Its options: those of `mtsig.metrics.neural.signatures.Options`, all of them optional.
    langpair, testset_settings
        Not used.

    Raises
    ------
    ConfigError
        If there is no such option.

    Examples
    --------
    >>> create("comet", {"revision": "main"}, "en-de").options.precision
    'fp32'
    """
    given = given_options(key, settings, [option.name for option in fields(Options)])
    if "references" in given:
        given["references"] = tuple(given["references"])
    options = Options(**{"model": DEFAULT_MODEL, **given})
    return Comet(key=key, kind="comet", higher_is_better=True, scale=1.0, options=options)
