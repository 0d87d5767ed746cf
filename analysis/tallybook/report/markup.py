"""Finished tables and figures as parts of a Quarto document."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tallybook.core.markdown import attribute
from tallybook.tables.html import table_html

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.tables.content import Table

# Three colons are the fence of a division: Quarto warns of any in a finished document. An empty span parts them.
_FENCE = re.compile(r":(?=::)")


def reference(kind: str, number: str) -> str:
    """The label by which a table or figure is referred to.

    >>> reference("tbl", "A12")
    'tbl-a12'
    """
    return f"{kind}-{re.sub(r'[^a-z0-9]+', '-', number.lower()).strip('-')}"


def table_fragment(
    table: Table,
    caption: str,
    *,
    opened: Mapping[tuple[str, str], str] | None = None,
    lists: str = "",
    notes_of: str | None = None,
) -> str:
    """A table with caption and label, to be included in a document.

    `opened`, `lists`: Which cells open a list of responses, and these lists as HTML.
    `notes_of`: The table under which its notes stand, if not under itself.
    """
    shown = table if notes_of is None else replace(table, notes=())
    html = _FENCE.sub(":<span></span>", table_html(shown, opened=opened) + lists)
    told = f"\n::: {{.table-notes}}\nNotes: as under @{reference('tbl', notes_of)}.\n:::\n" if notes_of else ""
    return f"::: {{#{reference('tbl', table.id)}}}\n\n```{{=html}}\n{html}\n```\n{told}\n{caption}\n\n:::\n"


def figure_fragment(number: str, path: str, caption: str, alt_text: str) -> str:
    """A figure with caption and label, to be included in a document."""
    return f'![{caption}]({path}){{#{reference("fig", number)} fig-alt="{attribute(alt_text)}"}}\n'
