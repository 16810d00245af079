"""Which languages the text encoder of the COMET models has seen: those of XLM-R (Conneau et al. 2020, table 6).

COMET gives scores for any language, but for one that its encoder has not been trained on they mean little.
"""

from __future__ import annotations

import re

__all__ = ["is_covered"]

# Name: ISO 639-1 code and ISO 639-3 codes, those of its standard varieties included.
_COVERED = """
Afrikaans: af afr; Albanian: sq sqi alb als; Amharic: am amh; Arabic: ar ara arb; Armenian: hy hye arm;
Assamese: as asm; Azerbaijani: az aze azj; Basque: eu eus baq; Belarusian: be bel; Bengali: bn ben; Bosnian: bs bos;
Breton: br bre; Bulgarian: bg bul; Burmese: my mya bur; Catalan: ca cat; Chinese: zh zho chi cmn; Croatian: hr hrv;
Czech: cs ces cze; Danish: da dan; Dutch: nl nld dut; English: en eng; Esperanto: eo epo; Estonian: et est ekk;
Filipino: tl tgl fil; Finnish: fi fin; French: fr fra fre; Frisian: fy fry; Gaelic: gd gla; Galician: gl glg;
Georgian: ka kat geo; German: de deu ger; Greek: el ell gre; Gujarati: gu guj; Hausa: ha hau; Hebrew: he heb iw;
Hindi: hi hin; Hungarian: hu hun; Icelandic: is isl ice; Indonesian: id ind; Irish: ga gle; Italian: it ita;
Japanese: ja jpn; Javanese: jv jav; Kannada: kn kan; Kazakh: kk kaz; Khmer: km khm; Korean: ko kor;
Kurdish: ku kur kmr; Kyrgyz: ky kir; Lao: lo lao; Latin: la lat; Latvian: lv lav lvs; Lithuanian: lt lit;
Macedonian: mk mkd mac; Malagasy: mg mlg plt; Malay: ms msa may zsm; Malayalam: ml mal; Marathi: mr mar;
Mongolian: mn mon khk; Nepali: ne nep npi; Norwegian: no nor nb nob nn nno; Oriya: or ori ory; Oromo: om orm gaz;
Pashto: ps pus pbt; Persian: fa fas per pes; Polish: pl pol; Portuguese: pt por; Punjabi: pa pan;
Romanian: ro ron rum; Russian: ru rus; Sanskrit: sa san; Serbian: sr srp; Sindhi: sd snd; Sinhala: si sin;
Slovak: sk slk slo; Slovenian: sl slv; Somali: so som; Spanish: es spa; Sundanese: su sun; Swahili: sw swa swh;
Swedish: sv swe; Tamil: ta tam; Telugu: te tel; Thai: th tha; Turkish: tr tur; Ukrainian: uk ukr; Urdu: ur urd;
Uyghur: ug uig; Uzbek: uz uzb uzn; Vietnamese: vi vie; Welsh: cy cym wel; Xhosa: xh xho; Yiddish: yi yid ydd
"""
_ALSO_CALLED = ("farsi", "tagalog", "odia", "sinhalese", "slovene", "mandarin", "kurmanji")
_ENTRIES = [entry.split(":") for entry in re.sub(r"\s+", " ", _COVERED).split(";")]
_NAMES = frozenset([*(name.strip().lower() for name, _ in _ENTRIES), *_ALSO_CALLED])
_CODES = frozenset(code for _, codes in _ENTRIES for code in codes.split())
# Codes and words that name no language at all.
_UNDETERMINED = frozenset({"", "und", "mul", "unknown", "xx"})


def is_covered(language: str) -> bool:
    """Whether a language is among those of XLM-R; an unknown one gets the benefit of the doubt.

    Parameters
    ----------
    language
        An ISO 639 code, perhaps with script or region, or the English name.

    Examples
    --------
    >>> [is_covered(language) for language in ("de", "pt-BR", "cmn_Hans", "Chinese (Simplified)", "und")]
    [True, True, True, True, True]
    >>> [is_covered(language) for language in ("liv", "Plains Cree", "sn", "Shona")]
    [False, False, False, False]
    """
    words = re.findall(r"[^\W\d_]+", language.lower())
    if not words or words[0] in _UNDETERMINED:
        return True
    return words[0] in _CODES or any(word in _NAMES for word in words)
