"""Sufficient statistics of BLEU, chrF and TER for a block of segments: compiled where that is possible, else in Python.

Both ways have the same signatures and give the same numbers; they are described in
`mtsig.kernels._python_extraction` and `mtsig.kernels._python_ter`.
"""

from __future__ import annotations

from mtsig.kernels import NATIVE

if NATIVE:
    from mtsig.kernels._native_extraction import bleu_statistics, chrf_statistics, ter_statistics
else:
    from mtsig.kernels._python_extraction import bleu_statistics, chrf_statistics
    from mtsig.kernels._python_ter import ter_statistics

__all__ = ["bleu_statistics", "chrf_statistics", "ter_statistics"]
