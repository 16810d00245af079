"""The page about the command line, the Python functions and moving over says what is so."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import mtsig
import pytest
from mtsig import corpus_bleu, corpus_chrf, exact_match_rate, paired_bootstrap
from mtsig.cli.app import _COMMANDS
from mtsig.contracts import TABLES

PAGE = Path(mtsig.__file__).with_name("README.md")
TEXT = PAGE.read_text(encoding="utf-8")


def test_examples_run():
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0
    assert tried > 15


def test_every_command_is_named():
    assert set(re.findall(r"`mtsig (\w+)", TEXT)) >= {*_COMMANDS}


def test_names_exist():
    """Columns, public names, and files that the page links to."""
    columns = {name for table in TABLES.values() for name in table}
    for name in re.findall(r"`(p_\w+|koehn_\w+|ci_\w+|boot_\w+|score_[ab]|ties)`", TEXT):
        assert name in columns
    for name in re.findall(r"`mtsig\.(\w+)`", TEXT):
        assert name in mtsig.__all__
    for link in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert (PAGE.parent / link).exists(), link


@pytest.mark.parametrize("metric", [corpus_chrf, exact_match_rate, corpus_bleu])
def test_the_table_of_differences_was_computed(t10, metric):
    a, b = (
        [
            {"id": i, "expected": expected, "predicted": predicted, "exact_match": expected == predicted}
            for i, (expected, predicted) in enumerate(zip(t10["reference"], t10[name], strict=True))
        ]
        for name in "AB"
    )
    result = paired_bootstrap(a, b, metric)
    row = next(line for line in TEXT.splitlines() if line.startswith(f"| `{metric.__name__}` | "))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    numbers = [float(cells[1]), float(cells[2]), float(cells[4]), *map(float, cells[6].strip("[]").split(","))]
    expected = [result.system_a_score, result.system_b_score, result.p_value, result.ci_lower, result.ci_upper]
    assert numbers == pytest.approx(expected, abs=5.1e-3)
