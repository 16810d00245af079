"""Compiled draws, sums and scores against numpy's generator and their Python twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mtsig import kernels
from mtsig.kernels import _python_resampling
from mtsig.metrics import arithmetic

SIZES = [1, 2, 3, 7, 31, 32, 33, 100, 257, 3000]


@pytest.fixture(autouse=True)
def _forget_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    from mtsig.resampling import draws

    monkeypatch.setattr(draws, "_kept", {})


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_counts_are_those_of_numpys_choice(resampling_path: str, n: int, dtype: type) -> None:
    """Row by row, and over several calls, the draws are ``default_rng(seed).choice(n, size=(R, n))``."""
    indices = np.random.default_rng(3).choice(n, size=(7, n))
    rng = np.random.default_rng(3)
    blocks = [np.empty((rows, n), dtype=dtype) for rows in (4, 3)]
    for block in blocks:
        kernels.draw_counts(rng, block)
    expected = np.array([np.bincount(row, minlength=n) for row in indices])
    np.testing.assert_array_equal(np.concatenate(blocks), expected)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_signs_are_those_of_numpys_integers(resampling_path: str, n: int, dtype: type) -> None:
    """Blocks of a multiple of 32 rows continue ``integers(2, size=(R, n), dtype=bool)``."""
    expected = np.random.default_rng(8).integers(2, size=(70, n), dtype=bool)
    rng = np.random.default_rng(8)
    blocks = [np.empty((rows, n), dtype=dtype) for rows in (32, 32, 6)]
    for block in blocks:
        kernels.swap_signs(rng, block)
    np.testing.assert_array_equal(np.concatenate(blocks), expected)


@pytest.mark.parametrize("n", [1, 2, 10, 1000])
def test_sequential_sums_round_as_numpy_does_row_by_row(resampling_path: str, n: int) -> None:
    """The single-precision sum of the gathered rows, as sacreBLEU computes it, to the last bit."""
    statistics = np.random.default_rng(0).lognormal(3, 2, size=(n, 2)).astype(np.float32)
    indices = np.random.default_rng(1).choice(n, size=(5, n))
    sums = np.empty((5, 2), dtype=np.float32)
    kernels.sequential_sums(np.random.default_rng(1), statistics, sums)
    np.testing.assert_array_equal(sums, np.array([rows.sum(0) for rows in statistics[indices]]))


@pytest.mark.skipif(not kernels.NATIVE, reason="the native extension is not built")
def test_both_paths_leave_the_generator_in_the_same_state() -> None:
    """Afterwards the generator's next numbers are the same, so calls may be mixed."""
    compiled, twin = np.random.default_rng(5), np.random.default_rng(5)
    counts, signs = np.empty((3, 11), dtype=np.float32), np.empty((1, 11), dtype=np.float32)
    kernels.draw_counts(compiled, counts)
    kernels.swap_signs(compiled, signs)
    _python_resampling.draw_counts(twin, counts)
    _python_resampling.swap_signs(twin, signs)
    assert compiled.bit_generator.state == twin.bit_generator.state


@pytest.mark.skipif(not kernels.NATIVE, reason="the native extension is not built")
def test_other_generators_are_refused() -> None:
    """Only numpy's default generator has the stream."""
    with pytest.raises(TypeError, match="PCG64"):
        kernels.draw_counts(np.random.Generator(np.random.MT19937(1)), np.empty((1, 3), dtype=np.float32))


@pytest.mark.skipif(not kernels.NATIVE, reason="the native extension is not built")
def test_arrays_of_other_types_are_refused() -> None:
    """The kernels read raw memory, so a wrong type must not reach them."""
    with pytest.raises(TypeError, match="float32 or float64"):
        kernels.draw_counts(np.random.default_rng(1), np.empty((1, 3), dtype=np.int64))
    with pytest.raises(TypeError, match="contiguous"):
        kernels.swap_signs(np.random.default_rng(1), np.empty((4, 6), dtype=np.float32)[:, ::2])


@st.composite
def bleu_sums(draw: st.DrawFn) -> list[int]:
    """Sums as BLEU has them: matches no more than n-grams, and any mixture of zeros."""
    totals = sorted((draw(st.integers(0, draw(st.sampled_from([0, 3, 90, 70_000])))) for _ in range(4)), reverse=True)
    correct = [draw(st.integers(0, total)) for total in totals]
    return [draw(st.integers(0, totals[0] + 5)), draw(st.integers(0, totals[0] + 5)), *correct, *totals]


@st.composite
def chrf_sums(draw: st.DrawFn) -> list[int]:
    """Triples of hypothesis, reference and matching n-grams."""
    sums = []
    for _ in range(6):
        hypothesis, reference = draw(st.integers(0, 5000)), draw(st.integers(0, 5000))
        sums += [hypothesis, reference, draw(st.integers(0, min(hypothesis, reference)))]
    return sums


@pytest.mark.skipif(not kernels.NATIVE, reason="the native extension is not built")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
class TestScoresOfBothPaths:
    """Compiled scores and their numpy forms agree to the last bit, in either precision."""

    @staticmethod
    def _agree(score: object, sums: np.ndarray) -> None:
        compiled = score(sums)  # type: ignore[operator]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kernels, "score_sums", None)
            twin = score(sums)  # type: ignore[operator]
        assert compiled.dtype == twin.dtype
        np.testing.assert_array_equal(compiled, twin)

    @settings(max_examples=60)
    @given(
        rows=st.lists(bleu_sums(), min_size=1, max_size=8),
        smoothing=st.sampled_from([("exp", None), ("none", None), ("floor", None), ("add-k", None), ("add-k", 0.5)]),
        effective_order=st.booleans(),
        integer_sums=st.booleans(),
    )
    def test_bleu(self, dtype: type, rows: list, smoothing: tuple, effective_order: bool, integer_sums: bool) -> None:
        """With every smoothing method, and sums of zero anywhere."""
        method, value = smoothing
        self._agree(
            lambda sums: arithmetic.bleu(
                sums,
                smooth_method=method,
                smooth_value=value,
                effective_order=effective_order,
                integer_sums=integer_sums,
            ),
            np.array(rows, dtype=dtype),
        )

    @settings(max_examples=40)
    @given(rows=st.lists(chrf_sums(), min_size=1, max_size=8), beta=st.integers(1, 3))
    def test_chrf(self, dtype: type, rows: list, beta: int) -> None:
        """With any weight of recall."""
        self._agree(lambda sums: arithmetic.chrf(sums, order=6, beta=beta), np.array(rows, dtype=dtype))

    def test_ter(self, dtype: type) -> None:
        """Empty references included."""
        rows = np.array([[0, 0], [3, 0], [0, 7], [5, 3], [70_001, 99_991]], dtype=dtype)
        self._agree(arithmetic.ter, rows)

    def test_undefined_rows_stay_undefined(self, dtype: type) -> None:
        """A row with NaN gives NaN and does not disturb the others."""
        rows = np.array([[1, 4], [np.nan, np.nan]], dtype=dtype)
        self._agree(arithmetic.ter, rows)
        assert np.isnan(arithmetic.ter(rows)[1])
