"""Readers of every input format, and the evaluation set they give."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["EvaluationSet", "Finding", "read"]

# Public names and the modules they live in. They are imported on first use only, so that a step which needs the
# model alone neither loads the readers nor reruns when one of them changes.
_HOMES = {
    "EvaluationSet": "mtsig.corpus.model",
    "Finding": "mtsig.corpus.model",
    "read": "mtsig.corpus.reading",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
