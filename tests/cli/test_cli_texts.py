"""Commands on text files: compare, score, ci, lint, power, grid."""

from __future__ import annotations

import json
import os
import shutil
import threading
from pathlib import Path

import pytest


def test_compare_gives_the_known_answers(mtsig_command, t10_files):
    """The ten-segment corpus, seed 12345, 1000 resamples; TER is better when lower."""
    found = mtsig_command.json("compare", *t10_files, "-m", "bleu", "-m", "ter")
    bleu, ter = found["pairs"]
    assert (bleu["system_a"], bleu["system_b"]) == ("A", "B")
    assert (bleu["wins_a"], bleu["wins_b"], bleu["ties"]) == (983, 17, 0)
    assert (ter["wins_a"], ter["wins_b"], ter["ties"]) == (921, 53, 26)
    assert bleu["p_value"] == pytest.approx(36 / 1001, rel=1e-12)
    assert bleu["p_sacrebleu_bs"] == pytest.approx(27 / 1001, rel=1e-12)
    assert bleu["p_ar"] == 80 / 1024
    assert bleu["ar_exact"]
    assert [row["score"] for row in found["systems"]] == pytest.approx(
        [75.37619097398905, 59.56236475473167, 13.48314606741573, 21.34831460674157], rel=1e-12
    )
    assert {row["seed"] for row in found["pairs"]} == {12345}


def test_compare_says_it_in_words(mtsig_command, t10_files):
    out = mtsig_command("compare", *t10_files).out
    assert "bleu (higher is better)" in out
    assert "Significance tests (paired bootstrap, n=1000, α=0.05, seed=12345;" in out
    assert "Signature: nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:" in out
    assert "A scores best, but B is not significantly different from it" in out
    assert "few_units: fewer than 30 units" in out


def test_options_reach_the_tests(mtsig_command, t10_files, write):
    documents = write("docs", ["d1"] * 4 + ["d2"] * 6)
    found = mtsig_command.json(
        "compare", *t10_files, "-m", "chrf", "--documents", documents, "--resample-unit", "document", "--seed", 0,
        "--n-bootstrap", 200, "--n-trials", 50, "--alpha", 0.1, "--confidence-level", 0.9, "--adjust", "bh",
        "--langpair", "de-en",
    )  # fmt: skip
    (row,) = found["pairs"]
    chosen = ("resample_unit", "seed", "n_resamples", "n_trials", "alpha", "confidence_level", "adjust", "langpair")
    assert [row[name] for name in chosen] == ["document", 0, 200, 50, 0.1, 0.9, "bh", "de-en"]
    assert row["n_units"] == 2
    assert row["p_sacrebleu_bs"] is None


def test_one_system_gets_intervals_and_no_pairs(mtsig_command, t10_files):
    """B16: an empty family is no error."""
    found = mtsig_command.json("compare", *t10_files[:2])
    assert len(found["systems"]) == 2
    assert found["pairs"] == []
    assert "nothing to compare it with" in mtsig_command("compare", *t10_files[:2]).out


def test_identical_systems_are_never_starred(mtsig_command, t10_files):
    """B01: delta 0, p 1, an interval without width, and the reason."""
    found = mtsig_command.json("compare", t10_files[0], t10_files[1], f"copy={t10_files[1]}", "-m", "bleu")
    (row,) = found["pairs"]
    assert (row["delta"], row["ci_low"], row["ci_high"], row["p_value"], row["p_ar"]) == (0, 0, 0, 1, 1)
    assert (row["significant"], row["winner"]) == (False, None)
    assert "identical_output" in row["flags"]


def test_several_references(mtsig_command, t10_files):
    reference, a, _ = t10_files
    double = mtsig_command.json("score", reference, a, "-m", "bleu", "--reference", a)["scores"][0]
    assert double["score"] == pytest.approx(100)
    assert "nrefs:2" in double["signature"]


def test_standard_input(mtsig_command, t10_files):
    """A text, wherever it stands; its name is stdin, and errors say so."""
    reference, a, b = t10_files
    text = Path(a).read_bytes()
    piped = mtsig_command.json("compare", reference, "-", b, "-m", "bleu", stdin=text)["pairs"][0]
    assert (piped["system_a"], piped["system_b"]) == ("B", "stdin")
    assert piped["wins_b"] == 983
    short = mtsig_command("score", reference, "-", stdin=text.partition(b"\n")[2], status=1)
    assert short.last_error.startswith("error: stdin has 9 lines, but ")
    twice = mtsig_command("score", "-", "-", stdin=text, status=1)
    assert "only once" in twice.last_error


