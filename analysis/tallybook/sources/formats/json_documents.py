"""JSON of anyone's making: an object a line, an array of objects, perhaps wrapped; objects whose keys are levels."""

from __future__ import annotations

import codecs
import re
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, Any

from tallybook.sources import json_blocks
from tallybook.sources.content import START
from tallybook.sources.formats.declared import Objects
from tallybook.sources.formats.format import Head
from tallybook.sources.formats.objects import UnexpectedError, is_array, is_object
from tallybook.sources.json_records import flatten, is_talk, parse, text_of
from tallybook.sources.json_stream import walk
from tallybook.sources.records import in_parts
from tallybook.study.format_base import Format

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.records import Records, Row
    from tallybook.study.format_base import Role


_HOLDER = re.compile(
    r"data|results|responses|records|rows|items|samples|answers|outputs|completions|generations|conversations|dialogues"
    r"|chats|transcripts|entries|examples|trials|runs|traces|calls|logs|predictions|events|observations|cases|tests"
    r"|questions|prompts|instances|evaluations|interactions|sessions|tasks|testCases|test_cases|spans"
)
"""The names of arrays of records in objects, with data about them beside."""
_OUTER = "models|groups|personas|conditions|experiments|batches|rounds|variants"
_ARRAYS = {*_HOLDER.pattern.split("|"), *_OUTER.split("|")}
"""The names of arrays in which others may stand."""
_HELD = re.compile(rb'"(?:%s)"\s*:\s*\[\s*\{' % "|".join(sorted(_ARRAYS)).encode(), re.IGNORECASE)
_KEYED = re.compile(rb'\s*\{\s*"[^"]*"\s*:\s*\[\s*\{')
"""An object of arrays of records, whose keys become the column `key`."""
_COLUMNS = re.compile(rb'\s*\{\s*"[^"]*"\s*:\s*\{\s*"0"\s*:')
"""An object of columns with numbered values, as pandas writes a table."""
_LISTS = re.compile(
    rb'\s*\{\s*(?:"data"\s*:\s*\{\s*)?"(?:\w+_)?(?:prompt|question|input|response|answer|output|completion|model|id|item)s?"'
    rb'\s*:\s*\[\s*["\d]'
)
"""An object of columns that are lists, perhaps in `data`, as LangFair returns and pandas' `to_dict("list")` does."""
LEVEL = "level_"
"""The prefix of the columns of keys; `level_1` is the outermost."""
_FIELDS = {"answer", "response", "text", "output", "completion", "content", "reply", "generation", "score", "label"}
"""The names of a record's fields, which are not names of prompts or models."""
_ANSWERS = {"answers", "responses", "outputs", "completions", "replies", "generations", "results", "data"}
"""The names of fields that hold all answers of a file, beside data about them."""


class JsonLines(Format):
    """Files with an object in each line (JSONL, NDJSON); nested objects are flattened to columns with dotted names."""

    name = "jsonl"
    title = "JSON lines"
    turn = 5

    def recognises(self, head: Head) -> Role | None:
        """Recognise files that begin with an object and have a matching suffix, or whose first line is an object."""
        if head.suffix in {".jsonl", ".ndjson"}:
            return "responses" if head.keys or head.is_talk else None
        # A single object in a file with the suffix .json is a document, which may contain records.
        is_document = head.suffix == ".json" and not head.has_lines
        is_record = head.line or head.is_talk
        return "responses" if is_record and head.is_line_whole and not is_document else None

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        return json_blocks.read(content, paths)


class JsonArray(Objects):
    """An array of objects, perhaps in an object, an object of such arrays, or a table as pandas writes it."""

    name = "json"
    title = "JSON array of objects"
    turn = 6

    def recognises(self, head: Head) -> Role | None:
        return "responses" if _shape(head) else None

    def objects(self, content: Content) -> Iterator[tuple[str, dict[str, Any]]]:
        number = 0
        try:
            for number, (place, record) in enumerate(_records(content, _shape(Head(content))), start=1):
                if place == "[]" and is_object(record):
                    yield f"record {number}", record
                    continue
                shown, expected = text_of(record) or "null", "a JSON object" if place == "[]" else _ARRAY
                content.problems.append(content.fault(f"record {number}", "", shown, expected))
        except ValueError as error:
            raise content.refuse(str(error), key=f"record {number + 1}") from None

    def records(self, paths: Sequence[str], about: None, key: str, whole: dict[str, Any]) -> Iterator[Row]:
        try:
            yield key, flatten(whole, paths)
        except ValueError as error:
            raise UnexpectedError("", whole, str(error)) from None


_ARRAY = "an array of JSON objects"


