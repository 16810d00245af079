"""Let atheris search for inputs on which a reader, the configuration or the extension fails.

Usage: python fuzz_readers.py TARGET [options of libFuzzer, such as -max_total_time=300]. Targets are the formats of
`hostile.TESTSETS`, the files of `hostile.SCORES`, `config` and `kernels`. Needs `pip install atheris`. It ends at the
first input that does anything but be read or be refused in one line.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import atheris

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).resolve().parents[1])]

with atheris.instrument_imports(include=["mtsig.corpus", "mtsig.config", "mtsig.configfiles"]):
    import test_fuzz_config
    import test_fuzz_readers
    from hostile import SCORES, TESTSETS, refused, write_testset
    from mtsig.corpus.reading import read


def reader(which: str, folder: str) -> Callable[[bytes], object]:
    """A function that reads a test set with the given bytes as its main file."""
    settings = write_testset(Path(folder), which)
    main = Path(folder, next(iter(TESTSETS[which][1])))

    def read_bytes(data: bytes) -> None:
        main.write_bytes(data)
        refused(lambda: read("t", settings))

    return read_bytes


def kernels(data: bytes) -> None:
    """Both ways of extraction on the same texts, of which the input is made."""
    import numpy as np
    from mtsig.kernels import _native_extraction, _python_extraction, _python_ter

    text = data.decode("utf-8", "replace")
    references, first, second = (text.split("\n")[start::3] for start in range(3))
    n_segments = min(len(references), len(first), len(second), 20)
    if not n_segments:
        return
    references, systems = references[:n_segments], [first[:n_segments], second[:n_segments]]
    several = [[reference] for reference in references]
    np.testing.assert_array_equal(
        _native_extraction.bleu_statistics(several, systems, tokenize=True, max_ngram_order=4),
        _python_extraction.bleu_statistics(several, systems, tokenize=True, max_ngram_order=4),
    )
    options = {"char_order": 6, "word_order": 2, "whitespace": False}
    np.testing.assert_array_equal(
        _native_extraction.chrf_statistics(references, systems, **options),
        _python_extraction.chrf_statistics(references, systems, **options),
    )
    np.testing.assert_array_equal(
        _native_extraction.ter_statistics(references, systems), _python_ter.ter_statistics(references, systems)
    )


def main() -> None:
    which, *options = sys.argv[1:]
    with tempfile.TemporaryDirectory() as corpus, tempfile.TemporaryDirectory() as folder:
        target: Callable[[bytes], object]
        if which in TESTSETS:
            target, seed = reader(which, folder), next(iter(TESTSETS[which][1].values()))
        elif which in SCORES:
            target, seed = lambda data: test_fuzz_readers.joined(which, data), SCORES[which]
        else:
            target = {"config": test_fuzz_config.loaded, "kernels": kernels}[which]
            seed = test_fuzz_config.CONFIG
        Path(corpus, "seed").write_bytes(seed)
        atheris.Setup([sys.argv[0], *options, corpus], lambda data: target(data) and None)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
