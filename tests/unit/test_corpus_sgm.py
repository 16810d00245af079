"""SGML of NIST, GTM and WMT until 2020."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mtsig import read
from mtsig.corpus import rawfiles
from mtsig.errors import ConfigError, InputError

SOURCE = """<srcset setid="newstest" srclang="any">
<doc sysid="ref" docid="d1" genre="news" origlang="de">
<p>
<seg id="1">eins</seg>
<seg id="2">zwei</seg>
</p>
</doc>
<doc sysid="ref" docid="d2" genre="talk" origlang="en"><hl><seg id="1">drei</seg></hl></doc>
</srcset>
"""


def texts(kind: str, owner: str, first: list[str], second: list[str], languages: str = 'trglang="en"') -> str:
    """A set with the two documents of `SOURCE` by one owner."""
    documents = "".join(
        f'<doc docid="{name}" sysid="{owner}">'
        + "".join(f'<seg id="{number}">{text}</seg>\n' for number, text in enumerate(lines, start=1))
        + "</doc>\n"
        for name, lines in (("d1", first), ("d2", second))
    )
    return f'<{kind} setid="newstest" srclang="any" {languages}>\n{documents}</{kind}>\n'


def files(folder: Path, **contents: str) -> dict[str, Any]:
    """Write the files, and give the settings that name them by their key."""
    settings: dict[str, Any] = {"format": "wmt-sgm", "langpair": "de-en"}
    for key, content in contents.items():
        path = folder / f"{key}.sgm"
        path.write_text(content, encoding="utf-8")
        settings[key] = str(path)
    return settings


def usual(folder: Path) -> dict[str, Any]:
    return files(
        folder,
        source=SOURCE,
        references=texts("refset", "ref", ["one", "two"], ["three"]),
        systems=texts("tstset", "A.1", ["one", "too"], ["tree"]) + texts("tstset", "B.2", ["on", "two"], ["three"]),
    )


def test_sources_references_and_systems_are_joined_by_document_and_segment(tmp_path):
    evaluation = read("t", usual(tmp_path))
    assert evaluation.segment_ids == ("d1:1", "d1:2", "d2:1")
    assert evaluation.documents == ("d1", "d1", "d2")
    assert evaluation.domains == ("news", "news", "talk")
    assert evaluation.sources == ("eins", "zwei", "drei")
    assert evaluation.references == {"ref": ("one", "two", "three")}
    assert evaluation.systems == {"A.1": ("one", "too", "tree"), "B.2": ("on", "two", "three")}
    assert evaluation.findings == ()


def test_one_file_may_hold_everything_in_any_order_and_case(tmp_path):
    """Elements and attributes in capitals, values without quotes, two references in one set, documents reordered."""
    content = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE mteval SYSTEM "ftp://jaguar.ncsl.nist.gov/mt/resources/mteval-xml-v1.3.dtd">
<!-- <refset> of another day -->
<mteval>
<REFSET setid=x srclang=German trglang=English>
<DOC DOCID=d1 SYSID=ref1><SEG ID=1> one </SEG></DOC><DOC DOCID=d2 SYSID=ref1><SEG ID=1>two</SEG></DOC>
<DOC DOCID=d1 SYSID='ref 2'><SEG ID=1>I</SEG></DOC></REFSET>
<tstset sysid="A"><doc docid="d2"><seg id="1">two
  lines</seg></doc><doc docid="d1"><seg id="1">one</seg></doc></tstset>
</mteval>"""
    path = tmp_path / "all.sgm"
    path.write_text(content, encoding="utf-8")
    settings = {"format": "wmt-sgm", "langpair": "de-en", "references": str(path), "systems": str(path)}
    evaluation = read("t", settings)
    assert evaluation.references == {"ref1": ("one", "two"), "ref 2": ("I", None)}
    assert evaluation.systems == {"A": ("one", "two lines")}
    assert evaluation.sources == (None, None)
    assert list(read("t", {**settings, "references": {"ref1": str(path)}}).references) == ["ref1"]


def test_entities_are_decoded_once_and_other_ampersands_stay(tmp_path):
    settings = usual(tmp_path)
    Path(settings["systems"]).write_text(
        texts("tstset", "A", ["R&D &amp; AT&T; &amp;lt;", "&lt;b&gt; &quot;&apos;&#233;&#xE9;&eacute;"], ["a < b > c"])
    )
    assert read("t", settings).systems["A"] == ("R&D & AT&T; &lt;", "<b> \"'ééé", "a < b > c")


