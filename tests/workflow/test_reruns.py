"""What runs again, and what does not: contents decide, not clocks."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml
from mtsig import provenance
from workflow_project import Project, copy_of_workflow

ALL = {"ingest": 1, "score": 2, "resample": 2, "testset_tables": 1, "testset_figures": 2, "page_part": 1, "report": 1}
AFTER_SCORES = {rule: number for rule, number in ALL.items() if rule not in ("ingest", "score")}
#: What a change of one metric's scores reaches.
ONE_METRIC = {"score": 1, "resample": 1, "testset_tables": 1, "testset_figures": 1, "page_part": 1, "report": 1}


def change_with_old_time(path: Path, old: bytes, new: bytes) -> None:
    """Change a file without a change of its size or time of modification."""
    assert len(old) == len(new)
    status = path.stat()
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def test_second_run_has_nothing_to_do(finished):
    """B77: also under other hash seeds and numbers of cores."""
    for seed, cores in (("0", "1"), ("99", "8")):
        run = finished.run("--cores", cores, PYTHONHASHSEED=seed)
        assert "Nothing to be done" in run.output
        assert run.jobs == {}


def test_quiet_second_run_says_so_in_one_line(finished):
    """Nothing else is printed but Snakemake's line on the profile."""
    said = [line for line in finished.run("-q", "all").errors.splitlines() if "profile" not in line]
    assert said == ["Everything is up to date; no job had to run."]


def test_planning_writes_nothing(unstarted):
    """B77: reading the workflow makes no file outside Snakemake's own folder."""
    before = {path for path in unstarted.folder.rglob("*") if ".snakemake" not in path.parts}
    assert unstarted.planned() == ALL
    assert {path for path in unstarted.folder.rglob("*") if ".snakemake" not in path.parts} == before


def test_reformatted_configuration(finished):
    """B77: the same settings as JSON, in another order, with defaults written out, are the same settings."""
    config = finished.config
    config["testsets"]["demo"] = dict(reversed(config["testsets"]["demo"].items())) | {"format": "text"}
    reordered = {"alpha": 0.05, "seed": None, **dict(reversed(config.items()))}
    reordered["metrics"] = {"exact_match": {"kind": "exact_match"}, "bleu": None}
    (finished.folder / "study.yaml").write_text(json.dumps(reordered, indent=4), encoding="utf-8")
    assert finished.planned() == {}


def test_touched_inputs(finished):
    """B78: new times without new contents run nothing."""
    for path in (finished.folder / "in").rglob("*"):
        path.touch()
    assert finished.planned() == {}


def test_changed_word_in_an_old_file(finished):
    """B78: one word of the same length in a file that stays older than all results reaches all that depends on it."""
    before = pq.read_table(finished.folder / "results/demo/systems/exact_match.parquet").to_pylist()
    change_with_old_time(finished.folder / "in/out/good.txt", b"Nobody knew", b"Nobody lost")
    assert finished.planned() == ALL
    finished.run("results/demo/systems/exact_match.parquet")
    after = pq.read_table(finished.folder / "results/demo/systems/exact_match.parquet").to_pylist()
    scores = [{row["system"]: row["score"] for row in rows} for rows in (before, after)]
    assert {name for name in scores[0] if scores[0][name] != scores[1][name]} <= {"good"}
    assert finished.planned("results/demo/systems/exact_match.parquet") == {}


def test_changed_documents(finished):
    """Documents are an input like the texts."""
    change_with_old_time(finished.folder / "in/documents.tsv", b"doc3", b"doc9")
    assert finished.planned() == ALL


def test_file_names_with_braces(unstarted):
    """B55, B78: Snakemake takes braces for wildcards; such files are read, and watched, all the same."""
    odd = unstarted.folder / "in/out/it's {x} [1] 100% {demo.txt"
    (unstarted.folder / "in/out/good.txt").rename(odd)
    target = "results/demo/segments.parquet"
    unstarted.run(target)
    assert unstarted.planned(target) == {}
    change_with_old_time(odd, b"Nobody knew", b"Nobody lost")
    assert unstarted.planned(target) == {"ingest": 1}
    hypotheses = pq.read_table(unstarted.folder / "results/demo/hypotheses.parquet")
    assert "it's {x} [1] 100% {demo" in hypotheses["system"].to_pylist()


def test_added_and_removed_system(finished):
    """A new file under the pattern is a new system; a file less is one less."""
    shutil.copy2(finished.folder / "in/out/good.txt", finished.folder / "in/out/new.txt")
    assert finished.planned() == ALL
    (finished.folder / "in/out/new.txt").unlink()
    assert finished.planned() == {}
    (finished.folder / "in/out/poor.txt").unlink()
    assert finished.planned() == ALL


def test_excluded_system(finished):
    """Leaving out a system by name."""
    config = finished.config
    config["testsets"]["demo"]["exclude"] = ["poor"]
    finished.configure(config)
    assert finished.planned() == ALL


