"""``mtsig init``: a first configuration from a folder of outputs."""

from __future__ import annotations

import json as jsonlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mtsig.cli import options
from mtsig.errors import ConfigError, InputError

if TYPE_CHECKING:
    from mtsig.cli.discovery import TestSet

__all__ = ["init"]

_REST = """\

# Metrics by name; `kind` and options are described in mtsig's config/README.md. TER takes longer on long segments.
metrics:
  bleu: {}
  chrf: {}
  # ter: {}
  # comet: {model: Unbabel/wmt22-comet-da}    # only made by the target comet, and needs the source

n_resamples: 1000         # bootstrap resamples; 10000 for final tables
seed: 12345               # any other number gives other draws
alpha: 0.05               # significance level
confidence_level: 0.95
resample_unit: segment    # or document, where there are documents
adjust: none              # holm or bh corrects for the number of pairs
"""
_COMMENT_AT = 60


def init(
    folder: Annotated[Path, typer.Argument(help="Folder with the outputs of systems and their reference.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write.")] = Path("mtsig.yaml"),
    langpair: Annotated[str | None, typer.Option("--langpair", "-l", help="Language pair, as en-de.")] = None,
    source: options.Source = None,
    references: Annotated[
        list[Path] | None, typer.Option("--reference", "-r", help="File with a reference; repeatable.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Write a configuration for the texts in a folder, and say what was assumed about them.

    Source, references, documents and outputs are told apart by the names of files and folders; all have as many lines
    as the reference. Folders of mt-metrics-eval and of WMT since 2021, reports of mt-eval-harness and SGML are known.
    """
    from mtsig.cli.discovery import discover
    from mtsig.cli.output import print_json, say, warn

    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder.")
    if output.exists():
        raise ConfigError(f"{output}: is there already and is not overwritten. Choose another name with --output.")
    found = discover(_short(folder), langpair=langpair, source=source, references=references or ())
    text = "\n".join(_lines(found, output))
    try:
        # "x": another program may have written the file in the meantime.
        with output.open("x", encoding="utf-8") as file:
            file.write(text + "\n" + _REST)
    except OSError as error:
        raise InputError(f"{output}: cannot be written ({error.strerror}).") from None
    notes = [note for testset in found for note in testset.notes]
    warn(notes)
    if json:
        print_json(
            "init",
            path=str(output),
            testsets={testset.name: testset.settings for testset in found},
            assumptions={testset.name: dict(testset.remarks) for testset in found},
            messages=notes,
        )
        return
    for testset in found:
        say(f"{testset.name}:")
        for key, value in testset.settings.items():
            values = value.values() if isinstance(value, dict) else value if isinstance(value, list) else [value]
            shown = ", ".join(map(_scalar, values))
            remark = testset.remarks.get(key)
            say(f"  {key}: {shown}" + (f"  ({remark})" if remark else ""))
    say(f"Wrote {output}. Look it over, then: mtsig run {output}")


def _short(folder: Path) -> Path:
    """The folder as seen from the working folder, where it lies inside it."""
    try:
        return folder.resolve().relative_to(Path.cwd())
    except ValueError:
        return folder


def _lines(testsets: list[TestSet], output: Path) -> Iterator[str]:
    yield f"# Written by `mtsig init`. Check what was assumed, then run: mtsig run {output.name}"
    yield "# Relative paths start at the folder in which you run it."
    yield ""
    yield "testsets:"
    for testset in testsets:
        yield _commented(f"  {testset.name}:", "the name in paths and tables")
        for key, value in testset.settings.items():
            remark = testset.remarks.get(key, "")
            if isinstance(value, dict):
                yield _commented(f"    {key}:", remark)
                yield from (f"      {_scalar(name)}: {_scalar(path)}" for name, path in value.items())
            elif isinstance(value, list):
                yield _commented(f"    {key}:", remark)
                yield from (f"      - {_scalar(item)}" for item in value)
            else:
                yield _commented(f"    {key}: {_scalar(value)}", remark)


def _commented(line: str, comment: str) -> str:
    return f"{line.ljust(_COMMENT_AT - 2)}  # {comment}" if comment else line


def _scalar(value: Any) -> str:
    """A text or truth value as YAML; text in quotes wherever YAML could read something else."""
    if isinstance(value, bool):
        return str(value).lower()
    plain = re.fullmatch(r"[A-Za-z][A-Za-z0-9_./-]*(\*\.[a-z]+)?", value)
    words = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}
    if plain and value.lower() not in words:
        return str(value)
    # YAML has JSON's escapes, but not its pairs of them for what lies beyond the first 65,536 characters.
    quoted = jsonlib.dumps(value, ensure_ascii=False)
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in quoted)
