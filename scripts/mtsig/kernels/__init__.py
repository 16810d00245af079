"""Small compiled kernels and their Python twins: arrays in, arrays out, the same numbers from both.

`NATIVE` says which of the two runs. The twins run where the extension could not be built, or where the environment
variable ``MTSIG_PURE_PYTHON`` is set to anything but 0.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any

from mtsig.kernels import _python_resampling

__all__ = ["NATIVE", "count_swaps", "draw_counts", "score_sums", "sequential_sums", "swap_differences", "swap_signs"]

NATIVE: bool = False

Kernel = Callable[..., Any]
draw_counts: Kernel = _python_resampling.draw_counts
swap_signs: Kernel = _python_resampling.swap_signs
sequential_sums: Kernel = _python_resampling.sequential_sums
# Without the extension scores come from `mtsig.metrics`, which gives the same numbers.
score_sums: Kernel | None = None
swap_differences: Kernel | None = None
count_swaps: Kernel | None = None

if os.environ.get("MTSIG_PURE_PYTHON", "0") in ("", "0"):
    try:
        _compiled: Any = importlib.import_module("mtsig.kernels._native_resampling")
    except ImportError:
        pass
    else:
        NATIVE = True
        draw_counts, swap_signs = _compiled.draw_counts, _compiled.swap_signs
        sequential_sums = _compiled.sequential_sums
        score_sums = _compiled.score_sums
        swap_differences, count_swaps = _compiled.swap_differences, _compiled.count_swaps
