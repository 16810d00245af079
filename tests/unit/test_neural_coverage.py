"""The languages that COMET's text encoder has seen, against the list on COMET's own page."""

from __future__ import annotations

import pytest
from mtsig.metrics.neural import coverage
from mtsig.metrics.neural.coverage import is_covered

#: As COMET's page names them; romanized and other varieties stand beside their language, 100 entries in all.
NAMES = """
Afrikaans, Albanian, Amharic, Arabic, Armenian, Assamese, Azerbaijani, Basque, Belarusian, Bengali, Bengali Romanized,
Bosnian, Breton, Bulgarian, Burmese, Burmese, Catalan, Chinese (Simplified), Chinese (Traditional), Croatian, Czech,
Danish, Dutch, English, Esperanto, Estonian, Filipino, Finnish, French, Galician, Georgian, German, Greek, Gujarati,
Hausa, Hebrew, Hindi, Hindi Romanized, Hungarian, Icelandic, Indonesian, Irish, Italian, Japanese, Javanese, Kannada,
Kazakh, Khmer, Korean, Kurdish (Kurmanji), Kyrgyz, Lao, Latin, Latvian, Lithuanian, Macedonian, Malagasy, Malay,
Malayalam, Marathi, Mongolian, Nepali, Norwegian, Oriya, Oromo, Pashto, Persian, Polish, Portuguese, Punjabi, Romanian,
Russian, Sanskrit, Scottish Gaelic, Serbian, Sindhi, Sinhala, Slovak, Slovenian, Somali, Spanish, Sundanese, Swahili,
Swedish, Tamil, Tamil Romanized, Telugu, Telugu Romanized, Thai, Turkish, Ukrainian, Urdu, Urdu Romanized, Uyghur,
Uzbek, Vietnamese, Welsh, Western Frisian, Xhosa, Yiddish
"""


def test_all_names_of_the_list():
    names = [" ".join(name.split()) for name in NAMES.split(",")]
    assert len(names) == 100
    assert [name for name in names if not is_covered(name)] == []
    # Without the five romanized ones, and with Burmese and Chinese once.
    assert len(coverage._ENTRIES) == 93


@pytest.mark.parametrize(
    "language", ["de", "deu", "ger", "DE", "de-AT", "deu_Latn", "zh-Hant", "yue_Hans Chinese", "nb"]
)
def test_codes_with_script_and_region(language):
    assert is_covered(language)


@pytest.mark.parametrize(
    "language", ["liv", "sah", "mt", "yo", "sn", "crk", "ig", "lb", "Maltese", "Yoruba", "Livonian"]
)
def test_languages_that_are_not_covered(language):
    assert not is_covered(language)


@pytest.mark.parametrize("language", ["", "und", "mul", "unknown", "  ", "-"])
def test_nothing_is_said_of_unknown_languages(language):
    assert is_covered(language)
