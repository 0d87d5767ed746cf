"""Locations of settings in a study file: their lines, paths in messages, and descriptions from the JSON Schema."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from tallybook.core.untrusted import printable
from tallybook.core.wording import one_of, value_text
from tallybook.study.base import IDENTIFIER

if TYPE_CHECKING:
    from collections.abc import Sequence

Path = tuple[str | int, ...]
"""Keys, and positions in arrays counted from 0, from the top level of the file."""
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_INDEX = re.compile(r"\[(\d+)\]|(\d+)(?=\.|$)")
_SEGMENT = re.compile(r"\S+$")


Node = dict[str, Any]
"""A node of a JSON Schema."""

_PATTERNS = {
    IDENTIFIER: "a name: a letter, then letters, digits, '_', '.' and '-'",
    "^#[0-9A-Fa-f]{6}$": "a colour: '#' and six hexadecimal digits",
    "^[0-9]+$": "digits",
}
_SEVERAL = {"string": "texts", "integer": "whole numbers", "number": "numbers", "object": "tables", "array": "lists"}
_ENDS = ("", "]", "]]", "]}", "]}]", "]]]", '"""', "'''", '"""]', "''']", '"""}]', "'''}]")
"""Texts that can close a value of several lines."""


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
    """Follow the references of a schema node, and unwrap optional values."""
    while True:
        options = [option for option in node.get("anyOf", ()) if option.get("type") != "null"]
        if "$ref" in node:
            node = schema["$defs"][node["$ref"].removeprefix("#/$defs/")]
        elif len(options) == 1:
            node = options[0]
        else:
            return node


def settings_of(node: Node) -> list[str]:
    """List the settings that a table of the study file can have."""
    return list(node.get("properties", {}))


class Place(NamedTuple):
    """A setting: its path and its schema."""

    path: Path  # the setting
    node: Node  # the setting's schema; empty if there is no such setting
    table: Node  # the schema of the table that it stands in
    is_key: bool = False  # whether the name itself is at fault


def place_of(location: Sequence[str | int], schema: Node) -> Place:
    """Find the setting of a validation error; its location also contains names of kinds of tables and of types."""
    path: list[str | int] = []
    parts, node, table = list(location), schema, schema
    while parts:
        node = resolved(node, schema)
        if parts[0] == "[key]":
            return Place(tuple(path), node, table, is_key=True)
        if "discriminator" in node:
            node = {"$ref": node["discriminator"]["mapping"][parts.pop(0)]}
        elif "anyOf" in node:
            parts.pop(0)
            if not parts:
                break
            wanted = "array" if isinstance(parts[0], int) else "object"
            node = next(option for option in node["anyOf"] if resolved(option, schema).get("type") == wanted)
        else:
            table = node
            path.append(parts[0])
            node = _child(node, parts.pop(0))
    return Place(tuple(path), resolved(node, schema), table)


def _child(node: Node, part: str | int) -> Node:
    if isinstance(part, int):
        return [*node.get("prefixItems", ()), *[node.get("items", {})] * (part + 1)][part]
    named = node.get("properties", {}).get(part)
    if named is not None:
        return named
    others: list[Any] = [*node.get("patternProperties", {}).values(), node.get("additionalProperties")]
    found: list[Node] = [other for other in others if isinstance(other, dict)]
    return found[0] if found else {}


def node_at(content: object, path: Path, schema: Node) -> Node:
    """Return the schema of a setting, given the content around it; empty if there is no such setting."""
    node = _of_kind(schema, content, schema)
    for part in path:
        content = value_at(content, (part,))
        node = _of_kind(_child(node, part), content, schema)
    return node


def _of_kind(node: Node, value: object, schema: Node) -> Node:
    node = resolved(node, schema)
    if "discriminator" in node and isinstance(value, dict):
        kind = cast("dict[str, object]", value).get(node["discriminator"]["propertyName"])
        named = node["discriminator"]["mapping"].get(kind) if isinstance(kind, str) else None
        return {} if named is None else resolved({"$ref": named}, schema)
    if "anyOf" in node:
        wanted = "array" if isinstance(value, list) else "object"
        options: list[Node] = [resolved(option, schema) for option in node["anyOf"]]
        return next((option for option in options if option.get("type") == wanted), Node())
    return node


