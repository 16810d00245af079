"""From an evaluation set to statistics: block by block, so that memory stays bounded and threads have work to share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mtsig.errors import InputError
from mtsig.progress import Progress

if TYPE_CHECKING:
    from mtsig.corpus.model import EvaluationSet

__all__ = ["Block", "require_references", "statistics_by_blocks", "without_missing"]

#: Texts that are encoded and counted at once: some 10 MB, and enough work to make threads worth their while.
TEXTS_PER_BLOCK = 8192

FloatArray = NDArray[np.float64]
#: The references, one sequence of texts per reference name, and the hypotheses, one per system (missing ones empty).
Block = tuple[list[Sequence[str | None]], list[list[str]]]


def statistics_by_blocks(
    evaluation: EvaluationSet, key: str, extract: Callable[[Block], FloatArray], n_statistics: int, threads: int
) -> dict[str, FloatArray]:
    """Extract statistics of all systems.

    Parameters
    ----------
    evaluation
        The texts.
    key
        The metric's name, for messages.
    extract
        From a block of segments to an array (n_systems, n_block, n_statistics). It is called from several threads.
    n_statistics
        Number of statistics.
    threads
        How many threads work at a time.

    Returns
    -------
    dict
        System name to an array (n_segments, n_statistics), NaN where the hypothesis or all references are missing.

    Raises
    ------
    InputError
        If the test set has no references at all.
    """
    require_references(evaluation, key)
    names, n_segments = list(evaluation.systems), evaluation.n_segments
    references = list(evaluation.references.values())
    systems = [evaluation.systems[name] for name in names]
    statistics = np.empty((len(names), n_segments, n_statistics))
    size = max(1, TEXTS_PER_BLOCK // (len(names) + len(references)))
    if threads > 1:
        size = max(1, min(size, n_segments // (4 * threads)))

    def work(start: int) -> int:
        block = slice(start, start + size)
        texts = [without_missing(hypotheses[block]) for hypotheses in systems]
        rows = extract(([stream[block] for stream in references], texts))
        statistics[:, block] = rows
        return int(rows.shape[1])

    starts = range(0, n_segments, size) if names else range(0)
    with Progress(f"{evaluation.testset}, {key}", unit="segments", total=n_segments) as progress:
        if threads > 1:
            with ThreadPoolExecutor(threads) as pool:
                for n_done in pool.map(work, starts):
                    progress(n_done)
        else:
            for start in starts:
                progress(work(start))
    unreferenced = np.array(
        [all(text is None for text in texts) for texts in zip(*references, strict=True)], dtype=bool
    )
    for rows, hypotheses in zip(statistics, systems, strict=True):
        missing = np.array([text is None for text in hypotheses], dtype=bool)
        rows[missing | unreferenced] = np.nan
    return dict(zip(names, statistics, strict=True))


def require_references(evaluation: EvaluationSet, key: str) -> None:
    """Refuse a test set without any references for the metric `key`."""
    if not evaluation.references:
        raise InputError(
            f"{evaluation.testset}: {key} compares with references, and the test set has none. "
            f"Give it `references`, or leave {key} out of its `metrics`."
        )


def without_missing(texts: Sequence[str | None]) -> list[str]:
    """The texts with empty ones for missing ones."""
    return ["" if text is None else text for text in texts]
