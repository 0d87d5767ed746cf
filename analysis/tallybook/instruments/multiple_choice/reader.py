"""Texts read as answers to a question with options: the first rule that finds something decides."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tallybook.instruments.multiple_choice.question import (
    BECAUSE,
    CLOSE,
    OFF_LIST,
    OPEN,
    OPTION,
    alone,
    question,
    unmarked,
)
from tallybook.instruments.option_text import without_questions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.instruments.multiple_choice.instrument import Labels
    from tallybook.instruments.multiple_choice.question import Question, Texts


class Choice(NamedTuple):
    """Choose an option from a text: its place from 1, or the reason for having none, and the rule."""

    place: int | None
    rule: str
    reason: str | None = None


_NOUN = r"(?:final_answer|answer choice|answer|ans|choice|option|response|selection|solution|letter)"
_BEFORE = (
    r"(?:^|[\n.,;:!\"'({\[>-]|\b(?:the|my|so|thus|final|correct|best|right|most|likely|appropriate|logical|accurate|"
    r"suitable|probable|reasonable|valid|an|your|and|is)\b)\s*[\"']?"
)
_WITHIN = (
    r"(?:\s+(?:to|the|this|that|question|here|in|case|would|should|must|will|has|have|most|likely|therefore|thus|"
    r"clearly|probably|then|be|option|choice|letter|given)\b){0,6}"
)
_COPULA = r"(?:'s\b|\s*(?:[:=]|[-]\s)|\s+(?:is|was|be)\b\s*:?|(?<=\bbe))"
_THING = (
    r"(?:(?:definitely|probably|clearly|therefore|simply|indeed|most likely)\s+)?"
    r"(?:(?:the\s+)?(?:option|choice|letter|answer|number|statement)\s*:?\s+)?"
)
_VERB = (
    r"\b(?:i|we)(?:'d| would|'ll| will|'m| am)?(?: \w+ly| have to| rather| going to| must)?"
    r" (?:choose|pick|select|answer|go with|going with|say|opt for|guess|conclude)"
    r"(?:\s+(?:that|it's|it|is|with)\b)*"
)
_ITS = r"(?:\b(?:it|that|this)(?:'s| is| must be| would be)|\b(?:i think|i believe|probably|clearly|likely))"
_RIGHT = r"(?:the\s+)?(?:most\s+)?(?:correct|right|best|appropriate|likely)"
_JOIN = r"\s*(?:/|,|&|\bor\b|\band\b|:)\s*(?:the\s+)?"
_DENIED = (
    r"\b(?:not|never|neither|nor|nobody|none|cannot|hardly|without|no|why|\w+n't)\b(?: [\w']+){0,4} ?$|"
    r"\b(?:if|unless|whether|had|suppose|assuming)\b[^.\n]*$|"
    r"\b(?:incorrect|wrong|first|initial|stereotyp\w+|expected|tempting|obvious|other)\b[^.\n]{0,30}$|"
    r"(?<!\bi )(?<!\bi'd )(?<!\bwould )\b(?:says?|said|claims?|suggests?|implies) (?:that )?$|"
    r"(?:(?<!\bi )(?<!\bwe )\bthink|\bthought|\bguessed|\bbelieved) (?:that )?$"
)
_TURN = r"\b(?:so|therefore|thus|hence|but|however)\b(?!,)"
"""Words that begin a new thought."""
_AGAINST = (
    r"\b(?:not|never|neither|nor|no|none|cannot|unlikely|except|rather|than|instead|either|both|or|but|wrong|if|"
    r"unless|whether|without|unlike|incorrect|maybe|perhaps|might|could|better|worse|more|less|question|\w+n't)\b"
)
_REASONING = (
    r"(?:because|since|the|this|it|as|there|from|according|based|in|we|neither|both|while|although|given|explanation|"
    r"reason|reasoning|he|she|they|when|option|answer)\b"
)
_VERBS = (
    r"(?:is|isn't|was|wasn't|are|has|would|could|can|may|might|seems|says|and|or|vs|versus|but|nor|cannot|can't|does|"
    r"doesn't)\b"
)
_NEUTRAL = (
    r"(?:am|are|at|be|because|believe|by|clearly|definitely|did|does|it|it's|is|likely|probably|say|that|that's|"
    r"think|this|to|was|were|who|would|as|since|choose|pick|for|in|on)"
)
_END = rf"(?:{CLOSE}(?:$|[\n,;!-]|{BECAUSE})|(?=\s*[.)\"'}}\]]))"
"""Text that may follow an announced answer."""
_MOST_BESIDE = 4
"""The most words beside an option that is the whole answer."""


_ONLY = re.compile(rf"[\s*`-]*{OPEN}({OPTION}){CLOSE}[!\s]*")


def read(text: str, texts: Texts, labels: Labels, *, declines: bool, is_exact: bool = False) -> Choice:
    """Read a plain text."""
    if not re.search(r"\w", text):
        return Choice(None, "empty", "no-response")
    text = text.strip()
    found, is_label = alone(text, texts, labels)
    if len(found) == 1:
        return Choice(found.pop(), "label" if is_label else "option")
    asked = question(texts, labels)
    value = rf"({asked.value})(?:{_JOIN}({asked.value}))?"
    named = rf"(?:(?:(?:my|the)\s+)?(?:(?:final|correct|best)\s+)?{_NOUN}(?:\s+is)?\s*[:=-]?)?"
    whole = re.compile(rf"[\s>*-]*{named}(?:(?:both|either)\s+)?{OPEN}{value}{CLOSE}[!?*`\s]*")
    marked = asked.marked(text)
    for rule, pattern in (("option", _ONLY), ("labelled", whole)):
        if match := pattern.fullmatch(marked):
            return _settled(rule, _said(asked, match))
    if not is_exact and (said := _announcement(asked, value, whole, text)) is not None:
        return said
    if declines:
        return Choice(None, "refusal", "declined")
    return Choice(None, "other", "no-choice") if is_exact else _mentioned(asked, _searched(asked, text))


def _searched(asked: Question, text: str) -> str:
    """A text without questions, and without lines that list options or number thoughts."""
    text = without_questions(text).strip()
    item = re.compile(rf"(?m)^\s*[(\[]?({asked.bare})[).:\]]+[ \t]+\S[^\n]*$")
    if len({match[1] for match in item.finditer(text)}) > 1:
        text = item.sub("", text)
    return text.strip()


def _announcement(asked: Question, value: str, whole: re.Pattern[str], text: str) -> Choice | None:
    """Read the answer that a text announces: finally, or all that it announces."""
    text = asked.marked(_searched(asked, text))
    for rule, found in (
        ("final", _announced(asked, value, text, rf"\b(?:final|overall)[\s_]+{_NOUN}")),
        ("announced", [*_announcements(asked, value, text), *_lines(asked, whole, text), *_first(asked, value, text)]),
    ):
        if places := {place for each in found for place in each}:
            return _settled(rule, places)
    return None


def _said(asked: Question, match: re.Match[str]) -> set[int]:
    return {place for said in match.groups() if said is not None for place in asked.places(unmarked(said))}


def _settled(rule: str, places: set[int]) -> Choice:
    if len(places) > 1:
        return Choice(None, "several", "ambiguous")
    (place,) = places
    return Choice(None, rule, "off-list") if place == OFF_LIST else Choice(place, rule)


def _is_denied(text: str, match: re.Match[str]) -> bool:
    """Whether the words before or behind an answer take it back."""
    if re.match(
        r"[^\w.\n]*(?:(?:at first|initially)\b"
        r"|(?:which|that) (?:is|was|would be|isn't)[^.\n]*\b(?:wrong|incorrect|not)\b)",
        unmarked(text[match.end() :]),
    ):
        return True
    begins = re.match(rf"[.!;\n]|{_TURN}", match[0]) is not None
    return (
        not begins
        and re.search(_DENIED, re.split(rf"[.!?;\n]|{_TURN}", unmarked(text[: match.start()]))[-1]) is not None
    )


def _announced(asked: Question, value: str, text: str, opening: str) -> list[set[int]]:
    """List the answers that texts announce, if their sentence does not deny it."""
    pattern = rf"{opening}[\"']?{_WITHIN}{_COPULA}{OPEN}{_THING}{OPEN}{value}(?:{_END}|(?<=[.)]))"
    return [_said(asked, match) for match in re.finditer(pattern, text) if not _is_denied(text, match)]


def _announcements(asked: Question, value: str, text: str) -> Iterator[set[int]]:
    yield from _announced(asked, value, text, rf"{_BEFORE}{_NOUN}")
    for pattern in (
        rf"(?:{_VERB}|{_ITS}){OPEN}{_THING}{OPEN}{value}{_END}",
        rf"{OPEN}{value}{CLOSE}\s*(?:is|seems)\s+(?:{_RIGHT}\s+|the\s+){_NOUN}\b",
        rf"(?:^|[\n.,;]|\b(?:{_NOUN}|that|think|believe)\b)\s*{OPEN}({asked.label}){CLOSE}\s*(?:is|seems)\s+(?:{_RIGHT}|the\s+{_NOUN})\b",
    ):
        for match in re.finditer(pattern, text):
            if not _is_denied(text, match):
                yield _said(asked, match)


def _lines(asked: Question, whole: re.Pattern[str], text: str) -> Iterator[set[int]]:
    """Lines that are an answer and nothing else."""
    for line in text.splitlines():
        if match := whole.fullmatch(line.strip()):
            yield _said(asked, match)


def _first(asked: Question, value: str, text: str) -> Iterator[set[int]]:
    """Read the answer with which a text begins."""
    start = rf"[\s>*-]*(?:(?:option|choice|answer)\s+)?{OPEN}"
    if match := re.match(rf"{start}{value}(?=\s*(?:$|[\n;!]|[.]\s|,?\s*{BECAUSE}))", text):
        is_label = re.fullmatch(rf"{OPEN}{asked.label}{CLOSE}", match[1]) is not None
        behind = re.match(rf"{CLOSE}(?:$|\n|{_REASONING})", text[match.end(1) :]) is not None
        if not is_label or match[2] or "\n" in text[match.end(1) : match.end(1) + 2] or behind:
            yield _said(asked, match)
            return
    letters = "|".join(re.escape(one) for one in asked.labels if not one.isdigit()) or "(?!)"
    if match := re.match(rf"{start}({letters})\s*[)\]]\s*(?!{_VERBS})\S", text):
        yield {*asked.places(match[1])}


def _mentioned(asked: Question, text: str) -> Choice:
    """The only option that a short text names, in words or by a label in brackets, where no word speaks against it."""
    found = asked.mentioned(text)
    ends = [0, *(end for _, _, end in found)]
    starts = [*(start for _, start, _ in found), len(text)]
    rest = " , ".join(text[end:start] for end, start in zip(ends, starts, strict=True))
    places = {place for each, _, _ in found for place in each}
    brackets = re.findall(asked.bracketed, rest)
    places |= {place for said in brackets for place in asked.places(said) if place != OFF_LIST}
    if len(places) > 1:
        return Choice(None, "mentions", "ambiguous")
    words = re.findall(r"\w[\w'-]*", re.sub(asked.bracketed, " ", rest))
    labels = {said for said in re.findall(asked.bare, re.sub(asked.bracketed, " ", rest)) if said not in {"a", "i"}}
    is_calm = not labels and not re.search(_AGAINST, rest) and len(words) <= _MOST_BESIDE and "\n" not in text
    if places and is_calm and all(_stands_apart(text, start, end) for _, start, end in found):
        return Choice(places.pop(), "mentioned")
    return Choice(None, "other", "no-choice")


def _stands_apart(text: str, start: int, end: int) -> bool:
    """Check that the words beside an option do not make it part of another name: "York City", "Paris, France"."""
    has_article = re.match(r"(?:the|an?)\s", text[start:end]) is not None
    before = re.search(rf"(?:^|[\n:;=(\"'-]|\b{_NEUTRAL})\s*$", text[:start]) is not None
    behind = re.match(rf"\s*(?:$|[.!)\"'-]|,?\s*{_NEUTRAL}\b)", text[end:]) is not None
    return (has_article or before) and behind
