"""The C sources under the compiler's sanitizers, on nasty texts."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc and its sanitizers are needed"),
]


def build(repository: Path, folder: Path, *flags: str) -> Path:
    """Compile the extension with extra flags, warnings being errors."""
    target = folder / "_native.abi3.so"
    command = ["gcc", "-shared", "-fPIC", "-std=c11", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", *flags]
    command += ["-DPy_LIMITED_API=0x030B0000", f"-I{sysconfig.get_path('include')}"]
    command += [str(repository / "scripts" / "mtsig" / "kernels" / "_native.c"), "-o", str(target), "-lm"]
    subprocess.run(command, check=True)
    return target


def fuzz(repository: Path, extension: Path, seed: int, n_rounds: int, **environment: str) -> None:
    command = [
        sys.executable,
        str(repository / "tests" / "fuzz" / "fuzz_kernels.py"),
        str(extension),
        str(seed),
        str(n_rounds),
    ]
    result = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr[-4000:]
    assert result.stdout.strip() == "equal"


@pytest.mark.parametrize("flags", [(), ("-DMAX_VECTOR_WORDS=3",)], ids=["as built", "mostly by the beam alone"])
def test_no_access_outside_arrays_and_nothing_undefined(
    repository: Path, tmp_path: Path, flags: tuple[str, ...]
) -> None:
    """Address and undefined-behaviour sanitizers stay silent, and the numbers are the twins'."""
    sanitizers = "-fsanitize=address,undefined"
    extension = build(repository, tmp_path, "-g", "-O1", sanitizers, "-fno-sanitize-recover=all", *flags)
    runtime = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    # The interpreter itself never frees some of its memory, so leaks are not looked for here.
    fuzz(repository, extension, 1, 40, LD_PRELOAD=runtime.stdout.strip(), ASAN_OPTIONS="detect_leaks=0")


def test_without_optimization(repository: Path, tmp_path: Path) -> None:
    """The numbers do not depend on what the compiler makes of the sources."""
    fuzz(repository, build(repository, tmp_path, "-O0"), 2, 40)
