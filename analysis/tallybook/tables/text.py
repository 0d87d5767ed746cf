"""Tables as CSV and as Markdown: plain grids with one header row."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

from tallybook.core.untrusted import inert
from tallybook.tables.content import visible_table
from tallybook.tables.table_format import TableFormat
from tallybook.tables.typeset import lines, with_symbols

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.tables.content import Alignment, Column, Table

# Characters that some dialect (CommonMark, GitHub's, Pandoc's, Quarto's) interprets as markup anywhere in a text.
_MARKUP = re.compile(r"[\\`*_{}\[\]<>#|~^$&@]|(?<=\\)[()]|(?<=-)-|(?<=\.)\.(?=\.)|:(?=[A-Za-z/+-])|(?<=www)\.")

# Characters that begin a list, a caption or a rule at the start of a paragraph.
_BLOCK_START = re.compile(r"Table(?=:)|(?=[-+=:])|\(?(?:\d+|[A-Za-z]|[IVXLCDMivxlcdm]+)(?=[.)]( |$))")

_RULES: dict[Alignment, str] = {"left": ":---", "right": "---:", "center": ":---:"}


def table_csv(table: Table) -> str:
    """Return the table as CSV: one header row and one row per table row, cells as printed, without title and notes.

    Lines end in a line feed. The columns are the row group (only if the table has groups), the row label and the
    cells; a spanner and a label are joined as "spanner / label". A text that a spreadsheet would interpret as a formula
    is preceded by an apostrophe.
    """
    shown = visible_table(table)
    grouped = any(row.group for row in shown.rows)
    header = [*(["Group"] if grouped else []), shown.stub, *map(flat_label, shown.columns)]
    rows = [[*([row.group] if grouped else []), row.label, *row.cells] for row in shown.rows]
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows([inert(cell) for cell in line] for line in (header, *rows))
    return written.getvalue()


def table_markdown(table: Table) -> str:
    """Return the title in bold, a pipe table in the syntax that CommonMark extensions and Pandoc share, and the notes.

    A pipe table has one header row and no row groups: a spanner and a label are joined as "spanner / label", and a
    group's label is a row of its own.
    """
    shown = visible_table(table)
    written = [f"**{_escaped(shown.title)}**", ""] if shown.title else []
    labels = [with_symbols(flat_label(one), _escaped, "*{}*", is_statistic=one.is_statistic) for one in shown.columns]
    written.append(f"| {' | '.join([_escaped(shown.stub), *labels])} |")
    written.append("| " + " | ".join([_RULES["left"], *(_RULES[column.align] for column in shown.columns)]) + " |")
    for line in lines(shown):
        if line.heading:
            written.append(f"| **{_escaped(line.heading)}** |" + "  |" * len(shown.columns))
        written.append(_row([line.row.label, *line.row.cells]))
    for note in shown.notes:
        written += ["", _escaped_paragraph(note)]
    return "\n".join(written) + "\n"


def flat_label(column: Column) -> str:
    """Join a column's spanner and label, for a format with one header row."""
    return " / ".join(part for part in (column.spanner, column.label) if part)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(_escaped, cells)) + " |"


def _escaped(text: str) -> str:
    return _MARKUP.sub(lambda found: "\\" + found.group(), text)


def _escaped_paragraph(text: str) -> str:
    start = _BLOCK_START.match(text)
    if start is None:
        return with_symbols(text, _escaped, "*{}*")
    before, after = text[: start.end()], text[start.end() :]
    return f"{_escaped(before)}\\{after[0]}{with_symbols(after[1:], _escaped, '*{}*')}"


CSV = TableFormat("csv", table_csv)
MARKDOWN = TableFormat("md", table_markdown)
