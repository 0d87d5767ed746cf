"""On which line of a TOML file each setting stands.

The standard library's parser keeps no positions, and no light parser on the package index does. This one reads a text
that the standard library has accepted, notes where every key and every element of an array begins, and judges nothing.
"""

from __future__ import annotations

import re
import tomllib
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

Path = tuple[str | int, ...]
"""Keys, and places in arrays counted from 0, from the top of the file."""

_SIGNS = "[]{}=,"
_TOKEN = re.compile(
    r'''
    (?: [\s]+ | \#[^\n]* )+
    | (?P<token>
      """ (?: \\. | [^\\] )*? "{3,5} (?!")
    | \'{3} .*? \'{3,5} (?!\')
    | " (?: \\. | [^"\\] )* "
    | \' [^\']* \'
    | [\[\]{}=,]
    | [^\s\[\]{}=,\#"\']+
    )
    ''',
    flags=re.DOTALL | re.VERBOSE,
)


class _Token(NamedTuple):
    text: str
    line: int


def lines(text: str) -> dict[Path, int]:
    r"""Map the path of each setting, table and array element to the line on which it begins, from 1.

    >>> lines("a = 1\n[b]\nc.d = [\n  2,\n  3]\n[[e]]\n[[e]]\nf = 1")[("b", "c", "d", 1)]
    5
    >>> lines("[[e]]\n[[e]]\nf = 1")[("e", 1)]
    2
    """
    return _Reader(text).found


def line_of(found: Mapping[Path, int], path: Path) -> int:
    """Get the line of a setting, or of the nearest table or array around it that stands in the file.

    >>> line_of({("a",): 3, ("a", "b"): 4}, ("a", "c"))
    3
    """
    return next((found[path[:end]] for end in range(len(path), 0, -1) if path[:end] in found), 1)


class _Reader:
    """One pass over a text."""

    def __init__(self, text: str) -> None:
        self.found: dict[Path, int] = {}
        self._ahead = deque[_Token]()
        line = 1
        for token in _TOKEN.finditer(text.replace("\r\n", "\n")):
            if token["token"]:
                self._ahead.append(_Token(token["token"], line))
            line += token[0].count("\n")
        self._lengths: dict[Path, int] = {}
        table: Path = ()
        while self._ahead:
            if self._ahead[0].text == "[":
                table = self._header()
            else:
                self._pair(table)

    def _header(self) -> Path:
        """Get the table that a header names; arrays on the way stand for their last tables."""
        line, path = self._ahead.popleft().line, ()
        is_element = self._skip("[")
        names = self._key("]")
        for number, name in enumerate(names, start=1):
            path: Path = (*path, name)
            self.found.setdefault(path, line)
            if path in self._lengths and not (is_element and number == len(names)):
                path = (*path, self._lengths[path] - 1)
        if is_element:
            self._skip("]")
            number = self._lengths.get(path, 0)
            self._lengths[path] = number + 1
            path = (*path, number)
            self.found[path] = line
        return path

    def _pair(self, table: Path) -> None:
        line, path = self._ahead[0].line, table
        for name in self._key("="):
            path = (*path, name)
            self.found.setdefault(path, line)
        self._value(path)

    def _value(self, path: Path) -> None:
        text, line = self._ahead.popleft()
        if text == "[":
            number = 0
            while not self._skip("]"):
                self.found[(*path, number)] = self._ahead[0].line
                self._value((*path, number))
                number += 1
                self._skip(",")
        elif text == "{":
            while not self._skip("}"):
                self._pair(path)
                self._skip(",")
        else:  # a blank may stand between a date and a time
            while self._ahead and self._ahead[0].line == line and self._ahead[0].text not in _SIGNS:
                self._ahead.popleft()

    def _key(self, end: str) -> list[str]:
        """Get the parts of a key, which dots join, up to a sign."""
        text = ""
        while not self._skip(end):
            text += self._ahead.popleft().text
        parts: list[str] = []
        node: dict[str, Any] = tomllib.loads(f"{text} = {{}}")
        while node:
            [(name, node)] = node.items()
            parts.append(name)
        return parts

    def _skip(self, sign: str) -> bool:
        """Pass over a sign; tell whether it is next."""
        is_next = bool(self._ahead) and self._ahead[0].text == sign
        if is_next:
            self._ahead.popleft()
        return is_next
