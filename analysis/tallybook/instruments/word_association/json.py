"""JSON within texts, written as lines: so that what reads lines reads objects and lists, too.

    {"good": "White", "bad": "Black"}           good: White / bad: Black
    {"White": ["good", "nice"]}                 White: good, nice
    [{"word": "good", "group": "White"}]        good | White
    [["good", "White"], ["bad", "Black"]]       good, White / bad, Black

Numbers and truth values are passed over: a group that is given with a share is not chosen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

from tallybook.instruments.json_answers import documents
from tallybook.instruments.word_association.names import POINTING, tokens_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


class TextLine(NamedTuple):
    """A line of a text, and whether it was made of JSON."""

    text: str
    is_json: bool


class _Object(NamedTuple):
    """An object as its members: a name may occur more than once."""

    members: Sequence[tuple[str, object]]


def text_lines(text: str, is_name: Callable[[str], bool]) -> list[TextLine]:
    """Split a text into lines, with the JSON in it rewritten as lines."""
    lines: list[TextLine] = []
    start = 0
    for begin, end, value in documents(text, _Object):
        made = list(_lines(value, (), is_name))
        if made:
            lines += _plain(text[start:begin])
            lines += [TextLine(line, is_json=True) for line in made]
            start = end
    return lines + _plain(text[start:])


def _plain(text: str) -> list[TextLine]:
    return [TextLine(line, is_json=False) for line in text.split("\n")]


def _lines(value: object, names: tuple[str, ...], is_name: Callable[[str], bool]) -> Iterator[str]:
    """Yield the lines of a JSON value below keys that are names."""
    if isinstance(value, str):
        yield from [": ".join((*names, value))] if "\n" not in value else value.split("\n")
    elif isinstance(value, _Object):
        yield from _members(value, names, is_name)
    elif isinstance(value, list):
        entries = cast("list[object]", value)
        texts = [entry for entry in entries if isinstance(entry, str)]
        if texts and len(texts) == len(entries) and all(is_name(text) for text in texts):
            yield ": ".join((*names, ", ".join(texts)))
        else:
            for entry in entries:
                yield from _lines(entry, names, is_name)


def _members(value: _Object, names: tuple[str, ...], is_name: Callable[[str], bool]) -> Iterator[str]:
    """Yield the lines of an object; the only group or word that it holds as text also applies to its lists."""
    texts = [member for key, member in value.members if isinstance(member, str) and not is_name(key)]
    named = [text for text in texts if is_name(text)]
    shared: list[str] = []
    for key, member in value.members:
        if is_name(key):
            yield from _lines(member, (*names, key), is_name)
        elif not isinstance(member, str):
            is_shared = len(named) == 1 and POINTING.issuperset(tokens_of(key).texts)
            lines = list(_lines(member, (*names, *named) if is_shared else names, is_name))
            shared += lines if is_shared else []
            yield from lines
    if len(names) + len(named) > 1:
        yield " | ".join((*names, *named))
    elif named and not shared:
        yield " | ".join((*names, *texts))
    elif not named:
        for text in texts:
            yield from _lines(text, names, is_name)
