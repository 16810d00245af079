"""How far a rate may lie from its nominal value by chance: limits of the binomial distribution."""

from __future__ import annotations

import numpy as np

__all__ = ["binomial_band"]


def binomial_band(rate: float, trials: int, *, confidence_level: float = 0.99) -> tuple[float, float]:
    """The range in which the observed share of `trials` lies with at least the given probability.

    Parameters
    ----------
    rate
        True probability of one success.
    trials
        Number of trials, at least 1.
    confidence_level
        Probability of the range.

    Returns
    -------
    low, high
        Shares; both are possible outcomes, and a share below `low` or above `high` is flagged.

    Examples
    --------
    >>> binomial_band(0.05, 1000), binomial_band(0.95, 100, confidence_level=0.999)
    ((0.033, 0.069), (0.87, 1.0))
    """
    # scipy.special loads in a tenth of the time that scipy.stats takes.
    from scipy.special import bdtr, bdtrc

    tail = (1 - confidence_level) / 2
    outcomes = np.arange(trials + 1)
    low = int(np.argmax(bdtr(outcomes, trials, rate) >= tail))
    high = int(np.argmax(bdtrc(outcomes, trials, rate) <= tail))
    return low / trials, high / trials
