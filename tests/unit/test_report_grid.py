"""The figure of the bitext grid."""

from __future__ import annotations

import pytest
from mtsig.metrics.bitext import bitext_grid
from mtsig.report.figures import to_svg
from mtsig.report.grid import grid_figure


def test_the_figure_says_what_it_shows() -> None:
    svg = to_svg(grid_figure(bitext_grid("H C B A I C D E", ["A B C D E F B A I C"]), exponent=2))
    assert "Runs of 4, 2, 1 words; matching of size 4.583 (exponent 2)" in svg
    assert "precision 0.573, recall 0.458, F 0.509" in svg


@pytest.mark.parametrize(("hypothesis", "references"), [("", ["a b"]), ("a b", [""]), ("", []), ("x y", ["a", "b"])])
def test_nothing_in_common_is_drawn_too(hypothesis: str, references: list[str]) -> None:
    svg = to_svg(grid_figure(bitext_grid(hypothesis, references)))
    assert "Runs of none words" in svg
    assert "precision 0.000" in svg


def test_long_texts_have_no_words_on_the_axes() -> None:
    words = [f"word{number}" for number in range(80)]
    svg = to_svg(grid_figure(bitext_grid(" ".join(words), [" ".join(words)])))
    assert "word79" not in svg
    assert "Runs of 80 words" in svg
