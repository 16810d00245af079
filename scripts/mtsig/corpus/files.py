"""Paths, globs and the names they give; which systems are left, and which references there are."""

from __future__ import annotations

import glob
import importlib.util
import logging
import re
import stat
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mtsig.errors import ConfigError, suggestion

__all__ = [
    "Settings",
    "check_excluded",
    "check_references",
    "checked_text",
    "file_stem",
    "function_file",
    "kept",
    "log_short_names",
    "named_files",
    "named_outputs",
    "one_file",
    "score_files",
    "short_names",
    "some_kept",
    "system_files",
    "uncompressed_name",
]

Settings = Mapping[str, Any]

_LOG = logging.getLogger(__name__)

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
    name = uncompressed_name(path)
    return _EXTENSION.sub("", name) or name


def function_file(function: object, prefix: str = "") -> Path:
    """The source file of a function that is written as ``module:name``.

    A module in the working folder goes before an installed one. Nothing is imported but the packages that a dotted name
    leads through.

    Raises
    ------
    ConfigError
        If there is no such module, or it has no source file.

    Examples
    --------
    >>> function_file("json.decoder:JSONDecoder").name
    'decoder.py'
    """
    text = checked_text(function, f"{prefix}function")
    module, colon, name = text.partition(":")
    if not colon or not all(part.isidentifier() for part in (*module.split("."), *name.split("."))):
        raise ConfigError(f"{prefix}function: {text!r} is not written as module:name.")
    place = Path(*module.split("."))
    for path in (place.with_suffix(".py"), place / "__init__.py"):
        if path.is_file():
            return path
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        spec = None
    if spec is None or spec.origin is None or not Path(spec.origin).is_file():
        raise ConfigError(
            f"{prefix}function: there is no module {module!r}; it is looked for as {place.with_suffix('.py')} in the "
            "working folder, then among installed packages."
        )
    return Path(spec.origin)


def uncompressed_name(path: Path) -> str:
    """The name of a file without ``.gz`` or ``.xz``."""
    return re.sub(r"\.(gz|xz)$", "", path.name)


def one_file(value: object, key: str) -> Path:
    """The file that `value` names literally.

    Raises
    ------
    ConfigError
        If there is no such file.
    """
    path = Path(checked_text(value, key))
    match _what_is(path, key):
        case "file":
            return path
        case "nothing":
            raise ConfigError(f"{key}: there is no file {str(path)!r}. Relative paths start at the working folder.")
        case other:
            raise ConfigError(f"{key}: {str(path)!r} is a {other}, but a file is needed.")


