"""Conversion of JSON values to the text of columns: nested objects are flattened to dotted paths."""

from __future__ import annotations

import ast
import json
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_DEPTH = 64
"""The greatest depth of nested objects and arrays."""
HALF = "Unicode text (this holds half of a surrogate pair)"
"""The expected value in problems of text with an unpaired surrogate."""
_TEXT = json.JSONEncoder(ensure_ascii=False)


def is_text(text: str) -> bool:
    """Return whether a string is valid Unicode, without unpaired surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def parse(text: str | bytes) -> Any:  # noqa: ANN401  whatever JSON can say
    """Parse a JSON value; unlike `json.loads`, reject repeated names in an object.

    >>> parse('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ...
    ValueError: the name 'a' once in an object
    >>> parse("9" * 5000)
    Traceback (most recent call last):
    ...
    ValueError: whole numbers of at most 4,300 digits
    """
    try:
        return _DECODER.decode(
            text if isinstance(text, str) else str(text, json.detect_encoding(text), "surrogatepass")
        )
    except json.JSONDecodeError as error:
        told = error.msg[:1].lower() + error.msg[1:].removesuffix(" at")
        line = f"line {error.lineno}, " if error.lineno > 1 else ""
        raise ValueError(f"JSON ({told} at {line}character {error.colno})") from None
    except UnicodeDecodeError:
        raise ValueError("UTF-8 text") from None
    except ValueError as error:  # raised by `once`, or by Python for too many digits
        digits = sys.get_int_max_str_digits()
        raise ValueError(f"whole numbers of at most {digits:,} digits" if "digits" in str(error) else error) from None
    except RecursionError:
        raise ValueError(f"JSON that nests at most {MOST_DEPTH} deep") from None


def parse_object(text: str | bytes) -> dict[str, Any]:
    """Parse a JSON object; raise a `ValueError` for any other value."""
    return _as_object(parse(text))


def record_of(text: str | bytes) -> dict[str, Any]:
    """Parse a record: a JSON object, or an array of messages, which becomes its column `messages`."""
    found = parse(text)
    return {"messages": found} if is_talk(found) else _as_object(found)


def _as_object(found: object) -> dict[str, Any]:
    if not is_object(found):
        raise ValueError("a JSON object")
    return found


def is_talk(value: object) -> TypeGuard[list[dict[str, Any]]]:
    """Return whether a JSON value is a conversation: an array of objects that each name who speaks.

    >>> is_talk([{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "So."}])
    True
    """
    if not is_array(value) or not value:
        return False
    return all(is_object(one) and isinstance(one.get("role", one.get("from")), str) for one in value)


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Return whether a JSON value is an object."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Return whether a JSON value is an array."""
    return isinstance(value, list)


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object; raise a `ValueError` for repeated names, whose earlier values would be lost silently."""
    found = dict(pairs)
    if len(found) < len(pairs):
        number = Counter(name for name, _ in pairs)
        twice = next(name for name in number if number[name] > 1)
        raise ValueError(f"the name {twice!r} once in an object")
    return found


_SHOWN = 8
"""The maximum number of paths that an error names."""
_DECODER = json.JSONDecoder(object_pairs_hook=once)


def text_of(value: Any) -> str | None:  # noqa: ANN401  whatever JSON can say
    """Convert a JSON value to the text of a cell.

    >>> [text_of(value) for value in ("yes", None, True, 1.5, ["a", {"b": 1}])]
    ['yes', None, 'true', '1.5', '["a", {"b": 1}]']
    """
    if value is None or isinstance(value, str):
        return value
    return str(value) if type(value) is int else _TEXT.encode(value)


def flatten(record: dict[str, Any], within: Iterable[str] = ()) -> dict[str, str | None]:
    """Flatten a record to columns: each value in a nested object gets a column, and an array is one column of JSON.

    >>> flatten({"id": 7, "input": {"name": "Ann", "tags": ["a", "b"]}}, ["input.tags.1"])
    {'id': '7', 'input.name': 'Ann', 'input.tags': '["a", "b"]', 'input.tags.1': 'b'}
    """
    columns: dict[str, str | None] = {}
    _fill(columns, record, "", 1)
    look_up(columns, within, record)
    return columns


def look_up(columns: dict[str, str | None], paths: Iterable[str], *wholes: dict[str, Any]) -> None:
    """Add the columns of requested paths that are not there yet.

    >>> columns = {"text": "yes"}
    >>> look_up(columns, ["text", "messages.1.role"], {"messages": [{"role": "user"}, {"role": "assistant"}]})
    >>> columns
    {'text': 'yes', 'messages.1.role': 'assistant'}
    """
    for path in paths:
        if path not in columns:
            found = next((value for whole in wholes if (value := at(whole, path)) is not None), None)
            if is_object(found) and is_talk([found]):  # one message, whose text is meant
                below = ", ".join(repr(f"{path}.{name}") for name in [*found][:_SHOWN])
                raise ValueError(f"a value at {path!r}, where a message is; below it are {below}")
            if found is not None:
                columns[path] = text_of(found)


def opened(value: object) -> Any:  # noqa: ANN401  whatever JSON can say
    """Parse a string that holds a JSON object or array, or an object as Python writes it; return others as they are.

    >>> [opened(value) for value in ('{"a": 1}', "{'a': None}", "[sighs] No.", "7", 7)]
    [{'a': 1}, {'a': None}, '[sighs] No.', '7', 7]
    """
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        return parse(value)
    except ValueError:
        found = literal(value) if value.lstrip().startswith(("{'", '{"')) else None
        return found if is_object(found) and _is_plain(found) else value


def literal(text: str) -> object:
    """Parse a value as Python writes it; None if the text is none."""
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None


def _is_plain(value: object) -> bool:
    """Return whether a value consists of what JSON can say."""
    if is_object(value):
        return {*map(type, value)} <= {str} and all(map(_is_plain, value.values()))
    return all(map(_is_plain, value)) if is_array(value) else isinstance(value, str | int | float | None)


def opened_list(value: str | None) -> Any:  # noqa: ANN401  whatever JSON can say
    """Parse a cell that holds a JSON object or array, or a list of texts and numbers as Python writes it.

    >>> [opened_list(cell) for cell in ('["a", 1]', "['a', 1]", "[sighs] No.", "['a', {}]")]
    [['a', 1], ['a', 1], '[sighs] No.', "['a', {}]"]
    """
    found = opened(value)
    listed = literal(found) if isinstance(found, str) and found.lstrip().startswith("[") else None
    return listed if is_array(listed) and all(isinstance(one, str | int | float | None) for one in listed) else found


def at(value: Any, path: str) -> Any:  # noqa: ANN401  whatever JSON can say
    """Return the value at a path, or None if there is none.

    `path`: Names joined by dots; a whole number takes an element of an array, counted from 0, or from -1 backwards, and
    a role the last message of that role. Strings that hold JSON are parsed.

    >>> at({"choices": [{"text": "yes"}]}, "choices.0.text")
    'yes'
    >>> at([{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "So."}], "user.content")
    'Why?'
    """
    for part in path.split("."):
        value = opened(value)
        if is_object(value):
            value = value.get(part)
        elif is_array(value):
            if part.lstrip("-").isdecimal():
                value = value[int(part)] if -len(value) <= int(part) < len(value) else None
            else:
                value = next((one for one in reversed(value) if is_object(one) and one.get("role") == part), None)
        else:
            return None
    return value


def _fill(columns: dict[str, str | None], record: dict[str, Any], prefix: str, depth: int) -> None:
    """Add the values of an object to the columns; this is the innermost loop of reading JSON."""
    if depth > MOST_DEPTH:
        raise ValueError(f"JSON that nests at most {MOST_DEPTH} deep")
    for name, value in record.items():
        path = prefix + name
        if value.__class__ is dict and value:
            _fill(columns, value, f"{path}.", depth + 1)
        elif path in columns:
            raise ValueError(f"one value at {path!r}")
        elif value is None or value.__class__ is str:
            columns[path] = value
        else:
            columns[path] = text_of(value) if value != {} else None