def test_pipes(mtsig_command, t10_files, tmp_path):
    """What a shell makes of <(zcat reference.gz) can be read once only, and is read once only."""
    pipes = []
    for file in t10_files:
        pipe = tmp_path / Path(file).stem / "pipe"
        pipe.parent.mkdir()
        os.mkfifo(pipe)
        # As a shell does, the pipe is filled by somebody else.
        threading.Thread(target=pipe.write_bytes, args=(Path(file).read_bytes(),)).start()
        pipes.append(pipe)
    reference, a, b = pipes
    piped = mtsig_command.json("compare", reference, f"A={a}", f"B={b}", "-m", "bleu")
    assert piped["pairs"] == mtsig_command.json("compare", *t10_files, "-m", "bleu")["pairs"]


def test_names_of_systems(mtsig_command, t10_files, tmp_path):
    """B59: equal base names are refused, with the way out; NAME=FILE is that way."""
    reference, a, b = t10_files
    for folder, file in (("runA", a), ("runB", b)):
        (tmp_path / folder).mkdir()
        shutil.copy(file, tmp_path / folder / "out.txt")
    first, second = tmp_path / "runA" / "out.txt", tmp_path / "runB" / "out.txt"
    refused = mtsig_command("compare", reference, first, second, status=1)
    assert refused.last_error == (
        f"error: {first} and {second} would both be called 'out'. Name them: out={first} OTHER={second}."
    )
    found = mtsig_command.json("compare", reference, f"org/model v1.2={first}", f"c++={second}", "-m", "bleu")
    assert (found["pairs"][0]["system_a"], found["pairs"][0]["system_b"]) == ("c++", "org/model v1.2")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--langpair", "ende"], "--langpair: 'ende' is no language pair"),
        (["--metric", "nonsense"], "--metric: 'nonsense' cannot be computed here"),
        (["--metric", "comet"], "write a configuration and `mtsig run` it"),
        (["--metric", "bleu:lowercase=perhaps"], "lowercase is true or false, not 'perhaps'"),
        (["--metric", "bleu:lower=true"], "--metric bleu:lower=true: lower: no such option. Did you mean lowercase?"),
        (["--metric", "bleu:lowercase"], "write OPTION=VALUE"),
        (["--metric", "gtm:exponent=0.5"], "exponent"),
        (["--metric", "gtm:exponent=big"], "exponent is a number, not 'big'"),
        (["--metric", "chrf:char_order=1.5"], "char_order is a whole number, not 1.5"),
        (["--alpha", "1.5"], "alpha: expected a number between 0 and 1, found 1.5"),
        (["--confidence-level", "0"], "confidence_level"),
        (["--adjust", "bonferroni"], "adjust: expected one of none, holm, bh"),
        (["--resample-unit", "paragraph"], "resample_unit: expected one of segment, document"),
        (["--resample-unit", "document"], "document"),
        (["--source", "absent.txt"], "absent.txt: there is no such file."),
        (["--lower-is-better", "ter"], "--lower-is-better: applies to reports only"),
    ],
)
def test_impossible_options(mtsig_command, t10_files, arguments, message):
    assert message in mtsig_command("compare", *t10_files, *arguments, status=1).last_error


def test_missing_files(mtsig_command, t10_files, tmp_path):
    assert mtsig_command("compare", t10_files[0], "absent.txt", status=1).last_error == (
        "error: absent.txt: there is no such file."
    )
    assert f"{tmp_path}: this is a folder" in mtsig_command("score", tmp_path, t10_files[1], status=1).last_error
    assert "give a reference and at least one output" in mtsig_command("compare", t10_files[0], status=1).last_error


def test_options_of_metrics(mtsig_command, write):
    """What sacreBLEU's users write as -lc and -tok."""
    reference, system = write("ref", ["The Cat sat on the mat."]), write("sys", ["the cat sat on the mat."])
    found = mtsig_command.json("score", reference, system, "-m", "bleu", "-m", "bleu:lowercase=true,tokenize=intl")
    plain, lowered = found["scores"]
    assert plain["score"] < lowered["score"]
    assert lowered["score"] == pytest.approx(100)
    assert "case:lc" in lowered["signature"]
    assert "tok:intl" in lowered["signature"]


