"""Mentions of options by label ("(b)", "option 2") or by position ("the second", "the latter")."""

from __future__ import annotations

import re
from functools import lru_cache

from tallybook.instruments.languages import expressions, words
from tallybook.instruments.marked_answers import Mention

OFF_LIST = 0
"""The place given to a label that no option has."""
_FIRST, _ROOM = 0xA000, 0x200
"""The first character of a script that no text here uses, and the number of its characters that stand for options."""
MARK = "[\ua000-\ua3ff]"
MARKS = re.compile(MARK)
_WORDS = expressions("tallybook.instruments", "choices.toml")["option_labels"]
_NOUN = rf"(?:{_WORDS['noun']})"
_BEFORE = re.compile(_WORDS["before"])
"""Words that may precede a capital letter that is a label; an empty word means the beginning or a pause."""
_BEHIND = re.compile(_WORDS["behind"])
"""Words that may follow a capital A or I, or a number, that is a label; an empty word means the end or a pause."""
_SAYS = re.compile("pick|choose|chose|choosing|say|with|is|it's|answer|option|letter|select|go")
"""Words before a small letter that is a label."""
_REASONS = re.compile(rf"(?:{_WORDS['reasons']})\b")
"""Words that begin the reason for "B."; any other word may be a name: "B. Johnson"."""
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight")
_ORDINALS_OF = {
    "de": "erste zweite dritte vierte",
    "es": "primer segund tercer cuart",
    "fr": "premi deuxi troisi quatri",
    "it": "prim second terz quart",
    "pt": "primeir segund terceir quart",
    "zh": "第一 第二 第三 第四",
}
_THING_OF = rf"(?:{_WORDS['thing_of']})"
_THING = "(?:one|option|word|choice|answer|adjective|name|term|statement|candidate|applicant)"
_IS_PLACE = rf"(?<!\w)(?:{_WORDS['is_place']}) (?:l[ae]|el|il|der|die|das|den|a|o) "
_NO_NOUN = r"(?!\w)(?=\s*(?:$|[^\w\s]|(?:qu[ei]|che|porque|weil|perché|parce|denn|car)\b))"
"""Words before an ordinal that means an option by itself, and what follows then: "c'est la première"."""
_PLACE = re.compile(
    rf"\b(?P<the>the )?(?P<place>{'|'.join(_ORDINALS)}|last|middle|former|latter)(?P<thing> {_THING})?"
    rf"(?: (?:of|among) (?:the|these|those)(?: \w+)?(?: {_THING}s)?| (?:in|on) the list)?(?![\w-])"
    r"(?=[\s\"')]*(?:$|[^\w\s\"')]|(?:is|fits|seems|works|suits|over|because|since|as|here|rather|would|sounds|and|or"
    r"|for|better|best|given|makes|follows|to|comes|wins|gets|has|should|deserves|edges|takes|earns|it)\b))"
)
_RANKED = re.compile(r"\b(?:an?|my|his|her|their|our|good|great|close|strong|solid|clear) \Z")
"""What stands before a place that is a rank: "Ben would be a good second choice"."""
_BY_NUMBER = re.compile(rf"\b(?:number|option|choice) ({'|'.join(_NUMBERS)})\b")
_OTHER = re.compile(_WORDS["other"])
_CJK_LABEL = re.compile(r"(?<=[\u3000-\u9fff：])\s?([A-H])(?![A-Za-z0-9])")
_SLASHED = re.compile(r"(?<![\w/])([A-Ha-h])/([A-Ha-h])(?![\w/])")
_REST = re.compile(
    r"\b(?:the (?:only |last )?(?:remaining|one left)|die (?:übrige|verbleibende)"
    r"|(?:la|l'|a) (?:opci[oó]n |opzione |opção |option )?(?:restante|rimanente))"
    r"(?: (?:option|choice|answer|one|antwort)\b|(?=\s*(?:[.,;:!]|$)))"
)
"""The option that is left when a text has named all others."""
_AT_THE_END = re.compile(_WORDS["at_the_end"])
_ITEM = re.compile(r"(?m)^\W{0,3}\d{1,2}[.):]\s")
_LISTED = re.compile(
    r"(?m)^[^\w\n]*(?:(\d{1,2}|[a-h])[.):]+[^\w\n]*)?"
    r"(?:(?:the|l[aeo]s?|el|il|die|de[rn]|das|[oa]s?) |l')?([\ua000-\ua1ff])"
)
"""An option at the beginning of a line, as lists have it."""
_TWO = 2
_NEAR = 30
"""The number of characters around a letter that are examined to tell whether it is a label."""
_AROUND = " \n\t\"'`*()[]{}<>.:!#"


def mark(place: int, *, is_place: bool = False) -> str:
    """Return the marker character of an option."""
    return chr(_FIRST + min(place, _ROOM - 1) + _ROOM * is_place)


def find(part: str) -> list[Mention]:
    """Return the mentions that the marker characters of a text stand for."""
    return [
        Mention(*match.span(), (ord(match[0]) - _FIRST) % _ROOM, ord(match[0]) >= _FIRST + _ROOM)
        for match in MARKS.finditer(part)
    ]


