"""The reference of all configuration keys, written from the schemas so that the two cannot differ.

``python -m mtsig.configdocs workflow/schemas`` prints it; ``config/README.md`` holds it.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator

from mtsig import configschemas
from mtsig.configschemas import SINGULAR, VARIANT_KEY, Schema, types

__all__ = ["markdown"]

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
- An option of a test set or study without a default inherits the top-level option of the same name. Setting it at one
  test set makes only the results of that test set again, and those of the suites and studies that use it.
- Names of test sets, metrics, studies and suites, and of a paper's tables and figures, become parts of paths: letters,
  digits, `-`, `+` and `_`. Names of systems are free.
- Relative paths start at the folder in which Snakemake runs.
- YAML reads some words as something else than text: write `"no"` for Norwegian, `"1.10"` and `"007"` for such names,
  and `0.001` or `1.0e-3` rather than `1e-3`, all with the quotes or digits shown.
"""

#: What the first table says of keys that have a table of their own.
_BRIEF = ("type", "default", "description")
#: Sections whose entries differ by variant, and their headings.
_HEADINGS = {"testsets": "Test sets", "metrics": "Metrics", "studies": "Studies"}


def markdown(schemas: str | os.PathLike[str]) -> str:
    """The page as Markdown.

    Parameters
    ----------
    schemas
        Folder of the schemas.
    """
    top, apart = configschemas.top(schemas), configschemas.apart(schemas)
    brief = {name: {key: its[key] for key in _BRIEF if key in its} for name, its in apart.items()}
    lines = [_INTRODUCTION, "## Top level", "", *_table(_rows({**top, "properties": {**top["properties"], **brief}}))]
    for section, heading in _HEADINGS.items():
        common = configschemas.common(top, section)
        description = _sentence(top["properties"][section])
        lines += ["", f"## {heading}", "", f"`{section}`: {description}", "", *_table(_rows(common))]
        for name in configschemas.variants(schemas, section):
            schema = configschemas.variant(schemas, section, name)
            own = {key: its for key, its in schema.get("properties", {}).items() if key not in common["properties"]}
            # YAML takes the word null for something else than a name.
            written = f'"{name}"' if name == "null" else name
            lines += ["", f"### `{VARIANT_KEY[section]}: {written}`", "", _sentence(schema), ""]
            lines += _table(_rows({**schema, "properties": own})) if own else ["It has no other options."]
    for name, schema in apart.items():
        lines += ["", f"## {name.capitalize()}", "", f"`{name}`: {_sentence(schema)}", ""]
        lines += _table(_rows_below(schema, name))
    return "\n".join(lines).rstrip("\n") + "\n"


def _table(rows: Iterable[str]) -> list[str]:
    return ["| key | values | default | meaning |", "|---|---|---|---|", *rows]


def _rows(schema: Schema, prefix: str = "") -> Iterator[str]:
    required = schema.get("required", ())
    for name, its in schema.get("properties", {}).items():
        key = f"{prefix}{name}"
        default = "required" if name in required else _default(its)
        yield f"| `{key}` | {_cell(_values(its))} | {_cell(default)} | {_cell(_sentence(its))} |"
        yield from _rows_below(its, key)


def _rows_below(schema: Schema, key: str) -> Iterator[str]:
    """The keys below one that has a mapping, or a list of mappings."""
    yield from _rows(schema, f"{key}.")
    for entries, mark in (("items", "[]."), ("additionalProperties", ".NAME.")):
        if isinstance(schema.get(entries), dict):
            yield from _rows(schema[entries], f"{key}{mark}")


def _default(schema: Schema) -> str:
    return f"`{json.dumps(schema['default'], ensure_ascii=False)}`" if "default" in schema else ""


def _values(schema: Schema) -> str:
    """The possible values in words."""
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return ", ".join(f"`{'null' if value is None else value}`" for value in schema["enum"])
    return " or ".join(_kind(kind, schema) for kind in types(schema))


def _bounds(schema: Schema) -> str:
    words = {"minimum": "from", "exclusiveMinimum": "above", "maximum": "to", "exclusiveMaximum": "below"}
    bounds = [f"{word} {schema[keyword]}" for keyword, word in words.items() if keyword in schema]
    return " and ".join(bounds).replace(" and to ", " to ")


def _kind(kind: str, schema: Schema) -> str:
    # What is said of paths and names as a whole holds for each of them.
    shared = {key: schema[key] for key in ("x-path", "x-names") if key in schema and schema[key] != "text"}
    items, entries = (
        {**its, **shared} if isinstance(its, dict) else its
        for its in (schema.get("items"), schema.get("additionalProperties"))
    )
    if kind == "array" and "x-names" in schema:
        return f"list of {SINGULAR[schema['x-names']]}s"
    if kind == "array":
        return f"list of {_values(items)}" if isinstance(items, dict) and "properties" not in items else "list"
    if kind == "object":
        if isinstance(entries, dict) and "type" in entries and "properties" not in entries:
            return f"mapping of names to {_values(entries)}"
        return "mapping"
    if kind == "string":
        return "path" if schema.get("x-path") else SINGULAR.get(schema.get("x-names", ""), "text")
    if kind in ("number", "integer"):
        return f"{'whole number' if kind == 'integer' else 'number'} {_bounds(schema)}".rstrip()
    return {"boolean": "`true`, `false`", "null": "`null`"}[kind]


def _sentence(schema: Schema) -> str:
    return str(schema.get("description", "")).strip()


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


if __name__ == "__main__":
    sys.stdout.write(markdown(sys.argv[1]))
