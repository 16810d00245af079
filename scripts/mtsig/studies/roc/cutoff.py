"""Cutoffs: which human scores mean that a segment has an error."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mtsig.errors import ConfigError

__all__ = ["Cutoff"]

_FORM = re.compile(r"\s*(<=|>=|<|>)\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*")
_TOLERANCE = 1e-9  # sums of penalties differ from round numbers by rounding


@dataclass(frozen=True)
class Cutoff:
    """A comparison with a number, such as ``<0`` (any error) or ``<=-5`` (a major one).

    Attributes
    ----------
    text
        As it is written in the configuration.
    sign
        One of ``<``, ``<=``, ``>``, ``>=``.
    limit
        The number.
    """

    text: str
    sign: str
    limit: float

    @classmethod
    def parse(cls, text: str) -> Cutoff:
        """Read a cutoff.

        Raises
        ------
        ConfigError
            If it is not one of the four comparisons with a number.

        Examples
        --------
        >>> Cutoff.parse("<=-5")
        Cutoff(text='<=-5', sign='<=', limit=-5.0)
        """
        match = _FORM.fullmatch(text)
        if not match:
            raise ConfigError(f'cutoffs: {text!r} is no comparison with a number; write it like "<0" or "<=-5".')
        return cls(text, match[1], float(match[2]))

    def errors(self, scores: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Which human scores mean an error. Scores within 1e-9 of the limit are equal to it.

        Examples
        --------
        >>> Cutoff.parse("<0").errors([0.0, -0.0, -1e-12, -0.1]).tolist()
        [False, False, False, True]
        >>> Cutoff.parse("<=-5").errors([-4.999999999999999, -4.9]).tolist()
        [True, False]
        """
        values = np.asarray(scores, dtype=np.float64)
        equal = np.abs(values - self.limit) <= _TOLERANCE * max(1.0, abs(self.limit))
        compare: Callable[[Any, Any], Any] = operator.lt if self.sign.startswith("<") else operator.gt
        beyond = compare(values, self.limit) & ~equal
        return np.asarray(beyond | equal if self.sign.endswith("=") else beyond)
