"""From a folder of outputs to a report without a word about Snakemake: init, run, show; and the store of scores."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from mtsig import read
from mtsig.config import load
from mtsig.corpus import rawfiles
from mtsig.metrics.neural.store import Entry, ScoreStore, context_digest, triple_key

LINES = [f"Line {number} of the text is here." for number in range(10)]


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """Work in the test's own folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(repository, path: str | Path = "mtsig.yaml") -> dict:
    """What a configuration says, once it has passed the schemas."""
    text = Path(path).read_text(encoding="utf-8")
    config = yaml.safe_load(text)
    load(config, repository / "workflow" / "schemas")
    return config


class TestInit:
    """What is recognised, what is said, and what is refused."""

    def test_the_example(self, here, repository, mtsig_command):
        """Source, reference, documents, systems and languages by their names."""
        shutil.copytree(repository / "config" / "example", here / "demo")
        outcome = mtsig_command("init", "demo")
        assert "langpair: de-en  (assumed from names)" in outcome.out
        assert "then: mtsig run mtsig.yaml" in outcome.out
        assert written(repository)["testsets"] == {
            "demo": {
                "langpair": "de-en",
                "source": "demo/source.de.txt",
                "references": {"reference.en": "demo/reference.en.txt"},
                "documents": "demo/documents.tsv",
                "systems": "demo/systems/*.txt",
            }
        }
        assert "# assumed from names" in Path("mtsig.yaml").read_text(encoding="utf-8")

    def test_nothing_is_overwritten(self, here, write, mtsig_command):
        write("out/ref.txt", LINES)
        write("out/A.txt", LINES)
        write("mtsig.yaml", ["precious: true"])
        error = mtsig_command("init", "out", status=1).last_error
        assert error.startswith("error: mtsig.yaml: is there already and is not overwritten.")
        assert Path("mtsig.yaml").read_text(encoding="utf-8") == "precious: true\n"
        assert mtsig_command("init", "out", "-o", "other.yaml").status == 0

    def test_a_flat_folder(self, here, repository, write, mtsig_command):
        """Files beside each other; those with other numbers of lines are left out, and said to be."""
        for name in ("newstest.en-cs.src", "newstest.en-cs.ref", "GPT4-5shot", "b.out"):
            write(f"out/{name}", LINES)
        write("out/notes.md", ["# notes"])
        write("out/short.txt", LINES[:-1])
        document = mtsig_command.json("init", "out")
        (its,) = document["testsets"].values()
        assert its["langpair"] == "en-cs"
        assert its["source"] == "out/newstest.en-cs.src"
        assert its["systems"] == {"GPT4-5shot": "out/GPT4-5shot", "b": "out/b.out"}
        assert document["messages"] == ["Left out: out/short.txt has 9 lines, out/newstest.en-cs.ref has 10."]
        assert written(repository)["testsets"]["out"] == its

    def test_several_references_and_equal_base_names(self, here, repository, write, mtsig_command):
        """B59: the folder tells apart what the file's name does not."""
        for name in ("references/refA.txt", "references/refB.txt", "runA/out.txt", "runB/out.txt"):
            write(f"data/{name}", LINES)
        its = mtsig_command.json("init", "data", "--langpair", "de-en")["testsets"]["data"]
        assert its["references"] == {"refA": "data/references/refA.txt", "refB": "data/references/refB.txt"}
        assert its["systems"] == {"runA/out": "data/runA/out.txt", "runB/out": "data/runB/out.txt"}
        written(repository)

    def test_files_can_be_named(self, here, repository, write, mtsig_command):
        for name in ("input.de", "human.txt", "A.txt"):
            write(f"data/{name}", LINES)
        assert "--reference" in mtsig_command("init", "data", status=1).last_error
        its = mtsig_command.json("init", "data", "--reference", "data/human.txt")["testsets"]["data"]
        assert its["references"] == {"human": "data/human.txt"}
        assert its["source"] == "data/input.de"
        assert its["langpair"] == "und-und"
        assert "unknown: write the languages" in Path("mtsig.yaml").read_text(encoding="utf-8")

    def test_languages_with_three_letters(self, here, write, mtsig_command):
        """Livonian is not taken for English, nor a file's kind for a language."""
        for name in ("liv-en.src.txt", "liv-en.refA.txt", "A.txt"):
            write(f"data/{name}", LINES)
        assert mtsig_command.json("init", "data")["testsets"]["data"]["langpair"] == "liv-en"
        for name in ("src-en.txt", "ref-en.txt", "A.txt"):
            write(f"other/{name}", LINES)
        found = mtsig_command.json("init", "other", "-o", "other.yaml")["testsets"]["other"]
        assert found["langpair"] == "und-und"

    def test_names_that_yaml_would_misread(self, here, repository, write, mtsig_command):
        """B56: names and languages stay text."""
        for name in ("no", "1.10", "007", "null", "1e3", "on", "a: b", "#x", "'q'"):
            write(f"data/mixed/{name}", LINES)
        write("data/ref.no.txt", LINES)
        write("data/src.en.txt", LINES)
        mtsig_command("init", "data")
        its = written(repository)["testsets"]["data"]
        assert its["langpair"] == "en-no"
        assert {*its["systems"]} == {"no", "1.10", "007", "null", "1e3", "on", "a: b", "#x", "'q'"}

    def test_reports(self, here, repository, write, mtsig_command):
        entries = [{"id": 1, "expected": "a", "predicted": "a"}]
        for name in ("one", "two"):
            write(f"runs/{name}.json", json.dumps({"entries": entries}).encode())
        write("runs/settings.json", b"{}")
        its = mtsig_command.json("init", "runs", "--langpair", "en-sn")["testsets"]["runs"]
        assert its == {"format": "arena", "langpair": "en-sn", "reports": ["runs/one.json", "runs/two.json"]}
        written(repository)

    def test_a_folder_of_mt_metrics_eval(self, here, repository, write, mtsig_command):
        for pair in ("en-de", "zh-en"):
            for name in (f"sources/{pair}.txt", f"references/{pair}.refA.txt", f"system-outputs/{pair}/A.txt"):
                write(f"wmt/{name}", LINES)
        found = mtsig_command.json("init", "wmt")["testsets"]
        assert found["wmt-en-de"] == {"format": "mtme", "root": "wmt", "langpair": "en-de"}
        assert {*found} == {"wmt-en-de", "wmt-zh-en"}
        written(repository)

    def test_folders_of_wmt(self, here, repository, write, mtsig_command):
        """WMT21 to WMT23: all language pairs in one folder, told apart by names; one system alone keeps its name."""
        for pair, target, systems in (("en-de", "de", ("Facebook-AI", "Online-A")), ("en-ha", "ha", ("AMU",))):
            write(f"wmt21/txt/sources/newstest2021.{pair}.src.en", LINES)
            write(f"wmt21/txt/references/newstest2021.{pair}.ref.A.{target}", LINES)
            for system in systems:
                write(f"wmt21/txt/system-outputs/newstest2021.{pair}.hyp.{system}.{target}", LINES)
        found = mtsig_command.json("init", "wmt21")["testsets"]
        assert {*found} == {"newstest2021-en-de", "newstest2021-en-ha"}
        folder = "wmt21/txt/system-outputs/newstest2021"
        assert found["newstest2021-en-de"] == {
            "langpair": "en-de",
            "source": "wmt21/txt/sources/newstest2021.en-de.src.en",
            "references": {"refA": "wmt21/txt/references/newstest2021.en-de.ref.A.de"},
            "systems": f"{folder}.en-de.hyp.*",
            "short_names": True,
        }
        assert found["newstest2021-en-ha"]["systems"] == {"AMU": f"{folder}.en-ha.hyp.AMU.ha"}
        settings = written(repository)["testsets"]
        assert [list(read("t", its).systems) for its in settings.values()] == [["Facebook-AI", "Online-A"], ["AMU"]]

    def test_the_parent_of_folders_of_mt_metrics_eval(self, here, repository, write, mtsig_command):
        for year in ("wmt22", "wmt23"):
            for name in ("sources/en-de.txt", "references/en-de.refA.txt", "system-outputs/en-de/A.txt"):
                write(f"v2/{year}/{name}", LINES)
        found = mtsig_command.json("init", "v2")["testsets"]
        assert {name: its["root"] for name, its in found.items()} == {
            "wmt22-en-de": "v2/wmt22",
            "wmt23-en-de": "v2/wmt23",
        }
        written(repository)

    def test_fields_that_all_names_share(self, here, repository, write, mtsig_command):
        """WMT's names of files say test set and languages; systems need not."""
        for name in ("A.1", "Online-B"):
            write(f"wmt/hyp/newstest2021.en-de.hyp.{name}.de", LINES)
        write("wmt/ref.de", LINES)
        its = mtsig_command.json("init", "wmt")["testsets"]["wmt"]
        assert (its["systems"], its["short_names"]) == ("wmt/hyp/*.de", True)
        settings = written(repository)["testsets"]["wmt"]
        assert list(read("wmt", settings).systems) == ["A.1", "Online-B"]
        assert rawfiles.known_systems(settings) == ["A.1", "Online-B"]
        assert next(iter(read("wmt", {**settings, "short_names": False}).systems)) == "newstest2021.en-de.hyp.A.1"
        assert list(read("wmt", {**settings, "exclude": ["A.1"]}).systems) == ["Online-B"]

    def test_a_folder_of_sgml(self, here, repository, write, mtsig_command):
        """Kinds of texts, names and languages stand in the files, whatever these are called."""

        def sgml(kind: str, owner: str) -> bytes:
            segments = f'<doc docid="d" sysid="{owner}"><seg id="1">a b</seg><seg id="2">c</seg></doc>'
            return f'<{kind} srclang="de" trglang="en">{segments}</{kind}>'.encode()

        write("news/newstest2019-deen-src.de.sgm", sgml("srcset", "ref"))
        write("news/newstest2019-deen-ref.en.sgm", sgml("refset", "ref"))
        for system in ("A.1", "B.2"):
            write(f"news/newstest2019.{system}.de-en.sgm", sgml("tstset", system))
        its = mtsig_command.json("init", "news")["testsets"]["news"]
        assert its == {
            "format": "wmt-sgm",
            "langpair": "de-en",
            "source": "news/newstest2019-deen-src.de.sgm",
            "references": ["news/newstest2019-deen-ref.en.sgm"],
            "systems": ["news/newstest2019.A.1.de-en.sgm", "news/newstest2019.B.2.de-en.sgm"],
        }
        written(repository)
        assert "1 reference in <refset>" in mtsig_command("init", "news", "-o", "again.yaml").out
        # The commands on texts take such files, too.
        scores = mtsig_command.json("score", its["references"][0], *its["systems"], "-m", "exact_match")["scores"]
        assert [(row["system"], row["score"]) for row in scores] == [("A.1", 1.0), ("B.2", 1.0)]
        write("A.txt", LINES)
        mixed = mtsig_command("score", its["references"][0], "A.txt", status=1).last_error
        assert "A.txt: is not called .sgm" in mixed

    @pytest.mark.parametrize(
        ("names", "words"),
        [
            ([], "no file is called like a reference"),
            (["ref.txt"], "no file with 10 lines is left"),
            (["ref.txt", "A.txt", "src.txt", "source.txt"], "could both be the source. Name it with --source."),
        ],
    )
    def test_folders_that_tell_nothing(self, here, write, mtsig_command, names, words):
        (here / "data").mkdir()
        for name in names:
            write(f"data/{name}", LINES)
        assert words in mtsig_command("init", "data", status=1).last_error
        assert not (here / "mtsig.yaml").exists()

    def test_impossible_places(self, here, write, mtsig_command):
        assert "no such folder" in mtsig_command("init", "absent", status=1).last_error
        write("data/ref.txt", LINES)
        write("data/A.txt", LINES)
        assert "cannot be written" in mtsig_command("init", "data", "-o", "absent/x.yaml", status=1).last_error
        write("data/B.txt", b"caf\xe9\n")
        assert "not UTF-8" in mtsig_command("init", "data").warnings[0]


