"""Test sets as others publish them: mt-metrics-eval, WMT XML, sacreBLEU, reports of mt-eval-harness."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from mtsig import read
from mtsig.corpus import rawfiles
from mtsig.errors import ConfigError, InputError, UnavailableError


class TestMtme:
    @pytest.mark.parametrize(
        ("testset", "langpair", "n_segments", "n_systems", "references"),
        [
            ("wmt23", "en-de", 557, 12, ["refA"]),
            ("wmt23", "zh-en", 1976, 15, ["refA"]),
            ("wmt22", "en-zh", 2037, 13, ["refA", "refB"]),
            ("wmt22", "liv-en", 420, 5, ["refA"]),
            ("wmt24", "en-is", 998, 4, ["refA"]),
        ],
    )
    def test_shared_data(
        self, shared_data: Path, testset: str, langpair: str, n_segments: int, n_systems: int, references: list[str]
    ) -> None:
        """Numbers of segments, systems and references; references are no systems."""
        settings = {"format": "mtme", "langpair": langpair, "root": str(shared_data / "mtme" / testset)}
        evaluation = read(testset, settings)
        assert evaluation.n_segments == n_segments
        assert len(evaluation.systems) == n_systems
        assert list(evaluation.references) == references
        assert not {*evaluation.systems} & {"refA", "refB", "synthetic_ref"}
        assert None not in evaluation.documents

    def test_references_can_be_chosen_and_be_systems(self, shared_data: Path) -> None:
        """The synthetic reference is used only when it is asked for."""
        settings = {"format": "mtme", "langpair": "en-de", "root": str(shared_data / "mtme" / "wmt23")}
        assert [each.code for each in read("t", settings).findings if each.level == "info"] == ["references_unused"]
        both = read("t", {**settings, "references": ["synthetic_ref", "refA"]})
        assert list(both.references) == ["synthetic_ref", "refA"]
        assert [each for each in both.findings if each.level == "info"] == []
        excluded = read("t", {**settings, "exclude": ["refA", "AIRC"]})  # concerns systems, as everywhere
        assert (list(excluded.references), len(excluded.systems)) == (["refA"], 11)
        human = read("t", {**settings, "include_references": True})
        assert {"refA", "synthetic_ref"} < set(human.systems)
        with pytest.raises(ConfigError, match=r"no reference 'refC' for en-de. It has refA, synthetic_ref"):
            read("t", {**settings, "references": ["refC"]})

    def test_an_absent_language_pair_is_refused(self, shared_data: Path) -> None:
        """The message lists those that are there."""
        settings = {"format": "mtme", "langpair": "en-fr", "root": str(shared_data / "mtme" / "wmt23")}
        with pytest.raises(ConfigError, match=r"testsets\.t\.root: .* does not hold en-fr .*It has en-de, zh-en"):
            rawfiles.testset_files(settings, prefix="testsets.t.")

    def test_raw_files_are_complete(self, shared_data: Path) -> None:
        """Source, documents, the reference and 12 systems."""
        settings = {"format": "mtme", "langpair": "en-de", "root": str(shared_data / "mtme" / "wmt23")}
        assert len(rawfiles.testset_files(settings)) == 15


def xml(*documents: str, before: str = "") -> bytes:
    """A WMT file with the given documents."""
    return f"<?xml version='1.0' encoding='utf-8'?>{before}<dataset id='x'>{''.join(documents)}</dataset>".encode()


def document(name: str, source: dict[str, str], attributes: str = "", **parts: dict[str, str]) -> str:
    """One document; keys ``ref_X`` are references by X, all others systems."""

    def segments(texts: dict[str, str]) -> str:
        return "<p>" + "".join(f"<seg id='{key}'>{text}</seg>" for key, text in texts.items()) + "</p>"

    body = f"<src lang='de'>{segments(source)}</src>"
    for part, texts in parts.items():
        if part.startswith("ref"):
            body += f"<ref lang='en' translator='{part.removeprefix('ref_')}'>{segments(texts)}</ref>"
        else:
            body += f"<hyp system='{part}' lang='en'>{segments(texts)}</hyp>"
    return f"<doc id='{name}' {attributes}>{body}</doc>"


class TestWmtXml:
    def settings(self, folder: Path, content: bytes) -> dict[str, Any]:
        path = folder / "test.xml"
        path.write_bytes(content)
        return {"format": "wmt-xml", "langpair": "de-en", "path": str(path)}

    def test_parts_are_joined_by_segment_id(self, tmp_path: Path) -> None:
        """What a document or segment lacks is missing; an empty element is empty."""
        first = document("d1", {"1": "eins", "2": "zwei"}, "domain='news'", ref_A={"2": "two", "1": "one"}, A={"1": ""})
        second = document("d2", {"1": "drei"}, "domain='news'", ref_A={"1": "three"}, ref_B={"1": "III"}, B={"1": "t"})
        evaluation = read("t", self.settings(tmp_path, xml(first, second)))
        assert evaluation.segment_ids == ("d1:1", "d1:2", "d2:1")
        assert evaluation.references == {"refA": ("one", "two", "three"), "refB": (None, None, "III")}
        assert evaluation.systems == {"A": ("", None, None), "B": (None, None, "t")}
        assert evaluation.domains == ("news",) * 3

    def test_characters_are_decoded_and_layout_is_not_text(self, tmp_path: Path) -> None:
        """The five entities of XML, character references, and line breaks of the layout."""
        content = xml(document("d", {"1": "a &amp; b &lt;i&gt; &#233;"}, A={"1": "\n   one\n   two  "}))
        evaluation = read("t", self.settings(tmp_path, content))
        assert evaluation.sources == ("a & b <i> é",)
        assert evaluation.systems["A"] == ("one two",)

    def test_test_suites_are_kept_apart(self, tmp_path: Path) -> None:
        """They are left out with a note, or evaluated by themselves."""
        main = document("d1", {"1": "eins"}, A={"1": "one"})
        suite = document("d2", {"1": "zwei"}, "testsuite='idioms'", A={"1": "two"})
        settings = self.settings(tmp_path, xml(main, suite))
        evaluation = read("t", settings)
        assert evaluation.sources == ("eins",)
        assert [finding.code for finding in evaluation.findings] == ["testsuite_documents"]
        assert read("t", {**settings, "testsuite": "idioms"}).sources == ("zwei",)
        with pytest.raises(ConfigError, match=r"no documents of the test suite 'irony'. It has: idioms"):
            read("t", {**settings, "testsuite": "irony"})

    @pytest.mark.parametrize(
        "before",
        [
            '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>',
            '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]>',
            '<!DOCTYPE x [<!ENTITY % a SYSTEM "file:///etc/hostname"> %a;]>',
        ],
    )
    def test_entities_are_refused(self, tmp_path: Path, before: str) -> None:
        """Neither expanded nor fetched."""
        content = xml(document("d", {"1": "&a;"}, A={"1": "one"}), before=before)
        with pytest.raises(InputError, match=r"test\.xml, line 1: the entity 'a' is declared"):
            read("t", self.settings(tmp_path, content))

    @pytest.mark.parametrize(
        ("content", "problem"),
        [
            (b"<dataset><doc></dataset>", "line 1: is not well-formed XML"),
            (b"<dataset/>", "has no <doc> elements"),
            (xml("<doc id='d'><hyp lang='en'/></doc>"), "<hyp> needs a name"),
            (xml("<doc id='d'><src><seg id='1'/><seg id='1'/></src></doc>"), "<seg> needs an id of its own"),
            (xml(document("d", {"1": "x"}, A={"2": "y"})), "system 'A' has segment '2', which the source does not"),
        ],
    )
    def test_malformed_files_are_refused(self, tmp_path: Path, content: bytes, problem: str) -> None:
        """The line is named."""
        with pytest.raises(InputError, match=problem):
            read("t", self.settings(tmp_path, content))

    def test_another_language_pair_is_noticed(self, tmp_path: Path) -> None:
        """B52: the wrong pair would mean the wrong tokenizer."""
        settings = self.settings(tmp_path, xml(document("d", {"1": "x"}, A={"1": "y"})))
        evaluation = read("t", {**settings, "langpair": "de-zh"})
        assert [finding.code for finding in evaluation.findings] == ["other_language"]

    def test_equals_the_organisers_text_files(self, shared_data: Path) -> None:
        """WMT22 liv-en from its XML alone: 420 segments, 5 systems, the same texts."""
        path = shared_data / "formats" / "wmttest2022.liv-en.all.xml"
        from_xml = read("t", {"format": "wmt-xml", "langpair": "liv-en", "path": str(path)})
        from_text = read("t", {"format": "mtme", "langpair": "liv-en", "root": str(shared_data / "mtme" / "wmt22")})
        assert from_xml.systems == from_text.systems
        assert from_xml.sources == from_text.sources
        assert from_xml.references["ref"] == from_text.references["refA"]
        assert from_xml.documents == from_text.documents
        assert from_xml.findings == ()

    def test_sakha_russian(self, shared_data: Path) -> None:
        """1,123 segments in 43 documents, 2 systems."""
        path = shared_data / "formats" / "wmttest2022.sah-ru.all.xml"
        evaluation = read("t", {"format": "wmt-xml", "langpair": "sah-ru", "path": str(path)})
        assert (evaluation.n_segments, len(set(evaluation.documents))) == (1123, 43)
        assert list(evaluation.systems) == ["Lan-Bridge", "Online-G"]
        assert list(evaluation.references) == ["refA"]


class TestSacrebleu:
    SETTINGS = {"format": "sacrebleu", "testset": "wmt22", "langpair": "liv-en"}  # noqa: RUF012

    @pytest.fixture
    def cache(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """An empty cache, and no network."""
        dataset = pytest.importorskip("sacrebleu.dataset").DATASETS["wmt22"]
        monkeypatch.setattr(dataset, "_outdir", str(tmp_path / "wmt22"))
        monkeypatch.setattr(dataset, "_rawdir", str(tmp_path / "wmt22" / "raw"))

        def refuse(*_: object, **__: object) -> None:
            raise OSError("no network in tests")

        monkeypatch.setattr("urllib.request.urlopen", refuse)
        return tmp_path / "wmt22"

    @pytest.fixture
    def filled(self, cache: Path, tmp_path: Path) -> Path:
        """The cache with the original file of one language pair, as sacreBLEU unpacks it."""
        first = document("d1", {"1": "eins", "2": "zwei"}, "origlang='liv'", A={"1": "one", "2": "two"})
        second = document("d2", {"1": "drei"}, "origlang='liv'", A={"1": "three"})
        content = xml(first, second).replace(b"<hyp", b"<ref lang='en'><p>%s</p></ref><hyp")
        references = [b"<seg id='1'>One</seg><seg id='2'>Two</seg>", b"<seg id='1'>Three</seg>"]
        for reference in references:
            content = content.replace(b"%s", reference, 1)
        path = cache / "raw" / "wmt22-news-systems-1.1" / "xml" / "wmttest2022.liv-en.all.xml"
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
        return cache

    def test_texts_documents_and_outputs_come_from_the_cache(self, filled: Path) -> None:
        """Everything from the one original file."""
        evaluation = read("t", self.SETTINGS)
        assert evaluation.sources == ("eins", "zwei", "drei")
        assert evaluation.references == {"ref": ("One", "Two", "Three")}
        assert evaluation.documents == ("d1", "d1", "d2")
        assert evaluation.systems == {"A": ("one", "two", "three")}

    def test_segments_by_original_language(self, filled: Path) -> None:
        """A field of sacreBLEU's that is no text can choose segments."""
        read("t", self.SETTINGS)
        (filled / "wmt22.liv-en.origlang").write_text("liv\nen\nliv\n")
        shutil.rmtree(filled / "raw")
        chosen = read("t", {**self.SETTINGS, "only": {"column": {"origlang": "liv"}}})
        assert chosen.sources == ("eins", "drei")

    def test_plain_files_suffice(self, filled: Path) -> None:
        """sacreBLEU's text files are enough, without the archive they came from."""
        first = read("t", self.SETTINGS)
        shutil.rmtree(filled / "raw")
        assert read("t", self.SETTINGS) == first

    def test_own_systems_are_added(self, filled: Path, tmp_path: Path) -> None:
        """A user's outputs beside those of the shared task."""
        (tmp_path / "mine.txt").write_text("1\n2\n3\n")
        settings = {**self.SETTINGS, "systems": str(tmp_path / "mine.txt")}
        assert list(read("t", settings).systems) == ["A", "mine"]
        assert list(read("t", {**settings, "exclude": ["A"]}).systems) == ["mine"]
        with pytest.raises(ConfigError, match="has a system 'A' of its own"):
            read("t", {**settings, "systems": {"A": str(tmp_path / "mine.txt")}})

    def test_a_half_written_cache_is_refused(self, filled: Path) -> None:
        """B53: an interrupted run of sacreBLEU leaves short files."""
        read("t", self.SETTINGS)
        (filled / "wmt22.liv-en.A").write_text("one\n")
        with pytest.raises(InputError, match=r"wmt22\.liv-en\.A has 1 lines.*delete .* and run again"):
            read("t", self.SETTINGS)

    def test_a_missing_download_is_one_message(self, cache: Path) -> None:
        """What to do where there is no network."""
        with pytest.raises(UnavailableError, match=r"wmt22 liv-en is not in sacreBLEU's cache .*OSError: no network"):
            read("t", self.SETTINGS)

    def test_unknown_names_are_refused(self) -> None:
        """Test set and language pair."""
        with pytest.raises(ConfigError, match=r"no test set 'wmt99'. It has .*wmt24"):
            read("t", {**self.SETTINGS, "testset": "wmt99"})
        with pytest.raises(ConfigError, match=r"wmt22 has no fr-en. It has cs-en"):
            read("t", {**self.SETTINGS, "langpair": "fr-en"})

    def test_the_original_file_gives_the_published_texts(self, cache: Path, shared_data: Path) -> None:
        """WMT22 liv-en through sacreBLEU equals the organisers' text files."""
        path = cache / "raw" / "wmt22-news-systems-1.1" / "xml" / "wmttest2022.liv-en.all.xml"
        path.parent.mkdir(parents=True)
        shutil.copy(shared_data / "formats" / path.name, path)
        evaluation = read("t", self.SETTINGS)
        published = read("t", {"format": "mtme", "langpair": "liv-en", "root": str(shared_data / "mtme" / "wmt22")})
        assert evaluation.systems == published.systems


