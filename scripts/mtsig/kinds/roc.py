"""Studies of kind ``roc``: how well does quality estimation find the segments with an error?"""

from __future__ import annotations

from mtsig.kinds import Figure, StudyKind, Table

__all__ = ["KIND"]

KIND = StudyKind(
    about="Quality estimation as a search for errors: ROC curves with pointwise bootstrap bands, one panel per MT "
    "system, human score and cutoff (curves; the right axis is the share of errors that are missed), precision and "
    "recall (precision), and which QE system to use where: the hull of all curves, and the points that cost least for "
    "the given costs (hulls).",
    step="mtsig.steps.roc",
    report="mtsig.report.roc",
    tables=(
        Table("curve"),
        Table("bands"),
        Table("auc", "areas under the curves", "auc_tables", ("qe",)),
        Table("auc_pairs", "differences of areas", "pair_tables"),
        Table(
            "partial_auc",
            "areas where few good segments are reviewed, and where few errors are missed",
            "part_tables",
            ("qe",),
        ),
        Table("partial_pairs", "differences of partial areas", "part_pair_tables"),
        Table("decisions", "what to review", "decision_tables", ("qe",)),
        Table("hulls", "which QE system to use where", "hull_tables"),
    ),
    figures=(
        Figure("curves", "curves_figure", ("curve", "bands", "auc"), ("qe", "shown_qe", "show_bands")),
        Figure("hulls", "hulls_figure", ("curve", "hulls", "decisions"), ("qe",)),
        Figure("precision", "precision_figure", ("curve", "auc"), ("qe", "shown_qe")),
    ),
    metrics=("gold", "qe"),
    packages=("numpy", "scikit-learn", "scipy"),
    threads=1,
    memory={"base": 700, "curves": 40},
    runtime={"base": 60, "curves": 2},
    report_memory={"base": 700, "tables": 400},
    report_runtime={"base": 60, "tables": 10},
    guide=(
        (
            "Area under the ROC curve",
            "The chance that quality estimation (QE) ranks a segment with an error as worse than one without; 0.5 is "
            "guessing. Compare QE systems on one MT system: areas on two MT systems are of different segments, and say "
            "nothing about which of these translates better.",
        ),
        (
            "Decisions of quality estimation",
            "They hold for segments like those that were judged: the same language pair, domain, kind of content and "
            "translator. Intervals are for other segments of that kind, and know nothing of people who disagree on "
            "what an error is. Where the two ends of an interval call for different decisions, do not decide by it.",
        ),
    ),
)
