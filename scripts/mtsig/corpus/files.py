"""Which files a test set or a metric is made of: paths, globs and the names they give. Light enough for parse time."""

from __future__ import annotations

import glob
import importlib.util
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mtsig.errors import ConfigError, UnavailableError

__all__ = [
    "PYTHONBIBLE_MODULE",
    "MtmeLayout",
    "check_references",
    "file_stem",
    "kept",
    "metric_files",
    "mtme_layout",
    "mtme_score_file",
    "mtme_score_files",
    "named_files",
    "one_file",
    "pythonbible_versions",
    "score_files",
    "some_kept",
    "system_files",
    "testset_files",
    "uncompressed_name",
]

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
    name = uncompressed_name(path)
    return _EXTENSION.sub("", name) or name


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
    for path in found:
        # A name that is no text can stand in no table, and Snakemake cannot write it down either.
        if any("\ud800" <= character <= "\udfff" for character in str(path)):
            raise ConfigError(f"{key}: the file name {str(path)!r} is not in UTF-8. Rename the file.")
    return found


def _text(value: object, key: str) -> str:
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


def some_kept(systems: Iterable[str], settings: Settings, prefix: str = "") -> list[str]:
    """The same, of systems of which at least one must be left.

    Raises
    ------
    ConfigError
        If none is.
    """
    names = kept(systems, settings)
    if not names:
        raise ConfigError(f"{prefix}exclude: no system is left. Exclude fewer.")
    return names


def system_files(settings: Settings, prefix: str = "") -> dict[str, Path]:
    """The output files of the systems in the order of their names, without those that ``exclude`` names."""
    files = named_files(settings["systems"], f"{prefix}systems")
    return {name: files[name] for name in some_kept(files, settings, prefix)}


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
        files += [outputs[name] for name in kept(outputs, settings)]
    return files


@dataclass(frozen=True)
class MtmeLayout:
    """The files of one language pair in a folder of mt-metrics-eval, and the references that are not used."""

    source: Path
    references: dict[str, Path]
    documents: Path | None
    systems: dict[str, Path]
    unused: tuple[str, ...]


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


#: References that were made from system outputs; never used unless asked for.
_SYNTHETIC = frozenset({"synthetic_ref"})


def mtme_layout(settings: Settings, prefix: str = "") -> MtmeLayout:
    """Find the files of a test set of the format ``mtme``.

    Raises
    ------
    ConfigError
        If the folder lacks the language pair, a reference that is named, or any system.
    """
    root, langpair = Path(_text(settings["root"], f"{prefix}root")), settings["langpair"]
    source = root / "sources" / f"{langpair}.txt"
    if not source.is_file():
        there = sorted(path.stem for path in root.glob("sources/*.txt"))
        has = f"It has {', '.join(there)}." if there else "It has no folder `sources` with texts."
        raise ConfigError(f"{prefix}root: {str(root)!r} does not hold {langpair} ({source} is missing). {has}")
    start = f"{langpair}."
    listed = {
        path.name[len(start) : -len(".txt")]: path
        for path in sorted(root.glob("references/*.txt"))
        if path.name.startswith(start)
    }
    wanted = settings.get("references")
    if wanted is None:
        wanted = [name for name in listed if name not in _SYNTHETIC]
    check_references(wanted, listed, holder=repr(str(root)), langpair=langpair, prefix=prefix)
    outputs = {path.name[: -len(".txt")]: path for path in sorted(root.glob(f"system-outputs/{langpair}/*.txt"))}
    human = frozenset() if settings.get("include_references") else listed.keys()
    systems = {name: outputs[name] for name in kept(outputs.keys() - human, settings)}
    if not systems:
        raise ConfigError(f"{prefix}root: no system is left in {root / 'system-outputs' / langpair}.")
    documents = root / "documents" / f"{langpair}.docs"
    return MtmeLayout(
        source=source,
        references={name: listed[name] for name in wanted},
        documents=documents if documents.is_file() else None,
        systems=systems,
        unused=tuple(name for name in listed if name not in wanted),
    )


def mtme_score_files(root: Path, langpair: str) -> dict[str, Path]:
    """All files of segment scores in a folder of mt-metrics-eval: ``COMET-refA``, ``CometKiwi-src``, ``mqm``, ...

    Returns
    -------
    dict
        Name to file, human scores first; a metric's name has its ``-src`` or ``-refX``.
    """
    start, end = f"{langpair}.", ".seg.score"
    human = {
        path.name[len(start) : -len(end)]: path
        for path in sorted(root.glob(f"human-scores/*{end}"))
        if path.name.startswith(start)
    }
    automatic = {path.name[: -len(end)]: path for path in sorted(root.glob(f"metric-scores/{langpair}/*{end}"))}
    return {**human, **automatic}


def mtme_score_file(name: str, settings: Settings, prefix: str = "") -> Path:
    """The file with the scores called `name` for a test set of the format ``mtme``.

    Parameters
    ----------
    name
        A name as in `mtme_score_files`, or one without its last ``-src`` or ``-refX``. Where that fits several
        references, the one that the test set is scored against is taken.
    settings
        The test set's settings.

    Raises
    ------
    ConfigError
        If there is no such file, or several.
    """
    if settings.get("format") != "mtme":
        raise ConfigError(
            f"{prefix}name: {name!r} can be found for test sets of the format mtme only. Say with `metrics` which "
            "metrics each test set has."
        )
    root, langpair = Path(settings["root"]), settings["langpair"]
    files = mtme_score_files(root, langpair)
    if name in files:
        return files[name]
    fitting = [each for each in files if re.sub(r"-(src|ref[^-]*)$", "", each) == name]
    if len(fitting) > 1:
        own = [each for each in fitting if each.rpartition("-")[2] in mtme_layout(settings).references]
        fitting = own if len(own) == 1 else fitting
    if len(fitting) == 1:
        return files[fitting[0]]
    if fitting:
        raise ConfigError(f"{prefix}name: {name!r} may be {' or '.join(fitting)}; give one of these names.")
    raise ConfigError(
        f"{prefix}name: {str(root)!r} has no segment scores called {name!r} for {langpair}. It has "
        f"{', '.join(files) or 'none'}."
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


def metric_files(metric_settings: Settings, testset_settings: Settings, *, prefix: str = "") -> list[Path]:
    """The raw files that a metric reads for a test set, sorted; none for metrics that compute.

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
        case _:
            return []


def _mtme_files(settings: Settings, prefix: str) -> list[Path]:
    layout = mtme_layout(settings, prefix)
    documents = [layout.documents] if layout.documents else []
    return [layout.source, *layout.references.values(), *layout.systems.values(), *documents]


def _xml_files(settings: Settings, prefix: str) -> list[Path]:
    return [one_file(settings["path"], f"{prefix}path")]


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
    return [files[name] for name in kept(files, settings)]


_FILES_OF: dict[str, Callable[[Settings, str], list[Path]]] = {
    "text": _text_files,
    **dict.fromkeys(("tsv", "csv", "jsonl", "parquet"), _table_files),
    "mtme": _mtme_files,
    "arena": _report_files,
    "sacrebleu": _own_files,
    "wmt-xml": _xml_files,
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
    return sorted(set(_FILES_OF[settings.get("format", "text")](settings, prefix)))
