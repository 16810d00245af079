"""Metrics: from hypotheses and references to sufficient statistics and scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mtsig.metrics.base import Metric

__all__ = ["create_metric"]


def create_metric(
    key: str,
    settings: Mapping[str, Any],
    langpair: str,
    testset_settings: Mapping[str, Any] | None = None,
) -> Metric:
    """Make the metric that the configuration calls `key`.

    Parameters
    ----------
    key
        The metric's name in the configuration.
    settings
        Its options there; ``kind`` defaults to the key.
    langpair
        The language pair; the default tokenizer follows its target language.
    testset_settings
        The configuration of the test set, for metrics whose scores come from files beside it.

    Raises
    ------
    ConfigError
        If the kind or an option does not exist or has an impossible value.
    UnavailableError
        If an optional package or model is missing.

    Examples
    --------
    >>> metric = create_metric("bleu-lc", {"kind": "bleu", "lowercase": True}, "en-de")
    >>> metric.signature(1).split("|version")[0]
    'nrefs:1|case:lc|eff:no|tok:13a|smooth:exp'
    """
    # The modules that compute are imported on demand, so that a caller pays only for what it uses.
    from importlib import import_module

    from mtsig.metrics.catalog import check, kind_of

    kind = kind_of(key, settings)
    check(key, settings, langpair)
    metric: Metric = import_module(kind.module).create(key, settings, langpair, testset_settings)
    return metric
