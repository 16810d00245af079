"""Results that no longer belong to the configuration: reported, never deleted, since someone may still want them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

__all__ = ["leftovers"]

#: Folders of a test set that hold files by metric.
_BY_METRIC = ("scores", "systems", "pairs", "groups", "figures", "neural", "truth")
#: What a results folder holds besides test sets: folders by name of a section's entry (None: all one).
_SECTIONS = {"studies": "studies", "suites": "suites", "paper": None}


def leftovers(results: str | os.PathLike[str], settings: Mapping[str, Any]) -> list[Path]:
    """Folders and files of a results tree that this configuration would not make, sorted.

    Parameters
    ----------
    results
        The results folder; it need not exist.
    settings
        What `mtsig.config.load` returned.

    Returns
    -------
    list of pathlib.Path
        Folders of unknown test sets, studies and suites, and files of metrics that a test set does not have.

    Examples
    --------
    >>> leftovers("/no/such/folder", {})
    []
    """
    return sorted(_found(Path(results), settings))


def _found(results: Path, settings: Mapping[str, Any]) -> Iterator[Path]:
    for folder in _folders(results):
        section = _SECTIONS.get(folder.name)
        if section:
            yield from (path for path in _folders(folder) if path.name not in settings[section])
        elif folder.name in settings["testsets"]:
            metrics = settings["testsets"][folder.name]["metrics"] or settings["metrics"]
            for kind in _BY_METRIC:
                files = (path for path in (folder / kind).glob("[!.]*") if path.is_file())
                yield from (path for path in files if path.name.partition(".")[0] not in metrics)
        elif folder.name not in _SECTIONS:
            yield folder


def _folders(folder: Path) -> list[Path]:
    return [path for path in folder.glob("[!.]*") if path.is_dir()]
