"""Segment scores from files, and the metrics made of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from mtsig import EvaluationSet, read
from mtsig.corpus import files, mtmefolder, rawfiles
from mtsig.corpus.scorefiles import Columns, join_scores
from mtsig.errors import ConfigError, InputError
from mtsig.metrics import create_metric

N = 3


def evaluation(*systems: str, testset: str = "t") -> EvaluationSet:
    """Three segments called x, y, z of two documents."""
    texts = {name: tuple(f"{name}{row}" for row in range(N)) for name in systems or ("A", "B")}
    return EvaluationSet(testset, "de-en", ("x", "y", "z"), ("d1", "d1", "d2"), ("news",) * 3, (None,) * 3, {}, texts)


def written(folder: Path, name: str, content: str) -> dict[str, Path]:
    path = folder / name
    path.write_text(content)
    return {files.file_stem(path): path}


class TestValues:
    @pytest.mark.parametrize("text", ["None", "NaN", "nan", "", "null", "inf", "-inf", "Infinity"])
    def test_no_score_is_missing(self, tmp_path: Path, text: str) -> None:
        """B48: never zero, never skipped over."""
        scores = join_scores(written(tmp_path, "m.seg.score", f"A\t1\nA\t{text}\nA\t-2.5e-1\n"), evaluation("A"))
        np.testing.assert_array_equal(scores["A"], [1.0, np.nan, -0.25])

    def test_infinite_scores_are_named(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        """They count as missing, and whoever reads on knows where they stand."""
        join_scores(written(tmp_path, "m.seg.score", "A\t1\nA\tinf\nA\t-Infinity\n"), evaluation("A"))
        assert "m.seg.score, line 2: the score is infinite (and 1 more is)" in caplog.text
        caplog.clear()
        join_scores(written(tmp_path, "m.seg.score", "A\t1\nA\tNone\nA\tNaN\n"), evaluation("A"))
        assert not caplog.text

    def test_negative_zero_is_zero(self, tmp_path: Path) -> None:
        """MQM writes "no error" as -0.0."""
        scores = join_scores(written(tmp_path, "m.seg.score", "A\t-0.0\nA\t-0\nA\t0\n"), evaluation("A"))
        assert not np.signbit(scores["A"]).any()

    @pytest.mark.parametrize("text", ["1,5", "1_000", "x", "0x1", "١"])
    def test_anything_else_is_refused(self, tmp_path: Path, text: str) -> None:
        """Only plain decimal numbers are scores."""
        with pytest.raises(InputError, match=r"m\.seg\.score, line 2: .* is no score"):
            join_scores(written(tmp_path, "m.seg.score", f"A\t1\nA\t{text}\nA\t2\n"), evaluation("A"))

    def test_json_numbers_beyond_all_bounds_are_missing(self, tmp_path: Path) -> None:
        """B65: NaN and infinities in JSON, and whole numbers that no float holds."""
        rows = [
            f'{{"segment_id": "{name}", "score": {value}}}'
            for name, value in zip("xyz", ("NaN", "-Infinity", "1" + "0" * 400), strict=True)
        ]
        scores = join_scores(written(tmp_path, "A.jsonl", "\n".join(rows) + "\n"), evaluation("A"))
        assert np.isnan(scores["A"]).all()


class TestNames:
    def test_scores_of_no_system_are_refused(self, tmp_path: Path) -> None:
        """Else they would be a finished report of nothing, where missing scores are left out."""
        files = written(tmp_path, "m.seg.score", "b\t1\n" * N + "refA\t1\n" * N)
        message = r"no scores of any system .*\(B\); the systems there: b, refA\. Did you mean B for b\?"
        with pytest.raises(InputError, match=message):
            join_scores(files, evaluation("B"))

    def test_a_misspelt_system_is_told(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        content = "Online-A\t1\n" * N + "online-b\t1\n" * N + "refA\t1\n" * N
        join_scores(written(tmp_path, "m.seg.score", content), evaluation("Online-A", "Online-B"))
        assert "no scores of Online-B; other systems there: online-b, refA. Did you mean Online-B for online-b?" in (
            caplog.text
        )

    def test_a_file_for_no_system_is_told(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        """A name in the settings is meant, one in a file that names systems itself may be anybody's."""
        files = {name: tmp_path / f"{name}.txt" for name in ("A", "extra")}
        for path in files.values():
            path.write_text("1\n" * N)
        join_scores(files, evaluation("A"))
        assert "the test set has no system extra" in caplog.text
        caplog.clear()
        join_scores(written(tmp_path, "m.seg.score", "A\t1\n" * N + "refA\t1\n" * N), evaluation("A"))
        assert not [record for record in caplog.records if record.levelname == "WARNING"]


