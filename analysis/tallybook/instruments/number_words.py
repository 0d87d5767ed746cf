"""Numbers in words: "twenty-six" is 26, "sechzigtausend" is 60,000, "the second option" is option 2."""

from __future__ import annotations

import re
from functools import cache

from tallybook.instruments.languages import word_lists

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
ORDINALS = {word: str(number) for number, word in enumerate(_ORDINALS, start=1)}
"""English ordinal -> number."""
_LISTED: dict[str, dict[str, str]] = word_lists("tallybook.instruments", "number_words.toml")
SMALL, _LARGER = ({int(number): words for number, words in _LISTED[name].items()} for name in ("small", "larger"))
"""Number -> its words."""
SCALE = {word: float(scale) for scale, words in _LISTED["scales"].items() for word in words.split()}
"""Word or sign -> the number by which it multiplies."""
_VALUES = {word: number for table in (SMALL, _LARGER) for number, words in table.items() for word in words.split()}
_WORD_SCALES = {word: scale for word, scale in SCALE.items() if len(word) > 2 and word.isalpha() and word != "mio"}  # noqa: PLR2004
_AND = ("and", "und", "y", "et", "e")
_JOINED = "|".join(sorted({*_VALUES, *_WORD_SCALES, "ein", "und"}, key=len, reverse=True))
_COMPOUND = rf"(?:{_JOINED}){{1,9}}"
SPOKEN = re.compile(
    rf"(?<![\w'-])(?!und\b)(?:(?:an?|une?|eine?) (?:{'|'.join(_WORD_SCALES)}|hundred|hundert)|{_COMPOUND})"
    rf"(?:(?:[ -](?:{'|'.join(_AND)}))?[ -]{_COMPOUND}){{0,7}}(?![\w'])"
)
"""A number in words, as plain texts write it."""

_BY_WORDS = "|".join(sorted(_VALUES, key=len, reverse=True))
_AND_A_HALF = re.compile(
    rf"(?<![\w.,$€£-])(?P<whole>\d{{1,4}}|an?|une?|{_BY_WORDS})(?P<unit> (?!and\b|or\b)[^\W\d_]+)?"
    r" (?:and (?(unit)(?:an? |(?=three\b))|(?:an? )?)(?P<part>half|(?:three )?quarters?)"
    r"|(?:y|e) (?:medi[oa]|mezz[oa]|mei[oa])|et demie?)"
    r"(?![\w-]| (?:day|hour|month|of|week|year)\b)"
)
_HALF_OF = re.compile(r"(?<![\w.,-])(?<!and )(?<!\d )half an? (?=million\b|year\b|month\b|hour\b|day\b|point\b)")
_JOINED_HALF = re.compile(
    rf"\b(?:(?P<whole>{'|'.join(SMALL[number].split()[1] for number in range(2, 11))}|ein)einhalb|anderthalb)"
)


def with_fractions(text: str, point: str = ".") -> str:
    """Write halves and quarters of a lower-case text in digits: "three and a half years" is "3.5 years".

    >>> with_fractions("one and a half million, a year and a half, dos años y medio, zweieinhalb jahre, half a year")
    '1.5 million, 1.5 year, 2.5 años, 2.5 jahre, 0.5 year'
    """

    def written(match: re.Match[str]) -> str:
        whole = match["whole"]
        value = float(whole) if whole.isdecimal() else _VALUES.get(whole, 1)
        part = match["part"].removesuffix("s") if match["part"] else "half"
        fraction = {"half": 0.5, "quarter": 0.25}.get(part, 0.75)
        return f"{value + fraction:g}".replace(".", point) + (match["unit"] or "")

    text = _JOINED_HALF.sub(lambda match: f"{_VALUES.get(match['whole'] or '', 1) + 0.5:g}".replace(".", point), text)
    return _HALF_OF.sub(f"0{point}5 ", _AND_A_HALF.sub(written, text))


def spoken(text: str) -> float | None:
    """Return the number that words spell; None for a sequence of words that is not a number.

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
    """Return whether a number may be added: the digits that it sets are still zero, as in "soixante-douze"."""
    if value >= 100:  # noqa: PLR2004
        return current == 0
    if value >= 20:  # noqa: PLR2004  German says the ones before the tens
        return current % 100 < 10  # noqa: PLR2004
    tens = current % 100
    return tens == 0 or (tens >= 20 and tens % 10 == 0 and (value < 10 or tens in {60, 80}))  # noqa: PLR2004


@cache
def english_numbers() -> dict[str, str]:
    """Return the English words for 0 to 999, without hyphens -> their digits.

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