def test_run_says_where_a_configuration_is_no_yaml(here, write, mtsig_command):
    write("my.yaml", ["testsets:", "  t:", "   langpair: de-en", "    source: x"])
    error = mtsig_command("run", "my.yaml", status=1).last_error
    assert error.startswith("error: my.yaml, line 4: not valid YAML: ")
    write("my.yaml", b"report: {title: caf\xe9}\n")
    error = mtsig_command("run", "my.yaml", status=1).last_error
    assert error == "error: my.yaml: is no text in UTF-8. Save it as UTF-8."


@pytest.fixture
def project(here, write, repository) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run commands in a folder with texts, with a workflow that other edits do not reach."""
    home = here / "mtsig's home"
    for part in ("Snakefile", "workflow", "profiles", "scripts", "config"):
        source = repository / part
        copy = shutil.copytree if source.is_dir() else shutil.copy
        (home / part).parent.mkdir(exist_ok=True)
        copy(source, home / part)
    write("texts/reference.en.txt", LINES)
    write("texts/source.de.txt", LINES)
    write("texts/systems/same.txt", LINES)
    write("texts/systems/other.txt", [line.replace("is", "was") for line in LINES])
    environment = {**os.environ, "PYTHONPATH": str(home / "scripts"), "XDG_CACHE_HOME": str(here / "cache")}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", "from mtsig.cli import main; main()", *arguments],
            cwd=here,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    return run


def test_init_and_run(here, project):
    """What init writes, run takes; a misspelt key is one line with the right word, and Snakemake's status is ours."""
    assert project("init", "texts").returncode == 0
    ran = project("run", "mtsig.yaml", "results/texts/segments.parquet", "--cores", "1")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert (here / "results" / "texts" / "hypotheses.parquet").exists()
    assert "rule ingest" not in ran.stdout + ran.stderr
    ran = project("run", "mtsig.yaml", "absent.file", "--cores", "1")
    assert "No rule to produce absent.file" in ran.stderr
    config = here / "mtsig.yaml"
    config.write_text(config.read_text(encoding="utf-8").replace("seed:", "sede:"), encoding="utf-8")
    bad = project("run", "mtsig.yaml")
    assert bad.returncode == 1
    assert "sede: unknown key" in bad.stderr.rstrip().splitlines()[-1]


