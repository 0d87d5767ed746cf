"""Orders that stand in lists: numbered lines, lines that begin with options, options with their ranks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tallybook.instruments.number_words import ORDINALS
from tallybook.instruments.ranking.mentions import MARK, number_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Order = tuple[tuple[int, ...], ...]
"""Options from the first to the last; those that are tied stand together."""


class Found(NamedTuple):
    """An order that a text may mean."""

    start: int  # where it begins
    order: Order | None  # the order; None for one that contradicts itself
    rule: str  # how it was found


_ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8, "ix": 9, "x": 10}
_TOP = (
    r"(?:(?:top|best|highest) (?:candidate|choice|fit|pick|priority|rank)"
    r"|(?:top|best|strongest|highest|first)(?= ?[:=-])"
    r"|most \w+(?= ?[:=–-][^\n]*\n\W*(?:2|second)\b))"
)
_BOTTOM = r"(?:bottom|worst|weakest|lowest|last|least \w+)(?: (?:choice|fit|place|priority))?(?= ?[:=–-])"
_NUMBER = (
    rf"(?:{_TOP}|{_BOTTOM}|[a-j](?=[.)] )"
    rf"|\d{{1,3}}(?:st|nd|rd|th|\.?[oa]\b|[ºª°]|(?:ère|ème|er|e)\b)?|(?:{'|'.join(_ROMAN)})(?=[.)]))"
)
_SIGN = r"[^\w\n\ue100-\uf8ff]"
_LEAD = rf"{_SIGN}{{0,8}}"
_UNIT = r"(?: (?:place|choice|pick|priority|rank|position|preference)| \((?:most|least) \w+\))?"
_INTRODUCED = (
    r"(?:(?:the|my|candidate|applicant|application|essay|person|student|profile|answer|option|name|resume|résumé|cv|next"
    rf"|then|is|comes|goes to|would be|i would (?:pick|choose|rank|hire)"
    rf"|i (?:pick|choose|rank)|[a-z](?=\.)){_SIGN}{{1,3}}){{0,4}}"
)
_ITEM = re.compile(
    rf"^{_LEAD}(?:(?:tier|group|level) |(?:rank|place|position|number|no\.?|choice) ?)?#?({_NUMBER}){_UNIT}"
    rf"(?:{_SIGN}{{1,6}}|(?={MARK})|$){_INTRODUCED}[\"'(\[]*({MARK})?(.*)$",
    re.MULTILINE,
)
_INLINE = re.compile(
    rf"(?<=[,;] )(?=rank \d)|(?<=[ ,;:|])(?<!tier )(?<!group )(?<!level )(?<!rank )"
    rf"(?=(?:\d{{1,2}}(?:st|nd|rd|th|er|ère|e|[oa]|°)?{_UNIT} ?[.):=]|\d{{1,2}}(?:er|ère|e|[oa]|°) "
    rf"|\(\d{{1,2}}\)|\[\d{{1,2}}\]|#\d{{1,2}}|\d{{1,2}} -)"
    rf" ?[\"'(\[]?{MARK})"
)
_TIER = re.compile(rf"{_LEAD}(?:tier|group|level) ")
_JOINED = re.compile(rf"{_SIGN}{{0,2}} ?(?:(and|&|/|=|\+|tied with)|(or|,|vs\.?)) ?[\"'(\[]*({MARK})")
_TIED = re.compile(r"\btied?\b|\bequal\b")
_LINE = re.compile(rf"^{_LEAD}({MARK})(?![\"')\]]*\s*(?:[=<>~]|,\s*{MARK}))([^\n]*)$", re.MULTILINE)
_RANKED = re.compile(
    rf"({MARK}){_SIGN}{{0,5}}[#(]?(\d{{1,2}}(?:st|nd|rd|th|\.?[oa]\b|[ºª°])?)"
    r"\b(?![.,]\d|[ -]?(?:years?|/|%|points?|out\b|percent)|/)"
)
_SCORED = re.compile(
    rf"({MARK})(?:{_SIGN}{{1,6}}|{_SIGN}{{1,3}}(?:[a-z']+ ){{0,4}}?)(\d{{1,3}}(?:[.,]\d{{1,2}})?)(?![\d.,]*\d)"
    r"(?: ?(/ ?\d+|out of \d+|points?\b|stars?\b|%|percent\b|分|点)|(?=[^\w\n%/-]{0,4}(?:\n|$)))"
)
"""A score, with its scale or at the end of a line."""
_STARS = re.compile(r" ?([★⭐]+)[☆✩]*")
_SCORES = re.compile(r"\b(?:scores?|points|ratings?|weights?|out of)\b")
_STATISTICS = re.compile(r"\b(?:census|poll|population|spending|statistics?|survey|turnout|votes?)\b")
"""What else is told in percent."""
_IN_PASSING = re.compile(rf"({MARK}[^\w\n]{{1,3}}\d{{1,3}}(?:\.\d{{1,2}})?)(?=[,;] | and |\.?$)")
"""A score without its scale in a line with others, which may have told it."""
_ASIDE = re.compile(r"\([^()\n]{0,60}\)")
_LAST = 10**6


def number(text: str) -> int:
    """Return the rank that the number or word of a list item means."""
    digits = re.match(r"\d+", text)
    first = re.split("[ -]", text, maxsplit=1)[0]
    if first in {"top", "best", "most", "strongest", "highest", "first"}:
        return 1
    if first in {"bottom", "worst", "weakest", "lowest", "last", "least"}:
        return _LAST
    named = ORDINALS.get(first) or _ROMAN.get(first) or ord(first[:1]) - ord("a") + 1
    return int(digits[0]) if digits else int(named)


def one_item_a_line(text: str) -> str:
    """Split lines that hold several numbered items."""
    return _INLINE.sub("\n", text)


def numbered(text: str) -> Iterator[Found]:
    """Yield the orders of numbered lists whose items begin with options."""
    items: list[tuple[int, int, tuple[int, ...] | None, bool]] = []
    for match in _ITEM.finditer(text):
        if match[2] is None:
            continue
        place = number(match[1])
        tied = bool(_TIED.search(match[3]))
        is_falling = len(items) > 1 and items[1][1] < items[0][1]
        is_new = bool(items) and (place > items[-1][1] if is_falling else place < items[-1][1] and len(items) > 1)
        if is_new and (is_falling or place == 1):
            yield _list(items)
            items = []
        # A number out of sequence leaves the rank of its option open.
        options = None if is_new and items else _options(match[2], match[3], in_tiers=_TIER.match(match[0]) is not None)
        items.append((match.start(), place, options, tied))
    if items:
        yield _list(items)


def _options(first: str, rest: str, *, in_tiers: bool) -> tuple[int, ...] | None:
    """Return the options of an item, several if they are tied; None if the item is ambiguous."""
    options = [number_of(first)]
    while joined := _JOINED.match(rest):
        if joined[2] and not (in_tiers and joined[2] == ","):
            return None
        options.append(number_of(joined[3]))
        rest = rest[joined.end() :]
    return tuple(options)


def _list(items: Sequence[tuple[int, int, tuple[int, ...] | None, bool]]) -> Found:
    start = items[0][0]
    places = [place for _, place, _, _ in items]
    # The first of a list that begins at "2." is said elsewhere, or is none of the options.
    is_open = min(places) > 1 or (len(items) > 1 and len({*places}) == 1)
    if is_open or any(options is None for _, _, options, _ in items):
        return Found(start, None, "numbered")
    groups: list[list[int]] = []
    last: tuple[int, bool] | None = None
    for _, place, options, tied in sorted(items, key=lambda item: item[1]):
        is_same = last is not None and (place == last[0] or (tied and last[1]))
        if not is_same:
            groups.append([])
        groups[-1] += options or ()
        last = place, tied
    return Found(start, tuple(map(tuple, groups)), "numbered")


def lines(text: str, *, is_announced: bool) -> Iterator[Found]:
    """Yield the order of lines that begin with options; unless it is announced, they may say nothing else."""
    matches = list(_LINE.finditer(text))
    if len(matches) < 2 or any(re.match(r"[^\w\n]*\d", match[2]) for match in matches):  # noqa: PLR2004
        return
    if is_announced or all(not re.search(r"\w", _ASIDE.sub("", match[2])) for match in matches):
        yield Found(matches[0].start(), tuple((number_of(match[1]),) for match in matches), "lines")


def ranked(text: str) -> Iterator[Found]:
    """Yield the order of options that each stand beside their rank: "Anna: 2", "Ben is first"."""
    pairs = [(number_of(match[1]), number(match[2]), match.start()) for match in _RANKED.finditer(text)]
    ranks = {option: place for option, place, _ in pairs}
    if len(pairs) > 1 and len(ranks) == len(pairs) and (order := by_rank(ranks)):
        yield Found(pairs[0][2], order, "ranks")


def scored(text: str) -> Iterator[Found]:
    """Yield the order of options by their scores on one scale: "Anna: 9/10, Ben: 7/10"."""
    if _STATISTICS.search(text):
        return
    text = _STARS.sub(lambda stars: f" {len(stars[1])} stars", text)
    text = _IN_PASSING.sub(r"\1 points", text) if "\n" not in text and _SCORES.search(text) else text
    found = [(number_of(one[1]), float(one[2].replace(",", ".")), one[3]) for one in _SCORED.finditer(text)]
    scores = {option: score for option, score, _ in found}
    falling = sorted(scores.values(), reverse=True)
    is_told = None not in {scale for _, _, scale in found} or _SCORES.search(text) or falling == [*scores.values()]
    named = {*map(number_of, re.findall(MARK, text))}
    is_whole = len(scores) == len(found) > 1 and {*scores} == named and len({scale for _, _, scale in found}) == 1
    if is_whole and is_told and falling[-1] > (len(found) if found[0][2] is None else 0):
        start = min(match.start() for match in re.finditer(MARK, text))
        order = tuple(tuple(one for one, own in scores.items() if own == score) for score in dict.fromkeys(falling))
        yield Found(start, order, "scores")


def by_rank(ranks: Mapping[int, int]) -> Order | None:
    """Order options by their ranks; None if the numbers are not ranks: 1, 2, 2, 4 and 1, 2, 2, 3 are.

    >>> by_rank({5: 1, 6: 2, 7: 2, 8: 4}), by_rank({5: 85, 6: 90})
    (((5,), (6, 7), (8,)), None)
    """
    places = sorted({*ranks.values()})
    order = tuple(tuple(option for option, rank in ranks.items() if rank == place) for place in places)
    before = [sum(map(len, order[:number])) + 1 for number in range(len(order))]
    known = [place if place != _LAST else max(before[-1], len(order)) for place in places]
    is_valid = known in (before, [*range(1, len(order) + 1)]) or (_LAST in places and known[:-1] == before[:-1])
    return order if is_valid else None


def options_of(order: Iterable[Iterable[int]]) -> list[int]:
    """List the options of an order."""
    return [option for group in order for option in group]
