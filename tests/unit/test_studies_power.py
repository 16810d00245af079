"""Power and planning: against theory, against simulation, and at the edges."""

from __future__ import annotations

import numpy as np
import pytest
from mtsig.errors import ConfigError
from mtsig.resampling.units import sum_units
from mtsig.studies import calibration
from mtsig.studies.calibration import calibrate
from mtsig.studies.evidence import Settings
from mtsig.studies.power import PowerDesign, difference_grid, most_against, power_study
from scipy.stats import norm
from study_data import MEAN, Mean, columns_of

SD = 2.0


@pytest.fixture(scope="module")
def normal():
    """Two systems with normal differences of mean 0.1 and standard deviation 2 on 2,000 segments."""
    values = np.random.default_rng(1).normal(size=2000)
    values = (values - values.mean()) / values.std()
    return columns_of(0.1 + SD * values, np.zeros(2000))


@pytest.fixture(scope="module")
def study(normal):
    return power_study(
        MEAN,
        normal,
        n_segments=2000,
        pairs=[(0, 1)],
        design=PowerDesign(sizes=(100, 400, 8000), n_simulations=400),
        settings=Settings(n_resamples=500),
    )


def z_power(difference, size):
    shift = difference * np.sqrt(size) / SD
    return norm.sf(1.96 - shift) + norm.cdf(-1.96 - shift)


def test_power_is_that_of_the_z_test(study):
    """For normal means the bootstrap test is a z-test; 400 simulated sets leave an error of 2.5% of power at most."""
    for size in study.pairs[0].sizes:
        for shift in (0.0, 1.0, 2.0, 2.8, 4.0):
            difference = shift * SD / np.sqrt(size.size)
            expected = z_power(difference, size.size)
            error = np.sqrt(max(expected * (1 - expected), 0.01) / 400)
            assert size.power(difference)[0] == pytest.approx(expected, abs=4 * error + 0.02)


def test_monte_carlo_limits_hold_the_power(study):
    """Limits on either side of the share, narrower than a tenth for 400 sets."""
    power, low, high = study.pairs[0].sizes[0].power(0.5)
    assert low < power < high
    assert high - low < 0.11


def test_detectable_difference_follows_the_root_law(study):
    """(1.96 + 0.84) standard errors at 80% power."""
    for size in study.pairs[0].sizes:
        expected = (1.96 + 0.8416) * SD / np.sqrt(size.size)
        assert size.detectable_difference(0.8) == pytest.approx(expected, rel=0.08)


def test_sizes_beyond_the_test_set_are_marked(study):
    """The test set's own size is among them, larger ones are extrapolations."""
    assert [(size.size, size.extrapolated) for size in study.pairs[0].sizes] == [
        (100, False),
        (400, False),
        (2000, False),
        (8000, True),
    ]


def test_segments_needed(study):
    """From theory n = (2.8 sd / difference) squared; more for more power, fewer for larger differences."""
    pair = study.pairs[0]
    assert pair.segments_needed(0.25, 0.8) == pytest.approx((2.8016 * SD / 0.25) ** 2, rel=0.15)
    assert pair.segments_needed(0.25, 0.95) > pair.segments_needed(0.25, 0.8) > pair.segments_needed(0.5, 0.8)
    # Fewer than were simulated are never promised.
    assert pair.segments_needed(1000.0, 0.8) == 100


def test_power_at_the_observed_difference_is_a_range(study):
    """Over the interval of the difference; where it holds 0, from the level of the test up."""
    pair = study.pairs[0]
    ranges = [pair.power_at_observed(size) for size in pair.sizes]
    assert all(low < high for low, high in ranges)
    assert pair.delta == pytest.approx(0.1)
    own = pair.sizes[2]
    ends = [own.power(pair.delta_low)[0], own.power(pair.delta_high)[0]]
    # The interval of 0.1 +- 1.96 * 2 / sqrt(2000) does not hold 0.
    assert ranges[2] == (min(ends), max(ends))


def test_power_agrees_with_what_small_test_sets_really_show(normal):
    """The share of broad subsets of 100 in which the test is significant is the power at their true difference."""
    rng = np.random.default_rng(2)
    columns = columns_of(0.5 + SD * rng.normal(size=20000), np.zeros(20000))
    settings = Settings(tests=["p_value"], n_resamples=500)
    shown = calibrate(
        MEAN, columns, systems=["A", "B"], pairs=[(0, 1)], subset_sizes=[100], schemes=["random"], settings=settings
    )
    row = calibration.table_of_tests(shown)[0]
    predicted = power_study(
        MEAN,
        columns,
        n_segments=20000,
        pairs=[(0, 1)],
        design=PowerDesign(sizes=(100,), n_simulations=300),
        settings=settings,
    ).pairs[0]
    power = predicted.sizes[0].power(predicted.delta)[0]
    assert row["percent_correct"] / 100 == pytest.approx(power, abs=4 * np.sqrt(0.25 * (1 / 200 + 1 / 300)))


