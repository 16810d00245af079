"""The command line: thin shells around the steps of the workflow, with the names and defaults of its config keys.

Results go to the standard output, warnings and errors to the standard error. Exit status:

===  ==========================================================================================
0    done
1    an input, a setting or a missing package; the last line says which, and what to do
2    the command line itself: an unknown option, a missing argument
3    ``mtsig lint --strict`` found something to warn about
70   an error that mtsig did not foresee (``MTSIG_TRACEBACK=1`` shows where)
130  interrupted
===  ==========================================================================================

``mtsig run`` leaves with Snakemake's status, 0 or 1.
"""

from __future__ import annotations

import io
import os
import sys

__all__ = ["main"]

_FAILED, _UNEXPECTED, _INTERRUPTED = 1, 70, 130


def main() -> None:
    """Run the command ``mtsig``; see the module for exit statuses."""
    try:
        _run()
    except (KeyboardInterrupt, SystemExit) as left:
        # Typer leaves with this status without a word; while modules are being loaded, there is no Typer yet.
        if isinstance(left, SystemExit) and left.code != _INTERRUPTED:
            raise
        _leave("interrupted", _INTERRUPTED)


def _run() -> None:
    import gc
    import logging

    # Looking for cycles among what the imports bring takes a command longer than it could ever free.
    gc.set_threshold(100_000)

    from mtsig.cli.app import app_of
    from mtsig.errors import MtsigError, visible

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # What a terminal's encoding lacks is shown as an escape instead of ending the command.
            stream.reconfigure(errors="backslashreplace")
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("warning: %(message)s"))
    handler.setLevel(logging.WARNING)

    def shown(record: logging.LogRecord) -> bool:
        record.msg, record.args = visible(record.getMessage()), ()
        return True

    handler.addFilter(shown)
    logging.getLogger("mtsig").addHandler(handler)
    try:
        app_of(next(iter(sys.argv[1:]), None))(prog_name="mtsig")
    except MtsigError as error:
        _leave(str(error), _FAILED)
    except MemoryError as error:
        _leave(f"the memory does not suffice ({error}). Use fewer resamples, systems or segments.", _FAILED)
    except Exception as error:
        if os.environ.get("MTSIG_TRACEBACK"):
            raise
        what = f"{type(error).__name__}: {visible(str(error))}"
        message = f"unexpected failure ({what}); set MTSIG_TRACEBACK=1 to see where"
        _leave(message, _UNEXPECTED)
    finally:
        logging.getLogger("mtsig").removeHandler(handler)


def _leave(message: str, status: int) -> None:
    print(f"error: {message}", file=sys.stderr)
    sys.exit(status)
