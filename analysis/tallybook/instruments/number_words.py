"""Numbers in words: "twenty-six" is 26, "sechzigtausend" 60,000, "the second option" the option with number 2."""

from __future__ import annotations

import re
from functools import cache

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
ORDINALS = {word: str(number) for number, word in enumerate(_ORDINALS, start=1)}
"""English ordinal -> number."""
SMALL = {
    0: "zero cero zéro",
    1: "one eins uno",
    2: "two zwei dos deux due dois",
    3: "three drei tres trois tre três",
    4: "four vier cuatro quatre quattro quatro",
    5: "five fünf cinco cinq cinque",
    6: "six sechs seis",
    7: "seven sieben siete sept sette sete",
    8: "eight acht ocho huit otto oito",
    9: "nine neun nueve neuf nove",
    10: "ten zehn diez dix dieci dez",
}
"""Number -> its words in English, German, Spanish, French, Italian and Portuguese, as plain texts write them. Without
articles: "un 3" is not 1; without the Italian "sei", a verb elsewhere, and the German "null", which is JSON's, too."""
_LARGER = {
    11: "eleven elf once onze undici",
    12: "twelve zwölf doce douze dodici doze",
    13: "thirteen dreizehn trece treize tredici treze",
    14: "fourteen vierzehn catorce quatorze quattordici catorze",
    15: "fifteen fünfzehn quince quinze quindici",
    16: "sixteen sechzehn dieciséis seize sedici dezesseis",
    17: "seventeen siebzehn diecisiete diciassette dezessete",
    18: "eighteen achtzehn dieciocho diciotto dezoito",
    19: "nineteen neunzehn diecinueve diciannove dezenove",
    20: "twenty zwanzig veinte vingt venti vinte",
    25: "veinticinco",
    30: "thirty dreissig treinta trente trenta trinta",
    40: "forty fourty vierzig cuarenta quarante quaranta quarenta",
    50: "fifty fünfzig cincuenta cinquante cinquanta cinquenta",
    60: "sixty sechzig sesenta soixante sessanta sessenta",
    70: "seventy siebzig setenta septante settanta",
    80: "eighty achtzig ochenta huitante ottanta oitenta",
    90: "ninety neunzig noventa nonante novanta",
    100: "hundred hundert cien ciento cent cents cento cem",
    200: "doscientos duecento duzentos",
    300: "trescientos trezentos",
    400: "cuatrocientos quatrocentos",
    500: "quinientos quinhentos",
    600: "seiscientos seiscentos",
    700: "setecientos setecentos",
    800: "ochocientos oitocentos",
    900: "novecientos novecentos",
}
SCALES = {
    1e3: "k thousand tausend mil mille mila tsd",
    1e4: "万 萬",
    1e5: "lakh lakhs",
    1e6: "m mn mio million millions millionen millón millones milione milioni milhão milhões",
    1e7: "crore crores",
    1e8: "亿 億",
    1e9: "bn billion",
}
"""Number -> the words and signs that multiply by it."""
SCALE = {word: scale for scale, words in SCALES.items() for word in words.split()}
_VALUES = {word: number for table in (SMALL, _LARGER) for number, words in table.items() for word in words.split()}
_WORD_SCALES = {word: scale for word, scale in SCALE.items() if len(word) > 2 and word.isalpha() and word != "mio"}  # noqa: PLR2004
_AND = ("and", "und", "y", "et", "e")
_PART = "|".join(sorted({*_VALUES, *_WORD_SCALES, "ein", "eine", "un", "une", "a", "cento"}, key=len, reverse=True))
_JOINED = "|".join(sorted({*_VALUES, *_WORD_SCALES, "ein", "und"}, key=len, reverse=True))
_COMPOUND = rf"(?:{_JOINED}){{1,9}}"
SPOKEN = re.compile(
    rf"(?<![\w'-])(?:an?|une?|eine?) (?:{'|'.join(_WORD_SCALES)}|hundred|hundert)(?![\w'])"
    rf"|(?<![\w'-]){_COMPOUND}(?:(?:[ -](?:{'|'.join(_AND)}))?[ -]{_COMPOUND}){{0,7}}(?![\w'])"
)
"""A number in words, as plain texts write it."""


def spoken(text: str) -> float | None:
    """Get the number that words mean; None for words that follow each other as no number does.

    >>> [spoken(one) for one in ("sixty-five thousand", "fünfundsechzigtausend", "soixante-quinze mille", "one two")]
    [65000.0, 65000.0, 75000.0, None]
    >>> spoken("one hundred and five"), spoken("quatre-vingt-dix"), spoken("two million three hundred thousand")
    (105.0, 90.0, 2300000.0)
    """
    total, current, is_first, last_scale = 0.0, 0.0, True, float("inf")
    text = re.sub(r"quatre[ -]vingts?", "huitante", text)
    for word in re.findall(_JOINED + r"|\w+", text):
        if word in _WORD_SCALES:
            scale = _WORD_SCALES[word]
            if scale >= last_scale:
                return None
            total, current, last_scale = total + (current or 1) * scale, 0.0, scale
        elif (
            value := _VALUES.get(word, 1 if is_first and word in {"a", "an", "ein", "eine", "un", "une"} else None)
        ) is None:
            if word not in _AND:
                return None
        elif value == 100 and current in range(1, 100):  # noqa: PLR2004
            current *= 100
        elif _fits(current, value):
            current += value
        else:
            return None
        is_first = False
    return total + current


def _fits(current: float, value: int) -> bool:
    """Tell whether a number may be added: the digits that it has are still free, as in "soixante-douze"."""
    if value >= 100:  # noqa: PLR2004
        return current == 0
    if value >= 20:  # noqa: PLR2004  German says the ones before the tens
        return current % 100 < 10  # noqa: PLR2004
    tens = current % 100
    return tens == 0 or (tens >= 20 and tens % 10 == 0 and (value < 10 or tens in {60, 80}))  # noqa: PLR2004


@cache
def english_numbers() -> dict[str, str]:
    """The English words for 0 to 999, without hyphens.

    >>> words = english_numbers()
    >>> words["twenty six"], words["one hundred and five"], words["nine hundred ninety nine"]
    ('26', '105', '999')
    """
    english = {number: words.split()[0] for number, words in (SMALL | _LARGER).items()}
    ones, tens = [english[number] for number in range(20)], [english[number] for number in range(20, 100, 10)]
    below = [*ones, *(f"{ten} {one}".removesuffix(" zero") for ten in tens for one in ones[:10])]
    words = {word: str(number) for number, word in enumerate(below)}
    for hundreds, hundred in enumerate(ones[1:10], start=1):
        words[f"{hundred} hundred"] = f"{hundreds}00"
        for number, word in enumerate(below[1:], start=1):
            words[f"{hundred} hundred {word}"] = words[f"{hundred} hundred and {word}"] = f"{hundreds}{number:02}"
    return words