def test_score_prints_scores_and_signatures(mtsig_command, t10_files):
    out = mtsig_command("score", *t10_files, "-m", "bleu", "-m", "exact_match").out
    assert "75.38" in out
    assert "0.3000" in out
    assert "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:" in out


def test_segments_as_rows_and_as_json(mtsig_command, t10_files):
    """Sentence scores; segment 4 of both systems is the reference."""
    lines = mtsig_command("score", *t10_files, "--segments", "-m", "bleu", "-m", "ter").out.splitlines()
    assert lines[0] == "system\tsegment_id\tbleu\tter"
    assert len(lines) == 21
    system, segment, bleu, ter = lines[4].split("\t")
    assert (system, segment, float(ter)) == ("A", "4", 0.0)
    assert float(bleu) == pytest.approx(100)
    rows = mtsig_command.json("score", *t10_files, "--segments", "-m", "ter")["segments"]
    assert rows[3] == {"system": "A", "segment": 3, "segment_id": "4", "scores": {"ter": 0.0}}


def test_documents_as_rows_and_as_json(mtsig_command, t10_files, write):
    """F of the first three and of the last seven segments of A, from the sums of matched words and lengths."""
    documents = write("documents", ["news\tone"] * 3 + ["news\ttwo"] * 7)
    arguments = ["score", *t10_files[:2], "--documents", documents, "-m", "gtm"]
    lines = mtsig_command(*arguments).out.splitlines()
    assert lines[0] == "system\tdomain\tdocument\tn_segments\tgtm"
    # By hand: 8 + 8 + 8 matches of 8 + 9 + 8 words against 8 + 9 + 10; 77, 83 and 89 in all.
    one, two = 2 * 24 / (25 + 27), 2 * (77 - 24) / (83 - 25 + 89 - 27)
    cells = [line.split("\t") for line in lines[1:]]
    assert [cell[:4] for cell in cells] == [["A", "news", "one", "3"], ["A", "news", "two", "7"]]
    assert [float(cell[4]) for cell in cells] == pytest.approx([one, two])
    rows = mtsig_command.json(*arguments)["documents"]
    assert rows[1] == {"system": "A", "domain": "news", "document": "two", "n_segments": 7, "scores": {"gtm": two}}
    segments = mtsig_command(*arguments, "--segments").out.splitlines()
    assert segments[0] == "system\tdomain\tdocument\tsegment_id\tgtm"
    assert segments[4].split("\t") == ["A", "news", "two", "4", "1.0"]
    without = mtsig_command("score", *t10_files[:2], "--by-document", status=1).last_error
    assert "--by-document: the texts have no documents" in without


def test_documents_of_sgml(mtsig_command, write):
    """What GTM prints: document and F, or document, segment and F; 3 of 4 words are matched in the first document."""

    def sgml(kind, *texts):
        parts = "".join(f'<doc docid="d{n}" sysid="A"><seg id="1">{text}</seg></doc>' for n, text in enumerate(texts))
        return f"<{kind}>{parts}</{kind}>".encode()

    files = [write("ref.sgm", sgml("refset", "a b c d", "e")), write("sys.sgm", sgml("tstset", "a b c x", "e"))]
    lines = mtsig_command("score", *files, "-m", "gtm", "--by-document").out.splitlines()
    assert lines == ["system\tdocument\tn_segments\tgtm", "A\td0\t1\t0.75", "A\td1\t1\t1.0"]
    lines = mtsig_command("score", *files, "-m", "gtm", "--segments").out.splitlines()
    assert lines[:2] == ["system\tdocument\tsegment_id\tgtm", "A\td0\td0:1\t0.75"]


