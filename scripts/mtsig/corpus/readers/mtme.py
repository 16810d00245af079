"""The format ``mtme``: a folder in the layout of mt-metrics-eval (version 2).

``sources/LP.txt``, ``references/LP.NAME.txt``, ``documents/LP.docs`` and ``system-outputs/LP/NAME.txt``. References
are repeated among the outputs under their own names; they are no systems.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mtsig.corpus.model import EvaluationSet, Finding
from mtsig.corpus.mtmefolder import mtme_layout
from mtsig.corpus.readers.text import read_files

__all__ = ["read"]


def read(testset: str, settings: Mapping[str, Any]) -> EvaluationSet:
    """Read a test set from a folder in mt-metrics-eval's layout.

    Parameters
    ----------
    testset
        Its name.
    settings
        ``langpair``, ``root``, and optionally ``references`` (names), ``include_references``, ``exclude``.

    Raises
    ------
    ConfigError
        If the folder does not hold the language pair or a reference that is named.
    InputError
        If a file is not UTF-8, or the files have different numbers of lines.
    """
    layout = mtme_layout(settings, f"testsets.{testset}.")
    evaluation = read_files(
        testset,
        settings,
        source=layout.source,
        references=layout.references,
        documents=layout.documents,
        systems=layout.systems,
    )
    if not layout.unused:
        return evaluation
    message = (
        f"{settings['root']}: scores are against {', '.join(layout.references) or 'no reference'}; not used: "
        f"{', '.join(layout.unused)}. Choose with `references`."
    )
    return replace(evaluation, findings=(*evaluation.findings, Finding("info", "references_unused", message)))
