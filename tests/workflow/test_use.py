"""How the workflow is called: targets, the default study, with many systems; and its form."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time

import pyarrow.parquet as pq
import pytest


def test_lint(fresh):
    """Snakemake's own linter finds nothing."""
    run = fresh.run("--lint", "--cores", "1")
    assert "Congratulations" in run.output


def test_format(repository):
    """The rule files are formatted by snakefmt."""
    files = [repository / "Snakefile", *sorted((repository / "workflow" / "rules").glob("*.smk"))]
    run = subprocess.run(
        [sys.executable, "-m", "snakefmt", "--check", *map(str, files)],
        cwd=repository,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr


def test_rules_have_a_docstring_and_a_log(repository):
    """Every job says what it does and where it writes what it has to say; every file says what it needs and makes."""
    for path in sorted((repository / "workflow" / "rules").glob("*.smk")):
        text = path.read_text(encoding="utf-8")
        assert text.startswith('"""'), path.name
        # Rules of kinds of studies are made in a loop.
        for indent, name, body in re.findall(r"^( *)rule ?(\w*):\n((?:\1    .*\n|\n)+)", text, re.MULTILINE):
            place = f"{path.name}, rule {name or 'in a loop'}"
            assert body.lstrip().startswith('"""'), place
            if re.search(rf"^{indent}    (script|shell):", body, re.MULTILINE):
                assert f"{indent}    log:\n" in body, place
                assert re.search(rf"^{indent}        code=", body, re.MULTILINE), place
    assert len((repository / "Snakefile").read_text(encoding="utf-8").splitlines()) < 60


@pytest.mark.parametrize(
    ("target", "rules"),
    [
        ("tables", {"ingest", "score", "resample", "testset_tables"}),
        ("figures", {"ingest", "score", "resample", "testset_figures"}),
        ("report", {"ingest", "score", "resample", "page_part", "report"}),
        ("results/demo/scores/bleu.parquet", {"ingest", "score"}),
    ],
)
def test_targets(unstarted, target, rules):
    """Names of targets, and any file by its name."""
    assert set(unstarted.planned(target)) == rules


def test_unknown_file(unstarted):
    """A file that no configured name leads to is told as such."""
    run = unstarted.run("results/demo/scores/bleuu.parquet", "-n", check=False)
    assert run.status != 0
    assert "MissingRuleException" in run.output
    assert "results/demo/scores/bleuu.parquet" in run.output


class TestDefaultStudy:
    """The study that comes with the repository."""

    @pytest.fixture
    def elsewhere(self, fresh, tmp_path):
        """An empty folder to run in."""
        return type(fresh)(tmp_path, fresh.home, dict(fresh.environment))

    def test_runs_from_anywhere(self, elsewhere):
        """Without a configuration of one's own, its texts are found where the repository lies."""
        elsewhere.run("results/example/pairs/bleu.parquet", config=False)
        rows = pq.read_table(elsewhere.folder / "results/example/pairs/bleu.parquet").to_pylist()
        assert len(rows) == 10
        verdicts = {(row["system_a"], row["system_b"]): row for row in rows}
        assert verdicts["boreas", "boreas-rerun"]["p_value"] == 1.0
        assert verdicts["atlas", "dune"]["winner"] == "atlas"
        assert not verdicts["atlas", "boreas"]["significant"]
        assert {path.name for path in elsewhere.folder.iterdir()} == {"results", "logs", ".snakemake"}

    def test_options_alone_change_the_default_study(self, elsewhere):
        """B61: ``--config`` without a file counts as none given."""
        run = elsewhere.run("-n", "--config", "n_resamples=7", "metrics={chrf: {word_order: 2}}", config=False)
        assert run.jobs["score"] == 3
        run = elsewhere.run("-n", "--config", "n_resamples=seven", config=False, check=False)
        assert run.last_line.startswith("error: n_resamples: 'seven' is text, not a whole number")

    def test_a_file_of_ones_own_takes_nothing_from_it(self, unstarted):
        """B61: exactly the user's test sets and metrics."""
        run = unstarted.run("-n")
        assert "example" not in run.output
        assert "chrf" not in run.output

    def test_a_configuration_in_the_working_folder(self, unstarted):
        """Snakemake's habit: config/config.yaml of the working folder, its paths counted from there."""
        (unstarted.folder / "config").mkdir()
        (unstarted.folder / "study.yaml").rename(unstarted.folder / "config" / "config.yaml")
        assert unstarted.run("-n", config=False).jobs["score"] == 2


def test_path_variables(unstarted):
    """Results and logs go where the path variables say."""
    unstarted.configure(unstarted.config | {"pathvars": {"results": "out/put", "logs": "out/logs"}})
    unstarted.run("out/put/demo/segments.parquet")
    assert (unstarted.folder / "out/logs/demo/ingest.log").exists()
    assert not (unstarted.folder / "results").exists()


def test_many_systems(unstarted):
    """B63: 120 systems by 3 metrics are a handful of jobs, planned in seconds."""
    config = unstarted.config
    for number in range(120):
        shutil.copy(unstarted.folder / "in/out/good.txt", unstarted.folder / f"in/out/s{number}.txt")
    unstarted.configure(config | {"metrics": {"bleu": None, "chrf": None, "ter": None}})
    start = time.monotonic()
    assert sum(unstarted.planned().values()) == 1 + 3 * 3 + 3
    assert time.monotonic() - start < 15


def test_many_test_sets(unstarted):
    """40 test sets by 4 metrics by 10 systems are planned in seconds."""
    config = unstarted.config
    for number in range(7):
        shutil.copy(unstarted.folder / "in/out/good.txt", unstarted.folder / f"in/out/s{number}.txt")
    testsets = {f"t{number}": config["testsets"]["demo"] for number in range(40)}
    metrics = {"bleu": None, "chrf": None, "ter": None, "exact_match": None}
    unstarted.configure(config | {"testsets": testsets, "metrics": metrics})
    start = time.monotonic()
    assert sum(unstarted.planned().values()) == 40 * (1 + 3 * 4 + 2) + 1
    assert time.monotonic() - start < 30


def test_interrupted_run(unstarted, first_run):
    """B79: after kill -9 in the middle, unlocking and the same command end in the results of an undisturbed run."""
    tables = [
        f"results/demo/{kind}/{metric}.parquet" for kind in ("systems", "pairs") for metric in ("bleu", "exact_match")
    ]
    command = unstarted.command(*tables)
    process = subprocess.Popen(
        command,
        cwd=unstarted.folder,
        env={**os.environ, **unstarted.environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    waiting_for = unstarted.folder / "results/demo/scores"
    deadline = time.monotonic() + 60
    while not list(waiting_for.glob("[!.]*.parquet")) and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(process.pid, 9)
    process.wait()
    run = unstarted.run(*tables, check=False)
    assert run.status != 0
    assert "--unlock" in run.output
    unstarted.run("--unlock")
    unstarted.run(*tables)
    for table in tables:
        undisturbed = pq.read_table(first_run[0].folder / table)
        assert pq.read_table(unstarted.folder / table).equals(undisturbed), table