def test_what_a_system_lacks_is_missing_and_an_empty_segment_is_empty(tmp_path):
    settings = usual(tmp_path)
    Path(settings["systems"]).write_text(texts("tstset", "A", [""], []))
    assert read("t", settings).systems["A"] == ("", None, None)


def test_files_can_be_named_in_the_configuration(tmp_path):
    settings = usual(tmp_path)
    for name, text in (("x", "one"), ("y", "uno")):
        (tmp_path / f"{name}.sgm").write_text(texts("refset", "ref", [text, text], [text]))
    paths = {name: str(tmp_path / f"{name}.sgm") for name in "xy"}
    assert list(read("t", {**settings, "references": paths}).references) == ["x", "y"]
    with pytest.raises(ConfigError, match=r"t\.references: .*x\.sgm and .*y\.sgm both hold 'ref'\. Name them"):
        read("t", {**settings, "references": list(paths.values())})
    with pytest.raises(ConfigError, match=r"systems\.C: .* holds 'A\.1', 'B\.2', of which none is called 'C'"):
        read("t", {**settings, "systems": {"C": settings["systems"]}})
    assert list(read("t", {**settings, "systems": {"B.2": settings["systems"]}}).systems) == ["B.2"]
    assert list(read("t", {**settings, "exclude": ["A.1"]}).systems) == ["B.2"]
    assert len(rawfiles.testset_files({**settings, "references": paths})) == 4


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("plain text\n", "holds no|has no <srcset>, <refset> or <tstset>"),
        (
            '<tstset>\n<doc docid="d1" sysid="A">\n<seg id="1">one\n<seg id="2">',
            r"line 3: <seg> is not closed before <seg",
        ),
        ('<tstset><doc docid="d1" sysid="A">\n<seg id="1">one', r"line 2: <seg> is never closed"),
        ('<tstset>\n<doc docid="d1" sysid="A"><seg>a</seg>', r"line 2: <seg> needs an id"),
        ('<tstset><doc docid="d1">\n<seg id=1>a</seg>\n<seg id=1>b</seg>', r"line 3: <seg> needs an id .* has '1'"),
        ('<tstset>\n<doc sysid="A"></doc>', r"line 2: <doc> needs a docid"),
        ('<tstset>\n<doc docid="a" sysid="A"></doc>\n<doc docid="a" sysid="A">', r"line 3: <doc> needs a docid .* 'a'"),
        ('\n<doc docid="a">', r"line 2: <doc> stands outside"),
        ("<tstset>\n<seg id=1>a</seg>", r"line 2: <seg> stands outside of <doc>"),
        ("<tstset>\n<refset>", r"line 2: <refset> stands inside of <tstset>"),
        ("<tstset><doc docid=1>\n<doc docid=2>", r"line 2: <doc> stands inside of another"),
        ("<tstset><doc docid=1>\n</seg>", r"line 2: </seg> closes nothing"),
        ('<tstset>\n<doc docid="a>', r"line 2: the tag <doc is not closed"),
        ("<tstset>\n<doc docid=1><seg id=1>&#0;</seg>", r"line 2: &#0; is no character"),
        ("\n<!-- <tstset>", r"line 2: the comment that starts here is never closed"),
        ('\n<!DOCTYPE x [<!ENTITY a "b">]><tstset>', r"line 2: declarations are not followed"),
        ('\n<!ENTITY a SYSTEM "file:///etc/hostname"><tstset>', r"line 2: declarations are not followed"),
    ],
)
def test_malformed_files_are_refused_with_their_line(tmp_path, content, message):
    settings = usual(tmp_path)
    Path(settings["systems"]).write_text(content)
    with pytest.raises(InputError, match=message):
        read("t", settings)


def test_texts_of_another_kind_or_shape_are_refused(tmp_path):
    settings = usual(tmp_path)
    with pytest.raises(ConfigError, match=r"references: .* holds no references \(<refset>\), but <tstset>"):
        read("t", {**settings, "references": settings["systems"]})
    Path(settings["systems"]).write_text(texts("tstset", "A", ["a", "b", "c"], ["d"]))
    with pytest.raises(InputError, match=r"document 'd1' \(line 2\): has segment '3', which .* does not have"):
        read("t", settings)


def test_other_languages_are_noticed(tmp_path):
    settings = usual(tmp_path)
    Path(settings["references"]).write_text(texts("refset", "ref", ["one", "two"], ["three"], 'trglang="fr"'))
    assert [finding.code for finding in read("t", settings).findings] == ["other_language"]