def behind_list(text: str, count: int) -> str:
    """Return what stands behind a list of all options, if it chooses one by its place there; else the whole text."""
    items = [*_LISTED.finditer(text)]
    tail = text[items[-1].end() :].partition("\n")[2] if count == len(items) == len({one[2] for one in items}) else ""
    return tail if (named := find(tail)) and all(one.is_place for one in named) else text


@lru_cache(maxsize=256)
def cached_labels(labels: tuple[tuple[str, int], ...], count: int, languages: tuple[str, ...]) -> Labels:
    """Return the `Labels` of `count` options, cached as many questions share them."""
    return Labels(dict(labels), count, languages)


class Labels:
    """The labels of options, with places from 1; without labels, the order of the options is unknown, too."""

    def __init__(self, labels: dict[str, int], count: int, languages: tuple[str, ...]) -> None:
        self._places, self._count = labels, count
        self._others = tuple(one for one in languages if one != "en")
        known = [*labels, *("abcdefgh" if "a" in labels else ""), *("0123456789" if "1" in labels else "")]
        either = "|".join(re.escape(one) for one in sorted(dict.fromkeys(known), key=len, reverse=True)) or "(?!)"
        noun = rf"{_NOUN} ?#?"
        self._before_option = re.compile(
            rf"(?i)(?:(?<![\w'.,-]){noun}[(\[\"']*|(?<![\w'.,-])[(\[]|^|(?<=\n)|(?<=[>*#:,;.-] )|(?<={MARK} )"
            r"|(?<=\bis ))"
            rf"({either})[)\]\"'.:]*[^\S\n]*(?:[-–—:=][^\S\n]*)?[\"'(]*({MARK})(?!/)"
        )
        self._behind_option = re.compile(rf"(?i)({MARK})[\"']?,?[^\S\n]*[(\[]\s*(?:{noun})?({either})\s*[)\]]")
        self._sure = re.compile(
            rf"(?i)(?:[(\[]\s*(?:{noun})?({either})\s*[)\]]"
            rf"|(?:(?<!\w)[ao] )?\b{noun}[\"'*]*((?-i:[A-H]))(?!\w|[.,]\d|%|')"
            rf"|\b{noun}[\"']?({either})(?!\w|[.,]\d|%|')(?![\"')]* (?!{_BEHIND.pattern[1:]})[a-z]))"
        )
        self._boxed = re.compile(rf"(?i)(?<=boxed\{{)(?:\\+\w+\{{)?\(?({either})\)?\}}*(?=\}})")
        self._alone = re.compile(
            rf"(?im)(?<![\w’./€£$#+-])(?<!\w')({either})(?![\w’+#%-]|'\w|[./,:]\w)"
            rf"(?P<sign>[).:\]]*)(?=(?P<behind>[\"']* ?[\w'{MARK[1:]}*))"
        )

    def alone(self, text: str) -> int | None:
        """Return the place of the option whose label is the whole text; None if there is none."""
        said = re.sub(r"(?<=^\d)\.0$", "", text.strip(_AROUND)).lower()  # 1.0, as tables write whole numbers
        return self._places.get(str(_NUMBERS.index(said) + 1) if said in _NUMBERS else said)

    def marked(self, text: str) -> str:
        """Replace the labels in a text by marker characters."""
        if own := self._own_numbers(text):
            number = rf"(?<![\w.,/])(?:number|option|no\.)? ?#?({'|'.join(own)})(?![\w/]|[.,]\d)(?= ?[.)]|[^\w\n]*$)"
            text = _LISTED.sub(lambda match: re.sub(r"\d+[.):]+", "", match[0]), text)
            return re.sub(number, lambda match: mark(own[match[1]], is_place=True), text)
        if not self._places:
            return text
        text = _SLASHED.sub(r"\1 / \2", text)
        text = self._behind_option.sub(lambda match: self._both(match[2], match[1], match), text)
        text = self._before_option.sub(lambda match: self._both(match[1], match[2], match), text)
        text = self._sure.sub(lambda match: self._place(match[1] or match[2] or match[3]), text)
        text = self._boxed.sub(lambda match: self._place(match[1]), text)
        text = _CJK_LABEL.sub(lambda match: self._place(match[1]), text)
        end = max(0, len(text) - _NEAR)
        if (last := _AT_THE_END.search(text, end)) and last[1] in self._places:
            text = text[: last.start(1)] + self._place(last[1]) + text[last.end(1) :]
        for _ in range(_TWO):  # "A and B": one label is recognised beside the other
            text = self._alone.sub(self._lone, text)
        return text

    def _own_numbers(self, text: str) -> dict[str, int]:
        """Return the numbers by which a text lists the options itself, if in another order than that shown."""
        own = {match[1]: ord(match[2]) - _FIRST for match in _LISTED.finditer(text) if (match[1] or "").isdigit()}
        is_other = len(own) == self._count == len({*own.values()}) and {*own} == {str(one) for one in own.values()}
        return own if is_other and any(self._places.get(one) != place for one, place in own.items()) else {}

    def _place(self, label: str) -> str:
        return mark(self._places.get(label.lower(), OFF_LIST))

    def _both(self, label: str, option: str, match: re.Match[str]) -> str:
        """Return one marker for a label beside its own option, two for a label beside another option."""
        behind = match.string[match.end() : match.end() + _NEAR]
        if label in {"a", "i"} and re.search(rf"\b{label} {MARK}", match[0]):  # an article
            return match[0]
        if self._place(label) == option:
            is_led = match.start() == 0 and match[0][-1] == option and re.match(r" \w", behind)
            return f"{option}:" if is_led else option
        if label.isdigit() and re.match(r"[^\n\w]*\w", behind):  # "1. The nephew installed it"
            return match[0]
        return f"{self._place(label)}/{option}"

    def _lone(self, match: re.Match[str]) -> str:
        """Return the marker of a label that stands alone in a sentence; the text as is if it is no label."""
        text, start = match.string, match.start()
        line = text[max(start - _NEAR, text.rfind("\n", 0, start) + 1) : start]
        is_first = not re.search(r"\w", line) and start - len(line) in {0, text.rfind("\n", 0, start) + 1}
        behind = match["behind"].strip(" \"'").lower()
        is_label = _is_label(match[1], match["sign"], line, behind, is_first=is_first)
        if start < _TWO and match[1].isdigit() and match["sign"] and _REASONS.match(behind):  # "3. The text says so"
            is_label = len(_ITEM.findall(text)) == 1
        return self._place(match[1]) + match["sign"] if is_label else match[0]

    def placed(self, text: str) -> str:
        """Replace words for places ("the latter", "the second") by markers, by the order of mention or as shown."""
        named = list(dict.fromkeys(one.value for one in find(text) if one.value != OFF_LIST))
        shown = [*range(1, self._count + 1)] if self._places else []
        listed = [ord(one) - _FIRST for _, one in _LISTED.findall(text)]
        if sorted(listed) == [*range(1, self._count + 1)]:  # as the text itself lists them
            shown = listed
        two = named if len(named) == _TWO else shown if self._count == _TWO else []

        def place(match: re.Match[str]) -> str:
            said = match["place"]
            of = two if said in {"former", "latter"} or self._count == _TWO else shown
            known = {"former": 0, "latter": 1, "last": len(of) - 1, "middle": (len(of) - 1) / 2}
            number = known.get(said, _ORDINALS.index(said) if said in _ORDINALS else 0)
            is_named = match["the"] or match["thing"] or said in {"former", "latter"} or text.strip(_AROUND) == said
            before = text[max(0, match.start() - _NEAR) : match.start()]
            is_meant = is_named and not (match["thing"] == " choice" and _RANKED.search(before))
            return mark(of[int(number)], is_place=True) if is_meant and number in range(len(of)) else match[0]

        def number(match: re.Match[str]) -> str:
            value = _NUMBERS.index(match[1]) + 1
            return mark(value, is_place=True) if value in shown else match[0]

        text = _BY_NUMBER.sub(number, _PLACE.sub(place, text))
        for language in self._others:
            for value, stem in zip(shown, _ORDINALS_OF[language].split(), strict=False):
                meant = rf"(?:\b\w{{1,3}} )?{stem}\w* ?{_THING_OF}|{_IS_PLACE}{stem}\w*{_NO_NOUN}"
                text = re.sub(meant, mark(value, is_place=True), text)
        if two and self._others:
            own = words(self._others)
            for pattern, value in zip((own.first, own.second), two, strict=True):
                text = pattern.sub(mark(value, is_place=True), text)
        if len(rest := [one for one in shown if one not in named]) == 1:
            text = _REST.sub(mark(rest[0], is_place=True), text)
        if self._count == _TWO and len(named) == 1:
            text = _OTHER.sub(mark(_TWO + 1 - named[0], is_place=True), text)
        return text


