"""What can be known to be wrong before any job runs: missing files and packages, unknown systems, no place to write to.

Light enough to run whenever the workflow is read: files are opened only where a suite, a study or the paper needs to
know what is in them, and no more than a few megabytes of them; no package is imported.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mtsig.corpus.rawfiles import known_segments, known_systems, metric_files, testset_files
from mtsig.errors import ConfigError, InputError, UnavailableError
from mtsig.metrics import catalog
from mtsig.resampling.adjust import check_resamples
from mtsig.steps.cells import listed
from mtsig.steps.named_systems import NamedSystems

__all__ = ["preflight"]

#: What resampling takes per system and resample, measured with BLEU: its statistics are summed as sacreBLEU does, too.
_BYTES_PER_REPLICATE = 150


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
        If a file or a named system is missing, a pattern matches nothing, an option is impossible, does not fit into
        memory, or could never give a result, naming the key.
    InputError
        If a file may not be read, or one that has to be read for names cannot be used.
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
        NamedSystems(settings).check()
        _check_subset_sizes(settings)
        _check_memory(settings)
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
    """Folders that are files, or are not there and cannot be made: Snakemake says so by a traceback.

    Some file systems, such as /proc, tell only when they are asked to make one: it is taken away again.
    """
    for folder in folders:
        there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
        if not there.is_dir():
            raise UnavailableError(f"{there}: is a file, but a folder is needed to write to. Move it away.")
        if there != folder and not os.access(there, os.W_OK):
            raise UnavailableError(f"{folder}: cannot be made, since there is no permission to write to {there}.")
        if there != folder:
            trial = there / f".mtsig-{os.getpid()}"
            try:
                trial.mkdir()
                trial.rmdir()
            except OSError as error:
                raise UnavailableError(f"{folder}: cannot be made in {there} ({error.strerror}).") from None


def _check_memory(settings: Mapping[str, Any]) -> None:
    """Replicates of all systems that no memory of this machine could hold."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    sizes = {testset: len(known_systems(options) or "ab") for testset, options in settings["testsets"].items()}
    asked = [(f"testsets.{name}.", testset, [name]) for name, testset in settings["testsets"].items()]
    asked += [(f"studies.{name}.", study, listed(study["testset"])) for name, study in settings["studies"].items()]
    asked += [(f"suites.{name}: ", settings, suite["testsets"]) for name, suite in settings["suites"].items()]
    for key, options, testsets in asked:
        n_systems = max(sizes[testset] for testset in testsets)
        largest = memory // (_BYTES_PER_REPLICATE * n_systems)
        for n_resamples in listed(options.get("n_resamples", 0)):
            if n_resamples > largest:
                raise ConfigError(
                    f"{key}n_resamples: {n_resamples} resamples of {n_systems} systems do not fit into this machine's "
                    f"memory of {memory / 1e9:.1f} GB. At most {largest} do."
                )


def _check_subset_sizes(settings: Mapping[str, Any]) -> None:
    """Calibration studies whose smaller test sets would all be larger than the test set."""
    for name, study in settings["studies"].items():
        for testset in listed(study["testset"]) if study["kind"] == "calibration" else ():
            number = known_segments(settings["testsets"][testset])
            if number is not None and min(study["subset_sizes"]) > number:
                raise ConfigError(
                    f"studies.{name}.subset_sizes: {testset} has only {number} segments, so it cannot be divided into "
                    f"sets of {min(study['subset_sizes'])}. Give a smaller size."
                )


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
