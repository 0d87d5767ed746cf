"""The objects of a JSON file, one by one, and their values: one of another type is an error that names its path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallybook.sources.json_records import (
    HALF,
    MOST_DEPTH,
    at,
    flatten,
    is_array,
    is_object,
    is_text,
    look_up,
    parse_object,
    text_of,
)
from tallybook.sources.json_stream import MOST_VALUE, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.records import Row


class UnexpectedError(ValueError):
    """A value of a record is not as expected; the column is empty if the whole record is at fault."""

    def __init__(self, column: str, value: object, expected: str) -> None:
        super().__init__(expected)
        self.column = column
        self.value = "null" if value is None else text_of(value) or ""
        self.expected = expected


def string(value: object, path: str) -> str | None:
    """Return a string, or None for null; raise an `UnexpectedError` for anything else."""
    if value is None or isinstance(value, str):
        return value
    raise UnexpectedError(path, value, "a string")


def mapping(value: object, path: str) -> dict[str, Any]:
    """Return an object, empty for null; raise an `UnexpectedError` for anything else."""
    if value is None:
        return {}
    if is_object(value):
        return value
    raise UnexpectedError(path, value, "an object")


def array(value: object, path: str) -> list[Any]:
    """Return an array, empty for null; raise an `UnexpectedError` for anything else."""
    if value is None:
        return []
    if is_array(value):
        return value
    raise UnexpectedError(path, value, "an array")


def strict(value: Any, path: str) -> Any:  # noqa: ANN401  whatever JSON can say
    """Return the value at a path that leads only through objects and arrays."""
    steps = path.split(".")
    for place, step in enumerate(steps):
        if value is not None and not is_object(value) and not (is_array(value) and step.isdecimal()):
            raise UnexpectedError(".".join(steps[:place]), value, "an object")
        value = at(value, step)
    return value


def names(record: Mapping[str, Any]) -> str:
    """List the names in an object, for messages about what it seems to be."""
    return ", ".join(record) or "an empty object"


def cells(
    canonical: Mapping[str, str | None], record: dict[str, Any], taken: Sequence[str], paths: Sequence[str]
) -> dict[str, str | None]:
    """Convert a record to columns: those that all tools' formats share, then its other values.

    `paths`: Columns that will be used, and so are added even if they lie within `taken` or in arrays.

    >>> cells({"text": "Yes"}, {"id": 7, "answer": {"is": "Yes", "was": "No"}}, ["answer.is"], [])
    {'text': 'Yes', 'id': '7', 'answer.was': 'No'}
    """
    found = {**canonical}
    for name, value in flatten(_without(record, taken)).items():
        found.setdefault(name, value)
    look_up(found, paths, record)
    if not (is_text("".join(found)) and is_text("".join(value for value in found.values() if value))):
        name = next(name for name, value in found.items() if not is_text(f"{name}{value}"))
        raise UnexpectedError(name, found[name], HALF)
    return found


def _without(record: dict[str, Any], taken: Sequence[str]) -> dict[str, Any]:
    """Copy a record without the values at some paths; the remaining values are shared, not copied."""
    kept = {**record}
    for path in taken:
        *before, last = path.split(".")
        holder: dict[str, Any] | None = kept
        for name in before:
            inner = holder.get(name)
            if not is_object(inner):
                holder = None
                break
            holder[name] = holder = {**inner}
        if holder is not None:
            holder.pop(last, None)
    return kept


def in_lines(content: Content) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects of JSON lines with their keys."""
    for number, text in content.lines():
        try:
            found = parse_object(text)
        except ValueError as error:
            content.problems.append(content.fault(f"line {number}", "", text, str(error)))
        else:
            yield f"line {number}", found


def alone(content: Content) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the object of a file that holds only one, over several lines, with its key."""
    with content.open() as stream:
        try:
            yield "record 1", parse_object(stream.read(MOST_VALUE))
        except ValueError as error:
            raise content.refuse(str(error), key="record 1") from None


def in_array(content: Content, path: str = "", form: str = "record {}") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects of an array in a JSON document with their keys, without loading it as a whole."""
    number = 0
    with content.open() as stream:
        try:
            for at, found in walk(stream, _around(path)):
                if at != f"{path}[]":
                    continue
                number += 1
                if is_object(found):
                    yield form.format(number), found
                else:
                    shown = "null" if found is None else text_of(found) or ""
                    content.problems.append(content.fault(form.format(number), "", shown, "a JSON object"))
        except ValueError as error:
            raise content.refuse(str(error), key=f"after {form.format(number)}") from None


def before_array(content: Content, path: str) -> tuple[dict[str, Any], bool]:
    """Return the values before an array in a JSON document, by path, and whether the array has elements."""
    header: dict[str, Any] = {}
    with content.open() as stream:
        try:
            for at, value in walk(stream, _around(path)):
                if at == f"{path}[]":
                    return header, True
                header[at] = value
        except ValueError as error:
            raise content.refuse(str(error)) from None
    return header, False


def _around(path: str) -> list[str]:
    """List the paths of the objects around an array, and that of the array."""
    names = path.split(".") if path else []
    return ["", *(".".join(names[: place + 1]) for place in range(len(names)))]


def rows(
    content: Content,
    found: Iterable[tuple[str, dict[str, Any]]],
    read: Callable[[str, dict[str, Any]], Iterable[Row]],
) -> Iterator[Row]:
    """Yield the rows of objects; one that cannot be read becomes a problem and does not stop the others."""
    for key, record in found:
        try:
            made = list(read(key, record))
        except UnexpectedError as fault:
            content.problems.append(content.fault(key, fault.column, fault.value, fault.expected))
        except UnicodeEncodeError:
            content.problems.append(content.fault(key, "", "", HALF))
        except ValueError as error:
            content.problems.append(content.fault(key, "", "", str(error)))
        except RecursionError:
            content.problems.append(content.fault(key, "", "", f"JSON that nests at most {MOST_DEPTH} deep"))
        else:
            yield from made
