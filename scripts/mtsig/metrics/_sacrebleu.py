"""The one place where mtsig touches sacreBLEU: its metric objects, tokenizers and signatures.

Some of what is used here is private there; sacreBLEU is pinned below its next major version for that reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mtsig.errors import ConfigError, UnavailableError

__all__ = ["make", "segment_statistics", "signature"]


def make(name: str, **options: Any) -> Any:
    """A metric object of sacreBLEU: `name` is BLEU, CHRF or TER.

    Raises
    ------
    ConfigError
        If sacreBLEU refuses an option.
    UnavailableError
        If a tokenizer's package or model cannot be loaded.
    """
    from sacrebleu import metrics

    try:
        return getattr(metrics, name)(**options)
    except (AssertionError, TypeError, KeyError) as error:
        raise ConfigError(f"sacreBLEU refuses the options {options} of {name} ({error}).") from None
    except (ImportError, RuntimeError, OSError) as error:
        reason = " ".join(str(error).split())
        raise UnavailableError(f"The tokenizer {options.get('tokenize')} cannot be loaded ({reason}).") from None


def signature(metric: Any, n_references: int | str) -> str:
    """The full signature string of a metric object for that number of references ("var" where it differs)."""
    metric.num_refs = -1 if n_references == "var" else n_references
    return str(metric.get_signature())


def segment_statistics(
    metric: Any, hypotheses: Sequence[str], references: Sequence[Sequence[str | None]]
) -> list[list[float]]:
    """Statistics per segment by sacreBLEU itself; `references` are streams, each as long as `hypotheses`."""
    statistics: list[list[float]] = metric._extract_corpus_statistics(hypotheses, references)
    return statistics
