"""Bibles from packages: verses aligned by their ids, chapters as documents, what is not there is missing."""

from __future__ import annotations

import pytest
from mtsig.corpus.rawfiles import testset_files as raw_files
from mtsig.corpus.reading import read
from mtsig.errors import ConfigError, UnavailableError

SETTINGS = {"format": "pythonbible", "langpair": "en-en", "reference": "KJV", "systems": ["WEB", "ASV", "DAR", "YLT"]}


@pytest.fixture(scope="module")
def bible():
    for version in (SETTINGS["reference"], *SETTINGS["systems"]):
        pytest.importorskip(f"pythonbible_{version.lower()}", reason="needs pip install -e '.[bible]'")
    return read("bible", SETTINGS)


def test_all_verses_of_the_reference_are_there(bible):
    """31,102 verses in 1,189 chapters of 66 books."""
    assert bible.n_segments == 31102
    assert len(set(bible.documents)) == 1189
    assert len(set(bible.domains)) == 66
    assert bible.segment_ids[0] == "Genesis 1:1"
    assert bible.segment_ids[-1] == "Revelation 22:21"
    assert list(bible.systems) == ["ASV", "DAR", "WEB", "YLT"]
    assert all(bible.references["KJV"])


def test_verses_are_aligned_and_missing_ones_are_none(bible):
    """A verse that a translation lacks, or leaves blank, is missing rather than empty."""
    verse = bible.segment_ids.index("John 11:35")
    assert {name: texts[verse] for name, texts in bible.systems.items()} == dict.fromkeys(bible.systems, "Jesus wept.")
    assert "" not in {text for texts in bible.systems.values() for text in texts}
    assert bible.systems["WEB"].count(None) == 3
    assert bible.systems["ASV"].count(None) == 16
    assert not any("  " in text for texts in bible.systems.values() for text in texts if text)


def test_files_of_the_packages_are_what_ingest_depends_on(bible):
    """An update of a package changes a file, and so makes the test set anew."""
    assert [path.parent.name for path in raw_files(SETTINGS)] == sorted(
        f"pythonbible_{version.lower()}" for version in ("KJV", *bible.systems)
    )
    assert len(raw_files({**SETTINGS, "exclude": ["WEB"]})) == 4


def test_absent_package_is_named_with_the_way_to_get_it():
    """What to install stands in the message."""
    with pytest.raises(UnavailableError, match=r"pythonbible-none.*pip install -e '\.\[bible\]'"):
        raw_files({**SETTINGS, "reference": "NONE"})
    with pytest.raises(ConfigError, match="no system is left"):
        raw_files({**SETTINGS, "exclude": SETTINGS["systems"]})
