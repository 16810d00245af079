"""The command itself: help, versions, defaults, exit statuses, speed."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import mtsig
import pytest
import yaml
from mtsig.cli.app import _COMMANDS
from mtsig.contracts import TABLES

SCRIPT = [sys.executable, "-c", "import sys; from mtsig.cli import main; sys.argv[0] = 'mtsig'; main()"]


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*SCRIPT, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
        timeout=120,
    )


def test_help_is_quick():
    """In under a second: nothing heavy is imported. The best of a few tries counts, since machines can be busy."""
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        finished = run("--help")
        seconds.append(time.perf_counter() - start)
        assert finished.returncode == 0
        assert "compare" in finished.stdout
        if seconds[-1] < 1:
            return
    # On a loaded machine the clock says little; what is imported says it all.
    code = "import sys, mtsig.cli.app; print([m for m in ('numpy', 'pandas', 'pyarrow', 'scipy') if m in sys.modules])"
    imported = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert imported.stdout.strip() == "[]", seconds


def test_no_heavy_import_for_the_list_of_commands():
    code = "import sys, mtsig.cli.app; print({'numpy', 'pandas', 'pyarrow', 'scipy', 'sacrebleu'} & sys.modules.keys())"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"


@pytest.mark.parametrize("command", ["compare", "ci", "score"])
def test_comparing_loads_nothing_heavy_that_it_does_not_use(tmp_path, command):
    """Most of these would take longer than the comparison."""
    for name in ("reference", "one", "two"):
        (tmp_path / name).write_text("A line.\n" * 40, encoding="utf-8")
    code = f"""
import sys
from mtsig.cli import main

sys.argv = ["mtsig", "{command}", "reference", "one", "two"]
try:
    main()
finally:
    heavy = ("altair", "jinja2", "jsonschema", "pandas", "pyarrow", "sacrebleu", "scipy", "sklearn", "yaml")
    print("loaded:", *sorted(set(heavy) & sys.modules.keys()))
"""
    found = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert found.stdout.splitlines()[-1] == "loaded:"


def test_installed_script():
    """The console script of the installed package is this entry point."""
    script = Path(sys.executable).with_name("mtsig")
    if not script.exists():
        pytest.skip("mtsig is not installed in this environment")
    assert subprocess.run([script, "--version"], capture_output=True, text=True, check=True).stdout == (
        f"{mtsig.__version__}\n"
    )


def test_version_and_help_of_every_command(mtsig_command):
    assert mtsig_command("--version").out == f"{mtsig.__version__}\n"
    for name in _COMMANDS:
        out = mtsig_command(name, "--help").out
        assert "--help" in out
        assert ("--json" in out) == (name != "run"), name


def test_help_fits_a_narrow_terminal(mtsig_command, monkeypatch):
    """What an option does and what it may hold is told in full; only second names of options are cut."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERMINAL_WIDTH", "80")
    for name in _COMMANDS:
        cut = [line for line in mtsig_command(name, "--help").out.splitlines() if "\u2026" in line]
        assert all(line.startswith("│ --n-") and line.count("\u2026") == 1 for line in cut), cut
    assert "bleu:tokenize=intl" in mtsig_command("compare", "--help").out


def test_shell_completion():
    """What bash asks while one types ``mtsig sc<TAB>``."""
    found = run(_MTSIG_COMPLETE="complete_bash", COMP_WORDS="mtsig sc", COMP_CWORD="1")
    assert found.stdout.split() == ["score"]


@pytest.mark.parametrize(
    "arguments", [("--nonsense",), ("nonsense",), ("compare",), ("score", "--seed"), ("power", "a")]
)
def test_unusable_command_line(mtsig_command, arguments):
    outcome = mtsig_command(*arguments, status=None)
    assert outcome.status == 2
    assert outcome.err
    assert not outcome.out


def test_unforeseen_failures_have_a_status_and_a_way_to_see_more(mtsig_command, monkeypatch, t10_files):
    def fail(*_):
        raise RuntimeError("out of cheese")

    monkeypatch.setattr("mtsig.corpus.reading.read", fail)
    outcome = mtsig_command("lint", *t10_files, status=70)
    assert outcome.last_error == (
        "error: unexpected failure (RuntimeError: out of cheese); set MTSIG_TRACEBACK=1 to see where"
    )
    monkeypatch.setenv("MTSIG_TRACEBACK", "1")
    with pytest.raises(RuntimeError, match="cheese"):
        mtsig.cli.main()


