"""What a resampling analysis needs to know, under the names of the configuration keys."""

from __future__ import annotations

from dataclasses import dataclass, fields

from mtsig import __version__
from mtsig.errors import ConfigError
from mtsig.resampling.adjust import ADJUSTMENTS
from mtsig.resampling.units import UNITS

__all__ = ["FEW_UNITS", "VERY_FEW_UNITS", "ResamplingSettings"]

#: Below this number of units intervals are unreliable, and a star also needs approximate randomization: a bootstrap
#: of few units rejects true null hypotheses far too often.
FEW_UNITS = 30
#: Below this number of units no test is reliable.
VERY_FEW_UNITS = 10


@dataclass(frozen=True, kw_only=True)
class ResamplingSettings:
    """Options of an analysis.

    Attributes
    ----------
    seed
        Of all draws.
    n_resamples
        Bootstrap resamples.
    max_resamples
        As many resamples, or trials, at most are made for a pair whose decision lies within Monte Carlo error; 0 for
        no more than `n_resamples` and `n_trials`.
    n_trials
        Trials of approximate randomization; where there are no more ways to swap than that, all are tried.
    confidence_level
        Of all intervals.
    alpha
        Significance level.
    adjust
        Correction for many pairs: ``none``, ``holm`` or ``bh``.
    resample_unit
        ``segment`` or ``document``.
    equivalence_margin
        The largest difference, in the metric's unit, that does not matter in practice; None for no equivalence tests.

    Raises
    ------
    ConfigError
        If a value is impossible.
    """

    seed: int
    n_resamples: int = 1000
    max_resamples: int = 100_000
    n_trials: int = 10_000
    confidence_level: float = 0.95
    alpha: float = 0.05
    adjust: str = "none"
    resample_unit: str = "segment"
    equivalence_margin: float | None = None

    def __post_init__(self) -> None:
        for name, least in (("seed", 0), ("n_resamples", 1), ("max_resamples", 0), ("n_trials", 1)):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise ConfigError(f"{name}: expected a whole number from {least} up, found {value!r}.")
        for name in ("confidence_level", "alpha"):
            if not 0 < getattr(self, name) < 1:
                raise ConfigError(f"{name}: expected a number between 0 and 1, found {getattr(self, name)!r}.")
        if self.equivalence_margin is not None and not self.equivalence_margin > 0:
            raise ConfigError(f"equivalence_margin: expected a number above 0, found {self.equivalence_margin!r}.")
        for name, allowed in (("adjust", ADJUSTMENTS), ("resample_unit", UNITS)):
            if getattr(self, name) not in allowed:
                raise ConfigError(f"{name}: expected one of {', '.join(allowed)}, found {getattr(self, name)!r}.")

    def signature(self) -> str:
        """All that fixes the numbers of a comparison beside texts and metric, in the form of metrics' signatures.

        Examples
        --------
        >>> signature = ResamplingSettings(seed=12345, adjust="holm").signature()
        >>> signature.partition("|max")[0], signature.rpartition("|version")[0].partition("|alpha")[2]
        ('test:paired-bootstrap|seed:12345|n_resamples:1000', ':0.05|adjust:holm|resample_unit:segment')
        """
        values = ((option.name, getattr(self, option.name)) for option in fields(self))
        given = (f"{name}:{value}" for name, value in values if value is not None)
        return "|".join(["test:paired-bootstrap", *given, f"version:mtsig-{__version__}"])
