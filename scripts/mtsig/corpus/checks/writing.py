"""Writing systems: the letters of each, and which language is written in which."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

__all__ = ["RANGES", "is_written_without_spaces", "scripts_of"]

#: Script to ranges of its letters.
RANGES: dict[str, tuple[tuple[int, int], ...]] = {
    "Latin": ((0x41, 0x5A), (0x61, 0x7A), (0xC0, 0xD6), (0xD8, 0xF6), (0xF8, 0x24F), (0x1E00, 0x1EFF)),
    "Greek": ((0x370, 0x3FF), (0x1F00, 0x1FFF)),
    "Cyrillic": ((0x400, 0x52F), (0x1C80, 0x1C8F), (0x2DE0, 0x2DFF), (0xA640, 0xA69F)),
    "Armenian": ((0x530, 0x58F),),
    "Hebrew": ((0x591, 0x5F4),),
    "Arabic": ((0x620, 0x6FF), (0x750, 0x77F), (0x8A0, 0x8FF), (0xFB50, 0xFDFF), (0xFE70, 0xFEFC)),
    "Ethiopic": ((0x1200, 0x139F), (0x2D80, 0x2DDF)),
    "Devanagari": ((0x900, 0x97F),),
    "Bengali": ((0x980, 0x9FF),),
    "Gurmukhi": ((0xA00, 0xA7F),),
    "Gujarati": ((0xA80, 0xAFF),),
    "Oriya": ((0xB00, 0xB7F),),
    "Tamil": ((0xB80, 0xBFF),),
    "Telugu": ((0xC00, 0xC7F),),
    "Kannada": ((0xC80, 0xCFF),),
    "Malayalam": ((0xD00, 0xD7F),),
    "Sinhala": ((0xD80, 0xDFF),),
    "Thai": ((0xE00, 0xE7F),),
    "Lao": ((0xE80, 0xEFF),),
    "Tibetan": ((0xF00, 0xFFF),),
    "Myanmar": ((0x1000, 0x109F), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F)),
    "Georgian": ((0x10A0, 0x10FF), (0x1C90, 0x1CBF), (0x2D00, 0x2D2F)),
    "Khmer": ((0x1780, 0x17FF),),
    "Kana": ((0x3041, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9D)),
    "Hangul": ((0x1100, 0x11FF), (0x3130, 0x318F), (0xAC00, 0xD7A3)),
    "Han": ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3134F)),
}

# One line per set of scripts: the scripts, then the languages (ISO 639-1 or -3) and ISO 15924 codes that mean them.
_LANGUAGES = """
Latin: latn en eng de deu fr fra es spa it ita pt por nl nld sv swe da dan no nb nn nob nno fi fin et est is isl
Latin: lv lav lt lit liv pl pol cs ces sk slk sl slv hr hrv hu hun ro ron ga gle cy cym eu eus ca cat gl glg sq sqi mt
Latin: mlt tr tur vi vie id ind ms msa tl tgl sw swa ha hau ig ibo yo yor zu zul xh xho af afr eo epo la lat
Cyrillic: cyrl ru rus uk ukr be bel bg bul mk mkd ky kir tg tgk sah tt tat ba bak cv chv
Cyrillic Latin: sr srp bs bos kk kaz uz uzb mn mon az aze
Greek: grek el ell
Armenian: armn hy hye
Hebrew: hebr he heb iw yi yid
Arabic: arab ar ara arb arz fa fas pes ur urd ps pus pbt ckb sd snd ug uig
Ethiopic: ethi am amh ti tir
Devanagari: deva hi hin mr mar ne nep npi sa san bho mai
Bengali: beng bn ben as asm
Gurmukhi: guru
Gujarati: gujr gu guj
Oriya: orya or ory ori
Tamil: taml ta tam
Telugu: telu te tel
Kannada: knda kn kan
Malayalam: mlym ml mal
Sinhala: sinh si sin
Thai: thai th tha
Lao: laoo lo lao
Tibetan: tibt bo bod dz dzo
Myanmar: mymr my mya
Georgian: geor ka kat
Khmer: khmr km khm
Han Kana: jpan ja jpn
Hangul Han: kore hang ko kor
Han: hans hant zh zho cmn yue wuu lzh
"""


@lru_cache(maxsize=1)
def _scripts_by_code() -> dict[str, tuple[str, ...]]:
    table = {}
    for line in filter(None, _LANGUAGES.split("\n")):
        scripts, _, codes = line.partition(":")
        table.update(dict.fromkeys(codes.split(), tuple(scripts.split())))
    return table


def scripts_of(language: str) -> tuple[str, ...]:
    """The scripts that a language code names, else those that the language is written in; empty if unknown.

    Examples
    --------
    >>> scripts_of("ja"), scripts_of("srp_Latn"), scripts_of("pt-BR"), scripts_of("tlh")
    (('Han', 'Kana'), ('Latin',), ('Latin',), ())
    """
    first, *others = re.split("[-_@]", language.lower())
    table = _scripts_by_code()
    # Four-letter parts are scripts, others are regions.
    named = next((table[part] for part in others if len(part) == 4 and part in table), None)
    return named or table.get(first, ())


#: Scripts of languages that set no space between words.
_WITHOUT_SPACES = ("Han", "Kana", "Thai", "Lao", "Khmer", "Myanmar", "Tibetan")
# With so many spaces per letter somebody has put them between words: English has one for five, Chinese none, Khmer
# one for twenty (between phrases).
_SPACED = 0.12


def is_written_without_spaces(texts: Iterable[str]) -> bool:
    """Whether most letters of some texts are of scripts that have no space between words, and there are few spaces.

    Examples
    --------
    >>> is_written_without_spaces(["老路通向家。"]), is_written_without_spaces(["老 路 通向 家 。"])
    (True, False)
    >>> is_written_without_spaces(["The old road leads home."]), is_written_without_spaces([])
    (False, False)
    """
    joined = "".join(text for text in texts if not text.isascii())
    ranges = [span for script in _WITHOUT_SPACES for span in RANGES[script]]
    letters = [ord(character) for character in joined if character.isalpha()]
    without = sum(any(low <= letter <= high for low, high in ranges) for letter in letters)
    return 2 * without > len(letters) and joined.count(" ") < _SPACED * len(letters)
