"""The commands of ``mtsig`` and what they have in common. Each command stands in a module of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from mtsig.cli.compare import compare
from mtsig.cli.grid import grid
from mtsig.cli.init import init
from mtsig.cli.lint import lint
from mtsig.cli.power import power
from mtsig.cli.reports import score_report, significance
from mtsig.cli.roc import roc
from mtsig.cli.run import run
from mtsig.cli.sample import sample
from mtsig.cli.score import ci, score
from mtsig.cli.show import show, store

__all__ = ["app_of"]

_COMMANDS: dict[str, Callable[..., None]] = {
    "compare": compare,
    "score": score,
    "ci": ci,
    "power": power,
    "roc": roc,
    "grid": grid,
    "lint": lint,
    "sample": sample,
    "significance": significance,
    "test": score_report,
    "init": init,
    "run": run,
    "show": show,
    "store": store,
}


def common(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, help="Print the version and leave.", show_default=False)
    ] = False,
) -> None:
    """Is the machine translation system really better? Scores, intervals and significance tests."""
    if version:
        from mtsig import __version__

        typer.echo(__version__)
        raise typer.Exit


def app_of(name: str | None) -> typer.Typer:
    """The command line; with one command where it is known which, since to read what all of them take is slow."""
    app = typer.Typer(
        invoke_without_command=True,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(common)
    for each in [name] if name in _COMMANDS else _COMMANDS:
        app.command(each)(_COMMANDS[each])
    return app
