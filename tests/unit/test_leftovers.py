"""Results that no longer belong to the configuration."""

from __future__ import annotations

from mtsig.leftovers import leftovers

SETTINGS = {
    "testsets": {"a": {"metrics": None}, "b": {"metrics": ["bleu"]}},
    "metrics": {"bleu": {}, "chrf++": {}},
    "studies": {"s": {}},
    "suites": {},
}


def test_only_what_the_configuration_would_not_make(tmp_path):
    """Other test sets, studies, suites and metrics; not files that belong, hidden files or files at the top."""
    kept = (
        "a/segments.parquet a/scores/bleu.parquet a/figures/chrf++.matrix.svg a/tables/pairs.csv b/scores/bleu.parquet"
    )
    kept += " studies/s/x.parquet paper/t.tex report.html README.md .hidden/x b/scores/.tmp.parquet"
    left = "b/scores/chrf++.parquet b/figures/chrf++.matrix.svg a/pairs/ter.parquet a/truth/ter.parquet"
    left += " c studies/old suites/all"
    for name in kept.split():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    for name in left.split():
        path = tmp_path / name / "file" if "." not in name else tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert leftovers(tmp_path, SETTINGS) == sorted(tmp_path / name for name in left.split())
