"""The true scores of a simulated test set's systems, from much more text of the same source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mtsig.contracts import TABLES
from mtsig.corpus.simulated import fresh_samples, simulation_of
from mtsig.io import StrPath, write_table
from mtsig.metrics import create_metric

__all__ = ["truth"]

#: Independent samples, from whose scatter the standard error is computed.
_SAMPLES = 20


def truth(
    *,
    testset: str,
    langpair: str,
    testset_settings: Mapping[str, Any],
    metric: str,
    settings: Mapping[str, Any],
    truth: StrPath,
    threads: int = 1,
) -> None:
    """Score fresh segments of a simulated source, and write each system's score with its standard error.

    Parameters
    ----------
    testset, langpair, testset_settings
        The simulated test set; ``truth_segments`` says how many fresh segments are made.
    metric, settings
        The metric and its options.
    truth
        The table to write. The standard error is that of the jackknife over 20 independent samples.
    threads
        How many threads work.
    """
    scorer = create_metric(metric, settings, langpair)
    simulation = simulation_of(testset_settings)
    size = testset_settings["truth_segments"] // _SAMPLES
    names = sorted(simulation.systems)
    sums = []
    for sample in fresh_samples(testset, langpair, simulation, segments=size, count=_SAMPLES):
        statistics = scorer.statistics(sample, threads=threads)
        sums.append([scorer.columns(statistics[name]).sum(axis=0) for name in names])
    by_sample = np.array(sums)
    total = by_sample.sum(axis=0)
    scores = scorer.corpus_scores(total)
    without = scorer.corpus_scores(total - by_sample)
    errors = np.sqrt((_SAMPLES - 1) / _SAMPLES * ((without - without.mean(axis=0)) ** 2).sum(axis=0))
    rows = [
        {
            "testset": testset,
            "langpair": langpair,
            "metric": metric,
            "system": name,
            "score": float(score),
            "standard_error": float(error),
            "n_segments": size * _SAMPLES,
        }
        for name, score, error in zip(names, scores, errors, strict=True)
    ]
    write_table(truth, rows, TABLES["truth"])
