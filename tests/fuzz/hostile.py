"""Hostile characters, bytes and files, and the property that every reader and command must have.

The suite draws few examples; `pytest tests/fuzz --hypothesis-profile=fuzz` draws many, other ones in every run.
"""

from __future__ import annotations

import gzip
import io
import json
import lzma
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st
from mtsig.errors import MtsigError

#: One character of every category of Unicode, lone surrogates (Cs) among them.
CATEGORIES = {unicodedata.category(character): character for character in map(chr, range(sys.maxunicode, -1, -1))}

#: What has broken readers, pages, tables and terminals before.
HOSTILE = [
    *CATEGORIES.values(),
    *("\0", "\x1b[31m", "\x1b]0;title\x07", "\r", "\n", "\t", "\x85", "\u2028", "\u2029", "\ufeff", "\u202e"),
    *"\"',\\{[]}<>&%$#_^~|`=+-@",
    *("..", "../../x", "/etc/passwd", ".", "~", "con", "nul.txt", "a/b", "x" * 300, "no", "null", "NaN", "1e999"),
    *("=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "</script><script>alert(1)</script>", "javascript:alert(1)"),
    *("<!--", "]]>", "&bad;", "\\input{/etc/passwd}", "\\write18{id}", "^^41", "[a](javascript:b)", "{{ 7 * 7 }}"),
]

#: Texts of hostile pieces, also such as no file can hold.
any_text = st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=3)), max_size=6).map("".join)
#: Texts that UTF-8 can hold.
file_text = any_text.filter(lambda text: not any("\ud800" <= character <= "\udfff" for character in text))
#: Categories of characters that no name of a system may hold.
FORBIDDEN = ("Cc", "Cs", "Zl", "Zp")
#: Names of systems that are refused nowhere.
name = file_text.map(lambda text: "".join(c for c in text if unicodedata.category(c) not in FORBIDDEN)).filter(
    str.strip
)

#: Any bytes, and texts as bytes, behind what makes readers take them for something.
any_bytes = st.builds(
    bytes.__add__,
    st.sampled_from([b"", b"\xef\xbb\xbf", b"\xff\xfe", b"\x1f\x8b\x08", b"\xfd7zXZ\0", b"PAR1", b"<?xml", b"{", b"["]),
    st.one_of(st.binary(max_size=200), file_text.map(str.encode)),
)

#: JSON values of any kind, with texts and numbers that strain.
json_value = st.recursive(
    st.one_of(
        any_text,
        st.none(),
        st.booleans(),
        st.sampled_from([0, -1, 10**30, 10**400, 1.5, 1e308, float("nan"), float("inf"), -0.0]),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(any_text, inner, max_size=3)),
    max_leaves=6,
)


def examples(share: float) -> hypothesis.settings:
    """Settings that draw this share of the profile's examples."""
    return hypothesis.settings(
        max_examples=max(1, round(share * hypothesis.settings.default.max_examples)),
        suppress_health_check=list(hypothesis.HealthCheck),
    )


@st.composite
def mutated(draw: st.DrawFn, valid: bytes) -> bytes:
    """Valid content with pieces dropped, doubled, moved, or replaced by hostile ones."""
    data = bytearray(valid)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 12)))
        piece = bytes(data[start:end])
        match draw(st.sampled_from(["drop", "double", "replace", "insert", "flip", "cut"])):
            case "drop":
                del data[start:end]
            case "double":
                data[start:start] = piece
            case "replace":
                data[start:end] = draw(st.sampled_from(HOSTILE)).encode("utf-8", "surrogatepass")
            case "insert":
                data[start:start] = draw(st.binary(max_size=4))
            case "flip" if start < len(data):
                data[start] ^= 1 << draw(st.integers(0, 7))
            case "cut":
                del data[start:]
    return bytes(data)


def compressed(suffix: str, data: bytes) -> bytes:
    """The bytes as a file with this ending holds them."""
    return {".gz": lambda data: gzip.compress(data, 1), ".xz": lzma.compress}.get(suffix, bytes)(data)


def refused(function: Callable[[], Any]) -> str | None:
    """What a function says where it refuses its input; anything but a refusal made for people goes through.

    The message is one line that a terminal can show: short, and without control characters.
    """
    try:
        function()
    except MtsigError as error:
        message = str(error)
    else:
        return None
    check_message(message)
    return message


def check_message(message: str) -> None:
    """A message is a line of printable text of a bearable length."""
    assert message.strip()
    assert len(message) < 4000
    turns = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    bad = {c for c in message if unicodedata.category(c) in ("Cc", "Zl", "Zp") or c in turns}
    assert not bad


def parquet(columns: dict[str, Any]) -> bytes:
    """A Parquet file."""
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer)
    return buffer.getvalue()


_ROWS = [
    {"segment_id": str(i), "source": f"s {i}", "reference": f"r {i}", "document": "d", "A": f"a {i}", "B": f"b {i}"}
    for i in range(3)
]
_LONG = [
    {"system": name, "segment_id": i, "hypothesis": f"{name} {i}", "references": [f"r {i}", None]}
    for name in "AB"
    for i in range(3)
]


def _delimited(separator: str) -> bytes:
    return "".join(f"{separator.join(row)}\n" for row in [[*_ROWS[0]], *(row.values() for row in _ROWS)]).encode()


def _entries(name: str) -> list[dict[str, Any]]:
    return [
        {
            "id": i,
            "expected": f"r {i}",
            "predicted": f"{name} {i}",
            "exact_match": i == 1,
            "error": None,
            "comet_score": 0.5 + i,
            "plugin_metrics": {"fst": {"valid": i}},
        }
        for i in range(3)
    ]


