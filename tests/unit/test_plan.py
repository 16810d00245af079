"""What the rules look up: which files a configuration makes, and what their jobs ask for."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from mtsig.config import load
from mtsig.errors import ConfigError
from mtsig.home import workflow_home
from mtsig.kinds import study_kind
from mtsig.plan.plan import Plan
from mtsig.plan.resources import Amounts

SYSTEMS = {"good": 0.6, "fair": 0.5, "poor": 0.4}
SIMULATED = {"format": "simulated", "langpair": "de-en", "segments": 100, "segment_length": 10, "systems": SYSTEMS}
CONFIG = {
    "testsets": {"one": SIMULATED, "two": {**SIMULATED, "metrics": ["bleu", "comet"]}},
    "metrics": {"bleu": {}, "chrf": {}, "comet": {"model": "Unbabel/wmt22-comet-da"}},
}


def planned(takes_part: bool = False, **changes: object) -> Plan:
    settings = load({**CONFIG, **changes}, workflow_home() / "workflow" / "schemas")
    return Plan(settings, takes_part=lambda testset, metric: takes_part)


def test_files_of_all_and_of_neural_metrics():
    """`all` has every file but those of neural metrics, the neural target those too."""
    plan = planned(takes_part=True)
    everything, neural = set(plan.all_files()), set(plan.neural_files())
    assert {
        "<results>/one/lint.json",
        "<results>/one/scores/chrf.parquet",
        "<results>/two/pairs/bleu.parquet",
        "<results>/two/tables/matrix.tex",
        "<results>/one/figures/bleu.intervals.svg",
        "<results>/report.html",
    } <= everything
    assert "<results>/two/scores/chrf.parquet" not in everything
    assert not any("comet" in path for path in everything)
    assert {"<results>/two/scores/comet.parquet", "<results>/two/figures/comet.matrix.pdf"} <= neural - everything


@pytest.mark.parametrize(("takes_part", "shown"), [(False, ["bleu"]), (True, ["bleu", "comet"])])
def test_shown_metrics(takes_part, shown):
    """Neural metrics are shown where they take part; suites have what all their test sets show."""
    plan = planned(takes_part, suites={"both": {"testsets": ["one", "two"]}})
    assert plan.shown_metrics("two") == shown
    assert plan.suite_metrics("both") == shown
    assert plan.suite_metrics("both", configured=True) == ["bleu", "comet"]


def test_paper_of_what_is_not_computed():
    """A table of the paper without a metric that its test sets have is refused, naming the key."""
    plan = planned(paper={"tables": {"main": {"testsets": ["two"], "metrics": ["chrf"]}}})
    with pytest.raises(ConfigError, match=r"paper\.tables\.main"):
        _ = plan.paper_results


def test_options_of_one_test_set():
    """An option at a test set counts there, and changes nothing in its texts or in another test set."""
    own = {"missing": "intersect", "alpha": 0.01, "n_resamples": 500, "resample_unit": "document", "adjust": "holm"}
    before, after = planned(), planned(testsets={**CONFIG["testsets"], "one": {**SIMULATED, **own}})
    one, two = (SimpleNamespace(testset=name) for name in ("one", "two"))
    assert after.missing("one") == after.missing("two", "one") == "intersect"
    assert after.missing("two") == before.missing("one") == "error"
    usual = {
        "seed": 12345,
        "n_resamples": 1000,
        "n_trials": 10000,
        "confidence_level": 0.95,
        "alpha": 0.05,
        "adjust": "none",
        "resample_unit": "segment",
        "equivalence_margin": None,
    }
    asked = {name: value for name, value in own.items() if name != "missing"}
    assert after.resampling_options("bleu", "one").items() >= {**usual, **asked}.items()
    assert after.resampling_options("bleu", "two").items() >= usual.items()
    assert after.resampling_options("bleu").items() >= usual.items()
    assert [after.testset_settings(name) for name in (one, two)] == [
        before.testset_settings(name) for name in (one, two)
    ]


def test_seed_of_simulated_texts():
    """The seed of a simulated test set is that of its texts, and leaves the draws alone."""
    plan = planned(testsets={"one": {**SIMULATED, "seed": 9}})
    assert plan.testset_settings(SimpleNamespace(testset="one"))["seed"] == 9
    assert plan.resampling_options("bleu", "one")["seed"] == 12345


def test_amounts():
    """Memory grows with the text and doubles at each attempt; a small test set gets one thread."""
    plan = planned(testsets={"small": SIMULATED, "large": {**SIMULATED, "segments": 100_000}})
    amounts = Amounts(plan)
    memory = amounts.grows(600, text=8, pairs=2)
    # 7 bytes for each of the 10 words of 100,000 segments of the reference and three systems: 28 MB; three pairs.
    assert memory(SimpleNamespace(testset="large"), None, 1) == 600 + 8 * 28 + 2 * 3
    assert memory(SimpleNamespace(testset="large"), None, 2) == 2 * (600 + 8 * 28 + 2 * 3)
    assert [amounts.threads_for(SimpleNamespace(testset=name)) for name in ("small", "large")] == [1, 4]


#: A study of every kind, on metrics that need no files.
STUDIES = {
    "small": {"kind": "calibration", "testset": "one", "metric": ["bleu", "chrf"]},
    "equal": {"kind": "null", "testset": "one", "metric": "bleu"},
    "size": {"kind": "power", "testset": ["one", "two"], "metric": "bleu"},
    "firm": {"kind": "robustness", "testset": "one", "metric": "bleu"},
    "find": {"kind": "roc", "testset": "one", "gold": "bleu", "qe": ["chrf"]},
    "agree": {"kind": "meta", "testset": "one", "gold": "bleu", "metrics": ["chrf"]},
}


def test_jobs_and_inputs_of_studies():
    """One job for each test set and metric, or for each test set with all metrics of the study."""
    plan = planned(studies=STUDIES)
    assert plan.study_jobs("small") == [("one", ["bleu"]), ("one", ["chrf"])]
    assert plan.study_jobs("size") == [("one", ["bleu"]), ("two", ["bleu"])]
    assert plan.study_jobs("find") == [("one", ["bleu", "chrf"])]
    # Where robustness names no metrics, all that tell better from worse are choices.
    assert plan.study_jobs("firm") == [("one", ["bleu", "chrf"])]
    inputs = plan.study_inputs(SimpleNamespace(study="agree", testset="one"))
    assert inputs == {
        "segments": "<results>/one/segments.parquet",
        "scores": ["<results>/one/scores/bleu.parquet", "<results>/one/scores/chrf.parquet"],
        "systems": ["<results>/one/systems/bleu.parquet", "<results>/one/systems/chrf.parquet"],
    }
    inputs = plan.study_inputs(SimpleNamespace(study="small", testset="one", metric="chrf"))
    assert inputs["scores"] == ["<results>/one/scores/chrf.parquet"]
    assert inputs["truth"] == ["<results>/one/truth/chrf.parquet"]
    assert plan.study_inputs(SimpleNamespace(study="firm", testset="one"))["hypotheses"]
    assert "<results>/studies/equal/parts/one/bleu/rejections.parquet" in plan.study_parts(
        SimpleNamespace(study="equal")
    )


def test_studies_on_neural_metrics_wait_for_these():
    """A metric with jobs of its own leaves the others; where all metrics are in one job, the study waits."""
    studies = {
        "size": {"kind": "power", "testset": "two", "metric": ["bleu", "comet"]},
        "agree": {"kind": "meta", "testset": "two", "gold": "bleu", "metrics": ["comet"]},
    }
    assert planned(studies=studies).study_jobs("size") == [("two", ["bleu"])]
    assert not planned(studies=studies).study_takes_part("agree")
    assert planned(True, studies=studies).study_takes_part("agree")


def test_a_paper_names_every_table_and_figure_of_every_kind_of_study():
    parts = {}
    for study, options in STUDIES.items():
        kind = study_kind(options["kind"])
        parts |= {f"{study}-t-{table.name}": {"study": study, "table": table.name} for table in kind.read}
        parts |= {f"{study}-f-{figure.name}": {"study": study, "figure": figure.name} for figure in kind.figures}
    plan = planned(studies=STUDIES, paper={"studies": parts})
    files = plan.paper_study_files()
    assert len(files) == sum(4 if "table" in part else 2 for part in parts.values())
    assert {"<results>/paper/find-t-auc.standalone.tex", "<results>/paper/find-f-curves.pdf"} <= set(files)
    assert set(files) <= set(plan.all_files())
    assert "<results>/studies/find/bands.parquet" in plan.paper_study_inputs()
    assert plan.paper_study_options()["find"] == {
        "kind": "roc",
        "qe": ["chrf"],
        "show_bands": True,
        "shown_qe": None,
    }


@pytest.mark.parametrize(
    ("paper", "message"),
    [
        ({"studies": {"x": {"study": "find", "table": "curve"}}}, r"paper\.studies\.x\.table: study find has no table"),
        ({"studies": {"x": {"study": "find", "figure": "auc"}}}, r"has no figure 'auc'\. It has curves, hulls"),
        ({"studies": {"x": {"study": "find"}}}, "Give its `table` or its `figure`"),
        ({"studies": {"x": {"study": "find", "table": "auc", "figure": "hulls"}}}, "Give its `table` or its `figure`"),
        ({"studies": {"x": {"study": "lost", "table": "auc"}}}, "lost"),
        (
            {
                "studies": {"x": {"study": "find", "table": "auc"}},
                "tables": {"x": {"testsets": ["one"], "metrics": ["bleu"]}},
            },
            "has this name",
        ),
    ],
)
def test_what_a_paper_cannot_show_of_studies(paper, message):
    with pytest.raises(ConfigError, match=message):
        _ = planned(studies=STUDIES, paper=paper).paper_studies
