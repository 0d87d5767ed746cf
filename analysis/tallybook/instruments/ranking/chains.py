"""Orders in a line: "Ben > Anna", "my order: Ben, Anna and Cleo", JSON."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from tallybook.instruments.json_answers import documents
from tallybook.instruments.number_words import ORDINALS
from tallybook.instruments.ranking.directions import announced
from tallybook.instruments.ranking.lists import Found, Order, by_rank, number, options_of
from tallybook.instruments.ranking.mentions import MARK, number_of

if TYPE_CHECKING:
    from collections.abc import Iterator

ANNOUNCED = re.compile(
    r"\b(?:rank\w*|order\w*|best|worst|most|least|highest|lowest|mine|preferences?|sequence|final answer|answer|result"
    r"|top to bottom|first to last)\b"
    r"|\b(?:proposal|suggestion|respuesta|antwort|réponse|risposta|resposta|prop(?:uesta|ongo|ose|osition|osta)|vorschlag"
    r"|orden|ordre|ordine|ordem)\b[^:.\n]{0,25}: *$"
    r"|\bi(?:'d| would) (?:go|say)\b"
    r"|\bi now \w+\b|\bi (?:\w+ ){0,2}changed it\b|\b(?:after|having|upon|nach) [^:.]{2,40}: *$"
)
"""Phrases that announce an order."""
_MARK = re.compile(MARK)
_AT_THE_BOTTOM = re.compile(
    r"(?:(?:comes?|is|ranks|would be) )?(?:(?:in )?last(?: place)?|at the bottom)|in (?:this|that) order"
)
_GAPS = {
    "better": re.compile(r">+|≻|→|-+>|=>|\\succ(?:eq)?|\\gt"),
    "worse": re.compile(r"<+"),
    "tied": re.compile(r"[=~≈]+"),
    "and": re.compile(r"(?:and|&|und|y|e|ed|et)"),
    "comma": re.compile(r"(?:[,;|·•]|/)(?: ?and)?"),
}
_ASIDE = re.compile(r"\([^()\n]{0,40}\)")
_NOISE = "\"'()[]{}"
_DENIED = re.compile(
    r"\b(?:need|require|before|asked|how|not|cannot|no|none|never|arrived|applied|spoke|submitted|impossible)\b|n't\b"
)
_CONCEDED = re.compile(
    r"^\W*(?:(?:al)?though|even (?:if|though)|while|obwohl|auch wenn|aunque|bien que|même si|anche se|sebbene|embora"
    r"|ainda que)\b[^.!?]*: *$|(?:; |\b(?:but|yet|aber|doch|pero|mais|ma|mas)\b)[^.!?,;:]{0,40}: *$"
)
"""A concession, and a colon before the order."""
_DEEPEST = 4
_PLACE = re.compile(
    rf"(?:rank[ _]?)?(?:\d{{1,2}}(?:st|nd|rd|th)?|{'|'.join(ORDINALS)}|best|top|strongest|worst|weakest|last)"
    r"(?:[ _]\w+)?"
)
"""Keys of JSON that name a place."""


def chains(text: str) -> Iterator[Found]:
    """Yield the orders of options that only words or signs of order separate."""
    start = 0
    for line in text.split("\n"):
        marks = [*_MARK.finditer(line)]
        run: list[str] = []
        begin = 0
        for place, mark in enumerate(marks):
            following = marks[place + 1] if place + 1 < len(marks) else None
            gap = None if following is None else _kind(line[mark.end() : following.start()])
            if gap is not None:
                run.append(gap)
                continue
            if run:
                before, after = line[: marks[begin].start()], line[mark.end() :]
                options = [number_of(one[0]) for one in marks[begin : place + 1]]
                if (found := _chain(options, run, before, after)) is not None:
                    yield Found(start + marks[begin].start(), *found)
            run, begin = [], place + 1
        start += len(line) + 1


def _kind(gap: str) -> str | None:
    gap = _ASIDE.sub(" ", gap).strip(f" {_NOISE}")
    return next((kind for kind, pattern in _GAPS.items() if pattern.fullmatch(gap)), None)


def _chain(options: list[int], gaps: list[str], before: str, after: str) -> tuple[Order | None, str] | None:
    """Return the order of a chain, and the rule; None if it only lists options."""
    if {"better", "worse"} & {*gaps}:
        if "comma" in gaps or {"better", "worse"} <= {*gaps}:
            return None, "chain"
        rule = "chain" if "better" in gaps else "rising"
        return _grouped(options, [gap in {"and", "tied"} for gap in gaps]), rule
    if {"tied"} == {*gaps}:
        return _grouped(options, [True for _ in gaps]), "chain"
    lead = re.split(r"[.!?](?: |$)", before)[-1]
    others = {number_of(mark) for mark in _MARK.findall(lead)} - {
        *options
    }  # "Ann and Bo share the first place, then ..."
    if "tied" in gaps or {*gaps} == {"and"} or others:
        return None
    lead = "" if _CONCEDED.search(lead) else lead
    is_alone = not re.search(r"\w", lead) or bool(re.search(r"\bboxed\W*$", lead))
    rest = re.split(r"[.!](?: |$)|。", _ASIDE.sub("", after), maxsplit=1)[0].strip(f" {_NOISE}.!,;–—-")
    if (
        (rest and not _AT_THE_BOTTOM.fullmatch(rest))
        or _DENIED.search(lead)
        or not (is_alone or ANNOUNCED.search(lead) or announced(lead) or rest.endswith("order"))
    ):
        return None
    return tuple((option,) for option in options), "sequence"


def _grouped(options: list[int], are_tied: list[bool]) -> Order:
    groups = [[options[0]]]
    for option, is_tied in zip(options[1:], are_tied, strict=True):
        if not is_tied:
            groups.append([])
        groups[-1].append(option)
    return tuple(map(tuple, groups))


def of_json(text: str) -> Iterator[Found]:
    """Yield the orders in the JSON objects and arrays of a text."""
    for start, _, value in documents(text):
        for order in _orders(value, depth=0):
            yield Found(start, order, "json")


def _orders(value: Any, depth: int) -> Iterator[Order]:  # noqa: ANN401  whatever JSON holds
    """Yield the orders in a JSON value, except in those nested too deeply to be answers."""
    if depth > _DEEPEST:
        return
    own = _of_list(cast("list[Any]", value)) if isinstance(value, list) else None
    parts = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    own = own or _of_object(parts)
    if own is not None:
        yield own
        return
    for part in parts.values():
        yield from _orders(part, depth + 1)


def _option(value: Any) -> int | None:  # noqa: ANN401
    """Return the option that is the whole text; None for any other value."""
    if not isinstance(value, str):
        return None
    alone = value.strip(f" {_NOISE}.").removeprefix("option ").removeprefix("candidate ")
    return number_of(alone) if _MARK.fullmatch(alone) else None


def _of_list(values: list[Any]) -> Order | None:
    if values and all(isinstance(one, dict) for one in values):
        named = [[option for part in one.values() if (option := _option(part)) is not None] for one in values]
        ranks = [
            [part for key, part in one.items() if key in {"rank", "ranking", "position", "place"}] for one in values
        ]
        if any(len(options) != 1 for options in named):
            return None
        if all(len(own) == 1 and isinstance(own[0], int) for own in ranks):
            return by_rank({options[0]: own[0] for options, own in zip(named, ranks, strict=True)})
        return None if any(ranks) else tuple((options[0],) for options in named)
    nested = [cast("list[Any]", one) if isinstance(one, list) else [one] for one in values]
    groups = [[_option(part) for part in parts] for parts in nested]
    found = [[option for option in group if option is not None] for group in groups]
    return tuple(map(tuple, filter(None, found))) if len(options_of(found)) > 1 else None


def _of_object(values: dict[str, Any]) -> Order | None:
    by_name = {option: rank for name, rank in values.items() if (option := _option(name)) is not None}
    if len(by_name) > 1:
        return by_rank(by_name) if all(isinstance(rank, int) for rank in by_name.values()) else None
    by_place = {
        name: option for name, one in values.items() if _PLACE.fullmatch(name) and (option := _option(one)) is not None
    }
    if len(by_place) < 2:  # noqa: PLR2004
        return None
    return by_rank(
        {option: number(name.replace("_", " ").removeprefix("rank").strip()) for name, option in by_place.items()}
    )
