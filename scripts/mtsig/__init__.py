"""Statistical evidence for machine translation evaluation.

Public names are imported from here; the modules behind them are loaded when a name is asked for.
"""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0"

_LAZY = {
    "ConfidenceInterval": "mtsig.compat.evaluatio",
    "EvaluationSet": "mtsig.corpus.model",
    "MtsigError": "mtsig.errors",
    "SignificanceResult": "mtsig.compat.arena",
    "bleu_bootstrap_test": "mtsig.compat.evaluatio",
    "bleu_ci": "mtsig.compat.evaluatio",
    "corpus_bleu": "mtsig.compat.arena",
    "corpus_chrf": "mtsig.compat.arena",
    "create_metric": "mtsig.metrics",
    "exact_match_rate": "mtsig.compat.arena",
    "paired_bootstrap": "mtsig.compat.arena",
    "read": "mtsig.corpus.reading",
}

__all__ = ["__version__", *_LAZY]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module = import_module(_LAZY[name])
    return module.create if name == "create_metric" else getattr(module, name)


def __dir__() -> list[str]:
    return sorted(__all__)
