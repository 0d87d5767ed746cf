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
_BARE = re.compile(r"[A-Za-z0-9_-]+")

Value: TypeAlias = "str | int | float | bool | Sequence[Value] | Mapping[str, Value]"
"""What TOML can say, dates apart."""


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
            lines += ["", heading(said).rstrip()]
        lines += _part((name,), one)
    return "".join(f"{line}\n" for line in lines)


def heading(said: str) -> str:
    """Write a comment that begins a part of a file."""
    return f"# {'-' * 12} {said}\n"


def table(
    name: str | tuple[str, ...], settings: Mapping[str, Any], said: str = "", comments: Mapping[str, str] | None = None
) -> str:
    """Write a table, each setting in a line, with comments on it and its settings.

    >>> print(table(("factors", "age group"), {"label": "Age"}, "who applies"), end="")
    [factors."age group"]   # who applies
    label = "Age"
    """
    path = name if isinstance(name, str) else ".".join(map(key, name))
    lines = [f"[{path}]{f'   # {said}' if said else ''}"] if path else []
    for setting, one in settings.items():
        first, *others = _settings({setting: one})
        comment = (comments or {}).get(setting)
        lines += [f"{first}{f'  # {comment}' if comment else ''}", *others]
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
    is_several = _is_tables(given)
    for content in cast("Sequence[Mapping[str, Any]]", given if is_several else [given]):
        # If one table in a table has a heading of its own, all have: their order may matter.
        own = {name: one for name, one in content.items() if _is_table(one) or _is_tables(one)}
        own = own if any(_has_heading(name, one) for name, one in own.items()) else {}
        if is_several or not content or len(own) < len(content):
            yield from ("", f"[[{dotted}]]" if is_several else f"[{dotted}]")
        yield from _settings({name: one for name, one in content.items() if name not in own})
        for name, one in own.items():
            yield from _part((*path, name), one)


def _has_heading(name: str, given: object) -> bool:
    """Tell whether a table or several have headings of their own: nested or long ones, not several short ones."""
    if _is_tables(given):
        return any(len(value(one)) > _WIDTH for one in cast("Sequence[Any]", given))
    inner = cast("dict[str, Any]", given).values()
    return any(_is_table(one) or _is_tables(one) for one in inner) or len(_line(name, given)) > _WIDTH


def _settings(content: Mapping[str, Any]) -> Iterator[str]:
    for name, one in content.items():
        line = _line(name, one)
        if len(line) <= _WIDTH or not isinstance(one, Sequence) or isinstance(one, str):
            yield line
        else:
            yield from (f"{key(name)} = [", *(f"    {value(part)}," for part in cast("Sequence[Any]", one)), "]")


def key(name: str) -> str:
    """Write a name as a TOML key, in quotes if needed.

    >>> key("gpt-4"), key("metadata.gender")
    ('gpt-4', '"metadata.gender"')
    """
    return name if _BARE.fullmatch(name) else value(name)


def value(given: Value) -> str:
    """Write a value as TOML on one line.

    >>> value({"path": "reply", "optional": True}), value([1, "b"])
    ('{ path = "reply", optional = true }', '[1, "b"]')
    """
    if isinstance(given, str):
        # Strings of JSON are strings of TOML, but for one character that JSON leaves as it is.
        return json.dumps(given, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(given, Mapping):
        inner = ", ".join(f"{key(name)} = {value(one)}" for name, one in given.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(given, Sequence):
        return f"[{', '.join(value(one) for one in given)}]"
    return str(given).lower() if isinstance(given, bool) else str(given)