def test_settings_of_tests_do_not_score_again(finished):
    """B78: another alpha or seed, or two numbers that change places, leave the scores alone and reach the rest."""
    for change in (["alpha=0.01"], ["seed=0"], ["n_resamples=40", "n_trials=50"]):
        assert finished.planned("--config", *change) == AFTER_SCORES


def test_title_concerns_the_report_alone(finished):
    """So does all that only the report shows."""
    finished.configure(finished.config | {"report": {"title": "Another"}})
    assert finished.planned() == {"report": 1}


def test_option_of_a_metric(finished):
    """Another option concerns that metric, and what shows it."""
    finished.configure(finished.config | {"metrics": {"bleu": {"lowercase": True}, "exact_match": None}})
    assert finished.planned() == ONE_METRIC


def test_added_metric(finished):
    """Nothing of the other metrics runs again but what shows them together."""
    finished.configure(finished.config | {"metrics": {"bleu": None, "exact_match": None, "chrf": None}})
    assert finished.planned() == ONE_METRIC


def test_removed_metric_is_reported_and_kept(finished):
    """Results that the configuration no longer makes are named at the end of a run, and stay."""
    finished.configure(finished.config | {"metrics": {"bleu": None}})
    run = finished.run()
    assert run.jobs == {"testset_tables": 1, "page_part": 1, "report": 1}
    assert "Not part of this configuration, and kept: " in run.errors
    assert "results/demo/scores/exact_match.parquet" in run.errors
    assert (finished.folder / "results/demo/scores/exact_match.parquet").exists()


@pytest.mark.parametrize(
    ("file", "jobs"),
    [
        ("results/demo/scores/bleu.parquet", ONE_METRIC),
        ("results/demo/tables/matrix.tex", {"testset_tables": 1}),
        ("results/provenance.json", {"report": 1}),
    ],
)
def test_deleted_results_are_made_again(finished, file, jobs):
    """Whatever is missing is made, in the middle of the chain too."""
    (finished.folder / file).unlink()
    assert finished.planned() == jobs


class TestLibrary:
    """Edits of the library, in a copy of the repository."""

    @pytest.fixture
    def copied(self, finished, tmp_path):
        """The finished project with a workflow of its own."""
        return with_workflow_of_its_own(finished, tmp_path)

    def test_copy_and_touch_run_nothing(self, copied):
        """A fresh checkout elsewhere, with all times new, is the same code."""
        for path in copied.home.rglob("*"):
            path.touch()
        assert copied.planned() == {}

    @pytest.mark.parametrize(
        "module",
        [
            "corpus/readers/mtme.py",
            "metrics/simple.py",
            "resampling/ranks.py",
            "report/tables.py",
            pytest.param("io.py", marks=pytest.mark.slow),
            pytest.param("corpus/readers/text.py", marks=pytest.mark.slow),
            pytest.param("steps/score.py", marks=pytest.mark.slow),
            pytest.param("metrics/gtm.py", marks=pytest.mark.slow),
            pytest.param("steps/report.py", marks=pytest.mark.slow),
        ],
    )
    def test_edit_of_a_module(self, copied, module):
        """Exactly the rules run that reach the module by imports, and what depends on them."""
        path = copied.home / "scripts" / "mtsig" / module
        path.write_text(path.read_text(encoding="utf-8") + "\n# edited\n", encoding="utf-8")
        name = "mtsig." + module.removesuffix(".py").replace("/", ".")
        assert copied.planned() == expected_jobs(copied.home, name)

    def test_edit_of_an_entry(self, copied):
        """The entry script is code like the library."""
        path = copied.home / "scripts" / "tables.py"
        path.write_text(path.read_text(encoding="utf-8") + "\n# edited\n", encoding="utf-8")
        assert copied.planned() == {"testset_tables": 1, "report": 1}


def with_workflow_of_its_own(project: Project, folder: Path) -> Project:
    """Let the project run a copy of the workflow that can be edited."""
    project.home = copy_of_workflow(project.home, folder / "home")
    project.environment["PYTHONPATH"] = str(project.home / "scripts")
    return project


def expected_jobs(home: Path, module: str) -> dict[str, int]:
    """Jobs that a change of a module calls for, from the map of imports and the chain of rules."""
    readers = {"mtsig.corpus.reading": ["mtsig.corpus.readers.text"]}
    kinds = {"bleu": "mtsig.metrics.sacrebleu_family", "exact_match": "mtsig.metrics.simple"}

    def reached(step: str, *metrics: str) -> bool:
        chosen = {**readers, "mtsig.metrics.catalog": [kinds[metric] for metric in metrics or kinds]}
        return module in provenance.modules(home / "scripts" / f"{step}.py", chosen=chosen)

    jobs: dict[str, int] = {}
    ingest = reached("ingest")
    scored = [metric for metric in kinds if ingest or reached("score", metric)]
    resampled = [metric for metric in kinds if metric in scored or reached("resample", metric)]
    jobs["ingest"] = int(ingest)
    jobs["score"] = len(scored)
    jobs["resample"] = len(resampled)
    jobs["testset_tables"] = int(bool(resampled) or reached("tables"))
    jobs["testset_figures"] = 2 if reached("figures") else len(resampled)
    jobs["page_part"] = int(bool(resampled) or reached("page_part"))
    # The report records the digests of all steps.
    steps = ("ingest", "score", "resample", "tables", "figures", "page_part", "report")
    jobs["report"] = int(any(jobs.values()) or any(reached(step) for step in steps))
    return {rule: number for rule, number in jobs.items() if number}


