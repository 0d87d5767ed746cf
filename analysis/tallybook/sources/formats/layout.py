"""Get required parts of tools' records."""

from __future__ import annotations

from typing import Any, cast


class LayoutError(ValueError):
    """A record is not built as its tool builds records: the message says what should be there."""


def as_object(value: Any, what: str = "a JSON object") -> dict[str, Any]:  # noqa: ANN401  whatever JSON can say
    """A value that must be an object."""
    if not isinstance(value, dict):
        raise LayoutError(what)
    return cast("dict[str, Any]", value)


def object_at(whole: dict[str, Any], name: str) -> dict[str, Any]:
    """Get the object of a name; an empty one if it is missing.

    >>> object_at({"usage": None}, "usage")
    {}
    """
    value = whole.get(name)
    return {} if value is None else as_object(value, f"an object at {name!r}")


def array_at(whole: dict[str, Any], name: str) -> list[Any]:
    """Get the array of a name; an empty one if it is missing."""
    value = whole.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise LayoutError(f"an array at {name!r}")
    return cast("list[Any]", value)
