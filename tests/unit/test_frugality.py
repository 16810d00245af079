"""Commands and jobs load only what they use."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def python(code: str, *arguments: str, folder: Path | None = None) -> str:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def test_pandas_can_be_found_again_afterwards():
    code = """
from importlib.util import find_spec
from mtsig.frugality import without_pandas

with without_pandas():
    try:
        import pandas
    except ImportError:
        print("hidden")
print(find_spec("pandas") is not None)
"""
    assert python(code).split()[0] == "hidden"
    assert (
        python(code).split()[1]
        == python("from importlib.util import find_spec; print(bool(find_spec('pandas')))").strip()
    )


def test_comparing_loads_nothing_heavy_that_it_does_not_use(tmp_path: Path):
    """Each of these would take longer than the comparison of two small files."""
    for name in ("reference", "one", "two"):
        (tmp_path / name).write_text("A line.\n" * 40, encoding="utf-8")
    code = """
import sys
from mtsig.cli import main

try:
    main()
finally:
    heavy = {"altair", "jsonschema", "pandas", "pyarrow.compute", "pyarrow.dataset", "scipy", "sklearn", "yaml"}
    print("loaded:", *sorted(heavy & sys.modules.keys()), file=sys.__stdout__)
"""
    assert python(code, "compare", "reference", "one", "two", folder=tmp_path).splitlines()[-1] == "loaded:"
