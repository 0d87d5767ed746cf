r"""The answer to which a text commits itself, whatever it says about other answers.

An instrument finds the mentions of answers in a text. These rules, in their order, decide which mention is the answer:

- marked: it is in a box or an answer's tag, under a JSON key, or on a ticked line or table row: "\boxed{B}", "[x] B".
- label: it follows "Answer:" or the like; of several labels, the last one counts.
- correction: it follows "actually", "no, wait" or "I meant".
- commit: a sentence announces it ("I would choose", "the answer is") or says that it fits better.
- conclusion: a sentence that begins with "therefore" or the like has it, or it ends the text: "..., so B", "...: B".
- line: it is alone on the first or the last of several lines, and no other line is an answer.
- first: it begins the first sentence or line, and the end or a pause follows.
- last: likewise, it begins the last sentence or line.
- statement: a whole sentence says it of somebody ("The tenant is tidy."), and no other answer counts.
- only: other answers are mentioned only to speak against them.

A mention counts only if its clause does not deny it ("not B", "rather than B", "why B?"), nothing after it speaks
against it ("B would be a stereotype"), and it is not the view of others. A sentence with two answers that count decides
nothing, nor does a question.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tallybook.instruments.languages import expressions
from tallybook.instruments.marked_answers import BOX, BRACKETS, Mention, is_crossed, marked, parsed_json
from tallybook.instruments.option_words import written
from tallybook.instruments.stance import asserts, is_an_idea

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tallybook.instruments.languages import Words


_WORDS = expressions("tallybook.instruments", "choices.toml")["committed"]
SENTENCE = re.compile(r"[^.!?。！？\n]*(?:\.(?=\w)[^.!?。！？\n]*)*[.!?。！？]*[\"')\]]*")
_TAKES_BACK = re.compile(r"^(?:no,? wait|wait|scratch|correct|i take|actually,? (?:the other|no\b))|\bthe other\b")
OPEN = re.compile(rf"\b(?:{_WORDS['open']})\b")
_PROPOSAL = re.compile(r"(?:how about|what about|why not(?: let)?) ([^?]*)\?")
_ASIDE = re.compile(_WORDS["aside"])
_CLAUSE = re.compile(r"[^.!?\n;]*[.!?\n;]?")
_ASIDE_CLAUSE = re.compile(rf"\b(?:{_WORDS['aside_clause']})\b")
_PAUSE = re.compile(r"[,;:：，；→⇒]|->|\s[-–—]+\s?|[—–]|\.\.\.|…|\b(?:so|but|hence|therefore|thus)\b|(?<=[。])")
_ARTICLE = re.compile(r"^\W*(?:(?:the|l[aeo]s?|el|il|gli|die|de[rn]|das|[oa]s?) |l')")
_EMOJI = re.compile("^ ?[\u2600-\u2bff\ufe0f\u200d\U0001f000-\U0001faff]+(?= )")
TOO = re.compile(_WORDS["too"])
_NOTE = re.compile(_WORDS["note"])
_GLOSSED = re.compile(r"[\"' ]*\([^()\n]*\),? (?:or|nor) [^()\n]{0,60}\([\"']*$")
"""The text before the second of two answers in parentheses: "isn't a stereotype (lazy) or nonsense (green)"."""
_TWO = 2
_LONGEST, _MOST = 1000, 12
"""The largest numbers of characters and mentions in a sentence that is read; others are too ambiguous to decide."""
STRONG = ("marked", "line", "label", "commit", "conclusion")
"""The rules that decide even in a text that declines, if it says that it answers nevertheless."""
_NEAR = 80
"""The number of characters around a mention within which related words count, as white space may be long."""
_FEW = 3
"""The maximum number of words of a line that may be an item of a list."""
SHORT = 30
"""The length, in characters, up to which a mention alone is an answer in languages other than English."""
_CUTS = frozenset((*",;-–—:，；：", "but", "sondern", "sino", "mais", "ma", "mas", "但", "而是"))
"""The breaks that end a clause even directly before an answer."""
_NOT_THE_ANSWER, _NEXT_BEST = re.compile(_WORDS["not_the_answer"]), re.compile(_WORDS["next_best"])
BECAUSE = re.compile(_WORDS["because"])
COMPARES = re.compile(r">|\bis (?:more |rather )?(?:positive|neutral|a compliment)\b|\bover\b|\bnot only\b")


def plain(text: str) -> str:
    """Normalise a text: lower case, uniform quotes, no emphasis marks."""
    return written(text).lower()


def settled(
    text: str, find: Callable[[str], Sequence[Mention]], words: Words, *, short: int = 0
) -> tuple[Any, str | None]:
    """Return the answer to which a plain text commits itself and the deciding rule; None and None if there is none.

    None and a rule if that rule finds two answers or a retraction. `find` returns the mentions of answers in a part of
    the text. In a text of at most `short` characters, a mention alone is an answer.
    """
    for rule, told in _Reader(find, words, short).rules(text):
        values = list(dict.fromkeys(told))
        if len(values) == 1:
            return values[0], rule
        if len(values) > 1 and rule != "label":
            return None, rule
    return None, None


def speaks_for(text: str, find: Callable[[str], Sequence[Mention]], words: Words) -> list[Any]:
    """List the answers that a text mentions outside of questions and does not speak against."""
    reader = _Reader(find, words, 0)
    return [one for sentence in sentences_of(text) if "?" not in sentence for one in reader.counting(sentence)]


def stated(text: str, find: Callable[[str], Sequence[Mention]], words: Words) -> list[Any]:
    """List the answers that sentences of a text assert."""
    reader = _Reader(find, words, 0)
    return [one for sentence in sentences_of(text) for one in reader.stating(sentence)]


def regions(text: str, words: Words) -> Iterator[str]:
    """Yield the parts of a plain text that may answer by themselves, such as boxes and text after labels."""
    yield from ("".join(filter(None, match.groups())) for match in BOX.finditer(text) if any(match.groups()))
    for pattern in (words.label, words.correction):
        for match in list(pattern.finditer(text))[-1:]:
            yield text[match.end() :].lstrip(" :.,")
    if (noted := _NOTE.sub("", text)) != text:
        yield noted
    for match in list(words.commit.finditer(text))[-1:]:
        yield text[match.start() :]
    if proposal := _PROPOSAL.fullmatch(text.strip()):
        yield proposal[1]
    clauses = [match.group() for match in _CLAUSE.finditer(_ASIDE.sub("", text))]
    told = "".join("\n" * one.endswith("\n") if _ASIDE_CLAUSE.search(one) else one for one in clauses)
    if told != text:
        yield told


class _Reader:
    """Finds the answers in texts with the word lists of the given languages."""

    def __init__(self, find: Callable[[str], Sequence[Mention]], words: Words, short: int) -> None:
        self._find, self._words, self._short = cache(find), words, short
        self._known: dict[str, list[Mention]] = {}

    def rules(self, text: str) -> Iterator[tuple[str, list[Any]]]:
        """Yield each rule, in order of precedence, with the answers that it finds."""
        ticked, labels = list(marked(text, self._find)), list(self._words.label.finditer(text))
        is_table = len({*ticked}) > 1 and bool(labels) and labels[-1].start() > text.rfind("|")
        yield "marked", [] if is_table else ticked  # "| Ann | ✅ |\n| Ben | ✅ |\nBest choice: Ann"
        if isinstance(parsed_json(text), dict | list):
            return
        if labels:
            behind = text[labels[-1].end() :].lstrip("\n ")
            head = behind.split("\n")[0]
            said = self.counting(head)
            if len({match.group().strip() for match in labels}) < len(labels):  # the same label twice
                ends = [match.start() for match in labels[1:]] + [len(text)]
                heads = [text[match.end() : end].lstrip() for match, end in zip(labels, ends, strict=True)]
                said = [value for one in heads for value in self.counting(one.split("\n")[0])]
                yield "labels", said
            yield "label", said
            yield "label", self.counting(_first_sentence(head))
        sentences = [one for one in sentences_of(text) if one.strip(BRACKETS + "?")]
        named = min((mention.end for mention in self._find(text)), default=len(text) + 1)
        corrections = [match for match in self._words.correction.finditer(text) if match.end() > named]
        if corrections:
            found = self._find(text[corrections[-1].end() :])
            counting = self.counting(text[corrections[-1].end() :]) or self.counting(corrections[-1][0])
            if counting:
                yield "correction", counting[:1]
            elif not found and _TAKES_BACK.search(text[corrections[-1].start() :]):
                yield "correction", [None, ...]  # the answer is retracted and not replaced
        commits = [value for one in sentences if "?" not in one for value in self._committing(one)]
        yield "commit", commits
        yield (
            "conclusion",
            [value for one in sentences if self._words.conclusion.match(one.lstrip()) for value in self.counting(one)],
        )
        yield "line", self._lines(text)
        endings = [value for one in sentences for value in self._ending(one)]
        named = {one.value for one in self._find(text)}
        is_last = bool(sentences) and bool(self._ending(sentences[-1]))
        yield "conclusion", endings if len(set(endings)) == 1 and (is_last or named == set(endings)) else []
        is_open = is_list(sentences) or any(OPEN.search(one) for one in sentences)
        alone = [] if is_open else self._alone([*sentences, *text.split("\n")])  # "St. Louis" is a line, no sentence
        if len(set(alone)) == 1:
            yield "first", self._alone(sentences[:1])
            yield "last", self._alone(sentences[-1:])
        counting = {one.value for each in sentences if "?" not in each for one in self._mentions(each)}
        stating = [value for one in sentences for value in self.stating(one)]
        yield "statement", stating + [one for one in alone if one in counting]
        yield from self._only(text, sentences)

    def _only(self, text: str, sentences: Sequence[str]) -> Iterator[tuple[str, list[Any]]]:
        """Yield the answer that nothing speaks against, in a short text or one that mentions exactly two."""
        found = self._find(text)
        is_short = len(text) <= self._short
        if COMPARES.search(text) or OPEN.search(text) or not (is_short or len({one.value for one in found}) == _TWO):
            return
        if len(found) != sum(len(self._find(one)) for one in sentences):  # the end of a sentence is within a name
            return
        told = [value for one in sentences if "?" not in one for value in self.counting(one)]
        values = set(told)
        if is_short or len(told) == len([one for one in found if one.value in values]):
            yield "only", told

    def stating(self, sentence: str) -> list[Any]:
        """Return the one answer that a sentence asserts, as a list; empty if it asserts none or several."""
        if "?" in sentence:
            return []
        stated = [
            one.value for one in self._mentions(sentence) if asserts(sentence[: one.start], sentence[one.end :], one)
        ]
        return stated if len(set(stated)) == 1 else []

    def _lines(self, text: str) -> list[Any]:
        """Return the answers that form the last or the first of several lines, if no other line is an answer."""
        lines = [line for line in text.split("\n") if line.strip(BRACKETS)]
        whole = [self._whole(line) for line in lines]
        has_parts = sum(line.rstrip().endswith(":") for line in lines) > 1  # "Task 1:", "Task 2:"
        is_read = len(lines) > 1 and not has_parts and not is_list(lines) and not any(map(is_crossed, lines))
        ends = [whole[-1:], whole[:1]] if is_read else []
        told = [end[0] for end in ends if end != [None]]
        return told if sum(one is not None for one in whole) == len(told) else []

    def _whole(self, line: str) -> object:
        found = [mention for mention in self._find(line) if not mention.is_place]
        is_whole = len(found) == 1 and "?" not in line
        rest = (line[: found[0].start] + line[found[0].end :]) if is_whole else line
        return found[0].value if is_whole and not _ARTICLE.sub("", rest).strip(BRACKETS) else None

    def _ending(self, sentence: str) -> list[Any]:
        """Return the answer at the end of a sentence, after a pause and at most filler words; else empty."""
        found = self._find(sentence)
        if not found or "?" in sentence or sentence[found[-1].end :].strip(BRACKETS + "。！"):
            return []
        last, before = found[-1], sentence[: found[-1].start]
        pauses = list(_PAUSE.finditer(before))
        cut = pauses[-1].end() if pauses else 0
        cue = self._words.conclusion.sub("", before[cut:].lstrip())
        is_behind = bool(cut or cue.strip()) and not cue.strip(BRACKETS)
        is_short = cut and len(before[:cut].split()) < _FEW  # "Wrong answer: dumb", "polite, dumb"
        if is_short and not self._words.conclusion.search(before) and not self._words.yet.search(before):
            return []
        is_other = _NEXT_BEST.search(before[:cut]) is not None
        if not is_behind or is_other or OPEN.search(sentence) or is_beside(sentence, last, self._words):
            return []
        if len(found) > 1:  # "Between A and B, A", "A..., so B"
            named = [mention.value for mention in found[:-1]]
            is_picked = last.is_place or (last.value in named and len(set(named)) == _TWO)
            others = [one for one in found[:-1] if one.value != last.value and not is_picked]
            if (
                any(self._words.breaks.match(sentence[one.end :].lstrip("\"') ")) for one in others)
                and len(others) == 1
            ):
                lone = sentence[: others[0].start].rstrip("\"'( ")
                if not lone or lone[-1] in ",;:-–—":
                    return []
            between = re.sub(r"\b(?:and|but|yet|so|then)\b", "", sentence[found[-2].end : last.start])
            if not is_picked and not re.search(r"[^\W_]{2}", between):
                return []
        return [last.value]

    def _alone(self, sentences: Sequence[str]) -> list[Any]:
        """Return the answers that begin a sentence and are followed by its end or a pause."""
        alone: list[Any] = []
        for one in sentences:
            found = self._find(one)
            if not found or re.search(r"\w", _ARTICLE.sub("", one[: found[0].start])):
                continue
            pause = _EMOJI.sub("", one[found[0].end :].lstrip("\"')]}"))
            behind = pause.strip()
            same = [mention for mention in found if mention.value == found[0].value]
            pauses = self._words.breaks.match(pause) or self._words.breaks.match(behind)
            is_whole = same == found and not re.search(r"[^\W_]", behind) and "?" not in behind
            asks = "?" in one and "because" not in behind
            is_told = len(self._mentions(one)) == len(same) and not asks
            if is_whole or (pauses and is_told and counts(one, found, 0, self._words)):
                alone.append(found[0].value)
        return alone

    def _committing(self, sentence: str) -> list[Any]:
        """Return the undenied answers of a sentence that announces an answer ("I would choose")."""
        counting = self._mentions(sentence)
        denied = {one.value for one in self._find(sentence) if counting and is_beside(sentence, one, self._words)}
        return [
            mention.value
            for mention in counting
            if mention.value not in denied
            and (self._commits(sentence[: mention.start]) or self._suits(sentence[mention.end :]))
        ]

    def _suits(self, behind: str) -> bool:
        found = self._words.suits.search(behind.partition(";")[0])
        return found is not None and found.start() <= _NEAR

    def _commits(self, before: str) -> bool:
        """Return whether the words before an answer announce it by a phrase that contains no other answer."""
        clause = before.rpartition(";")[2]
        rest = clause[max((one.end for one in self._find(clause)), default=0) :]
        commit = self._words.commit
        is_said = commit.search(rest) or any(not self._find(match[0]) for match in commit.finditer(clause))
        return bool(is_said)

    def counting(self, part: str) -> list[Any]:
        return [mention.value for one in sentences_of(part) for mention in self._mentions(one)]

    def _mentions(self, sentence: str) -> list[Mention]:
        """Return the mentions in a sentence that nothing speaks against."""
        if sentence not in self._known:
            found = self._find(sentence)
            is_read = len(sentence) <= _LONGEST and len(found) <= _MOST
            counting = [one for at, one in enumerate(found) if is_read and counts(sentence, found, at, self._words)]
            self._known[sentence] = [one for one in counting if not self._is_reason(sentence, counting[0], one)]
        return self._known[sentence]

    def _is_reason(self, sentence: str, first: Mention, mention: Mention) -> bool:
        """Return whether a mention belongs to the reason for the first one: "A, because nothing suggests B"."""
        reason = BECAUSE.search(sentence, first.end, mention.start) if mention.start > first.end else None
        between = sentence[reason.end() : mention.start] if reason else ""
        return reason is not None and not (self._words.yet.search(between) or self._words.commit.search(between))


def counts(sentence: str, found: Sequence[Mention], place: int, words: Words) -> bool:
    """Return whether nothing in a sentence speaks against one of its mentions, nor joins it to another answer."""
    return not (is_joined(sentence, found, place, words) or is_denied(sentence, found, place, words))


def is_joined(sentence: str, found: Sequence[Mention], place: int, words: Words) -> bool:
    """Return whether a sentence joins one of its mentions to another answer: "A and B"."""
    near = pairwise(found[max(place - 1, 0) : place + 2])
    between = [
        sentence[one.end : two.start]
        for one, two in near
        if one.value != two.value and one.is_place == two.is_place and not is_beside(sentence, one, words)
    ]
    return any(len(gap) <= _NEAR and (words.joins.fullmatch(gap) or gap.isspace()) for gap in between)


def is_denied(sentence: str, found: Sequence[Mention], place: int, words: Words) -> bool:
    """Return whether the clause of a mention speaks against it or gives somebody else's view."""
    mention = found[place]
    clause = last_clause(_GLOSSED.sub("", sentence[: mention.start]), words)
    if is_beside(sentence, mention, words) or words.others.search(clause):
        return True
    if words.denies.search(clause) or is_an_idea(clause):
        return True
    end = found[place + 1].start if place + 1 < len(found) else len(sentence)
    behind = " " + sentence[mention.end : end].lstrip("\"' ")
    cut = words.breaks.search(behind)
    behind = behind[: cut.start()] if cut else behind
    return words.against.search(behind) is not None or TOO.fullmatch(behind) is not None


def is_beside(text: str, mention: Mention, words: Words) -> bool:
    """Return whether the words right before a mention say that it is not the answer: "not B", "rather than B"."""
    before = text[max(mention.start - _NEAR, 0) : mention.start]
    return words.beside.search(before) is not None and re.search(r"\w", before) is not None


def sentences_of(text: str) -> list[str]:
    """Split a text into its sentences and lines."""
    return [match.group() for match in SENTENCE.finditer(text) if match.group()]


def is_list(lines: Sequence[str]) -> bool:
    """Return whether lines are a mere list: several different short ones, no full sentence and no table row."""
    said = {line.strip() for line in lines}
    return len(said) > 1 and all(len(one.split()) <= _FEW and one[-1] not in ".!?:|。！？：" for one in said)


def _first_sentence(line: str) -> str:
    return next(iter(sentences_of(line)), line)


def last_clause(before: str, words: Words) -> str:
    """Return the part of the text before an answer that belongs to its clause."""
    end = 0
    for match in words.breaks.finditer(before):
        if before[match.end() :].strip(" \"'(") or match.group().strip() in _CUTS:
            if _NOT_THE_ANSWER.search(before[: match.end()]):
                continue
            end = match.start() if match.group().isalpha() else match.end()
    return before[end:]