def test_intervals_are_those_of_compare(mtsig_command, t10_files):
    alone = mtsig_command.json("ci", *t10_files, "-m", "chrf++")["systems"]
    beside = mtsig_command.json("compare", *t10_files, "-m", "chrf++")["systems"]
    for row in alone:
        other = next(each for each in beside if each["system"] == row["system"])
        assert {key: other[key] for key in row} == row
    assert (alone[0]["ci_low"], alone[0]["ci_high"]) == pytest.approx((77.1216812, 91.8281326), rel=1e-6)
    out = mtsig_command("ci", *t10_files, "-m", "chrf++", "--confidence-level", 0.9).out
    assert "90 % interval" in out
    assert "seed 12345" in out
    assert "Signature: nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:" in out


def test_a_metric_without_direction_has_intervals_only(mtsig_command, t10_files):
    found = mtsig_command.json("compare", *t10_files, "-m", "length_ratio")
    assert found["pairs"][0]["winner"] is None
    assert found["systems"][0]["rank"] is None
    assert "no direction" in mtsig_command("compare", *t10_files, "-m", "length_ratio").out


def test_lint(mtsig_command, t10_files, write):
    reference, a, _ = t10_files
    marked = write("marked.txt", b"\xef\xbb\xbf" + Path(a).read_bytes())
    findings = mtsig_command.json("lint", reference, marked, a)["findings"]
    codes = {finding["code"]: finding for finding in findings}
    assert codes["byte_order_mark"]["system"] == "marked"
    assert "identical_outputs" in codes
    assert "warning [byte_order_mark] marked:" in mtsig_command("lint", reference, marked).out
    own = mtsig_command("lint", reference, f"copy={reference}").out
    assert "] system copy: equals the reference on" in own
    assert "Nothing found in 1 system and 10 segments." in mtsig_command("lint", reference, a).out


def test_strict_lint_has_a_status_of_its_own(mtsig_command, t10_files, write):
    reference, a, _ = t10_files
    assert mtsig_command("lint", reference, a, "--strict").status == 0
    marked = write("marked.txt", b"\xef\xbb\xbf" + Path(a).read_bytes())
    assert mtsig_command("lint", reference, marked, "--strict", status=None).status == 3


def test_findings_are_warned_of(mtsig_command, t10_files, write):
    """One of each kind beside the results, with the other systems, and how to see all."""
    reference, a, _ = t10_files
    lines = Path(a).read_text(encoding="utf-8").splitlines()
    many = [f"many{number}={write(f'{number}.txt', [*lines[:-1], ''])}" for number in range(7)]
    outcome = mtsig_command("score", reference, *many, "-m", "chrf")
    assert len(outcome.warnings) == 3
    assert "hypotheses are blank" in outcome.warnings[0]
    assert "(The same kind: many1, many2, many3 and 3 more.)" in outcome.warnings[0]
    assert "`mtsig lint` shows them" in outcome.warnings[-1]


def test_power_plans_a_test_set(mtsig_command, t10_files):
    arguments = ("power", *t10_files, "-m", "chrf", "--size", 100, "--n-simulations", 20, "--n-resamples", 100)
    rows = mtsig_command.json(*arguments, "--difference", 2)["planning"]
    assert [row["size"] for row in rows] == [10, 100]
    assert [row["extrapolated"] for row in rows] == [False, True]
    assert rows[0]["detectable_difference"] > rows[1]["detectable_difference"] > 0
    assert rows[0]["difference"] == 2
    out = mtsig_command(*arguments).out
    assert out.startswith("With 10 segments this test set detects differences of about ")
    assert "chrf, 80% power at α=0.05" in out


def test_power_refuses_what_cannot_be_planned(mtsig_command, t10_files):
    assert "above 0" in mtsig_command("power", *t10_files, "--difference", -1, status=1).last_error
    assert "target_power" in mtsig_command("power", *t10_files, "--target-power", 1, status=1).last_error
    assert "no direction" in mtsig_command("power", *t10_files, "-m", "length_ratio", status=1).last_error


