"""Whether neural metrics can run, found out before any job does.

`probe` looks around in the Python that is to run them, `examine` asks that Python from the workflow's own.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mtsig.errors import MtsigError, UnavailableError
from mtsig.metrics.neural import checkpoint
from mtsig.metrics.neural.model import package_versions

__all__ = ["examine", "probe"]

_SECONDS = 300
_HELP = (
    "Install COMET as workflow/envs/README.md says, or give the Python of an environment that has it as neural.python."
)


def probe(metrics: Mapping[str, Mapping[str, Any]], *, local_files_only: bool) -> dict[str, Any]:
    """Look whether packages and models are there, in this Python, without loading either.

    Parameters
    ----------
    metrics
        Metric name to its settings.
    local_files_only
        Do not ask the hub for models.

    Returns
    -------
    dict
        ``problems``, a list of messages; and where there is none, ``versions`` of the packages that decide about
        scores and ``commits``, metric name to the commit of its model on the hub (None for one that is a path).
    """
    try:
        versions = package_versions()
        _check_packages()
    except UnavailableError as error:
        return {"problems": [str(error)]}
    problems, commits = [], {}
    for name, settings in metrics.items():
        try:
            commits[name] = checkpoint.check(settings["model"], settings["revision"], local_files_only=local_files_only)
        except MtsigError as error:
            problems.append(f"metrics.{name}: {error}")
    return {"problems": problems, "versions": versions, "commits": commits}


def _check_packages() -> None:
    """Find the ways in which versions that pip accepts do not work together, without the seconds of a full import."""
    # torchmetrics before 1.0 imports a part of setuptools that newer ones lack.
    needed = {"comet": "comet"}
    if version("torchmetrics").startswith("0."):
        needed["pkg_resources"] = "pkg_resources (it comes with setuptools<82)"
    for name, words in needed.items():
        if find_spec(name) is None:
            raise UnavailableError(f"neural metrics need the package {words}, and {sys.executable} has none. {_HELP}")
    for name in ("numpy", "pyarrow", "yaml"):
        try:
            import_module(name)
        except Exception as error:
            raise UnavailableError(
                f"neural metrics need the package {name}, which {sys.executable} cannot import ({error}). {_HELP}"
            ) from None


@functools.cache
def _ask(python: str, script: Path, request: str) -> dict[str, Any]:
    try:
        finished = subprocess.run(
            [python, str(script), "--check"],
            input=request,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except OSError as error:
        raise UnavailableError(f"neural.python: {python} cannot be run ({error.strerror}). {_HELP}") from None
    except subprocess.TimeoutExpired:
        raise UnavailableError(f"neural.python: {python} gave no answer within {_SECONDS} s. {_HELP}") from None
    try:
        answer: dict[str, Any] = json.loads(finished.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        last = (finished.stderr.strip().splitlines() or ["no message"])[-1]
        raise UnavailableError(f"neural.python: {python} cannot run the scorer ({last}). {_HELP}") from None
    return answer


def examine(
    metrics: Mapping[str, Mapping[str, Any]],
    *,
    python: str | os.PathLike[str] | None,
    script: str | os.PathLike[str],
    local_files_only: bool,
) -> dict[str, Any]:
    """Ask the Python that is to run neural metrics whether it can; the same question is asked once.

    Parameters
    ----------
    metrics
        Metric name to its settings.
    python
        The interpreter; None for this one.
    script
        The scorer's entry.
    local_files_only
        Do not ask the hub for models.

    Returns
    -------
    dict
        ``versions`` and ``commits``, as `probe` gives them.

    Raises
    ------
    UnavailableError
        If something is in the way, in one line: which metric, what, and what to do.
    """
    request = json.dumps({"metrics": metrics, "local_files_only": local_files_only}, sort_keys=True)
    answer = _ask(str(python or sys.executable), Path(script), request)
    if answer["problems"]:
        raise UnavailableError(" ".join(answer["problems"]))
    return answer