class TestJoining:
    def test_systems_in_any_order_and_others_left_aside(self, tmp_path: Path) -> None:
        """mt-metrics-eval lists systems differently in every file."""
        content = "".join(
            f"{name}\t{row + offset}\n" for name, offset in (("B", 10), ("refA", 20), ("A", 0)) for row in range(N)
        )
        scores = join_scores(written(tmp_path, "m.seg.score", content), evaluation())
        np.testing.assert_array_equal(scores["A"], [0, 1, 2])
        np.testing.assert_array_equal(scores["B"], [10, 11, 12])
        assert list(scores) == ["A", "B"]

    @pytest.mark.parametrize("n_scores", [N - 1, N + 1])
    def test_their_number_is_checked(self, tmp_path: Path, n_scores: int) -> None:
        """B34: scores without ids must cover the test set."""
        with pytest.raises(InputError, match=r"m\.seg\.score.*'A' has (2 scores|more scores)"):
            join_scores(written(tmp_path, "m.seg.score", "A\t1\n" * n_scores), evaluation("A"))

    @pytest.mark.parametrize("suffix", ["tsv", "csv", "jsonl", "parquet"])
    def test_tables_by_id(self, tmp_path: Path, suffix: str) -> None:
        """Rows in any order; a segment without a row has no score."""
        rows = [("A", "z", 3.0), ("B", "x", 1.0), ("A", "x", 0.5)]
        path = tmp_path / f"scores.{suffix}"
        records = [dict(zip(("system", "segment_id", "score"), row, strict=True)) for row in rows]
        if suffix == "parquet":
            pq.write_table(pa.Table.from_pylist(records), path)
        elif suffix == "jsonl":
            path.write_text("".join(json.dumps(record) + "\n" for record in records))
        else:
            mark = {"tsv": "\t", "csv": ","}[suffix]
            lines = [mark.join(("system", "segment_id", "score")), *(mark.join(map(str, row)) for row in rows)]
            path.write_text("\n".join(lines) + "\n")
        scores = join_scores({"scores": path}, evaluation())
        np.testing.assert_array_equal(scores["A"], [0.5, np.nan, 3.0])
        np.testing.assert_array_equal(scores["B"], [1.0, np.nan, np.nan])

    def test_tables_by_position_and_rows_of_other_test_sets(self, tmp_path: Path) -> None:
        """mtsig's own score tables count segments from 0 and name their test set."""
        content = "testset\tsystem\tsegment\tscore\nother\tA\t0\t9\nt\tA\t2\t3\nt\tA\t0\t1\n"
        scores = join_scores(written(tmp_path, "s.tsv", content), evaluation("A"))
        np.testing.assert_array_equal(scores["A"], [1.0, np.nan, 3.0])

    def test_a_file_without_systems_belongs_to_one(self, tmp_path: Path) -> None:
        """B59: the name is that of the file, or the one given."""
        content = "quality\n1\n2\n3\n"
        for suffix, data in (("csv", content), ("txt", content.partition("\n")[2])):
            scores = join_scores(written(tmp_path, f"A.{suffix}", data), evaluation("A"), Columns(score="quality"))
            np.testing.assert_array_equal(scores["A"], [1, 2, 3])

    @pytest.mark.parametrize(
        ("rows", "problem"),
        [("q\t1\n", "no segment 'q'"), ("x\t1\nx\t2\n", "line 3: system 'A' has a second score for segment 'x'")],
    )
    def test_unknown_and_repeated_ids_are_refused(self, tmp_path: Path, rows: str, problem: str) -> None:
        """Silence would lose scores."""
        with pytest.raises(InputError, match=problem):
            join_scores(written(tmp_path, "A.tsv", "segment_id\tscore\n" + rows), evaluation("A"))

    def test_a_column_that_is_not_there_is_named(self, tmp_path: Path) -> None:
        """With those that are."""
        with pytest.raises(ConfigError, match=r"no column 'score'. Its columns are 'segment_id', 'value'"):
            join_scores(written(tmp_path, "A.tsv", "segment_id\tvalue\nx\t1\n"), evaluation("A"))

    def test_scores_of_other_texts_are_refused(self, tmp_path: Path) -> None:
        """B70: a file that says which text it scored must have scored this one."""
        rows = [{"src": "s", "mt": f"A{row} ", "COMET": 0.5} for row in range(N)]
        good = written(tmp_path, "c.json", json.dumps({"out/A.txt": rows}))
        np.testing.assert_array_equal(join_scores({"A": good["c"]}, evaluation("A"))["A"], [0.5] * N)
        rows[1]["mt"] = "old output"
        bad = written(tmp_path, "c.json", json.dumps({"out/A.txt": rows}))
        with pytest.raises(InputError, match="another text than the output of system 'A' on segment 'y'"):
            join_scores({"A": bad["c"]}, evaluation("A"))

    def test_comet_score_with_several_systems(self, tmp_path: Path) -> None:
        """Systems are named by their files."""
        content = {f"out/{name}.txt": [{"mt": f"{name}{row}", "COMET": row} for row in range(N)] for name in "AB"}
        scores = join_scores(written(tmp_path, "c.json", json.dumps(content)), evaluation())
        np.testing.assert_array_equal(scores["B"], [0, 1, 2])

    def test_reports_give_any_of_their_numbers(self, tmp_path: Path) -> None:
        """Entries that the test set does not have are passed over; nested values are reached by dots."""
        entries = [
            {"id": name, "predicted": f"A{row}", "plugin_metrics": {"fst": {"valid": row}}, "exact_match": row == 1}
            for row, name in enumerate(("x", "y", "z", "extra"))
        ]
        path = written(tmp_path, "A.json", json.dumps({"entries": entries}))
        scores = join_scores(path, evaluation("A"), Columns(score="plugin_metrics.fst.valid"))
        np.testing.assert_array_equal(scores["A"], [0, 1, 2])
        scores = join_scores(path, evaluation("A"), Columns(score="exact_match"))
        np.testing.assert_array_equal(scores["A"], [0, 1, 0])

    def test_lists_are_the_scores_of_a_document(self, tmp_path: Path) -> None:
        """WMT25 writes one list per document."""
        rows = '{"domain": "news", "document_id": "d1", "m": {"Q": [1, 2]}}\n{"document_id": "d2", "m": {"Q": [3]}}\n'
        columns = Columns(score="m.Q", segment_id="document_id")
        scores = join_scores(written(tmp_path, "A.jsonl", rows), evaluation("A"), columns)
        np.testing.assert_array_equal(scores["A"], [1, 2, 3])
        with pytest.raises(InputError, match="document 'd1' has 1 scores, but 2 segments"):
            join_scores(written(tmp_path, "A.jsonl", rows.replace("[1, 2]", "[1]")), evaluation("A"), columns)


