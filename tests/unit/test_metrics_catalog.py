"""What is known about metrics before any job runs."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import sacrebleu.metrics.bleu
import yaml
from mtsig.errors import ConfigError, UnavailableError
from mtsig.metrics import create_metric
from mtsig.metrics.catalog import KINDS, OWN_TOKENIZERS, TOKENIZERS, check, default_tokenizer, kind_of


@pytest.mark.parametrize(
    ("langpair", "tokenizer"),
    [
        ("en-zh", "zh"),
        ("en-zh-CN", "zh"),
        ("en-zh_TW", "zh"),
        ("eng_Latn-zho_Hans", "zh"),
        ("en-cmn", "zh"),
        ("en-yue", "zh"),
        ("en-ZH", "zh"),
        ("en-ja", "ja-mecab"),
        ("eng-jpn", "ja-mecab"),
        ("en-ko", "ko-mecab"),
        ("eng_Latn-kor_Hang", "ko-mecab"),
        ("en-th", "char"),
        ("eng_Latn-khm_Khmr", "char"),
        ("en-lo", "char"),
        ("en-my", "char"),
        ("en-bo", "char"),
        ("en-dz", "char"),
        ("th-en", "13a"),
        ("zh-en", "13a"),
        ("ja-zhx", "13a"),
        ("en-pt_BR", "13a"),
        ("en-no", "13a"),
    ],
)
def test_default_tokenizer(langpair: str, tokenizer: str) -> None:
    assert default_tokenizer(langpair) == tokenizer


def test_all_tokenizers_of_sacrebleu_are_known() -> None:
    assert set(TOKENIZERS) == set(sacrebleu.metrics.bleu.BLEU.TOKENIZERS)


def test_a_missing_tokenizer_package_is_one_clear_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """Said before any job, with the install hint and the other way out."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UnavailableError, match=r"metrics\.bleu: the tokenizer ja-mecab .*sacrebleu\[ja\].*tokenize"):
        check("bleu", {}, "en-ja")
    with pytest.raises(UnavailableError, match=r"sacrebleu\[ko\]"):
        check("length_ratio", {"tokenize": "ko-mecab"}, "en-de")
    check("bleu", {}, "en-zh")
    check("chrf", {}, "en-ja")


def test_kinds() -> None:
    assert kind_of("bleu", {}) is KINDS["bleu"]
    assert kind_of("anything", {"kind": "ter"}).higher_is_better is False
    with pytest.raises(ConfigError, match="'anything' is not a kind of metric"):
        kind_of("anything", {})


def schema_of(repository: Path, kind: str) -> dict[str, Any]:
    schema: dict[str, Any] = yaml.safe_load(
        (repository / "workflow" / "schemas" / "metrics" / f"{kind}.schema.yaml").read_text(encoding="utf-8")
    )
    return schema


@pytest.mark.parametrize(
    "kind", [name for name, its in KINDS.items() if not (its.gpu or its.reads_files) and name != "function"]
)
def test_schemas_offer_what_the_metrics_take(repository: Path, kind: str) -> None:
    """Same options, same defaults: metrics made from the defaults and from nothing are equal."""
    from mtsig.metrics import create_metric

    defaults = {name: option.get("default") for name, option in schema_of(repository, kind)["properties"].items()}
    assert create_metric("metric", {"kind": kind, **defaults}, "en-de") == create_metric(
        "metric", {"kind": kind}, "en-de"
    )


@pytest.mark.parametrize("kind", OWN_TOKENIZERS)
def test_schemas_name_all_tokenizers(repository: Path, kind: str) -> None:
    """Those of sacreBLEU; `none` only where it says how words are found."""
    own = {"ter": ["tercom"], "chrf": [], "chrf++": []}.get(kind, ["none"])
    expected = [None, "default", *own, *(name for name in TOKENIZERS if name != "none")]
    assert schema_of(repository, kind)["properties"]["tokenize"]["enum"] == expected


@pytest.mark.parametrize("kind", OWN_TOKENIZERS)
def test_what_schemas_offer_is_accepted_and_nothing_else(repository: Path, kind: str) -> None:
    settings = {"kind": kind, "word_order": 2} if "chrf" in kind else {"kind": kind}
    offered = schema_of(repository, kind)["properties"]["tokenize"]["enum"]
    for tokenizer in offered:
        if tokenizer not in TOKENIZERS or not TOKENIZERS[tokenizer][0]:
            check("m", {**settings, "tokenize": tokenizer}, "en-de")
    for tokenizer in {"moses", "tercom", "chrf", "none"} - {
        *schema_of(repository, kind)["properties"]["tokenize"]["enum"]
    }:
        if tokenizer != OWN_TOKENIZERS[kind]:
            with pytest.raises(ConfigError, match=rf"metrics\.m\.tokenize: '{tokenizer}' is not one of"):
                check("m", {**settings, "tokenize": tokenizer}, "en-de")


def test_options_without_effect_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"metrics\.ter\.asian_support: has no effect without `normalized`"):
        create_metric("ter", {"asian_support": True}, "en-zh")
    with pytest.raises(ConfigError, match=r"metrics\.chrf\.tokenize: has no effect on n-grams of characters"):
        create_metric("chrf", {"tokenize": "zh"}, "en-zh")


def test_the_catalog_is_light() -> None:
    """It is imported while the workflow is parsed: no numpy, no tables, no sacreBLEU."""
    heavy = {"numpy", "pandas", "pyarrow", "sacrebleu"}
    code = f"import mtsig.metrics.catalog, sys; print(sorted({heavy} & set(sys.modules)))"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert output.strip() == "[]"
