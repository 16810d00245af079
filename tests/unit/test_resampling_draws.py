"""Draws in blocks: always the same stream, whatever the blocks."""

from __future__ import annotations

import numpy as np
import pytest
from mtsig.errors import ConfigError
from mtsig.resampling import draws
from mtsig.resampling.draws import all_swaps, block_rows, draw_counts, is_enumerable, n_swaps, swap_signs


@pytest.fixture(autouse=True)
def _forget_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "_kept", {})


def test_first_rows_of_seed_12345_are_the_known_ones(resampling_path: str) -> None:
    """The matrix that sacreBLEU uses for ten segments: its first, second and last rows."""
    counts = np.concatenate(list(draw_counts(12345, 10, 1000)))
    for row, indices in (
        (0, [6, 2, 7, 3, 2, 7, 6, 6, 9, 3]),
        (1, [8, 3, 5, 5, 2, 1, 2, 6, 6, 9]),
        (-1, [4, 6, 2, 8, 1, 6, 2, 6, 4, 0]),
    ):
        np.testing.assert_array_equal(counts[row], np.bincount(indices, minlength=10))
    assert (counts @ np.arange(10)).sum() == 44667


@pytest.mark.parametrize("n_units", [1, 5, 333])
def test_no_two_blocks_repeat_rows_and_block_size_does_not_matter(
    resampling_path: str, n_units: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B19: one stream runs through all blocks; cutting it elsewhere gives the same rows."""
    whole = np.concatenate(list(draw_counts(7, n_units, 200)))
    signs = np.concatenate(list(swap_signs(7, n_units, 200)))
    monkeypatch.setattr(draws, "_kept", {})
    monkeypatch.setattr(draws, "_BLOCK_BYTES", 4 * 64 * n_units)
    blocks = list(draw_counts(7, n_units, 200))
    assert [len(block) for block in blocks] == [64, 64, 64, 8]
    np.testing.assert_array_equal(np.concatenate(blocks), whole)
    np.testing.assert_array_equal(np.concatenate(list(swap_signs(7, n_units, 200))), signs)
    if n_units == 333:
        assert len(np.unique(whole, axis=0)) == 200


def test_every_resample_draws_as_many_units_as_there_are() -> None:
    """B10: no part of them, and with replacement."""
    counts = next(draw_counts(1, 50, 100))
    np.testing.assert_array_equal(counts.sum(axis=1), 50)
    assert counts.max() > 1


def test_seed_0_is_a_seed_like_any_other() -> None:
    """B18: it repeats, and differs from seed 1."""
    first, again, other = (next(draw_counts(seed, 30, 10)) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_draws_are_shared_between_metrics_and_cannot_be_changed() -> None:
    """A matrix that fits in memory is drawn once, in the precision that was asked for."""
    first, second = (next(draw_counts(4, 30, 10)) for _ in range(2))
    list(draw_counts(4, 30, 10))
    assert next(draw_counts(4, 30, 10)) is next(draw_counts(4, 30, 10))
    np.testing.assert_array_equal(first, second)
    with pytest.raises(ValueError, match="read-only"):
        first[0, 0] = 1
    assert next(draw_counts(4, 30, 10, dtype=np.float64)).dtype == np.float64


@pytest.mark.parametrize(("n_units", "n_trials", "expected"), [(3, 8, 8), (3, 7, 7), (13, 10_000, 8192), (90, 50, 50)])
def test_all_swaps_are_tried_where_there_are_no_more_than_trials(n_units: int, n_trials: int, expected: int) -> None:
    """2**n_units <= n_trials decides, also where 2**n_units is no machine number."""
    assert n_swaps(n_units, n_trials) == expected
    assert is_enumerable(n_units, n_trials) == (2**n_units <= n_trials)


def test_all_swaps_are_all_different() -> None:
    """Every subset once."""
    swaps = np.concatenate(list(all_swaps(11)))
    assert swaps.shape == (2048, 11)
    assert len(np.unique(swaps, axis=0)) == 2048


@pytest.mark.parametrize("n_units", [1, 100, 3000, 100_000, 5_000_000])
def test_blocks_are_bounded_and_end_on_whole_words(n_units: int) -> None:
    """At least 32 rows, at most 256, and otherwise about 400,000 numbers."""
    rows = block_rows(n_units)
    assert rows % 32 == 0
    assert 32 <= rows <= 256
    assert rows == 32 or rows * n_units <= 400_000


@pytest.mark.parametrize("seed", [-1, 1.5, None, True])
def test_an_impossible_seed_is_refused(seed: object) -> None:
    """None, which would mean another seed in every run, above all."""
    with pytest.raises(ConfigError, match="seed: expected a whole number"):
        next(draw_counts(seed, 3, 3))  # type: ignore[arg-type]


def test_no_resamples_are_refused() -> None:
    """A bootstrap of nothing has no p-value."""
    with pytest.raises(ConfigError, match="n_resamples: expected a number from 1 up, found 0"):
        next(draw_counts(1, 3, 0))
    with pytest.raises(ConfigError, match="n_trials: expected a number from 1 up, found 0"):
        next(swap_signs(1, 3, 0))
