"""The schemas of the configuration: read from their folder, put together, and looked into.

``config.schema.yaml`` describes the top level, one file per variant in ``testsets/`` (by format), ``metrics/`` and
``studies/`` (by kind) what that variant has besides, and ``NAME.schema.yaml`` a top-level key that is described apart.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import yaml

from mtsig.configfiles import LOADER

__all__ = [
    "SINGULAR",
    "VARIANT_KEY",
    "Schema",
    "apart",
    "closed",
    "common",
    "merged",
    "schema_at",
    "top",
    "types",
    "variant",
    "variants",
]

Schema = dict[str, Any]

#: Sections that map names to settings, and what one of the named things is called.
SINGULAR = {"testsets": "test set", "metrics": "metric", "studies": "study", "suites": "suite"}
#: Sections whose entries differ by variant, with the key that tells the variants apart.
VARIANT_KEY = {"testsets": "format", "metrics": "kind", "studies": "kind"}

_SUFFIX = ".schema.yaml"
_TOP = "config"

StrPath = str | os.PathLike[str]


def top(folder: StrPath) -> Schema:
    """The schema of the top level, with the keys that are described apart among its properties."""
    schema = _read(Path(folder, _TOP + _SUFFIX))
    schema["properties"] |= apart(folder)
    for shared in schema["$defs"].values():
        for name, own in shared["properties"].items():
            if own.get("x-top-level"):
                inherited = {key: value for key, value in schema["properties"][name].items() if key != "default"}
                shared["properties"][name] = {**inherited, **own}
    return schema


def apart(folder: StrPath) -> dict[str, Schema]:
    """The top-level keys that are described apart, with their schemas, sorted."""
    return {name: _read(Path(folder, name + _SUFFIX)) for name in _names(Path(folder)) if name != _TOP}


def variants(folder: StrPath, section: str) -> list[str]:
    """The formats of test sets, or the kinds of metrics or studies, that there are schemas for, sorted."""
    return _names(Path(folder, section))


def variant(folder: StrPath, section: str, name: str) -> Schema:
    """What one variant has besides what all variants of its section have."""
    return _read(Path(folder, section, name + _SUFFIX))


def _names(folder: Path) -> list[str]:
    return sorted(path.name.removesuffix(_SUFFIX) for path in folder.glob(f"*{_SUFFIX}"))


def _read(path: Path) -> Schema:
    with path.open("rb") as stream:
        schema: Schema = yaml.load(stream, Loader=LOADER)
    return schema


def common(top_level: Schema, section: str) -> Schema:
    """What all variants of a section have."""
    schema: Schema = top_level["$defs"][SINGULAR[section].replace(" ", "")]
    return schema


def merged(shared: Schema, own: Schema, key: str, name: str) -> Schema:
    """What all variants have with what the variant called `name` adds; `key` tells variants apart."""
    properties = {
        option: {**shared["properties"].get(option, {}), **own.get("properties", {}).get(option, {})}
        for option in {**shared["properties"], **own.get("properties", {})}
    }
    properties[key] = {**properties[key], "default": name}
    required = {*shared.get("required", ()), *own.get("required", ())} - {key}
    return {**shared, **own, "properties": properties, "required": sorted(required)}


def closed(schema: Schema) -> Schema:
    """The same schema with every object that lists its keys closed to others."""
    found = dict(schema)
    if "properties" in schema:
        found["properties"] = {name: closed(entry) for name, entry in schema["properties"].items()}
        found.setdefault("additionalProperties", False)
    for keyword in ("additionalProperties", "items"):
        if isinstance(found.get(keyword), dict):
            found[keyword] = closed(found[keyword])
    return found


def schema_at(schema: Schema, key: Any) -> Schema:
    """The schema of one entry of a mapping or list; empty where there is none."""
    if isinstance(key, int):
        found = schema.get("items")
    else:
        found = schema.get("properties", {}).get(key, schema.get("additionalProperties"))
    return found if isinstance(found, dict) else {}


def types(schema: Schema) -> list[str]:
    """The types that a schema allows."""
    kinds = schema.get("type", [])
    return [kinds] if isinstance(kinds, str) else list(kinds)