def test_a_sample_of_all_files(mtsig_command, t10_files, tmp_path, write):
    """Every third segment, as Koehn (2004) drew, and no more than were asked for; what was drawn is written down."""
    documents = write("docs.txt", ["news\ta"] * 5 + ["talk\tb"] * 5)
    folder = tmp_path / "sampled"
    arguments = ["sample", *t10_files, "-n", 3, "--documents", documents]
    found = mtsig_command.json(*arguments, "-o", folder)
    assert found["segment_ids"] == ["1", "4", "7"]
    lines = Path(t10_files[1]).read_text(encoding="utf-8").splitlines()
    assert (folder / "A.txt").read_text(encoding="utf-8").splitlines() == [lines[row] for row in (0, 3, 6)]
    assert (folder / "docs.txt").read_text(encoding="utf-8").split("\n")[1] == "news\ta"
    assert (folder / "segments.txt").read_text(encoding="utf-8") == "1\n4\n7\n"
    record = json.loads((folder / "sample.json").read_text(encoding="utf-8"))
    assert (record["scheme"], record["n_segments"], record["n_before"]) == ("broad", 3, 10)
    run = mtsig_command(*arguments, "-o", tmp_path / "run", "--scheme", "consecutive", "--number", 2)
    assert "covers 2 of 2 documents" in run.warnings[0]
    assert "3 of 10 segments of 4 files" in run.out
    even = mtsig_command.json(*arguments, "-n", 4, "-o", tmp_path / "even", "--by", "domain", "--scheme", "random")
    assert [sum(int(each) <= 5 for each in even["segment_ids"]), len(even["segment_ids"])] == [2, 4]


def test_sgml_is_no_text_of_a_segment_a_line(mtsig_command, write, tmp_path):
    sgml = write("ref.sgm", ["<refset>", "</refset>"])
    assert "is SGML" in mtsig_command("sample", sgml, "-n", 1, "-o", tmp_path / "out", status=1).last_error
    assert "is SGML" in mtsig_command("grid", sgml, sgml, status=1).last_error


@pytest.mark.parametrize("option", ["--review-budget", "--risk-target", "--keep-share"])
def test_roc_takes_percentages_only(mtsig_command, write, option):
    gold, qe = write("gold.txt", ["-1", "0", "-1", "0"]), write("qe.txt", ["1", "1", "2", "2"])
    assert f"{option}: nan is no percentage" in mtsig_command("roc", gold, qe, option, "nan", status=1).last_error


@pytest.mark.parametrize("option", ["--cost", "--class-ratio"])
def test_roc_refuses_ratios_that_no_number_holds(mtsig_command, write, option):
    gold, qe = write("gold.txt", ["-1", "0", "-1", "0"]), write("qe.txt", ["1", "1", "2", "2"])
    assert "is no ratio" in mtsig_command("roc", gold, qe, option, "1e-300:1e300", status=1).last_error


def test_an_exponent_has_to_be_a_finite_number(mtsig_command):
    for exponent in ("nan", "1e400"):
        found = mtsig_command("grid", "--text", "a b", "b a", "--exponent", exponent, status=1)
        assert "no finite number" in found.last_error


def test_as_many_resamples_as_the_configuration_takes(mtsig_command, t10_files):
    assert "1<=x<=1000000000" in mtsig_command("compare", *t10_files, "--n-resamples", 10**11, status=None).err


def test_one_resample_has_no_standard_error(mtsig_command, t10_files):
    """Nothing is detectable by it, without a warning of numpy's."""
    found = mtsig_command.json("compare", *t10_files, "-m", "bleu", "--n-resamples", 1, "--max-resamples", 0)
    assert [row["detectable_difference"] for row in found["pairs"]] == [None]


def test_scores_name_the_segments_that_they_are_of(mtsig_command, t10_files, write, tmp_path, monkeypatch):
    """A function that has no score for every second segment of ten."""
    monkeypatch.syspath_prepend(tmp_path)
    write("half_scored.py", ["calls = []", "def score(hypothesis):", "    calls.append(hypothesis)"])
    with (tmp_path / "half_scored.py").open("a", encoding="utf-8") as file:
        file.write("    return 1.0 if len(calls) % 2 else None\n")
    metric = "function:function=half_scored:score,higher_is_better=true"
    run = mtsig_command("score", *t10_files[:2], "-m", metric, "--json")
    assert json.loads(run.out)["scores"][0]["n_segments"] == 5
    assert "on 5 of 10 segments only" in run.err


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["-n", 11], "11 segments are more than the 10 that there are"),
        (["-n", 5, "--number", 3], "there is no sample 3"),
        (["-n", 5, "--scheme", "wide"], "'wide' is unknown"),
        (["-n", 5, "--by", "domain"], "--by: needs --documents"),
        (["-n", 5, "--by", "topic"], "--by: 'topic' is neither document nor domain"),
    ],
)
def test_samples_that_cannot_be_drawn(mtsig_command, t10_files, tmp_path, more, words):
    folder = tmp_path / "sampled"
    assert words in mtsig_command("sample", *t10_files, "-o", folder, *more, status=1).last_error
    assert not folder.exists()
    assert "already" in mtsig_command("sample", *t10_files, "-n", 5, "-o", tmp_path, status=1).last_error