class TestArena:
    def report(self, path: Path, entries: list[dict[str, Any]]) -> str:
        path.write_text(json.dumps({"run_id": path.stem, "entries": entries}))
        return str(path)

    def entry(self, name: object, predicted: str = "p", **more: Any) -> dict[str, Any]:
        return {"id": name, "expected": f"e{name}", "predicted": predicted, "exact_match": False, "error": None, **more}

    def read(self, *paths: str) -> Any:
        return read("t", {"format": "arena", "langpair": "en-crk", "reports": list(paths)})

    def test_common_entries_are_compared_and_the_rest_is_counted(self, tmp_path: Path) -> None:
        """A16: the warning names the counts on both sides; ids may be numbers in one report and texts in another."""
        a = self.report(tmp_path / "a.json", [self.entry(name, f"a{name}") for name in (3, 1, 2, 4)])
        b = self.report(tmp_path / "b.json", [self.entry(name, f"b{name}") for name in ("2", "3", "5")])
        evaluation = self.read(a, b)
        assert evaluation.segment_ids == ("3", "2")
        assert evaluation.systems == {"a": ("a3", "a2"), "b": ("b3", "b2")}
        assert evaluation.references == {"expected": ("e3", "e2")}
        (finding,) = evaluation.findings
        assert finding.message == "Compared on 2 common entries; left out: 2 from a, 1 from b."

    def test_repeated_ids_are_paired_in_order(self, tmp_path: Path) -> None:
        """None is lost, and the user is told."""
        a = self.report(tmp_path / "a.json", [self.entry(7, "x"), self.entry("7", "y")])
        b = self.report(tmp_path / "b.json", [self.entry(7, "v"), self.entry(7, "w")])
        evaluation = self.read(a, b)
        assert evaluation.systems == {"a": ("x", "y"), "b": ("v", "w")}
        assert evaluation.segment_ids == ("7", "7#2")
        assert {finding.code for finding in evaluation.findings} == {"repeated_ids"}

    def test_failed_entries_are_missing(self, tmp_path: Path) -> None:
        """An error is no empty output."""
        a = self.report(tmp_path / "a.json", [self.entry(1), self.entry(2, "", error="timeout")])
        b = self.report(tmp_path / "b.json", [self.entry(1), self.entry(2, "")])
        evaluation = self.read(a, b)
        assert evaluation.systems == {"a": ("p", None), "b": ("p", "")}
        assert [(each.code, each.system, each.segment) for each in evaluation.findings] == [("failed_entries", "a", 1)]

    def test_other_test_sets_are_refused(self, tmp_path: Path) -> None:
        """No common entry, or another reference under the same id."""
        a = self.report(tmp_path / "a.json", [self.entry(1)])
        with pytest.raises(InputError, match="have no entry in common"):
            self.read(a, self.report(tmp_path / "b.json", [self.entry(2)]))
        with pytest.raises(InputError, match=r"b\.json: entry '1' has another `expected` than in .*a\.json"):
            self.read(a, self.report(tmp_path / "b.json", [{**self.entry(1), "expected": "other"}]))

    @pytest.mark.parametrize(
        ("content", "problem"),
        [
            ("[]", "needs a list `entries`"),
            ('{"entries": [', "is not JSON"),
            ('{"entries": ["x"]}', "entry 1: is no object"),
            ('{"entries": [{"id": 1.5}]}', "entry 1: the id 1.5 is neither"),
            ('{"entries": [{"id": 1, "predicted": 3}]}', "predicted holds 3, which is no text"),
        ],
    )
    def test_what_is_no_report_is_refused(self, tmp_path: Path, content: str, problem: str) -> None:
        """The file and entry are named."""
        path = tmp_path / "a.json"
        path.write_text(content)
        with pytest.raises(InputError, match=problem):
            self.read(str(path))
