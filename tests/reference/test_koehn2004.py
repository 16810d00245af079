"""The numbers of Koehn (2004), "Statistical Significance Tests for Machine Translation Evaluation": do they fit?

They are the yardstick of the study `config/studies/koehn2004.yaml`, so a slip in copying them must not go unseen.
"""

from __future__ import annotations

import pytest
from mtsig.studies.calibration import BINS
from scipy.stats import binom

# Confidence bin: conclusions, percent correct (the paper's table of all pairs and sizes).
CALIBRATION = {
    "100%": (1042, 100),
    "99-99.9%": (738, 100),
    "98-98.9%": (245, 99),
    "95-97.9%": (394, 98),
    "90-94.9%": (363, 95),
    "80-89.9%": (520, 88),
    "70-79.9%": (324, 77),
    "60-69.9%": (253, 72),
    "50-59.9%": (261, 52),
}
# Pair: difference in BLEU, then percent correct and wrong at 95% for 300, 100, 50 and 10 samples.
POWER = {
    ("ES", "PT"): (1.5, (33, 1), (60, 0), (84, 0), (100, 0)),
    ("ES", "DA"): (2.0, (31, 0), (65, 0), (96, 0), (100, 0)),
    ("PT", "DA"): (0.5, (7, 2), (12, 1), (10, 0), (30, 0)),
    ("PT", "EL"): (2.1, (38, 0), (68, 0), (92, 0), (100, 0)),
    ("DA", "EL"): (1.6, (24, 0), (48, 0), (74, 0), (100, 0)),
    ("DA", "DE"): (4.3, (85, 0), (100, 0), (100, 0), (100, 0)),
    ("EL", "DE"): (2.7, (65, 0), (97, 0), (100, 0), (100, 0)),
    ("EL", "FI"): (5.1, (97, 0), (100, 0), (100, 0), (100, 0)),
    ("DE", "FI"): (2.4, (53, 0), (91, 0), (100, 0), (100, 0)),
}
BLEU = {"ES": 28.9, "PT": 27.4, "DA": 26.9, "EL": 25.3, "DE": 22.6, "FI": 20.2}
SAMPLES = (300, 100, 50, 10)


def test_every_sample_gives_one_conclusion_per_pair():
    """The bins hold all 9 x (300 + 100 + 50 + 10) = 4140 conclusions."""
    assert sum(count for count, _ in CALIBRATION.values()) == len(POWER) * sum(SAMPLES) == 4140


def test_bins_are_ours():
    """Our bins are the paper's, with a tenth for what ties make possible."""
    assert [label for label, _ in BINS] == [*CALIBRATION, "below 50%"]


def test_differences_follow_from_the_scores():
    """All nine differences are those of the six corpus scores."""
    for (first, second), (difference, *_) in POWER.items():
        assert BLEU[first] - BLEU[second] == pytest.approx(difference)


def test_both_tables_count_the_same_significant_conclusions():
    """2419 conclusions have 95% or more; the power table implies 2411, give or take its rounding."""
    significant = sum(count for label, (count, _) in CALIBRATION.items() if label.startswith(("100", "99", "98", "95")))
    implied = sum(
        (right + wrong) / 100 * samples
        for _, *cells in POWER.values()
        for (right, wrong), samples in zip(cells, SAMPLES, strict=True)
    )
    assert significant == 2419
    assert implied == pytest.approx(2411, abs=13.5)


def test_overall_accuracy():
    """Over all bins 91.27% of the conclusions are right."""
    right = sum(count * percent / 100 for count, percent in CALIBRATION.values())
    assert right / 4140 == pytest.approx(0.9127, abs=5e-5)


def test_coverage_of_the_paper_is_no_miracle():
    """97 of 100 intervals of 95% hold the truth: at least as many do in a quarter of all such studies."""
    assert binom.sf(96, 100, 0.95) == pytest.approx(0.2578, abs=5e-5)
    assert (binom.ppf(0.0005, 100, 0.95), binom.isf(0.0005, 100, 0.95)) == (87, 100)