class TestPrecomputed:
    def settings(self, folder: Path, **more: Any) -> dict[str, Any]:
        (folder / "A.txt").write_text("1\nNone\n2\n")
        (folder / "B.txt").write_text("1\n0\n0\n")
        return {"kind": "precomputed", "scores": str(folder / "?.txt"), "higher_is_better": False, **more}

    def test_direction_must_be_declared(self, tmp_path: Path) -> None:
        """B09: an unknown metric has no direction of its own."""
        settings = self.settings(tmp_path)
        assert create_metric("mine", settings, "de-en").higher_is_better is False
        del settings["higher_is_better"]
        with pytest.raises(ConfigError, match=r"metrics\.mine\.higher_is_better: is missing"):
            create_metric("mine", settings, "de-en")

    def test_missing_scores_are_not_skipped(self, tmp_path: Path) -> None:
        """B48: the row is NaN, which the missing policy refuses or leaves out for all."""
        metric = create_metric("mine", self.settings(tmp_path), "de-en")
        statistics = metric.statistics(evaluation())
        assert metric.statistic_names == ("value",)
        np.testing.assert_array_equal(statistics["A"], [[1.0], [np.nan], [2.0]])
        assert metric.corpus_score(statistics["B"]) == pytest.approx(1 / 3)

    @pytest.mark.parametrize(("factor", "problem"), [("e-12", "2e-12, and differences below 1e-9"), ("e200", "2e.200")])
    def test_scores_of_impossible_size_are_refused(self, tmp_path: Path, factor: str, problem: str) -> None:
        """Probabilities of sentences would all be ties, and huge ones add up to no number: neither passes."""
        settings = self.settings(tmp_path)
        (tmp_path / "A.txt").write_text(f"1{factor}\nNone\n2{factor}\n")
        (tmp_path / "B.txt").write_text("0\n0\n0\n")
        with pytest.raises(InputError, match=rf"metrics\.mine: .*{problem}"):
            create_metric("mine", settings, "de-en").statistics(evaluation())

    def test_signature_follows_the_contents(self, tmp_path: Path) -> None:
        """B70: other scores, other signature; a touch changes nothing."""
        metric = create_metric("mine", self.settings(tmp_path), "de-en")
        before = metric.signature(1)
        (tmp_path / "A.txt").touch()
        assert metric.signature(1) == before
        (tmp_path / "A.txt").write_text("1\nNone\n3\n")
        assert metric.signature(1) != before

    def test_paths_may_name_the_language_pair(self, tmp_path: Path) -> None:
        """One metric for several test sets."""
        (tmp_path / "de-en").mkdir()
        settings = self.settings(tmp_path / "de-en")
        settings["scores"] = str(tmp_path / "{langpair}" / "?.txt")
        raw = rawfiles.metric_files(settings, {"langpair": "de-en"})
        assert [path.name for path in raw] == ["A.txt", "B.txt"]
        with pytest.raises(ConfigError, match=r"metrics\.mine\.scores: no file matches .*en-de"):
            rawfiles.metric_files(settings, {"langpair": "en-de"}, prefix="metrics.mine.")

    def test_metrics_that_compute_have_no_files(self) -> None:
        """Only external ones do."""
        assert rawfiles.metric_files({"kind": "bleu"}, {"langpair": "de-en"}) == []


