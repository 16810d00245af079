"""One column of texts as the checks see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mtsig.corpus.model import EvaluationSet, Finding

__all__ = ["Column", "columns", "listed", "percent"]


@dataclass(frozen=True, eq=False)
class Column:
    """Source, reference or the output of a system.

    Nothing is kept that can be made again at once: large test sets have many columns.

    Parameters
    ----------
    label
        What it is called in messages.
    role
        ``"source"``, ``"reference"`` or ``"system"``.
    name
        Of the reference or system.
    texts
        (n_segments,) None where missing.
    """

    label: str
    role: str
    name: str
    texts: Sequence[str | None]

    @property
    def system(self) -> str | None:
        """The system's name, or None if this is no output."""
        return self.name if self.role == "system" else None

    @property
    def present(self) -> list[tuple[int, str]]:
        """Segments that have a text, empty ones included, and their texts."""
        return [(row, text) for row, text in enumerate(self.texts) if text is not None]

    @property
    def joined(self) -> str:
        """All texts, one per line: what is not in here is in none of them."""
        return "\n".join(text for text in self.texts if text is not None)

    def finding(self, level: str, code: str, message: str, segment: int | None = None) -> Finding:
        """A finding about this column; the message is preceded by what the column is."""
        return Finding(level, code, f"{self.label}: {message}", self.system, segment)


def columns(evaluation: EvaluationSet) -> list[Column]:
    """All columns of an evaluation set that hold any text: source, references, systems."""
    found = [Column("source", "source", "source", evaluation.sources)]
    for name, texts in evaluation.references.items():
        label = name if name.startswith("reference") else f"reference {name}"
        found.append(Column(label, "reference", name, texts))
    found += [Column(f"system {name}", "system", name, texts) for name, texts in evaluation.systems.items()]
    return [column for column in found if column.role == "system" or column.present]


def percent(count: int, total: int) -> str:
    """``count of total (share)`` for messages.

    Examples
    --------
    >>> percent(997, 998), percent(1, 3000)
    ('997 of 998 (99.9%)', '1 of 3000 (0.03%)')
    """
    share = 100 * count / total if total else 0.0
    digits = 1 if share >= 1 else 2
    return f"{count} of {total} ({share:.{digits}f}%)"


def listed(segments: Sequence[int], n_shown: int = 3) -> str:
    """1-based line numbers for messages.

    Examples
    --------
    >>> listed([0]), listed([0, 4, 5, 9])
    ('line 1', 'lines 1, 5, 6, ...')
    """
    lines = ", ".join(str(segment + 1) for segment in segments[:n_shown])
    return f"line{'s' if len(segments) > 1 else ''} {lines}{', ...' if len(segments) > n_shown else ''}"
