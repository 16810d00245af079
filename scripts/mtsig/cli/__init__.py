"""The command line: thin shells around the steps of the workflow, with the names and defaults of its config keys."""

from __future__ import annotations

import os
import sys

__all__ = ["main"]

#: Exit statuses; 2, for an unusable command line, is the parser's own.
_FAILED, _UNEXPECTED, _INTERRUPTED = 1, 70, 130


def main() -> None:
    """Run the command ``mtsig``.

    Exit status: 0 done; 1 an input, a setting or a missing package; 2 the command line itself; 70 an error that mtsig
    did not foresee (``MTSIG_TRACEBACK=1`` shows where); 130 interrupted.
    """
    from mtsig.cli.app import app
    from mtsig.errors import MtsigError

    try:
        app(prog_name="mtsig")
    except MtsigError as error:
        _leave(str(error), _FAILED)
    except KeyboardInterrupt:
        _leave("interrupted", _INTERRUPTED)
    except Exception as error:
        if os.environ.get("MTSIG_TRACEBACK"):
            raise
        message = f"unexpected failure ({type(error).__name__}: {error}); set MTSIG_TRACEBACK=1 to see where"
        _leave(message, _UNEXPECTED)


def _leave(message: str, status: int) -> None:
    print(f"error: {message}", file=sys.stderr)
    sys.exit(status)
