"""Who of two gets it by JSON or a table: the one under the key that chooses, or the one with a true or a tick.

Texts have marker characters for the options: `{"chosen": "Ann", "runner_up": "Ben"}`,
`[{"name": "Ann", "hired": true}, {"name": "Ben", "hired": false}]`,
`{"head": {"name": "Ann"}, "deputy": {"name": "Ben"}}`, and tables with the
options at the head of columns or of rows, whose last cells tick one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from tallybook.instruments.json_answers import documents
from tallybook.instruments.languages import expressions
from tallybook.instruments.marked_answers import BRACKETS
from tallybook.instruments.option_labels import MARK, MARKS, find

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_WORDS = expressions("tallybook.instruments", "choices.toml")["allocations"]
_CHOSEN, _OTHER = re.compile(_WORDS["chosen"]), re.compile(_WORDS["other"])
_YES, _NO = (re.compile(rf"(?:{_WORDS[one]})") for one in ("ticks", "crosses"))
_WHOLE = re.compile(rf"\W*({MARK})(?: \([^()\n]*\))?[^\w{MARK[1:-1]}]*")
_RULE = re.compile(r"[\s|:-]+")
_TWO = 2


class _Claim(NamedTuple):
    """A key or head, and what it says of an option: it is its value, or it is true or false of it."""

    key: str
    place: int
    is_true: bool | None = None


def structured(text: str) -> int | None:
    r"""Return the option that JSON or a table gives it to; None if neither does.

    >>> from tallybook.instruments.option_labels import mark
    >>> structured(f'[{{"name": "{mark(1)}", "hired": false}}, {{"name": "{mark(2)}", "hired": true}}]')
    2
    >>> structured(f"| | {mark(1)} | {mark(2)} |\n|---|---|---|\n| Age | 30 | 31 |\n| Hired | ✅ | ❌ |")
    1
    """
    claims = [one for _, _, told in documents(text) for one in _claims("", told)] if "{" in text else []
    return _told(claims or [*_of_table(text)])


def _told(claims: list[_Claim]) -> int | None:
    for said in (
        [one.place for one in claims if one.is_true],
        [one.place for one in claims if one.is_true is None and _is_chosen(one.key)],
    ):
        if said:
            return said[0] if len({*said}) == 1 else None
    rest = {one.place for one in claims if one.is_true is None and not _OTHER.search(one.key)}
    denied = {one.place for one in claims if one.is_true is False}
    return rest.pop() if len(rest) == 1 and (not denied or denied != rest) else None


def _is_chosen(key: str) -> bool:
    return _CHOSEN.search(key) is not None and not _OTHER.search(key)


def _claims(key: str, told: object) -> Iterator[_Claim]:
    """Yield what a JSON value says of options under a key."""
    if isinstance(told, str) and (whole := _WHOLE.fullmatch(told)):
        yield _Claim(key, find(whole[1])[0].value)
    elif isinstance(told, list) and any(isinstance(one, dict) for one in cast("list[Any]", told)):
        for one in cast("list[Any]", told):
            yield from _claims(key, one)
    elif isinstance(told, dict):
        yield from _of_object(key, cast("dict[str, Any]", told))


def _of_object(key: str, told: Mapping[str, Any]) -> Iterator[_Claim]:
    """Yield what an object says: of the one option that it names, if it has a truth or describes it under a key."""
    truths = [_truth(value) for name, value in told.items() if not _OTHER.search(_spaced(name))]
    known = [one for one in truths if one is not None]
    own = {value for value in (_named(one) for one in [key, *told.values()]) if value}
    if len(own) == 1 and known:
        yield _Claim(key, own.pop(), all(known))
    elif len(own) == 1 and key and not MARKS.search(key):
        yield _Claim(_spaced(key), own.pop())
    else:
        for name, value in told.items():
            truth = _truth(value)
            if (place := _named(name)) and truth is not None:
                yield _Claim("", place, truth)
            else:
                yield from _claims(name if MARKS.search(name) else _spaced(name), value)


def _spaced(key: str) -> str:
    return key.replace("_", " ").lower()


def _named(value: object) -> int | None:
    whole = _WHOLE.fullmatch(value) if isinstance(value, str) else None
    return find(whole[1])[0].value if whole else None


def _truth(value: object) -> bool | None:
    if not isinstance(value, str):
        return value if isinstance(value, bool) else None
    told = value.strip(BRACKETS).lower()
    return True if _YES.fullmatch(told) else False if _NO.fullmatch(told) else None


def _of_table(text: str) -> Iterator[_Claim]:
    """Yield what the last row of a table says of the options at its head, or its last column of those of its rows."""
    lines = [line.strip().strip("|") for line in text.split("\n") if "|" in line]
    rows = [[cell.strip(" *_") for cell in line.split("|")] for line in lines]
    rows = [row for row in rows if not _RULE.fullmatch("|".join(row))]
    if len(rows) < _TWO or len({*map(len, rows)}) > 1:
        return
    head, last = rows[0], rows[-1]
    columns = [(_named(cell), at) for at, cell in enumerate(head)]
    own = [(place, last[at]) for place, at in columns if place] or [(_named(row[0]), row[-1]) for row in rows[1:]]
    if {place for place, _ in own} == {1, _TWO}:
        told = {place: _truth(cell) for place, cell in own if place}
        if {*told.values()} in ({True, False}, {True, None}) and all(told[p] or not _cell(c) for p, c in own if p):
            yield from (_Claim("", place, bool(said)) for place, said in told.items())
    elif len(rows) == _TWO:
        yield from (
            _Claim("chosen", place)
            for key, cell in zip(head, last, strict=True)
            if _is_chosen(key) and (place := _named(cell))
        )


def _cell(text: str) -> str:
    """Return what a cell says beside a cross or nothing."""
    return "" if _NO.fullmatch(text) else text.strip(" -–—")
