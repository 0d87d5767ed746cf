"""Settings described in plain English by the study file's JSON Schema."""

from __future__ import annotations

from typing import Any

from tallybook.core.wording import one_of, value_text
from tallybook.study.base import IDENTIFIER

Node = dict[str, Any]
"""A part of a JSON Schema."""

_PATTERNS = {
    IDENTIFIER: "a name: a letter, then letters, digits, '_', '.' and '-'",
    "^#[0-9A-Fa-f]{6}$": "a colour: '#' and six hexadecimal digits",
    "^[0-9]+$": "digits",
}
_SEVERAL = {"string": "texts", "integer": "whole numbers", "number": "numbers", "object": "tables", "array": "lists"}


def described(node: Node, schema: Node) -> str:
    """Describe the values that a setting may have.

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
    if item.get("pattern") == IDENTIFIER:
        entries = "names"
    least, most = node.get("minItems"), node.get("maxItems")
    number = "one or more " if least == 1 else f"at least {least} " if least else ""
    number = f"{least} to {most} " if least and most else f"at most {most} " if most else number
    return f"a list of {number}{entries}"


def resolved(node: Node, schema: Node) -> Node:
    """Follow references of a part of a schema."""
    while True:
        options = [option for option in node.get("anyOf", ()) if option.get("type") != "null"]
        if "$ref" in node:
            node = schema["$defs"][node["$ref"].removeprefix("#/$defs/")]
        elif len(options) == 1:
            node = options[0]
        else:
            return node


def settings_of(node: Node) -> list[str]:
    """Get the settings that a table of the study file can have."""
    return list(node.get("properties", {}))
