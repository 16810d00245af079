"""Tie calibration (Deutsch, Foster and Freitag 2023): how close may two scores of a metric be and still be a tie?

Human scores have many ties and most metrics have none, so a metric that is right about everything else loses on every
pair that humans call equal. Calibration looks for the difference epsilon up to which the metric's scores are taken as
tied, such that accuracy with ties is best. It is chosen on the data it is used on, which flatters a little.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mtsig.studies.meta.pairs import merge_equal, pair_signs

__all__ = ["TieCalibration", "calibrate_ties"]

Floats = npt.NDArray[np.float64]

_TOLERANCE = 1e-9  # of the largest difference: closer differences are one threshold


@dataclass(frozen=True)
class TieCalibration:
    """The best epsilon and what the others give.

    Attributes
    ----------
    epsilon
        The smallest difference of best accuracy.
    accuracy
        Mean accuracy of the groups with it.
    thresholds, accuracies
        All differences that occur (0 first), and the mean accuracy with each as epsilon.
    """

    epsilon: float
    accuracy: float
    thresholds: Floats
    accuracies: Floats


def calibrate_ties(human: npt.ArrayLike, metric: npt.ArrayLike) -> TieCalibration:
    """Choose the epsilon that maximises the mean accuracy of groups, over all differences that occur and 0.

    Parameters
    ----------
    human, metric
        (n_units,) scores, or (n_groups, n_units); NaN where a score is missing. Only pairs within a group are compared;
        groups with fewer than two units do not count.

    Returns
    -------
    TieCalibration
        NaN throughout where no group has a pair.

    Examples
    --------
    >>> calibration = calibrate_ties([1, 1, 1, 4], [0, 2, 6, 8])
    >>> calibration.thresholds.tolist(), calibration.accuracies.round(4).tolist()
    ([0.0, 2.0, 4.0, 6.0, 8.0], [0.5, 0.5, 0.6667, 0.6667, 0.5])
    >>> calibration.epsilon, round(calibration.accuracy, 4)
    (4.0, 0.6667)
    """
    human, metric = np.atleast_2d(merge_equal(human)), np.atleast_2d(merge_equal(metric))
    first, second = np.triu_indices(human.shape[1], 1)
    differences = metric[:, first] - metric[:, second]
    of_human = pair_signs(human[:, first], human[:, second])
    present = ~np.isnan(differences) & ~np.isnan(human[:, first]) & ~np.isnan(human[:, second])
    in_group = present.sum(axis=1)
    n_groups = int((in_group > 0).sum())
    if n_groups == 0:
        return TieCalibration(np.nan, np.nan, np.empty(0), np.empty(0))
    weight = (1.0 / (n_groups * np.maximum(in_group, 1)))[:, None]
    # A pair counts as right before its threshold where the signs agree, and from it on where the humans see a tie.
    right_before = (of_human != 0) & (of_human == np.sign(differences))
    change = ((of_human == 0).astype(np.int8) - right_before.astype(np.int8)) * weight
    start = float((right_before * weight)[present].sum())

    sizes = np.abs(differences[present])
    order = np.argsort(sizes, kind="stable")
    sizes, accuracies = sizes[order], start + np.cumsum(change[present][order])
    # Differences equal up to rounding are one threshold, read where its last pair has entered.
    slack = _TOLERANCE * sizes[-1]
    last = np.append(np.diff(sizes) > slack, True)
    thresholds, accuracies = sizes[last], accuracies[last]
    if thresholds[0] > slack:
        thresholds, accuracies = np.append(0.0, thresholds), np.append(start, accuracies)
    best = int(np.argmax(accuracies >= accuracies.max() - _TOLERANCE))
    return TieCalibration(float(thresholds[best]), float(accuracies[best]), thresholds, accuracies)
