"""Where the workflow lies that belongs to this package."""

from __future__ import annotations

from pathlib import Path

from mtsig.errors import UnavailableError

__all__ = ["CARRIED", "workflow_home"]

#: The copy of the workflow that a wheel carries; in a checkout there is none.
CARRIED = Path(__file__).with_name("checkout")


def workflow_home() -> Path:
    """The folder of the Snakefile: the checkout that this package lies in, or what its wheel carries of one.

    Raises
    ------
    UnavailableError
        If there is neither.

    Examples
    --------
    >>> (workflow_home() / "workflow" / "rules").is_dir()
    True
    """
    for folder in (CARRIED, Path(__file__).parents[2]):
        if (folder / "Snakefile").is_file():
            return folder
    raise UnavailableError(
        f"The workflow is not beside the package in {Path(__file__).parent}. Install mtsig again, "
        "or run snakemake with the Snakefile of a checkout."
    )
