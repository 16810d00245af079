"""The reference of all configuration keys, written from the schemas so that the two cannot differ.

``python -m mtsig.configdocs workflow/schemas`` prints it; ``config/README.md`` holds it.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from mtsig.config import variants
from mtsig.configfiles import LOADER

__all__ = ["markdown"]

Schema = Mapping[str, Any]

_INTRODUCTION = """\
# Configuration

Every key with its type, its default and what it is for. This page is written from `workflow/schemas`
(`python -m mtsig.configdocs workflow/schemas > config/README.md`), and a test keeps the two in step.

- `snakemake` alone runs the default study, `config/config.yaml`. `snakemake --configfile my.yaml` runs yours, and takes
  nothing from the default study. Several files go after one flag (`--configfile a.yaml b.yaml`); later ones win, key by
  key, and lists are replaced as a whole.
- `--config seed=9` on the command line changes single keys; alone, it changes them in the default study. Mappings are
  written as `--config 'metrics={"gtm": {"exponent": 1.5}}'`.
- A key that is not on this page is refused, and so is a value of the wrong type. `null`, or a key with nothing after
  it, stands for the default.
- Names of test sets, metrics, studies and suites become parts of paths: letters, digits, `-`, `+` and `_`. Names of
  systems are free.
- Relative paths start at the folder in which Snakemake runs.
- YAML reads some words as something else than text: write `"no"` for Norwegian, `"1.10"` and `"007"` for such names,
  and `0.001` or `1.0e-3` rather than `1e-3`, all with the quotes or digits shown.
"""

#: Section to its heading, the key that tells variants apart, and what one variant is called.
_SECTIONS = {
    "testsets": ("Test sets", "format", "testset"),
    "metrics": ("Metrics", "kind", "metric"),
    "studies": ("Studies", "kind", "study"),
}
_NAMES = {"testsets": "test set", "metrics": "metric", "suites": "suite"}


def markdown(schemas: str | os.PathLike[str]) -> str:
    """The page as Markdown.

    Parameters
    ----------
    schemas
        Folder of the schemas.
    """
    folder = Path(schemas)
    top = _read(folder / "config.schema.yaml")
    parts = {
        path.name.removesuffix(".schema.yaml"): _read(path)
        for path in sorted(folder.glob("*.schema.yaml"))
        if path.name != "config.schema.yaml"
    }
    top["properties"].update(parts)
    lines = [_INTRODUCTION, "## Top level", "", *_table(top)]
    for section, (heading, key, definition) in _SECTIONS.items():
        common = top["$defs"][definition]
        lines += ["", f"## {heading}", "", f"`{section}`: {_sentence(top['properties'][section])}", "", *_table(common)]
        for variant in variants(folder, section):
            schema = _read(folder / section / f"{variant}.schema.yaml")
            own = {name: its for name, its in schema.get("properties", {}).items() if name not in common["properties"]}
            lines += ["", f"### `{key}: {variant}`", "", _sentence(schema), ""]
            lines += _table({**schema, "properties": own}) if own else ["It has no other options."]
    for name, schema in parts.items():
        lines += ["", f"## {name.capitalize()}", "", f"`{name}`: {_sentence(schema)}", ""]
        entry = schema.get("additionalProperties")
        lines += _table(entry if isinstance(entry, dict) else schema)
    return "\n".join(lines).rstrip("\n") + "\n"


def _read(path: Path) -> dict[str, Any]:
    with path.open("rb") as stream:
        schema: dict[str, Any] = yaml.load(stream, Loader=LOADER)
    return schema


def _table(schema: Schema) -> list[str]:
    return ["| key | values | default | meaning |", "|---|---|---|---|", *_rows(schema, "")]


def _rows(schema: Schema, prefix: str) -> Iterator[str]:
    required = schema.get("required", ())
    for name, its in schema.get("properties", {}).items():
        key = f"{prefix}{name}"
        default = "required" if name in required else _default(its)
        yield f"| `{key}` | {_cell(_values(its))} | {_cell(default)} | {_cell(_sentence(its))} |"
        entry = its.get("additionalProperties")
        yield from _rows(its, f"{key}.")
        if isinstance(its.get("items"), dict):
            yield from _rows(its["items"], f"{key}[].")
        if isinstance(entry, dict):
            yield from _rows(entry, f"{key}.NAME.")


def _default(schema: Schema) -> str:
    return f"`{json.dumps(schema['default'], ensure_ascii=False)}`" if "default" in schema else ""


def _values(schema: Schema) -> str:
    """The possible values in words."""
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return ", ".join(f"`{'null' if value is None else value}`" for value in schema["enum"])
    kinds = schema.get("type", [])
    words = [_kind(kind, schema) for kind in ([kinds] if isinstance(kinds, str) else kinds)]
    bounds = [
        f"{word} {schema[keyword]}"
        for keyword, word in (
            ("minimum", "from"),
            ("exclusiveMinimum", "above"),
            ("maximum", "to"),
            ("exclusiveMaximum", "below"),
        )
        if keyword in schema
    ]
    return " ".join(filter(None, [" or ".join(words), " and ".join(bounds).replace(" and to ", " to ")]))


def _kind(kind: str, schema: Schema) -> str:
    # What is said of paths and names as a whole holds for each of them.
    shared = {key: schema[key] for key in ("x-path", "x-names") if key in schema}
    items, entries = (
        {**its, **shared} if isinstance(its, Mapping) else its
        for its in (schema.get("items"), schema.get("additionalProperties"))
    )
    if kind == "array" and "x-names" in schema:
        return f"list of {_NAMES[schema['x-names']]}s"
    if kind == "array":
        return f"list of {_values(items)}" if isinstance(items, Mapping) and "properties" not in items else "list"
    if kind == "object":
        if isinstance(entries, Mapping) and "type" in entries and "properties" not in entries:
            return f"mapping of names to {_values(entries)}"
        return "mapping"
    if kind == "string":
        return "path" if schema.get("x-path") else _NAMES.get(schema.get("x-names", ""), "text")
    return {"number": "number", "integer": "whole number", "boolean": "`true`, `false`", "null": "`null`"}[kind]


def _sentence(schema: Schema) -> str:
    return str(schema.get("description", "")).strip()


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


if __name__ == "__main__":
    sys.stdout.write(markdown(sys.argv[1]))