@pytest.mark.slow
def test_init_run_show(project):
    """A user who never saw Snakemake: three commands from a folder of outputs to scores in words."""
    assert project("init", "texts").returncode == 0
    ran = project("run", "mtsig.yaml", "tables", "--cores", "2")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    shown = project("show").stdout
    assert "texts (de-en)" in shown
    assert "same is significantly better than the other system" in shown or "same scores best" in shown
    document = json.loads(project("show", "--json", "--metric", "bleu").stdout)
    assert [row["system"] for row in document["systems"]] == ["same", "other"]


def test_run_needs_a_configuration(here, mtsig_command):
    error = mtsig_command("run", "absent.yaml", status=1).last_error
    assert "absent.yaml: there is no such configuration file. `mtsig init` writes one" in error


@pytest.fixture(scope="module")
def results(tmp_path_factory, repository) -> Path:
    """Tables of two test sets and two metrics, by the steps alone."""
    from mtsig.steps.ingest import ingest
    from mtsig.steps.resample import resample
    from mtsig.steps.score import score

    folder = tmp_path_factory.mktemp("project") / "results"
    texts = repository / "tests" / "reference" / "t10"
    for testset in ("t10", "again"):
        home = folder / testset
        common = {"segments": home / "segments.parquet", "testset": testset, "langpair": "de-en"}
        settings = {
            "langpair": "de-en",
            "references": str(texts / "reference.txt"),
            "systems": [str(texts / "A.txt"), str(texts / "B.txt")],
        }
        ingest(
            testset=testset,
            settings=settings,
            segments=common["segments"],
            hypotheses=home / "hypotheses.parquet",
            lint=home / "lint.json",
        )
        for metric in ("chrf", "bleu"):
            this = {**common, "metric": metric, "settings": {"kind": metric}, "missing": "error"}
            scores = home / "scores" / f"{metric}.parquet"
            score(hypotheses=home / "hypotheses.parquet", scores=scores, **this)
            resample(
                scores=scores,
                options={"seed": 12345, "n_resamples": 100, "n_trials": 100},
                **{table: home / table / f"{metric}.parquet" for table in ("systems", "pairs", "groups")},
                **this,
            )
    return folder


