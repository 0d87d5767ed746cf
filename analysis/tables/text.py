"""Untrusted text made visible: what every renderer does before it escapes for its own format."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from analysis.tables.content import Table

_BLANKS = re.compile(r"[ \t\r\n\f\v]+")

# They shape letters of many scripts and join emoji, and change nothing else.
_JOINERS = frozenset("\u200c\u200d")


def visible(text: str) -> str:
    r"""Put a text on one line and write as escapes the characters that act instead of being seen.

    Args:
        text: Any text, for instance a label that a model made up.

    Returns:
        The text with every run of blanks and line ends as one space, without leading and trailing blanks; control
        and format characters (bidirectional overrides too), lone surrogates and unassigned characters are written
        as escapes. Unlike `analysis.terminal.printable` it shortens nothing and keeps no-break and thin spaces.

    >>> visible("two\nlines \u202egnp.exe\x1b")
    'two lines \\u202egnp.exe\\x1b'
    """
    line = _BLANKS.sub(" ", text)
    if not line.isprintable():
        line = "".join(
            character if _is_seen(character) else character.encode("unicode_escape").decode("ascii")
            for character in line
        )
    return line.strip()


def _is_seen(character: str) -> bool:
    return character.isprintable() or character in _JOINERS or unicodedata.category(character) == "Zs"


def visible_table(table: Table) -> Table:
    """The same table with every string made `visible` and without empty notes; doing it twice changes nothing."""
    return replace(
        table,
        title=visible(table.title),
        stub=visible(table.stub),
        columns=tuple(
            replace(column, label=visible(column.label), spanner=visible(column.spanner)) for column in table.columns
        ),
        rows=tuple(
            replace(
                row,
                label=visible(row.label),
                cells=tuple(visible(cell) for cell in row.cells),
                group=visible(row.group),
            )
            for row in table.rows
        ),
        notes=tuple(shown for note in table.notes if (shown := visible(note))),
    )
