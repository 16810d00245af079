"""``mtsig sample``: a smaller test set out of a large one, the same segments of every file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mtsig.cli import options
from mtsig.errors import ConfigError, InputError

__all__ = ["sample"]

#: The files that say which segments were drawn, and how.
SEGMENTS, RECORD = "segments.txt", "sample.json"


def sample(
    files: Annotated[
        list[str],
        typer.Argument(help="Sources, references and outputs, one segment per line.", show_default=False),
    ],
    segments: Annotated[int, typer.Option("--segments", "-n", min=1, help="How many segments.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write to.", show_default=False)],
    scheme: Annotated[
        str,
        typer.Option("--scheme", help="broad (every k-th segment), random, or consecutive (a run of neighbours)."),
    ] = "broad",
    by: Annotated[
        str | None, typer.Option("--by", help="Take each document or domain in proportion; needs --documents.")
    ] = None,
    number: Annotated[int, typer.Option("--number", min=1, help="Which of the disjoint samples of that size.")] = 1,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of random samples.")] = 12345,
    documents: options.Documents = None,
    json: options.Json = False,
) -> None:
    """Draw a sample of a test set: the same segments of all files, written to a folder under their names.

    Broad samples are what Koehn (2004) advised: neighbouring segments are of one text and one topic. The folder gets
    segments.txt, too, which `only: {segments: ...}` of a configuration takes, and sample.json, the record.
    """
    from mtsig.cli.output import print_json, say, warn
    from mtsig.cli.texts import is_sgm, require_file
    from mtsig.corpus.files import uncompressed_name
    from mtsig.corpus.parts import choose
    from mtsig.corpus.reading import read
    from mtsig.io import write_json

    if by not in (None, "document", "domain"):
        raise ConfigError(f"--by: {by!r} is neither document nor domain.")
    if by is not None and documents is None:
        raise ConfigError("--by: needs --documents, the file that says which segment belongs to which.")
    paths = [Path(file) for file in [*files, *([str(documents)] if documents else [])]]
    for path in paths:
        require_file(str(path))
        if is_sgm(str(path)):
            raise ConfigError(
                f"{path}: is SGML, which has no segment a line. In a configuration, `format: wmt-sgm` takes it, with "
                "`only: {sample: ...}`."
            )
    names = [uncompressed_name(path) for path in paths]
    twice = next((name for name in names if names.count(name) > 1 or name in (SEGMENTS, RECORD)), None)
    if twice is not None:
        raise ConfigError(f"{twice}: two files in {output} would have that name. Rename one.")
    settings = {
        "format": "text",
        "langpair": "und-und",
        "systems": {name: str(path) for name, path in zip(names, paths, strict=True)},
        "documents": None if documents is None else str(documents),
    }
    drawn = {"scheme": scheme, "segments": segments, "by": by, "number": number, "seed": seed}
    try:
        whole = read("files", settings)
        part = choose(whole, {"only": {"sample": drawn}})
    except ConfigError as error:
        raise ConfigError(
            str(error).replace("testsets.files.only.sample.by", "--by").replace("testsets.files.only.sample: ", "")
        ) from None
    if output.exists():
        raise ConfigError(f"{output}: is there already and is not overwritten. Choose another folder with --output.")
    record = {
        **drawn,
        "n_segments": part.n_segments,
        "n_before": whole.n_segments,
        "files": [str(path) for path in paths],
        "segment_ids": list(part.segment_ids),
    }
    try:
        output.mkdir(parents=True)
        for name in names:
            lines = (text or "" for text in part.systems[name])
            (output / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
        (output / SEGMENTS).write_text("".join(f"{each}\n" for each in part.segment_ids), encoding="utf-8")
        write_json(output / RECORD, record)
    except OSError as error:
        raise InputError(f"{output}: cannot be written ({error.strerror}).") from None
    warn([finding.message for finding in part.findings if finding.level == "warning"])
    if json:
        print_json("sample", folder=str(output), **record)
        return
    say(f"{part.n_segments} of {whole.n_segments} segments of {len(names)} files are in {output} ({scheme}).")
    say(f"The same in a configuration: only: {{segments: {output / SEGMENTS}}}")