class TestCacheBetweenWorkflows:
    """``--cache``: what is taken over, and that nothing stale ever is."""

    SCORES = ("results/demo/scores/bleu.parquet", "results/demo/scores/exact_match.parquet")

    @pytest.fixture
    def cache(self, tmp_path):
        folder = tmp_path / "shared cache"
        folder.mkdir()
        return folder

    def scores(self, project, cache, *targets: str) -> list[Path]:
        """Run the scoring with the cache; the cached files behind the results."""
        targets = targets or self.SCORES
        project.run(*targets, "--cache", "score", SNAKEMAKE_OUTPUT_CACHE=str(cache))
        return [(project.folder / target).resolve() for target in targets]

    def other(self, project, tmp_path, name: str):
        """The same project elsewhere, without results."""
        other = project.copy(tmp_path / name)
        for leftover in ("results", "logs", ".snakemake"):
            shutil.rmtree(other.folder / leftover, ignore_errors=True)
        return other

    def test_taken_over_and_never_stale(self, unstarted, cache, tmp_path):
        """The same work is taken over; other code, versions, options, names or texts are not."""
        first = self.scores(unstarted, cache)
        assert all(cache in path.parents for path in first)

        same = self.other(unstarted, tmp_path, "same")
        times = [path.stat().st_mtime_ns for path in first]
        assert self.scores(same, cache) == first
        assert [path.stat().st_mtime_ns for path in first] == times

        options = self.other(unstarted, tmp_path, "options")
        options.configure(options.config | {"metrics": {"bleu": {"lowercase": True}, "exact_match": None}})
        bleu, exact_match = self.scores(options, cache)
        assert bleu != first[0]
        assert exact_match == first[1]

        names = self.other(unstarted, tmp_path, "names")
        config = names.config
        names.configure(
            config
            | {
                "testsets": {"other": config["testsets"]["demo"]},
                "metrics": {"b": {"kind": "bleu"}, "e": {"kind": "exact_match"}},
            }
        )
        renamed = self.scores(names, cache, "results/other/scores/b.parquet")
        assert renamed[0] not in first
        assert set(pq.read_table(renamed[0])["testset"].to_pylist()) == {"other"}
        assert set(pq.read_table(renamed[0])["metric"].to_pylist()) == {"b"}

        texts = self.other(unstarted, tmp_path, "texts")
        change_with_old_time(texts.folder / "in/out/good.txt", b"Nobody knew", b"Nobody lost")
        assert not set(self.scores(texts, cache)) & set(first)

        code = self.other(unstarted, tmp_path, "code")
        with_workflow_of_its_own(code, tmp_path)
        path = code.home / "scripts/mtsig/metrics/simple.py"
        path.write_text(path.read_text(encoding="utf-8") + "\n# edited\n", encoding="utf-8")
        bleu, exact_match = self.scores(code, cache)
        assert bleu == first[0]
        assert exact_match != first[1]

        versions = self.other(unstarted, tmp_path, "versions")
        (tmp_path / "patched").mkdir()
        (tmp_path / "patched" / "sitecustomize.py").write_text(
            "import importlib.metadata as m\n"
            "real = m.version\n"
            "m.version = lambda name: '99' if name == 'sacrebleu' else real(name)\n",
            encoding="utf-8",
        )
        versions.environment["PYTHONPATH"] += os.pathsep + str(tmp_path / "patched")
        assert not set(self.scores(versions, cache)) & set(first)


def test_merged_configurations(unstarted):
    """B61: one's own file takes nothing from the default study; a second one is merged over it; options win."""
    (unstarted.folder / "more.yaml").write_text(yaml.safe_dump({"seed": 7, "n_resamples": 9}), encoding="utf-8")
    run = unstarted.run(
        "results/demo/systems/bleu.parquet",
        "--configfile",
        "study.yaml",
        "more.yaml",
        "--config",
        "n_resamples=5",
        config=False,
    )
    assert "example" not in run.output
    rows = pq.read_table(unstarted.folder / "results/demo/systems/bleu.parquet").to_pylist()
    assert len(rows) == 3
    assert {(row["seed"], row["n_resamples"]) for row in rows} == {(7, 5)}
