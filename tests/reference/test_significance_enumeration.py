"""Exact values of every test on tiny inputs, by enumeration of all resamples and all swaps.

The resamples of n segments are the n**n sequences of indices; their counts take the place of random draws, so that
every share below is exact. Fractions come from an independent enumeration in rational arithmetic.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from mtsig.metrics import arithmetic
from mtsig.resampling.bootstrap import bootstrap_replicates
from mtsig.resampling.draws import all_swaps, draw_counts
from mtsig.resampling.pairs import (
    count_signs,
    koehn_verdict,
    p_moses,
    p_one_sided,
    p_randomization,
    p_sacrebleu_bootstrap,
    p_sacrebleu_randomization,
    p_shift,
    p_value,
    paired_bootstrap,
    wins,
)
from mtsig.resampling.randomization import count_swaps
from mtsig.resampling.scorer import MeanScorer

MEAN = MeanScorer(higher_is_better=True)
TOLERANCE = 1e-9
PAIR = np.array([[0, 1]])

#: d, then: delta, wins of a, wins of b, ties, one-sided (= 1 - w), two-sided, shift, sacreBLEU, Moses,
#: randomization >= and >.
ROWS = {
    (0, 0, 0): "0 0 0 1 1 1 1 0 1 1 0",
    (1, -1): "0 1/4 1/4 1/2 1 1 1 1/2 1/2 1 1/2",
    (1, 0, 0, 0): "1/4 175/256 0 81/256 81/256 81/128 37/64 13/256 67/256 1 0",
    (1, 1, 1, 1): "1 1 0 0 0 0 0 0 0 1/8 0",
    (1, 1, -1): "1/3 20/27 7/27 0 7/27 14/27 5/9 1/3 1/3 1 1/4",
    (2, 1, -1, 1): "3/4 219/256 13/256 3/32 37/256 37/128 35/128 9/256 9/256 1/2 1/8",
    (3, -1, 1, 1, -1): "3/5 2533/3125 592/3125 0 592/3125 1184/3125 1173/3125 581/3125 581/3125 11/16 5/16",
    (5,): "5 1 0 0 0 0 0 0 0 1 0",
}


def every_resample(n: int) -> np.ndarray:
    """Draw counts of all n**n resamples, (n**n, n)."""
    indices = np.array(list(itertools.product(range(n), repeat=n)))
    return np.stack([(indices == unit).sum(axis=1) for unit in range(n)], axis=1).astype(np.float64)


def two_systems(differences: tuple[float, ...]) -> np.ndarray:
    """Statistics (2, n, 2) of a mean metric: system a has the differences, system b has zeros."""
    values = np.array([differences, np.zeros(len(differences))], dtype=np.float64)
    return np.stack([values, np.ones_like(values)], axis=-1)


def share(p: float, n: int) -> Fraction:
    """The share of extreme replicates behind a p of the form (count + 1)/(n + 1)."""
    count = p * (n + 1) - 1
    assert abs(count - round(count)) < 1e-6
    return Fraction(round(count), n)


@pytest.mark.parametrize("differences", ROWS)
def test_every_definition_on_all_resamples_and_swaps(differences: tuple[int, ...], resampling_path: str) -> None:
    """A row of the table: each definition gives its exact share."""
    expected = [Fraction(entry) for entry in ROWS[differences].split()]
    delta, won, lost, tied, one_sided, two_sided, shift, sacrebleu, moses, at_least, more = expected
    statistics = two_systems(differences)
    replicates = bootstrap_replicates(statistics, MEAN.corpus_scores, [every_resample(len(differences))])
    n = replicates.shape[1]
    difference, observed = replicates[0] - replicates[1], float(delta)

    signs = count_signs(difference, tolerance=TOLERANCE)
    assert tuple(Fraction(int(count), n) for count in (signs.positive, signs.negative, signs.ties)) == (won, lost, tied)
    assert share(float(p_shift(difference, observed, tolerance=TOLERANCE)), n) == shift
    assert Fraction(float(p_moses(difference, observed, tolerance=TOLERANCE))).limit_denominator(n) == moses
    # Strict comparisons have no tolerance in sacreBLEU, so scores are made exact by counting in whole numbers.
    whole = np.round(replicates * len(differences) * n)
    scaled = float(np.round(observed * len(differences) * n))
    assert share(float(p_sacrebleu_bootstrap(whole[0], whole[1], scaled)), n) == sacrebleu
    p = float(p_one_sided(signs, observed, tolerance=TOLERANCE))
    assert (1 if p == 1 else share(p, n)) == one_sided
    # The two-sided p adds one to the smaller tail before it is doubled and capped.
    smaller = Fraction(int(signs.smaller_tail), n)
    assert min(Fraction(1), 2 * smaller) == two_sided
    assert float(p_value(signs)) == min(1.0, 2 * (int(signs.smaller_tail) + 1) / (n + 1))

    swaps = count_swaps(
        statistics, MEAN.corpus_scores, PAIR, np.array([observed]), all_swaps(len(differences)), formula=MEAN.formula,
        tolerance=TOLERANCE,
    )  # fmt: skip
    assert Fraction(int(swaps.at_least[0]), swaps.n_trials) == at_least
    assert float(p_randomization(swaps.at_least, swaps.n_trials, exact=True)[0]) == float(at_least)
    # Strictly larger by more than rounding.
    swaps = count_swaps(
        statistics, MEAN.corpus_scores, PAIR, np.array([abs(observed) + TOLERANCE]), all_swaps(len(differences)),
        formula=MEAN.formula,
    )  # fmt: skip
    assert Fraction(int(swaps.more[0]), swaps.n_trials) == more


def test_a_single_segment_is_never_significant_by_randomization() -> None:
    """B21: with one segment every bootstrap p is at its floor, but exact randomization says 1."""
    swaps = count_swaps(two_systems((5,)), MEAN.corpus_scores, PAIR, np.array([5.0]), all_swaps(1))
    assert p_randomization(swaps.at_least, swaps.n_trials, exact=True)[0] == 1


def test_two_segments_reach_one_half_at_best() -> None:
    """B21: 2 of the 4 ways to swap are as extreme."""
    swaps = count_swaps(two_systems((3, 4)), MEAN.corpus_scores, PAIR, np.array([3.5]), all_swaps(2))
    assert p_randomization(swaps.at_least, swaps.n_trials, exact=True)[0] == 0.5


def test_five_positive_differences() -> None:
    """B04: a is better by different amounts everywhere: exactly 2/32 two-sided, and never 0 by trials."""
    statistics = two_systems((0.1, 0.5, 0.2, 0.9, 0.4))
    observed = np.array([0.42])
    swaps = count_swaps(statistics, MEAN.corpus_scores, PAIR, observed, all_swaps(5), tolerance=TOLERANCE)
    assert p_randomization(swaps.at_least, swaps.n_trials, exact=True)[0] == 0.0625


@pytest.mark.parametrize("order", list(itertools.permutations(range(6)))[::97])
def test_rounding_does_not_break_ties_of_swaps(order: tuple[int, ...], resampling_path: str) -> None:
    """B03: all 64 sign patterns of these differences sum to at least 0.2 in size, so p is exactly 1."""
    differences = np.array([-0.2, 0, -0.2, -0.2, 0.2, 0.2])[list(order)]
    statistics = two_systems(tuple(differences))
    observed = np.array([differences.mean()])
    swaps = count_swaps(
        statistics, MEAN.corpus_scores, PAIR, observed, all_swaps(6), tolerance=TOLERANCE, formula=MEAN.formula
    )
    assert p_randomization(swaps.at_least, swaps.n_trials, exact=True)[0] == 1


def test_bleu_of_four_sentences_over_all_resamples(resampling_path: str) -> None:
    """Sentences 2, 5, 8 and 10 of the ten-segment corpus: 207 wins and 49 losses of 256."""
    a = [[10, 10, 9, 7, 6, 5, 10, 9, 8, 7], [10, 10, 9, 7, 6, 5, 10, 9, 8, 7], [9, 9, 7, 4, 2, 0, 9, 8, 7, 6]]
    a += [[9, 9, 8, 6, 4, 2, 9, 8, 7, 6]]
    b = [[10, 10, 8, 6, 4, 2, 10, 9, 8, 7], [11, 10, 9, 5, 2, 0, 11, 10, 9, 8], [8, 9, 8, 6, 4, 3, 8, 7, 6, 5]]
    b += [[10, 9, 8, 5, 3, 1, 10, 9, 8, 7]]
    statistics = np.array([a, b], dtype=np.float64)
    scores = arithmetic.bleu(statistics.sum(axis=1))
    np.testing.assert_allclose(scores, [64.18823797867582, 47.183839563661635], rtol=1e-14)
    replicates = bootstrap_replicates(statistics, arithmetic.bleu, [every_resample(4)])
    difference, observed = replicates[0] - replicates[1], scores[0] - scores[1]
    signs = count_signs(difference, tolerance=1e-7)
    assert (signs.positive, signs.negative, signs.ties) == (207, 49, 0)
    assert np.abs(difference).mean() == pytest.approx(20.28324526353788, rel=1e-12)
    assert share(float(p_shift(difference, observed, tolerance=1e-7)), 256) == Fraction(41, 128)
    assert share(float(p_sacrebleu_bootstrap(replicates[0], replicates[1], observed)), 256) == Fraction(17, 128)


def test_bleu_of_short_texts_over_all_resamples() -> None:
    """The distribution of BLEU over 27 resamples of three sentences, with and without smoothing."""
    rows = [[5, 5, 5, 4, 3, 2, 5, 4, 3, 2], [6, 6, 4, 1, 0, 0, 6, 5, 4, 3], [5, 5, 3, 0, 0, 0, 5, 4, 3, 2]]
    statistics = np.array([rows], dtype=np.float64)

    def distribution(score: Callable[[np.ndarray], np.ndarray]) -> dict[float, int]:
        values, counts = np.unique(
            bootstrap_replicates(statistics, score, [every_resample(3)])[0].round(4), return_counts=True
        )
        return dict(zip(values.tolist(), counts.tolist(), strict=True))

    expected = {6.1674: 1, 9.6258: 3, 10.7045: 3, 11.1457: 1, 38.6631: 3, 39.6538: 6, 40.5961: 3, 67.508: 3}
    expected |= {71.186: 3, 100.0: 1}
    assert distribution(arithmetic.bleu) == expected
    assert distribution(lambda sums: arithmetic.bleu(sums, smooth_method="none"))[0.0] == 8


def test_documents_as_units_are_another_distribution() -> None:
    """B29: documents [1, 1] and [0]: 1, 2/3 and 0 with 1/4, 1/2 and 1/4; four blocks widen the interval."""
    documents = np.array([[[2.0, 2.0], [0.0, 1.0]]])
    replicates = bootstrap_replicates(documents, MEAN.corpus_scores, [every_resample(2)])[0]
    assert sorted(replicates) == pytest.approx([0, 2 / 3, 2 / 3, 1])
    assert replicates.mean() == pytest.approx(7 / 12)
    sentences = np.array([[[1.0, 1.0], [1.0, 1.0], [0.0, 1.0]]])
    single = bootstrap_replicates(sentences, MEAN.corpus_scores, [every_resample(3)])[0]
    assert np.bincount((single * 3).round().astype(int)).tolist() == [1, 6, 12, 8]


def test_blocks_of_equal_sentences_have_the_design_effect() -> None:
    """B29: four documents of three equal sentences: the variance of the mean is three times as large."""
    values = np.repeat([1.0, 0.0, 1.0, 0.0], 3)
    by_document = bootstrap_replicates(
        np.array([[[3 * value, 3.0] for value in (1, 0, 1, 0)]]), MEAN.corpus_scores, [every_resample(4)]
    )
    assert by_document.var() == pytest.approx(0.0625)
    assert values.var() / 12 == pytest.approx(0.0208333, abs=1e-6)


# --- two published exam questions ------------------------------------------------------------------------------------


def one_changed_segment() -> np.ndarray:
    """BLEU statistics of 1000 segments that two systems translate alike, but for one word of the last."""
    right = np.tile(np.array([6, 6, 6, 5, 4, 3, 6, 5, 4, 3], dtype=np.float64), (1000, 1))
    right[-1] = [1, 1, 1, 0, 0, 0, 1, 0, 0, 0]
    wrong = right.copy()
    wrong[-1, 2] = 0
    return np.stack([right, wrong])


def test_exam_question_one_differing_segment(resampling_path: str) -> None:
    """B02: 1 of 1000 segments differs: randomization 1.0, Koehn 1 - 0.367695, nothing to be starred.

    The differing segment is not drawn at all with probability (1 - 1/1000)**1000 = 0.367695.
    """
    statistics = one_changed_segment()
    scores = arithmetic.bleu(statistics.sum(axis=1))
    n_resamples = 10_000
    replicates = bootstrap_replicates(statistics, arithmetic.bleu, draw_counts(12345, 1000, n_resamples))
    result = paired_bootstrap(replicates[0] - replicates[1], scores[0] - scores[1], tolerance=1e-7)
    # Four standard errors of a share of 10,000.
    four_errors = 4 * np.sqrt(0.367695 * (1 - 0.367695) / n_resamples)
    assert result.signs.ties / n_resamples == pytest.approx(0.367695, abs=four_errors)
    assert result.signs.negative == 0
    assert result.p_value > 0.5
    assert koehn_verdict(*wins(result.signs, higher_is_better=True), n_resamples) == 0
    # Not drawn, or drawn twice or more: 0.367695 + 0.264241.
    assert result.p_shift == pytest.approx(0.631936, abs=four_errors)

    rng = np.random.default_rng(1)
    signs = rng.integers(2, size=(1000, 1000)).astype(np.float64)
    swaps = count_swaps(statistics, arithmetic.bleu, PAIR, scores[:1] - scores[1:], [signs], tolerance=1e-7)
    assert p_randomization(swaps.at_least, 1000, exact=False)[0] == 1
    # sacreBLEU counts only strictly larger differences, so it calls one changed word significant.
    assert p_sacrebleu_randomization(swaps.more, 1000)[0] < 0.05


def test_exam_question_a_thousand_differences() -> None:
    """-1000, -950, ..., -50, ten zeros and 1 to 970: 970 wins, 20 losses, 10 ties; interval [0, 945]."""
    differences = np.r_[np.arange(-1000.0, 0, 50), np.zeros(10), np.arange(1.0, 971)]
    result = paired_bootstrap(differences, differences.mean())
    assert (result.signs.positive, result.signs.negative, result.signs.ties) == (970, 20, 10)
    assert koehn_verdict(*wins(result.signs, higher_is_better=True), 1000) == 1
    assert (result.ci_low, result.ci_high) == (0, 945)
    assert (differences.mean(), np.median(differences)) == (460.435, 470.5)
