"""The commands of ``mtsig`` and what they have in common. Each command stands in a module of its own."""

from __future__ import annotations

from typing import Annotated

import typer

from mtsig.cli.compare import compare
from mtsig.cli.run import run

__all__ = ["app"]

app = typer.Typer(
    invoke_without_command=True,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (compare, run):
    app.command()(command)


@app.callback()
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
