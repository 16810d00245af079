"""The one place where mtsig touches sacreBLEU: its metric objects, tokenizers and signatures.

Some of what is used here is private there; sacreBLEU is pinned below its next major version for that reason.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from mtsig.errors import ConfigError, UnavailableError

__all__ = ["make", "preprocess", "signature", "usual_signature"]

_ONE_AT_A_TIME = threading.Lock()


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
    except (ImportError, RuntimeError, OSError, SystemExit) as error:
        reason = " ".join(str(error).split())
        raise UnavailableError(f"The tokenizer {options.get('tokenize')} cannot be loaded ({reason}).") from None


def signature(metric: Any, n_references: int | str) -> str:
    """The full signature string of a metric object for that number of references ("var" where it differs)."""
    metric.num_refs = -1 if n_references == "var" else n_references
    return str(metric.get_signature())


def usual_signature(options: str, n_references: int | str) -> str:
    """The same from the part that tells options, without importing sacreBLEU, which takes a tenth of a second.

    Examples
    --------
    >>> usual_signature("case:lc", 1).rpartition(":")[0]
    'nrefs:1|case:lc|version'
    """
    return f"nrefs:{n_references}|{options}|version:{_version()}"


@lru_cache(maxsize=1)
def _version() -> str:
    """The version in sacreBLEU's signatures, from its own module, which alone is read."""
    package = find_spec("sacrebleu")
    if package is None or package.origin is None:
        raise UnavailableError("sacrebleu is not installed. Install it with: pip install sacrebleu")
    spec = spec_from_file_location("sacrebleu_version", Path(package.origin).with_name("version.py"))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return str(module.__version__)


def preprocess(metric: Any, text: str) -> str:
    """The text after the metric's lowercasing and tokenisation, words separated by single spaces.

    Tokenizers remember the last 65,536 lines, so that each distinct line is worked on once. They are not made for
    threads, so one at a time.
    """
    with _ONE_AT_A_TIME:
        preprocessed: str = metric._preprocess_segment(text)
    return preprocessed
