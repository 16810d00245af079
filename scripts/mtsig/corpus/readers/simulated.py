"""The format ``simulated``: texts made by `mtsig.corpus.simulated` instead of read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mtsig.corpus.model import EvaluationSet
from mtsig.corpus.simulated import evaluation_set, simulation_of

__all__ = ["read"]


def read(testset: str, settings: Mapping[str, Any]) -> EvaluationSet:
    """Make a simulated test set.

    Parameters
    ----------
    testset
        Its name. The texts do not depend on it.
    settings
        ``langpair``, ``systems`` (name to quality), and optionally the other parameters of
        `mtsig.corpus.simulated.Simulation` and ``exclude``.

    Raises
    ------
    ConfigError
        If a quality is impossible or no system is left.
    """
    return evaluation_set(testset, settings["langpair"], simulation_of(settings))
