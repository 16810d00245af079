"""What can be known to be wrong before any job runs: missing files, empty patterns, packages that are not installed.

Light enough to run whenever the workflow is read: no file is opened, no package imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mtsig.corpus.rawfiles import metric_files, testset_files
from mtsig.errors import ConfigError
from mtsig.metrics import catalog

__all__ = ["preflight"]


def preflight(settings: Mapping[str, Any]) -> None:
    """Check that everything that the settings name is there.

    Metrics that need a GPU are left out: what they need is checked when they are asked for.

    Parameters
    ----------
    settings
        What `mtsig.config.load` returned.

    Raises
    ------
    ConfigError
        If a file is missing, a pattern matches nothing or an option is impossible, naming the key.
    UnavailableError
        If a package that a metric needs is not installed.
    """
    for testset, its in settings["testsets"].items():
        testset_files(its, prefix=f"testsets.{testset}.")
        _check_documents(settings, testset)
        for metric in its["metrics"] or settings["metrics"]:
            options = settings["metrics"][metric]
            if not catalog.kind_of(metric, options).gpu:
                catalog.check(metric, options, its["langpair"])
                metric_files(options, its, prefix=f"metrics.{metric}.")


def _check_documents(settings: Mapping[str, Any], testset: str) -> None:
    """Plain text has no documents but those of a file of their own; other formats show theirs when they are read."""
    its = settings["testsets"][testset]
    if settings["resample_unit"] == "document" and its["format"] == "text" and its["documents"] is None:
        raise ConfigError(
            f"testsets.{testset}.documents: is missing, and resample_unit is document. Name a file with one row per "
            "segment, or set resample_unit to segment."
        )
