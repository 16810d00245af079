"""The one place where text is read: bytes, lines, byte-order marks, compression."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mtsig.corpus import textfiles
from mtsig.errors import InputError


def written(folder: Path, data: bytes, name: str = "a.txt") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85", "\x0c", "\x0b", "\x1c", "\r"])
def test_only_line_feeds_end_lines(tmp_path: Path, separator: str) -> None:
    """B36: other separators inside a segment are content."""
    path = written(tmp_path, f"one{separator}half\ntwo\nthree\n".encode())
    assert textfiles.read_lines(path) == [f"one{separator}half", "two", "three"]


def test_windows_line_ends_are_dropped_and_reported(tmp_path: Path) -> None:
    """B36: one carriage return before each line feed goes, and no more than one."""
    text = textfiles.read_text(written(tmp_path, b"one\r\ntwo\r\r\nthree\n"))
    assert text.lines() == ["one", "two\r", "three"]
    (finding,) = text.findings("A")
    assert (finding.code, finding.system) == ("windows_line_ends", "A")
    assert "2 of 3 lines" in finding.message


def test_a_byte_order_mark_at_the_start_is_dropped_and_reported(tmp_path: Path) -> None:
    """B37: the first segment is the same as without the mark; a mark elsewhere is content."""
    text = textfiles.read_text(written(tmp_path, "\ufeffone\n\ufefftwo\n".encode()))
    assert text.lines() == ["one", "\ufefftwo"]
    assert [finding.code for finding in text.findings()] == ["byte_order_mark"]


@pytest.mark.parametrize(
    ("data", "lines"),
    [(b"", []), (b"\n", [""]), (b"a", ["a"]), (b"a\n", ["a"]), (b"a\n\n", ["a", ""]), (b"\n\na", ["", "", "a"])],
)
def test_a_final_line_feed_opens_no_line(tmp_path: Path, data: bytes, lines: list[str]) -> None:
    """The line feed at the end of the file belongs to the last line."""
    assert textfiles.read_lines(written(tmp_path, data)) == lines


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n")), min_size=1))
def test_any_texts_survive(texts: list[str]) -> None:
    """What is written one per line is read back, whatever characters it holds (a carriage return at an end aside)."""
    texts = [text.rstrip("\r") for text in texts]
    marked = "\ufeff" + "\n".join(texts) + "\n"
    assert textfiles.decode(marked.encode(), "x").lines() == texts


def test_latin1_is_refused_with_its_place(tmp_path: Path) -> None:
    """B50: the message names file, line and byte."""
    path = written(tmp_path, "gut\ncafé noir\n".encode("latin-1"), "outputs.txt")
    with pytest.raises(InputError, match=r"outputs\.txt, line 2: byte 4 \(0xE9\) is not UTF-8"):
        textfiles.read_text(path)


def test_utf16_is_refused_by_name(tmp_path: Path) -> None:
    """A file in UTF-16 is not reported as a bad byte."""
    with pytest.raises(InputError, match="UTF-16"):
        textfiles.read_text(written(tmp_path, "abc\n".encode("utf-16")))


@pytest.mark.parametrize(("suffix", "compress"), [(".gz", gzip.compress), (".xz", lzma.compress)])
class TestCompressed:
    def test_is_read_as_it_is(self, tmp_path: Path, suffix: str, compress: object) -> None:
        """Compressed files give the same lines; several streams in a file follow each other."""
        data = compress(b"eins\n") + compress(b"zwei\n")  # type: ignore[operator]
        assert textfiles.read_lines(written(tmp_path, data, "a.txt" + suffix)) == ["eins", "zwei"]

    def test_is_refused_when_damaged(self, tmp_path: Path, suffix: str, compress: object) -> None:
        """A truncated download is not taken for a short file."""
        data = compress(b"one line and another\n" * 50)[:-9]  # type: ignore[operator]
        with pytest.raises(InputError, match="damaged"):
            textfiles.read_lines(written(tmp_path, data, "a.txt" + suffix))

    def test_is_refused_when_misnamed(self, tmp_path: Path, suffix: str, compress: object) -> None:
        """Plain text under a compressed name is refused."""
        with pytest.raises(InputError, match="misnamed"):
            textfiles.read_lines(written(tmp_path, b"plain text, not compressed\n", "a.txt" + suffix))

    def test_bomb_is_refused(self, tmp_path: Path, suffix: str, compress: object) -> None:
        """A file that grows a thousandfold is refused before it fills the memory."""
        data = compress(b"\0" * (80 << 20))  # type: ignore[operator]
        with pytest.raises(InputError, match="decompresses to more than"):
            textfiles.read_bytes(written(tmp_path, data, "a" + suffix))


def test_missing_files_and_folders_are_named(tmp_path: Path) -> None:
    """The operating system's errors become messages."""
    with pytest.raises(InputError, match="no such file"):
        textfiles.read_text(tmp_path / "absent.txt")
    with pytest.raises(InputError, match="folder"):
        textfiles.read_text(tmp_path)
