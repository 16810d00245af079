"""results/README.md describes what is really written."""

from __future__ import annotations

import json
import re
from importlib import resources

import pytest
from mtsig.contracts import FLAGS, TABLES, scores_schema
from mtsig.report.verdicts import KINDS


@pytest.fixture(scope="module")
def page(repository) -> str:
    return (repository / "results" / "README.md").read_text(encoding="utf-8")


def columns(page: str, table: str) -> list[str]:
    """The columns that the page lists for a table, in order."""
    _, found, section = page.partition(f"### `{table}`\n")
    assert found, f"results/README.md lacks the table {table}"
    rows = re.findall(r"^\| (`.*?) \|", section.partition("\n#")[0], re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`(.*?)`", row)]


@pytest.mark.parametrize("table", TABLES)
def test_columns(page, table):
    """Every column of every table, in order."""
    assert columns(page, table) == list(TABLES[table])


def test_score_columns(page):
    """The columns before the statistics."""
    assert columns(page, "scores") == list(scores_schema(()))


def test_flags(page):
    """Every flag with its meaning."""
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|$", page.partition("## Flags\n")[2], re.MULTILINE)
    assert rows == sorted(FLAGS.items())


def test_kinds_of_verdicts(page):
    """Every kind with its meaning, in its order, and the same in the schema of ``--json``."""
    section = page.partition("## Verdicts\n")[2].partition("## ")[0]
    assert dict(re.findall(r"^\| `(\w+)` \| (.*?) \|$", section, re.MULTILINE)) == KINDS
    schema = json.loads(resources.files("mtsig.cli").joinpath("output.schema.json").read_text(encoding="utf-8"))
    assert schema["$defs"]["verdict"]["properties"]["kind"]["enum"] == list(KINDS)
