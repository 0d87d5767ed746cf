"""Tables as HTML: the bare element for a report, the page that stands alone, and great_tables' object."""

from __future__ import annotations

import re
from functools import cache
from html import escape
from itertools import count
from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.core.errors import MissingExtraError
from tallybook.core.untrusted import visible
from tallybook.tables.content import Table, visible_table
from tallybook.tables.table_format import TableFormat, one_by_one
from tallybook.tables.typeset import lines, spanners

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from great_tables import GT

    from tallybook.tables.typeset import Cell

# Characters that mean something to what may read the HTML next: a shortcode, inline code, a formula. A reference is
# the same character to a browser. (great_tables, too, takes "{{" in a label for a unit of measurement.)
_REFERENCES = {ord(character): f"&#{ord(character)};" for character in "{}`$\\\u00a0"}

# In a style sheet a dot begins the name of a class.
_NOT_IN_SELECTORS = re.compile(r"[^A-Za-z0-9_-]")

_RULE = "#000000"
_THEME: dict[str, Any] = {
    "table_font_size": "15px",
    "table_font_color": "#000000",
    "table_border_top_width": "1.5px",
    "table_border_top_color": _RULE,
    "table_border_bottom_width": "0px",
    "table_border_bottom_style": "none",
    "column_labels_border_top_style": "none",
    "column_labels_border_bottom_width": "1px",
    "column_labels_border_bottom_color": _RULE,
    "column_labels_padding": "4px",
    "column_labels_padding_horizontal": "9px",
    "row_group_border_top_style": "none",
    "row_group_border_bottom_style": "none",
    "row_group_padding": "4px",
    "row_group_padding_horizontal": "9px",
    "row_group_font_weight": "bold",
    "table_body_hlines_style": "none",
    "table_body_vlines_style": "none",
    "table_body_border_top_width": "1px",
    "table_body_border_top_color": _RULE,
    "table_body_border_bottom_width": "1.5px",
    "table_body_border_bottom_color": _RULE,
    "stub_border_style": "none",
    "data_row_padding": "3px",
    "data_row_padding_horizontal": "9px",
    "stub_indent_length": "14px",
    "source_notes_font_size": "87%",
    "source_notes_padding": "3px",
    "source_notes_padding_horizontal": "9px",
}

_HEADING: dict[str, Any] = {
    "heading_align": "left",
    "heading_title_font_size": "15px",
    "heading_padding": "6px",
    "heading_padding_horizontal": "9px",
    "heading_border_bottom_style": "none",
    "table_border_top_style": "none",
    "column_labels_border_top_style": "solid",
    "column_labels_border_top_width": "1.5px",
    "column_labels_border_top_color": _RULE,
}

# What no option of great_tables says. A note is as wide as its table instead of stretching the table to its own
# width; the space between the rules of two spanners tells them apart; a wrapped label stays indented.
_MORE_STYLE = """
#page caption { text-align: left; font-weight: bold; padding: 0 0 6px; }
#page .gt_from_md { display: block; width: 0; min-width: 100%; }
#page .gt_row { vertical-align: top; }
#page .gt_indent_1 { text-indent: 0; padding-left: 23px; }
#page .gt_column_spanner_outer, #page .gt_column_spanner_outer:last-child { padding: 0 9px; }
#page .gt_column_spanner { border-bottom: 1px solid #000000; padding-bottom: 3px; }
#page .gt_table { font-variant-numeric: lining-nums tabular-nums; }
#page .gt_right { white-space: nowrap; }
#page thead .gt_right { white-space: normal; }
#page .gt_pad::after { content: attr(data-pad); visibility: hidden; }
#page thead { display: table-header-group; }
#page tr { break-inside: avoid; }
"""

