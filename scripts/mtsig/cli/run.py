"""``mtsig run``: the whole workflow on a configuration."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from mtsig.errors import ConfigError, InputError
from mtsig.home import workflow_home

__all__ = ["run"]


def run(
    config: Annotated[Path, typer.Argument(help="Configuration, a YAML file.")],
    targets: Annotated[
        list[str] | None, typer.Argument(help="What to make: all, tables, figures, report, paper, comet, or files.")
    ] = None,
    cores: Annotated[str, typer.Option("--cores", "-c", help="Number of cores, or all.")] = "all",
    dry_run: Annotated[bool, typer.Option("--dry-run", "-n", help="Say what would be done.")] = False,
) -> None:
    """Run the workflow on a configuration: everything from texts to the report page."""
    if not config.is_file():
        raise InputError(
            f"{config}: there is no such configuration file. `mtsig init` writes one for a folder of outputs."
        )
    _check_yaml(config)
    snakefile = str(workflow_home() / "Snakefile")
    command = [sys.executable, "-m", "snakemake", *(targets or []), "--snakefile", snakefile, "--cores", cores]
    # The configuration comes last: Snakemake takes everything that follows it for further configuration files.
    command += [*(["--dry-run"] if dry_run else []), "--configfile", str(config)]
    with subprocess.Popen(command) as snakemake:
        try:
            status = snakemake.wait()
        except KeyboardInterrupt:
            # It was interrupted, too, and must be given the time to end its jobs and to unlock the folder.
            snakemake.wait()
            raise
    raise typer.Exit(status)


def _check_yaml(config: Path) -> None:
    """Refuse a file that is no YAML, saying where: Snakemake names neither the file nor the line."""
    import yaml

    try:
        yaml.safe_load(config.read_bytes())
    except OSError as error:
        raise InputError(f"{config}: cannot be read ({error.strerror}).") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = "" if mark is None else f", line {mark.line + 1}"
        problem = getattr(error, "problem", None) or "it cannot be read"
        raise ConfigError(
            f"{config}{place}: not valid YAML: {problem}. Indent the keys of one mapping alike, with blanks."
        ) from None
