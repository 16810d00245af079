"""The configuration: checked against closed schemas, completed with every default, and put in canonical order.

`load` turns what a user wrote into what the rules and steps can rely on, or says which key cannot be used, what it
holds, where it stands and what to do. Nothing is computed and no input file is looked at here.

The schemas lie in a folder: ``config.schema.yaml`` for the top level, one file per variant in ``testsets/`` (by
format), ``metrics/`` and ``studies/`` (by kind), and ``NAME.schema.yaml`` for a top-level key described apart.
"""

from __future__ import annotations

import copy
import difflib
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from mtsig import configfiles
from mtsig.errors import ConfigError

__all__ = ["anchor", "canonical", "load", "variants"]

#: A place in the configuration: keys and list positions from the top.
Location = tuple[Any, ...]
Schema = dict[str, Any]

#: Names of test sets, metrics, studies and suites: they become wildcards and parts of paths.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+-]*")
_RESERVED_TESTSETS = ("studies", "suites", "paper")
#: Sections that map names to settings, with the key that tells their variants apart.
_VARIANT_KEY = {"testsets": "format", "metrics": "kind", "studies": "kind"}
_NAMED_SECTIONS = (*_VARIANT_KEY, "suites")
_SINGULAR = {"testsets": "test set", "metrics": "metric", "studies": "study", "suites": "suite"}
_TYPES = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "null",
}
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
        Folder of the schemas.
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
        set has its ``format``, each metric and study its ``kind``; a study has the top-level value of an option that
        it shares and does not set.

    Raises
    ------
    ConfigError
        Naming the dotted key, its value, the file and line where known, and the way out.
    """
    sources = configfiles.Sources(files)
    _check_yaml(config, (), sources)
    settings = _plain(config)
    schema = _complete_schema(settings, Path(schemas), sources)
    settings = _without_nulls(settings, schema)
    _retype(settings, schema, command_line or {})
    problems = [_describe(error, sources) for error in _errors(settings, schema)]
    if not problems:
        problems = [
            *_bad_names(settings, sources),
            *_unknown_names(settings, schema, settings, (), sources),
        ]
    if not (problems or settings.get("metrics") or settings.get("studies")):
        problems = [
            _problem(("metrics",), "is empty", "Give at least one metric, or a study that needs none.", sources)
        ]
    if problems:
        raise ConfigError("\n".join([*problems[:_MAX_PROBLEMS], *(["..."] if len(problems) > _MAX_PROBLEMS else [])]))
    completed = _completed(settings, schema)
    for study, study_schema in zip(completed["studies"].values(), _children(schema, "studies"), strict=True):
        for option, option_schema in study_schema["properties"].items():
            if option not in study and option in completed and "default" not in option_schema:
                study[option] = completed[option]
    return canonical(completed)  # type: ignore[no-any-return]


def canonical(value: Any) -> Any:
    """The same value with the keys of all mappings sorted and whole floats under no other type than they had.

    Examples
    --------
    >>> canonical({"b": [{"d": 1, "c": 2}], "a": ()})
    {'a': [], 'b': [{'c': 2, 'd': 1}]}
    """
    if isinstance(value, Mapping):
        return {key: canonical(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [canonical(item) for item in value]
    return value


def variants(schemas: str | os.PathLike[str], section: str) -> list[str]:
    """The formats of test sets, or the kinds of metrics or studies, that there are schemas for, sorted."""
    suffix = ".schema.yaml"
    return sorted(path.name.removesuffix(suffix) for path in Path(schemas, section).glob(f"*{suffix}"))


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
    schema = _complete_schema(settings, Path(schemas), configfiles.Sources(()))
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
        below = _below(schema, key)
        if below.get("x-path") or schema.get("x-path"):
            if isinstance(item, str):
                yield value, key
            else:
                yield from _marked_paths(item, {"x-path": True})
        else:
            yield from _marked_paths(item, below)


# Schemas


def _complete_schema(settings: Mapping[str, Any], schemas: Path, sources: configfiles.Sources) -> Schema:
    """One closed schema without references, for the very names that `settings` hold."""
    top = _read(schemas / "config.schema.yaml")
    definitions = top.pop("$defs", {})
    for path in sorted(schemas.glob("*.schema.yaml")):
        name = path.name.removesuffix(".schema.yaml")
        if name != "config":
            top["properties"][name] = _read(path)
    for section, key in _VARIANT_KEY.items():
        common = definitions[_SINGULAR[section].replace(" ", "")]
        given = settings.get(section)
        properties = {}
        for name, item in given.items() if isinstance(given, Mapping) else ():
            default = "text" if section == "testsets" else name if section == "metrics" else None
            variant = item.get(key) if isinstance(item, Mapping) else None
            variant = default if variant is None else variant
            known = variants(schemas, section)
            if variant in known:
                properties[name] = _merged(common, _read(schemas / section / f"{variant}.schema.yaml"), key, variant)
            else:
                raise ConfigError(_unknown_variant(section, name, key, variant, known, item, sources))
        top["properties"][section] |= {"properties": properties, "additionalProperties": False}
    return _closed(top)


def _read(path: Path) -> Schema:
    with path.open("rb") as stream:
        return yaml.load(stream, Loader=configfiles.LOADER)  # type: ignore[no-any-return]


def _merged(common: Schema, own: Schema, key: str, variant: str) -> Schema:
    """What all variants share with what one of them adds."""
    properties = {
        name: {**common["properties"].get(name, {}), **own.get("properties", {}).get(name, {})}
        for name in {**common["properties"], **own.get("properties", {})}
    }
    properties[key] = {**properties[key], "default": variant}
    required = {*common.get("required", ()), *own.get("required", ())} - {key}
    return {**common, **own, "properties": properties, "required": sorted(required)}


def _closed(schema: Schema) -> Schema:
    """The same schema with every object that lists its keys closed to others."""
    closed = dict(schema)
    if "properties" in schema:
        closed["properties"] = {name: _closed(below) for name, below in schema["properties"].items()}
        closed.setdefault("additionalProperties", False)
    for keyword in ("additionalProperties", "items"):
        if isinstance(closed.get(keyword), dict):
            closed[keyword] = _closed(closed[keyword])
    return closed


def _below(schema: Schema, key: Any) -> Schema:
    """The schema of one entry of a mapping or list."""
    if isinstance(key, int):
        return _as_schema(schema.get("items"))
    return _as_schema(schema.get("properties", {}).get(key, schema.get("additionalProperties")))


def _as_schema(value: Any) -> Schema:
    return value if isinstance(value, dict) else {}


def _children(schema: Schema, section: str) -> list[Schema]:
    properties: dict[str, Schema] = schema["properties"][section]["properties"]
    return list(properties.values())


def _types(schema: Schema) -> list[str]:
    kinds = schema.get("type", [])
    return [kinds] if isinstance(kinds, str) else list(kinds)


# Values


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _without_nulls(value: Any, schema: Schema) -> Any:
    """Null stands for the default: leave it out, or make it the empty mapping where all keys have defaults."""
    if isinstance(value, dict):
        kept = {}
        for key, item in value.items():
            below = _below(schema, key)
            if item is None and "null" not in _types(below):
                if key in schema.get("properties", {}) and "object" not in _types(below):
                    continue
                item = {} if "object" in _types(below) else item
            kept[key] = _without_nulls(item, below)
        return kept
    if isinstance(value, list):
        return [_without_nulls(item, _below(schema, position)) for position, item in enumerate(value)]
    return value


def _retype(settings: Any, schema: Schema, given: Any) -> None:
    """Read texts inside mappings from the command line as what the schema wants, where they can be."""
    if not isinstance(given, Mapping) or not isinstance(settings, dict):
        return
    for key, item in given.items():
        below = _below(schema, key)
        if isinstance(item, str) and settings.get(key) == item and "string" not in _types(below):
            typed = yaml.safe_load(item)
            if not isinstance(typed, str | Mapping | list):
                settings[key] = typed
        else:
            _retype(settings.get(key), below, item)


def _completed(value: Any, schema: Schema) -> Any:
    """Fill in the defaults; whole numbers written as 1000.0 become whole."""
    if isinstance(value, dict):
        filled = {key: _completed(item, _below(schema, key)) for key, item in value.items()}
        for key, below in schema.get("properties", {}).items():
            if key not in filled:
                if "default" in below:
                    filled[key] = copy.deepcopy(below["default"])
                elif "properties" in below:
                    filled[key] = _completed({}, below)
        return filled
    if isinstance(value, list):
        return [_completed(item, _below(schema, position)) for position, item in enumerate(value)]
    if isinstance(value, float) and "integer" in _types(schema) and value.is_integer():
        return int(value)
    return value


# Problems


def _errors(settings: Mapping[str, Any], schema: Schema) -> list[jsonschema.ValidationError]:
    errors = jsonschema.Draft202012Validator(schema).iter_errors(settings)
    return sorted(errors, key=lambda error: ([str(part) for part in error.absolute_path], str(error.validator)))


def _check_yaml(value: Any, location: Location, sources: configfiles.Sources) -> None:
    """Keys must be texts, which YAML makes other things of, and numbers finite, which schemas cannot say."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                written = sources.written_key((*location, key))
                raise ConfigError(
                    _problem(
                        (*location, key),
                        f"the key {written or key} is read as {_kind(key)}, not as text",
                        f'Put it in quotes: "{written or key}".',
                        sources,
                    )
                )
            _check_yaml(item, (*location, key), sources)
    elif isinstance(value, list | tuple):
        for position, item in enumerate(value):
            _check_yaml(item, (*location, position), sources)
    elif isinstance(value, float) and not math.isfinite(value):
        written = _shown(value, location, sources)
        raise ConfigError(_problem(location, f"{written} is not a finite number", "Give a number.", sources))


