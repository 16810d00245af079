"""What is wrong is said in one message, the last thing seen, before any job where that can be."""

from __future__ import annotations

import os

import pytest


def refused(project, *arguments: str) -> str:
    """The last line of a run that fails before any job; nothing is left behind."""
    run = project.run(*arguments, check=False)
    assert run.status != 0
    assert run.last_line.startswith("error: ")
    assert "Traceback" not in run.output
    assert "rule ingest" not in run.output
    assert not (project.folder / "results").exists()
    assert not list((project.folder / ".snakemake").glob("locks/*"))
    return run.last_line


def test_unknown_key(unstarted):
    """B61: a misspelt key is refused, with the file, the line and the right word."""
    unstarted.configure({**unstarted.config, "alhpa": 0.01})
    assert refused(unstarted).startswith("error: alhpa: unknown key (study.yaml, line 1). Did you mean alpha?")


def test_aliases_that_multiply(unstarted):
    """A few lines of YAML can stand for any number of entries: they are refused before they are followed."""
    unstarted.configure(unstarted.config)
    lines = ["a0: &a0 [x, x]", *(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 20))]
    with (unstarted.folder / "study.yaml").open("a", encoding="utf-8") as file:
        file.write("\n" + "\n".join(lines) + "\n")
    assert "study.yaml: has more than 100,000 entries" in refused(unstarted)


def test_pattern_without_files(unstarted):
    """B62: a pattern that matches nothing is shown with its key, also in a dry run."""
    config = unstarted.config
    config["testsets"]["demo"]["systems"] = "in/outputs/*.txt"
    unstarted.configure(config)
    for arguments in [(), ("-n",)]:
        message = refused(unstarted, *arguments)
        assert "testsets.demo.systems: no file matches 'in/outputs/*.txt'" in message


def test_missing_file(unstarted):
    """A file that is not there is named with its key."""
    (unstarted.folder / "in" / "reference.txt").unlink()
    message = refused(unstarted)
    assert "testsets.demo.references: there is no file 'in/reference.txt'" in message


def test_documents_that_nobody_named(unstarted):
    """B29: whole documents cannot be drawn where the test set has none; said before anything is scored."""
    config = unstarted.config
    del config["testsets"]["demo"]["documents"]
    unstarted.configure(config | {"resample_unit": "document"})
    message = refused(unstarted)
    assert "testsets.demo.documents: is missing, and resample_unit is document" in message


def test_adjustments_that_too_few_resamples_allow(unstarted):
    """Three systems are three pairs, whose smallest adjusted p-value in 50 resamples is 6/51."""
    unstarted.configure({**unstarted.config, "adjust": "holm"})
    assert "adjust: with holm, 3 pairs and alpha 0.05 no pair can be significant in 50" in refused(unstarted)


def test_system_to_exclude_that_is_not_there(unstarted):
    """The system that may be meant is named, and all others."""
    config = unstarted.config
    config["testsets"]["demo"]["exclude"] = ["por"]
    unstarted.configure(config)
    message = refused(unstarted)
    assert "testsets.demo.exclude: there is no system 'por'. Did you mean poor? There are: fair, good, poor." in message


def test_equal_base_names(unstarted):
    """B59: two files that would give the same system name."""
    config = unstarted.config
    config["testsets"]["demo"]["systems"] = ["in/out/good.txt", "in/more/good.txt"]
    unstarted.configure(config)
    unstarted.write("in/more/good.txt", ["x"] * 12)
    message = refused(unstarted)
    assert "'in/out/good.txt' and 'in/more/good.txt' would both be called 'good'" in message


def test_missing_tokenizer_package(unstarted, tmp_path):
    """B52: a tokenizer whose package is not installed is refused before any job, with the way to install it."""
    config = unstarted.config
    config["testsets"]["demo"]["langpair"] = "en-ja"
    unstarted.configure(config)
    # Finders are asked in order: this one says of the package that it is not there.
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "sitecustomize.py").write_text(
        "import importlib.util\n"
        "find = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *rest: None if name == 'ipadic' else find(name, *rest)\n",
        encoding="utf-8",
    )
    unstarted.environment["PYTHONPATH"] += os.pathsep + str(tmp_path / "hidden")
    message = refused(unstarted)
    assert "metrics.bleu" in message
    assert "pip install 'sacrebleu[ja]'" in message