_XML = b"""<?xml version="1.0" encoding="utf-8"?>
<dataset id="t"><doc id="d" origlang="de" domain="news">
<src lang="de"><p><seg id="1">eins</seg><seg id="2">zwei &amp; drei</seg></p></src>
<ref lang="en" translator="A"><p><seg id="1">one</seg><seg id="2">two</seg></p></ref>
<hyp system="A" lang="en"><p><seg id="1">one</seg><seg id="2">to</seg></p></hyp>
<hyp system="B" lang="en"><p><seg id="1">on</seg><seg id="2">two</seg></p></hyp>
</doc></dataset>
"""

_SGM = b"""<!DOCTYPE mteval SYSTEM "mteval.dtd">
<srcset srclang="de"><doc docid="d" genre="news"><p><seg id="1">eins</seg><seg id="2">zwei</seg></p></doc></srcset>
<refset srclang=de trglang=en><DOC docid="d" sysid="r"><seg id=1>one</seg><seg id=2>two &amp; R&D</seg></DOC></refset>
<tstset setid="t" srclang="de" trglang="en"><doc docid="d" sysid="A"><seg id="1">one</seg><seg id="2">to</seg></doc>
<doc docid="d" sysid="B"><seg id="1">on</seg><seg id="2"> two
</seg></doc></tstset>
"""

#: Formats of test sets: the settings, with paths below a folder, and the files, of which the first is made hostile.
TESTSETS: dict[str, tuple[dict[str, Any], dict[str, bytes]]] = {
    "text": (
        {"systems": ["A.txt"], "references": "ref.txt", "documents": "docs.txt", "source": "src.txt"},
        {"A.txt": b"a\nb\nc\n", "ref.txt": b"r\ns\nt\n", "docs.txt": b"n\td\nn\td\nn\te\n", "src.txt": b"1\n2\n3\n"},
    ),
    "documents": (
        {"systems": ["A.txt"], "references": "ref.txt", "documents": "docs.txt"},
        {"docs.txt": b"n\td\nn\td\nn\te\n", "A.txt": b"a\nb\nc\n", "ref.txt": b"r\ns\nt\n"},
    ),
    "tsv": ({"path": "t.tsv"}, {"t.tsv": _delimited("\t")}),
    "csv": ({"path": "t.csv"}, {"t.csv": _delimited(",").replace(b"a 1", b'"a, ""1"""')}),
    "jsonl": ({"path": "t.jsonl"}, {"t.jsonl": "".join(json.dumps(row) + "\n" for row in _LONG).encode()}),
    "parquet": ({"path": "t.parquet"}, {"t.parquet": parquet({key: [row[key] for row in _LONG] for key in _LONG[0]})}),
    "wmt-xml": ({"path": "t.xml"}, {"t.xml": _XML}),
    "wmt-sgm": ({"systems": ["t.sgm"], "references": "t.sgm", "source": "t.sgm"}, {"t.sgm": _SGM}),
    "mtme": (
        {"root": "mtme"},
        {
            "mtme/system-outputs/de-en/A.txt": b"a\nb\nc\n",
            "mtme/sources/de-en.txt": b"1\n2\n3\n",
            "mtme/references/de-en.refA.txt": b"r\ns\nt\n",
            "mtme/documents/de-en.docs": b"n\td\nn\td\nn\te\n",
        },
    ),
    "arena": (
        {"reports": ["a.json", "b.json"]},
        {f"{name}.json": json.dumps({"run_id": name, "entries": _entries(name)}).encode() for name in "ab"},
    ),
}

#: Files of scores of the systems A and B on three segments.
SCORES: dict[str, bytes] = {
    "m.seg.score": b"".join(b"%s\t%d.5\n" % (name, i) for name in (b"A", b"B") for i in range(3)),
    "m.tsv": b"system\tsegment\tscore\thypothesis\n" + b"".join(b"A\t%d\t%d.5\ta %d\n" % (i, i, i) for i in range(3)),
    "m.csv": b"system,segment_id,score\n" + b"".join(b"B,%d,-%d\n" % (i, i) for i in range(3)),
    "m.jsonl": b"".join(
        b'{"system": "A", "segment_id": "%d", "score": %d, "mt": "a %d"}\n' % (i, i, i) for i in range(3)
    ),
    "m.parquet": parquet({"system": ["A"] * 3, "segment": [0, 1, 2], "score": [0.5, 1.0, 2.0]}),
    "comet.json": json.dumps({"A.txt": [{"mt": f"a {i}", "COMET": i / 2} for i in range(3)]}).encode(),
    "A.json": json.dumps({"entries": [{"id": i, "predicted": f"a {i}", "score": i} for i in range(3)]}).encode(),
    "A.txt": b"1\n2\n3\n",
}


def write_testset(folder: Path, which: str, content: bytes | None = None, *, suffix: str = "") -> dict[str, Any]:
    """Write a test set of a format below `folder` and give its settings; `content` replaces that of its main file."""
    settings, files = TESTSETS[which]
    main = next(iter(files))
    for path, data in files.items():
        target = folder / (path + suffix if path == main else path)
        target.parent.mkdir(parents=True, exist_ok=True)
        data = data if path != main or content is None else content
        target.write_bytes(compressed(suffix, data) if path == main else data)

    def placed(value: Any) -> Any:
        if isinstance(value, list):
            return [placed(item) for item in value]
        return str(folder / (value + suffix if value == main else value))

    return {
        "format": "text" if which == "documents" else which,
        "langpair": "de-en",
        **{key: placed(value) for key, value in settings.items()},
    }
