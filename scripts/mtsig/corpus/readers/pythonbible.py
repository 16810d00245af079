"""The format ``pythonbible``: English Bibles from the packages ``pythonbible-*``, verse by verse.

One translation serves as the reference and others as systems: 31,102 aligned segments in known documents, which anyone
can install. This module is the only one that touches these packages.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from mtsig.corpus.model import EvaluationSet
from mtsig.corpus.rawfiles import PYTHONBIBLE_MODULE, pythonbible_versions
from mtsig.errors import InputError

__all__ = ["read"]

# A verse id is BBCCCVVV: book, chapter and verse.
_BOOK, _CHAPTER = 1_000_000, 1_000


def read(testset: str, settings: Mapping[str, Any]) -> EvaluationSet:
    """Read translations of the Bible that are installed as packages.

    The segments are the verses of the reference, the documents its chapters, the domains its books. A verse that
    another translation lacks, or leaves blank, is missing there. Runs of white space, which one package has, are one
    space.

    Parameters
    ----------
    testset
        Its name.
    settings
        ``langpair``, ``reference`` and ``systems`` (codes of versions such as ``KJV``), ``exclude``.

    Raises
    ------
    UnavailableError
        If a package is not installed.
    InputError
        If a package does not hold what it should.
    """
    reference, *systems = pythonbible_versions(settings, f"testsets.{testset}.")
    verses = _verses(reference)
    if not verses:
        raise InputError(f"testsets.{testset}.reference: the package of {reference} holds no verses.")
    translations = {system: _verses(system) for system in systems}
    titles = {book.value: book.title for book in importlib.import_module("pythonbible").Book}
    chapters = [f"{titles[verse // _BOOK]} {verse % _BOOK // _CHAPTER}" for verse in verses]
    return EvaluationSet(
        testset=testset,
        langpair=settings["langpair"],
        segment_ids=tuple(f"{chapter}:{verse % _CHAPTER}" for verse, chapter in zip(verses, chapters, strict=True)),
        documents=tuple(chapters),
        domains=tuple(titles[verse // _BOOK] for verse in verses),
        sources=(None,) * len(verses),
        references={reference: tuple(verses.values())},
        systems={system: tuple(translations[system].get(verse) for verse in verses) for system in sorted(translations)},
    )


def _verses(version: str) -> dict[int, str]:
    """Verse id to text, in the order of the books."""
    bible = importlib.import_module(PYTHONBIBLE_MODULE.format(version.lower())).bible
    texts = {verse: " ".join(bible.get_scripture(verse).split()) for verse in sorted(bible.verse_start_indices)}
    return {verse: text for verse, text in texts.items() if text}
