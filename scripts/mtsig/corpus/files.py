"""Which files a test set or a metric is made of: paths, globs and the names they give. Light enough for parse time."""

from __future__ import annotations

import glob
import re
import unicodedata
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mtsig.errors import ConfigError

__all__ = ["file_stem", "left_out", "named_files", "one_file", "system_files", "testset_files"]

Settings = Mapping[str, Any]

# The last extension of a file name. It starts with a letter, so that "GPT-4.5" keeps its ".5".
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9_-]*$")


def file_stem(path: Path) -> str:
    """The name that a file gives: without ``.gz`` or ``.xz`` and without its last extension.

    An extension starts with a letter, so a version number at the end is kept.

    Examples
    --------
    >>> [file_stem(Path(name)) for name in ("out/A.txt.gz", "a.b.txt", "GPT-4.5", "news.LMU.4934.en-de")]
    ['A', 'a.b', 'GPT-4.5', 'news.LMU.4934']
    """
    name = re.sub(r"\.(gz|xz)$", "", path.name)
    return _EXTENSION.sub("", name) or name


def one_file(value: object, key: str) -> Path:
    """The file that `value` names literally.

    Raises
    ------
    ConfigError
        If there is no such file.
    """
    path = Path(_text(value, key))
    if path.is_dir():
        raise ConfigError(f"{key}: {str(path)!r} is a folder, but a file is needed.")
    if not path.exists():
        raise ConfigError(f"{key}: there is no file {str(path)!r}. Relative paths start at the working folder.")
    return path


def named_files(value: object, key: str) -> dict[str, Path]:
    """Files and the names they go by.

    Parameters
    ----------
    value
        A name-to-path map, or one path or glob pattern, or a list of those. Without a map the name is the file's
        stem. A path that exists is taken literally even where it holds ``*``, ``?`` or ``[``.
    key
        The configuration key, for messages.

    Returns
    -------
    dict
        Name to path; from a map or list in its order, within a pattern sorted.

    Raises
    ------
    ConfigError
        If a file is missing, a pattern matches nothing, or two files would go by the same name.
    """
    if isinstance(value, Mapping):
        return {_text(name, key): one_file(path, f"{key}.{name}") for name, path in value.items()}
    files: dict[str, Path] = {}
    for item in value if isinstance(value, list | tuple) else [value]:
        for path in _matches(_text(item, key), key):
            name = file_stem(path)
            if files.get(name, path) != path:
                raise ConfigError(
                    f"{key}: {str(files[name])!r} and {str(path)!r} would both be called {name!r}. Name them: "
                    f"{key}: {{NAME: {files[name]}, OTHER: {path}}}."
                )
            files[name] = path
    return files


def _matches(item: str, key: str) -> list[Path]:
    """The files that one path or pattern stands for."""
    if not glob.has_magic(item) or Path(item).exists():
        path = Path(item)
        if path.is_dir():
            raise ConfigError(f"{key}: {item!r} is a folder; write a pattern such as {str(path / '*.txt')!r}.")
        return [one_file(item, key)]
    found = sorted(path for path in map(Path, glob.glob(item, recursive=True)) if path.is_file())  # noqa: PTH207
    if not found:
        raise ConfigError(f"{key}: no file matches {item!r}. Relative paths start at the working folder.")
    return found


def _text(value: object, key: str) -> str:
    if not isinstance(value, str) or not value:
        raise ConfigError(f"{key}: {value!r} is no text; write names and paths in quotes.")
    return value


def left_out(name: str, settings: Settings) -> bool:
    """Whether ``exclude`` names this one (Unicode forms of a name count as one)."""
    normal = unicodedata.normalize("NFC", name)
    return any(normal == unicodedata.normalize("NFC", other) for other in settings.get("exclude") or ())


def system_files(settings: Settings, prefix: str = "") -> dict[str, Path]:
    """The output files of the systems in the order of their names, without those that ``exclude`` names."""
    files = named_files(settings["systems"], f"{prefix}systems")
    kept = {name: files[name] for name in sorted(files) if not left_out(name, settings)}
    if not kept:
        raise ConfigError(f"{prefix}systems: no system is left once {prefix}exclude is applied.")
    return kept


def _text_files(settings: Settings, prefix: str) -> list[Path]:
    files = list(system_files(settings, prefix).values())
    if settings.get("references") is not None:
        files += named_files(settings["references"], f"{prefix}references").values()
    files += [one_file(settings[key], prefix + key) for key in ("source", "documents") if settings.get(key) is not None]
    return files


def _table_files(settings: Settings, prefix: str) -> list[Path]:
    files = [one_file(settings["path"], f"{prefix}path")] if settings.get("path") is not None else []
    if settings.get("outputs") is not None:
        outputs = named_files(settings["outputs"], f"{prefix}outputs")
        files += [path for name, path in outputs.items() if not left_out(name, settings)]
    return files


_FILES_OF: dict[str, Callable[[Settings, str], list[Path]]] = {
    "text": _text_files,
    **dict.fromkeys(("tsv", "csv", "jsonl", "parquet"), _table_files),
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
    return sorted(set(_FILES_OF[settings.get("format", "text")](settings, prefix)))
