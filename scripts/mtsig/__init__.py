"""Statistical evidence for machine translation evaluation.

Public names are imported from here; the modules behind them are loaded when a name is asked for.

- texts and metrics: `read` an `EvaluationSet`, look for faults with `lint`, `create_metric`;
- arrays of sufficient statistics: `analyse` everything with `ResamplingSettings`, or step by step `draw_counts`,
  `bootstrap_replicates`, `percentile_interval`, `basic_interval`, `bca_interval`, `holm`, `benjamini_hochberg`;
- entries of mt-eval-harness: `paired_bootstrap` with `exact_match_rate`, `corpus_chrf`, `corpus_bleu`;
- Evaluatio's functions of BLEU, with a seed: `bleu_ci`, `bleu_bootstrap_test`;
- results of the workflow as pandas frames: `read_frame`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mtsig.compat.arena import SignificanceResult, corpus_bleu, corpus_chrf, exact_match_rate, paired_bootstrap
    from mtsig.compat.evaluatio import ScoreInterval, bleu_bootstrap_test, bleu_ci
    from mtsig.corpus.lint import lint
    from mtsig.corpus.model import EvaluationSet, Finding
    from mtsig.corpus.reading import read
    from mtsig.errors import ConfigError, InputError, MtsigError, UnavailableError
    from mtsig.frames import read_frame
    from mtsig.metrics import create_metric
    from mtsig.metrics.base import Metric
    from mtsig.metrics.functions import corpus_function
    from mtsig.resampling.adjust import benjamini_hochberg, holm
    from mtsig.resampling.analysis import analyse
    from mtsig.resampling.bootstrap import bootstrap_replicates
    from mtsig.resampling.draws import draw_counts
    from mtsig.resampling.intervals import ConfidenceInterval, basic_interval, bca_interval, percentile_interval
    from mtsig.resampling.results import Analysis, GroupResult, PairResult, SystemResult
    from mtsig.resampling.scorer import MeanScorer
    from mtsig.resampling.settings import ResamplingSettings

__version__ = "0.2.0"

__all__ = [
    "Analysis",
    "ConfidenceInterval",
    "ConfigError",
    "EvaluationSet",
    "Finding",
    "GroupResult",
    "InputError",
    "MeanScorer",
    "Metric",
    "MtsigError",
    "PairResult",
    "ResamplingSettings",
    "ScoreInterval",
    "SignificanceResult",
    "SystemResult",
    "UnavailableError",
    "__version__",
    "analyse",
    "basic_interval",
    "bca_interval",
    "benjamini_hochberg",
    "bleu_bootstrap_test",
    "bleu_ci",
    "bootstrap_replicates",
    "corpus_bleu",
    "corpus_chrf",
    "corpus_function",
    "create_metric",
    "draw_counts",
    "exact_match_rate",
    "holm",
    "lint",
    "paired_bootstrap",
    "percentile_interval",
    "read",
    "read_frame",
]

_LAZY = {
    "Analysis": "mtsig.resampling.results",
    "ConfidenceInterval": "mtsig.resampling.intervals",
    "ConfigError": "mtsig.errors",
    "EvaluationSet": "mtsig.corpus.model",
    "Finding": "mtsig.corpus.model",
    "GroupResult": "mtsig.resampling.results",
    "InputError": "mtsig.errors",
    "MeanScorer": "mtsig.resampling.scorer",
    "Metric": "mtsig.metrics.base",
    "MtsigError": "mtsig.errors",
    "PairResult": "mtsig.resampling.results",
    "ResamplingSettings": "mtsig.resampling.settings",
    "ScoreInterval": "mtsig.compat.evaluatio",
    "SignificanceResult": "mtsig.compat.arena",
    "SystemResult": "mtsig.resampling.results",
    "UnavailableError": "mtsig.errors",
    "analyse": "mtsig.resampling.analysis",
    "basic_interval": "mtsig.resampling.intervals",
    "bca_interval": "mtsig.resampling.intervals",
    "benjamini_hochberg": "mtsig.resampling.adjust",
    "bleu_bootstrap_test": "mtsig.compat.evaluatio",
    "bleu_ci": "mtsig.compat.evaluatio",
    "bootstrap_replicates": "mtsig.resampling.bootstrap",
    "corpus_bleu": "mtsig.compat.arena",
    "corpus_chrf": "mtsig.compat.arena",
    "corpus_function": "mtsig.metrics.functions",
    "create_metric": "mtsig.metrics",
    "draw_counts": "mtsig.resampling.draws",
    "exact_match_rate": "mtsig.compat.arena",
    "holm": "mtsig.resampling.adjust",
    "lint": "mtsig.corpus.lint",
    "paired_bootstrap": "mtsig.compat.arena",
    "percentile_interval": "mtsig.resampling.intervals",
    "read": "mtsig.corpus.reading",
    "read_frame": "mtsig.frames",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LAZY[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
