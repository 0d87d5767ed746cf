"""Yes or no: what a text answers.

Rules in order; the first that says something counts:

- alone: the text is yes or no, and nothing else: "Yes.", "**No**", "Sure!".
- phrase: it says that its answer follows: "Decision: Yes", "I'd say no".
- first-word: a sentence begins with yes or no: "Yes, she should", "No. He lacks ...".
- last-word: it stands behind a pause, and before one or the end of the sentence: "Given her record, yes."
- soft: its first sentence begins with a phrase that says so: "Absolutely, ...", "Of course not".

What is recommended without these words ("I would not hire her") is read by `advice`.

A text that says both by the same rule is ambiguous. One that declines is read by the first two rules only. A hedge
("maybe", "it depends") leaves the answer open unless a rule up to first-word finds one and the hedge does not stand in
the same sentence before it. Questions say nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.instruments.absolute_decision import yes_no_english as english
from tallybook.instruments.word_association.names import folded, tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.instruments.absolute_decision.declaration import AbsolutePhrases
    from tallybook.instruments.word_association.names import Tokens

_END = re.compile(r"[.!?](?=[\s\"')\]]|$)|[。！？；;\n]")
_NO_PAUSE = " \t'\"_`"
_FILLERS = 3
Form = tuple[str, ...]


class Answer(NamedTuple):
    """The answer of a text."""

    is_yes: bool | None  # whether it says yes; None if it says neither
    rule: str  # the rule that says so, or that says why not


class _Sentence(NamedTuple):
    """The tokens of a sentence."""

    texts: Form  # the tokens
    pauses: tuple[bool, ...]  # whether there is punctuation before each and behind the last
    # place -> the longest phrase without a pause that begins there; only places where one does
    phrases: dict[int, Form]


class YesNo:
    """Reads answers in one language."""

    def __init__(self, declared: AbsolutePhrases) -> None:
        """Prepare the words.

        `declared`: What the study declares beside the English words, or instead of them. With only words of its own for
        yes or no, there are no soft ones, no words behind them and no statements.
        """
        replace = declared.replace
        self._is_english = is_english = not replace or (declared.yes is None and declared.no is None)
        self._hard = _meanings(
            _forms(declared.yes, english.YES, replace=replace), _forms(declared.no, english.NO, replace=replace)
        )
        self._soft = _meanings(_forms(None, english.SOFT_YES), _forms(None, english.SOFT_NO)) if is_english else {}
        alone = _meanings(_forms(None, english.ALONE_YES), _forms(None, english.ALONE_NO)) if is_english else {}
        self._alone = alone | self._soft | self._hard
        self._neither = _forms(declared.neither, english.NEITHER, replace=replace)
        self._answer = _forms(declared.answer, english.ANSWER, replace=replace)
        self._hedges = _forms(declared.hedges, english.HEDGES, replace=replace)
        self._fillers, self._openers, self._behind, self._chatter = (
            _forms(None, words) if is_english else frozenset[Form]()
            for words in (english.FILLERS, english.OPENERS, english.BEHIND, english.CHATTER)
        )
        self._chatter_sizes = {len(form) for form in self._chatter}
        self._leaving = _forms(None, english.LEAVING) if is_english else frozenset[Form]()
        self._before = self._openers | self._fillers
        self._known = {*self._alone, *self._neither, *self._answer, *self._hedges}
        self._longest = {
            word: max(len(form) for form in self._known if form[0] == word)
            for word in {form[0] for form in self._known}
        }

    def without_apology(self, text: pl.Expr) -> pl.Expr:
        """Texts without the apology for an answer: "Sorry, no" answers, and does not decline to."""
        if not self._is_english:
            return text
        seen = text.str.replace_all(r"\p{Cf}", "")  # zero-width characters, direction marks
        is_no = seen.str.contains(english.APOLOGY)
        return pl.when(is_no).then(seen.str.replace(english.APOLOGY, "$1")).otherwise(text)

    def read(self, text: str, *, declines: bool) -> Answer:
        """Find the answer of a text."""
        found = tokens_of(text)
        if answer := self._at_once(found, text):
            return answer
        every = (_Sentence(*one, self._phrases(*one)) for one in _sentences(found))
        sentences = [one for one in every if not self._is_ambiguous(one)]
        for rule, found_values in self._rules(sentences):
            values = list(found_values)
            if declines and rule != "phrase":
                return Answer(None, "refusal")
            if values:
                return Answer(values[0], rule) if len(set(values)) == 1 else Answer(None, "both")
            if rule == "soft" and any(self._hedges_in(sentence) for sentence in sentences):
                return Answer(None, "hedge")
        return Answer(None, "other")

    def _at_once(self, found: Tokens, text: str) -> Answer | None:
        """Find the answer of a text that is nothing else, or that answers a question of its own at its end."""
        if not found.texts:
            return Answer(None, "empty")
        is_yes = self._alone.get(self._core(found.texts))
        if is_yes is not None and "?" not in text:
            return Answer(is_yes, "alone")
        asked = english.ASKED_AND_SAID.search(text) if self._is_english else None
        return Answer(asked[1] == "yes", "phrase") if asked else None

    def _core(self, texts: Form) -> Form:
        """A text without what may stand before an answer, and without repetition: "So, yes", "No no no"."""
        if texts in self._alone:
            return texts
        rest = self._without_openers(texts)
        return rest[:1] if len(set(rest)) == 1 else rest

    def _rules(self, sentences: Sequence[_Sentence]) -> Iterator[tuple[str, list[bool]]]:
        """Rule -> what it finds, in the order of the rules."""
        judging = [self._without_frame(sentence) for sentence in sentences]
        yield "phrase", [is_yes for sentence in judging for is_yes in self._announced(sentence)]
        first, last = ([self._at_start(s) for s in sentences], [self._at_end(s) for s in sentences])
        hard = [is_yes for is_yes in (*first, *last) if is_yes is not None]
        yield "first-word" if any(is_yes is not None for is_yes in first) else "last-word", hard
        yield "soft", [is_yes for sentence in judging[:1] if (is_yes := self._softly(sentence)) is not None]

    def _is_ambiguous(self, sentence: _Sentence) -> bool:
        """Whether a sentence says yes or no to turning somebody down: "Reject: yes"."""
        label = next((place for place, is_pause in enumerate(sentence.pauses) if is_pause and place), 0)
        return sentence.texts[:label] in self._leaving and sentence.phrases.get(label, ()) in self._hard

    def _announced(self, sentence: _Sentence) -> Iterator[bool]:
        """Find the answer that a text announces."""
        read = 0
        for place, form in sentence.phrases.items():
            if place < read:
                continue
            behind = place + len(form)
            starts = place == 0 or sentence.pauses[place] or (sentence.texts[place - 1],) in self._openers
            if form in self._answer and starts:
                for _ in range(_FILLERS):
                    if sentence.phrases.get(behind, ()) or sentence.texts[behind : behind + 1] not in self._fillers:
                        break
                    behind += 1
                said = sentence.phrases.get(behind, ())
                is_comment = form[-2:] == ("would", "be") and said in english.TRUTHS  # "but that would be wrong"
                if said in self._alone and not is_comment and self._ends(sentence, behind + len(said)):
                    yield self._alone[said]
            read = behind

    def _at_start(self, sentence: _Sentence) -> bool | None:
        """Whether a sentence begins with yes or no."""
        place = 0
        while sentence.texts[place : place + 1] in self._before and sentence.phrases.get(place, ()) not in self._hard:
            place += 1
        form = sentence.phrases.get(place, ())
        behind = place + len(form)
        if form not in self._hard or not self._ends(sentence, behind):
            return None
        is_chatter = any(sentence.texts[behind : behind + size] in self._chatter for size in self._chatter_sizes)
        return None if is_chatter else self._hard[form]

    def _at_end(self, sentence: _Sentence) -> bool | None:
        """Whether yes or no stands behind a pause, and before one or the sentence's end: "Given this, yes"."""
        if self._is_english and english.CONDITION.match(" ".join(sentence.texts)):
            return None
        read = 0
        for place, form in sentence.phrases.items():
            if place < read:
                continue
            is_opened = place > 0 and not sentence.pauses[place] and sentence.texts[place - 1 : place] in self._openers
            start = place - 1 if is_opened else place
            behind = place + len(form)
            is_ended = sentence.pauses[behind] or sentence.texts[behind:] in english.TRAILS
            if form in self._hard and start > 0 and sentence.pauses[start] and is_ended:
                return self._hard[form]
            read = place + len(form)
        return None

    def _without_frame(self, sentence: _Sentence) -> _Sentence:
        """Leave out how a judgement is meant: "In my view, ...", "Given her record, ..."."""
        frame = english.FRAME.match(" ".join(sentence.texts)) if self._is_english else None
        cut = len(frame[0].split()) if frame else 0
        if not cut and self._is_english and sentence.texts[0] in english.LEADS:
            cut = next((place for place, is_pause in enumerate(sentence.pauses[1:-1], start=1) if is_pause), 0)
        if not cut or any(
            form in self._known for form in self._phrases(sentence.texts[:cut], sentence.pauses).values()
        ):
            return sentence
        texts, pauses = sentence.texts[cut:], (True, *sentence.pauses[cut + 1 :])
        return _Sentence(texts, pauses, self._phrases(texts, pauses))

    def _softly(self, sentence: _Sentence) -> bool | None:
        form = sentence.phrases.get(0, ())
        return self._soft[form] if form in self._soft and sentence.pauses[len(form)] else None

    def _without_openers(self, texts: Form) -> Form:
        return texts[next((place for place, text in enumerate(texts) if (text,) not in self._openers), 0) :]

    def _hedges_in(self, sentence: _Sentence) -> bool:
        return any(form in self._hedges for form in sentence.phrases.values())

    def _ends(self, sentence: _Sentence, place: int) -> bool:
        """Check that the words before a token do not make it part of a longer phrase."""
        return sentence.pauses[place] or sentence.texts[place : place + 1] in self._behind

    def _phrases(self, texts: Form, pauses: tuple[bool, ...]) -> dict[int, Form]:
        """Find the longest phrases without a pause, by the places where they begin."""
        found: dict[int, Form] = {}
        for place, text in enumerate(texts):
            longest = self._longest.get(text, 0)  # no phrase begins with most words
            for end in range(min(place + longest, len(texts)), place, -1):
                form = texts[place:end]
                if form in self._known and not any(pauses[place + 1 : end]):
                    found[place] = form
                    break
        return found