def test_grid_of_a_segment(mtsig_command, t10_files, tmp_path):
    """GTM's own example: A's third segment has runs of 7 and 1 words out of 8 and 10."""
    reference, a, _ = t10_files
    found = mtsig_command.json("grid", a, reference, "--segment", 3)
    assert [run["length"] for run in found["runs"]] == [7, 1]
    assert (found["precision"], found["recall"], found["f"]) == (1.0, 0.8, pytest.approx(8 / 9))
    figures = [tmp_path / f"grid.{suffix}" for suffix in ("svg", "png", "pdf")]
    for figure in figures:
        assert "Runs: 7, 1" in mtsig_command("grid", a, reference, "--segment", 3, "--output", figure).out
    assert [figure.read_bytes()[:4] for figure in figures] == [b"<svg", b"\x89PNG", b"%PDF"]


def test_grid_of_texts(mtsig_command):
    out = mtsig_command("grid", "a b x c d", "a b c d", "--exponent", 2).out
    assert out.splitlines()[:5] == [
        "d  · · · ●",
        "c  · · ● ·",
        "x  · · · ·",
        "b  · ● · ·",
        "a  ● · · ·",
    ]
    assert "matching of size 2.828 (exponent 2)" in out
    piped = mtsig_command.json("grid", "-", "a b c d", stdin=b"a b\n")
    assert piped["hypothesis"] == ["a", "b"]
    word = mtsig_command.json("grid", "--text", "-", "House", "house", "--lowercase")
    assert (word["hypothesis"], word["references"]) == (["-"], [["house"], ["house"]])
    assert mtsig_command.json("grid", "--text", "我爱她", "我爱他", "--tokenize", "zh")["matching_size"] == 2


def test_grid_refuses_what_is_not_there(mtsig_command, t10_files, tmp_path):
    assert "there is no such file" in mtsig_command("grid", "absent.txt", t10_files[0], status=1).last_error
    assert "no line 11" in mtsig_command("grid", *t10_files[:2], "--segment", 11, status=1).last_error
    assert "With --text" in mtsig_command("grid", "word", "other", status=1).last_error
    assert "--segment: --text" in mtsig_command("grid", "--text", "a", "b", "--segment", 2, status=1).last_error
    assert "--tokenize: 'x' is not one of" in mtsig_command("grid", "a b", "a", "--tokenize", "x", status=1).last_error
    assert (
        "x.doc: a figure is written as svg, png or pdf"
        in mtsig_command("grid", *t10_files[:2], "-o", tmp_path / "x.doc", status=1).err
    )


def test_wide_grids_are_left_to_figures(mtsig_command):
    text = " ".join(f"w{number}" for number in range(70))
    assert "use --output" in mtsig_command("grid", text, text).out


def test_roc_of_a_known_table(mtsig_command, write):
    """Table 3 of the ROC paper: AUC 23/48."""
    truth = [-1, 0, 0, 0, -1, -1, -1, -1, 0, -1]
    scores = [95, 95, 100, 95, 25, 93, 100, 99, 75, 99]
    gold, qe = write("gold.txt", map(str, truth)), write("qe.txt", map(str, scores))
    found = mtsig_command.json("roc", gold, f"QE={qe}", "--n-resamples", 100, "--review-budget", 30)
    (row,) = found["auc"]
    assert row["auc"] == pytest.approx(23 / 48, rel=1e-12)
    assert (row["qe"], row["positives"], row["negatives"]) == ("QE", 6, 4)
    (budget,) = [each for each in found["decisions"] if each["scenario"] == "review_budget"]
    assert (budget["threshold"], budget["errors_left_per_100"]) == (93, 40)
    turned = mtsig_command.json("roc", gold, f"QE={qe}", "--n-resamples", 100, "--lower-is-better", "QE")
    assert turned["auc"][0]["auc"] == pytest.approx(25 / 48, rel=1e-12)


