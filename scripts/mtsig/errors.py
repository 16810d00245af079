"""The errors that mtsig raises on purpose.

Every one carries a message that stands by itself: it names the file, line or key, says what was found, and what to
do. The shells (workflow entry, command line) print that message and nothing else.
"""

from __future__ import annotations

__all__ = ["ConfigError", "InputError", "MtsigError", "UnavailableError"]


class MtsigError(Exception):
    """Base of all errors whose message is meant for the user."""


class ConfigError(MtsigError, ValueError):
    """A configuration key or an argument has an impossible value."""


class InputError(MtsigError, ValueError):
    """An input file or table cannot be used as it is."""


class UnavailableError(MtsigError):
    """An optional package, a model, a data set or a place to write is needed and not there."""
