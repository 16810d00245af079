"""Which files a test set or a metric is made of: known when the workflow is read, and light enough for it."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

from mtsig.corpus.files import (
    Settings,
    function_file,
    kept,
    named_files,
    named_outputs,
    one_file,
    score_files,
    some_kept,
    system_files,
    uncompressed_name,
)
from mtsig.corpus.mtmefolder import mtme_layout, mtme_score_file
from mtsig.errors import UnavailableError

__all__ = [
    "PYTHONBIBLE_MODULE",
    "known_segments",
    "known_systems",
    "metric_files",
    "pythonbible_versions",
    "testset_files",
]


def metric_files(metric_settings: Settings, testset_settings: Settings, *, prefix: str = "") -> list[Path]:
    """The raw files that a metric reads for a test set, sorted, and the source of a user's function; else none.

    Parameters
    ----------
    metric_settings, testset_settings
        The settings with their defaults filled in, the metric's ``kind`` among them.
    prefix
        What messages put before a key, such as ``"metrics.mine."``.

    Raises
    ------
    ConfigError
        If a file is missing, naming the key.
    """
    match metric_settings.get("kind"):
        case "precomputed":
            return sorted(set(score_files(metric_settings, testset_settings["langpair"], prefix).values()))
        case "mtme":
            return [mtme_score_file(metric_settings["name"], testset_settings, prefix)]
        case "function":
            return [function_file(metric_settings["function"], prefix)]
        case _:
            return []


def _text_files(settings: Settings, prefix: str) -> list[Path]:
    files = list(system_files(settings, prefix).values())
    if settings.get("references") is not None:
        files += named_files(settings["references"], f"{prefix}references").values()
    files += [one_file(settings[key], prefix + key) for key in ("source", "documents") if settings.get(key) is not None]
    return files


def _table_files(settings: Settings, prefix: str) -> list[Path]:
    files = [one_file(settings["path"], f"{prefix}path")] if settings.get("path") is not None else []
    if settings.get("outputs") is not None:
        outputs = named_outputs(settings, "outputs", prefix)
        files += [outputs[name] for name in kept(outputs, settings)]
    return files


def _mtme_files(settings: Settings, prefix: str) -> list[Path]:
    layout = mtme_layout(settings, prefix)
    documents = [layout.documents] if layout.documents else []
    return [layout.source, *layout.references.values(), *layout.systems.values(), *documents]


def _xml_files(settings: Settings, prefix: str) -> list[Path]:
    return [one_file(settings["path"], f"{prefix}path")]


def _sgm_files(settings: Settings, prefix: str) -> list[Path]:
    files = [one_file(settings["source"], f"{prefix}source")] if settings.get("source") is not None else []
    for key in ("references", "systems"):
        if settings.get(key) is not None:
            files += named_files(settings[key], prefix + key).values()
    return files


#: Where a translation of the Bible lies in the package that brings it.
PYTHONBIBLE_MODULE = "pythonbible_{}.plain_text_readers_bible"


def pythonbible_versions(settings: Settings, prefix: str = "") -> list[str]:
    """The codes of the Bible translations of a test set: the reference, then the systems that are not left out.

    Raises
    ------
    ConfigError
        If no system is left.
    UnavailableError
        If a package is not installed.
    """
    versions = [settings["reference"], *some_kept(settings["systems"], settings, prefix)]
    for version in versions:
        if importlib.util.find_spec(f"pythonbible_{version.lower()}") is None:
            raise UnavailableError(
                f"{prefix}systems: the Bible translation {version} needs the package pythonbible-{version.lower()}. "
                "Install those of the shipped study with: pip install -e '.[bible]'."
            )
    return versions


def _pythonbible_files(settings: Settings, prefix: str) -> list[Path]:
    specs = [
        importlib.util.find_spec(PYTHONBIBLE_MODULE.format(version.lower()))
        for version in pythonbible_versions(settings, prefix)
    ]
    return [Path(spec.origin) for spec in specs if spec is not None and spec.origin is not None]


def _own_files(settings: Settings, prefix: str) -> list[Path]:
    # The rest stands in sacreBLEU's cache, which may not be there yet.
    if settings.get("systems") is None:
        return []
    files = named_files(settings["systems"], f"{prefix}systems")
    return [files[name] for name in kept(files, settings)]


def _report_files(settings: Settings, prefix: str) -> list[Path]:
    files = named_files(settings["reports"], f"{prefix}reports")
    return [files[name] for name in some_kept(files, settings, prefix)]


_FILES_OF: dict[str, Callable[[Settings, str], list[Path]]] = {
    "text": _text_files,
    **dict.fromkeys(("tsv", "csv", "jsonl", "parquet"), _table_files),
    "mtme": _mtme_files,
    "arena": _report_files,
    "sacrebleu": _own_files,
    "wmt-xml": _xml_files,
    "wmt-sgm": _sgm_files,
    "pythonbible": _pythonbible_files,
    "simulated": lambda settings, prefix: [],
}


def testset_files(settings: Settings, *, prefix: str = "") -> list[Path]:  # noqa: PT028 (not a test)
    """Every raw file of a test set, sorted; what the ingest job depends on.

    Parameters
    ----------
    settings
        The test set's settings with their defaults filled in.
    prefix
        What messages put before a key, such as ``"testsets.wmt23-en-de."``.

    Raises
    ------
    ConfigError
        If a file is missing or a pattern matches nothing, naming the key.
    """
    files = _FILES_OF[settings.get("format", "text")](settings, prefix)
    for key in ("only", "without"):
        segments = (settings.get(key) or {}).get("segments")
        if isinstance(segments, str):
            files.append(one_file(segments, f"{prefix}{key}.segments"))
    return sorted(set(files))


def known_systems(settings: Settings, *, prefix: str = "") -> list[str] | None:
    """The systems of a test set, or None where only its files tell.

    Parameters
    ----------
    settings, prefix
        See `testset_files`.
    """
    match settings.get("format", "text"):
        case "text":
            return list(system_files(settings, prefix))
        case "arena":
            return some_kept(named_files(settings["reports"], f"{prefix}reports"), settings, prefix)
        case "mtme":
            return list(mtme_layout(settings, prefix).systems)
        case "pythonbible" | "simulated":
            return some_kept(settings["systems"], settings, prefix)
        case _:
            return None


def known_segments(settings: Settings, *, prefix: str = "") -> int | None:
    """How many segments a test set has; None where that takes more than counting lines.

    Parameters
    ----------
    settings, prefix
        See `testset_files`.
    """
    if settings.get("only") or settings.get("without"):
        return None
    match settings.get("format", "text"):
        case "simulated":
            return int(settings["segments"])
        case "text":
            file = next(iter(system_files(settings, prefix).values()))
        case "mtme":
            file = mtme_layout(settings, prefix).source
        case _:
            return None
    if uncompressed_name(file) != file.name:
        return None
    lines, block = 0, b"\n"
    with file.open("rb") as stream:
        while following := stream.read(1 << 20):
            block = following
            lines += block.count(b"\n")
    return lines + (not block.endswith(b"\n"))
