"""The errors that mtsig raises on purpose.

Every one carries a message that stands by itself: it names the file, line or key, says what was found, and what to
do. The shells (workflow entry, command line) print that message and nothing else.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence

__all__ = ["CONTROLS", "ConfigError", "InputError", "MtsigError", "UnavailableError", "suggestion", "visible"]

#: Characters that move a terminal's cursor, change its colours, break lines, or turn the direction of writing.
CONTROLS = (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_ESCAPES = {code: repr(chr(code))[1:-1] for code in CONTROLS}
# A line that holds a whole file helps nobody: its middle is left out.
_LONGEST, _START = 2000, 1200


def visible(text: str, *, keep: str = "") -> str:
    r"""A text that a terminal shows as it is: control characters, but for those to keep, as escapes.

    Examples
    --------
    >>> print(visible("out/\\x1b[31mred.txt: is empty."))
    out/\x1b[31mred.txt: is empty.
    """
    if text.isprintable():
        return text
    return text.translate({code: shown for code, shown in _ESCAPES.items() if chr(code) not in keep})


def suggestion(word: str, known: Sequence[str], heading: str = "There are") -> str:
    """What a message says after a name that is not known: the one that may be meant, and all there are.

    Examples
    --------
    >>> suggestion("blue", ["bleu", "chrf"])
    'Did you mean bleu? There are: bleu, chrf.'
    """
    close = difflib.get_close_matches(word, known, n=1)
    return f"{f'Did you mean {close[0]}? ' if close else ''}{heading}: {', '.join(known) or 'none'}."


class MtsigError(Exception):
    """Base of all errors whose message is meant for the user.

    Parameters
    ----------
    *lines
        The message, one problem per line. Names and paths in it may hold anything; it is made `visible`, and a line
        that is too long to be read loses its middle.
    """

    def __str__(self) -> str:
        lines = [visible(str(line)) for line in self.args]
        return "\n".join(
            line if len(line) <= _LONGEST else f"{line[:_START]} ... {line[_START - _LONGEST :]}" for line in lines
        )


class ConfigError(MtsigError, ValueError):
    """A configuration key or an argument has an impossible value."""


class InputError(MtsigError, ValueError):
    """An input file or table cannot be used as it is."""


class UnavailableError(MtsigError):
    """An optional package, a model, a data set or a place to write is needed and not there."""
