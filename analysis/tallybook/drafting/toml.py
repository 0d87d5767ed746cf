"""TOML written for people to read and edit: settings with comments, and whole study files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

if TYPE_CHECKING:
    from collections.abc import Iterator

_WIDTH = 118
"""The longest line of a setting."""


def document(settings: Mapping[str, Any], comments: Mapping[str, str] | None = None) -> str:
    """Write settings as TOML.

    >>> print(document({"name": "a", "tables": [{"id": "1", "parts": [{"n": 1}]}]}), end="")
    name = "a"
    <BLANKLINE>
    [[tables]]
    id = "1"
    parts = [{ n = 1 }]
    """
    plain = {name: one for name, one in settings.items() if not _is_table(one) and not _is_tables(one)}
    lines = list(_settings(plain))
    for name, one in settings.items():
        if name in plain:
            continue
        if said := (comments or {}).get(name):
            lines += ["", f"# {'-' * 12} {said}"]
        lines += _part((name,), one)
    return "".join(f"{line}\n" for line in lines)


def _is_table(given: object) -> bool:
    return isinstance(given, Mapping)


def _is_tables(given: object) -> bool:
    if not isinstance(given, Sequence) or isinstance(given, str):
        return False
    parts = cast("Sequence[object]", given)
    return bool(parts) and all(map(_is_table, parts))


def _line(name: str, given: Any) -> str:  # noqa: ANN401  whatever TOML can say
    return f"{key(name)} = {value(given)}"


def _part(path: tuple[str, ...], given: Any) -> Iterator[str]:  # noqa: ANN401  as above
    """Get the lines of a table, or of each of several tables of one name."""
    dotted = ".".join(map(key, path))
    if _is_tables(given):
        for one in given:
            yield from ("", f"[[{dotted}]]")
            yield from _content(path, one)
        return
    content = cast("Mapping[str, Any]", given)
    if not content or len(_with_headings(content)) < len(content):
        yield from ("", f"[{dotted}]")
    yield from _content(path, content)


def _is_nested(given: object) -> bool:
    """Tell whether a value has a heading of its own whatever its length."""
    return _is_table(given) and any(_is_table(one) or _is_tables(one) for one in cast("dict[str, Any]", given).values())


def _content(path: tuple[str, ...], content: Mapping[str, Any]) -> Iterator[str]:
    """Get the settings of a table: those of one line first, then those with a heading of their own."""
    own = _with_headings(content)
    yield from _settings({name: one for name, one in content.items() if name not in own})
    for name, one in own.items():
        yield from _part((*path, name), one)


def _with_headings(content: Mapping[str, Any]) -> dict[str, Any]:
    """Get the tables in a table that have a heading of their own: if one has, all have, for their order may matter."""
    tables = {name: one for name, one in content.items() if _is_table(one) or _is_tables(one)}
    return tables if any(_has_heading(name, one) for name, one in tables.items()) else {}


def _has_heading(name: str, given: object) -> bool:
    return _is_nested(given) or len(_line(name, given)) > _WIDTH


def _settings(content: Mapping[str, Any]) -> Iterator[str]:
    for name, one in content.items():
        line = _line(name, one)
        if len(line) <= _WIDTH or not isinstance(one, Sequence) or isinstance(one, str):
            yield line
            continue
        yield f"{key(name)} = ["
        yield from (f"    {value(part)}," for part in cast("Sequence[Any]", one))
        yield "]"


_BARE = re.compile(r"[A-Za-z0-9_-]+")

Value: TypeAlias = "str | int | float | bool | Sequence[Value] | Mapping[str, Value]"
"""What TOML can say, dates apart."""


def key(name: str) -> str:
    """Write a name as a TOML key, in quotes if needed.

    >>> key("gpt-4"), key("metadata.gender")
    ('gpt-4', '"metadata.gender"')
    """
    return name if _BARE.fullmatch(name) else text(name)


def text(value: str) -> str:
    r"""Write a text as a TOML string.

    >>> text('say "yes"')
    '"say \\"yes\\""'
    """
    # Strings of JSON are strings of TOML, but for one character that JSON leaves as it is.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def value(given: Value) -> str:
    """Write a value as TOML on one line.

    >>> value({"path": "reply", "optional": True}), value([1, "b"])
    ('{ path = "reply", optional = true }', '[1, "b"]')
    """
    if isinstance(given, bool):
        return "true" if given else "false"
    if isinstance(given, str):
        return text(given)
    if isinstance(given, int | float):
        return str(given)
    if isinstance(given, Mapping):
        inner = ", ".join(f"{key(name)} = {value(one)}" for name, one in given.items())
        return f"{{ {inner} }}" if inner else "{}"
    return f"[{', '.join(value(one) for one in given)}]"


def settings(given: Mapping[str, Value | None], comments: Mapping[str, str] | None = None) -> str:
    """Write settings, one a line."""
    lines: list[str] = []
    for name, one in given.items():
        if one is not None:
            said = (comments or {}).get(name)
            lines.append(f"{key(name)} = {value(one)}{f'  # {said}' if said else ''}")
    return "".join(f"{line}\n" for line in lines)
