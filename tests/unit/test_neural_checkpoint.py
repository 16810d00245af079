"""What a model's name means, what it reads, and what is in the way of it: without COMET."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
import yaml
from mtsig.errors import ConfigError, UnavailableError
from mtsig.metrics import create_metric
from mtsig.metrics.neural import availability, checkpoint
from mtsig.metrics.neural.signatures import display_name, scoring_of


def write(folder: Path, name: str = "regression_metric", **settings: object) -> Path:
    """A folder that looks like a checkpoint's."""
    (folder / "checkpoints").mkdir(parents=True)
    (folder / "checkpoints" / "model.ckpt").write_bytes(b"weights")
    encoder = folder / "encoder"
    encoder.mkdir()
    (encoder / "config.json").write_text("{}")
    (encoder / "tokenizer.json").write_text("{}")
    content = {"class_identifier": name, "pretrained_model": str(encoder), "hidden_sizes": (2, 1), **settings}
    (folder / "hparams.yaml").write_text(yaml.dump(content))
    return folder


@pytest.mark.parametrize(
    ("name", "settings", "reads", "reference_free", "word_level"),
    [
        ("regression_metric", {}, ("source", "hypothesis", "reference"), False, False),
        ("referenceless_regression_metric", {}, ("source", "hypothesis"), True, False),
        ("unified_metric", {}, ("source", "hypothesis", "reference"), True, False),
        ("unified_metric", {"input_segments": ["mt", "src"]}, ("source", "hypothesis"), True, False),
        ("unified_metric", {"input_segments": ["mt", "ref"]}, ("hypothesis", "reference"), False, False),
        ("unified_metric", {"word_level_training": True}, ("source", "hypothesis", "reference"), True, True),
        ("xcomet_metric", {}, ("source", "hypothesis", "reference"), True, True),
    ],
)
def test_the_description_says_what_a_model_reads(tmp_path, name, settings, reads, reference_free, word_level):
    found = checkpoint.locate(str(write(tmp_path / "model", name, **settings)))
    assert (found.reads, found.reference_free, found.word_level) == (reads, reference_free, word_level)


def test_a_folder_and_its_file_are_the_same_checkpoint(tmp_path):
    folder = write(tmp_path / "model")
    by_folder, by_file = (checkpoint.locate(str(path)) for path in (folder, folder / "checkpoints" / "model.ckpt"))
    assert by_folder == by_file
    assert by_folder.identity.startswith("sha256:")


@pytest.mark.parametrize("changed", ["checkpoints/model.ckpt", "hparams.yaml", "encoder/tokenizer.json"])
def test_every_file_that_decides_is_part_of_the_identity(tmp_path, changed):
    folder = write(tmp_path / "model")
    before = checkpoint.locate(str(folder)).identity
    with (folder / changed).open("a") as stream:
        stream.write("\n# changed\n")
    assert checkpoint.locate(str(folder)).identity != before


def test_what_is_missing_is_named(tmp_path):
    with pytest.raises(UnavailableError, match="there is no checkpoint"):
        checkpoint.check(str(tmp_path / "none.ckpt"))
    folder = write(tmp_path / "model")
    shutil.rmtree(folder / "encoder")
    with pytest.raises(UnavailableError, match=r"the encoder .* is not there .*Correct pretrained_model"):
        checkpoint.check(str(folder))
    (folder / "hparams.yaml").unlink()
    with pytest.raises(UnavailableError, match=r"hparams\.yaml is missing"):
        checkpoint.check(str(folder))


def test_what_gives_no_scores_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="class_identifier is 'ranking_metric'"):
        checkpoint.check(str(write(tmp_path / "ranking", "ranking_metric")))
    with pytest.raises(ConfigError, match="has no meaning for a path"):
        checkpoint.check(str(write(tmp_path / "model")), "main")


def test_names_in_signatures_hold_no_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(write(tmp_path / "tiny").parent)
    assert display_name(str(tmp_path / "tiny")) == "tiny"
    assert display_name("tiny/checkpoints/model.ckpt") == "tiny"
    assert display_name("other/mine.ckpt") == "mine"
    assert display_name("Unbabel/XCOMET-XL") == "Unbabel/XCOMET-XL"


def test_only_the_references_may_differ_between_test_sets():
    signature = "Python3.11.7|Comet2.2.7|{}|m|r{}|rev:01|refs:{}|blank:model|batch:fixed32|device:cpu|torch:2.13"
    assert scoring_of(signature.format("fp32", 1, "refA")) == scoring_of(signature.format("fp32", "var", "a+b"))
    assert scoring_of(signature.format("fp32", 1, "refA")) != scoring_of(signature.format("fp16", 1, "refA"))


def test_the_metric_takes_the_options_of_its_schema(repository):
    properties = yaml.safe_load((repository / "workflow/schemas/metrics/comet.schema.yaml").read_text())["properties"]
    settings = {name: its["default"] for name, its in properties.items()} | {"kind": "comet", "references": ["refA"]}
    metric = create_metric("kiwi", settings, "en-de")
    assert (metric.key, metric.kind, metric.higher_is_better) == ("kiwi", "comet", True)
    assert metric.options.references == ("refA",)
    assert set(vars(metric.options)) == set(properties)
    assert metric.options == type(metric.options)(model="Unbabel/wmt22-comet-da", references=("refA",))


def script(folder: Path, text: str) -> Path:
    path = folder / "scorer.py"
    path.write_text(text)
    return path


def examine(path: Path, python: str | None = None) -> dict[str, object]:
    return availability.examine({"comet": {}}, python=python, script=path, local_files_only=True)


def test_a_python_that_cannot_be_run_is_named(tmp_path):
    path = script(tmp_path, "")
    with pytest.raises(UnavailableError, match=r"neural\.python: /no/such/python cannot be run"):
        examine(path, "/no/such/python")
    with pytest.raises(UnavailableError, match="cannot run the scorer"):
        examine(path)


def test_what_a_python_lacks_is_told_with_its_last_words(tmp_path):
    path = script(tmp_path, "import no_such_package")
    with pytest.raises(UnavailableError, match="No module named 'no_such_package'"):
        examine(path, sys.executable)


def test_all_problems_come_in_one_message(tmp_path):
    path = script(tmp_path, 'print(\'{"problems": ["metrics.a: one.", "metrics.b: two."]}\')')
    with pytest.raises(UnavailableError, match=r"^metrics\.a: one\. metrics\.b: two\.$"):
        examine(path)


def test_here_comet_is_looked_for_without_being_loaded(monkeypatch):
    monkeypatch.setattr(availability, "package_versions", lambda: {"comet": "2.2.7", "torch": "2.13"})
    monkeypatch.setattr(availability, "version", lambda _: "0.10.3")
    monkeypatch.setattr(availability, "find_spec", lambda name: None if name == "pkg_resources" else object())
    (problem,) = availability.probe({}, local_files_only=True)["problems"]
    assert "setuptools<82" in problem
    monkeypatch.setattr(availability, "version", lambda _: "1.9.0")
    assert availability.probe({}, local_files_only=True)["problems"] == []
