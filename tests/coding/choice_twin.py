"""The slow, obvious twin of the option matcher: one text at a time, in plain Python, on lists of words.

It shares the words of the language with the matcher (phrases, contrary words), not how they are applied.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from tallybook.instruments import option_text
from tallybook.instruments.attribute_choice import answer_phrases
from tallybook.instruments.attribute_choice import contrast as option_contrast
from tallybook.instruments.attribute_choice import forms as option_forms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.instruments.attribute_choice.language import Language

BREAK, SAYS, LEFT, RIGHT, GAP = "\n", option_text.ANSWER, option_text.OPEN, option_text.CLOSE, option_text.GAP
MARKS = {SAYS, LEFT, RIGHT, GAP}
OTHER = r"(?:[^\w\n]|_)"


def python(pattern: str) -> str:
    """A regular expression of the matcher as Python writes it."""
    return pattern.replace(r"[^\p{L}\p{N}\n]", OTHER)


def safe(text: str) -> str:
    return "".join(character for character in text if unicodedata.category(character) not in {"Cf", "Co"})


def plain(text: str) -> str:
    text = unicodedata.normalize("NFKC", re.sub("[´`’‘ʼ‛]", "'", text))
    text = unicodedata.normalize("NFKC", text.upper().lower().replace("ς", "σ"))
    text = re.sub("[´`’‘ʼ‛]", "'", text)
    text = re.sub("[“”„‟«»〝〞″]", '"', text)
    text = re.sub("[‐‑‒–—―−⁃]", "-", text)
    text = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text)
    text = re.sub(r"\r\n?|[\x0b\x0c\u0085\u2028\u2029]|<br ?/?>|</?(?:div|h[1-6]|li|ol|p|ul)>", "\n", text)
    text = re.sub(r"</?(?:answer|blank|choice|final|option|output|response|result)>", "\n", text)
    text = re.sub(r"</?(?:b|code|em|i|mark|q|s|span|strong|u)>|[*~]+", "", text)
    text = re.sub(r"\\(?:boxed|math[a-z]+|text[a-z]*)\{", " ", text)
    text = "".join(" " if character != "\n" and _is_blank(character) else character for character in text)
    text = re.sub(" +", " ", text)
    text = re.sub(r"(?m)^ *(?:#{1,6} +|(?:> +)+)(\S)", "\\1", text)
    return re.sub("-{2,}", "-", text.replace("''", '"'))


def _is_blank(character: str) -> bool:
    return character.isspace() or unicodedata.category(character) == "Cc"


def words(text: str) -> list[str]:
    """The words of a plain text, and a break for every end of a line or sentence."""
    text = re.sub(r"""(?:[.!;]+["')\]]*(?: |\n|$)|[。！；\n])\s*""", "\n", text)
    found: list[str] = []
    place = 0
    while place < len(text):
        length = 1 if text[place] in MARKS | {BREAK} else _number(text, place) or _word(text, place)
        if length:
            found.append(text[place : place + length])
        place += max(length, 1)
    once = [word for word, before in zip(found, [None, *found], strict=False) if not word == before == BREAK]
    while once and once[0] == BREAK:
        once = once[1:]
    while once and once[-1] == BREAK:
        once = once[:-1]
    return once


def _kind(text: str, place: int) -> str:
    if place >= len(text):
        return ""
    category = unicodedata.category(text[place])
    if category[0] == "N":
        return "number"
    is_letter = category[0] in "LM" or category in {"Sc", "Sm", "So"} or text[place] in "#%&@🏻🏼🏽🏾🏿"
    return "letter" if is_letter and text[place] not in "|~" else ""


def _run(text: str, place: int) -> int:
    end = place
    while _kind(text, end):
        end += 1
    return end - place


def _digits(text: str, place: int) -> int:
    end = place
    while _kind(text, end) == "number":
        end += 1
    return end - place


def _number(text: str, start: int) -> int:
    place = start
    if text[place] == "-":
        place += 1
    if text[place : place + 1] == ".":
        place += 1
    if not _digits(text, place):
        return 0
    place += _digits(text, place)
    while place < len(text):
        if text[place] in ".,:/" and _digits(text, place + 1):
            place += 1 + _digits(text, place + 1)
        elif text[place] in "'-" and _run(text, place + 1):
            place += 1 + _run(text, place + 1)
        elif _run(text, place):
            place += _run(text, place)
        else:
            break
    return place - start


def _word(text: str, start: int) -> int:
    place = start + _run(text, start)
    while place > start and text[place : place + 1] in {"'", "-"} and _run(text, place + 1):
        place += 1 + _run(text, place + 1)
    return place - start


def unhyphened(found: Sequence[str]) -> list[str]:
    return " ".join(word[0] + word[1:].replace("-", " ") for word in found).split(" ") if found else []


def folded(found: Sequence[str]) -> list[str]:
    return [word for word in unhyphened(found) if word != BREAK]


def one_line(found: Sequence[str]) -> list[str]:
    return [word for word in found if word != BREAK]


def segments(found: Sequence[str], language: Language) -> list[str]:
    line = f"\n {' '.join(unhyphened(found))} \n"
    return re.sub(f"([^\n]) {language.reasons} ", "\\1 \n ", line).split(" ")


def times(found: Sequence[str], part: Sequence[str]) -> int:
    """How often some words stand one after another, none counted twice."""
    return len(_cut(found, part)) - 1


def _cut(found: Sequence[str], part: Sequence[str]) -> list[list[str]]:
    pieces: list[list[str]] = [[]]
    place = 0
    while place < len(found):
        if part and list(found[place : place + len(part)]) == list(part):
            pieces.append([])
            place += len(part)
        else:
            pieces[-1].append(found[place])
            place += 1
    return pieces


def holds(found: Sequence[str], part: Sequence[str]) -> bool:
    return any(list(found[place : place + len(part)]) == list(part) for place in range(len(found)))


class Twin:
    """One text and its options; `sentence` with the mark `GAP`, `shown` the place of each option from 0."""

    def __init__(
        self,
        text: str,
        options: Sequence[str],
        sentence: str | None,
        shown: Sequence[int] | None,
        language: Language,
        *,
        declines: bool,
        objects: bool,
    ) -> None:
        self.text, self.options, self.shown, self.language = text, list(options), shown, language
        self.declines, self.objects = declines, objects
        self.count = len(options)
        self.places = [str(i + 1) for i in range(self.count)] + list("abcdefghijklmnopqrstuvwxyz"[: self.count])
        self.plain = plain(safe(text)).strip()
        self.words = words(self.plain)
        self.folded, self.flat = folded(self.words), one_line(self.words)
        self.option_words = [words(plain(safe(option))) for option in options]
        self.own = [folded(option) for option in self.option_words]
        self.sentence = None if sentence is None else words(plain(sentence))
        self.marked = self._verbal()
        self.mentioned = [i for i in range(self.count) if self.mentions(i) > 0]
        label = self.label
        self.wrong = [label is not None and shown is not None and label != shown[i] for i in range(self.count)]

    def _verbal(self) -> str:
        lead, tail = answer_phrases._LEAD, answer_phrases._TAIL
        phrase = rf"(?m)(^|[.!?:;] )({OTHER}{{0,8}})({lead}(?:{'|'.join(answer_phrases._ENGLISH)}){tail})"
        denials = {re.escape(word) for word in self.language.denials}
        denial = re.compile(rf"\b(?:{'|'.join(denials)})\b|n't\b")

        def mark(match: re.Match[str]) -> str:
            if denial.search(match[3]):
                return match[0]
            return f"{match[1]}{match[2]}{LEFT}{RIGHT}"

        return re.sub(rf"{LEFT}{RIGHT}\s*", f" {SAYS} ", re.sub(phrase, mark, self.plain))

    def _numbered(self) -> str:
        pattern = python(answer_phrases._NUMBERED).replace("<places>", "|".join(self.places))
        return re.sub(rf"(?m)(^|[.!?:;] |{SAYS}){pattern}", f"\\1\\2 {SAYS} ", self.marked)

    def _after_mark(self, text: str) -> list[list[str]]:
        """What stands behind each mark, up to the end of the line or sentence."""
        line = segments(words(text), self.language)
        found = []
        for place, word in enumerate(line):
            if word == SAYS:
                rest = place + 1
                while rest < len(line) - 1 and line[rest] == BREAK:
                    rest += 1
                found.append(line[rest:])
        return found

    def place(self, name: str | None) -> int | None:
        """The place, from 0, that a number, letter or ordinal names."""
        if name is None:
            return None
        known = {place: i % self.count for i, place in enumerate(self.places)}
        for table in (self.language.numbers, self.language.ordinals):
            known |= {word: int(number) - 1 for word, number in table.items() if 1 <= int(number) <= self.count}
        return known.get(name)

    @property
    def index(self) -> int | None:
        numbers = [w for w, n in self.language.numbers.items() if 1 <= int(n) <= self.count]
        ordinals = [w for w, n in self.language.ordinals.items() if int(n) <= self.count]
        either = "|".join(sorted([*self.places, *numbers], key=len, reverse=True))
        noun = option_forms._NOUN
        named = rf"(?:(?:(?:the )?{noun} )?#?({either})|(?:the )?({'|'.join(ordinals)})(?: (?:{noun}|one|word))?)"
        found = re.search(rf"\A[\s(\[\"'>]*{named}[ )\].:!\"'}}]*(?:\n|\Z)", self.plain)
        if not found:
            line = " ".join(segments(words(self.marked), self.language))
            found = re.search(rf"{SAYS} {named} \n", line)
        return self.place(found[1] or found[2]) if found else None

    @property
    def label(self) -> int | None:
        pattern = python(answer_phrases._NUMBERED).replace("<places>", "|".join(self.places))
        found = re.search(rf"\A(?:[^{SAYS}]*{SAYS})?{pattern}", self.marked)
        return self.place(found[2]) if found else None

    def mentions(self, option: int) -> int:
        own = folded(self.option_words[option])
        if not own:
            return 0
        within = 0
        for other in range(self.count):
            longer = folded(self.option_words[other])
            if longer != own and times(longer, own):
                within += self.mentions(other) * times(longer, own)
        return times(self.folded, own) - within

    def choose(self) -> tuple[int | None, str | None]:
        """The option and the rule that finds it; (None, 'ambiguous') or (None, None)."""
        if self.text in self.options:
            return self.options.index(self.text), "exact"
        for rule in (
            self._normalised, self._by_index, self._number_word, self._answer_phrase, self._first_line, self._sentence,
            self._quoted, self._mention,
        ):  # fmt: skip
            if hits := rule():
                name = rule.__name__.strip("_").removeprefix("by_").replace("_", "-")
                return (hits[0], name) if len(hits) == 1 else (None, "ambiguous")
        if (option := self._contrast()) is not None:
            return option, "contrast"
        if len(self.mentioned) > 1 or any(self.wrong[i] for i in self.mentioned):
            return None, "ambiguous"
        return None, None

    def _contrast(self) -> int | None:
        """Every way of putting one option in a contrast with another, spelled out."""
        once = len(self.mentioned) == 2 and all(self.mentions(i) == 1 for i in self.mentioned)
        by_place = not self.mentioned and self.shown is not None
        if self.declines or self.objects or "?" in self.plain or not (once or by_place):
            return None
        first, *others = " ".join(segments(self.words, self.language)).strip("\n ").split(" \n ")
        if others and (
            others[0].split(" ")[0] in self.language.contrary
            or any(option_contrast._TAKES_BACK.search(other) for other in others)
        ):
            return None
        names: dict[str, int] = {}
        if by_place:
            for option, place in enumerate(self.shown or ()):
                names |= {str(place + 1): option, "abcdefghijklmnopqrstuvwxyz"[place]: option}
        elif self.label is None:
            for option in self.mentioned:
                whole = " ".join(segments(self.option_words[option], self.language)).strip("\n ")
                names |= {form: option for form in (whole, " ".join(self.own[option])) if len(form) > 1}
        before, noun = option_contrast._BEFORE, option_contrast._NOUN
        i_choose = rf"(?:so )?{option_contrast._I}{option_contrast._VERB} {noun}"
        for one, chosen in names.items():
            for other, left in names.items():
                x, y = re.escape(one), re.escape(other)
                ways = [
                    *(
                        rf"{before}{x} {word} {noun}{y}"
                        for word in (option_contrast._NOT, "as opposed to", "instead of", "rather than")
                    ),
                    *(rf"{word} {noun}{y} {before}{x}" for word in ("as opposed to", "instead of", "rather than")),
                    rf"{before}not {noun}{y} but {noun}{x}",
                    rf"{before}not {noun}{y} but rather {noun}{x}",
                    rf"{i_choose}{x} over {noun}{y}",
                    rf"(?:so )?{option_contrast._I}prefer {noun}{x} to {noun}{y}",
                ]
                if chosen != left and any(re.fullmatch(way, first) for way in ways):
                    return chosen
        return None

    def _normalised(self) -> list[int]:
        return [i for i in range(self.count) if self.own[i] and self.folded == self.own[i]]

    def _by_index(self) -> list[int]:
        if self.index is None or self.shown is None:
            return []
        chosen = {i for i in range(self.count) if self.shown[i] == self.index}
        return sorted(chosen | set(self._named()) | (set(self.mentioned) if len(self.mentioned) == 1 else set()))

    def _number_word(self) -> list[int]:
        number = self._number(self.folded)
        return [i for i in range(self.count) if number is not None and number == self._number(self.own[i])]

    def _number(self, found: Sequence[str]) -> int | None:
        text = " ".join(found)
        if re.fullmatch("[0-9]+", text):
            return int(text)
        return int(self.language.numbers[text]) if text in self.language.numbers else None

    def _named(self) -> list[int]:
        behind = [*self._after_mark(self.marked), *self._after_mark(self._numbered())]
        return [i for i in range(self.count) if self.own[i] and any(self._starts(words, i) for words in behind)]

    def _starts(self, found: Sequence[str], option: int) -> bool:
        """Whether a line or sentence is an option and ends there."""
        whole = " ".join(segments(self.option_words[option], self.language)).strip("\n ").split(" ")
        return any(found[: len(form) + 1] == [*form, BREAK] for form in (whole, self.own[option]))

    def _answer_phrase(self) -> list[int]:
        named = self._named()
        if self.declines or len(named) != 1:
            return [] if self.declines else named
        last = folded(words(self._numbered()))
        while SAYS in last:
            last = last[last.index(SAYS) + 1 :]
        rest = f" {' '.join(last)} ".split(f" {' '.join(self.own[named[0]])} ")
        behind = " ".join(rest)
        others = any(f" {' '.join(self.own[i])} " in behind for i in range(self.count) if i != named[0] and self.own[i])
        return [] if others or self.wrong[named[0]] else named

    def _first_line(self) -> list[int]:
        line = segments(self.words, self.language)[1:]
        rest = line[line.index(BREAK) + 1 :] if BREAK in line[:-1] else []
        denied = rest[:1] and rest[0] in set(self.language.contrary)
        if self.declines or denied or len(self.mentioned) != 1:
            return []
        return [i for i in self.mentioned if self._starts(line, i) and not self.wrong[i]]

    def _beside(self) -> list[str]:
        return [word for piece in _cut(self.folded, folded(self.option_words[self.mentioned[0]])) for word in piece]

    def _speaks_for(self) -> bool:
        if self.declines or self.objects or len(self.mentioned) != 1:
            return False
        only = " ".join(self.own[self.mentioned[0]])
        beside = self._beside()
        contrary = set(self.language.contrary)
        denied = any(word in contrary or word.endswith("n't") for word in beside)
        return not denied and len(only) > 1 and only not in contrary

    def _quoted(self) -> list[int]:
        if not self._speaks_for() or len(self._beside()) > 30:
            return []
        text = re.sub(r'"([^"\n]{1,200})"', f" {LEFT} \\1 {RIGHT} ", self.plain)
        text = re.sub(r"(^|[\s(\[:,])'([^'\n]{1,200})'($|[\s)\].,;:!?])", f"\\1 {LEFT} \\2 {RIGHT} \\3", text)
        found = folded(words(text))
        return (
            [self.mentioned[0]]
            if holds(found, [LEFT, *self.own[self.mentioned[0]], RIGHT]) and not self.wrong[self.mentioned[0]]
            else []
        )

    def _sentence(self) -> list[int]:
        if self.sentence is None or GAP not in self.sentence:
            return []
        return [
            i
            for i in range(self.count)
            if self.own[i]
            and self.folded == [w for word in folded(self.sentence) for w in (self.own[i] if word == GAP else [word])]
        ]

    def _mention(self) -> list[int]:
        if not self._speaks_for() or len(self._beside()) > 5:
            return []
        only = self.option_words[self.mentioned[0]]
        given = self.sentence is not None and holds(folded(self.sentence), folded(only))
        written = holds(self.flat, one_line(only)) or holds(self.flat, folded(only))
        return (
            self.mentioned
            if written and not {"\n", "?"} & {*self.plain} and not given and not self.wrong[self.mentioned[0]]
            else []
        )
