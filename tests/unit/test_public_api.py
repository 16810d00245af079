"""What ``from mtsig import ...`` offers, and that it is documented, typed and stays small."""

from __future__ import annotations

import dataclasses
import inspect
import subprocess
import sys
from pathlib import Path

import mtsig
import numpy as np
import pytest
from mtsig import (
    MeanScorer,
    ResamplingSettings,
    analyse,
    basic_interval,
    bca_interval,
    bootstrap_replicates,
    create_metric,
    draw_counts,
    percentile_interval,
    read,
)


def test_every_public_name_is_there_and_belongs_to_us():
    assert sorted(mtsig.__all__) == mtsig.__dir__()
    assert {*mtsig._LAZY} == {*mtsig.__all__} - {"__version__"}
    for name in mtsig._LAZY:
        value = getattr(mtsig, name)
        assert value.__module__.startswith("mtsig.")
        assert mtsig._LAZY[name] == value.__module__
    with pytest.raises(AttributeError, match="no attribute 'significance'"):
        _ = mtsig.significance


def test_nothing_is_loaded_before_it_is_asked_for():
    code = "import sys, mtsig; print(sorted(name for name in sys.modules if name.startswith('mtsig.')))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_names_for_type_checkers_are_the_same():
    """The imports that only type checkers see are those of the lazy names."""
    source = Path(mtsig.__file__).read_text(encoding="utf-8")
    block = source[source.index("if TYPE_CHECKING:") : source.index("__version__ =")]
    found = {}
    for line in block.splitlines()[1:]:
        if line.strip():
            module, names = line.strip().removeprefix("from ").split(" import ")
            found |= {name.split(" as ")[-1]: module for name in names.split(", ")}
    assert found == mtsig._LAZY
    assert Path(mtsig.__file__).with_name("py.typed").exists()


FUNCTIONS = [name for name in mtsig._LAZY if inspect.isfunction(getattr(mtsig, name))]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_documented_and_typed(name):
    """Parameters, what is returned, and an example that the doctests run."""
    function = getattr(mtsig, name)
    text = inspect.getdoc(function)
    assert "\nParameters\n" in text
    assert ">>> " in text
    signature = inspect.signature(function)
    assert signature.return_annotation is not inspect.Signature.empty
    for parameter in signature.parameters.values():
        assert parameter.annotation is not inspect.Parameter.empty
        assert parameter.name in text


@pytest.mark.parametrize(
    "name",
    [
        "Analysis",
        "ConfidenceInterval",
        "EvaluationSet",
        "Finding",
        "GroupResult",
        "MeanScorer",
        "PairResult",
        "ResamplingSettings",
        "ScoreInterval",
        "SignificanceResult",
        "SystemResult",
    ],
)
def test_results_are_frozen(name):
    assert getattr(mtsig, name).__dataclass_params__.frozen


def test_errors_are_of_one_family():
    """One except clause catches all that mtsig raises on purpose; wrong values are ValueErrors as well."""
    for error in (mtsig.ConfigError, mtsig.InputError, mtsig.UnavailableError):
        assert issubclass(error, mtsig.MtsigError)
    assert issubclass(mtsig.ConfigError, ValueError)
    assert issubclass(mtsig.InputError, ValueError)


@pytest.fixture(scope="module")
def evaluation(repository):
    folder = repository / "tests" / "reference" / "t10"
    texts = {name: str(folder / f"{name}.txt") for name in ("A", "B")}
    return read("t10", {"langpair": "de-en", "references": str(folder / "reference.txt"), "systems": texts})


def test_from_texts_to_evidence(evaluation):
    """The known answers of the ten-segment corpus, through public names only."""
    metric = create_metric("bleu", {}, evaluation.langpair)
    analysis = analyse(metric.statistics(evaluation), metric, ResamplingSettings(seed=12345))
    (pair,) = analysis.pairs
    assert (pair.wins_a, pair.wins_b, pair.ties) == (983, 17, 0)
    assert pair.p_value == pytest.approx(2 * 18 / 1001, rel=1e-12)
    assert (pair.ci_low, pair.ci_high) == pytest.approx((1.9203325660346877, 31.940401169926055), rel=1e-6)
    assert [row.score for row in analysis.systems] == pytest.approx([75.37619097398905, 59.56236475473167], rel=1e-12)


def test_step_by_step_gives_the_same(evaluation):
    metric = create_metric("bleu", {}, evaluation.langpair)
    columns = np.stack([metric.columns(metric.statistics(evaluation)[name]) for name in "AB"])
    replicates = bootstrap_replicates(columns, metric.corpus_scores, draw_counts(12345, 10, 1000))
    interval = percentile_interval(replicates[0] - replicates[1])
    assert (interval.low, interval.high) == pytest.approx((1.9203325660346877, 31.940401169926055), rel=1e-6)


def test_three_kinds_of_intervals():
    """Of a mean, by hand: x = [3, -1, 1, 1, -1, 2, 0, 4, -2, 1], whose intervals lie close together."""
    values = np.array([3, -1, 1, 1, -1, 2, 0, 4, -2, 1.0])
    scorer = MeanScorer(higher_is_better=True)
    columns = scorer.columns(values[:, None])
    replicates = bootstrap_replicates(columns[None], scorer.corpus_scores, draw_counts(12345, 10, 9999))[0]
    left_out = (values.sum() - values) / 9
    for interval in (
        percentile_interval(replicates),
        basic_interval(replicates, values.mean()),
        bca_interval(replicates, values.mean(), left_out, tolerance=1e-9),
    ):
        # One scoring unit is 0.1; Monte Carlo error moves a limit by one or two of them.
        assert (float(interval.low), float(interval.high)) == pytest.approx((-0.3, 1.95), abs=0.21)


def test_results_can_be_turned_into_plain_data(evaluation):
    metric = create_metric("chrf", {}, evaluation.langpair)
    analysis = analyse(metric.statistics(evaluation), metric, ResamplingSettings(seed=0, n_resamples=50, n_trials=50))
    row = dataclasses.asdict(analysis.pairs[0])
    assert row["system_a"] == "A"
    assert isinstance(row["p_value"], float)
