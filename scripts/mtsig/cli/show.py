"""``mtsig show`` and ``mtsig store``: what is there already."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mtsig.cli import options
from mtsig.errors import ConfigError, InputError

__all__ = ["show", "store"]


def show(
    results: Annotated[Path, typer.Argument(help="Folder that the workflow wrote to.")] = Path("results"),
    testset: Annotated[
        list[str] | None, typer.Option("--testset", "-t", help="Only this test set or suite; repeatable.")
    ] = None,
    metric: Annotated[list[str] | None, typer.Option("--metric", "-m", help="Only this metric; repeatable.")] = None,
    json: options.Json = False,
) -> None:
    """Show the results of the workflow: scores, intervals, rank ranges, and the outcome in words."""
    from mtsig.cli.output import json_results, print_json, say, width
    from mtsig.report.results import read_results
    from mtsig.steps.summary import summary

    tables = _tables(results)
    for name, wanted, place in (("testset", testset, 0), ("metric", metric, 1)):
        known = list(dict.fromkeys(key[place] for key in tables))
        for value in wanted or ():
            if value not in known:
                raise ConfigError(f"--{name}: {results} has no {name} {value!r}. It has {', '.join(known)}.")
        tables = {key: paths for key, paths in tables.items() if not wanted or key[place] in wanted}
    systems, pairs = ([paths[place] for paths in tables.values()] for place in (0, 1))
    if not systems:
        raise ConfigError(f"--metric: {results} has no such metric for that test set.")
    if json:
        print_json("show", **json_results(read_results(systems, pairs)))
        return
    say(summary(systems=systems, pairs=pairs, width=width()))


def _tables(results: Path) -> dict[tuple[str, str], tuple[Path, Path]]:
    """(Test set or suite, metric) to the tables of its systems and pairs."""
    if not results.is_dir():
        raise InputError(f"{results}: there is no such folder. `mtsig run CONFIG` makes one.")
    found = {}
    for folder in sorted([*results.glob("*/systems"), *results.glob("suites/*/systems")]):
        for systems in sorted(folder.glob("*.parquet")):
            pairs = folder.parent / "pairs" / systems.name
            if pairs.is_file():
                found[folder.parent.name, systems.stem] = (systems, pairs)
    if not found:
        raise InputError(f"{results}: holds no results (no */systems/*.parquet). `mtsig run CONFIG` makes them.")
    return found


def store(
    path: Annotated[
        Path | None, typer.Option("--path", help="File of the store; default the one in the user's cache folder.")
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Remove the scores, all or those of --model.")] = False,
    model: Annotated[str | None, typer.Option("--model", help="With --clear: only the scores of this model.")] = None,
    json: options.Json = False,
) -> None:
    """Show what the store of neural scores holds, or clear it."""
    from mtsig.cli.output import print_json, say
    from mtsig.metrics.neural.store import ScoreStore, default_path
    from mtsig.report import format as fmt

    if model is not None and not clear:
        raise ConfigError("--model: goes with --clear.")
    file = path or default_path()
    if not file.exists():
        if json:
            print_json("store", path=str(file), n_scores=0, n_bytes=0, removed=0 if clear else None, contexts=[])
        else:
            say(f"{file}: there is no store yet.")
        return
    if not _is_database(file):
        # A store sets such a file aside, and clearing would then remove what may be the user's own.
        raise InputError(f"{file}: is no store of scores. If it once was one, remove it by hand.")
    with ScoreStore(file) as scores:
        removed = scores.clear(model=model) if clear else None
        info = scores.info()
    if json:
        contexts = [{"model": name, "context": context, "n_scores": number} for name, context, number in info.contexts]
        print_json(
            "store",
            path=str(info.path),
            n_scores=info.n_scores,
            n_bytes=info.n_bytes,
            removed=removed,
            contexts=contexts,
        )
        return
    if removed is not None:
        say(f"Removed {fmt.count(removed)} scores.")
    say(f"{info.path}: {fmt.count(info.n_scores)} scores, {fmt.count(info.n_bytes)} bytes")
    for name, context, number in info.contexts:
        say(f"  {name}: {fmt.count(number)}  {context}")
    for file in info.set_aside:
        say(f"  damaged, set aside: {file}")


def _is_database(file: Path) -> bool:
    """Whether a file starts as SQLite's do, or is empty."""
    header = b"SQLite format 3\0"
    try:
        with file.open("rb") as stream:
            start = stream.read(len(header))
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror}).") from None
    return start in (b"", header)