class TestMtme:
    @pytest.fixture
    def settings(self, shared_data: Path) -> dict[str, Any]:
        return {"format": "mtme", "langpair": "en-de", "root": str(shared_data / "mtme" / "wmt23")}

    @pytest.mark.parametrize("langpair", ["en-de", "zh-en"])
    def test_every_file_of_wmt23_becomes_a_metric(self, settings: dict[str, Any], langpair: str) -> None:
        """System scores are those of the published .sys.score files."""
        settings = {**settings, "langpair": langpair}
        texts = read("wmt23", settings)
        root = Path(settings["root"])
        found = mtmefolder.mtme_score_files(root, langpair)
        assert set(found) == {
            "mqm", "da-sqm", "MetricX-23-QE-src", "CometKiwi-src", "prismSrc-src", "Random-sysname-src",
            "GEMBA-MQM-src", "BLEU-refA", "chrF-refA", "COMET-refA",
        }  # fmt: skip
        for name, path in found.items():
            metric = create_metric("m", {"kind": "mtme", "name": name}, langpair, settings)
            assert metric.higher_is_better
            statistics = metric.statistics(texts)
            assert {rows.shape for rows in statistics.values()} == {(texts.n_segments, 1)}
            if name in {"BLEU-refA", "chrF-refA", "da-sqm"}:
                continue  # corpus scores, and ratings that are averaged otherwise, are no means of segment scores
            lines = path.with_name(path.name.replace(".seg.", ".sys.")).read_text().split("\n")
            published = dict(line.split("\t") for line in lines if line)
            for system, rows in statistics.items():
                assert metric.corpus_score(rows) == pytest.approx(float(published[system]), abs=1e-6)

    @pytest.mark.parametrize(("langpair", "n_missing"), [("en-de", 97), ("zh-en", 799)])
    def test_unrated_segments_are_missing(self, settings: dict[str, Any], langpair: str, n_missing: int) -> None:
        """The same ones for every system."""
        settings = {**settings, "langpair": langpair}
        statistics = create_metric("mqm", {"kind": "mtme", "name": "mqm"}, langpair, settings).statistics(
            read("t", settings)
        )
        gaps = {tuple(np.flatnonzero(np.isnan(rows[:, 0]))) for rows in statistics.values()}
        assert [len(rows) for rows in gaps] == [n_missing]

    def test_positives_of_lan_bridge(self, settings: dict[str, Any]) -> None:
        """799 rated segments of zh-en have an MQM score below 0: -0.0 is none of them."""
        settings = {**settings, "langpair": "zh-en"}
        statistics = create_metric("mqm", {"kind": "mtme", "name": "mqm"}, "zh-en", settings).statistics(
            read("t", settings)
        )
        assert (statistics["Lan-BridgeMT"] < 0).sum() == 799

    def test_names_with_and_without_their_end(self, settings: dict[str, Any]) -> None:
        """The last -src or -refX may be left out."""
        assert mtmefolder.mtme_score_file("COMET", settings) == mtmefolder.mtme_score_file("COMET-refA", settings)
        assert mtmefolder.mtme_score_file("MetricX-23-QE", settings).name == "MetricX-23-QE-src.seg.score"
        with pytest.raises(ConfigError, match=r"no segment scores called 'COMETX' for en-de. It has da-sqm, mqm"):
            mtmefolder.mtme_score_file("COMETX", settings)
        with pytest.raises(
            ConfigError, match=r"metrics\.x\.name: 'COMET' can be found for test sets of the format mtme"
        ):
            create_metric("x", {"kind": "mtme", "name": "COMET"}, "en-de", {"format": "text", "langpair": "en-de"})

    def test_several_references_need_a_choice(self, tmp_path: Path) -> None:
        """Where a metric was computed against two references, the test set's own decides, else the user."""
        for name in ("sources/de-en.txt", "system-outputs/de-en/A.txt", "references/de-en.refA.txt"):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text("x\n")
        folder = tmp_path / "metric-scores" / "de-en"
        folder.mkdir(parents=True)
        for name in ("M-refA", "M-refB"):
            (folder / f"{name}.seg.score").write_text("A\t1\n")
        settings = {"format": "mtme", "langpair": "de-en", "root": str(tmp_path)}
        assert mtmefolder.mtme_score_file("M", settings).name == "M-refA.seg.score"
        (tmp_path / "references" / "de-en.refB.txt").write_text("x\n")
        with pytest.raises(ConfigError, match="'M' may be M-refA or M-refB; give one of these names"):
            mtmefolder.mtme_score_file("M", settings)