class TestShow:
    """Results that were not made by this command."""

    def test_everything_or_a_part(self, results, mtsig_command, monkeypatch):
        monkeypatch.chdir(results.parent)
        out = mtsig_command("show").out
        assert "t10 (de-en)" in out
        assert "again (de-en)" in out
        document = mtsig_command.json("show", "--testset", "t10", "--metric", "bleu")
        assert {row["testset"] for row in document["systems"]} == {"t10"}
        assert {row["metric"] for row in document["pairs"]} == {"bleu"}

    def test_what_is_not_there(self, results, mtsig_command, tmp_path):
        assert "no testset 'wmt'" in mtsig_command("show", results, "-t", "wmt", status=1).last_error
        assert "It has bleu, chrf" in mtsig_command("show", results, "-m", "ter", status=1).last_error
        assert "holds no results" in mtsig_command("show", tmp_path, status=1).last_error
        assert "no such folder" in mtsig_command("show", tmp_path / "absent", status=1).last_error

    def test_a_damaged_table(self, results, mtsig_command, tmp_path):
        shutil.copytree(results, tmp_path / "results")
        (tmp_path / "results" / "t10" / "systems" / "bleu.parquet").write_bytes(b"PAR1")
        error = mtsig_command("show", tmp_path / "results", status=1).last_error
        assert "bleu.parquet: cannot be read as Parquet" in error