def _describe(error: jsonschema.ValidationError, sources: configfiles.Sources) -> str:
    """One line for one violation of the schema."""
    location = tuple(error.absolute_path)
    schema: Schema = error.schema  # type: ignore[assignment]
    value: Any = error.instance
    limit: Any = error.validator_value
    way_out = schema.get("x-hint") or schema.get("description", "")
    written = _shown(value, location, sources)
    match error.validator:
        case "additionalProperties":
            known = list(schema.get("properties", {}))
            key = next(key for key in value if key not in known)
            return _problem((*location, key), "unknown key", _suggestion(key, known, "Known keys"), sources)
        case "required":
            key = next(key for key in limit if key not in value)
            way_out = _below(schema, key).get("description", "")
            return _problem((*location, key), "is missing", f"Give it: {way_out}" if way_out else "", sources)
        case "type":
            wanted = " or ".join(_TYPES[name] for name in _types(schema))
            what = f"{f'{written} ' if value is not None else ''}is {_kind(value)}, not {wanted}"
            return _problem(
                location, what, " ".join(filter(None, [_type_hint(value, written, schema), way_out])), sources
            )
        case "enum" | "const":
            allowed = [str(item) for item in ([limit] if error.validator == "const" else limit)]
            return _problem(location, f"{written} is not possible", _suggestion(value, allowed, "Possible"), sources)
        case "minItems" | "minProperties" | "minLength":
            what = "is empty" if not value else f"has {len(value)} entries, fewer than {limit}"
            return _problem(location, what, way_out, sources)
        case "uniqueItems":
            twice = next(item for position, item in enumerate(value) if item in value[:position])
            return _problem(location, f"{twice} is listed twice", "Name each once.", sources)
        case "minimum" | "exclusiveMinimum" | "maximum" | "exclusiveMaximum":
            sign = {"minimum": "less than", "maximum": "greater than"}.get(str(error.validator), "not")
            bound = {"exclusiveMinimum": "above ", "exclusiveMaximum": "below "}.get(str(error.validator), "")
            return _problem(location, f"{written} is {sign} {bound}{limit}", way_out, sources)
        case _:
            return _problem(location, f"{written} is not possible", way_out, sources)


