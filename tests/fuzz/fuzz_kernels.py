"""Run a given build of the extension on nasty texts and compare it with the twins in Python.

Usage: python fuzz_kernels.py EXTENSION SEED N_ROUNDS. Meant for builds with sanitizers, which end the process at the
first access outside an array or undefined operation.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import random
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))

from texts import nasty_text, nasty_variant


def load(path: str) -> None:
    """Make the extension in `path` the one that `mtsig.kernels` finds."""
    name = "mtsig.kernels._native"
    loader = importlib.machinery.ExtensionFileLoader(name, path)
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    sys.modules[name] = module
    import mtsig.kernels

    mtsig.kernels._native = module  # type: ignore[attr-defined]


def texts(rng: random.Random, n_segments: int) -> tuple[list[str], list[list[str]]]:
    """References and hypotheses of two systems, a few of them long."""
    references = [nasty_text(rng, rng.choice([5, 45, 200])) for _ in range(n_segments)]
    systems = [[nasty_variant(rng, text) for text in references] for _ in range(2)]
    return references, systems


def main(path: str, seed: int, n_rounds: int) -> None:
    load(path)
    from mtsig.kernels import _native_extraction as native
    from mtsig.kernels import _python_extraction, _python_ter

    rng = random.Random(seed)
    for _ in range(n_rounds):
        references, systems = texts(rng, rng.randint(1, 25))
        several = [rng.sample(references, rng.randint(0, min(3, len(references)))) for _ in references]
        options = {"tokenize": rng.random() < 0.7, "max_ngram_order": rng.choice([1, 4, 64])}
        np.testing.assert_array_equal(
            native.bleu_statistics(several, systems, **options),
            _python_extraction.bleu_statistics(several, systems, **options),
        )
        chrf_options = {
            "char_order": rng.choice([1, 6, 64]),
            "word_order": rng.choice([0, 2]),
            "whitespace": rng.random() < 0.5,
        }
        np.testing.assert_array_equal(
            native.chrf_statistics(references, systems, **chrf_options),
            _python_extraction.chrf_statistics(references, systems, **chrf_options),
        )
        np.testing.assert_array_equal(
            native.ter_statistics(references, systems), _python_ter.ter_statistics(references, systems)
        )
    print("equal")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
