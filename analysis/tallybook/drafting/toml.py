"""TOML with comments, written by hand: what a person reads and edits."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

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
