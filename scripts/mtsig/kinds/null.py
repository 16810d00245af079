"""Studies of kind ``null``: which tests hold their level?"""

from __future__ import annotations

from mtsig.kinds import Figure, StudyKind, Table

__all__ = ["KIND"]

KIND = StudyKind(
    about="Null study: how often each test calls two systems different that are equal by construction, with the limits "
    "of chance around alpha = {alpha}.",
    step="mtsig.steps.null",
    report="mtsig.report.null",
    tables=(Table("rejections", "which tests hold their level?", "rejections_tables"),),
    figures=(Figure("rejections", "rejections_figure", ("rejections",), ("alpha",)),),
    metrics=("metric",),
    per_metric=True,
    packages=("numpy", "scipy"),
    memory={"base": 700, "text": 5, "pairs": 2},
    runtime={"base": 60, "drawn_text": 1, "drawn_pairs": 0.2},
)
