"""Parts of test sets: `only`, `without`, samples, and rows of tables by `where`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mtsig import read
from mtsig.config import anchor, load
from mtsig.corpus import rawfiles
from mtsig.corpus.lint import DESCRIPTIONS, lint
from mtsig.corpus.parts import choose
from mtsig.corpus.scorefiles import Columns, join_scores
from mtsig.errors import ConfigError, InputError
from mtsig.steps.evaluation_set import load as load_tables
from mtsig.steps.evaluation_set import save


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, Any]:
    """Six segments in three documents of two domains; the lengths of the references are 1 to 6 words."""
    rows = ["news\ta", "news\ta", "news\tb", "talk\tc", "talk\tc", "talk\tc"]
    texts = {
        "docs": rows,
        "src": [f"Quelle {number}" for number in range(1, 7)],
        "ref": [" ".join("abcdef"[:number]) for number in range(1, 7)],
        "A": [f"A {number}" for number in range(1, 7)],
    }
    for name, lines in texts.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    paths = {name: str(tmp_path / f"{name}.txt") for name in texts}
    return {
        "format": "text",
        "langpair": "de-en",
        "source": paths["src"],
        "references": paths["ref"],
        "documents": paths["docs"],
        "systems": {"A": paths["A"]},
    }


def ids(settings: dict[str, Any], **parts: Any) -> list[str]:
    return list(read("t", {**settings, **parts}).segment_ids)


@pytest.mark.parametrize(
    ("only", "expected"),
    [
        ({"domains": ["news"]}, "123"),
        ({"documents": ["a", "c"]}, "12456"),
        ({"segments": ["6", 2]}, "26"),
        ({"reference_length": {"words": [2, 4]}}, "234"),
        ({"reference_length": {"characters": [None, 3]}}, "12"),
        ({"source_length": {"words": [2, None]}}, "123456"),
        ({"domains": ["talk"], "reference_length": {"words": [5, None]}}, "56"),
        ({"sample": {"segments": 2}}, "14"),
        ({"sample": {"segments": 2, "number": 3}}, "36"),
        ({"sample": {"segments": 3, "scheme": "consecutive", "number": 2}}, "456"),
        ({"domains": ["talk"], "sample": {"segments": 1, "number": 2}}, "5"),
    ],
)
def test_segments_that_meet_all_conditions(settings, only, expected):
    assert ids(settings, only=only) == list(expected)


@pytest.mark.parametrize(
    ("without", "expected"),
    [
        ({"domains": ["news"]}, "456"),
        ({"segments": ["1"], "documents": ["b"]}, "2456"),
        ({"reference_length": {"words": [None, 2]}}, "3456"),
    ],
)
def test_segments_that_meet_any_condition_are_left_out(settings, without, expected):
    assert ids(settings, without=without) == list(expected)


def test_both_together_and_from_a_file(settings, tmp_path):
    listed = tmp_path / "ids.txt"
    listed.write_text("1\n2\n5\n", encoding="utf-8")
    assert ids(settings, only={"segments": str(listed)}, without={"documents": ["a"]}) == ["5"]
    parts = {"only": {"segments": str(listed)}, "without": None}
    assert listed in rawfiles.testset_files({**settings, **parts})


def test_strata_are_sampled_in_proportion(settings):
    """Half of the segments, so half of each domain, to within one; every segment is in one of the samples."""
    samples = [
        ids(settings, only={"sample": {"segments": 3, "by": "domain", "number": number, "scheme": scheme}})
        for scheme in ("broad", "random")
        for number in (1, 2)
    ]
    for sample in samples:
        assert sum(int(segment) <= 3 for segment in sample) in (1, 2)
    assert sorted(samples[0] + samples[1]) == sorted(samples[2] + samples[3]) == list("123456")


def test_what_is_left_out_is_said_and_recorded(settings, tmp_path):
    evaluation = read(
        "t", {**settings, "only": {"sample": {"segments": 2, "by": "domain"}}, "without": {"segments": [1]}}
    )
    messages = {finding.code: finding.message for finding in lint(evaluation)}
    assert messages["segments_left_out"].startswith(
        "4 of 6 segments are left out by only.sample, without.segments. 2 are a broad sample of 5 (by domain). "
    )
    assert "segments_left_out" in DESCRIPTIONS
    files = {name: tmp_path / f"{name}.parquet" for name in ("segments", "hypotheses")}
    save(evaluation, **files)
    assert load_tables(**files).whole == evaluation.whole
    whole = read("t", settings)
    save(whole, **files)
    assert load_tables(**files).whole is None
    assert [finding.code for finding in whole.findings] == []


@pytest.mark.parametrize(
    "only", [{"sample": {"segments": 2, "scheme": "consecutive"}}, {"segments": ["3", "4"]}], ids=["sample", "ids"]
)
def test_a_run_of_neighbours_is_noticed(settings, only):
    """As Koehn (2004) found, a consecutive block may be about one thing; chosen domains are chosen."""
    codes = [finding.code for finding in read("t", {**settings, "only": only}).findings]
    assert codes == ["segments_left_out", "consecutive_segments"]
    domain = read("t", {**settings, "only": {"domains": ["news"]}})
    assert [finding.code for finding in domain.findings] == ["segments_left_out"]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"only": {"domains": ["new"]}}, r"t\.only\.domains: no segment has 'new'. Did you mean 'news'\? There are"),
        ({"without": {"segments": ["7"]}}, r"t\.without\.segments: no segment has '7'"),
        ({"without": {"domains": ["news", "talk"]}}, r"without\.domains: no segment is left"),
        ({"only": {"reference_length": {"words": [4, 2]}}}, r"reference_length\.words: \[4, 2\] is no range"),
        ({"only": {"column": {"x": "y"}}}, r"only\.column\.x: the test set has no column 'x'"),
        ({"only": {"sample": {"segments": 7}}}, r"only\.sample: 7 segments are more than the 6 that there are"),
        ({"only": {"sample": {"segments": 3, "number": 3}}}, r"there is no sample 3; 6 segments give 2 of 3"),
        (
            {"only": {"sample": {"segments": 3, "by": "domain", "scheme": "consecutive"}}},
            "consecutive samples cannot be spread over strata",
        ),
    ],
)
def test_impossible_parts_are_refused(settings, parts, message):
    with pytest.raises(ConfigError, match=message):
        read("t", {**settings, **parts})


def test_lengths_of_texts_that_are_not_there(settings):
    with pytest.raises(ConfigError, match="no such texts"):
        read("t", {**settings, "source": None, "without": {"source_length": {"words": [0, 3]}}})


def test_scores_of_the_whole_find_their_places(settings, tmp_path):
    """Files in order, by id, and per document cover all segments; the part takes its own."""
    part = read("t", {**settings, "only": {"segments": ["2", "6"]}})
    whole = read("t", settings)
    files = {
        "t.seg.score": "".join(f"A\t{number}\n" for number in range(1, 7)),
        "A.txt": "".join(f"{number}\n" for number in range(1, 7)),
        "t.tsv": "system\tsegment_id\tscore\n" + "".join(f"A\t{number}\t{number}\n" for number in range(1, 7)),
        "t.jsonl": "".join(
            json.dumps({"system": "A", "segment_id": name, "score": scores}) + "\n"
            for name, scores in (("a", [1, 2]), ("b", [3]), ("c", [4, 5, 6]))
        ),
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content)
        path = {"A": tmp_path / name}
        np.testing.assert_array_equal(join_scores(path, part)["A"], [2, 6])
        np.testing.assert_array_equal(join_scores(path, whole)["A"], [1, 2, 3, 4, 5, 6])


class TestTables:
    ROWS = (
        "langpair\tyear\tsegment_id\tsource\treference\tA\n"
        "de-en\t2023\t1\teins\tone\ta one\n"
        "de-en\t2024\t2\tzwei\ttwo\ta two\n"
        "en-de\t2024\t1\tone\teins\ta eins\n"
    )

    def settings(self, folder: Path, **more: Any) -> dict[str, Any]:
        (folder / "t.tsv").write_text(self.ROWS)
        return {"format": "tsv", "langpair": "de-en", "path": str(folder / "t.tsv"), **more}

    def test_rows_of_one_language_pair(self, tmp_path):
        evaluation = read("t", self.settings(tmp_path, where={"langpair": "de-en"}, only={"column": {"year": 2024}}))
        assert evaluation.sources == ("zwei",)
        assert list(evaluation.systems) == ["A"]
        both = read("t", self.settings(tmp_path, where={"langpair": ["de-en"], "year": [2023, 2024]}))
        assert both.n_segments == 2

    def test_columns_that_are_not_there(self, tmp_path):
        with pytest.raises(ConfigError, match=r"where\.pair: .*t\.tsv has no column 'pair'\. Its columns are"):
            read("t", self.settings(tmp_path, where={"pair": "de-en"}))
        with pytest.raises(ConfigError, match=r"langpair: .* no row with 'de'. The column holds 'de-en', 'en-de'"):
            read("t", self.settings(tmp_path, where={"langpair": "de"}))

    def test_rows_of_score_files(self, tmp_path):
        """One file with two metrics: which one is said with `where`, or the message says how to."""
        evaluation = read("t", self.settings(tmp_path, where={"langpair": "de-en"}))
        path = tmp_path / "scores.tsv"
        path.write_text(
            "system\tsegment_id\tmetric\tscore\n"
            + "".join(f"A\t{segment}\t{metric}\t{metric}{segment}\n" for metric in "12" for segment in "12")
        )
        scores = join_scores({"scores": path}, evaluation, Columns(where={"metric": "2"}))
        np.testing.assert_array_equal(scores["A"], [21, 22])
        with pytest.raises(InputError, match=r"second score for segment .1.\. If .* choose rows with `where"):
            join_scores({"scores": path}, evaluation)

    def test_a_list_of_scores_without_its_document(self, tmp_path):
        evaluation = read("t", self.settings(tmp_path, where={"langpair": "de-en"}))
        path = tmp_path / "A.jsonl"
        path.write_text('{"score": [1, 2]}\n')
        with pytest.raises(InputError, match=r"not of which document\. Name the column of documents with `segment_id`"):
            join_scores({"A": path}, evaluation)


def test_parts_by_attributes_of_documents(tmp_path):
    """The original language of WMT's documents."""
    segments = {"de": "eins", "en": "one"}
    documents = "".join(
        f'<doc docid="d{code}" origlang="{code}" sysid="x"><seg id="1">{text}</seg></doc>'
        for code, text in segments.items()
    )
    path = tmp_path / "t.sgm"
    path.write_text(f"<refset>{documents}</refset><tstset>{documents}</tstset>")
    settings = {"format": "wmt-sgm", "langpair": "de-en", "references": str(path), "systems": str(path)}
    assert ids(settings, only={"column": {"origlang": "de"}}) == ["dde:1"]
    assert ids(settings, only={"sample": {"segments": 1, "by": "origlang"}}) == ["dde:1"]


