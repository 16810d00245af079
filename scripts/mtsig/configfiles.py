"""The files of a configuration, read once more for what their contents no longer tell.

YAML and JSON readers keep the last of two equal keys and forget how a value was written and where. Messages need all
three.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from mtsig.errors import ConfigError, InputError

__all__ = ["LOADER", "Sources", "check_file"]

#: The safe YAML loader, compiled where PyYAML was built with libyaml.
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# What a configuration never comes near. Aliases can make a few lines stand for any number of entries.
_DEEPEST, _MOST = 50, 100_000
_MERGE = "tag:yaml.org,2002:merge"


@dataclass(frozen=True)
class _Entry:
    """Where a value stands: its file, its key's node (None in lists and at the top) and its own node."""

    file: str
    key: yaml.Node | None
    value: yaml.Node


class Sources:
    """Places and spellings of the values of a configuration.

    Parameters
    ----------
    files
        YAML or JSON files, later ones win. A file that cannot be read or parsed is passed over: that is for its reader
        to say.
    command_line
        What ``--config`` gave, which wins over all files.

    Raises
    ------
    ConfigError
        If a mapping in one of the files has a key twice, or a file is nested too deep or too large.
    """

    def __init__(self, files: Sequence[str | os.PathLike[str]], command_line: Mapping[str, Any] | None = None) -> None:
        self._command_line = command_line or {}
        self._entries: dict[tuple[Any, ...], _Entry] = {}
        for file in files:
            self._add(Path(file))

    def place(self, location: tuple[Any, ...]) -> str:
        """``file, line n`` or ``--config`` of a key; of the nearest one above it where it is not given; or nothing."""
        for length in range(len(location), 0, -1):
            entry = self._entries.get(_typed(location[:length]))
            if self._on_command_line(location[:length], wholly=entry is not None):
                return "--config"
            if entry:
                return f"{entry.file}, line {(entry.key or entry.value).start_mark.line + 1}"
        return ""

    def written(self, location: tuple[Any, ...]) -> str | None:
        """A scalar as it is written in its file, without quotes; None where it is not in a file."""
        entry = None if self._on_command_line(location) else self._entries.get(_typed(location))
        return entry.value.value if entry and isinstance(entry.value, yaml.ScalarNode) else None

    def written_key(self, location: tuple[Any, ...]) -> str | None:
        """The last key of a location as it is written in its file."""
        entry = self._entries.get(_typed(location))
        return entry.key.value if entry and isinstance(entry.key, yaml.ScalarNode) else None

    def _on_command_line(self, location: tuple[Any, ...], *, wholly: bool = False) -> bool:
        """Whether ``--config`` gives the value; `wholly` if nothing of it may come from files besides."""
        given: Any = self._command_line
        for part in location:
            if part not in (
                given if isinstance(given, Mapping) else range(len(given)) if isinstance(given, list) else ()
            ):
                return False
            given = given[part]
        return not (wholly and isinstance(given, Mapping))

    def _add(self, path: Path) -> None:
        try:
            # Tabs are white space in JSON and forbidden in YAML; inside JSON texts they cannot occur.
            text = path.read_text(encoding="utf-8")
            loader = LOADER(text.replace("\t", " ") if path.suffix == ".json" else text)
            node = loader.get_single_node()
        except (OSError, UnicodeError, yaml.YAMLError, RecursionError):
            return
        # Snakemake gives absolute paths; what lies below the working folder is named as the user knows it.
        here = Path.cwd()
        shown = str(path.relative_to(here) if path.is_relative_to(here) else path)
        if node is not None:
            for number, (location, key, value) in enumerate(_walk(node, (), loader, shown)):
                if number == _MOST:
                    raise ConfigError(f"{shown}: has more than {_MOST:,} entries, with what its aliases stand for.")
                self._entries[location] = _Entry(shown, key, value)


def check_file(path: Path) -> None:
    """Refuse a file that is no YAML, saying where, before Snakemake reads it, which names neither file nor line.

    Raises
    ------
    ConfigError
        If the file is no YAML, holds a value that YAML takes for an impossible date or number, asks for Python to be
        run (``__use_yte__``), or is refused by `Sources`.
    InputError
        If it cannot be read.
    """
    Sources([path])
    try:
        content = yaml.load(path.read_bytes().decode(), Loader=LOADER)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is no text in UTF-8. Save it as UTF-8.") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = "" if mark is None else f", line {mark.line + 1}"
        problem = getattr(error, "problem", None) or "it cannot be read"
        raise ConfigError(
            f"{path}{place}: not valid YAML: {problem}. Indent the keys of one mapping alike, with blanks."
        ) from None
    except RecursionError:
        raise ConfigError(f"{path}: is nested more than {_DEEPEST} levels deep.") from None
    except ValueError as error:
        raise ConfigError(f"{path}: not valid YAML: {error}. Put what is no date or number in quotes.") from None
    if isinstance(content, dict) and "__use_yte__" in content:
        raise ConfigError(f"{path}: __use_yte__ lets the file run Python. Write out what it would make.")


def _walk(
    node: yaml.Node, location: tuple[Any, ...], loader: Any, file: str
) -> Iterator[tuple[tuple[Any, ...], yaml.Node | None, yaml.Node]]:
    """Every key and list entry below a node."""
    if len(location) > _DEEPEST:
        raise ConfigError(f"{file}, line {node.start_mark.line + 1}: is nested more than {_DEEPEST} levels deep.")
    if isinstance(node, yaml.MappingNode):
        seen: dict[Any, yaml.Node] = {}
        for key, value in node.value:
            if key.tag == _MERGE or not isinstance(key, yaml.ScalarNode):
                continue
            try:
                name = _typed((loader.construct_object(key),))[0]
            except (yaml.YAMLError, ValueError):
                continue  # no key that a reader of the file could make anything of
            if name in seen:
                dotted = ".".join(str(part[1]) for part in (*location, name))
                lines = f"lines {seen[name].start_mark.line + 1} and {key.start_mark.line + 1}"
                raise ConfigError(f"{dotted}: the key stands twice in {file}, {lines}. Remove one of them.")
            seen[name] = key
            yield (*location, name), key, value
            yield from _walk(value, (*location, name), loader, file)
    elif isinstance(node, yaml.SequenceNode):
        for position, value in enumerate(node.value):
            yield (*location, ("int", position)), None, value
            yield from _walk(value, (*location, ("int", position)), loader, file)


def _typed(location: tuple[Any, ...]) -> tuple[Any, ...]:
    """A location in which 1, 1.0 and True differ."""
    return tuple((type(part).__name__, str(part) if not isinstance(part, int) else part) for part in location)
