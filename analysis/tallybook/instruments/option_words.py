"""The options of a question and their mentions in texts: in words, by label, by position, in part or misspelt.

Each mention is replaced by the option's marker, a character of a script that no text here uses, so that the rules that
find the answer see the sentence without the option's own words: "I'd say not enough information, not (b)" becomes
"i'd say 3, not 2", with markers for the numbers.

- words: the option's text, regardless of case, article, hyphens and full stops: "Hardworking" names "hard-working".
- label: "(b)", "option b", "B." before the option or alone; a capital or number where only a label can stand.
- place: "the second option", "the former", "the last one"; "the other word" where one of two is named.
- unknown: a statement that nobody knows, if one option says so: "the text does not say".
- part: a name that only one of several persons has ("Khalil"), or, as the whole text, three or more words of only one
  option.
- misspelt: a word that differs from only one option in a doubled letter or in two exchanged letters ("Canbera").
"""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property
from typing import TYPE_CHECKING

from tallybook.instruments.languages import expressions
from tallybook.instruments.option_labels import MARKS, cached_labels, mark

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

_WORDS = expressions("tallybook.instruments", "choices.toml")["option_words"]
_PLAIN = (
    (re.compile(r"\n\s*\n\s*\n"), "\n\n"),
    (re.compile("[\u00a0\u2009\u202f]"), " "),
    (re.compile("[’ʼ‘`´]"), "'"),
    (re.compile("[‐‑]"), "-"),
    (re.compile("[«‹] ?(?=\\S)|(?<=\\S) ?[»›]|[“”„「」『』]|''"), '"'),
    (re.compile(r"(?m)^\W*\d[.)] ~~[^~\n]+~~\W*$"), ""),
    (re.compile(r"(?i)~~[^~\n]+~~|\*+|__+|\r|\x1b\[[0-9;]*[a-z]|</?(?:b|code|em|i|mark|p|strong|u)>"), ""),
    (re.compile(r"−(?=\d)"), "-"),
    (re.compile(r"(?i)\b(answer|choice|option|pick|guess|how|that|there|what|where|who|word)'s\b"), r"\1 is"),
    (re.compile(r"(?i),? i (?:guess|suppose|think)\?"), "."),
)
_LOOK_ALIKE = re.compile(r"(?<!\w)[АВСЕ](?!\w)")
"""Cyrillic letters that look like labels."""
_ARTICLES = {
    "en": "the|an?",
    "de": "der|die|das|den|dem|eine?",
    "es": "el|la|los|las|una?",
    "fr": "le|la|les|une?",
    "it": "il|lo|la|gli|le|una?|uno",
    "pt": "[oa]s?|uma?",
    "zh": "(?!)",
}
_PART, _MOST_WORDS = 3, 5
"""The minimum number of words by which a part of an option names it, and the most words of one that a word may name."""
_PERSON = re.compile(r"([A-ZÀ-Þ][\w'.-]+(?:(?: [A-ZÀ-Þ][\w'.-]*){1,2}(?=$|, )|(?=, [a-zà-þ])))")
_BEFORE, _AROUND = " \n\t\"'`*([{<>#|•", " \n\t\"'`*()[]{}<>.:;!|"
_NO_NAME = re.compile(_WORDS["no_name"])
"""Capitalised words that may precede a name without being part of it."""
_SHORT = frozenset(("no", "não", "nein", "non"))
"""Options that are no answer within a sentence, where they negate a word: "no doubt"."""
_NAMED = re.compile(r"\d|\s[^\W\d_a-zß-ÿ]")
"""What is in the names of persons and places: "New York"."""
_ENDINGS, _PERSONS = (frozenset(_WORDS[name].split("|")) for name in ("endings", "persons"))
_DERIVED = expressions("tallybook.instruments", "choices.toml")["derived"]
"""How options end, and how words of their families do: "nurs-e", "nurs-ing"; endings of persons alone: "law-yer"."""
_EDGE = r"(?!\w|[.,:/]\d|-\w|'\w|\s?%)"
_ASKED, _ANSWERED = re.compile(r"(?m)^Q(?:uestion)?: "), re.compile(r"(?m)^A: ")
_FREE, _ENDS = r"(?<![\w-])", r"(?!\w|-\w|'\w)"
"""What stands before and behind a name."""
_LED = re.compile(
    r"(?:(?:in|auf|an|nach|zu|into|to|at|on|en|à|a|para) (?:(?:de[rmn]|die|das|eine?[nmr]?|the|an?|las?|los|el|un[ae]?"
    r"|l[eo]|il|les|[ao]) )?|(?:aufs|ins|ans|zu[rm]|i[nm]|aux?|al|alla|nell?a?|n[ao]s?|ao|à) )"
)
"""A preposition, with its article."""
_LEAD = r"(?<![\w-])(?:(?:de[rmns]|die|das|eine?[nmrs]?|the|an?|las?|los|el|un[ae]?|l[eo]|il|les|[ao]s?) )?"
_HYPHENED = re.compile(r"\b\w++(?:-\w++)+")
_CJK = re.compile("[\u3000-\u9fff]")
_NUMBER = re.compile(r"[$€£]?-?\d[\d.,]*%?")
_PAUSE = r"(?=\s*(?:$|[^\w\s]))"
_NO_OPERATOR = r"(?<![\w.,€£$#-])(?<![+*/×^<>] )(?<![+*/×^<>])(?<!plus )(?<!minus )(?<!times )"
_NO_OPERAND = r"(?! ?[+*/×^=<>%]| -\s?\d| (?:plus|minus|times)\b)"
UNKNOWN = re.compile(
    r"(?i)\b(unknown|undetermined|not (?:enough|known|answerable)|can(?:no|')t (?:be )?(?:answer|determine|tell|say)\w*"
    r"|no(?:t enough)? info\w*|impossible to|neither|undecided|insufficient|unclear)\b"
    r"|\b(?:kann (?:man )?nicht|nicht (?:bekannt|bestimm|genug)|unbekannt|no se (?:puede|sabe)|on ne (?:peut|sait)"
    r"|unklar|indéterminé|non si (?:può|sa)|não (?:é possível|se sabe|se pode))|无法|不确定|不知道"
)
"""Wordings of the "unknown" option."""
_NOBODY_KNOWS = re.compile(rf"\b(?:{_WORDS['nobody_knows']})")
"""Wordings of texts that say that nobody knows."""
_AGES = tuple(
    (
        re.compile(rf"\b(?:{_WORDS[age]})\b"),
        re.compile(
            rf"\bthe (?:{_WORDS[f'is_{age}']})"
            r" (?:adult|boy|gentleman|girl|lady|man|one|person|woman|of (?:the )?(?:two|them))\b"
        ),
    )
    for age in ("older", "younger")
)
"""Words that say which of two options is the older or younger person, and names of that person in texts."""
_NEITHER = re.compile(_WORDS["neither"])


