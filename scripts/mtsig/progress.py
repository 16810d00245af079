"""Progress of long work: a bar on a terminal, a log line now and then elsewhere."""

from __future__ import annotations

import logging
import sys
import time
from types import TracebackType
from typing import Any, Self

__all__ = ["Progress"]

_LOG = logging.getLogger(__name__)
# Work that is done sooner needs no report, and a log should not fill up with reports either.
_SECONDS_BEFORE_FIRST = 5.0
_SECONDS_BETWEEN = 30.0


class Progress:
    """Counts finished pieces of work, and shows how many there are in all.

    Parameters
    ----------
    title
        What is being done.
    unit
        What the pieces are called.
    total
        How many there are, as far as known; `expect` adds to it.

    Examples
    --------
    >>> with Progress("wmt23, bleu", unit="resamples") as progress:
    ...     progress.expect(1000)
    ...     progress(400)
    ...     progress(600)
    >>> progress.done, progress.total
    (1000, 1000)
    """

    def __init__(self, title: str, *, unit: str, total: int = 0) -> None:
        self.title = title
        self.unit = unit
        self.total = total
        self.done = 0
        self._bar: Any = None
        self._next_report = time.monotonic() + _SECONDS_BEFORE_FIRST

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            from tqdm import tqdm

            self._bar = tqdm(total=self.total, desc=self.title, unit=f" {self.unit}", delay=1.0, leave=False)
        return self

    def expect(self, amount: int) -> None:
        """Add to the number of pieces in all."""
        self.total += amount
        if self._bar is not None:
            self._bar.total = self.total
            self._bar.refresh()

    def __call__(self, amount: int = 1) -> None:
        """Count finished pieces."""
        self.done += amount
        if self._bar is not None:
            self._bar.update(amount)
        elif (now := time.monotonic()) >= self._next_report and self.done < self.total:
            self._next_report = now + _SECONDS_BETWEEN
            _LOG.info(
                "%s: %d of %d %s (%.0f%%)", self.title, self.done, self.total, self.unit, 100 * self.done / self.total
            )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()
