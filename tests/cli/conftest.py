"""The command ``mtsig`` as a user runs it, and texts to run it on."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import mtsig.cli
import pytest


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    status: int
    out: str
    err: str

    @property
    def last_error(self) -> str:
        """The last line of the standard error."""
        return self.err.rstrip("\n").rpartition("\n")[2]

    @property
    def warnings(self) -> list[str]:
        return [line.removeprefix("warning: ") for line in self.err.splitlines() if line.startswith("warning: ")]


Run = Callable[..., Outcome]


@pytest.fixture(scope="session")
def output_schema() -> dict[str, Any]:
    path = Path(mtsig.cli.__file__).parent / "output.schema.json"
    return json.loads(path.read_text(encoding="utf-8"))


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


@pytest.fixture
def mtsig_command(monkeypatch, capsys, output_schema) -> Run:
    """Run a command through the entry point in this process; JSON that it prints must fit the shipped schema."""
    # Workers of pytest-xdist have the width of the terminal; tables are tested at that of a file.
    monkeypatch.delenv("COLUMNS", raising=False)

    def run(*arguments: object, stdin: bytes = b"", status: int | None = 0) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["mtsig", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            mtsig.cli.main()
        captured = capsys.readouterr()
        outcome = Outcome(int(left.value.code or 0), captured.out, captured.err)
        assert "Traceback" not in outcome.err
        assert status is None or outcome.status == status, outcome.err + outcome.out
        if status:
            assert outcome.last_error.startswith("error: ")
            assert outcome.out == ""
        return outcome

    def with_json(command: str, *arguments: object, **options: Any) -> Any:
        printed = run(command, "--json", *arguments, **options).out
        document = json.loads(printed, parse_constant=_refuse)
        jsonschema.validate(document, output_schema)
        return document

    run.json = with_json
    return run


@pytest.fixture
def write(tmp_path) -> Callable[..., Path]:
    """Write a file of lines (or bytes) below the test's folder."""

    def writer(name: str, lines: Iterable[str] | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(lines if isinstance(lines, bytes) else "".join(f"{line}\n" for line in lines).encode())
        return path

    return writer


@pytest.fixture
def t10_files(repository) -> list[str]:
    """Reference, A and B of the ten-segment corpus."""
    return [str(repository / "tests" / "reference" / "t10" / f"{name}.txt") for name in ("reference", "A", "B")]