_TITLE_STYLE = "#page .gt_title { font-weight: bold; }\n"

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
</head>
<body>
{table}
</body>
</html>
"""

_PAGE_ID = "page"


def table_html(table: Table, *, caption: str = "", opened: Mapping[tuple[str, str], str] | None = None) -> str:
    """Get the `<table>` element alone, for a report that has captions and a style sheet of its own.

    One `<table id="tab-ID">` element with great_tables' class names. Nothing but text-align is styled inline; group
    labels are `<strong>`; the notes are the rows of its `<tfoot>`. Header cells are numbered in the order in which they
    are written: `tab-ID-1`, `tab-ID-2`, ... Behind a number an empty `<span class="gt_pad" data-pad="***">` names what
    it lacks for its point to stand below the others': the style sheet gives it that width, unseen, and without a style
    sheet it is nothing. `opened`: Row and column -> the identifier of the element that a click on the cell opens.
    """
    shown = visible_table(table)
    numbers = count(1)
    across = f' colspan="{len(shown.columns) + 1}"' if shown.columns else ""
    written = [f'<table id="tab-{shown.id}" class="gt_table">']
    written += [f"<caption>{escaped(visible(caption))}</caption>"] if caption else []
    head, headers = _head(shown, numbers)
    written += ["<thead>", *head, "</thead>", '<tbody class="gt_table_body">']
    group = ""
    for line in lines(shown):
        if line.heading:
            group = f"tab-{shown.id}-{next(numbers)}"
            cell = f'<th class="gt_group_heading"{across} scope="colgroup" id="{group}" style="text-align: left">'
            strong = f"<strong>{escaped(line.heading)}</strong>"
            written += ['  <tr class="gt_group_heading_row">', f"    {cell}{strong}</th>", "  </tr>"]
        stub = f"tab-{shown.id}-{next(numbers)}"
        names = f"{group} {stub}" if line.row.group else stub
        indent = " gt_indent_1" if line.row.group else ""
        label = f'scope="row" id="{stub}" class="gt_row gt_left gt_stub{indent}" style="text-align: left"'
        written += ["  <tr>", f"    <th {label}>{escaped(line.row.label)}</th>"]
        for cell, column, above in zip(line.cells, shown.columns, headers, strict=True):
            text = escaped(cell.text)
            if text and (opens := (opened or {}).get((line.row.id, column.id))):
                text = f'<button type="button" class="responses" popovertarget="{opens}">{text}</button>'
            side = f'class="gt_row gt_{column.align}" style="text-align: {column.align}"'
            written.append(f'    <td headers="{names} {above}" {side}>{text}{_pad(cell)}</td>')
        written.append("  </tr>")
    written.append("</tbody>")
    if shown.notes:
        before = f'<tr class="gt_sourcenotes"><td class="gt_sourcenote"{across}><span class="gt_from_md">'
        after = "</span></td></tr>"
        written.append(f"<tfoot>{''.join(f'{before}{escaped(note)}{after}' for note in shown.notes)}</tfoot>")
    return "\n".join([*written, "</table>"])


def _head(table: Table, numbers: Iterator[int]) -> tuple[list[str], list[str]]:
    """Write the rows of the head, and name the header cells of each column."""
    spanned = any(column.spanner for column in table.columns)
    upper, lower, above = list[str](), list[str](), list[list[str]]()

    def label(text: str, side: str, *, tall: bool) -> str:
        name = f"tab-{table.id}-{next(numbers)}"
        start = f'class="gt_col_heading gt_columns_bottom_border gt_{side}"'
        start += ' rowspan="2"' if tall else ""
        style = f'scope="col" id="{name}" style="text-align: {side}"'
        (upper if tall else lower).append(f"  <th {start} {style}>{escaped(text)}</th>")
        return name

    label(table.stub, "left", tall=spanned)
    within: list[int] = []
    for spanner, own in spanners(table):
        if spanner:
            name = f"tab-{table.id}-{next(numbers)}"
            wide = f' colspan="{len(own)}" scope="colgroup"' if len(own) > 1 else ' scope="col"'
            classes = 'class="gt_center gt_columns_top_border gt_column_spanner_outer"'
            text = f'    <span class="gt_column_spanner">{escaped(spanner)}</span>'
            upper += [f'  <th {classes}{wide} id="{name}" style="text-align: center">', text, "  </th>"]
            above += [[name] for _ in own]
            within += own
        else:
            above += [[label(table.columns[at].label, table.columns[at].align, tall=spanned)] for at in own]
    for at in within:
        above[at].append(label(table.columns[at].label, table.columns[at].align, tall=False))
    rows = [('<tr class="gt_col_headings gt_spanner_row">', upper)] if spanned else []
    rows.append(('<tr class="gt_col_headings">', lower))
    return [part for start, cells in rows for part in (start, *cells, "</tr>")], [" ".join(names) for names in above]


def _pad(cell: Cell) -> str:
    return f'<span class="gt_pad" data-pad="{escaped(cell.pad)}"></span>' if cell.pad else ""


def html_page(table: Table) -> str:
    """Write a page with one table, its title and notes, that loads nothing."""
    shown = visible_table(table)
    title = escaped(shown.title or shown.id)
    return _PAGE.format(title=title, table=f"{_style()}\n{table_html(shown, caption=shown.title)}\n</div>")


@cache
def _style() -> str:
    """Get the `<div>` that great_tables puts around a table, with its style sheet."""
    nothing = Table("nothing", "", "", (), ())
    page = _styled(_laid_out(nothing, _PAGE_ID), _PAGE_ID).as_raw_html()
    return page[: page.index("<table")].strip()


def escaped(text: str) -> str:
    """Write a text as HTML in which nothing acts upon what reads the page next."""
    return escape(text).translate(_REFERENCES)


def table_display(table: Table) -> GT:
    """Get the table as an object of great_tables, which shows itself in a notebook and can be changed further."""
    shown = visible_table(table)
    identifier = f"tab-{_NOT_IN_SELECTORS.sub('-', shown.id)}"
    display = _laid_out(shown, identifier)
    if shown.title:
        from great_tables import html

        display = display.tab_header(title=html(escaped(shown.title)))
    return _styled(display, identifier, _TITLE_STYLE).tab_options(**_HEADING)


def _styled(display: GT, identifier: str, more: str = "") -> GT:
    style = (_MORE_STYLE + more).replace(f"#{_PAGE_ID}", f"#{identifier}")
    return display.tab_options(**_THEME, table_additional_css=style)


def _laid_out(table: Table, identifier: str) -> GT:
    """Get the table as great_tables has it, without its title."""
    try:
        from great_tables import GT, html
    except ImportError as error:
        raise MissingExtraError("great-tables", "report") from error

    # Groups and columns get names of our own: a group may come back and two columns may share a label. Every label
    # enters as HTML that is escaped already: great_tables escapes the cells but not all of the labels.
    rows = lines(table)
    names = [f"column-{number}" for number in range(1, len(table.columns) + 1)]
    group_labels: dict[str, str] = {}
    groups: list[str] = []
    for before, line in zip((None, *rows), rows, strict=False):
        if before is None or line.row.group != before.row.group:
            group_labels[f"group-{len(group_labels) + 1}"] = escaped(line.row.group)
        groups.append(f"group-{len(group_labels)}")
    cells = {
        name: [escaped(line.cells[at].text) + _pad(line.cells[at]) for line in rows] for at, name in enumerate(names)
    }
    frame = pl.DataFrame(
        {"group": groups, "stub": [escaped(line.row.label) for line in rows], **cells},
        schema=dict.fromkeys(["group", "stub", *names], pl.String),
    )
    grouped = any(row.group for row in table.rows)
    if not grouped:
        frame = frame.drop("group")
    display = GT(frame, rowname_col="stub", groupname_col="group" if grouped else None, id=identifier)
    display = display.fmt(str, columns="stub").tab_stubhead(html(escaped(table.stub)))
    if grouped:
        indented = [number for number, row in enumerate(table.rows) if row.group]
        display = display.fmt(group_labels.__getitem__, columns="group").tab_stub_indent(rows=indented, indent=1)
    labels: dict[str, Any] = {
        name: html(escaped(column.label)) for name, column in zip(names, table.columns, strict=True)
    }
    display = display.cols_label(labels) if labels else display
    for name, column in zip(names, table.columns, strict=True):
        display = display.fmt(str, columns=name).cols_align(column.align, columns=name)
    for number, (spanner, own) in enumerate(spanners(table)):
        if spanner:
            spanned = [names[at] for at in own]
            display = display.tab_spanner(html(escaped(spanner)), columns=spanned, id=f"spanner-{number}")
    for note in table.notes:
        display = display.tab_source_note(html(escaped(note)))
    return display


FORMAT = TableFormat("html", one_by_one(html_page))