def _type_hint(value: Any, written: str, schema: Schema) -> str:
    """What to write instead, for the words that YAML reads as something else than they look like."""
    wanted = _types(schema)
    if "string" in wanted and not isinstance(value, str | list | Mapping):
        return f'Put it in quotes: "{written}".'
    if isinstance(value, str) and {"number", "integer"} & set(wanted):
        try:
            number = float(value)
        except ValueError:
            return ""
        return f"Write {number:g} without quotes; YAML reads an exponent only as in 1.0e-3."
    return ""


def _bad_names(settings: Mapping[str, Any], sources: configfiles.Sources) -> Iterator[str]:
    """Names that cannot stand in paths, or not beside each other."""
    for section in _NAMED_SECTIONS:
        seen: dict[str, str] = {}
        for name in settings.get(section, {}):
            location = (section, name)
            if not _NAME.fullmatch(name):
                yield _problem(
                    location,
                    f"{name!r} cannot be the name of a {_SINGULAR[section]}",
                    "Names stand in paths: use letters, digits, - + _, and begin with a letter or digit.",
                    sources,
                )
            elif section == "testsets" and name.lower() in _RESERVED_TESTSETS:
                way_out = f"results/{name.lower()} is the place of other results: choose another name."
                yield _problem(location, f"a test set cannot be called {name}", way_out, sources)
            elif name.lower() in seen:
                yield _problem(
                    location,
                    f"differs from {seen[name.lower()]} in upper and lower case only",
                    "Their files would be the same on some systems: choose another name.",
                    sources,
                )
            seen[name.lower()] = name


