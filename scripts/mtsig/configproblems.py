"""What is wrong with a configuration: which key, what it holds, where it stands and what to do, in one line each."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import jsonschema

from mtsig.configfiles import Sources
from mtsig.configschemas import SINGULAR, Schema, schema_at, types
from mtsig.errors import ConfigError, suggestion

__all__ = ["bad_names", "check_yaml", "described", "problem", "unknown_names", "unknown_variant"]

#: A place in the configuration: keys and list positions from the top.
Location = tuple[Any, ...]

#: Names of test sets, metrics, studies and suites: they become wildcards and parts of paths.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+-]*")
#: Snakemake takes a name that ends in twenty times the same for an endless loop.
_REPEATED = re.compile(r"(.+)\1{19,}$")
#: File systems allow 255 bytes; ".intervals.svg" and the like, and the names of temporary files, need their share.
_LONGEST_NAME = 200
_RESERVED_TESTSETS = ("studies", "suites", "paper")
_TYPES = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "null",
}
_KINDS: tuple[tuple[Any, str], ...] = (
    (type(None), "null"),
    (bool, "true or false"),
    ((int, float), "a number"),
    (str, "text"),
    (list, "a list"),
    (Mapping, "a mapping"),
)


def check_yaml(value: Any, location: Location, sources: Sources) -> None:
    """Keys must be texts, which YAML makes other things of, and numbers finite, which schemas cannot say."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                written = sources.written_key((*location, key))
                raise ConfigError(
                    problem(
                        (*location, key),
                        f"the key {written or key} is read as {_kind(key)}, not as text",
                        f'Put it in quotes: "{written or key}".',
                        sources,
                    )
                )
            check_yaml(item, (*location, key), sources)
    elif isinstance(value, list | tuple):
        for position, item in enumerate(value):
            check_yaml(item, (*location, position), sources)
    elif isinstance(value, float) and not math.isfinite(value):
        written = _shown(value, location, sources)
        raise ConfigError(problem(location, f"{written} is not a finite number", "Give a number.", sources))


def described(error: jsonschema.ValidationError, sources: Sources) -> str:
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
            return problem((*location, key), "unknown key", suggestion(str(key), known, "Known keys"), sources)
        case "required":
            key = next(key for key in limit if key not in value)
            way_out = schema_at(schema, key).get("description", "")
            return problem((*location, key), "is missing", f"Give it: {way_out}" if way_out else "", sources)
        case "type":
            wanted = " or ".join(_TYPES[name] for name in types(schema))
            what = f"{f'{written} ' if value is not None else ''}is {_kind(value)}, not {wanted}"
            return problem(
                location, what, " ".join(filter(None, [_type_hint(value, written, schema), way_out])), sources
            )
        case "enum" | "const":
            allowed = [str(item) for item in ([limit] if error.validator == "const" else limit)]
            return problem(location, f"{written} is not possible", suggestion(str(value), allowed, "Possible"), sources)
        case "minItems" | "minProperties" | "minLength":
            what = "is empty" if not value else f"has {len(value)} entries, fewer than {limit}"
            return problem(location, what, way_out, sources)
        case "uniqueItems":
            twice = next(item for position, item in enumerate(value) if item in value[:position])
            return problem(location, f"{twice} is listed twice", "Name each once.", sources)
        case "minimum" | "exclusiveMinimum" | "maximum" | "exclusiveMaximum":
            sign = {"minimum": "less than", "maximum": "greater than"}.get(str(error.validator), "not")
            bound = {"exclusiveMinimum": "above ", "exclusiveMaximum": "below "}.get(str(error.validator), "")
            return problem(location, f"{written} is {sign} {bound}{limit}", way_out, sources)
        case _:
            return problem(location, f"{written} is not possible", way_out, sources)


def _type_hint(value: Any, written: str, schema: Schema) -> str:
    """What to write instead, for the words that YAML reads as something else than they look like."""
    wanted = types(schema)
    if "string" in wanted and not isinstance(value, str | list | Mapping):
        return f'Put it in quotes: "{written}".'
    if isinstance(value, str) and {"number", "integer"} & set(wanted):
        try:
            number = float(value)
        except ValueError:
            return ""
        return f"Write {number:g} without quotes; YAML reads an exponent only as in 1.0e-3."
    return ""