class LocatedMessage(NamedTuple):
    """The message of a check, split into the setting, its context and the text."""

    path: Path  # the setting that it names, as far as the file has it
    shown: str  # the setting, as the message calls it
    context: str  # a place named before the setting, for instance the source that lacks a column
    text: str  # the rest


def taken_apart(message: str, content: object, base: Path, settings: Sequence[str]) -> LocatedMessage:
    """Split a check's message into the setting that it names and the rest."""
    part = value_at(content, base)
    told = LocatedMessage(base, dotted(base), "", message)
    while True:
        segment, colon, rest = told.text.partition(": ")
        if not colon or not _SEGMENT.match(segment):
            return told
        found, left = _followed(part, segment)
        if not found and segment.partition(".")[0] not in settings:
            return told
        path = (*base, *found) if found else told.path
        shown = ".".join(text for text in (dotted((*base, *found)), left) if text)
        told = LocatedMessage(path, shown, told.shown if told.text != message else "", rest)


def _followed(node: object, text: str) -> tuple[Path, str]:
    """Follow a dotted text into a part of the file; return the path found and the rest of the text."""
    path: Path = ()
    while text:
        step: str | int | None = None
        length = 0
        if isinstance(node, dict):
            names = [name for name in cast("dict[str, Any]", node) if re.match(rf"{re.escape(name)}(?=[.\[]|$)", text)]
            step = max(names, key=len, default=None)
            length = len(step or "")
        elif isinstance(node, list):
            elements = cast("list[Any]", node)
            found = _INDEX.match(text)
            if found is not None and 0 < int(found[1] or found[2]) <= len(elements):
                step, length = int(found[1] or found[2]) - 1, found.end()
        if step is None:
            break
        path, node = (*path, step), cast("Any", node)[step]
        text = text[length:].removeprefix(".")
    return path, text


def value_at(content: object, path: Path) -> Any:  # noqa: ANN401  whatever stands there
    """Return the value at a path; None if there is none."""
    for part in path:
        if isinstance(content, dict):
            content = cast("dict[str | int, Any]", content).get(part)
        elif isinstance(content, list) and isinstance(part, int) and part < len(cast("list[Any]", content)):
            content = cast("list[Any]", content)[part]
        else:
            return None
    return content


def table_at(content: object, *path: str | int) -> dict[str, Any]:
    """Return the table at a path; an empty one if there is none."""
    found = value_at(content, path)
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def dotted(path: Path) -> str:
    """Format a path for messages: keys joined by dots, list positions counted from 1.

    >>> dotted(("tables", 0, "labels", "GPT 4"))
    "tables[1].labels.'GPT 4'"
    """
    shown = ""
    for part in path:
        if isinstance(part, int):
            shown += f"[{part + 1}]"
        else:
            name = part if _BARE.fullmatch(part) else f"'{printable(part)}'"
            shown += f".{name}" if shown else name
    return shown


class Lines:
    """Line numbers of settings in a TOML text, found with the standard library's parser, which keeps no positions.

    The first lines of the text are parsed alone, for different numbers of lines: a setting is on the last of the fewest
    lines that contain it.
    """

    def __init__(self, text: str) -> None:
        self._lines = text.replace("\r\n", "\n").split("\n")
        self._read = cache(self._parsed)

    def of(self, path: Path) -> int:
        r"""Return the line of a setting, or of the nearest enclosing table or array that is present.

        >>> lines = Lines("a = 1\n[b]\nc.d = [\n  2,\n  3]\n[[e]]\n[[e]]\nf = 1")
        >>> lines.of(("b", "c", "d", 1)), lines.of(("e", 1)), lines.of(("b", "x"))
        (5, 7, 2)
        """
        numbers = range(1, len(self._lines) + 1)
        whole = _depth(self._read(len(self._lines)), path)
        return numbers[bisect_left(numbers, whole, key=lambda number: _depth(self._read(number), path))]

    def _parsed(self, number: int) -> dict[str, Any]:
        """Parse the first `number` lines, or fewer if they end within a value."""
        for end in _ENDS if number else ():
            try:
                return tomllib.loads("\n".join([*self._lines[:number], end]))
            except ValueError:
                continue
        return self._read(number - 1) if number else {}


def _depth(node: object, path: Path) -> int:
    """Return how many steps of a path exist."""
    for depth, step in enumerate(path):
        try:
            node = cast("Any", node)[step]
        except (LookupError, TypeError):
            return depth
    return len(path)
