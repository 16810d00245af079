"""What is refused before any job runs, in one message that names the key and the way out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mtsig.config import load
from mtsig.errors import ConfigError, InputError, UnavailableError
from mtsig.home import workflow_home
from mtsig.steps.preflight import preflight

SYSTEMS = {"good": 0.6, "fair": 0.5, "poor": 0.4}
SIMULATED = {"format": "simulated", "langpair": "de-en", "segments": 100, "systems": SYSTEMS}
CONFIG = {
    "testsets": {"one": SIMULATED, "two": {**SIMULATED, "systems": {"good": 0.6, "fare": 0.5}}},
    "metrics": {"bleu": {}, "length_ratio": {}},
}
CALIBRATION = {"kind": "calibration", "testset": "one", "metric": "bleu", "subset_sizes": [50]}


def check(*, folders=(), **changes: object) -> None:
    preflight(load({**CONFIG, **changes}, workflow_home() / "workflow" / "schemas"), folders=folders)


def refused(error: type[Exception] = ConfigError, **changes: object) -> str:
    with pytest.raises(error) as caught:
        check(**changes)
    return str(caught.value)


def with_missing(missing: str) -> dict[str, object]:
    return {name: {**testset, "missing": missing} for name, testset in CONFIG["testsets"].items()}


def test_suite_over_different_systems():
    """A system that a member lacks is named, with what that member has; common segments need no such system."""
    suites = {"all": {"testsets": ["one", "two"]}}
    message = refused(suites=suites)
    assert message.startswith("suites.all.testsets: the system 'fair' of one is missing in two. Did you mean fare? ")
    assert "There are: fare, good." in message
    check(suites=suites, missing="intersect")
    check(suites=suites, testsets=with_missing("intersect"))


def test_suite_without_a_common_system():
    """Nothing can be averaged where no system is everywhere."""
    testsets = {**CONFIG["testsets"], "two": {**SIMULATED, "systems": {"other": 0.5}}}
    message = refused(suites={"all": {"testsets": ["one", "two"]}}, testsets=testsets, missing="intersect")
    assert "suites.all.testsets: no system is in all of one, two" in message


def test_adjustment_that_the_pairs_of_a_suite_do_not_allow():
    """Three systems are three pairs: with 100 resamples and Holm the smallest p-value is 6/101."""
    testsets = {name: {**SIMULATED, "adjust": "none"} for name in ("one", "two")}
    suites = {"all": {"testsets": ["one", "two"]}}
    message = refused(suites=suites, testsets=testsets, adjust="holm", n_resamples=100)
    assert "with holm, 3 pairs and alpha 0.05 no pair can be significant in 100 resamples" in message
    check(suites=suites, testsets=testsets, adjust="holm", n_resamples=120)


@pytest.mark.parametrize("kind", ["calibration", "null", "power"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"systems": ["good", "poer"]}, ".systems: there is no system 'poer' in one. Did you mean poor? There are: "),
        ({"pairs": [["good", "poer"]]}, ".pairs: there is no system 'poer' in one. Did you mean poor? There are: "),
        ({"systems": ["good", "fair"], "pairs": [["good", "poor"]]}, ".pairs: there is no system 'poor'. There are: "),
        ({"pairs": [["good", "good"]]}, ".pairs: ['good', 'good'] is no pair; name two systems."),
    ],
)
def test_systems_of_a_study(kind, options, message):
    """Unknown names, pairs with systems that are not chosen, and pairs of one system."""
    assert f"studies.s{message}" in refused(
        studies={"s": {"kind": kind, "testset": "one", "metric": "bleu", **options}}
    )


def test_study_of_several_test_sets():
    """The test set that lacks the system is named."""
    study = {**CALIBRATION, "testset": ["one", "two"], "systems": ["good", "fair"]}
    assert "studies.s.systems: there is no system 'fair' in two. Did you mean fare?" in refused(studies={"s": study})
    check(studies={"s": {**study, "systems": ["good"]}})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"systems": ["good", "pour"]}, "systems: there is no system 'pour' in these results. Did you mean poor?"),
        ({"baseline": "base"}, "baseline: there is no system 'base' in the table. There are: "),
        ({"baseline": "poor", "systems": ["good", "fair"]}, "baseline: there is no system 'poor' in the table."),
    ],
)
def test_systems_of_a_paper(options, message):
    """Systems and the baseline of a table are systems that the table can show."""
    table = {"testsets": ["one", "two"], "metrics": ["bleu"]}
    assert f"paper.tables.main.{message}" in refused(paper={"tables": {"main": {**table, **options}}})
    check(paper={"tables": {"main": {**table, "systems": ["good", "fare", "fair"], "baseline": "fare"}}})


def test_systems_in_a_column(tmp_path):
    """A table is read for the names in it, without those that are left out; a table that cannot be is refused."""
    rows = [{"system": name, "source": "x", "reference": "y", "hypothesis": "z"} for name in ("A", "B", "C")]
    path = tmp_path / "table.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    testset = {"format": "jsonl", "langpair": "de-en", "path": str(path), "exclude": ["C"]}
    studies = {"s": {**CALIBRATION, "subset_sizes": [1], "systems": ["A", "B"]}}
    check(testsets={"one": testset}, studies=studies)
    studies["s"]["systems"] = ["A", "C"]
    message = refused(testsets={"one": testset}, studies=studies)
    assert message == "studies.s.systems: there is no system 'C' in one. There are: A, B."
    path.write_text('{"system": "A"}\nno json\n', encoding="utf-8")
    assert "table.jsonl, line 2: is not JSON" in refused(InputError, testsets={"one": testset}, studies=studies)
    check(testsets={"one": testset})


def test_large_table_is_left_to_the_jobs(tmp_path):
    """Planning reads a few megabytes at most."""
    path = tmp_path / "table.csv"
    path.write_text("reference,A\n" + "x,y\n" * 1_000_001, encoding="utf-8")
    testset = {"format": "csv", "langpair": "de-en", "path": str(path)}
    check(testsets={"one": testset}, studies={"s": {**CALIBRATION, "systems": ["B"]}})


def test_calibration_whose_subsets_are_all_too_large(tmp_path):
    """The segments are counted: 100 simulated ones, or the lines of a file, the last with or without its end."""
    check(studies={"s": {**CALIBRATION, "subset_sizes": [100, 300]}})
    message = refused(studies={"s": {**CALIBRATION, "subset_sizes": [300, 101]}})
    assert "studies.s.subset_sizes: one has only 100 segments, so it cannot be divided into sets of 101." in message
    for name in ("ref", "A", "B"):
        (tmp_path / f"{name}.txt").write_text("x\ny\nz", encoding="utf-8")
    files = {"references": str(tmp_path / "ref.txt"), "systems": [str(tmp_path / f"{name}.txt") for name in "AB"]}
    testsets = {"one": {"langpair": "de-en", **files}}
    check(testsets=testsets, studies={"s": {**CALIBRATION, "subset_sizes": [3]}})
    assert "has only 3 segments" in refused(testsets=testsets, studies={"s": {**CALIBRATION, "subset_sizes": [4]}})


@pytest.mark.parametrize("place", ["top", "testset", "study"])
def test_resamples_that_no_memory_holds(monkeypatch, place):
    """The largest number that fits is named, and is taken: 150 bytes for each of three systems, in 9 MB."""
    monkeypatch.setattr("os.sysconf", {"SC_PHYS_PAGES": 9000, "SC_PAGE_SIZE": 1000}.get)

    def changes(number: int) -> dict[str, object]:
        testsets = {"one": {**SIMULATED, **({"n_resamples": number} if place == "testset" else {})}}
        study = {**CALIBRATION, **({"n_resamples": [10, number]} if place == "study" else {})}
        return {"testsets": testsets, "studies": {"s": study}, **({"n_resamples": number} if place == "top" else {})}

    message = refused(**changes(20_001))
    assert "n_resamples: 20001 resamples of 3 systems do not fit into this machine's memory of 0.0 GB" in message
    assert message.endswith("At most 20000 do.")
    check(**changes(20_000))


@pytest.mark.parametrize(
    ("key", "value"),
    [("cutoffs", "0<"), ("cutoffs", "< 0,5"), ("costs", "10"), ("costs", "0:1"), ("class_ratios", "1:0")],
)
def test_malformed_options_of_roc(key, value):
    """Comparisons and ratios that cannot be read are refused with the form that can."""
    study = {"kind": "roc", "testset": "one", "gold": "bleu", "qe": ["length_ratio"]}
    assert f"studies.s.{key}[0]: '{value}' is not possible" in refused(studies={"s": {**study, key: [value]}})
    fine = {"cutoffs": ["<=-5", " > .5", "<1e-3"], "costs": ["10:1", "1/3 : 0.5"], "class_ratios": ["sample", "1:5"]}
    check(studies={"s": {**study, **fine}})


def test_folder_that_cannot_be_made(tmp_path):
    """One message for folders below a file, and below a file system that makes none; no trace of the attempt."""
    (tmp_path / "file").touch()
    assert "is a file, but a folder is needed" in refused(UnavailableError, folders=[tmp_path / "file" / "results"])
    check(folders=[tmp_path / "a" / "results"])
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_folder_below_proc():
    """A file system that lets one write, but makes no folders."""
    if not Path("/proc/self").exists():
        pytest.skip("there is no /proc here")
    assert "/proc/results: cannot be made" in refused(UnavailableError, folders=[Path("/proc/results")])