def _shape(head: Head) -> str | None:
    """Return the layout of a document: an array, an array in a field, one for each key, columns, or rows of values."""
    start = head.start.removeprefix(codecs.BOM_UTF8)
    if head.is_array:
        return None if not (head.keys or re.match(rb"\[\s*\[", start.lstrip())) else "one" if _one(start) else "name "
    if {"columns", "data"} <= {*head.keys}:  # pandas, orient="split"
        return "split"
    if {"schema", "data"} <= {*head.keys}:  # pandas, orient="table"
        return "name data"
    is_wrapped = start.lstrip().startswith(b"{") and not (head.line and head.has_lines)
    for name in head.keys if is_wrapped else ():
        if _HOLDER.fullmatch(name) and re.search(rb'"%s"\s*:\s*\[\s*[{[]' % name.encode(), start):
            return f"name {name}"
    forms = {"keys": _KEYED, "columns": _COLUMNS} | ({"lists": _LISTS} if is_wrapped else {})
    found = (shape for shape, form in forms.items() if form.match(start))
    return next(found, "one" if _one(start) else None)


def _records(content: Content, shape: str | None) -> Iterator[tuple[str, Any]]:
    """Yield the records of a document under "[]", and everything else under its own path."""
    if shape == "one":
        yield "[]", _one(content.start())
        return
    name, about = (shape or "").removeprefix("name "), dict[str, Any]()
    if name and shape not in _SHAPES:
        with content.open() as stream:  # values beside the records, before or after them, apply to all of them
            about = {place: one for place, one in walk(stream, {"", name}) if not place.startswith(name)}
        about = _of_all(about)
    with content.open() as stream:
        if shape in _SHAPES:
            yield from (("[]", record) for record in _SHAPES[shape](stream))
            return
        for place, record in walk(stream, {"", name}):
            if place == f"{name}[]" and is_talk(record):
                yield "[]", about | {"messages": record}
            elif place == f"{name}[]" and is_object(record):
                yield "[]", {one: value for one, value in about.items() if one not in record} | record
            elif place.startswith(name):
                yield place.removeprefix(name), record


def _of_all(values: dict[str, Any]) -> dict[str, str]:
    """Return the values beside records that apply to all of them."""
    return {place: one for place, one in flatten(values).items() if one and not one.startswith("[")}


def _one(start: bytes) -> dict[str, Any] | None:
    """Return the record of a short file that holds only one: an object, or the messages of a conversation."""
    try:
        found = parse(start) if len(start) < START else None
    except ValueError:
        return None
    if is_talk(found):
        said = [one for one in found if one.get("role", one.get("from")) in _ANSWERING]
        return {"messages": found} if len(said) == 1 and all({*one} <= _OF_MESSAGE for one in found) else None
    return found if is_object(found) and _FIELDS & {name.lower() for name in found} else None


_ANSWERING = {"assistant", "model", "ai", "gpt", "bot"}
_OF_MESSAGE = {"role", "content", "name", "refusal", "tool_calls", "annotations", "audio", "from", "value", "reasoning"}
"""The fields of messages; a message with others is a record."""


def _split(stream: IO[bytes]) -> Iterator[Any]:
    columns: list[str] = []
    for place, value in walk(stream, ["", "data"]):
        if place == "columns":
            columns = value
        elif place == "data[]":
            yield dict(zip(columns, value, strict=True))


def _keyed(stream: IO[bytes]) -> Iterator[Any]:
    for place, value in walk(stream, [""]):
        for record in value if is_array(value) else [value]:
            yield {"key": place} | record if is_object(record) else record


def _in_columns(stream: IO[bytes]) -> Iterator[Any]:
    held = {name: column for name, column in walk(stream, [""]) if is_object(column)}
    for row in dict.fromkeys(row for column in held.values() for row in column):
        yield {name: column.get(row) for name, column in held.items()}


def _in_lists(stream: IO[bytes]) -> Iterator[Any]:
    held = dict(walk(stream, ["", "data"]))
    within = "data." if any(place.startswith("data.") for place in held) else ""
    lists = {place: one for place, one in held.items() if is_array(one) and place.startswith(within)}
    if len({*map(len, lists.values())}) > 1:
        raise ValueError("lists of equal lengths, with a value for each record")
    about = _of_all({place: one for place, one in held.items() if not is_array(one)})
    for row in zip(*lists.values(), strict=True):
        yield about | {place.removeprefix(within): value for place, value in zip(lists, row, strict=True)}


_SHAPES = {"split": _split, "keys": _keyed, "columns": _in_columns, "lists": _in_lists}


class JsonTree(Format):
    """Objects of objects, `{model: {prompt: [answers]}}`, or of arrays in arrays, and deeper; `init` recognises them.

    The columns are `level_1`, `level_2`, ..., for lists also `sample`, and `text` or the fields of a record. Of arrays,
    `{models: [{name: ..., runs: [{seed: ..., outputs: [{...}]}]}]}`, records have `model.name` and `run.seed`, too.
    """

    name = "json-tree"
    title = "JSON object of objects"
    turn = 10

    def recognises(self, head: Head) -> Role | None:
        return None

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        yield from in_parts(_rows(content, paths), content.name)


