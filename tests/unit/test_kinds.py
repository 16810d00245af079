"""Declarations of the kinds of studies: what they name is there, and everything there is declared."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys

import pytest
from mtsig import configschemas
from mtsig.contracts import TABLES
from mtsig.kinds import study_kind

KINDS = ("calibration", "meta", "null", "power", "robustness", "roc")


def test_kinds_and_schemas_belong_together(repository):
    """A kind without a schema could not be configured, one without a declaration could not run."""
    declared = {path.stem for path in (repository / "scripts/mtsig/kinds").glob("*.py")} - {"__init__"}
    assert declared == set(configschemas.variants(repository / "workflow" / "schemas", "studies")) >= set(KINDS)


@pytest.mark.parametrize("name", KINDS)
def test_what_a_declaration_names_is_there(repository, name):
    """Functions and the options that they take, columns of tables, and the options that name metrics."""
    kind = study_kind(name)
    schema = configschemas.top(repository / "workflow" / "schemas")
    own = configschemas.variant(repository / "workflow" / "schemas", "studies", name)
    options = {*configschemas.common(schema, "studies")["properties"], *own["properties"]}
    assert callable(getattr(importlib.import_module(kind.step), name))
    for table in kind.tables:
        assert table.name in TABLES
        assert bool(table.title) == bool(table.function)
    for part in (*kind.read, *kind.figures):
        parameters = inspect.signature(kind.function(part)).parameters
        assert set(part.options) <= set(parameters)
        assert len(parameters) == len(part.options) + len(getattr(part, "tables", [part]))
    for figure in kind.figures:
        assert set(figure.tables) <= {table.name for table in kind.tables}
    assert {*kind.metrics, *kind.shown_options} <= options
    assert kind.about.format(**dict.fromkeys(kind.shown_options, "x"))


def test_declarations_are_light():
    """The workflow reads them whenever it is read."""
    code = (
        f"import sys; from mtsig.kinds import study_kind; [study_kind(name) for name in {KINDS}]; print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "pyarrow", "scipy", "altair"} & set(loaded)


def test_files_of_a_kind():
    """All tables as Parquet and csv, those for reading as md and tex too, figures in three formats."""
    assert study_kind("power").files() == [
        *("power_curve.parquet", "power_curve.csv", "planning.parquet", "planning.csv"),
        *("planning.md", "planning.tex"),
        *("figures/power_curve.svg", "figures/power_curve.png", "figures/power_curve.pdf"),
        *("figures/detectable.svg", "figures/detectable.png", "figures/detectable.pdf"),
    ]
