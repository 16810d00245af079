"""Colours of the page: letters can be read on every ground that they stand on, on light and on dark screens."""

from __future__ import annotations

import re
from pathlib import Path

import mtsig
import pytest

_CSS = (Path(mtsig.__file__).parent / "report" / "assets" / "page.css").read_text(encoding="utf-8")
#: Names of letters and of the grounds that they stand on.
_PAIRS = [
    *(("ink", ground) for ground in ("paper", "soft", "own", "doubt", "mark", "warning", "level")),
    *(("ink", f"h{step}") for step in range(5)),
    *(("muted", ground) for ground in ("paper", "soft")),
    *(("link", ground) for ground in ("paper", "soft", "doubt")),
    *((name, "paper") for name in ("ok", "bad")),
    *((f"{name}-ink", name) for name in ("better_strong", "better", "none", "worse", "worse_strong")),
]


def _colours(text: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", text))


def _luminance(colour: str) -> float:
    """Relative luminance by the Web Content Accessibility Guidelines 2.1."""
    shares = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: str, other: str) -> float:
    dark, light = sorted(map(_luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_of_known_colours() -> None:
    """Black on white has the most there is; the guidelines' own example of a grey that just suffices."""
    assert _contrast("#000000", "#ffffff") == pytest.approx(21)
    assert _contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)


@pytest.mark.parametrize("screen", ["light", "dark"])
@pytest.mark.parametrize(("letters", "ground"), _PAIRS)
def test_letters_have_contrast(screen: str, letters: str, ground: str) -> None:
    """At least 4.5 to 1, level AA for text."""
    light, dark = (_colours(part) for part in _CSS.split("@media (prefers-color-scheme: dark)", 1))
    colours = light if screen == "light" else {**light, **dark}
    assert _contrast(colours[letters], colours[ground]) >= 4.5
