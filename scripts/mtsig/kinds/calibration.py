"""Studies of kind ``calibration``: what would small test sets have shown?"""

from __future__ import annotations

from mtsig.kinds import Figure, StudyKind, Table

__all__ = ["KIND"]

KIND = StudyKind(
    about="Calibration study, after Koehn (2004): the test set is divided into smaller ones, and what intervals and "
    "tests say on each is compared with the true scores. Shown are the share of right conclusions by confidence "
    "(reliability), how often the better system is found (power), how often each test names the worse one (tests), the "
    "intervals against the true scores (coverage), the spread of scores (ranges) and the differences of pairs.",
    step="mtsig.steps.calibration",
    report="mtsig.report.calibration",
    drawing="mtsig.report.calibration_figures",
    tables=(
        Table("subsets"),
        Table("conclusions"),
        Table("verdicts"),
        Table("calibration", "is confidence honest?", "calibration_tables"),
        Table("power", "how often is the better system found?", "power_tables"),
        Table("tests", "which tests are right how often?", "tables_of_tests"),
        Table("coverage", "do the intervals hold the truth?", "coverage_tables"),
        Table("ranges", "how far do the scores of subsets spread?", "ranges_tables"),
    ),
    figures=(
        Figure("reliability", "reliability_figure", ("calibration",)),
        Figure("power", "power_figure", ("power",)),
        Figure("tests", "figure_of_tests", ("tests",)),
        Figure("coverage", "coverage_figure", ("subsets",), ("confidence_level",)),
        Figure("ranges", "ranges_figure", ("subsets",)),
        Figure("differences", "differences_figure", ("subsets", "conclusions")),
    ),
    metrics=("metric",),
    per_metric=True,
    inputs=("truth",),
    packages=("numpy", "scipy"),
    memory={"base": 800, "text": 10, "pairs": 3},
    runtime={"base": 60, "drawn_text": 1, "drawn_pairs": 0.05},
    report_memory={"base": 700, "tables": 1300},
)