class TestStore:
    """``mtsig store``."""

    @pytest.fixture
    def store(self, tmp_path) -> Path:
        path = tmp_path / "scores.sqlite"
        with ScoreStore(path) as scores:
            for model, texts in (("one", "abc"), ("two", "de")):
                context = {"checkpoint": model}
                keys = [triple_key(context_digest(context), None, text, None) for text in texts]
                scores.add({key: Entry(0.5) for key in keys}, context, model=model)
        return path

    def test_size_and_clearing(self, store, mtsig_command):
        document = mtsig_command.json("store", "--path", store)
        assert (document["n_scores"], document["removed"]) == (5, None)
        assert [(each["model"], each["n_scores"]) for each in document["contexts"]] == [("one", 3), ("two", 2)]
        assert "5 scores" in mtsig_command("store", "--path", store).out
        assert mtsig_command.json("store", "--path", store, "--clear", "--model", "one")["removed"] == 3
        assert "Removed 2 scores." in mtsig_command("store", "--path", store, "--clear").out

    def test_no_store_yet(self, tmp_path, mtsig_command, monkeypatch):
        """Looking at the store does not make one; the default is the user's cache."""
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        assert "there is no store yet" in mtsig_command("store").out
        assert mtsig_command.json("store", "--clear")["removed"] == 0
        assert list(tmp_path.iterdir()) == []

    def test_what_is_no_store(self, tmp_path, mtsig_command, write, store):
        assert "--model: goes with --clear" in mtsig_command("store", "--model", "one", status=1).last_error
        other = write("other.sqlite", b"not a database")
        error = mtsig_command("store", "--path", other, "--clear", status=1).last_error
        assert error == f"error: {other}: is no store of scores. If it once was one, remove it by hand."
        assert other.read_bytes() == b"not a database"
