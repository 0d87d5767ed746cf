"""Line numbers of settings in a TOML file."""

from __future__ import annotations

import tomllib
from bisect import bisect_left
from functools import cache
from typing import Any, cast

Path = tuple[str | int, ...]
"""Keys, and positions in arrays counted from 0, from the top level of the file."""

_ENDS = ("", "]", "]]", "]}", "]}]", "]]]", '"""', "'''", '"""]', "''']", '"""}]', "'''}]")
"""Texts that can close a value of several lines."""


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
