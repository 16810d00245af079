"""Studies of kind ``power``: how large must a test set be?"""

from __future__ import annotations

from mtsig.kinds import Figure, StudyKind, Table

__all__ = ["KIND"]

KIND = StudyKind(
    about="Power study: which differences test sets of several sizes detect with a power of {target_power}.",
    step="mtsig.steps.power",
    report="mtsig.report.planning",
    tables=(
        Table("power_curve"),
        Table("planning", "how large must a test set be?", "planning_tables"),
    ),
    figures=(
        Figure("power_curve", "power_curve_figure", ("power_curve",), ("target_power",)),
        Figure("detectable", "detectable_figure", ("planning",)),
    ),
    metrics=("metric",),
    per_metric=True,
    packages=("numpy", "scipy"),
    memory={"base": 800, "text": 8, "pairs": 10},
    runtime={"base": 120, "drawn_text": 1, "drawn_pairs": 0.1},
)
