"""Keeping a process from loading what it does not need.

pyarrow imports pandas, where that is installed, for the first value that it converts. That takes a third of a second of
every job and command, and nothing here uses pandas.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import MetaPathFinder

__all__ = ["without_pandas"]


class _Refusal(MetaPathFinder):
    """Lets Python find no pandas."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("pandas is not used in this process", name=name)


@contextmanager
def without_pandas() -> Iterator[None]:
    """In here, pandas counts as not installed, unless it is already loaded.

    For processes of our own: one who imports mtsig may want pandas.
    """
    refusal = _Refusal()
    sys.meta_path.insert(0, refusal)
    try:
        yield
    finally:
        sys.meta_path.remove(refusal)
