"""Small compiled kernels and their Python twins: arrays in, arrays out, the same numbers from both.

`NATIVE` says which of the two runs. The twins run where the extension could not be built, or where the environment
variable ``MTSIG_PURE_PYTHON`` is set to anything but 0.
"""

from __future__ import annotations

import os

NATIVE: bool = False

if os.environ.get("MTSIG_PURE_PYTHON", "0") in ("", "0"):
    try:
        from mtsig.kernels import _native  # noqa: F401

        NATIVE = True
    except ImportError:
        pass

if NATIVE:
    from mtsig.kernels._native_resampling import draw_counts, sequential_sums, swap_signs
else:
    from mtsig.kernels._python_resampling import draw_counts, sequential_sums, swap_signs

__all__ = ["NATIVE", "draw_counts", "sequential_sums", "swap_signs"]
