"""``mtsig run``: the whole workflow on a configuration."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from mtsig.errors import InputError
from mtsig.home import workflow_home

__all__ = ["run"]

# Not "all", which would also keep errors of Snakemake's own to itself, such as a lock of a run that was killed.
_QUIET = ["--quiet", "host", "progress", "reason", "rules"]


def run(
    config: Annotated[Path, typer.Argument(help="Configuration, a YAML file.")],
    targets: Annotated[
        list[str] | None, typer.Argument(help="What to make: all, tables, figures, report, paper, comet, or files.")
    ] = None,
    cores: Annotated[str, typer.Option("--cores", "-c", help="Number of cores, or all.")] = "all",
    dry_run: Annotated[bool, typer.Option("--dry-run", "-n", help="Say what would be done.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Print all that Snakemake says about its jobs.")] = False,
) -> None:
    """Run the workflow on a configuration: everything from texts to the report page."""
    from mtsig.configfiles import check_file

    if not config.is_file():
        raise InputError(
            f"{config}: there is no such configuration file. `mtsig init` writes one for a folder of outputs."
        )
    check_file(config)
    snakefile = str(workflow_home() / "Snakefile")
    snakemake_command = [sys.executable, "-m", "snakemake"]
    command = [*snakemake_command, *(targets or []), "--snakefile", snakefile, "--cores", cores]
    # The configuration comes last: Snakemake takes everything that follows it for further configuration files.
    command += [*(["--dry-run"] if dry_run else [] if verbose else _QUIET), "--configfile", str(config)]
    if not dry_run:
        _unlock([*snakemake_command, "--unlock", "--snakefile", snakefile, "--configfile", str(config)])
    with subprocess.Popen(command) as snakemake:
        try:
            status = snakemake.wait()
        except KeyboardInterrupt:
            # It was interrupted, too, and must be given the time to end its jobs and to unlock the folder.
            snakemake.wait()
            raise
    raise typer.Exit(status)


def _unlock(command: list[str]) -> None:
    """Take away the lock of a run that was killed, where that is known for sure; else Snakemake says what to do."""
    from mtsig.runlock import RunLock

    state = Path(".snakemake")
    lock = RunLock.take(state)
    lock.release()
    if lock.left_by_a_killed_run() and any(state.glob("locks/*")):
        typer.echo("The last run in this folder was killed; this one unlocks the folder and goes on.", err=True)
        subprocess.run(command, capture_output=True, check=False)