def written(text: str) -> str:
    """Normalise a text: uniform quotes, no emphasis marks, case kept."""
    text = _LOOK_ALIKE.sub(lambda match: "ABCE"["АВСЕ".index(match[0])], unicodedata.normalize("NFKC", text))
    for pattern, replacement in _PLAIN:
        text = pattern.sub(replacement, text)
    if _ASKED.search(text):
        text = _ANSWERED.sub("Answer: ", text)
    return text.strip()


class Options:
    """The options of a question."""

    def __init__(self, wordings: Sequence[Sequence[str]], labels: Mapping[str, int], languages: Sequence[str]) -> None:
        """Build the patterns that find the options.

        `wordings` are the texts that mean each option, its own text first, in the order shown; `labels` map the labels
        of the options to places from 1, and are empty if the order in which they were shown is unknown.
        """
        self.count = len(wordings)
        self.texts = [written(each[0]) for each in wordings]
        articles = "|".join(_ARTICLES[language] for language in languages)
        elided = r"|l['’]" if {"fr", "it"} & {*languages} else ""
        articles = rf"(?:(?:{articles})\s+{elided})"
        self._article = re.compile(rf"{articles}(?=\S)")
        self._led: set[str] = set()
        """The wordings that have an article."""
        self._known = self._cores(wordings)
        letters = {core: places[0] for core, places in self._known.items() if len(core) == 1 and "a" <= core <= "z"}
        written_out = sorted({*self._known} - {*letters}, key=len, reverse=True)
        forms = [self._form(core, articles, languages) for core in written_out]
        self._words = re.compile("|".join(forms) or "(?!)", re.IGNORECASE)
        is_numeric = sum(_NUMBER.fullmatch(one) is not None for one in self.texts) > 1
        usable = {one: place for one, place in labels.items() if not (is_numeric and one.isdigit())}
        usable |= {one: place for one, place in letters.items() if len(self._known[one]) == 1}
        self.labels = cached_labels(tuple(usable.items()), self.count, tuple(languages))
        unknown = [place for place, one in enumerate(self.texts, start=1) if _is_unknown(one)]
        self.unknown = unknown[0] if len(unknown) == 1 else None
        self._names = self._single_names()
        self._families, self._has_compounds = self._single_words(), "de" in languages
        self._derived = {ending for language in languages for ending in _DERIVED.get(language, "").split("|")}
        begins = "|".join(sorted({core[:_PART] for core, _ in self._families})) or "(?!)"
        self._like = re.compile(rf"(?<![\w'-])(?:{begins})[^\W\d_]*(?![\w'-])")
        ages = [[place for place, one in enumerate(self.texts, start=1) if age.search(one.lower())] for age, _ in _AGES]
        self._aged = [
            (own[0], said) for own, (_, said) in zip(ages, _AGES, strict=True) if list(map(len, ages)) == [1, 1]
        ]

    def _cores(self, wordings: Sequence[Sequence[str]]) -> dict[str, tuple[int, ...]]:
        """Return each wording, without its article if it stays distinct -> the places of its options."""
        listed = [(_trimmed(one), place) for place, each in enumerate(wordings, start=1) for one in each]
        meant: dict[str, set[int]] = {}
        for one, place in listed:
            meant.setdefault(self._bare(one), set()).add(place)
        known: dict[str, tuple[int, ...]] = {}
        for one, place in listed:
            core = self._bare(one) if len(meant[self._bare(one)]) == 1 else one
            if core and place not in known.get(core, ()):
                known[core] = (*known.get(core, ()), place)
            if core != one:
                self._led.add(core)
        return known

    def _bare(self, text: str) -> str:
        return self._article.sub("", text, count=1) if self._article.match(text) else text

    def _form(self, core: str, articles: str, languages: Sequence[str]) -> str:
        """Build the pattern of a wording, with optional hyphens, full stops and a leading article."""
        if _NUMBER.fullmatch(core):
            return f"{_NO_OPERATOR}{re.escape(core)}{_EDGE}{_NO_OPERAND}"
        form = re.sub(r"(?<=\w)\\-(?=\w)", r"[\\s–-]?", re.escape(core)).replace(r"\ ", r"[\s-]+")
        form = re.sub(r"\\\.(?=\[|$)", r"\\.?", form)
        if _CJK.match(core):  # read only if the words of denial in that language are known
            return form if "zh" in languages else "(?!)"
        before = rf"(?<![\w-]){articles}?" if core in self._led else r"(?<![\w-])"
        behind = _EDGE if core[-1].isalnum() else r"(?![\w+-])" if core[-1] in "+-" else ""
        return f"{before}{form}{behind}{_PAUSE if core in _SHORT else ''}"

    def _joined(self, match: re.Match[str]) -> str:
        """Remove the hyphens of a word if an option is written without them: "hard-working"."""
        joined = match[0].replace("-", "")
        return joined if joined.lower() in self._known else match[0]

    def is_negative(self, place: int) -> bool:
        """Return whether an option is the negation of a word: "unkind", "dishonest"."""
        return (
            re.match(r"(?:un|dis|irr|ill|in(?:ad|ap|c|eff|s)|imp)[a-z]{3}", self.texts[place - 1].lower()) is not None
        )

    def alone(self, text: str) -> set[int]:
        """Return the places of the options of which a wording is the whole text."""
        bare = _trimmed(written(text))
        core = self._bare(bare)
        found = {*self._known.get(bare, ()), *(self._known.get(core, ()) if core in self._led else ())}
        if bare.isdigit():
            found |= {*self._known.get(bare.lstrip("0"), ())}
        return found

    def marked(self, said: str) -> str:
        """Return a text in lower case, with each mention of an option replaced by its marker character."""
        text = _HYPHENED.sub(self._joined, MARKS.sub(" ", written(said)))
        text = self._words.sub(self._named, text)
        for called, place in self._called:
            text = called.sub(mark(place), text)
        text = self.labels.marked(text).lower()
        for place, called in self._aged:
            text = called.sub(mark(place), text)
        if self.unknown is not None:
            text = _NOBODY_KNOWS.sub(mark(self.unknown), _NEITHER.sub(mark(self.unknown), text))
        text = self.labels.placed(text)
        return text if MARKS.search(text) else self._guessed(text)

    def _named(self, match: re.Match[str]) -> str:
        core = self._bare(match[0].lower())
        places = self._known.get(core) or next(
            (places for known, places in self._known.items() if _letters(known) == _letters(core)), ()
        )
        return match[0] if self._is_of_name(match) else "/".join(map(mark, places)) or match[0]

    @staticmethod
    def _is_of_name(match: re.Match[str]) -> bool:
        """Return whether a name is part of a longer one: "York City", "New York"; not "Clearly York"."""
        text, start, end = match.string, match.start(), match.end()
        if not match[0][0].isupper() or text[start:end].isupper():
            return False
        before = re.search(r"([A-Z][\w'-]*) $", text[max(start - 30, 0) : start])
        is_led = before is not None and not _NO_NAME.fullmatch(before[1].lower())
        return is_led or re.match(r" [A-Z][a-z]+(?![a-z]*:)", text[end : end + 30]) is not None

    @cached_property
    def _called(self) -> list[tuple[re.Pattern[str], int]]:
        """Capitalised names that only one person has, also in the plural: "the Celiks"."""
        titles = r"(?:(?:M(?:r|r?s)\.?|Herr|Frau|Familie) )?"
        return [
            (re.compile(rf"{_FREE}{titles}{re.escape(name.capitalize())}s?{_ENDS}"), place)
            for name, place in self._names.items()
        ]

    @cached_property
    def _called_in_part(self) -> list[tuple[re.Pattern[str], int]]:
        """Names that only one person has, in lower-case text."""
        return [
            (re.compile(rf"{_FREE}(?:m(?:r|r?s)\.? )?{re.escape(name)}{_ENDS}"), place)
            for name, place in self._names.items()
        ]

    def akin(self, text: str) -> str:
        """Return a marked text in which words of the family of one option are marked, too: "nursing" for "nurse"."""
        return self._like.sub(self._kin, text)

    def _kin(self, match: re.Match[str]) -> str:
        near = {
            place
            for core, place in self._families
            if (match[0] == core and core not in self._known)
            or _are_akin(match[0], core, self._derived)
            or (self._has_compounds and _is_compound(match[0], core))
        }
        return mark(*near) if len(near) == 1 else match[0]

    def _single_words(self) -> list[tuple[str, int]]:
        """List the words by whose families options are known: those of short options that no other option has."""
        named = {place: self._bare(_trimmed(one)).split() for place, one in enumerate(self.texts, start=1)}
        every = [word for own in named.values() for word in own]
        return [
            (word, place)
            for place, own in named.items()
            for word in own
            if place != self.unknown
            and (len(own) <= _PART < len(word) or len(own) <= _MOST_WORDS < len(word))
            and every.count(word) == 1
            and word.isalpha()
            and not (len(own) > 1 and _NAMED.search(self.texts[place - 1]))
        ]

    def _guessed(self, text: str) -> str:
        """Replace parts of one option, or else misspelt options, by marker characters."""
        for named, place in (*self._called_in_part, *self._unled):
            text = named.sub(mark(place), text)
        said = " ".join(re.findall(r"\w+", text.removeprefix("because ")))
        own = [" ".join(re.findall(r"\w+", one.lower())) for one in self.texts]
        within = [place for place, one in enumerate(own, start=1) if f" {said} " in f" {one} "]
        if len(within) == 1 and len(said.split()) >= _PART:
            return mark(within[0])
        return text if MARKS.search(text) else re.sub(r"(?<![\w'-])[^\W\d_]{6,}(?![\w'-])", self._nearly, text)

    @cached_property
    def _unled(self) -> list[tuple[re.Pattern[str], int]]:
        """What options name whose texts all begin with a preposition: "Aufs Land"."""
        led = [(place, _LED.match(core)) for core, (place, *_) in self._known.items() if place != self.unknown]
        bare = {place: match.string[match.end() :] for place, match in led if match}
        is_clear = len(bare) == len(led) == len({*bare.values()}) and "" not in bare.values()
        return [(re.compile(rf"{_LEAD}{re.escape(one)}{_ENDS}"), place) for place, one in bare.items() if is_clear]

    def _nearly(self, match: re.Match[str]) -> str:
        near = {places for core, places in self._known.items() if _is_misspelt(match[0], core)}
        return mark(*near.pop()) if len(near) == 1 else match[0]

    def _single_names(self) -> dict[str, int]:
        """Return the names that only one person has, if several options are persons: "Eva Braun", "Eva, the pilot"."""
        found = {place: _PERSON.match(one) for place, one in enumerate(self.texts, start=1)}
        people = {place: match[1].lower().split() for place, match in found.items() if match is not None}
        names = [name for each in people.values() for name in {*each}]
        is_plain = len(people) > 1 and not self._unled
        return {one: place for place, each in people.items() for one in each if is_plain and names.count(one) == 1}


