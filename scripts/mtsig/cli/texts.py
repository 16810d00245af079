"""What is named on a command line: text files, names of systems, metrics with options."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mtsig.errors import ConfigError, InputError, MtsigError

__all__ = [
    "STDIN",
    "TESTSET",
    "UNKNOWN_LANGPAIR",
    "files_on_disk",
    "is_file",
    "metrics",
    "named",
    "require_file",
    "text_settings",
]

#: The language pair of texts whose languages nobody named (ISO 639 code of an undetermined language).
UNKNOWN_LANGPAIR = "und-und"

#: What the texts of a command are called in results.
TESTSET = "test"

#: An argument that stands for the standard input.
STDIN = "-"

_LANGPAIR = re.compile(r"[A-Za-z]{2,3}([_@][A-Za-z0-9]+)*-[A-Za-z]{2,3}([-_@][A-Za-z0-9]+)*")


@contextlib.contextmanager
def files_on_disk(arguments: Sequence[str], *, suffix: str = ".txt") -> Iterator[list[str]]:
    """The same arguments, with files in place of what can be read only once: ``-``, the standard input, and pipes.

    Pipes are what a shell makes of ``<(zcat reference.gz)``. The file of the standard input is called ``stdin``. Errors
    that are raised inside name what was given.

    Parameters
    ----------
    arguments
        Paths, or ``NAME=PATH``.
    suffix
        Of the files.

    Raises
    ------
    ConfigError
        If the standard input is asked for twice.
    """
    given = [(argument, named(argument)[1]) for argument in arguments]
    once = [path for _, path in given if path == STDIN or _is_pipe(path)]
    if once.count(STDIN) > 1:
        raise ConfigError("-: the standard input can be read only once; give the other texts as files.")
    if not once:
        yield list(arguments)
        return
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        files = {}
        for number, path in enumerate(dict.fromkeys(once)):
            # In a folder of its own: pipes in different places may have one name.
            file = Path(folder, str(number), f"{'stdin' if path == STDIN else Path(path).name}{suffix}")
            file.parent.mkdir()
            file.write_bytes(sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes())
            files[path] = str(file)
        try:
            yield [argument.removesuffix(path) + files.get(path, path) for argument, path in given]
        except MtsigError as error:
            message = str(error)
            for path, file_name in files.items():
                message = message.replace(file_name, "stdin" if path == STDIN else path)
            raise type(error)(message) from None


def _is_pipe(path: str) -> bool:
    """Whether this is a pipe with a name, which is empty once it was read."""
    try:
        return Path(path).is_fifo()
    except (OSError, ValueError):
        return False


def text_settings(
    reference: str,
    systems: Sequence[str],
    *,
    langpair: str = UNKNOWN_LANGPAIR,
    source: Path | None = None,
    documents: Path | None = None,
    references: Sequence[Path] | None = None,
) -> dict[str, Any]:
    """The settings of a test set of plain text files, as a config would have them.

    Parameters
    ----------
    reference
        File with the reference.
    systems
        Files with outputs; a system goes by its file's stem, or by the name in ``NAME=PATH``.
    langpair, source, documents
        As in a config.
    references
        Further references.

    Raises
    ------
    ConfigError
        If two systems would go by the same name, or the language pair is none.
    InputError
        If a file is missing.
    """
    from mtsig.corpus.files import file_stem

    if not _LANGPAIR.fullmatch(langpair):
        raise ConfigError(
            f"--langpair: {langpair!r} is no language pair; write it source-target, as in en-de or zh-en."
        )
    if is_sgm(reference):
        return _sgm_settings([reference, *map(str, references or ())], systems, langpair, source, documents)
    files: dict[str, str] = {}
    for argument in systems:
        name, path = named(argument)
        name = name or file_stem(Path(path))
        if name in files:
            raise ConfigError(
                f"{files[name]} and {path} would both be called {name!r}. Name them: {name}={files[name]} OTHER={path}."
            )
        files[name] = path
    texts = {"reference": reference}
    for number, further in enumerate(references or (), start=2):
        texts[f"reference{number}"] = str(further)
    optional = {"source": source, "documents": documents}
    chosen = {key: str(path) for key, path in optional.items() if path is not None}
    for path in (*texts.values(), *chosen.values(), *files.values()):
        require_file(path)
        if is_report(path):
            raise ConfigError(f"{path}: is a report, not a text. `mtsig test`, `compare` and `lint` take reports.")
    return {"format": "text", "langpair": langpair, "references": texts, **chosen, "systems": files, "exclude": []}


def is_sgm(path: str) -> bool:
    """Whether a file is called like SGML of WMT."""
    return re.search(r"\.sgml?(\.gz|\.xz)?$", path.lower()) is not None


def _sgm_settings(
    references: Sequence[str], systems: Sequence[str], langpair: str, source: Path | None, documents: Path | None
) -> dict[str, Any]:
    """The settings of a test set of SGML files, which name systems and documents themselves."""
    if documents is not None:
        raise ConfigError("--documents: documents stand in the SGML files. Leave it out.")
    files = [named(argument) for argument in systems]
    names = [name for name, _ in files if name is not None]
    if names and len(names) < len(files):
        raise ConfigError("NAME=PATH: name all systems, or none: SGML files name their systems themselves.")
    for path in (*references, *(path for _, path in files), *([str(source)] if source else ())):
        require_file(path)
        if not is_sgm(path):
            raise ConfigError(f"{path}: is not called .sgm as {references[0]} is. Give all texts in one format.")
    settings: dict[str, Any] = {"format": "wmt-sgm", "langpair": langpair, "exclude": []}
    settings["references"] = list(references)
    if len(references) > 1:
        settings["references"] = {f"reference{number}": path for number, path in enumerate(references, start=1)}
    settings["systems"] = {name: path for name, path in files if name} or [path for _, path in files]
    return {**settings, "source": str(source)} if source is not None else settings


def is_report(path: str) -> bool:
    """Whether a file is called like a report of mt-eval-harness."""
    return path.lower().endswith((".json", ".json.gz", ".json.xz"))


def is_file(path: str) -> bool:
    """Whether there is such a file; a text that is no path is none."""
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def require_file(path: str) -> None:
    """Refuse a path that is no file.

    Raises
    ------
    InputError
        If it is not there or is a folder.
    """
    if not is_file(path):
        # Unlike pathlib's, this takes names that no file system can have.
        folder = f"this is a folder; name files in it, as in {Path(path) / '*.txt'}"
        is_folder = os.path.isdir(path)  # noqa: PTH112
        raise InputError(f"{path}: {folder if is_folder else 'there is no such file'}.")


def named(argument: str) -> tuple[str | None, str]:
    """Name and path of ``NAME=PATH``; a file whose own name holds the sign needs none."""
    name, sign, path = argument.partition("=")
    return (name, path) if sign and name and path and not is_file(argument) else (None, argument)


def metrics(names: Sequence[str] | None, langpair: str) -> dict[str, dict[str, Any]]:
    """Metrics and their settings; BLEU and chrF where none is named.

    Parameters
    ----------
    names
        Kinds with options: ``ter``, ``bleu:lowercase=true,tokenize=intl``. What is written is what the metric is called
        in results.
    langpair
        The language pair, which decides about BLEU's tokenizer.

    Raises
    ------
    ConfigError
        If there is no such metric or option, or the metric needs more than the texts.
    UnavailableError
        If a package is missing.

    Examples
    --------
    >>> metrics(["ter", "chrf:lowercase=true,beta=1"], "en-de")
    {'ter': {'kind': 'ter'}, 'chrf:lowercase=true,beta=1': {'kind': 'chrf', 'lowercase': True, 'beta': 1}}
    """
    return {name: _metric(name, langpair) for name in names or ("bleu", "chrf")}


def _metric(text: str, langpair: str) -> dict[str, Any]:
    from mtsig.metrics import create_metric
    from mtsig.metrics.catalog import KINDS

    kind, _, written = text.partition(":")
    usable = [name for name, its in KINDS.items() if not (its.gpu or its.reads_files)]
    if kind not in usable:
        ways = "It needs settings of its own: write a configuration and `mtsig run` it. " if kind in KINDS else ""
        raise ConfigError(f"--metric: {kind!r} cannot be computed here. {ways}Here are {', '.join(usable)}.")
    settings: dict[str, Any] = {"kind": kind}
    for part in written.split(",") if written else ():
        option, sign, value = part.partition("=")
        if not sign:
            raise ConfigError(f"--metric {text}: {part!r} is no option; write OPTION=VALUE.")
        settings[option] = _value(value)
    if kind != "function":  # whose options have no defaults
        _check_types(text, settings, create_metric(kind, {"kind": kind}, langpair))
    try:
        create_metric(text, settings, langpair)
    except ConfigError as error:
        # The key that a configuration would have is nothing the user wrote.
        raise ConfigError(str(error).replace(f"metrics.{text}.", f"--metric {text}: ", 1)) from None
    return settings


def _value(text: str) -> Any:
    """A number, true, false, or text."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, bool | int | float) else text


def _check_types(text: str, settings: Mapping[str, Any], defaults: object) -> None:
    """Refuse values of other types than an option's default has."""
    for option, value in settings.items():
        default = getattr(defaults, option, value)
        if isinstance(default, bool):
            fits, kind = isinstance(value, bool), "true or false"
        elif isinstance(default, str):
            fits, kind = isinstance(value, str), "text"
        else:
            whole = isinstance(default, int)
            fits = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
            kind = "a whole number" if whole else "a number"
        if not fits:
            raise ConfigError(f"--metric {text}: {option} is {kind}, not {value!r}.")