def failed(project, *arguments: str, log: str) -> str:
    """The last line of a run in which a job fails; the log has it too, and no output is there."""
    run = project.run(*arguments, check=False)
    assert run.status != 0
    assert run.last_line.startswith("error: ")
    assert "Traceback" not in run.output
    written = (project.folder / log).read_text(encoding="utf-8")
    assert written.splitlines()[0] == run.last_line
    return run.last_line


@pytest.mark.parametrize("n_lines", [11, 13])
def test_wrong_number_of_lines(unstarted, n_lines):
    """B34: a line too many or too few is refused by both counts, and nothing is cut."""
    lines = (unstarted.folder / "in/out/fair.txt").read_text(encoding="utf-8").splitlines()
    unstarted.write("in/out/fair.txt", [*lines, "One more."][:n_lines])
    message = failed(unstarted, "results/demo/segments.parquet", log="logs/demo/ingest.log")
    for part in ("in/out/fair.txt", "12", str(n_lines)):
        assert part in message
    assert not list((unstarted.folder / "results").rglob("*.parquet"))


def test_what_a_failed_part_leaves(unstarted):
    """Everything else is made, with a page of it among the logs until all is well; the console says what is missing."""
    config = unstarted.config
    config["testsets"]["other"] = {
        "format": "simulated",
        "langpair": "de-en",
        "segments": 12,
        "systems": {"good": 0.6, "fair": 0.5},
    }
    unstarted.configure({**config, "missing": "intersect", "suites": {"all": {"testsets": ["demo", "other"]}}})
    lines = (unstarted.folder / "in/out/fair.txt").read_text(encoding="utf-8").splitlines()
    unstarted.write("in/out/fair.txt", lines[:-1])
    run = unstarted.run("-q", "all", check=False)
    assert run.status != 0
    assert "Not made, because of the errors below: demo, provenance.json, report.html, suites/all." in run.output
    assert run.last_line.startswith("error: in/out/fair.txt has 11 lines")
    assert "A page of what there is, until they are mended: logs/report.html" in run.output
    page = (unstarted.folder / "logs/report.html").read_text(encoding="utf-8")
    assert "other" in page
    assert (unstarted.folder / "results/other/tables/pairs.csv").exists()
    assert not (unstarted.folder / "results/report.html").exists()
    unstarted.write("in/out/fair.txt", lines)
    unstarted.run("-q", "all")
    assert (unstarted.folder / "results/report.html").exists()
    assert not (unstarted.folder / "logs/report.html").exists()


def test_quiet_hides_no_error_of_snakemakes_own(unstarted):
    """A target that no rule makes is named in the last line."""
    run = unstarted.run("results/demo/nothing", "-q", "all", check=False)
    assert run.status != 0
    assert run.last_line.startswith("No rule to produce results/demo/nothing")


def test_latin_1(unstarted):
    """B50: a byte that is no UTF-8 is named by file and line; the run without Snakemake's lines is just that."""
    text = (unstarted.folder / "in/out/fair.txt").read_bytes().replace(b"raining", "r\xe4ining".encode("latin-1"))
    unstarted.write("in/out/fair.txt", text)
    message = failed(unstarted, "results/demo/segments.parquet", "-q", "all", log="logs/demo/ingest.log")
    for part in ("in/out/fair.txt", "line 3", "0xE4"):
        assert part in message


def test_names_that_look_the_same(unstarted):
    """B57: two names that differ only in how an accent is encoded are refused."""
    config = unstarted.config
    config["testsets"]["demo"]["systems"] = {"caf\u00e9": "in/out/good.txt", "cafe\u0301": "in/out/fair.txt"}
    unstarted.configure(config)
    message = failed(unstarted, "results/demo/segments.parquet", log="logs/demo/ingest.log")
    assert "caf\u00e9" in message
