"""A JSON file with an array of objects, perhaps within an object that only wraps it, read object by object."""

from __future__ import annotations

import codecs
import re
from typing import IO, TYPE_CHECKING, Any, cast

from tallybook.sources.formats.format import Head
from tallybook.sources.json_records import flatten, text_of
from tallybook.sources.json_stream import walk
from tallybook.sources.records import in_parts
from tallybook.study.format_base import Format

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.records import Records, Row
    from tallybook.study.format_base import Role


_WRAPPED = re.compile(
    rb'\s*\{(?:\s*"\w+"\s*:\s*(?:"[^"]*"|-?[\d.]+|true|false|null)\s*,)*\s*'
    rb'"(data|results|responses|records|rows|items|samples|answers|outputs)"\s*:\s*\[\s*\{'
)
"""An object that holds an array of records after, at most, simple values about it."""
_KEYED = re.compile(rb'\s*\{\s*"[^"]*"\s*:\s*\[\s*\{')
"""An object of arrays of records, a key each: their column `key`."""
_COLUMNS = re.compile(rb'\s*\{\s*"[^"]*"\s*:\s*\{\s*"0"\s*:')
"""An object of columns, whose values are numbered: how pandas writes a table."""


class JsonArray(Format):
    """Files with an array of objects, or an object that holds one under a usual name such as `results`, or one a key.

    Tables as pandas writes them are read too.

    Objects within the records are flattened to columns with dotted names.
    """

    name = "json"
    title = "JSON array of objects"
    turn = 6

    def recognises(self, head: Head) -> Role | None:
        """A file that begins with `[` and an object, or wraps that."""
        return "responses" if _shape(head) else None

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        """Read a file element by element; an element that is not an object is a problem, and reading goes on."""
        yield from in_parts(_rows(content, paths), content.name)


def _rows(content: Content, paths: Sequence[str]) -> Iterator[Row]:
    number = 0
    shape = _shape(Head(content))
    with content.open() as stream:
        records = _records(stream, shape)
        while True:
            key = f"record {number + 1}"
            try:
                place, record = next(records, (None, None))
            except ValueError as error:
                raise content.refuse(str(error), key=key) from None
            if place is None:
                return
            number += 1
            try:
                yield key, flatten(_object(place, record), paths)
            except ValueError as error:
                content.problems.append(content.fault(key, "", text_of(record) or "null", str(error)))


def _shape(head: Head) -> str | None:
    """Get the layout of a document: an array, one of a name, one a key, columns, or rows of values."""
    start = head.start.removeprefix(codecs.BOM_UTF8)
    if head.is_array:
        return "array" if head.keys else None
    if found := _WRAPPED.match(start):
        return f"name {found[1].decode()}"
    if {"schema", "data"} <= {*head.keys}:  # pandas, orient="table"
        return "name data"
    if {"columns", "data"} <= {*head.keys}:  # pandas, orient="split"
        return "split"
    return "keys" if _KEYED.match(start) else "columns" if _COLUMNS.match(start) else None


def _records(stream: IO[bytes], shape: str | None) -> Iterator[tuple[str, Any]]:
    """Get the records of a document, each under "[]", and everything else under its own name."""
    if shape is not None and (read := _SHAPES.get(shape)):
        yield from (("[]", record) for record in read(stream))
        return
    name = (shape or "").removeprefix("name ") if shape != "array" else ""
    for place, record in walk(stream, ["", name] if name else [""]):
        if place.startswith(name):  # the rest is said of all records
            yield place.removeprefix(name), record


def _split(stream: IO[bytes]) -> Iterator[Any]:
    columns: list[str] = []
    for place, value in walk(stream, ["", "data"]):
        columns = value if place == "columns" else columns
        if place == "data[]":
            yield dict(zip(columns, value, strict=True))


def _keyed(stream: IO[bytes]) -> Iterator[Any]:
    for place, value in walk(stream, [""]):
        for record in cast("list[Any]", value) if isinstance(value, list) else [value]:
            yield {"key": place} | record if isinstance(record, dict) else record


def _in_columns(stream: IO[bytes]) -> Iterator[Any]:
    held = {place: cast("dict[str, Any]", value) for place, value in walk(stream, [""]) if isinstance(value, dict)}
    for row in dict.fromkeys(row for column in held.values() for row in column):
        yield {name: column.get(row) for name, column in held.items()}


_SHAPES = {"split": _split, "keys": _keyed, "columns": _in_columns}


def _object(place: str, record: object) -> dict[str, Any]:
    if place != "[]":
        raise ValueError("an array of JSON objects")
    if not isinstance(record, dict):
        raise ValueError("a JSON object")  # noqa: TRY004  one error for all that can be wrong with an element
    return cast("dict[str, Any]", record)


FORMAT = JsonArray()
