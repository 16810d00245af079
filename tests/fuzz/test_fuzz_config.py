"""Configurations: whatever a file holds, no code is run, nothing grows, and no name leaves the folder of results."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import pytest
import yaml
from hostile import HOSTILE, any_bytes, any_text, examples, mutated, refused
from hypothesis import given
from hypothesis import strategies as st
from mtsig import config
from mtsig.configfiles import check_file
from mtsig.corpus.files import named_files, one_file
from snakemake.common.configfile import load_configfile
from snakemake_interface_common.exceptions import WorkflowError

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "workflow" / "schemas"

CONFIG = b"""# a study
seed: 1
testsets:
  demo: &demo
    langpair: "no-en"
    references: {refA: ref.txt}
    systems: out/*.txt
    exclude: [x, "y"]
  more: {<<: *demo, exclude: [z]}
  other: {format: mtme, langpair: en-de, root: folder}
metrics: {bleu: {lowercase: true}, mine: {kind: precomputed, scores: m.tsv, higher_is_better: false}}
studies: {power: {kind: power, testset: demo, metric: bleu}}
suites: {all: {testsets: [demo, more], metrics: [bleu]}}
paper: {tables: {main: {testsets: [demo], metrics: [bleu]}},
        figures: {one: {kind: matrix, testset: demo, metric: bleu}}}
"""

#: What every part of a path that comes from a name must look like.
SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+-]{0,199}")


def loaded(content: bytes) -> str | None:
    """What `mtsig run` and then the workflow say about a configuration file; None where both take it.

    Snakemake reads the file in between, and whatever `check_file` lets pass it must be able to read or refuse.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "c.yaml")
        path.write_bytes(content)
        message = refused(lambda: check_file(path))
        if message is not None:
            return message
        try:
            read = load_configfile(str(path))
        except WorkflowError as error:
            return str(error)
        kept: dict = {}
        message = _lines(lambda: kept.update(config.load(read, SCHEMAS, files=[path])))
        for section in ("testsets", "metrics", "studies", "suites"):
            assert all(map(SAFE.fullmatch, kept.get(section, ())))
        for section in ("tables", "figures"):
            assert all(map(SAFE.fullmatch, kept.get("paper", {}).get(section, ())))
        return message


def _lines(function) -> str | None:
    """As `refused`, of a message that may have a line for each problem."""
    try:
        function()
    except config.ConfigError as error:
        for line in error.args:
            refused(lambda line=line: (_ for _ in ()).throw(config.ConfigError(line)))
        return str(error)
    return None


def test_the_unharmed_configuration_is_taken():
    assert loaded(CONFIG) is None


@examples(0.5)
@given(content=st.one_of(any_bytes, mutated(CONFIG)))
def test_any_bytes_and_hostile_pieces(content):
    loaded(content)


@pytest.mark.parametrize("section", ["testsets", "metrics", "studies", "suites", "tables", "figures"])
@examples(0.1)
@given(name=st.one_of(st.sampled_from(HOSTILE), any_text))
def test_any_name_in_a_path(section, name):
    """Test sets, metrics, studies, suites, tables and figures: only safe names are taken, the rest is refused."""
    content = yaml.safe_load(CONFIG)
    holder = content["paper"] if section in ("tables", "figures") else content
    holder[section] = {name: next(iter(holder[section].values()))}
    message = loaded(yaml.safe_dump(content).encode("utf-8", "surrogatepass"))
    if not SAFE.fullmatch(name):
        assert message is not None


@pytest.mark.parametrize("name", ["main\n", "Main", "x" * 201, "ab" * 20])
@pytest.mark.parametrize("kind", ["tables", "figures"])
def test_names_that_files_of_a_paper_cannot_have(kind, name):
    """As those of all that stands in paths: no line break at the end, none that differs in case only, none too long."""
    content = yaml.safe_load(CONFIG)
    entries = content["paper"][kind]
    first = next(iter(entries))
    content["paper"][kind] = {"main": entries[first], name: entries[first]}
    assert f"paper.{kind}." in (loaded(yaml.safe_dump(content).encode()) or "").replace("\\n", "")


@pytest.mark.parametrize(
    "tag",
    [
        "!!python/object/apply:os.system ['touch {}']",
        "!!python/object/new:os.system ['touch {}']",
        "!!python/name:os.system",
        "!!python/module:os",
        "!!python/tuple [1, 2]",
        "!include /etc/passwd",
        "!!binary '####'",
        "!<tag:yaml.org,2002:python/object:os.stat_result> []",
    ],
)
@pytest.mark.parametrize("place", ["report: {{title: {}}}", "{}: 1", "testsets: {}"])
def test_no_tag_runs_code(tmp_path, tag, place):
    canary = tmp_path / "canary"
    assert loaded(place.format(tag.format(canary)).encode()) is not None
    assert not canary.exists()


def test_templates_of_snakemake_run_no_code(tmp_path):
    """Snakemake's reader would evaluate expressions after this key; `mtsig run` refuses the file first."""
    canary = tmp_path / "canary"
    text = f"__use_yte__: true\n__definitions__:\n- import pathlib\n?pathlib.Path('{canary}').touch():\n  a: 1\n"
    assert "__use_yte__" in (loaded(text.encode()) or "")
    assert not canary.exists()


@pytest.mark.parametrize(
    "text",
    [
        "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 30)),
        "a: &a [*a]\n",
        "a: &a {b: *a}\n",
        "a: &a {<<: *a}\n",
        "a: " + "[" * 100_000 + "]" * 100_000,
        "a: " + "{a: " * 100_000,
        "".join(f"{' ' * depth}a:\n" for depth in range(3000)),
        "- " * 100_000,
        "a: " + "9" * 100_000,
        "a: 2001-99-99\n",
        "2001-99-99: 1\n",
        "a: 2001-01-01T99:99:99Z\n",
        "? [a, b]\n: c\n",
        "? {a: b}\n: c\n",
        "a: .inf\nseed: .nan\n",
        "seed: 1e999\n",
        "x" * 1_000_000 + ": 1\n",
        'seed: "' + "x" * 1_000_000 + '"\n',
        "\0",
        "%YAML 9.9\n---\na: 1\n",
        "a: 1\n---\nb: 2\n",
    ],
    ids=lambda text: f"{text[:12]}... {len(text)}",
)
def test_what_strains_readers_of_yaml(text):
    assert loaded(text.encode()) is not None


@pytest.mark.parametrize(
    "path", [*HOSTILE, "a\0b", "/dev/zero", "/dev/stdin/x", "x/" * 3000, "[" * 50, "**/" * 30 + "x"]
)
def test_any_path(path, tmp_path, monkeypatch):
    """A path is a file, or refused: also one that no file system can have, and a device without an end."""
    monkeypatch.chdir(tmp_path)
    if path != "/etc/passwd":
        assert refused(lambda: one_file(path, "key"))
        assert refused(lambda: named_files(path, "key"))
