"""Tables as HTML: the bare element for a report, a self-contained page, and a great_tables object."""

from __future__ import annotations

import re
from html import escape
from itertools import count
from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.core.errors import MissingExtraError
from tallybook.core.resources import REPORTS
from tallybook.core.untrusted import visible
from tallybook.tables.content import Column, Table, visible_table
from tallybook.tables.table_format import TableFormat
from tallybook.tables.typeset import lines, spanners, with_symbols

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from great_tables import GT

    from tallybook.tables.typeset import Cell

# Characters with a meaning for later readers of the HTML: a shortcode, inline code, a formula. To a browser a character
# reference is the same character. (great_tables, too, interprets "{{" in a label, as a unit of measurement.)
_REFERENCES = {ord(character): f"&#{ord(character)};" for character in "{}`$\\\u00a0"}

# In a CSS selector a dot begins a class name.
_NOT_IN_SELECTORS = re.compile(r"[^A-Za-z0-9_-]")

_LOOKS: dict[str, Any] = {
    "heading_align": "left",
    "heading_border_bottom_style": "none",
    "heading_title_font_size": "15px",
    "heading_title_font_weight": "bold",
    "table_font_size": "15px",
    "table_font_color": "#000000",
    "table_border_top_color": "#000000",
    "table_body_hlines_style": "none",
    "table_body_border_top_color": "#000000",
    "table_body_border_bottom_color": "#000000",
    "column_labels_border_bottom_color": "#000000",
    "stub_border_style": "none",
    "stub_indent_length": "14px",
    "row_group_font_weight": "bold",
    "row_group_border_top_style": "none",
    "row_group_border_bottom_style": "none",
    "source_notes_font_size": "87%",
}
# Styles without an option in great_tables: the space after a number, and notes no wider than the table.
_MORE_LOOKS = """
#{id} .gt_pad::after {{ content: attr(data-pad); visibility: hidden; }}
#{id} .gt_right {{ white-space: nowrap; font-variant-numeric: lining-nums tabular-nums; }}
#{id} .gt_from_md {{ display: block; width: 0; min-width: 100%; }}
"""

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}
#content {{ margin: 1rem; }}
caption {{ text-align: left; font-weight: bold; padding-bottom: 0.4rem; }}
</style>
</head>
<body>
<main id="content">
{table}
</main>
</body>
</html>
"""


def table_html(table: Table, *, caption: str = "", opened: Mapping[tuple[str, str], str] | None = None) -> str:
    """Return the `<table>` element alone, for a report that has its own captions and style sheet.

    One `<table id="tab-ID">` element with great_tables' class names. Only text-align is styled inline; group
    labels are `<strong>`; the notes are the rows of its `<tfoot>`. Header cells are numbered in the order in which they
    are written: `tab-ID-1`, `tab-ID-2`, ... After a number an empty `<span class="gt_pad" data-pad="***">` holds the
    characters that it lacks to align at the decimal point: the style sheet gives it their width, invisibly; without a
    style sheet it is empty. `opened`: Row and column -> the identifier of the element that a click on the cell opens.
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
        written.append(f"<tfoot>{''.join(f'{before}{_marked(note)}{after}' for note in shown.notes)}</tfoot>")
    return "\n".join([*written, "</table>"])


def _head(table: Table, numbers: Iterator[int]) -> tuple[list[str], list[str]]:
    """Return the lines of the table's head, and the identifiers of the header cells of each column."""
    spanned = any(column.spanner for column in table.columns)
    upper, lower, above = list[str](), list[str](), list[list[str]]()

    def label(at: int, *, tall: bool) -> str:
        column = table.columns[at] if at >= 0 else Column("", table.stub, align="left")
        side, text = column.align, _marked(column.label, is_statistic=column.is_statistic)
        name = f"tab-{table.id}-{next(numbers)}"
        start = f'class="gt_col_heading gt_columns_bottom_border gt_{side}"'
        start += ' rowspan="2"' if tall else ""
        style = f'scope="col" id="{name}" style="text-align: {side}"'
        (upper if tall else lower).append(f"  <th {start} {style}>{text}</th>")
        return name

    label(-1, tall=spanned)
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
            above += [[label(at, tall=spanned)] for at in own]
    for at in within:
        above[at].append(label(at, tall=False))
    rows = [('<tr class="gt_col_headings gt_spanner_row">', upper)] if spanned else []
    rows.append(('<tr class="gt_col_headings">', lower))
    return [part for start, cells in rows for part in (start, *cells, "</tr>")], [" ".join(names) for names in above]


def _pad(cell: Cell) -> str:
    return f'<span class="gt_pad" data-pad="{escaped(cell.pad)}"></span>' if cell.pad else ""


def html_page(table: Table) -> str:
    """Return a self-contained HTML page with one table, its title and notes, in the style of the reports."""
    shown = visible_table(table)
    style = (REPORTS / "theme" / "tallybook.css").read_text(encoding="utf-8")
    return _PAGE.format(
        title=escaped(shown.title or shown.id), style=style, table=table_html(shown, caption=shown.title)
    )


def escaped(text: str) -> str:
    """Escape a text for HTML, including characters that Quarto or a Markdown reader would interpret."""
    return escape(text).translate(_REFERENCES)


def _marked(text: str, *, is_statistic: bool = False) -> str:
    return with_symbols(text, escaped, "<em>{}</em>", is_statistic=is_statistic)


def table_display(table: Table) -> GT:
    """Return the table as a great_tables object, which displays itself in a notebook and can be modified further."""
    shown = visible_table(table)
    identifier = f"tab-{_NOT_IN_SELECTORS.sub('-', shown.id)}"
    display = _laid_out(shown, identifier)
    if shown.title:
        from great_tables import html

        display = display.tab_header(title=html(escaped(shown.title)))
    return display.tab_options(**_LOOKS, table_additional_css=_MORE_LOOKS.format(id=identifier))


def _laid_out(table: Table, identifier: str) -> GT:
    """Return the table as a great_tables object, without its title."""
    try:
        from great_tables import GT, html
    except ImportError as error:
        raise MissingExtraError("great-tables", "report") from error

    # Groups and columns get generated names: a group may recur and two columns may share a label. Every label is passed
    # as escaped HTML: great_tables escapes the cells but not all of the labels.
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
        name: html(_marked(column.label, is_statistic=column.is_statistic))
        for name, column in zip(names, table.columns, strict=True)
    }
    display = display.cols_label(labels) if labels else display
    for name, column in zip(names, table.columns, strict=True):
        display = display.fmt(str, columns=name).cols_align(column.align, columns=name)
    for number, (spanner, own) in enumerate(spanners(table)):
        if spanner:
            spanned = [names[at] for at in own]
            display = display.tab_spanner(html(escaped(spanner)), columns=spanned, id=f"spanner-{number}")
    for note in table.notes:
        display = display.tab_source_note(html(_marked(note)))
    return display


FORMAT = TableFormat("html", html_page)