def _what_is(path: Path, key: str) -> str:
    """``file``, ``folder``, ``device or pipe`` (which may have no end), or ``nothing``."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return "nothing"
    except OSError as error:
        raise ConfigError(f"{key}: {str(path)!r} cannot be read ({error.strerror}).") from None
    return "file" if stat.S_ISREG(mode) else "folder" if stat.S_ISDIR(mode) else "device or pipe"


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
        return {checked_text(name, key): one_file(path, f"{key}.{name}") for name, path in value.items()}
    files: dict[str, Path] = {}
    for item in value if isinstance(value, list | tuple) else [value]:
        for path in _matches(checked_text(item, key), key):
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
    path = Path(item)
    if not glob.has_magic(item) or _what_is(path, key) != "nothing":
        if _what_is(path, key) == "folder":
            raise ConfigError(f"{key}: {item!r} is a folder; write a pattern such as {str(path / '*.txt')!r}.")
        return [one_file(item, key)]
    found = sorted(path for path in map(Path, glob.glob(item, recursive=True)) if path.is_file())  # noqa: PTH207
    if not found:
        raise ConfigError(f"{key}: no file matches {item!r}. Relative paths start at the working folder.")
    for path in found:
        # A name that is no text can stand in no table, and Snakemake cannot write it down either.
        if any("\ud800" <= character <= "\udfff" for character in str(path)):
            raise ConfigError(f"{key}: the file name {str(path)!r} is not in UTF-8. Rename the file.")
    return found


def checked_text(value: object, key: str) -> str:
    """The name or path that a key holds; refuses what is no text, or an empty one."""
    if not isinstance(value, str) or not value:
        raise ConfigError(f"{key}: {value!r} is no text; write names and paths in quotes.")
    return value


def kept(systems: Iterable[str], settings: Settings) -> list[str]:
    """The systems that ``exclude`` does not name, sorted; Unicode forms of a name count as one.

    Examples
    --------
    >>> kept(["B", "caf\u00e9", "A"], {"exclude": ["cafe\u0301"]})
    ['A', 'B']
    """
    excluded = {unicodedata.normalize("NFC", name) for name in settings.get("exclude") or ()}
    return sorted(name for name in systems if unicodedata.normalize("NFC", name) not in excluded)


def check_excluded(systems: Iterable[str], settings: Settings, prefix: str = "") -> None:
    """Refuse names in ``exclude`` that no system has.

    Raises
    ------
    ConfigError
        Naming the first one, the system that may be meant, and all systems.
    """
    known = {unicodedata.normalize("NFC", name) for name in systems}
    excluded = settings.get("exclude") or ()
    unknown = next((name for name in excluded if unicodedata.normalize("NFC", name) not in known), None)
    if unknown is not None:
        raise ConfigError(
            f"{prefix}exclude: there is no system {unknown!r}. "
            f"{suggestion(unicodedata.normalize('NFC', unknown), sorted(known))}"
        )


def some_kept(systems: Iterable[str], settings: Settings, prefix: str = "") -> list[str]:
    """The same, of all systems of a test set, of which at least one must be left.

    Raises
    ------
    ConfigError
        If none is, or ``exclude`` names one that is not there.
    """
    systems = list(systems)
    check_excluded(systems, settings, prefix)
    names = kept(systems, settings)
    if not names:
        raise ConfigError(f"{prefix}exclude: no system is left. Exclude fewer.")
    return names


def system_files(settings: Settings, prefix: str = "") -> dict[str, Path]:
    """The output files of the systems in the order of their names, without those that ``exclude`` names."""
    files = named_outputs(settings, "systems", prefix)
    return {name: files[name] for name in some_kept(files, settings, prefix)}


def named_outputs(settings: Settings, key: str, prefix: str = "") -> dict[str, Path]:
    """The files of the systems that a setting names; with ``short_names`` by what tells their names apart.

    Raises
    ------
    ConfigError
        See `named_files`.
    """
    files = named_files(settings[key], f"{prefix}{key}")
    if not settings.get("short_names") or isinstance(settings[key], Mapping):
        return files
    return dict(zip(short_names(list(files)), files.values(), strict=True))


def log_short_names(settings: Settings, files: Mapping[str, Path], prefix: str) -> None:
    """Say in the log which systems go by short names."""
    if settings.get("short_names"):
        renamed = [f"{path.name} is {name}" for name, path in files.items() if file_stem(path) != name]
        _LOG.info("%sshort_names: %s", prefix, ", ".join(renamed) or "all names stay as they are")


def short_names(names: Sequence[str]) -> list[str]:
    """Names without the fields at the start and at the end that all of them share; dots separate fields.

    The names are left as they are where one would have no field left, or two would be the same.

    Examples
    --------
    >>> short_names(["newstest2021.en-de.hyp.Facebook-AI", "newstest2021.en-de.hyp.Online-A"])
    ['Facebook-AI', 'Online-A']
    >>> short_names(["run.A", "run"]), short_names(["A"]), short_names(["x.1.en", "x.2.en"])
    (['run.A', 'run'], ['A'], ['1', '2'])
    """
    fields = [name.split(".") for name in names]
    shortest = min(map(len, fields), default=0)
    if len(fields) < 2:
        return list(names)
    start = next((place for place in range(shortest) if len({each[place] for each in fields}) > 1), shortest)
    end = next((place for place in range(shortest - start) if len({each[-1 - place] for each in fields}) > 1), 0)
    short = [".".join(each[start : len(each) - end]) for each in fields]
    return short if all(short) and len(set(short)) == len(short) else list(names)


def check_references(wanted: Iterable[str], there: Iterable[str], *, holder: str, langpair: str, prefix: str) -> None:
    """Refuse references that are named and not there.

    Raises
    ------
    ConfigError
        Naming the first one, and those that `holder` has.
    """
    known = list(there)
    unknown = next((name for name in wanted if name not in known), None)
    if unknown is not None:
        raise ConfigError(
            f"{prefix}references: {holder} has no reference {unknown!r} for {langpair}. It has "
            f"{', '.join(known) or 'none'}."
        )


def score_files(settings: Settings, langpair: str, prefix: str = "") -> dict[str, Path]:
    """The files of a metric of kind ``precomputed``, by the names of their systems.

    Paths may hold ``{langpair}``.
    """

    def filled(value: object) -> object:
        if isinstance(value, str):
            return value.replace("{langpair}", langpair)
        if isinstance(value, Mapping):
            return {name: filled(item) for name, item in value.items()}
        return [filled(item) for item in value] if isinstance(value, list | tuple) else value

    return named_files(filled(settings["scores"]), f"{prefix}scores")