def test_order_of_systems_and_direction_do_not_matter():
    """The difference is in favour of whoever is ahead."""
    rng = np.random.default_rng(3)
    values = rng.normal([[0.3], [0.0]], size=(2, 200))
    options = {
        "n_segments": 200,
        "design": PowerDesign(sizes=(50,), n_simulations=50),
        "settings": Settings(n_resamples=100),
    }
    forward = power_study(MEAN, columns_of(*values), pairs=[(0, 1)], **options).pairs[0]
    backward = power_study(MEAN, columns_of(*values), pairs=[(1, 0)], **options).pairs[0]
    lower = power_study(Mean(higher_is_better=False), columns_of(*values), pairs=[(0, 1)], **options).pairs[0]
    assert backward.delta == -forward.delta
    for other in (backward, lower):
        np.testing.assert_allclose(other.sizes[0].high, forward.sizes[0].high, rtol=1e-12)


def test_documents_as_units():
    """Differences shared by documents of 20: far more segments are needed than if they were independent."""
    rng = np.random.default_rng(4)
    documents = np.repeat(np.arange(100), 20)
    columns = columns_of(np.repeat(rng.normal(size=100), 20) + rng.normal(size=2000), np.zeros(2000))
    options = {
        "n_segments": 2000,
        "pairs": [(0, 1)],
        "design": PowerDesign(sizes=(1000,), n_simulations=200),
        "settings": Settings(n_resamples=200),
    }
    by_segment = power_study(MEAN, columns, **options).pairs[0].sizes[0]
    by_document = power_study(MEAN, sum_units(columns, documents), **options).pairs[0].sizes[0]
    assert (by_segment.n_units, by_document.n_units) == (1000, 50)
    # Variance of a document's mean: 1 + 1/20; of a segment's: 2. So the ratio of errors is sqrt(1.05 * 20 / 2).
    ratio = by_document.detectable_difference(0.8) / by_segment.detectable_difference(0.8)
    assert ratio == pytest.approx(np.sqrt(10.5), rel=0.2)


def test_identical_outputs_have_nothing_to_detect():
    """No detectable difference, no number of segments; the test never rejects."""
    values = np.random.default_rng(5).normal(size=100)
    pair = power_study(
        MEAN,
        columns_of(values, values),
        n_segments=100,
        pairs=[(0, 1)],
        design=PowerDesign(sizes=(50,), n_simulations=20),
        settings=Settings(n_resamples=100),
    ).pairs[0]
    assert [size.detectable_difference(0.8) for size in pair.sizes] == [None, None]
    assert pair.segments_needed(1.0, 0.8) is None
    assert pair.power_at_observed(pair.sizes[0]) == (0.0, 0.0)


def test_systems_that_hardly_differ():
    """Sets of 50 in which no segment differs cannot detect anything, so the power stays below their share."""
    difference = np.zeros(1000)
    difference[::50] = 1.0
    pair = power_study(
        MEAN,
        columns_of(difference, np.zeros(1000)),
        n_segments=1000,
        pairs=[(0, 1)],
        design=PowerDesign(sizes=(50,), n_simulations=200),
        settings=Settings(n_resamples=200),
    ).pairs[0]
    # A set misses all differing segments with probability 0.98 ** 50 = 0.364.
    assert pair.sizes[0].power(100.0)[0] == pytest.approx(1 - 0.364, abs=4 * np.sqrt(0.364 * 0.636 / 200))
    assert pair.sizes[0].detectable_difference(0.8) is None


def test_one_segment_and_one_system():
    """The smallest test sets give results, not failures."""
    options = {
        "design": PowerDesign(sizes=(1,), n_simulations=5),
        "settings": Settings(n_resamples=50),
        "n_segments": 1,
    }
    single = power_study(MEAN, columns_of([1.0], [0.0]), pairs=[(0, 1)], **options)
    assert [size.size for size in single.pairs[0].sizes] == [1]
    assert power_study(MEAN, columns_of([1.0]), pairs=[], **options).pairs == ()


def test_grid_of_differences(study):
    """From 0, in round steps, past the largest detectable difference, with what was asked for."""
    grid = difference_grid(study, extra=[0.123])
    assert grid[0] == 0
    assert 0.123 in grid
    assert grid == sorted(grid)
    assert 20 <= len(grid) <= 60
    assert grid[-1] >= 1.3 * max(size.detectable_difference(0.8) for size in study.pairs[0].sizes)


def test_most_against_is_where_the_p_value_crosses_alpha():
    """2 (count + 1) / (R + 1) < alpha holds for it and not for one more."""
    for alpha in (0.01, 0.05, 0.1):
        for n_resamples in (200, 999, 1000, 1001):
            most = most_against(alpha, n_resamples)
            assert 2 * (most + 1) / (n_resamples + 1) < alpha
            assert not 2 * (most + 2) / (n_resamples + 1) < alpha - 1e-12


def test_impossible_designs_are_refused():
    """Each message names the key and what would do."""
    with pytest.raises(ConfigError, match=r"n_resamples: with 20 resamples .* at least 40"):
        most_against(0.05, 20)
    assert most_against(0.05, 40) == 0
    with pytest.raises(ConfigError, match="target_power"):
        PowerDesign(target_power=1.0)
    with pytest.raises(ConfigError, match="sizes: 0"):
        PowerDesign(sizes=(0,))
    columns = columns_of([1.0, 2.0], [0.0, 1.0])
    with pytest.raises(ConfigError, match="no direction"):
        power_study(
            Mean(higher_is_better=None),
            columns,
            n_segments=2,
            pairs=[(0, 1)],
            design=PowerDesign(),
            settings=Settings(),
        )