def _is_label(letter: str, sign: str, line: str, behind: str, *, is_first: bool) -> bool:
    """Return whether a letter or number is a label, by the text before it in its line and the word after it.

    Labels are those in "so B.", "pick 1 over 2" and "C. The text says", not those in "a man", "B. Johnson", "2 people".
    """
    said = re.findall(r"([\w'’]*)[\s\"'(]*$", line)[0].lower()
    is_led = _BEFORE.fullmatch(said) is not None or MARKS.fullmatch(said) is not None
    is_told = re.search(rf"(?<!{MARK})[\"']?\s*(?:[:=→⇒]|->)\s*[\"']?$", line) is not None
    ends = _BEHIND.fullmatch(behind) is not None or MARKS.match(behind) is not None
    if sign and behind and is_first:
        is_sure = ")" in sign or (letter.isupper() and (":" in sign or _REASONS.match(behind) is not None))
        return is_sure and not letter.isdigit()
    if letter.isupper():
        return is_led and (sign != "" or ends or letter not in {"A", "I"})
    if letter.isdigit():
        is_placed = said != "" or is_first or is_told or MARKS.match(behind) or re.search(f"{MARK}, $", line)
        return is_led and bool(is_placed) and (ends if behind else True)
    return letter not in {"a", "i"} and (_SAYS.fullmatch(said) is not None or is_told) and (sign != "" or ends)
