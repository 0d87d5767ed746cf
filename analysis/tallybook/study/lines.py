"""On which line of a TOML file each setting stands.

The standard library's parser keeps no positions, and no light parser on the package index does. This one reads a text
that the standard library has accepted, notes where every key and every element of an array begins, and judges nothing.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

Path = tuple[str | int, ...]
"""Keys, and places in arrays counted from 0, from the top of the file."""

_SPACE = re.compile(r"[ \t]*")
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_STRING = re.compile(
    r'''
    """ (?: \\. | [^\\] )*? "{3,5} (?!")
    | \'{3} .*? \'{3,5} (?!\')
    | " (?: \\. | [^"\\] )* "
    | \' [^\']* \'
    ''',
    flags=re.DOTALL | re.VERBOSE,
)
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SCALAR = re.compile(r"[^,\]}#\n]*")


def lines(text: str) -> dict[Path, int]:
    r"""Map the path of each setting, table and array element to the line on which it begins, from 1.

    >>> lines("a = 1\n[b]\nc.d = [\n  2,\n  3]\n[[e]]\n[[e]]\nf = 1")[("b", "c", "d", 1)]
    5
    >>> lines("[[e]]\n[[e]]\nf = 1")[("e", 1)]
    2
    """
    return _Reader(text).read()


def line_of(found: Mapping[Path, int], path: Path) -> int:
    """Get the line of a setting, or of the nearest table or array around it that stands in the file.

    >>> line_of({("a",): 3, ("a", "b"): 4}, ("a", "c"))
    3
    """
    return next((found[path[:end]] for end in range(len(path), 0, -1) if path[:end] in found), 1)


class _Reader:
    """One pass over a text."""

    def __init__(self, text: str) -> None:
        self._text = text.replace("\r\n", "\n")  # as the standard library does, to the same number of lines
        self._place = 0
        self._line = 1
        self._found: dict[Path, int] = {}
        self._lengths: dict[Path, int] = {}

    def read(self) -> dict[Path, int]:
        table: Path = ()
        while self._pass(_BLANK) or self._place < len(self._text):
            if self._place == len(self._text):
                break
            if self._next("[["):
                table = self._header(2)
                table = self._element(table, self._line)
                self._skip("]]")
            elif self._next("["):
                table = self._header(1)
                self._skip("]")
            else:
                self._pair(table)
        return self._found

    def _header(self, brackets: int) -> Path:
        """Get the table that a header names; arrays on the way stand for their last tables."""
        self._place += brackets
        line, path = self._line, ()
        names = self._key()
        for number, name in enumerate(names, start=1):
            path: Path = (*path, name)
            self._found.setdefault(path, line)
            if path in self._lengths and (brackets == 1 or number < len(names)):
                path = (*path, self._lengths[path] - 1)
        return path

    def _element(self, array: Path, line: int) -> Path:
        number = self._lengths.get(array, 0)
        self._lengths[array] = number + 1
        self._found[(*array, number)] = line
        return (*array, number)

    def _pair(self, table: Path) -> None:
        line, path = self._line, table
        for name in self._key():
            path = (*path, name)
            self._found.setdefault(path, line)
        self._skip("=")
        self._value(path)

    def _value(self, path: Path) -> None:
        if self._next("["):
            self._array(path)
        elif self._next("{"):
            self._inline_table(path)
        elif not self._pass(_STRING):
            self._pass(_SCALAR)

    def _array(self, path: Path) -> None:
        self._skip("[")
        number = 0
        while True:
            self._pass(_BLANK)
            if self._next("]"):
                break
            self._found[(*path, number)] = self._line
            self._value((*path, number))
            number += 1
            self._pass(_BLANK)
            if not self._next("]"):
                self._skip(",")
        self._skip("]")

    def _inline_table(self, path: Path) -> None:
        self._skip("{")
        while True:
            self._pass(_BLANK)
            if self._next("}"):
                break
            self._pair(path)
            self._pass(_BLANK)
            if not self._next("}"):
                self._skip(",")
        self._skip("}")

    def _key(self) -> list[str]:
        """Get the parts of a key, which dots join."""
        parts: list[str] = []
        while True:
            self._pass(_SPACE)
            start = self._place
            if self._pass(_BARE_KEY):
                parts.append(self._text[start : self._place])
            else:
                self._pass(_STRING)
                parts.append(cast("str", tomllib.loads(f"x = {self._text[start : self._place]}")["x"]))
            self._pass(_SPACE)
            if not self._next("."):
                return parts
            self._skip(".")

    def _next(self, sign: str) -> bool:
        return self._text.startswith(sign, self._place)

    def _skip(self, sign: str) -> None:
        self._pass(_SPACE)
        if not self._next(sign):
            raise ValueError(f"line {self._line}: no {sign!r} where TOML has one")
        self._place += len(sign)
        self._pass(_SPACE)

    def _pass(self, form: re.Pattern[str]) -> bool:
        """Skip what matches a pattern; tell whether anything did."""
        found = form.match(self._text, self._place)
        if found is None or not found[0]:
            return False
        self._line += found[0].count("\n")
        self._place = found.end()
        return True
