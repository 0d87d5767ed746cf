"""Tables as typst: a `#figure` of kind table with a native table, caption, notes and the label `<tab-ID>`."""

from __future__ import annotations

import re
from math import floor
from typing import TYPE_CHECKING

from tallybook.tables.content import visible_table
from tallybook.tables.table_format import TableFormat
from tallybook.tables.typeset import NO_BREAK, lines, spanners, with_symbols
from tallybook.tables.widths import fit_to_page

if TYPE_CHECKING:
    from tallybook.tables.content import Table

# Rows on an A4 page, portrait and landscape; digits on its lines, in typst's default type size; 7 pt relative to 11 pt.
_PAGE_ROWS, _TURNED_ROWS = 40, 22
_LINE, _TURNED_LINE = 88.0, 136.0
_LEAST_SIZE = 7 / 11

_HEAVY, _LIGHT = "    table.hline(stroke: 0.08em),", "    table.hline(stroke: 0.05em),"
_EMPHASIS = "#emph[{}]"
_MARKUP = re.compile(r"""[\\#$*_`<>@\[\]~"'/-]""")


def table_typst(table: Table) -> str:
    """Return a table as typst source, in smaller type or on its own landscape page if it is wide.

    The characters that a number lacks to align at the decimal point are set hidden.
    """
    shown = visible_table(table)
    fit = fit_to_page(shown, _LINE, _TURNED_LINE, _LEAST_SIZE)
    size = "" if fit.size == 1 else f"#set text(size: {floor(1000 * fit.size) / 1000:g}em); "
    sides = "".join(f"{side}," for side in ("left", *(column.align for column in shown.columns)))
    written = [
        "#figure(",
        f"  align(center)[{size}#table(",
        f"    columns: {len(shown.columns) + 1},",
        f"    align: ({sides}),",
        "    inset: (x: 0.2em, y: 0.35em) , column-gutter: 0.5em , stroke: none,",
        _HEAVY,
        f"    table.header({_head(shown)}),",
        _LIGHT,
        *_body(shown),
        _HEAVY,
    ]
    if shown.notes:
        smaller = [] if size else ["  #set text(size: 0.85em)"]
        notes = "\n\n".join(with_symbols(note, _markup, _EMPHASIS) for note in shown.notes)
        written += ["  )", "  #set align(left)", "  #set par(spacing: 0.6em)", *smaller, f"  {notes}", "  ]"]
    else:
        written.append("  )]")
    caption = [f"  , caption: figure.caption(position: top)[{_markup(shown.title)}]"] if shown.title else []
    text = "\n".join([*written, *caption, "  , kind: table", "  )", f"<tab-{shown.id}>", ""])
    if len(shown.rows) > (_TURNED_ROWS if fit.turned else _PAGE_ROWS):
        rules = "#show figure: set block(breakable: true)\n#show figure.caption: set block(sticky: true)\n"
        text = f"#[\n{rules}{text}]\n"
    return f"#page(flipped: true)[\n{text}]\n" if fit.turned else text


def _head(table: Table) -> str:
    marked = (with_symbols(one.label, _markup, _EMPHASIS, is_statistic=one.is_statistic) for one in table.columns)
    labels = [f"[{label}]," for label in marked]
    if not any(column.spanner for column in table.columns):
        return " ".join([f"[{_markup(table.stub)}],", *labels])
    upper = [f"table.cell(align: left + bottom, rowspan: 2)[{_markup(table.stub)}],"]
    lower: list[str] = []
    for spanner, own in spanners(table):
        if spanner:
            across = f", colspan: {len(own)}" if len(own) > 1 else ""
            upper.append(f"table.cell(align: center{across}, stroke: (bottom: 0.05em))[{_markup(spanner)}],")
            lower += [labels[at] for at in own]
        else:
            sides = [table.columns[at].align for at in own]
            upper += [
                f"table.cell(align: {side} + bottom, rowspan: 2){labels[at]}"
                for side, at in zip(sides, own, strict=True)
            ]
    return f"{' '.join(upper)}\n      {' '.join(lower)}"


def _body(table: Table) -> list[str]:
    across = f", colspan: {len(table.columns) + 1}" if table.columns else ""
    written: list[str] = []
    for line in lines(table):
        if line.heading:
            apart = ", inset: (x: 0.2em, top: 0.8em, bottom: 0.35em)" if written else ""
            written.append(f"    table.cell(align: left{across}{apart})[#strong[{_markup(line.heading)}]],")
        label = _markup(line.row.label)
        cells = [f"[#pad(left: 1em)[{label}]]" if line.row.group else f"[{label}]"]
        for cell in line.cells:
            pad = f"#hide[{_markup(cell.pad)}]" if cell.pad else ""
            cells.append(f"[{_markup(cell.text)}{pad}]")
        written.append(f"    {', '.join(cells)},")
    return written


def _markup(text: str) -> str:
    """Escape a text so that typst prints it literally: no heading, list, reference, smart quote, dash or ellipsis."""
    return " ".join(map(_word, text.split(" "))).replace(NO_BREAK, "~")


def _word(word: str) -> str:
    escaped = _MARKUP.sub(r"\\\g<0>", word).replace("..", ".\\.")
    return re.sub(r"^(\d+)\.$", r"\1\\.", re.sub(r"^[=+]", r"\\\g<0>", escaped))


FORMAT = TableFormat("typ", table_typst)
