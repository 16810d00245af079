"""What language models leave in outputs: openings, notes, refusals, markup, the prompt; and SGML read as plain text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from mtsig.corpus.checks.column import Column, listed, percent
from mtsig.corpus.model import Finding

__all__ = ["check_generated", "check_sgml"]

# An opening is repeated where so many segments, and this share of them, begin with the same characters (fewer of them
# without spaces), and references and most other systems do so at most a quarter as often.
_OPENING, _OPENING_WITHOUT_SPACES = 12, 5
_OPENINGS, _OPENING_SHARE = 5, 0.03
# So few are an opening if nobody else has it at all. The most common ones are looked at.
_RARE_SHARE, _STARTS = 0.01, 3
# From so many segments on, or from this share, single ones are worth a warning.
_SEVERAL, _SEVERAL_SHARE = 3, 0.01
# A source has to be so long for its repetition to be no accident, and the output so much longer.
_LONG_SOURCE, _MORE = 20, 10

_MARKUP = re.compile(r"```|\*\*\S|^#{1,6} \S|</?[A-Za-z][A-Za-z0-9]{0,9}(?:\s[a-z-]+\s*=[^<>]*)?\s*/?>")
# What speaks for markup in sources and references: hashtags may lose their place.
_MARKUP_OR_HASH = re.compile(rf"{_MARKUP.pattern}|#")
_MARKS = ("<", "**", "```")

# What models say about their task, at the start of an output ...
_TALK = re.compile(
    r"(?:sure|certainly|of course|okay)[,!.:] (?:here|the translat|i )"
    r"|here(?:'s|’s| is| are) (?:the|your|a|my) (?:\w+ ){0,3}translat"
    r"|(?:the )?translat(?:ion|ed text)(?: (?:of|in|into|to) [^.:]{0,40})?:"
    r"|as an ai\b|i(?:'m|’m| am) (?:sorry|unable)\b[^.]{0,60}\b(?:translat|assist)"
    r"|i can(?:not|'t|’t) (?:translat|assist|fulfil|provide a translat)"
    r"|(?:hier ist|voici|aquí (?:está|tienes)|ecco|вот)\b[^.:]{0,40}(?:übersetzung|traduc|traduz|перевод)"
    r"|(?:übersetzung|traducción|traduction|traduzione|перевод)\s?:"
    r"|以下是.{0,12}(?:翻译|译文|翻訳)|(?:翻译|译文|翻訳|번역)(?:如下)?[:：]"
)
# ... of which every match begins with one of these or with "The tr", after quotes or markup perhaps; ...
_TALK_STARTS = frozenset(
    (
        *("su", "ce", "of", "ok", "he", "tr", "as", "i ", "i'", "i’", "hi", "vo", "aq", "ec", "во", "üb", "пе"),
        *("以下", "翻译", "译文", "翻訳", "번역"),
    )
)
_QUOTES = "*#_ \"'“«„"
# ... and anywhere in it.
_NOTE = re.compile(r"\(note:[^)]*\btranslat|\btranslator(?:'|’)?s?(?:'|’)? note\b|\bnotes? on the translation\b")

#: Code to what is said of segments, and what to do.
_SAID = {
    "assistant_talk": ("speak of the translation, or refuse it, instead of being one", "Keep the translation alone"),
    "markup": ("hold markup (code fences, ** or tags) that neither source nor reference has", "Strip it"),
    "prompt_repeated": ("repeat the source and go on", "Cut the source off"),
}

_SGML = re.compile(r"\s*</?(?:srcset|refset|tstset|doc|seg|hl|p)\b[^<>]*>", re.IGNORECASE)
# So many lines of it are no accident.
_SGML_LINES = 2


def check_generated(columns: Sequence[Column]) -> Iterator[Finding]:
    """Outputs of systems that hold more than a translation."""
    others = [column for column in columns if column.role != "system"]
    source = next((column for column in others if column.role == "source"), None)
    systems = [column for column in columns if column.role == "system"]
    starts = {column: _starts(column) for column in columns}
    for column in systems:
        yield from _openings(column, columns, starts)
        joined = column.joined
        if any(mark in joined for mark in _MARKS) or "\n#" in joined or joined.startswith("#"):
            yield from _told(column, _only_there(column, others, _has_markup, _may_have_markup), "markup")
        yield from _told(column, _talking(column, others, starts[column], joined), "assistant_talk")
        if source is not None:
            yield from _told(column, _prompted(column, source, others), "prompt_repeated")


def _told(column: Column, rows: Sequence[int], code: str) -> Iterator[Finding]:
    if rows:
        what, advice = _SAID[code]
        several = len(rows) >= max(_SEVERAL, _SEVERAL_SHARE * len(column.texts))
        text = column.texts[rows[0]] or ""
        shown = text if len(text) <= 40 else f"{text[:37]}..."
        message = f"{percent(len(rows), len(column.texts))} segments {what}, {listed(rows)}: {shown!r}. {advice}."
        yield column.finding("warning" if several else "info", code, message, rows[0])


def _has_markup(text: str) -> bool:
    return ("<" in text or "**" in text or "```" in text or text[:1] == "#") and bool(_MARKUP.search(text))


def _may_have_markup(text: str) -> bool:
    return bool(_MARKUP_OR_HASH.search(text))


def _talking(column: Column, others: Sequence[Column], starts: Sequence[str], joined: str) -> list[int]:
    """Segments of which the output speaks of the translation, and neither source nor references do."""
    rows = {
        row
        for row, start in enumerate(starts)
        if start[:2].lower() in _TALK_STARTS or start[:1] in _QUOTES or start[:6] == "The tr"
    }
    if "ranslat" in joined and "ote" in joined:
        rows.update(row for row, text in enumerate(column.texts) if text and "ote" in text)
    return [
        row
        for row in sorted(rows)
        if _talks(column.texts[row] or "") and not any(_talks(other.texts[row] or "") for other in others)
    ]


def _talks(text: str) -> bool:
    lowered = text.lower()
    return bool(_TALK.match(lowered.lstrip(_QUOTES)) or ("note" in lowered and _NOTE.search(lowered)))


def _only_there(
    column: Column, others: Sequence[Column], holds: Callable[[str], bool], may_hold: Callable[[str], bool]
) -> list[int]:
    """Segments of which the output has something that neither source nor references may have."""
    return [
        row
        for row, text in enumerate(column.texts)
        if text and holds(text) and not any(may_hold(other.texts[row] or "") for other in others)
    ]


def _prompted(column: Column, source: Column, others: Sequence[Column]) -> list[int]:
    """Segments whose output holds the whole source and more."""
    return [
        row
        for row, (text, prompt) in enumerate(zip(column.texts, source.texts, strict=True))
        if text is not None
        and prompt is not None
        and len(text) >= len(prompt) + _MORE
        and len(prompt) >= _LONG_SOURCE
        and prompt in text
        and not any(prompt in (other.texts[row] or "") for other in others if other is not source)
    ]


def _starts(column: Column) -> list[str]:
    """How texts begin: a dozen characters, or fewer where there are few spaces."""
    some = [text for text in column.texts[:50] if text]
    size = _OPENING if sum(text.count(" ", 0, 40) for text in some) > len(some) else _OPENING_WITHOUT_SPACES
    return [text[:size] if text else "" for text in column.texts]


def _openings(column: Column, columns: Sequence[Column], starts: Mapping[Column, Sequence[str]]) -> Iterator[Finding]:
    """An opening that many outputs share, and neither sources, nor references, nor most other systems."""
    own = starts[column]
    for start, count in Counter(own).most_common(_STARTS):
        if count < max(_OPENINGS, _RARE_SHARE * len(own)):
            return
        rows = [row for row, other in enumerate(own) if other == start]
        outputs = sorted({column.texts[row] or "" for row in rows})
        # Repeated outputs have a finding of their own.
        if not start.strip() or len(outputs) < count / 2 or not _is_own(column, start, rows, columns, starts):
            continue
        # What the first and the last in alphabetical order share, all share.
        pairs = enumerate(zip(outputs[0], outputs[-1], strict=False))
        opening = outputs[0][: next((at for at, (one, other) in pairs if one != other), len(outputs[0]))]
        shown = opening if len(opening) <= 60 else f"{opening[:57]}..."
        message = (
            f"{percent(count, len(own))} segments begin with {shown!r}, {listed(rows)}, and neither sources nor "
            "references do. Cut it off if it is no part of the translation."
        )
        yield column.finding("warning", "repeated_opening", message, rows[0])
        return


def _is_own(
    column: Column,
    start: str,
    rows: Sequence[int],
    columns: Sequence[Column],
    starts: Mapping[Column, Sequence[str]],
) -> bool:
    """Whether an opening of a system belongs to it and not to the texts."""
    count, systems, alike = len(rows), 0, 0
    rare = count < _OPENING_SHARE * len(column.texts)
    for other in columns:
        if other is column:
            continue
        if other.role == "source":
            common = Counter((other.texts[row] or "")[:_OPENING_WITHOUT_SPACES] for row in rows).most_common(1)[0][1]
            if other.present and 2 * common > count:
                return False
            continue
        there = starts[other].count(start)
        often = 4 * there > count
        if (rare and there) or (other.role == "reference" and often):
            return False
        systems += other.role == "system"
        alike += often and other.role == "system"
    return 2 * alike <= systems


def check_sgml(columns: Sequence[Column]) -> Iterator[Finding]:
    """Files of texts that hold the SGML of WMT, GTM and mteval."""
    for column in columns:
        if not any("<" in (text or "")[:9] for text in column.texts[:20]):
            continue
        rows = [row for row, text in column.present if _SGML.match(text)]
        if len(rows) >= _SGML_LINES and 2 * len(rows) >= len(column.texts):
            message = (
                f"{percent(len(rows), len(column.texts))} segments are lines of SGML, {listed(rows)}. Its tags would "
                "be scored as words; read the file with `format: wmt-sgm`, or name it .sgm on the command line."
            )
            yield column.finding("warning", "sgml_as_text", message, rows[0])
