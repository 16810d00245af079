"""A guard against losing the speed of extraction: no ratio may drop below half its goal."""

from __future__ import annotations

from extraction import measure


def test_extraction_is_at_least_half_as_fast_as_promised() -> None:
    """On few segments, where fixed costs weigh most; processor time of one thread."""
    for result in measure(n_segments=30, n_systems=6, repeats=2):
        assert result.ratio > result.goal / 2, result
