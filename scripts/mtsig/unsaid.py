"""What Snakemake was asked not to print and a user needs to know: its own errors, and that nothing was to be done."""

from __future__ import annotations

import logging

__all__ = ["Unsaid"]

# Of Snakemake's logger and of what it says there.
_LOGGER = "snakemake.logging"
_NOTHING = "Nothing to be done"


class Unsaid(logging.Handler):
    """Hears everything that Snakemake says, and keeps what ``--quiet all`` would hide.

    Attributes
    ----------
    errors
        Errors of Snakemake's own that nothing printed.
    nothing_to_do
        Whether Snakemake found nothing to do, and nothing printed that.
    locked
        Whether it found the folder locked.
    job_failed
        To be set where a job has failed, of which its own message tells: Snakemake's adds nothing.
    """

    def __init__(self) -> None:
        super().__init__()
        self.errors: list[str] = []
        self.nothing_to_do = False
        self.locked = False
        self.job_failed = False

    @classmethod
    def listen(cls) -> Unsaid:
        """Begin to listen."""
        handler = cls()
        logging.getLogger(_LOGGER).addHandler(handler)
        return handler

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a message if no other handler prints it."""
        message = record.getMessage()
        self.locked |= getattr(record, "exception", None) == "LockException"
        if any(other.filter(record) for other in logging.getLogger(_LOGGER).handlers if other is not self):
            return
        if record.levelno >= logging.ERROR:
            self.errors.append(message.strip())
        self.nothing_to_do |= message.startswith(_NOTHING)