def test_roc_of_labels(mtsig_command, write):
    """The same table with labels in place of scores; other labels and a label that is not there are refused."""
    labels = ["error", "no error", "no error", "no error", "error", "error", "error", "error", "no error", "error"]
    scores = [95, 95, 100, 95, 25, 93, 100, 99, 75, 99]
    gold, qe = write("gold.txt", labels), write("qe.txt", map(str, scores))
    found = mtsig_command.json("roc", gold, f"QE={qe}", "--positive", "error", "--n-resamples", 50)
    assert found["auc"][0]["auc"] == pytest.approx(23 / 48, rel=1e-12)
    assert "(`positive`)" in mtsig_command("roc", gold, qe, status=1).last_error
    absent = mtsig_command("roc", gold, qe, "--positive", "Error", status=1).last_error
    assert "`positive: Error` needs two labels, this one and another; there are error, no error." in absent
    three = write("three.txt", ["error", "fine", "error", "maybe", *labels[:6]])
    assert (
        "there are error, fine, maybe, no error"
        in mtsig_command("roc", three, qe, "--positive", "error", status=1).last_error
    )


def test_roc_answers_what_its_options_ask(mtsig_command, write):
    """Class ratios, shares to keep, reviewers who overlook errors, parts of the curve, domains and documents."""
    truth = [-1, 0, 0, 0, -1, -1, -1, -1, 0, -1]
    scores = [95, 95, 100, 95, 25, 93, 100, 99, 75, 99]
    gold, qe = write("gold.txt", map(str, truth)), write("qe.txt", map(str, scores))
    documents = write("documents.tsv", [f"{'news' if row < 6 else 'talk'}\td{row // 2}" for row in range(10)])
    asked = [*("--cost", "1:1", "--class-ratio", "1:5", "--keep-share", "50", "--reviewer-miss", "0.5")]
    asked += [*("--partial-fpr", "0.5", "--documents", documents, "--domains", "--resample-unit", "document")]
    found = mtsig_command.json("roc", gold, f"QE={qe}", "--n-resamples", 30, *asked)
    assert set(found) >= {"auc", "auc_pairs", "partial_auc", "partial_pairs", "hulls", "decisions"}
    assert {row["domain"] for row in found["auc"]} == {None, "news", "talk"}
    assert {row["resample_unit"] for row in found["auc"]} == {"document"}
    assert {(row["part"], row["fpr_low"], row["fpr_high"]) for row in found["partial_auc"]} == {
        ("low", 0, 0.5),
        ("high", 0.5, 1),
    }
    whole = {(row["scenario"], row["setting"]): row for row in found["decisions"] if row["domain"] is None}
    assert whole["data_cleaning", "50"]["errors_left_per_100"] == 75
    cost = whole["cost", "1:1 at 1:5"]
    # At 1:5 the reviewed error of six is seen by half of the reviewers; or nothing is reviewed.
    assert cost["reviewer_miss"] == 0.5
    assert cost["errors_left_per_100"] in (pytest.approx(100 / 6), pytest.approx(100 / 6 * (1 - 1 / 12)))
    out = mtsig_command("roc", gold, f"QE={qe}", "--n-resamples", 30, *asked[:4]).out
    assert "miss:alarm" in out
    assert "errors:good" in out


