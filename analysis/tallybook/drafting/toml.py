"""Formatting of settings and whole study files, with comments, as TOML for people to read and edit."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

if TYPE_CHECKING:
    from collections.abc import Iterator

_WIDTH, _LARGE = 118, 3
"""The longest line of a setting, and the number of settings from which a table below a top-level one gets a heading."""
_BARE = re.compile(r"[A-Za-z0-9_-]+")

Value: TypeAlias = "str | int | float | bool | Sequence[Value] | Mapping[str, Value]"
"""The values that TOML can hold, except dates."""


def document(settings: Mapping[str, Any], comments: Mapping[str, str] | None = None) -> str:
    """Format settings as TOML, with comments by path: above top-level tables, otherwise at the ends of lines.

    >>> content = {"name": "a", "tables": [{"id": "1", "parts": [{"n": 1}]}]}
    >>> print(document(content, {"tables.id": "its number"}), end="")
    name = "a"
    <BLANKLINE>
    [[tables]]
    id = "1"  # its number
    parts = [{ n = 1 }]
    """
    said = comments or {}
    plain = {name: one for name, one in settings.items() if not _is_table(one) and not _is_tables(one)}
    lines = list(_settings(plain, (), said))
    for name, one in settings.items():
        if name not in plain:
            lines += ["", f"# {'-' * 12} {said[name]}"] if name in said else []
            lines += _part((name,), one, said)
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


def _part(path: tuple[str, ...], given: Any, said: Mapping[str, str]) -> Iterator[str]:  # noqa: ANN401  as above
    """Yield the lines of a table, or of each table in an array of tables."""
    dotted, is_several = ".".join(map(key, path)), _is_tables(given)
    comment = f"   # {said['.'.join(path)]}" if len(path) > 1 and ".".join(path) in said else ""
    for content in cast("Sequence[Mapping[str, Any]]", given if is_several else [given]):
        # Tables after one with a heading have headings, too: their order may matter.
        names = [name for name, one in content.items() if _is_table(one) or _is_tables(one)]
        first = next((n for n, name in enumerate(names) if _has_heading(name, content[name], len(path))), len(names))
        own = {name: content[name] for name in names[first:]}
        if is_several or not content or len(own) < len(content):
            yield from ("", f"[[{dotted}]]" if is_several else f"[{dotted}]{comment}")
        yield from _settings({name: one for name, one in content.items() if name not in own}, path, said)
        for name, one in own.items():
            yield from _part((*path, name), one, said)


def _has_heading(name: str, given: object, depth: int) -> bool:
    """Return whether a table gets a heading, being nested, long or large, or an array of tables, having a long one."""
    if _is_tables(given):
        return any(len(value(one)) > _WIDTH for one in cast("Sequence[Any]", given))
    inner = cast("dict[str, Any]", given).values()
    is_large = depth == 1 and len(inner) >= _LARGE
    return is_large or any(_is_table(one) or _is_tables(one) for one in inner) or len(_line(name, given)) > _WIDTH


def _settings(content: Mapping[str, Any], path: tuple[str, ...], said: Mapping[str, str]) -> Iterator[str]:
    for name, one in content.items():
        line, comment = _line(name, one), said.get(".".join((*path, name)))
        end = f"  # {comment}" if comment else ""
        if len(line) <= _WIDTH or not isinstance(one, Sequence) or isinstance(one, str):
            yield f"{line}{end}"
        else:
            yield from (f"{key(name)} = [{end}", *(f"    {value(part)}," for part in cast("Sequence[Any]", one)), "]")


def key(name: str) -> str:
    """Format a name as a TOML key, in quotes if needed.

    >>> key("gpt-4"), key("metadata.gender")
    ('gpt-4', '"metadata.gender"')
    """
    return name if _BARE.fullmatch(name) else value(name)


def value(given: Value) -> str:
    """Format a value as TOML on one line.

    >>> value({"path": "reply", "optional": True}), value([1, "b"])
    ('{ path = "reply", optional = true }', '[1, "b"]')
    """
    if isinstance(given, str):
        # JSON strings are TOML strings, except that JSON does not escape the character DEL.
        return json.dumps(given, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(given, Mapping):
        inner = ", ".join(f"{key(name)} = {value(one)}" for name, one in given.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(given, Sequence):
        return f"[{', '.join(value(one) for one in given)}]"
    return str(given).lower() if isinstance(given, bool) else str(given)
