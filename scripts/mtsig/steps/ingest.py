"""Raw files of a test set to ``segments.parquet``, ``hypotheses.parquet`` and ``lint.json``."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from mtsig.corpus.lint import as_row, summary
from mtsig.corpus.lint import lint as find_faults
from mtsig.corpus.reading import read
from mtsig.io import StrPath, write_json
from mtsig.steps.evaluation_set import save

__all__ = ["LINT_SCHEMA_VERSION", "ingest"]

LINT_SCHEMA_VERSION = 1

_LOG = logging.getLogger(__name__)
# Kinds of warnings that are shown; all stand in lint.json.
_SHOWN = 10


def ingest(
    *,
    testset: str,
    settings: Mapping[str, Any],
    segments: StrPath,
    hypotheses: StrPath,
    lint: StrPath,
) -> None:
    """Read a test set in its format, check its alignment, look for faults, and write it as tables.

    Parameters
    ----------
    testset
        Name of the test set.
    settings
        Its settings, see the schema of its format.
    segments, hypotheses, lint
        The files to write.

    Raises
    ------
    ConfigError, InputError
        If a setting or a file cannot be used; nothing is written then.
    """
    evaluation = read(testset, settings)
    findings = find_faults(evaluation)
    save(evaluation, segments=segments, hypotheses=hypotheses)
    write_json(lint, {"schema_version": LINT_SCHEMA_VERSION, "findings": [as_row(finding) for finding in findings]})
    lines = summary(findings, _SHOWN)
    for line in lines:
        _LOG.warning("%s: %s", testset, line)
    n_warnings = sum(finding.level == "warning" for finding in findings)
    if n_warnings > len(lines):
        _LOG.warning("%s: %d warnings in all stand in %s", testset, n_warnings, lint)
