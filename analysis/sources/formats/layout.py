"""What the readers of tools' records share: parts that must be there, and columns that only a user asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from analysis.sources.json_records import at, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable


class LayoutError(ValueError):
    """A record is not built as its tool builds records: the message says what should be there."""


def as_object(value: Any, what: str = "a JSON object") -> dict[str, Any]:  # noqa: ANN401  whatever JSON can say
    """A value that must be an object.

    Args:
        value: The value.
        what: What is expected, in messages.

    Returns:
        The object.

    Raises:
        LayoutError: If it is none.
    """
    if not isinstance(value, dict):
        raise LayoutError(what)
    return cast("dict[str, Any]", value)


def object_at(whole: dict[str, Any], name: str) -> dict[str, Any]:
    """The object of a name; an empty one if there is none.

    Args:
        whole: The object it stands in.
        name: Its name.

    Returns:
        The object.

    Raises:
        LayoutError: If something else stands there.

    >>> object_at({"usage": None}, "usage")
    {}
    """
    value = whole.get(name)
    return {} if value is None else as_object(value, f"an object at {name!r}")


def array_at(whole: dict[str, Any], name: str) -> list[Any]:
    """The array of a name; an empty one if there is none.

    Args:
        whole: The object it stands in.
        name: Its name.

    Returns:
        The array.

    Raises:
        LayoutError: If something else stands there.
    """
    value = whole.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise LayoutError(f"an array at {name!r}")
    return cast("list[Any]", value)


def look_up(columns: dict[str, str | None], paths: Iterable[str], *wholes: dict[str, Any]) -> None:
    """Add the columns that a user asks for and the record does not have.

    Args:
        columns: The record's columns; they are added to.
        paths: The columns that the user asks for.
        *wholes: Where they are looked up, the first that has them first: the tool's own objects.

    >>> columns = {"text": "yes"}
    >>> look_up(columns, ["text", "messages.1.role"], {"messages": [{"role": "user"}, {"role": "assistant"}]})
    >>> columns
    {'text': 'yes', 'messages.1.role': 'assistant'}
    """
    for path in paths:
        if path not in columns:
            found = next((value for whole in wholes if (value := at(whole, path)) is not None), None)
            if found is not None:
                columns[path] = text_of(found)