def test_interruption_has_its_own_status(mtsig_command, monkeypatch, t10_files):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("mtsig.corpus.reading.read", interrupt)
    assert mtsig_command("lint", *t10_files, status=None).status == 130


def test_defaults_are_those_of_the_configuration(repository):
    """An option that is called like a key of the configuration has its default."""
    schemas = repository / "workflow" / "schemas"
    keys = yaml.safe_load((schemas / "config.schema.yaml").read_text(encoding="utf-8"))["properties"]
    studies = {
        name: yaml.safe_load((schemas / "studies" / f"{name}.schema.yaml").read_text(encoding="utf-8"))["properties"]
        for name in ("power", "roc")
    }
    compared = 0
    for name, command in _COMMANDS.items():
        known = {**studies.get(name, {}), **keys}
        for parameter in inspect.signature(command).parameters.values():
            if parameter.default not in (None, inspect.Parameter.empty) and parameter.name in known:
                assert parameter.default == known[parameter.name]["default"], (name, parameter.name)
                compared += 1
    assert compared >= 25


def test_defaults_inside_studies_are_those_of_the_configuration(repository, mtsig_command, write):
    """Lists that stand in for options nobody gave."""
    folder = repository / "workflow" / "schemas" / "studies"
    roc = yaml.safe_load((folder / "roc.schema.yaml").read_text(encoding="utf-8"))["properties"]
    gold = write("gold.txt", [str(-(n % 3)) for n in range(40)])
    qe = write("qe.txt", [str((n * 7) % 11) for n in range(40)])
    rows = mtsig_command.json("roc", gold, qe, "--n-resamples", 20)["decisions"]
    asked = {
        scenario: [row["setting"] for row in rows if row["scenario"] == scenario]
        for scenario in ("review_budget", "risk_target", "cost")
    }
    assert list(map(float, asked["review_budget"])) == roc["review_budgets"]["default"]
    assert list(map(float, asked["risk_target"])) == roc["risk_targets"]["default"]
    assert list(dict.fromkeys(asked["cost"])) == roc["costs"]["default"]
    assert {row["cutoff"] for row in rows} == set(roc["cutoffs"]["default"])


def test_schema_of_rows_is_in_step_with_the_tables(output_schema):
    """Every column of a table that is printed, and no other; pairs have their verdict besides."""
    jsonschema.Draft202012Validator.check_schema(output_schema)
    for row, table in {
        "system_row": "systems",
        "pair_row": "pairs",
        "suite_system_row": "suite_systems",
        "suite_pair_row": "suite_pairs",
        "planning_row": "planning",
        "auc_row": "auc",
        "auc_pairs_row": "auc_pairs",
        "partial_auc_row": "partial_auc",
        "partial_pairs_row": "partial_pairs",
        "decision_row": "decisions",
        "hull_row": "hulls",
    }.items():
        described = output_schema["$defs"][row]
        columns = [*TABLES[table], *(["verdict"] if row.endswith("pair_row") else [])]
        assert list(described["properties"]) == columns
        assert described["required"] == columns
    documents = [output_schema["$defs"][each["$ref"].rpartition("/")[2]] for each in output_schema["oneOf"]]
    commands = [document["properties"]["command"] for document in documents]
    described = {name for command in commands for name in command.get("enum", [command.get("const")])}
    assert described == {*_COMMANDS} - {"run"}


def test_terminals_that_lack_characters(t10_files):
    """Names and signs come out as escapes; JSON stays JSON. Nothing fails for want of an encoding."""
    reference, a, b = t10_files
    shown = run("compare", reference, f"Ä={a}", b, "-m", "bleu", PYTHONIOENCODING="ascii")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "\\xc4" in shown.stdout
    printed = run("compare", "--json", reference, f"Ä={a}", b, "-m", "bleu", PYTHONIOENCODING="ascii")
    assert json.loads(printed.stdout)["pairs"][0]["system_b"] == "Ä"


def test_closed_pipes(t10_files):
    """``mtsig score ... | head -1`` ends quietly."""
    process = subprocess.Popen(
        [*SCRIPT, "score", "--segments", *t10_files], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.stdout.close()
    _, errors = process.communicate(timeout=120)
    assert "Traceback" not in errors
    assert "unexpected failure" not in errors
