"""Progress of long work."""

from __future__ import annotations

import logging

import pytest
from mtsig import progress as progress_module
from mtsig.progress import Progress


def test_short_work_is_silent(caplog: pytest.LogCaptureFixture) -> None:
    """Nothing is logged before some seconds have passed."""
    with caplog.at_level(logging.INFO), Progress("bleu", unit="resamples", total=10) as progress:
        progress(10)
    assert caplog.text == ""
    assert progress.done == 10


def test_long_work_is_logged_now_and_then(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line with the share that is done, then none for half a minute, and none at the end."""
    clock = iter([0.0, 1.0, 6.0, 7.0, 40.0, 90.0])
    monkeypatch.setattr(progress_module.time, "monotonic", lambda: next(clock))
    with caplog.at_level(logging.INFO), Progress("wmt23, bleu", unit="resamples") as progress:
        progress.expect(1000)
        for _ in range(5):
            progress(200)
    assert caplog.messages == ["wmt23, bleu: 400 of 1000 resamples (40%)", "wmt23, bleu: 800 of 1000 resamples (80%)"]


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Drawn on the standard error stream, and gone at the end."""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with Progress("bleu", unit="resamples", total=5) as progress:
        progress.expect(5)
        progress(10)
    assert progress.done == progress.total == 10
