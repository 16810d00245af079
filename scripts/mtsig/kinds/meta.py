"""Studies of kind ``meta``: how well do metrics agree with people?"""

from __future__ import annotations

from mtsig.kinds import Figure, StudyKind, Table

__all__ = ["KIND"]

KIND = StudyKind(
    about="Agreement of metrics with human scores, with bootstrap intervals (agreement), and the scores of systems by "
    "each metric and by human scores (systems).",
    step="mtsig.steps.meta",
    report="mtsig.report.meta",
    tables=(
        Table("correlations", "agreement with human scores", "agreement_tables"),
        Table("metric_pairs", "tests between metrics", "comparison_tables"),
        Table("system_scores", "systems", "standing_tables", ("gold",)),
    ),
    figures=(
        Figure("agreement", "agreement_figure", ("correlations",)),
        Figure("systems", "standing_figure", ("system_scores",), ("gold",)),
    ),
    metrics=("gold", "metrics"),
    inputs=("systems",),
    packages=("numpy", "scipy"),
    memory={"base": 1500, "text": 60},
    runtime={"base": 60, "drawn_text": 2, "segment_pairs": 10},
)
