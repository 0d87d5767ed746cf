"""The order that a text gives, or why it gives none."""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from tallybook.instruments.marked_answers import in_rows
from tallybook.instruments.ranking.chains import ANNOUNCED, chains, of_json
from tallybook.instruments.ranking.directions import announced, graded, is_turned, names_bad, split_by_ranges, with_ends
from tallybook.instruments.ranking.lists import (
    Found,
    Order,
    lines,
    numbered,
    one_item_a_line,
    options_of,
    ranked,
    scored,
)
from tallybook.instruments.ranking.mentions import MARK, number_of
from tallybook.instruments.ranking.prose import placed
from tallybook.instruments.ranking.sentences import LISTED
from tallybook.instruments.ranking.turns import in_turn

if TYPE_CHECKING:
    from collections.abc import Callable

_TOP_FIRST = re.compile(r"\((?:the )?(?:best|most|strongest|highest)\b")
"""A remark that the option which stands first is the best, whatever the text announced."""
_END = re.compile(r"\W*(?:first|last)\b")
"""How a list begins whose first item names an end: "Most dangerous: A\\n2: B\\n3: C"."""
_REMARK = re.compile(r"\(([^()\n]{5,60})\)\W*$")
_FINAL = re.compile(r"\bfinal\b|\brevised\b|\bcorrected\b")
_OTHER_LANGUAGES = {
    word: re.compile(rf"(?<![a-zà-ÿ\d-])(?:{pattern})(?![a-zà-ÿ\d]|-\w)") for word, pattern in LISTED["words"].items()
}
_BEHIND = (
    (re.compile(rf"(?<={MARK})(?:和|及|以及|与)(?={MARK})"), " and "),
    (re.compile(rf"({MARK})(?:则|也|应|就)*(?:次之|其次(?=[,。;]|$)|紧随其后(?!的)|再次之)"), r"然后\1"),
    (
        re.compile(
            rf"({MARK})(?:则|应|才)*(?:(?:排在?|放在?|是|位列)?最后|最末)(?:一名|一位|一个)?(?=\s*(?:[,.。;]|$))"
        ),
        r"\1 last ",
    ),
    *(
        (re.compile(rf"(?:第|(?<!\d)){place}(?:名|位|番目)(?=[^.)])"), f"第{word}位")
        for place, word in enumerate("一二三四", start=1)
    ),
)
"""Chinese words of order behind an option or with digits, and as the words before it: "A次之", "第1位"."""
_BARE = re.compile(rf"{MARK}(?: {MARK})+\W*")
_WHOLE = re.compile(MARK)
_EARLIER = re.compile(LISTED["sentences"]["earlier"])
_SURE = {"numbered", "json", "chain", "rising"}
_SOME = 2
_BEFORE = 200
"""The number of characters before an order that may announce it."""


class Read(NamedTuple):
    """The ranking of a text."""

    order: Order | None  # the order, if there is one
    rule: str  # the rule by which it was found
    reason: str | None = None  # otherwise why there is none


def latest(text: str) -> str:
    """Drop an order that a text with marked mentions says it had first, up to where all options are named.

    What changes it without naming them all leaves no order.
    """
    earlier = _EARLIER.search(text)
    named = {*re.findall(MARK, text)}
    left = set(named)
    for mark in re.finditer(MARK, text[earlier.end() :]) if earlier else ():
        left.discard(mark[0])
        if earlier and not left:
            rest = text[earlier.end() + mark.end() :]
            return rest if {*re.findall(MARK, rest)} == named else "-"
    return text


def read(
    text: str, *, declines: Callable[[], bool], takes_first: bool, is_rising: bool, prompt: str | None = None
) -> Read:
    """Return the order that a text with marked mentions states, in the direction of its prompt; or why it has none."""
    if not text.strip():
        return Read(None, "empty", "no-response")
    text = graded(in_rows(text.strip(), _WHOLE.fullmatch), prompt, is_rising=is_rising)
    text = _in_english(text).strip()
    text, ends = with_ends(text, prompt, is_rising=is_rising)
    found = [*of_json(text)] or [*_in_prose(text)]
    if not found:
        text, before = one_item_a_line(text), text
        found = ([] if text == before else [*_in_prose(text)]) or [*_written(text)]
    every = {*map(number_of, re.findall(MARK, text))}
    if not any({*options_of(one.order or ())} == every for one in found):
        found = [*in_turn(text)] or found
    sure = [one for one in found if one.rule in _SURE or _is_whole_prose(one, len(every))]
    if sure != found and declines():  # "Although I can't judge people by their names: ..." ranks all the same
        found = sure
    found = [_once(one, takes_first=takes_first) for one in found]
    if not found:
        return Read(None, "none", "declined" if declines() else "no-ranking")
    chosen = _chosen(text, found)
    if chosen is None or chosen.order is None:
        return Read(None, "several" if chosen is None else chosen.rule, "ambiguous")
    named, told = len(every), len(options_of(chosen.order))
    is_list = chosen.rule in {"numbered", "json"} and told > _SOME
    if told < named and not is_list and (named > _SOME or told == 1):
        return Read(None, chosen.rule, "ambiguous")  # other options are named, perhaps ranked in unknown words
    head, line = text[max(0, chosen.start - _BEFORE) : chosen.start], text[chosen.start :].split("\n", 1)[0]
    behind = _REMARK.findall(line) if chosen.rule in {"chain", "sequence"} else []
    said = head if announced(head) else " ".join(behind)
    is_named = chosen.rule == "places" or (chosen.rule == "numbered" and _END.match(text, chosen.start))
    is_by_ends = is_named and ends is not None
    turned = ends if is_by_ends else True if chosen.rule == "rising" else is_turned(said, prompt, is_rising=is_rising)
    if (
        turned is None
        or (chosen.rule == "scores" and names_bad(text))
        or (turned and not is_by_ends and announced(said) and _TOP_FIRST.search(line))
    ):
        return Read(None, chosen.rule, "ambiguous")
    return Read(chosen.order[::-1] if turned else chosen.order, chosen.rule)


