"""The objects of a JSON file, of JSON lines or of an array somewhere in it, one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallybook.sources.formats.fields import UnexpectedError, is_object
from tallybook.sources.json_records import HALF, MOST_DEPTH, parse_object, text_of
from tallybook.sources.json_stream import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tallybook.sources.content import Content
    from tallybook.sources.records import Row


def in_lines(content: Content) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of JSON lines."""
    for number, text in content.lines():
        try:
            found = parse_object(text)
        except ValueError as error:
            content.problems.append(content.fault(f"line {number}", "", text, str(error)))
        else:
            yield f"line {number}", found


def in_array(content: Content, path: str = "", form: str = "record {}") -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of an array in a JSON document, which is never in memory as a whole, and what they are called."""
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
    """The values of a JSON document that stand before an array, by their paths; and whether that holds anything."""
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
    """The paths of the objects around an array, and its own."""
    names = path.split(".") if path else []
    return ["", *(".".join(names[: place + 1]) for place in range(len(names)))]


def rows(
    content: Content,
    found: Iterable[tuple[str, dict[str, Any]]],
    read: Callable[[str, dict[str, Any]], Iterable[Row]],
) -> Iterator[Row]:
    """Read objects, so that one that cannot be read keeps no other from it."""
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