def _unknown_names(
    value: Any, schema: Schema, settings: Mapping[str, Any], location: Location, sources: configfiles.Sources
) -> Iterator[str]:
    """References to test sets or metrics that are not configured."""
    section = schema.get("x-names")
    if section:
        for name in [value] if isinstance(value, str) else value or ():
            if isinstance(name, str) and name not in settings.get(section, {}):
                what = f"there is no {_SINGULAR[section]} {name!r}"
                yield _problem(location, what, _suggestion(name, list(settings.get(section, {})), "There are"), sources)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _unknown_names(item, _below(schema, key), settings, (*location, key), sources)


def _unknown_variant(
    section: str, name: Any, key: str, variant: Any, known: list[str], item: Any, sources: configfiles.Sources
) -> str:
    what = f"there is no {_SINGULAR[section]} {key} {variant!r}"
    if section == "metrics" and not (isinstance(item, Mapping) and item.get(key) is not None):
        return _problem((section, name), what, f"{_suggestion(name, known, 'Kinds')} Or give its `kind`.", sources)
    if variant is None:
        return _problem((section, name, key), "is missing", f"Possible: {', '.join(known)}.", sources)
    return _problem((section, name, key), what, _suggestion(variant, known, "Possible"), sources)


def _suggestion(word: Any, known: Sequence[str], heading: str) -> str:
    close = difflib.get_close_matches(str(word), known, n=1)
    listed = f"{heading}: {', '.join(known) or 'none'}."
    return f"Did you mean {close[0]}? {listed}" if close else listed


def _shown(value: Any, location: Location, sources: configfiles.Sources) -> str:
    """A value as the user wrote it, where that is known and short."""
    written = sources.written(location)
    shown = repr(value) if written is None or isinstance(value, str) else written
    return shown if len(shown) <= 80 else shown[:77] + "..."


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    return (
        "text"
        if isinstance(value, str)
        else "a list"
        if isinstance(value, list)
        else ("a mapping" if isinstance(value, Mapping) else "a date")
    )


def _problem(location: Location, what: str, way_out: str, sources: configfiles.Sources) -> str:
    key = "".join(f"[{part}]" if type(part) is int else f".{part}" for part in location)
    place = sources.place(location)
    return f"{key.lstrip('.') or 'configuration'}: {what}{f' ({place})' if place else ''}. {way_out}".strip()
