"""What a setting may be, said in plain English from the study file's JSON Schema, and names that are nearly right."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, cast

from analysis.untrusted import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Node = dict[str, Any]
"""A part of a JSON Schema."""

_NAME = r"^[A-Za-z][A-Za-z0-9_.-]*$"
_PATTERNS = {
    _NAME: "a name: a letter, then letters, digits, '_', '.' and '-'",
    "^#[0-9A-Fa-f]{6}$": "a colour: '#' and six hexadecimal digits",
    "^[0-9]+$": "digits",
}
_SEVERAL = {"string": "texts", "integer": "whole numbers", "number": "numbers", "object": "tables", "array": "lists"}
_SHOWN = 25
_ALIKE = 0.7


def described(node: Node, schema: Node) -> str:
    """What a setting may be.

    Args:
        node: The setting's schema.
        schema: The whole schema, which holds what the setting's refers to.

    Returns:
        A phrase that can follow "expected".

    >>> described({"type": "integer", "minimum": 1}, {}), described({"enum": ["a", "b"]}, {})
    ('a whole number, at least 1', "one of 'a', 'b'")
    """
    node = resolved(node, schema)
    if "const" in node:
        return value_text(node["const"])
    if "enum" in node:
        return one_of(node["enum"])
    if "anyOf" in node:
        options = [described(option, schema) for option in node["anyOf"] if option.get("type") != "null"]
        return " or ".join(dict.fromkeys(options))
    return _list(node, schema) if node.get("type") == "array" else _single(node)


def _single(node: Node) -> str:
    match node.get("type"):
        case "string" if "pattern" in node:
            words = _PATTERNS.get(node["pattern"], f"text of the form {node['pattern']}")
        case "string":
            words = "text that is not empty" if node.get("minLength") else "text"
        case "integer":
            words = f"a whole number{_limits(node)}"
        case "number":
            words = f"a number{_limits(node)}"
        case "boolean":
            words = "true or false"
        case _:
            words = "a table with at least one setting" if node.get("minProperties") else "a table"
    return words


def _limits(node: Node) -> str:
    if "minimum" in node and "maximum" in node:
        return f" from {node['minimum']:g} to {node['maximum']:g}"
    words = {
        "minimum": "at least",
        "exclusiveMinimum": "above",
        "maximum": "at most",
        "exclusiveMaximum": "below",
    }
    limits = [f"{word} {node[limit]:g}" for limit, word in words.items() if limit in node]
    return f", {' and '.join(limits)}" if limits else ""


def _list(node: Node, schema: Node) -> str:
    if "prefixItems" in node:
        return f"a list of {len(node['prefixItems'])}: " + ", ".join(
            described(item, schema) for item in node["prefixItems"]
        )
    item = resolved(node.get("items", {}), schema)
    entries = "tables" if "oneOf" in item else _SEVERAL.get(item.get("type", ""), "values")
    if item.get("pattern") == _NAME:
        entries = "names"
    least, most = node.get("minItems"), node.get("maxItems")
    number = "one or more " if least == 1 else f"at least {least} " if least else ""
    number = f"{least} to {most} " if least and most else f"at most {most} " if most else number
    return f"a list of {number}{entries}"


def resolved(node: Node, schema: Node) -> Node:
    """A part of a schema, or what it refers to.

    Args:
        node: The part.
        schema: The whole schema.

    Returns:
        The part itself: no reference, and not its choice between something and nothing.
    """
    while True:
        options = [option for option in node.get("anyOf", ()) if option.get("type") != "null"]
        if "$ref" in node:
            node = schema["$defs"][node["$ref"].removeprefix("#/$defs/")]
        elif len(options) == 1:
            node = options[0]
        else:
            return node


def settings_of(node: Node) -> list[str]:
    """The settings that a table of the study file can have."""
    return list(node.get("properties", {}))


def one_of(values: Iterable[object]) -> str:
    """Values to choose from.

    >>> one_of(["a"]), one_of([0, 1])
    ("'a'", 'one of 0, 1')
    """
    every = [value_text(value) for value in values]
    hidden = f" and {len(every) - _SHOWN} more" if len(every) > _SHOWN else ""
    return f"{'one of ' if len(every) > 1 else ''}{', '.join(every[:_SHOWN])}{hidden}"


def expectation(name: object, known: Iterable[object]) -> str:
    """The end of a message about a name that is not known: what is, and which of it may be meant.

    >>> expectation("modl", ["model", "item"]), expectation("x", [])
    ("expected one of 'model', 'item'; did you mean 'model'?", 'there is none')
    """
    every = list(known)
    return f"expected {one_of(every)}{suggestion(name, every)}" if every else "there is none"


def value_text(value: object) -> str:
    """A value of a study file as a message shows it: shortened and escaped.

    >>> value_text("a"), value_text(True), value_text([]), value_text({"a": 1})
    ("'a'", 'true', 'an empty list', 'a table')
    """
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return f"'{printable(value)}'"
        case list():
            return "a list" if cast("Sequence[object]", value) else "an empty list"
        case dict():
            return "a table" if cast("Mapping[str, object]", value) else "an empty table"
        case _:
            return printable(str(value))


def nearest(name: object, known: Iterable[object]) -> str | None:
    """The known name that is most like another, whatever the case.

    Args:
        name: What was written.
        known: What could have been.

    Returns:
        The known name; None if none is alike.

    >>> nearest("Genre", ["gender", "model"]), nearest("x", ["model"])
    ('gender', None)
    """
    if not isinstance(name, str):
        return None
    folded = {other.lower(): other for other in known if isinstance(other, str) and other}
    plain = name.lower()
    if plain in folded:
        return folded[plain]
    found = get_close_matches(plain[:200], folded, 1, _ALIKE)
    return folded[found[0]] if found else None


def suggestion(name: object, known: Iterable[object]) -> str:
    """The end of a message: the known name that may be meant, if there is one."""
    found = nearest(name, known)
    return f"; did you mean {value_text(found)}?" if found is not None else ""
