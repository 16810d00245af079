"""The script for machines with a GPU: its dry run, so that it is ready where there is one."""

from __future__ import annotations

import subprocess

from neural_setup import REPOSITORY


def test_the_dry_run_passes(comet_python):
    script = REPOSITORY / "tests" / "gpu" / "measure_comet.py"
    finished = subprocess.run(
        [comet_python, "-W", "ignore", str(script), "--dry-run"],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert finished.stdout.strip().endswith("0 failures")
