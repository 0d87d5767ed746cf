"""JSON objects whose keys are levels, such as model and prompt, and whose innermost values are answers or records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tallybook.sources.json_records import flatten, text_of
from tallybook.sources.json_stream import walk
from tallybook.sources.records import in_parts
from tallybook.study.format_base import Format

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.format import Head
    from tallybook.sources.records import Records, Row
    from tallybook.study.format_base import Role

LEVEL = "level_"
"""The names of the columns of keys: `level_1` is the outermost."""
_FIELDS = {"answer", "response", "text", "output", "completion", "content", "reply", "generation", "score", "label"}
"""Names of a record's values, which no prompt and no model is called by."""
_HOLDERS = {"answers", "responses", "outputs", "completions", "replies", "generations", "results", "data"}
"""Names of what holds all answers of a file, beside what is said about them."""


class JsonTree(Format):
    """Objects of objects: `{model: {prompt: [answers]}}`, and deeper; `init` recognises them, and no other command."""

    name = "json-tree"
    title = "JSON object of objects"
    turn = 10

    def recognises(self, head: Head) -> Role | None:
        """No file by its beginning alone."""
        del head

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        """Read a file key by key: columns `level_1`, `level_2`, ..., `sample` in a list, and `text` or a record's."""
        yield from in_parts(_rows(content, paths), content.name)


def is_tree(content: Content) -> bool:
    """Tell whether a file is such an object: all its branches are equally deep and end alike."""
    if not content.start().lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return False
    try:
        with content.open() as stream:
            branches = dict(walk(stream, [""]))
    except ValueError:
        return False
    branches = branches.get(_holder(branches) or "", branches)
    depths = {_depth(branch) for branch in branches.values()} - {None}
    return len(depths) == 1 and _is_answered(branches)


def _holder(branches: dict[str, Any]) -> str | None:
    """Find the only one of an object's keys that holds answers by their levels: `{"responses": {model: [answers]}}`."""
    found = [key for key, one in branches.items() if key.lower() in _HOLDERS and isinstance(one, dict)]
    return found[0] if len(found) == 1 and _is_answered(branches[found[0]]) else None


def _is_answered(branches: dict[str, Any]) -> bool:
    """Tell whether an object is more than settings: it lists answers, or its objects share half of their keys."""
    below = [{*cast("dict[str, Any]", one)} for one in branches.values() if isinstance(one, dict) and one]
    if not below:
        lists = [cast("list[Any]", one) for one in branches.values() if isinstance(one, list)]
        return len(lists) > 1 and all(isinstance(one, str) for found in lists for one in found)
    common = set[str].intersection(*below)
    return len(below) > 1 and 2 * len(common) >= max(map(len, below))


def _depth(value: object) -> int | None:
    """Count the levels above the innermost values; None without values, -1 where branches differ in depth."""
    if value is None or value == {}:
        return None
    if not isinstance(value, dict) or _is_record(cast("dict[str, Any]", value)):
        return 0
    depths = {depth for one in cast("dict[str, Any]", value).values() if (depth := _depth(one)) is not None}
    return depths.pop() + 1 if len(depths) == 1 and depths != {-1} else -1


def _is_record(found: dict[str, Any]) -> bool:
    """Tell whether an object's names are those of a record's values: they are called so, or are of several types."""
    kinds: set[Any] = {float if isinstance(one, int) else type(one) for one in found.values() if one is not None}
    return len(kinds) > 1 or (dict not in kinds and any(name.lower() in _FIELDS for name in found))


def _rows(content: Content, paths: Sequence[str]) -> Iterator[Row]:
    with content.open() as stream, content.open() as first:
        try:
            holder = _holder({key: one for key, one in walk(first, [""]) if key.lower() in _HOLDERS})
            inner = walk(stream, [""]) if holder is None else _within(walk(stream, [""]), holder)
            for key, value in inner:
                for place, (levels, record) in enumerate(_leaves(value, (key,))):
                    named = {f"{LEVEL}{depth}": level for depth, level in enumerate(levels, start=1)}
                    yield f"{'/'.join(levels)}, record {place + 1}", flatten(record, paths) | named
        except ValueError as error:
            raise content.refuse(str(error)) from None


def _within(branches: Iterator[tuple[str, Any]], holder: str) -> Iterator[tuple[str, Any]]:
    for key, value in branches:
        if key == holder:
            yield from cast("dict[str, Any]", value).items()


def _leaves(value: object, levels: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """The innermost values with the keys that lead to them; of a list each element, with its place as `sample`."""
    if isinstance(value, dict) and not _is_record(cast("dict[str, Any]", value)):
        for key, inner in cast("dict[str, Any]", value).items():
            yield from _leaves(inner, (*levels, key))
    elif isinstance(value, list):
        for sample, one in enumerate(cast("list[Any]", value)):
            yield levels, {"sample": sample} | _record(one)
    else:
        yield levels, _record(cast("Any", value))


def _record(value: Any) -> dict[str, Any]:  # noqa: ANN401  whatever JSON can say
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {"text": text_of(value)}


FORMAT = JsonTree()
