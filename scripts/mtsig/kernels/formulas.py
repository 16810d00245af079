"""Names of the formulas that the compiled kernels know, with their options."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["NAMES", "SMOOTHING", "Formula"]

#: In the order of `formula_name` and `smoothing_name` in scores.h.
NAMES = ("bleu", "chrf", "ter", "ratio")
SMOOTHING = ("none", "floor", "add-k", "exp")


@dataclass(frozen=True)
class Formula:
    """How sums of statistics become a score, for the compiled kernels.

    Attributes
    ----------
    name
        ``bleu`` from hyp_len, ref_len, correct_1.., total_1..; ``chrf`` from triples (hypothesis, reference,
        matches); ``ter`` from edits and ref_len; ``ratio`` from a numerator and a denominator (a mean, say).
    smoothing, smoothing_value, effective_order, whole_sums
        Of BLEU, as in `mtsig.metrics.arithmetic.bleu`.
    beta
        Of chrF.
    """

    name: str
    smoothing: str = "exp"
    smoothing_value: float = 0.0
    effective_order: bool = False
    whole_sums: bool = False
    beta: float = 2.0
