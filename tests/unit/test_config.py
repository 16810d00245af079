"""The configuration: what is refused and how it is said, and what is filled in."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import pytest
import yaml
from mtsig import config
from mtsig.errors import ConfigError

TESTSET = "testsets: {demo: {langpair: en-de, references: ref.txt, systems: 'out/*.txt'}}\n"
METRICS = "metrics: {bleu: {}}\n"
MINIMAL = TESTSET + METRICS


@pytest.fixture
def load(repository, tmp_path):
    """Load YAML text as Snakemake and the workflow do."""

    def loaded(text: str, **options) -> dict:
        path = tmp_path / "my.yaml"
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        with path.open(encoding="utf-8") as stream:
            content = yaml.safe_load(stream)
        return config.load(content, repository / "workflow" / "schemas", files=[path], **options)

    return loaded


@pytest.fixture
def refusal(load):
    """The message with which YAML text is refused."""

    def message(text: str, **options) -> str:
        with pytest.raises(ConfigError) as caught:
            load(text, **options)
        return str(caught.value)

    return message


def test_defaults_are_filled_in(load):
    """A minimal configuration comes back with every key of the design."""
    settings = load(MINIMAL)
    assert settings["seed"] == 12345
    assert settings["n_resamples"] == 1000
    assert settings["n_trials"] == 10000
    assert settings["confidence_level"] == 0.95
    assert settings["alpha"] == 0.05
    assert settings["resample_unit"] == "segment"
    assert settings["adjust"] == "none"
    assert settings["missing"] == "error"
    assert settings["equivalence_margin"] == {}
    assert settings["suites"] == settings["studies"] == {}
    assert settings["report"]["title"]
    assert settings["neural"]["batch_size"] == 32
    assert settings["neural"]["python"] is None
    assert settings["testsets"]["demo"]["format"] == "text"
    assert settings["testsets"]["demo"]["metrics"] is None
    assert settings["metrics"]["bleu"]["kind"] == "bleu"


def test_seed_zero_is_kept(load):
    """0 is a seed like any other."""
    assert load(MINIMAL + "seed: 0")["seed"] == 0


def test_null_is_the_default(load):
    """B61: a key set to null has its documented default; so has a metric or section without anything."""
    settings = load(TESTSET + "metrics:\n  bleu:\nseed: null\nreport:\nneural: {batch_size: null}\n")
    assert settings["seed"] == 12345
    assert settings["metrics"]["bleu"]["kind"] == "bleu"
    assert settings["neural"]["batch_size"] == 32


def test_whole_floats_become_whole_numbers(load):
    """1000.0 resamples are 1000."""
    n_resamples = load(MINIMAL + "n_resamples: 1000.0")["n_resamples"]
    assert n_resamples == 1000
    assert type(n_resamples) is int


def test_values_of_the_command_line(refusal):
    """A value that --config gives is not looked for in a file, its neighbours are."""
    text = MINIMAL + "n_resamples: 100\nneural: {batch_size: 1}\n"
    assert "n_resamples: 0 is less than 1 (--config)." in refusal(
        text.replace("100", "0"), command_line={"n_resamples": 0}
    )
    message = refusal(
        text.replace("batch_size: 1", "batch_size: 0, precision: fp9"), command_line={"neural": {"precision": "fp9"}}
    )
    assert "neural.batch_size: 0 is less than 1" in message
    assert "my.yaml, line 4)" in message
    assert "neural.precision: 'fp9' is not possible (--config)." in message


def test_top_level_options_are_inherited(load):
    """A test set or study has the top-level value of an option that it does not set."""
    settings = load(
        "testsets:\n  a: {langpair: en-de, systems: a, missing: intersect, alpha: 0.01}\n"
        "  b: {langpair: en-de, systems: b}\n"
        "metrics: {bleu: {}}\nalpha: 0.1\nn_trials: 77\n"
        "studies: {s: {kind: robustness, testset: a, metric: bleu, alpha: 0.2}}\n"
    )
    a, b, study = settings["testsets"]["a"], settings["testsets"]["b"], settings["studies"]["s"]
    assert [each["alpha"] for each in (a, b, study)] == [0.01, 0.1, 0.2]
    assert [each["n_trials"] for each in (a, b, study)] == [77, 77, 77]
    assert (a["missing"], b["missing"], "missing" in study) == ("intersect", "error", False)


def test_order_of_keys_does_not_matter(load):
    """The same settings in another order are the same, key by key in the same order."""
    one = load(MINIMAL + "seed: 1\nalpha: 0.01\n")
    other = load("alpha: 0.01\nmetrics: {bleu: {}}\nseed: 1\n" + TESTSET)
    assert json.dumps(one) == json.dumps(other)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("alhpa: 0.1", ["alhpa: unknown key", "my.yaml, line 3", "Did you mean alpha?"]),
        ('pathvars: {results: ""}', ["pathvars.results: is empty"]),
        ("neural: {batch: 3}", ["neural.batch: unknown key", "batch_size"]),
        ("alpha: high", ["alpha: 'high' is text, not a number"]),
        ("alpha: 1e-3", ["alpha: '1e-3' is text, not a number", "Write 0.001 without quotes", "1.0e-3"]),
        ("alpha: 1.5", ["alpha: 1.5 is not below 1"]),
        ("alpha: 0", ["alpha: 0 is not above 0"]),
        ("alpha: .nan", ["alpha: .nan is not a finite number"]),
        ("confidence_level: 95", ["confidence_level: 95 is not below 1"]),
        ("seed: -1", ["seed: -1 is less than 0"]),
        ("seed: yes", ["seed: yes is true or false, not a whole number"]),
        ("n_resamples: 10.5", ["n_resamples: 10.5 is a number, not a whole number"]),
        ("n_resamples: 0", ["n_resamples: 0 is less than 1"]),
        ("n_resamples: 100000000000000000000", ["n_resamples: 100000000000000000000 is greater than 1000000000"]),
        ("adjust: holms", ["adjust: 'holms' is not possible", "Did you mean holm?"]),
        ("report: {title: 5}", ["report.title: 5 is a number, not text", 'Put it in quotes: "5"']),
        ("report: {title: ''}", ["report.title: is empty"]),
        ("report: title", ["report: 'title' is text, not a mapping"]),
        ("suites: {all: {testsets: [demo, dmo]}}", ["suites.all.testsets: there is no test set 'dmo'", "demo"]),
        ("suites: {all: {testsets: [demo, demo]}}", ["suites.all.testsets: demo is listed twice"]),
        ("equivalence_margin: {chrf: 1}", ["equivalence_margin: there is no metric 'chrf'", "bleu"]),
        ("studies: {s: {kind: nothing}}", ["studies.s.kind: there is no study kind 'nothing'"]),
        ("studies: {s: {testset: demo}}", ["studies.s.kind: is missing"]),
    ],
)
def test_bad_top_level(refusal, text, parts):
    """The message names the key, the value and the way out."""
    message = refusal(MINIMAL + text)
    for part in parts:
        assert part in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("testset", "parts"),
    [
        ("langpair: en-de, systems: a, sytems: a", ["testsets.x.sytems: unknown key", "Did you mean systems?"]),
        ("systems: a", ["testsets.x.langpair: is missing"]),
        ("langpair: null, systems: a", ["testsets.x.langpair: is missing"]),
        ("langpair: no, systems: a", ["testsets.x.langpair: no is true or false, not text", '"no"']),
        ("langpair: en, systems: a", ["testsets.x.langpair: 'en' is not possible", "en-de"]),
        ("langpair: en-de, systems: []", ["testsets.x.systems: is empty"]),
        ("langpair: en-de, systems: {}", ["testsets.x.systems: is empty"]),
        ("langpair: en-de, systems: [1.10]", ["testsets.x.systems[0]: 1.10 is a number", '"1.10"']),
        ("langpair: en-de, systems: [a, 007]", ["testsets.x.systems[1]: 007 is a number", '"007"']),
        ("langpair: en-de, systems: [null]", ["testsets.x.systems[0]: is null, not text", '"null"']),
        ("langpair: en-de, systems: [on]", ["testsets.x.systems[0]: on is true or false", '"on"']),
        ("langpair: en-de, systems: [1.0e+3]", ["testsets.x.systems[0]: 1.0e+3 is a number", '"1.0e+3"']),
        ("langpair: en-de, systems: [2004-07-25]", ["testsets.x.systems[0]: 2004-07-25 is a date"]),
        ("langpair: en-de, systems: {no: a}", ["the key no is read as true or false", '"no"']),
        ("langpair: en-de, systems: {1.10: a}", ["the key 1.10 is read as a number", '"1.10"']),
        ("langpair: en-de, systems: a, format: txt", ["testsets.x.format: there is no test set format 'txt'", "text"]),
        ("langpair: en-de, systems: a, metrics: []", ["testsets.x.metrics: is empty"]),
        ("langpair: en-de, systems: a, metrics: [blue]", ["there is no metric 'blue'", "Did you mean bleu?"]),
        ("langpair: en-de, systems: a, metrics: [bleu, bleu]", ["testsets.x.metrics: bleu is listed twice"]),
    ],
)
def test_bad_testset(refusal, testset, parts):
    """B56 and others: what YAML made of a word is said with the word as it was written."""
    message = refusal(f"testsets:\n  x: {{{testset}}}\n{METRICS}")
    for part in parts:
        assert part in message
    assert "\n" not in message


def test_norwegian_stays_text(load):
    """B56: a quoted "no" and a pair that ends in it are text."""
    text = "testsets: {x: {langpair: en-no, references: r, systems: {'no': a, '1.10': b, '007': c, 'null': d}}}\n"
    settings = load(text + METRICS)["testsets"]["x"]
    assert settings["langpair"] == "en-no"
    assert list(settings["systems"]) == ["007", "1.10", "no", "null"]


def test_several_problems_are_told_at_once(refusal):
    """One line for each."""
    message = refusal("sed: 1\nalpha: 2\n" + MINIMAL)
    assert [line.partition(":")[0] for line in message.split("\n")] == ["sed", "alpha"]


@pytest.mark.parametrize("text", ["testsets: {}\n", "testsets:\n", "seed: 1\n", "testsets: [a]\n"])
def test_no_testset(refusal, text):
    """Without a test set there is nothing to do."""
    assert refusal(text + METRICS).startswith("testsets: ")


@pytest.mark.parametrize(
    ("kind", "option"),
    [
        ("calibration", "metric"), ("calibration", "testset"), ("calibration", "seed"), ("calibration", "subset_sizes"),
        ("calibration", "schemes"), ("null", "n_resamples"), ("null", "tests"), ("power", "sizes"), ("roc", "cutoffs"),
        ("roc", "qe"), ("meta", "metrics"),
    ],
)  # fmt: skip
def test_no_study_sweeps_over_nothing(refusal, kind, option):
    """B62: an empty list in a study is refused while the configuration is read, not done as nothing."""
    needed = {"testset": "demo", "metric": "bleu", "gold": "bleu", "qe": ["bleu"], "metrics": ["bleu"]}
    wanted = {"roc": ("testset", "gold", "qe"), "meta": ("testset", "gold", "metrics")}.get(kind, ("testset", "metric"))
    study = {"kind": kind, **{key: needed[key] for key in wanted}, option: []}
    message = refusal(MINIMAL + yaml.safe_dump({"studies": {"s": study}}))
    assert message.startswith(f"studies.s.{option}: is empty")


def test_no_metric_and_no_study(refusal):
    """B62: an empty sweep of metrics is refused unless a study needs none."""
    assert refusal(TESTSET + "metrics: {}").startswith("metrics: is empty")
    assert refusal(TESTSET).startswith("metrics: is empty")


@pytest.mark.parametrize("name", ["a.b", "comet.wmt22", "-rf", "a b", "a/b", "..", "_x", "ä", "", "a%", "[x]", "a|b"])
@pytest.mark.parametrize("section", ["testsets", "metrics"])
def test_names_that_cannot_be_in_paths(refusal, section, name):
    """B55, B60: names of test sets and metrics are plain, so that no path or pattern can be misread."""
    own = {"langpair": "en-de", "references": "r", "systems": "s"} if section == "testsets" else {"kind": "bleu"}
    content = yaml.safe_load(MINIMAL)
    content[section][name] = own
    message = refusal(yaml.safe_dump(content))
    assert f"{name!r} cannot be the name of a" in message
    assert "letters, digits" in message


@pytest.mark.parametrize("name", ["x" * 20, "a" + "wmt" * 20, "m" + "".join(map(str, range(100, 167)))])
def test_names_that_paths_cannot_bear(refusal, name):
    """B55: beyond what a file's name can hold, or what Snakemake takes for an endless repetition."""
    message = refusal(TESTSET + f"metrics: {{{name}: {{kind: bleu}}}}")
    assert f"metrics.{name}: the name is too long or too repetitive" in message


