"""What can be known to be wrong before any job runs: missing files and packages, empty patterns, no place to write to.

Light enough to run whenever the workflow is read: no file is opened, no package imported.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mtsig.corpus.rawfiles import known_systems, metric_files, testset_files
from mtsig.errors import ConfigError, InputError, UnavailableError
from mtsig.metrics import catalog
from mtsig.resampling.adjust import check_resamples

__all__ = ["preflight"]


def preflight(settings: Mapping[str, Any], folders: Iterable[Path]) -> None:
    """Check that everything that the settings name is there, and that results have a place.

    Metrics that need a GPU are left out: what they need is checked when they are asked for.

    Parameters
    ----------
    settings
        What `mtsig.config.load` returned.
    folders
        Where the run is to write.

    Raises
    ------
    ConfigError
        If a file is missing, a pattern matches nothing, an option is impossible or an adjustment could never give a
        star, naming the key.
    InputError
        If a file may not be read.
    UnavailableError
        If a package that a metric needs is not installed, or a folder cannot be made.
    """
    try:
        for testset, its in settings["testsets"].items():
            _check_readable(testset_files(its, prefix=f"testsets.{testset}."))
            _check_documents(settings, testset)
            _check_adjustment(settings, testset)
            for metric in its["metrics"] or settings["metrics"]:
                options = settings["metrics"][metric]
                if not catalog.kind_of(metric, options).gpu:
                    catalog.check(metric, options, its["langpair"])
                    _check_readable(metric_files(options, its, prefix=f"metrics.{metric}."))
        _check_places(folders)
    except OSError as error:
        # A folder that may not be entered.
        raise InputError(f"{error.filename}: cannot be read ({error.strerror}).") from None


def _check_readable(files: Iterable[Path]) -> None:
    """A file that may not be read has no digest, so it is refused before Snakemake asks for one."""
    for path in files:
        if path.exists() and not os.access(path, os.R_OK):
            raise InputError(f"{path}: there is no permission to read this file.")


def _check_places(folders: Iterable[Path]) -> None:
    """Folders that are files, or are not there and cannot be made: Snakemake says so by a traceback."""
    for folder in folders:
        there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
        if not there.is_dir():
            raise UnavailableError(f"{there}: is a file, but a folder is needed to write to. Move it away.")
        if there != folder and not os.access(there, os.W_OK):
            raise UnavailableError(f"{folder}: cannot be made, since there is no permission to write to {there}.")


def _check_documents(settings: Mapping[str, Any], testset: str) -> None:
    """Plain text has no documents but those of a file of their own; other formats show theirs when they are read."""
    its = settings["testsets"][testset]
    if its["resample_unit"] == "document" and its["format"] == "text" and its["documents"] is None:
        raise ConfigError(
            f"testsets.{testset}.documents: is missing, and resample_unit is document. Name a file with one row per "
            "segment, or set resample_unit to segment."
        )


def _check_adjustment(settings: Mapping[str, Any], testset: str) -> None:
    """Too few resamples for so many pairs; test sets whose systems are not known yet have one pair at least."""
    its = settings["testsets"][testset]
    metrics = {name: settings["metrics"][name] for name in its["metrics"] or settings["metrics"]}
    if all(catalog.direction_of(name, options) is None for name, options in metrics.items()):
        return
    systems = known_systems(its, prefix=f"testsets.{testset}.")
    check_resamples(
        its["adjust"],
        n_pairs=1 if systems is None else math.comb(len(systems), 2),
        n_resamples=its["n_resamples"],
        alpha=its["alpha"],
    )
