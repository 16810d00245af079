"""Which reader reads which format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mtsig.corpus.model import EvaluationSet
from mtsig.corpus.parts import choose
from mtsig.errors import ConfigError

__all__ = ["read"]


def read(testset: str, settings: Mapping[str, Any]) -> EvaluationSet:
    """Read a test set in whatever format its settings name.

    Parameters
    ----------
    testset
        Its name.
    settings
        Its settings; ``format`` (default ``"text"``) says which reader is used and which other keys there are.

    Returns
    -------
    EvaluationSet
        All texts of the part that the settings choose, aligned; systems sorted by name.

    Raises
    ------
    ConfigError
        If a setting is impossible or a file is missing.
    InputError
        If a file cannot be used as it is.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for name, text in {"reference": "A house.", "A": "The house.", "B": "A house."}.items():
    ...     _ = (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    >>> settings = {
    ...     "langpair": "de-en",
    ...     "references": str(folder / "reference.txt"),
    ...     "systems": [str(folder / "A.txt"), str(folder / "B.txt")],
    ... }
    >>> read("demo", settings).systems
    {'A': ('The house.',), 'B': ('A house.',)}
    """
    # Imported where they are used, so that reading one format does not load the others, and written out, so that a
    # digest of the code finds them.
    match settings.get("format", "text"):
        case "text":
            from mtsig.corpus.readers.text import read as reader
        case "pythonbible":
            from mtsig.corpus.readers.pythonbible import read as reader
        case "simulated":
            from mtsig.corpus.readers.simulated import read as reader
        case "tsv" | "csv" | "jsonl" | "parquet":
            from mtsig.corpus.readers.tabular import read as reader
        case "mtme":
            from mtsig.corpus.readers.mtme import read as reader
        case "wmt-xml":
            from mtsig.corpus.readers.wmt_xml import read as reader
        case "wmt-sgm":
            from mtsig.corpus.readers.wmt_sgm import read as reader
        case "sacrebleu":
            from mtsig.corpus.readers.sacrebleu_sets import read as reader
        case "arena":
            from mtsig.corpus.readers.arena import read as reader
        case other:
            raise ConfigError(f"testsets.{testset}.format: there is no format {other!r}.")
    return choose(reader(testset, settings), settings)