def is_tree(content: Content) -> bool:
    """Return whether a file is an object of objects whose branches have equal depth and similar ends, or of arrays."""
    if not content.start().lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return False
    try:
        with content.open() as stream:
            branches = dict(walk(stream, [""]))
    except ValueError:
        return False
    if (record := next(_nested(branches), None)) is not None:
        return not _FIELDS.isdisjoint(map(str.lower, record))
    branches = branches.get(_holder(branches) or "", branches)
    depths = {_depth(branch) for branch in branches.values()} - {None}
    return len(depths) == 1 and _is_answered(branches)


def _holder(branches: dict[str, Any]) -> str | None:
    """Return the only key of an object that holds answers by level: `{"responses": {model: [answers]}}`."""
    found = [key for key, one in branches.items() if key.lower() in _ANSWERS and is_object(one)]
    return found[0] if len(found) == 1 and _is_answered(branches[found[0]]) else None


def _is_answered(branches: dict[str, Any]) -> bool:
    """Return whether an object is more than settings: it lists answers, or its objects share half of their keys."""
    below = [{*one} for one in branches.values() if is_object(one) and one]
    if not below:
        lists = [one for one in branches.values() if is_array(one)]
        return len(lists) > 1 and all(isinstance(one, str) for found in lists for one in found)
    common = set[str].intersection(*below)
    return len(below) > 1 and 2 * len(common) >= max(map(len, below))


def _depth(value: object) -> int | None:
    """Return the number of levels above the innermost values; None without values, -1 if branches differ in depth."""
    if value is None or value == {}:
        return None
    if not is_object(value) or _is_record(value):
        return 0
    depths = {depth for one in value.values() if (depth := _depth(one)) is not None}
    return depths.pop() + 1 if len(depths) == 1 and depths != {-1} else -1


def _is_record(found: dict[str, Any]) -> bool:
    """Return whether an object is a record, by the names of its fields or because they are of several types."""
    kinds: set[Any] = {float if isinstance(one, int) else type(one) for one in found.values() if one is not None}
    return len(kinds) > 1 or (dict not in kinds and any(name.lower() in _FIELDS for name in found))


def _array(value: object) -> str | None:
    """Return the only name in an object of an array of objects that are no messages and no choices."""
    held = {name: one for name, one in value.items() if is_array(one) and one} if is_object(value) else {}
    found = [name for name, one in held.items() if name.lower() in _ARRAYS and all(map(is_object, one))]
    return found[0] if len(found) == 1 else None


def _nested(value: dict[str, Any], above: Mapping[str, Any] = MappingProxyType({})) -> Iterator[dict[str, Any]]:
    """Yield the innermost records of arrays within an object, with the values of all that they stand in."""
    name = _array(value) or ""
    for record in value.get(name, ()):
        if (inner := _array(record)) is None:
            yield {**above, **record}
        else:
            own = {f"{name.removesuffix('s')}.{key}": one for key, one in record.items() if key != inner}
            yield from _nested(record, {**above, **own})


def _rows(content: Content, paths: Sequence[str]) -> Iterator[Row]:
    with content.open() as stream, content.open() as first:
        try:
            place, whole = 0, dict(walk(first, [""])) if _HELD.search(content.start()) else {}
            name = _array(whole)
            about = _of_all({key: one for key, one in whole.items() if key != name}) if name else {}
            for place, record in enumerate(_nested(whole, about), start=1):
                yield f"record {place}", flatten(record, paths)
            if place:
                return
            first.seek(0)
            holder = _holder({key: one for key, one in walk(first, [""]) if key.lower() in _ANSWERS})
            for branch, found in walk(stream, [""]):
                for key, value in [(branch, found)] if holder is None else found.items() if branch == holder else ():
                    for place, (levels, record) in enumerate(_leaves(value, (key,))):
                        named = {f"{LEVEL}{depth}": level for depth, level in enumerate(levels, start=1)}
                        yield f"{'/'.join(levels)}, record {place + 1}", flatten(record, paths) | named
        except ValueError as error:
            raise content.refuse(str(error)) from None


def _leaves(value: object, levels: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Yield the innermost values with the keys above them; elements of lists separately, with index `sample`."""
    if is_object(value) and not _is_record(value):
        for key, inner in value.items():
            yield from _leaves(inner, (*levels, key))
        return
    for sample, one in enumerate(value) if is_array(value) else [(None, value)]:
        record: dict[str, Any] = one if is_object(one) else {"text": text_of(one)}
        yield levels, record if sample is None else {"sample": sample} | record


LINES, ARRAY, TREE = JsonLines(), JsonArray(), JsonTree()