def test_paths_but_no_ids_are_counted_from_another_folder(repository):
    testset = {"langpair": "de-en", "systems": ["a.txt", "b.txt"], "references": "r.txt"}
    schemas = repository / "workflow" / "schemas"
    given = [{"only": {"segments": ["1", "x"]}}, {"only": {"segments": "ids.txt"}}]
    segments = []
    for parts in given:
        settings = load({"testsets": {"t": {**testset, **parts}}, "metrics": {"bleu": {}}}, schemas)
        segments.append(anchor(settings, schemas, "/data")["testsets"]["t"]["only"]["segments"])
    assert segments == [["1", "x"], "/data/ids.txt"]


def test_the_canary_line_is_left_out_by_what_lint_offers(shared_data):
    settings = {"format": "mtme", "langpair": "en-is", "root": str(shared_data / "mtme" / "wmt24")}
    evaluation = read("t", settings)
    message = next(finding.message for finding in lint(evaluation) if finding.code == "canary_line")
    assert message.endswith('Leave it out: `without: {segments: ["1"]}`.')
    rest = choose(evaluation, {"without": {"segments": ["1"]}})
    assert rest.n_segments == 997
    assert "canary_line" not in [finding.code for finding in lint(rest)]


def test_one_language_pair_of_wmt25s_score_files(shared_data, tmp_path):
    """Scores of two language pairs in one file: 384 of them are those of en-cs, in lists by document."""
    formats = shared_data / "formats"
    names = {"CUNI-DocTransformer": "en-cs", "CUNI-Transformer": "cs-uk"}
    both = tmp_path / "CUNI-DocTransformer.jsonl"
    both.write_bytes(b"".join((formats / f"wmt25.automatic_scores.{name}.jsonl").read_bytes() for name in names))
    settings = {
        "format": "jsonl",
        "langpair": "en-cs",
        "outputs": {"CUNI-DocTransformer": str(formats / "wmt25.systems.CUNI-DocTransformer.jsonl")},
        "segment_id": "doc_id",
        "paragraphs": True,
    }
    evaluation = read("t", settings)
    columns = {"score": "metric_scores.XCOMET-XL", "segment_id": "document_id"}
    where = {"language_pair": "en-cs_CZ"}
    scores = join_scores({"CUNI-DocTransformer": both}, evaluation, Columns(**columns, where=where))
    assert int(np.isfinite(scores["CUNI-DocTransformer"]).sum()) == 384
    part = read("t", {**settings, "only": {"domains": ["dialogue"]}})
    chosen = join_scores({"CUNI-DocTransformer": both}, part, Columns(**columns, where=where))
    rows = [row for row, domain in enumerate(evaluation.domains) if domain == "dialogue"]
    np.testing.assert_array_equal(chosen["CUNI-DocTransformer"], scores["CUNI-DocTransformer"][rows])
    with pytest.raises(InputError, match=r"there is no document .* choose rows with `where"):
        join_scores({"CUNI-DocTransformer": both}, evaluation, Columns(**columns))
