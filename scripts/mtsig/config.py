"""The configuration: checked against closed schemas, completed with every default, and put in canonical order.

`load` turns what a user wrote into what the rules and steps can rely on, or says which key cannot be used, what it
holds, where it stands and what to do. Nothing is computed and no input file is looked at here.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from mtsig import configschemas
from mtsig.configfiles import Sources
from mtsig.configproblems import bad_names, check_yaml, described, problem, unknown_names, unknown_variant
from mtsig.configschemas import Schema, schema_at, types
from mtsig.errors import ConfigError

__all__ = ["anchor", "canonical", "load"]

_MAX_PROBLEMS = 10


def load(
    config: Mapping[Any, Any],
    schemas: str | os.PathLike[str],
    *,
    files: Sequence[str | os.PathLike[str]] = (),
    command_line: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Check a configuration and complete it.

    Parameters
    ----------
    config
        The configuration as merged by Snakemake.
    schemas
        Folder of the schemas, see `mtsig.configschemas`.
    files
        The YAML or JSON files that `config` was read from, in order. They are read again to find duplicate keys and to
        name lines in messages.
    command_line
        What ``--config`` gave. Snakemake leaves all values inside a mapping given there as text; where a number, a
        truth value or null is wanted, they are read as such.

    Returns
    -------
    dict
        Every key that the schemas know, with its default where it was not given, keys sorted at every level. Each test
        set has its ``format``, each metric and study its ``kind``; a test set or study has the top-level value of an
        option that it shares and does not set.

    Raises
    ------
    ConfigError
        Naming the dotted key, its value, the file and line where known, and the way out.
    """
    sources = Sources(files, command_line)
    check_yaml(config, (), sources)
    settings: dict[str, Any] = _plain(config)
    schema = _complete_schema(settings, Path(schemas), sources)
    settings = _without_nulls(settings, schema)
    _retype(settings, schema, command_line or {})
    problems = [described(error, sources) for error in _errors(settings, schema)]
    if not problems:
        problems = [
            *bad_names(settings, sources),
            *unknown_names(settings, schema, settings, (), sources),
        ]
    if not (problems or settings.get("metrics") or settings.get("studies")):
        problems = [problem(("metrics",), "is empty", "Give at least one metric, or a study that needs none.", sources)]
    if problems:
        raise ConfigError(*problems[:_MAX_PROBLEMS], *(["..."] if len(problems) > _MAX_PROBLEMS else []))
    completed = _completed(settings, schema)
    for section in ("testsets", "studies"):
        for name, entry in completed[section].items():
            for option, described_as in schema_at(schema_at(schema, section), name)["properties"].items():
                if option not in entry and option in completed and "default" not in described_as:
                    entry[option] = completed[option]
    return canonical(completed)  # type: ignore[no-any-return]


def canonical(value: Any) -> Any:
    """The same value in plain dicts, whose keys are sorted, and lists.

    Examples
    --------
    >>> canonical({"b": [{"d": 1, "c": 2}], "a": ()})
    {'a': [], 'b': [{'c': 2, 'd': 1}]}
    """
    return _plain(value, sorted)


def _plain(value: Any, order: Callable[[Iterable[Any]], list[Any]] = list) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(value[key], order) for key in order(value)}
    if isinstance(value, list | tuple):
        return [_plain(item, order) for item in value]
    return value


def anchor(
    settings: Mapping[str, Any], schemas: str | os.PathLike[str], folder: str | os.PathLike[str]
) -> dict[str, Any]:
    """The same settings with every relative path counted from `folder`.

    Parameters
    ----------
    settings
        What `load` returned.
    schemas
        Folder of the schemas; they mark what is a path.
    folder
        Where the configuration that the settings come from belongs.
    """
    schema = _complete_schema(settings, Path(schemas), Sources(()))
    anchored = copy.deepcopy(dict(settings))
    for holder, key in _marked_paths(anchored, schema):
        holder[key] = os.path.join(folder, holder[key])  # noqa: PTH118 - keeps glob patterns and trailing slashes
    return anchored


def _marked_paths(value: Any, schema: Schema) -> Iterator[tuple[Any, Any]]:
    """The places of all paths in `value`: the list or mapping that holds each, and its key there."""
    items: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, item in items:
        below = schema_at(schema, key)
        mark = below.get("x-path") or schema.get("x-path")
        if mark:
            if isinstance(item, str):
                yield value, key
            elif mark != "text":
                yield from _marked_paths(item, {"x-path": True})
        else:
            yield from _marked_paths(item, below)


# Schemas


def _complete_schema(settings: Mapping[str, Any], folder: Path, sources: Sources) -> Schema:
    """One closed schema without references, for the very names that `settings` hold."""
    top = configschemas.top(folder)
    for section, key in configschemas.VARIANT_KEY.items():
        shared = configschemas.common(top, section)
        given = settings.get(section)
        properties = {}
        for name, item in given.items() if isinstance(given, Mapping) else ():
            default = "text" if section == "testsets" else name if section == "metrics" else None
            variant = item.get(key) if isinstance(item, Mapping) else None
            variant = default if variant is None else variant
            known = configschemas.variants(folder, section)
            if variant not in known:
                raise ConfigError(unknown_variant(section, name, key, variant, known, item, sources))
            properties[name] = configschemas.merged(
                shared, configschemas.variant(folder, section, variant), key, variant
            )
        top["properties"][section] |= {"properties": properties, "additionalProperties": False}
    del top["$defs"]
    return configschemas.closed(top)


def _errors(settings: Mapping[str, Any], schema: Schema) -> list[jsonschema.ValidationError]:
    errors = jsonschema.Draft202012Validator(schema).iter_errors(settings)
    return sorted(errors, key=lambda error: ([str(part) for part in error.absolute_path], str(error.validator)))


# Values


def _without_nulls(value: Any, schema: Schema) -> Any:
    """Null stands for the default: leave it out, or make it the empty mapping where all keys have defaults."""
    if isinstance(value, dict):
        kept = {}
        for key, item in value.items():
            below = schema_at(schema, key)
            if item is None and "null" not in types(below):
                if key in schema.get("properties", {}) and "object" not in types(below):
                    continue
                item = {} if "object" in types(below) else item
            kept[key] = _without_nulls(item, below)
        return kept
    if isinstance(value, list):
        return [_without_nulls(item, schema_at(schema, position)) for position, item in enumerate(value)]
    return value


def _retype(settings: Any, schema: Schema, given: Any) -> None:
    """Read texts inside mappings from the command line as what the schema wants, where they can be."""
    if not isinstance(given, Mapping) or not isinstance(settings, dict):
        return
    for key, item in given.items():
        below = schema_at(schema, key)
        if isinstance(item, str) and settings.get(key) == item and "string" not in types(below):
            typed = yaml.safe_load(item)
            if not isinstance(typed, str | Mapping | list):
                settings[key] = typed
        else:
            _retype(settings.get(key), below, item)


def _completed(value: Any, schema: Schema) -> Any:
    """Fill in the defaults; whole numbers written as 1000.0 become whole."""
    if isinstance(value, dict):
        filled = {key: _completed(item, schema_at(schema, key)) for key, item in value.items()}
        for key, below in schema.get("properties", {}).items():
            if key not in filled:
                if "default" in below:
                    filled[key] = copy.deepcopy(below["default"])
                elif "properties" in below:
                    filled[key] = _completed({}, below)
        return filled
    if isinstance(value, list):
        return [_completed(item, schema_at(schema, position)) for position, item in enumerate(value)]
    if isinstance(value, float) and "integer" in types(schema) and value.is_integer():
        return int(value)
    return value
