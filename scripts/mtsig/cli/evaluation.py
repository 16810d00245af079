"""From files named on the command line to results: the steps of the workflow, run one after the other here."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mtsig.report.results import MetricResult

__all__ = ["UNKNOWN_LANGPAIR", "evaluate", "kinds", "stdin_as_file", "text_settings"]

#: The language pair of texts whose languages nobody named (ISO 639 code of an undetermined language).
UNKNOWN_LANGPAIR = "und-und"


@contextlib.contextmanager
def stdin_as_file(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """The same paths, with ``-`` replaced by a file called ``stdin`` that holds what stands in the standard input."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "stdin.txt")
        if Path("-") in paths:
            file.write_bytes(sys.stdin.buffer.read())
        yield [file if path == Path("-") else path for path in paths]


def text_settings(
    reference: Path,
    systems: Sequence[Path],
    *,
    langpair: str,
    source: Path | None = None,
    documents: Path | None = None,
) -> dict[str, Any]:
    """The settings of a test set of plain text files, as a config would have them: systems go by their files' stems."""
    return {
        "format": "text",
        "langpair": langpair,
        "source": str(source) if source else None,
        "references": {"reference": str(reference)},
        "documents": str(documents) if documents else None,
        "systems": [str(path) for path in systems],
        "exclude": [],
        "missing_text": None,
    }


def kinds(names: Sequence[str] | None) -> dict[str, dict[str, Any]]:
    """Metrics named by their kinds, with default options; BLEU and chrF where none is named."""
    return {name: {"kind": name} for name in names or ("bleu", "chrf")}


def evaluate(
    settings: Mapping[str, Any],
    metrics: Mapping[str, Mapping[str, Any]],
    *,
    testset: str = "test",
    missing: str = "error",
    **options: Any,
) -> list[MetricResult]:
    """Read a test set, score all its systems and compare them: what the workflow writes, without its files.

    Parameters
    ----------
    settings
        The test set's settings.
    metrics
        Metrics and their settings, in the order of the results.
    testset
        Its name in the results.
    missing
        What to do about segments without a score, ``error`` or ``intersect``.
    **options
        Those of `mtsig.steps.resample.resample` about drawing and testing.

    Returns
    -------
    list of MetricResult
        One for each metric.
    """
    from mtsig.metrics.catalog import check
    from mtsig.report.results import read_results
    from mtsig.steps.ingest import ingest
    from mtsig.steps.resample import resample
    from mtsig.steps.score import score

    langpair = settings["langpair"]
    for metric, metric_settings in metrics.items():
        check(metric, metric_settings, langpair)
    with TemporaryDirectory() as name:
        folder = Path(name)
        segments, hypotheses = folder / "segments.parquet", folder / "hypotheses.parquet"
        ingest(testset=testset, settings=settings, segments=segments, hypotheses=hypotheses, lint=folder / "lint.json")
        common = {"segments": segments, "testset": testset, "langpair": langpair, "missing": missing}
        systems, pairs = [], []
        for number, (metric, metric_settings) in enumerate(metrics.items()):
            paths = {table: folder / f"{number}.{table}.parquet" for table in ("scores", "systems", "pairs", "groups")}
            this: dict[str, Any] = {"metric": metric, "settings": metric_settings, **common}
            score(hypotheses=hypotheses, scores=paths["scores"], testset_settings=settings, **this)
            resample(**paths, **this, **options)
            systems.append(paths["systems"])
            pairs.append(paths["pairs"])
        return read_results(systems, pairs)