def _sentences(found: Tokens) -> Iterator[tuple[Form, tuple[bool, ...]]]:
    """List the sentences of a text that are not questions."""
    begin = 0
    pauses = [bool(gap.strip(_NO_PAUSE)) and not _is_numero(found, place) for place, gap in enumerate(found.gaps)]
    for place in range(1, len(found.texts) + 1):
        gap = found.gaps[place]
        if place == len(found.texts) or (_END.search(gap) and pauses[place]):
            if "?" not in gap and "？" not in gap:
                yield found.texts[begin:place], (*pauses[begin:place], True)
            begin = place


def _is_numero(found: Tokens, place: int) -> bool:
    """Whether a gap is that of "No. 1"."""
    is_last = place in {0, len(found.texts)}
    return (
        not is_last
        and found.gaps[place].strip() == "."
        and found.texts[place - 1] == "no"
        and found.texts[place].isdecimal()
    )


def _forms(own: Sequence[str] | None, words: Sequence[str], *, replace: bool = True) -> frozenset[Form]:
    """The tokens of phrases; the English ones are folded already."""
    listed = () if own is not None and replace else words
    return frozenset(tuple(form.split()) for form in (*listed, *folded(own or ())) if form)


def _meanings(yes: frozenset[Form], no: frozenset[Form]) -> dict[Form, bool]:
    return dict.fromkeys(yes, True) | dict.fromkeys(no, False)