@pytest.mark.parametrize("name", ["bleu++", "9-2", "BLEU_2", "x" * 19, "m" + "".join(map(str, range(100, 166)))])
def test_names_that_can(load, name):
    """All that the pattern allows."""
    assert name in load(TESTSET + f"metrics: {{{name}: {{kind: bleu}}}}")["metrics"]


@pytest.mark.parametrize("name", ["studies", "suites", "paper", "Studies"])
def test_reserved_names(refusal, name):
    """Folders of other results cannot be test sets."""
    assert "choose another name" in refusal(MINIMAL.replace("demo", name))


def test_case_collision(refusal):
    """B57: two names that differ in case only would share files on some systems."""
    message = refusal(TESTSET + "metrics: {bleu: {}, BLEU: {kind: bleu}}")
    assert "metrics.BLEU: differs from bleu in upper and lower case only" in message


def test_duplicate_keys(refusal, repository, tmp_path):
    """YAML and JSON keep the last of two equal keys; both lines are named instead."""
    message = refusal(MINIMAL + "alpha: 0.1\nseed: 1\nalpha: 0.2\n")
    assert message.startswith("alpha: the key stands twice in ")
    assert "lines 3 and 5" in message
    path = tmp_path / "my.json"
    path.write_text('{\n\t"seed": 1,\n\t"seed": 2}', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"seed: the key stands twice in .*my\.json, lines 2 and 3"):
        config.load({}, repository / "workflow" / "schemas", files=[path])


