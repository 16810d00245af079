"""How far stars on small test sets can be trusted: the numbers of results/README.md, from a pool of real test sets.

The pool holds the four online systems of the WMT test sets of 2021 to 2023 into English. Broad samples of it (every
k-th segment) stand for test sets, as in Koehn (2004); the score on the whole pool says which system is better.
"""

from __future__ import annotations

import lzma
import re
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from mtsig.corpus.model import EvaluationSet
from mtsig.metrics import create_metric
from mtsig.resampling.analysis import analyse
from mtsig.resampling.settings import ResamplingSettings

pytestmark = pytest.mark.slow

#: One pair of systems is close.
CLOSE = ("ONLINE-A", "ONLINE-G")


@cache
def pool(path: Path) -> EvaluationSet:
    """All segments but those of he-en, whose reference looks post-edited from one of the systems."""
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as stream:
        head, *rows = [line.split("\t") for line in stream.read().split("\n") if line]
    rows = [row for row in rows if "he-en" not in row[0]]
    nothing = (None,) * len(rows)
    return EvaluationSet(
        "pool",
        "xx-en",
        tuple(map(str, range(len(rows)))),
        nothing,
        nothing,
        nothing,
        {"ref": tuple(row[3] for row in rows)},
        {name: tuple(row[column] for row in rows) for column, name in enumerate(head) if name.startswith("ONLINE")},
    )


def stars(evaluation: EvaluationSet, metric_name: str, size: int) -> list[tuple[bool, bool, bool, float]]:
    """Of every star: whether it is wrong, of the close pair, on a difference that is detectable, and its excess."""
    metric = create_metric(metric_name, {}, "xx-en")
    statistics = metric.statistics(evaluation)
    names = sorted(statistics)
    truth = dict(zip(names, metric.corpus_scores(np.stack([statistics[n].sum(axis=0) for n in names])), strict=True))
    assert all(truth[a] != truth[b] for a, b in combinations(names, 2))
    settings = ResamplingSettings(seed=12345, n_trials=1, max_resamples=0)
    number = evaluation.n_segments // size
    found = []
    for first in range(number):
        sample = {name: values[first::number] for name, values in statistics.items()}
        for row in analyse(sample, metric, settings).pairs:
            if row.winner is not None:
                difference = truth[row.system_a] - truth[row.system_b]
                better = row.system_a if difference > 0 else row.system_b
                detectable = abs(row.delta) >= row.detectable_difference  # type: ignore[arg-type, operator]
                excess = abs(row.delta / difference)  # type: ignore[operator]
                found.append((row.winner != better, (row.system_a, row.system_b) == CLOSE, detectable, excess))
    return found


@pytest.fixture(scope="module")
def found(shared_data: Path) -> dict[tuple[str, int], list[tuple[bool, bool, bool, float]]]:
    path = shared_data / "koehn" / "wmt21-23.x-en.online-ABGY.tsv.xz"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    evaluation = pool(path)
    assert evaluation.n_segments == 26_368
    return {(name, size): stars(evaluation, name, size) for name in ("bleu", "chrf") for size in (100, 300)}


def test_the_numbers_that_are_documented(found, repository: Path) -> None:
    counts = {key: (sum(wrong for wrong, *_ in rows), len(rows)) for key, rows in found.items()}
    assert counts == {
        ("bleu", 100): (3, 624),
        ("chrf", 100): (5, 643),
        ("bleu", 300): (0, 348),
        ("chrf", 300): (2, 334),
    }
    page = " ".join((repository / "results" / "README.md").read_text(encoding="utf-8").split())
    assert "of 100 segments, 3 of 624 stars by BLEU and 5 of 643 by chrF are for the wrong system" in page
    assert "of 300 segments none of 348 and 2 of 334" in page
    assert re.search(r"there 7 of 35 stars from 100 segments are for the wrong system", page)


def test_wrong_stars_lie_on_differences_that_are_not_detected_reliably(found) -> None:
    """All of them; and nearly all are of the close pair, whose starred differences are several times the true one."""
    everything = [row for rows in found.values() for row in rows]
    assert not any(wrong and detectable for wrong, _, detectable, _ in everything)
    close = [row for name in ("bleu", "chrf") for row in found[name, 100] if row[1]]
    assert (sum(row[0] for row in close), len(close)) == (7, 35)
    for name, least, most in (("bleu", 5, 7), ("chrf", 8, 10)):
        assert least < np.median([row[3] for row in found[name, 100] if row[1]]) < most
