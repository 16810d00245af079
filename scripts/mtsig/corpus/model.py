"""What every reader gives and every later part takes: one test set in one language pair."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field

from mtsig.errors import InputError

__all__ = ["EvaluationSet", "Finding", "Whole", "check_names"]


@dataclass(frozen=True)
class Finding:
    """Something noticed in the input that the user should know; a finding never changes the data.

    Parameters
    ----------
    level
        ``"info"`` or ``"warning"``.
    code
        A name from `mtsig.corpus.lint.DESCRIPTIONS`.
    message
        The evidence and what to do, in one line.
    system
        The system concerned, or None.
    segment
        The 0-based segment concerned, or None.
    """

    level: str
    code: str
    message: str
    system: str | None = None
    segment: int | None = None


@dataclass(frozen=True)
class Whole:
    """The test set of which an evaluation set is a part.

    Parameters
    ----------
    segment_ids, documents, domains
        Of all its segments.
    rows
        Positions in it of the part's segments.
    """

    segment_ids: tuple[str, ...]
    documents: tuple[str | None, ...]
    domains: tuple[str | None, ...]
    rows: tuple[int, ...]


@dataclass(frozen=True)
class EvaluationSet:
    """One test set in one language pair, with the hypotheses of all its systems, aligned segment by segment.

    In every text None means *missing* (there is no such text) and ``""`` means *empty* (there is one, of length 0).

    Parameters
    ----------
    testset, langpair
        Name of the test set and ordered language codes such as ``"en-de"``.
    segment_ids
        (n_segments,) the input's ids, else 1-based line numbers as strings.
    documents, domains
        (n_segments,) None where the input has none.
    sources
        (n_segments,) source texts.
    references
        Reference name to (n_segments,) texts, in the input's order.
    systems
        System name to (n_segments,) hypotheses, sorted by name.
    findings
        What the reader noticed.
    columns
        Further columns of the input, name to (n_segments,) cells; readers give those that the settings choose
        segments by.
    whole
        The test set of which this is a part; None where it is a whole.

    Raises
    ------
    TypeError
        If one text stands where a sequence of texts is due.
    ValueError
        If the parts have different lengths.

    Examples
    --------
    >>> evaluation = EvaluationSet("demo", "en-de", ("1",), (None,), (None,), ("Hi.",), {}, {"A": ("Hallo.",)})
    >>> evaluation.n_segments
    1
    """

    testset: str
    langpair: str
    segment_ids: tuple[str, ...]
    documents: tuple[str | None, ...]
    domains: tuple[str | None, ...]
    sources: tuple[str | None, ...]
    references: dict[str, tuple[str | None, ...]]
    systems: dict[str, tuple[str | None, ...]]
    findings: tuple[Finding, ...] = ()
    columns: dict[str, tuple[str | None, ...]] = field(default_factory=dict)
    whole: Whole | None = None

    def __post_init__(self) -> None:
        named: dict[str, object] = {f"references[{name!r}]": texts for name, texts in self.references.items()}
        named |= {f"systems[{name!r}]": texts for name, texts in self.systems.items()}
        for name in ("segment_ids", "documents", "domains", "sources"):
            named[name] = getattr(self, name)
        for name, texts in named.items():
            if isinstance(texts, str):
                raise TypeError(f"{name}: expected one text per segment, (n_segments,), found the text {texts[:40]!r}.")
        columns = [self.documents, self.domains, self.sources, *self.references.values(), *self.systems.values()]
        columns += self.columns.values()
        if any(len(column) != self.n_segments for column in columns):
            raise ValueError(f"{self.testset}: the parts of an evaluation set must all have the same length")

    @property
    def n_segments(self) -> int:
        """Number of segments."""
        return len(self.segment_ids)


def check_names(names: Iterable[str], what: str) -> None:
    """Refuse names of systems or references that could not be told apart or shown in a table.

    Any text is a name, also ``..``, ``c++`` or ``org/model v1.2``; it only must not be blank, hold control
    characters, or equal another name in Unicode normal form NFC.

    Parameters
    ----------
    names
        The names, each as often as it occurs.
    what
        Where they come from, for the message.

    Raises
    ------
    InputError
        If a name is unusable or occurs twice.
    """
    seen: dict[str, str] = {}
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"{what}: the name {name!r} is no text; write it in quotes.")
        if not name.strip():
            raise InputError(f"{what}: the name {name!r} is blank; give every one a name.")
        if any(unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} for character in name):
            raise InputError(f"{what}: the name {name!r} holds a control character or line break; rename it.")
        key = unicodedata.normalize("NFC", name)
        if key in seen:
            raise InputError(f"{what}: the name {name!r} occurs twice (Unicode forms of it count as one); rename one.")
        seen[key] = name