def test_merge_keys_are_no_duplicates(load):
    """YAML's own merging overrides on purpose."""
    text = """\
    testsets:
      a: &a {langpair: en-de, references: r, systems: s}
      b: {<<: *a, systems: t}
    metrics: {bleu: {}}
    """
    assert load(text)["testsets"]["b"]["systems"] == "t"


def test_command_line_values_inside_mappings(load, refusal):
    """Snakemake leaves numbers inside ``--config 'metrics={...}'`` as text; they are read as wanted, and only there."""
    given = {"metrics": {"gtm": {"exponent": "1.5"}, "bleu": {"lowercase": "true"}}}
    text = TESTSET + "metrics: {gtm: {exponent: '1.5'}, bleu: {lowercase: 'true'}}"
    metrics = load(text, command_line=given)["metrics"]
    assert metrics["gtm"]["exponent"] == 1.5
    assert metrics["bleu"]["lowercase"] is True
    assert "metrics.gtm.exponent: '1.5' is text" in refusal(text)


def test_anchor(load, repository):
    """Relative paths are counted from the given folder; absolute ones, names and patterns stay."""
    text = """\
    testsets:
      a: {langpair: en-de, source: /s.txt, references: {r: r.txt}, systems: [a/*.txt, /b.txt], exclude: [c]}
    metrics: {bleu: {}}
    """
    settings = load(text)
    anchored = config.anchor(settings, repository / "workflow" / "schemas", Path("/home"))
    testset = anchored["testsets"]["a"]
    assert testset["source"] == "/s.txt"
    assert testset["references"] == {"r": "/home/r.txt"}
    assert testset["systems"] == ["/home/a/*.txt", "/b.txt"]
    assert testset["exclude"] == ["c"]
    assert testset["langpair"] == "en-de"
    assert settings["testsets"]["a"]["references"] == {"r": "r.txt"}


def test_schemas_are_closed_and_described(repository):
    """Every key has a description and a type; nothing is open."""

    def walk(schema: dict, where: str) -> None:
        assert schema.get("additionalProperties") is not True, where
        for name, below in schema.get("properties", {}).items():
            assert below.get("description"), f"{where}.{name}"
            assert {"type", "const", "enum"} & set(below), f"{where}.{name}"
            walk(below, f"{where}.{name}")
        for keyword in ("items", "additionalProperties"):
            if isinstance(schema.get(keyword), dict):
                walk(schema[keyword], f"{where}[]")

    for path in sorted((repository / "workflow" / "schemas").rglob("*.schema.yaml")):
        walk(yaml.safe_load(path.read_text(encoding="utf-8")), path.name)


def test_files_that_cannot_be_read_are_passed_over(repository):
    """Snakemake has said so before; a message without lines is better than none."""
    content = yaml.safe_load(MINIMAL + "alhpa: 1")
    with pytest.raises(ConfigError, match=r"alhpa: unknown key\. Did you mean alpha"):
        config.load(content, repository / "workflow" / "schemas", files=["/no/such/file"])