def _trimmed(text: str) -> str:
    return " ".join(re.sub(r"^-\s+", "", text.lower().lstrip(_BEFORE)).rstrip(_AROUND).split())


def _letters(text: str) -> str:
    return re.sub(r"\s+|\.|(?<=\w)[–-]+", "", text)


def _is_unknown(option: str) -> bool:
    """Return whether an option says that nobody knows."""
    return UNKNOWN.search(option) is not None or _NOBODY_KNOWS.search(option.lower()) is not None


def _is_compound(word: str, known: str) -> bool:
    """Return whether a word begins with a known one and goes on: "Routinebesuch"."""
    return word.startswith(known) and len(known) > _PART + 1 and len(word) > len(known) + _PART


def _are_akin(word: str, known: str, derived: Collection[str]) -> bool:
    """Return whether a word is another of the family of a known one: "nursing" of "nurse"."""
    same = next((at for at, (one, two) in enumerate(zip(word, known, strict=False)) if one != two), None)
    same = min(len(word), len(known)) if same is None else same
    own, others = known[same:], word[same:]
    if not others:
        return own in _PERSONS
    return same > _PART and any(
        known[at:] in _ENDINGS and word[at:] in derived for at in range(max(_PART, same - _PART), same + 1)
    )


def _is_misspelt(word: str, known: str) -> bool:
    """Return whether a word differs from a known one only in a doubled letter or in two exchanged letters."""
    if abs(len(word) - len(known)) > 1 or word == known:
        return False
    if len(word) == len(known):
        apart = [place for place, (one, two) in enumerate(zip(word, known, strict=True)) if one != two]
        first, last = apart[0], apart[-1]
        return last == first + 1 and word[first] + word[last] == known[last] + known[first]
    return re.sub(r"(\w)\1", r"\1", word) == re.sub(r"(\w)\1", r"\1", known)
