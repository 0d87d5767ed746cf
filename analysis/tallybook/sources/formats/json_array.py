"""A JSON file with an array of objects, perhaps within an object that only wraps it, read object by object."""

from __future__ import annotations

import codecs
import re
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


_WRAPPED = re.compile(
    rb'\s*\{(?:\s*"\w+"\s*:\s*(?:"[^"]*"|-?[\d.]+|true|false|null)\s*,)*\s*'
    rb'"(data|results|responses|records|rows|items|samples|answers|outputs)"\s*:\s*\[\s*\{'
)
"""An object that holds an array of records after, at most, simple values about it."""


class JsonArray(Format):
    """Files with an array of objects, or with an object that holds one under a usual name such as `results`.

    Objects within the records are flattened to columns with dotted names.
    """

    name = "json"
    title = "JSON array of objects"
    turn = 6

    def recognises(self, head: Head) -> Role | None:
        """A file that begins with `[` and an object, or wraps that."""
        return "responses" if (head.is_array and head.keys) or _wrapped(head.start) else None

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        """Read a file element by element; what is no object is a problem and keeps no other from being read."""
        yield from in_parts(_rows(content, paths), content.name)


def _rows(content: Content, paths: Sequence[str]) -> Iterator[Row]:
    number = 0
    name = _wrapped(content.start())
    with content.open() as stream:
        records = walk(stream, [""] if name is None else ["", name])
        while True:
            key = f"record {number + 1}"
            try:
                place, record = next(records, (None, None))
            except ValueError as error:
                raise content.refuse(str(error), key=key) from None
            if place is None:
                return
            if name is not None and place != f"{name}[]":  # what is said of all records
                continue
            number += 1
            try:
                yield key, flatten(_object(place.removeprefix(name or ""), record), paths)
            except ValueError as error:
                content.problems.append(content.fault(key, "", text_of(record) or "null", str(error)))


def _wrapped(start: bytes) -> str | None:
    """The name of the array of records in an object."""
    found = _WRAPPED.match(start.removeprefix(codecs.BOM_UTF8))
    return found[1].decode() if found else None


def _object(place: str, record: object) -> dict[str, Any]:
    if place != "[]":
        raise ValueError("an array of JSON objects")
    if not isinstance(record, dict):
        raise ValueError("a JSON object")  # noqa: TRY004  one error for all that can be wrong with an element
    return cast("dict[str, Any]", record)


FORMAT = JsonArray()