class TestSharedFormats:
    @pytest.mark.parametrize(
        "name", ["CometKiwi-XL", "GEMBA-ESA-CMDA", "GEMBA-ESA-GPT4.1", "MetricX-24-Hybrid-XL", "XCOMET-XL"]
    )
    @pytest.mark.parametrize(("system", "langpair"), [("CUNI-Transformer", "cs-uk"), ("CUNI-DocTransformer", "en-cs")])
    def test_wmt25_scores_fit_its_paragraphs(self, shared_data: Path, name: str, system: str, langpair: str) -> None:
        """405 and 384 segment scores, none missing."""
        folder = shared_data / "formats"
        texts = read(
            "wmt25",
            {
                "format": "jsonl",
                "langpair": langpair,
                "outputs": {system: str(folder / f"wmt25.systems.{system}.jsonl")},
                "segment_id": "doc_id",
                "paragraphs": True,
            },
        )
        settings = {
            "kind": "precomputed",
            "scores": {system: str(folder / f"wmt25.automatic_scores.{system}.jsonl")},
            "score": f"metric_scores.{name}",
            "segment_id": "document_id",
            "higher_is_better": True,
        }
        values = create_metric("q", settings, langpair).statistics(texts)[system]
        assert values.shape == (texts.n_segments, 1)
        assert not np.isnan(values).any()

    def test_comet_csv(self, shared_data: Path) -> None:
        """Scores beside the texts that were scored."""
        path = str(shared_data / "formats" / "comet.regression_data.csv")
        texts = read(
            "c",
            {
                "format": "csv",
                "langpair": "xx-en",
                "path": path,
                "source": "src",
                "references": "ref",
                "systems": ["mt"],
            },
        )
        values = create_metric(
            "q", {"kind": "precomputed", "scores": {"mt": path}, "higher_is_better": True}, "xx-en"
        ).statistics(texts)
        assert values["mt"][0, 0] == 0.9598254605244118
        assert not np.isnan(values["mt"]).any()