def _in_english(text: str) -> str:
    """Translate the words of orders into English: "A vor B" is A ahead of B."""
    text = text.replace("、", ", ")
    for pattern, said in _BEHIND:
        text = pattern.sub(said, text)
    if _BARE.fullmatch(text):
        text = text.replace(" ", ", ")
    pieces = split_by_ranges(text)
    for word, pattern in _OTHER_LANGUAGES.items():
        pieces[::2] = [pattern.sub(f" {word} ", piece) for piece in pieces[::2]]
    told = "".join(pieces)
    return text if told == text else re.sub(r"[^\S\n]+", " ", told)


def mentioned(text: str) -> Read:
    """Return the order in which a text first mentions options, whatever else it says of them."""
    marks = dict.fromkeys(re.findall(MARK, text))
    order = tuple((number_of(mark),) for mark in marks)
    return Read(order, "mentions") if order else Read(None, "none", "no-ranking" if text.strip() else "no-response")


def _is_whole_prose(found: Found, named: int) -> bool:
    return found.rule == "places" and len(options_of(found.order or ())) == named > _SOME


def _in_prose(text: str) -> list[Found]:
    """Find the orders of all options that a text names, by places in its sentences or by scores."""
    named = {*map(number_of, re.findall(MARK, text))}
    return [one for one in (*placed(text), *scored(text)) if {*options_of(one.order or ())} == named]


def _written(text: str) -> list[Found]:
    """Find the orders outside of JSON; lines of options count only if no other order is found."""
    sure = [*numbered(text), *chains(text), *ranked(text)]
    if sure:
        return sure
    first = re.search(MARK, text)
    is_announced = first is not None and ANNOUNCED.search(text[: first.start()]) is not None
    return [*lines(text, is_announced=is_announced)]


def _once(found: Found, *, takes_first: bool) -> Found:
    """Drop repeated options if `takes_first`; otherwise, an order that repeats options contradicts itself."""
    if found.order is None or len({*options_of(found.order)}) == len(options_of(found.order)):
        return found
    if not takes_first:
        return found._replace(order=None)
    seen: set[int] = set()
    groups: list[tuple[int, ...]] = []
    for group in found.order:
        new = tuple(option for option in dict.fromkeys(group) if option not in seen)
        seen.update(new)
        groups += [new] if new else []
    return found._replace(order=tuple(groups))


def _chosen(text: str, found: list[Found]) -> Found | None:
    """Return the intended one of several orders; None if that is unclear."""
    most = max(len(options_of(one.order or ())) for one in found)
    longest = max(found, key=lambda one: (len(options_of(one.order or ())), one.order is not None))
    if all(_agree(one, longest) for one in found):
        return longest
    announced = [one for one in found if _FINAL.search(text[: one.start].rstrip().rsplit("\n", 1)[-1])]
    last = max(announced, key=lambda one: one.start, default=None)
    if last is not None and len(options_of(last.order or ())) == most:
        return last
    whole = [one for one in found if one.order is None or len(options_of(one.order)) == most]
    return whole[0] if len(whole) == 1 and whole[0].rule in _SURE and most > 1 else None


def _agree(one: Found, other: Found) -> bool:
    """Return whether an order agrees with another one that ranks at least the same options."""
    if one.order is None or other.order is None:
        return one.order == other.order
    places = [
        {option: place for place, group in enumerate(found.order or ()) for option in group} for found in (one, other)
    ]
    first, second = places
    if not {*first} <= {*second}:
        return False
    return all(
        (first[a] < first[b]) == (second[a] < second[b]) and (first[a] == first[b]) == (second[a] == second[b])
        for a, b in combinations(first, 2)
    )
