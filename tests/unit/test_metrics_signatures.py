"""Signatures are complete: of any two settings with one signature all numbers are equal."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from mtsig.errors import ConfigError
from mtsig.metrics import create_metric
from mtsig.metrics.base import reference_count
from mtsig.metrics.catalog import KINDS
from mtsig.metrics.neural import scoring
from mtsig.metrics.neural.checkpoint import Checkpoint
from mtsig.metrics.neural.signatures import Options, signature
from mtsig.resampling.settings import ResamplingSettings
from texts import evaluation_set

#: Tokenizers that need no model from the network.
TOKENIZERS = [None, "default", "none", "13a", "zh", "intl", "char", "tercom"]
#: Values of options that the schemas do not list; every option of every metric must be here or have an `enum`.
NUMBERS: dict[str, list[Any]] = {
    "smooth_value": [None, 0.0, 0.001, 0.002, 0.1, 0.101, 0.5, 1.0],
    "max_ngram_order": [1, 2, 3, 4, 5, 6],
    "char_order": [1, 5, 6],
    "word_order": [0, 1, 2],
    "beta": [0, 1, 2, 3],
    "exponent": [1.0, 1.0000001, 1.5, 2.0],
}
#: What changes a warning and no number.
SILENT = {"force"}
#: Without these an option does nothing.
COMPANIONS: dict[str, dict[str, Any]] = {
    "smooth_value": {"smooth_method": "add-k"},
    "effective_order": {"max_ngram_order": 16},
    "asian_support": {"normalized": True},
    "tokenize": {"word_order": 2},
}

LINES = [
    ("The cat sat on the mat, and the dog saw it.", "The cat sits on a mat and the dog, too, saw it!"),
    ("A state-of-the-art system; it's 3.5% better.", "a state of the art System: it is 3,5 % better."),
    ("老路通向家，我们都知道。 OK", "那条老路通向家，我们知道。ok"),
    ("天气很好 good weather", "今天的天气很好 Good weather"),
    ("ฉันชอบ อ่านหนังสือ", "ฉัน ชอบอ่าน หนังสือมาก"),
    ("Short one", "short One"),
    ("the the the", "the"),
]
TEXTS = evaluation_set(
    [[reference for reference, _ in LINES], [f"{reference} again" for reference, _ in LINES]],
    {"A": [output for _, output in LINES], "B": [reference.lower() for reference, _ in LINES[::-1]]},
)


def options_of(repository: Path, kind: str) -> dict[str, list[Any]]:
    """Every option of a metric with the values to try."""
    schema = yaml.safe_load((repository / f"workflow/schemas/metrics/{kind}.schema.yaml").read_text())
    values = {}
    for name, option in schema["properties"].items():
        if name == "tokenize":
            values[name] = [value for value in TOKENIZERS if value in option["enum"]]
        elif option.get("type") == "boolean":
            values[name] = [False, True]
        else:
            values[name] = option.get("enum") or NUMBERS[name]
    return values


def outcome(kind: str, options: Mapping[str, Any], langpair: str) -> tuple[str, bytes] | None:
    """Signature and all numbers; None where the options are refused."""
    try:
        metric = create_metric("m", {"kind": kind, **options}, langpair)
    except ConfigError:
        return None
    statistics = metric.statistics(TEXTS)
    scores = [np.append(metric.segment_scores(rows), metric.corpus_score(rows)) for rows in statistics.values()]
    return metric.signature(reference_count(TEXTS)), np.array(scores, dtype=np.float64).tobytes()


# A function is told from others by its source; see test_metrics_functions.py.
OF_TEXTS = [kind for kind, its in KINDS.items() if not (its.gpu or its.reads_files or kind == "function")]


@pytest.mark.parametrize("kind", OF_TEXTS)
def test_equal_signatures_give_equal_numbers(repository: Path, kind: str) -> None:
    """Of every option alone, of all that need a companion, and of random mixtures."""
    values = options_of(repository, kind)
    rng = random.Random(18)
    tried: list[dict[str, Any]] = [{}]
    for name, choices in values.items():
        companions = {key: value for key, value in COMPANIONS.get(name, {}).items() if key in values}
        tried += [{**companions, name: choice} for choice in choices]
    tried += [{name: rng.choice(choices) for name, choices in values.items() if rng.random() < 0.6} for _ in range(30)]
    numbers: dict[str, tuple[bytes, dict[str, Any]]] = {}
    visible = set()
    for options in tried:
        for langpair in ("en-de", "en-zh"):
            result = outcome(kind, options, langpair)
            if result is None:
                continue
            known, other = numbers.setdefault(result[0], (result[1], options))
            assert known == result[1], (result[0], other, options)
    for name, choices in values.items():
        base = {key: value for key, value in COMPANIONS.get(name, {}).items() if key in values}
        results = [outcome(kind, {**base, name: choice}, "en-de") for choice in choices]
        if len({result[1] for result in results if result}) > 1:
            visible.add(name)
    # The texts are such that every option is seen.
    assert visible == set(values) - SILENT


def test_given_scores_are_signed_with_all_that_tells_what_they_are(tmp_path: Path) -> None:
    """Which file is whose, the column and the direction."""
    for name, values in (("one", "1\t3"), ("two", "2\t1"), ("three", "3\t2")):
        (tmp_path / f"{name}.tsv").write_text(f"score\tother\tnumber\n{values}\t0\n{values}\t1\n")
    texts = evaluation_set([["a", "b"]], {"A": ["a", "b"], "B": ["c", "d"]})
    one, two, three = (str(tmp_path / f"{name}.tsv") for name in ("one", "two", "three"))
    settings = [
        {"scores": {"A": one, "B": two}, "higher_is_better": True},
        {"scores": {"A": two, "B": one}, "higher_is_better": True},
        {"scores": {"A": one, "B": three}, "higher_is_better": True},
        {"scores": {"A": one, "B": two}, "higher_is_better": False},
        {"scores": {"A": one, "B": two}, "higher_is_better": True, "score": "other"},
    ]
    metrics = [create_metric("m", {"kind": "precomputed", **each}, "en-de") for each in settings]
    assert len({metric.signature(1) for metric in metrics}) == len(settings)
    assert metrics[0].corpus_score(metrics[0].statistics(texts)["A"]) == 1.0


def test_every_option_of_a_neural_metric_is_signed(monkeypatch: pytest.MonkeyPatch, repository: Path) -> None:
    """The model, its revision (by the checkpoint that it leads to), precision, batches, references and the rest."""
    monkeypatch.setattr(scoring.model, "package_versions", lambda: {"comet": "2.2.7", "torch": "2.9"})

    def signed(n_references: int = 2, **changes: Any) -> str:
        options = Options(**{"model": "Unbabel/wmt22-comet-da", **changes})
        found = Checkpoint.__new__(Checkpoint)
        identity = f"rev:{options.model}@{options.revision}"
        monkeypatch.setattr(Checkpoint, "identity", identity, raising=False)
        return signature(options, scoring.context_of(options, found, "cpu"), n_references, options.references)

    changes: dict[str, Any] = {
        "model": "Unbabel/other",
        "revision": "abc",
        "references": ("refA",),
        "combine": "max",
        "blank_hypotheses": "zero",
        "precision": "bf16",
        "batch_size": 8,
    }
    schema = yaml.safe_load((repository / "workflow/schemas/metrics/comet.schema.yaml").read_text())
    assert set(changes) == set(schema["properties"])
    signatures = {signed(), *(signed(**{name: value}) for name, value in changes.items())}
    assert len(signatures) == len(changes) + 1


def test_settings_of_a_comparison_are_signed_whole() -> None:
    """Any other value of any setting changes the string."""
    others: dict[str, Any] = {
        "seed": 2,
        "n_resamples": 500,
        "max_resamples": 5000,
        "n_trials": 500,
        "confidence_level": 0.9,
        "alpha": 0.01,
        "adjust": "holm",
        "resample_unit": "document",
        "equivalence_margin": 0.5,
    }
    usual = {"seed": 1}
    strings = {ResamplingSettings(**{**usual, name: value}).signature() for name, value in others.items()}
    strings.add(ResamplingSettings(**usual).signature())
    assert len(strings) == len(others) + 1


def test_what_a_comparison_is_signed_with() -> None:
    text = ResamplingSettings(
        seed=12345, max_resamples=50_000, resample_unit="document", adjust="holm", alpha=0.01
    ).signature()
    assert text.rpartition("|version:")[0] == (
        "test:paired-bootstrap|seed:12345|n_resamples:1000|max_resamples:50000|n_trials:10000|confidence_level:0.95"
        "|alpha:0.01|adjust:holm|resample_unit:document"
    )


def test_tokenizers_outside_of_sacrebleu_are_signed() -> None:
    def start(kind: str, langpair: str, **options: Any) -> str:
        return create_metric("m", {"kind": kind, **options}, langpair).signature(1).rpartition("|version")[0]

    assert start("ter", "en-zh") == "nrefs:1|case:lc|tok:zh|norm:no|punct:yes|asian:no"
    assert start("ter", "en-zh", tokenize="tercom") == "nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no"
    assert start("chrf++", "en-th") == "nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|tok:char"
    assert start("chrf++", "en-th", tokenize="default") == "nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no"