_PAPER_PARTS = (("tables", "table"), ("figures", "figure"), ("studies", "table or figure"))


def bad_names(settings: Mapping[str, Any], sources: Sources) -> Iterator[str]:
    """Names that cannot stand in paths, or not beside each other."""
    sections: list[tuple[Location, Any, str]] = [((key,), settings.get(key), what) for key, what in SINGULAR.items()]
    paper = settings.get("paper") or {}
    sections += [(("paper", key), paper.get(key), what) for key, what in _PAPER_PARTS]
    for section, names, what in sections:
        seen: dict[str, str] = {}
        for name in names or ():
            location = (*section, name)
            if not _NAME.fullmatch(name):
                yield problem(
                    location,
                    f"{name!r} cannot be the name of a {what}",
                    "Names stand in paths: use letters, digits, - + _, and begin with a letter or digit.",
                    sources,
                )
            elif len(name) > _LONGEST_NAME or _REPEATED.search(name):
                way_out = f"Choose a name of at most {_LONGEST_NAME} characters that does not repeat itself so often."
                yield problem(location, "the name is too long or too repetitive to stand in paths", way_out, sources)
            elif section == ("testsets",) and name.lower() in _RESERVED_TESTSETS:
                way_out = f"results/{name.lower()} is the place of other results: choose another name."
                yield problem(location, f"a test set cannot be called {name}", way_out, sources)
            elif name.lower() in seen:
                yield problem(
                    location,
                    f"differs from {seen[name.lower()]} in upper and lower case only",
                    "Their files would be the same on some systems: choose another name.",
                    sources,
                )
            seen[name.lower()] = name


def unknown_names(
    value: Any, schema: Schema, settings: Mapping[str, Any], location: Location, sources: Sources
) -> Iterator[str]:
    """References to test sets or metrics that are not configured."""
    section = schema.get("x-names")
    if section:
        for name in [value] if isinstance(value, str) else value or ():
            if isinstance(name, str) and name not in settings.get(section, {}):
                what = f"there is no {SINGULAR[section]} {name!r}"
                yield problem(
                    location, what, suggestion(str(name), list(settings.get(section, {})), "There are"), sources
                )
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from unknown_names(item, schema_at(schema, key), settings, (*location, key), sources)


def unknown_variant(
    section: str, name: Any, key: str, variant: Any, known: list[str], item: Any, sources: Sources
) -> str:
    """A format of test sets, or a kind of metrics or studies, that does not exist or is not given."""
    what = f"there is no {SINGULAR[section]} {key} {variant!r}"
    if section == "metrics" and not (isinstance(item, Mapping) and item.get(key) is not None):
        return problem((section, name), what, f"{suggestion(str(name), known, 'Kinds')} Or give its `kind`.", sources)
    if variant is None:
        return problem((section, name, key), "is missing", f"Possible: {', '.join(known)}.", sources)
    return problem((section, name, key), what, suggestion(str(variant), known, "Possible"), sources)


def _shown(value: Any, location: Location, sources: Sources) -> str:
    """A value as the user wrote it, where that is known and short."""
    written = sources.written(location)
    shown = repr(value) if written is None or isinstance(value, str) else written
    return shown if len(shown) <= 80 else shown[:77] + "..."


def _kind(value: Any) -> str:
    """What YAML took a value for."""
    return next((word for kinds, word in _KINDS if isinstance(value, kinds)), "a date")


def problem(location: Location, what: str, way_out: str, sources: Sources) -> str:
    """One line: the dotted key, what is wrong, file and line where known, and the way out."""
    key = "".join(f"[{part}]" if type(part) is int else f".{part}" for part in location)
    place = sources.place(location)
    return f"{key.lstrip('.') or 'configuration'}: {what}{f' ({place})' if place else ''}. {way_out}".strip()