def test_roc_of_files_of_several_systems(mtsig_command, write, tmp_path):
    """mt-metrics-eval's files: one system is chosen; segments that nobody judged are left out."""
    gold = write("mqm.seg.score", [f"{name}\t{value}" for name in "XY" for value in (0, -1, "None", 0, -5)])
    qe = write("Kiwi.seg.score", [f"{name}\t{value}" for name in "YXZ" for value in (9, 2, 3, 4, 1)])
    assert "Name one" in mtsig_command("roc", gold, qe, status=1).last_error
    assert "no scores of 'W'" in mtsig_command("roc", gold, qe, "--system", "W", status=1).last_error
    figure = tmp_path / "roc.svg"
    found = mtsig_command.json("roc", gold, qe, "--system", "X", "--n-resamples", 50, "-o", figure)
    assert (found["auc"][0]["system"], found["auc"][0]["qe"], found["auc"][0]["n_segments"]) == ("X", "Kiwi", 4)
    assert found["auc"][0]["auc"] == 1.0
    assert figure.read_text(encoding="utf-8").startswith("<svg")
    strict = mtsig_command.json("roc", gold, qe, "--system", "X", "--n-resamples", 50, "--cutoff", "<=-5")
    assert strict["auc"][0]["positives"] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--cutoff", "5"], "cutoff"),
        (["--lower-is-better", "nobody"], "there is no QE system 'nobody'"),
        (["--cost", "ten"], "cost"),
        (["--class-ratio", "1:0"], "class_ratios: '1:0' is no ratio"),
        (["--reviewer-miss", "2"], "--reviewer-miss: 2.0 is no share"),
        (["--partial-fpr", "0"], "--partial-fpr: 0.0"),
        (["--domains"], "--documents: is missing"),
        (["--resample-unit", "word"], "--resample-unit: 'word'"),
    ],
)
def test_roc_refuses_impossible_options(mtsig_command, write, arguments, message):
    gold, qe = write("gold.txt", ["0", "-1", "0"]), write("qe.txt", ["3", "1", "2"])
    assert message in mtsig_command("roc", gold, qe, *arguments, status=1).last_error


def test_roc_refuses_scores_that_are_none(mtsig_command, write):
    """B30: one class only is undefined, not 0.5; missing and odd scores are named."""
    gold, qe = write("gold.txt", ["0", "-1", "0"]), write("qe.txt", ["3", "x", "2"])
    assert "'x' is no score" in mtsig_command("roc", gold, qe, status=1).last_error
    assert "there is no such file" in mtsig_command("roc", gold, "absent", status=1).last_error
    assert "would both be called" in mtsig_command("roc", gold, gold, status=1).last_error
    good = write("good.txt", ["0", "0", "0"])
    (row,) = mtsig_command.json("roc", good, write("kiwi.txt", ["1", "2", "3"]))["auc"]
    assert row["auc"] is None
    assert "one_class" in row["flags"]
    assert "undefined" in mtsig_command("roc", good, write("kiwi.txt", ["1", "2", "3"])).out
    few = write("few.txt", ["1", "2"])
    assert "few" in mtsig_command("roc", gold, few, status=1).last_error


def test_compare_says_that_documents_were_resampled(mtsig_command, tmp_path):
    """How many there are, and of how many trials randomization consists."""
    lines = [f"line {number} of the text that all translate" for number in range(12)]
    for name, changed in (("ref", 0), ("one", 3), ("two", 5)):
        texts = [f"{line} {name}" if number < changed else line for number, line in enumerate(lines)]
        (tmp_path / name).write_text("\n".join(texts) + "\n", encoding="utf-8")
    (tmp_path / "docs").write_text("".join(f"d{number // 3}\n" for number in range(12)), encoding="utf-8")
    files = [str(tmp_path / name) for name in ("ref", "one", "two")]
    options = ["--documents", str(tmp_path / "docs"), "--resample-unit", "document", "-m", "chrf", "--n-trials", "999"]
    out = mtsig_command("compare", *files, *options).out
    assert "chrf (higher is better; resampled by 4 documents)" in out
    assert "paired bootstrap of 4 documents, n=1000" in out
    assert "approximate randomization, n=999" in out


def test_compare_shows_koehns_verdict_on_request(mtsig_command, t10_files):
    """Shares of resamples won and whom Koehn would call better; they are the numbers of --json."""
    options = ["-m", "bleu"]
    (row,) = mtsig_command.json("compare", *t10_files, *options)["pairs"]
    out = mtsig_command("compare", *t10_files, *options, "--koehn").out
    assert "Koehn (2004)" in out
    assert f"{100 * row['koehn_a']:.1f} %" in out
    assert f"{100 * row['koehn_b']:.1f} %" in out
    assert out.count("Koehn") == 1
    assert "Koehn" not in mtsig_command("compare", *t10_files, *options).out


def test_the_signature_of_a_comparison_names_the_bound_of_resamples(mtsig_command, t10_files):
    """The configured numbers, whatever single pairs came to."""
    out = mtsig_command("compare", *t10_files, "-m", "bleu", "--max-resamples", "0").out
    assert "|n_resamples:1000|max_resamples:0|n_trials:10000|" in out
