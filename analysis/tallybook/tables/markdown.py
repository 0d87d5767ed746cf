"""Tables as Markdown: a pipe table between its title and its notes."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from tallybook.tables.content import visible_table
from tallybook.tables.csv import flat_label
from tallybook.tables.table_format import TableFormat, one_by_one

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.tables.content import Alignment, Table

# Every character that some dialect (CommonMark, GitHub's, Pandoc's, Quarto's) reads as markup wherever it stands.
_MARKUP = re.compile(r"[\\`*_{}\[\]<>#|~^$&@]|(?<=\\)[()]|(?<=-)-|(?<=\.)\.(?=\.)|:(?=[A-Za-z/+-])|(?<=www)\.")

# What begins a list, a caption or a rule when it begins a paragraph.
_BLOCK_START = re.compile(r"Table(?=:)|(?=[-+=:])|\(?(?:\d+|[A-Za-z]|[IVXLCDMivxlcdm]+)(?=[.)]( |$))")

_RULES: dict[Alignment, str] = {"left": ":---", "right": "---:", "center": ":---:"}


def table_markdown(table: Table) -> str:
    """Get the title in bold, a pipe table that CommonMark extensions and Pandoc read alike, and the notes.

    A pipe table has one header row and no row groups: a spanner and a label are joined as "spanner / label", and a
    group's label is a row of its own.
    """
    shown = visible_table(table)
    lines = [f"**{_escaped(shown.title)}**", ""] if shown.title else []
    lines.append(_line([shown.stub, *(flat_label(column) for column in shown.columns)]))
    lines.append("| " + " | ".join([_RULES["left"], *(_RULES[column.align] for column in shown.columns)]) + " |")
    for group, rows in groupby(shown.rows, key=lambda row: row.group):
        if group:
            lines.append(f"| **{_escaped(group)}** |" + "  |" * len(shown.columns))
        lines += [_line([row.label, *row.cells]) for row in rows]
    for note in shown.notes:
        lines += ["", _escaped_paragraph(note)]
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_escaped(cell) for cell in cells) + " |"


def _escaped(text: str) -> str:
    return _MARKUP.sub(lambda found: "\\" + found.group(), text)


def _escaped_paragraph(text: str) -> str:
    start = _BLOCK_START.match(text)
    if start is None:
        return _escaped(text)
    before, after = text[: start.end()], text[start.end() :]
    return f"{_escaped(before)}\\{after[0]}{_escaped(after[1:])}"


FORMAT = TableFormat("md", one_by_one(table_markdown))
