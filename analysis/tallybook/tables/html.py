"""Tables as HTML: the bare element for a report and the page that stands alone, both made by great_tables."""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from html.parser import HTMLParser
from itertools import groupby
from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.core.errors import MissingExtraError
from tallybook.core.untrusted import visible
from tallybook.tables.content import visible_table
from tallybook.tables.table_format import TableFormat, one_by_one
from tallybook.tables.typeset import typeset_cells

if TYPE_CHECKING:
    from collections.abc import Mapping

    from great_tables import GT

    from tallybook.tables.content import Table
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

# The `<div>` that the style sheet of a page applies to. (A table's own identifier may hold a dot, which great_tables
# writes into a selector as it is, where it means a class.)
_PAGE_ID = "page"

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

_DEFAULTS = {("rowspan", "1"), ("colspan", "1"), ("headers", "")}
_ALIGNMENTS = {"gt_left": "left", "gt_right": "right", "gt_center": "center", "gt_group_heading": "left"}


def table_html(table: Table, *, caption: str = "", opened: Mapping[tuple[str, str], str] | None = None) -> str:
    """Get the `<table>` element alone, for a report that has captions and a style sheet of its own.

    One `<table id="tab-ID">` element with great_tables' class names. Nothing but text-align is styled inline; group
    labels are `<strong>`; the notes are the rows of its `<tfoot>`. Header cells are numbered in the order in which they
    are written: `tab-ID-1`, `tab-ID-2`, ... Behind a number an empty `<span class="gt_pad" data-pad="***">` names what
    it lacks for its point to stand below the others': the style sheet gives it that width, unseen, and without a style
    sheet it is nothing. `opened`: Row and column -> the identifier of the element that a click on the cell opens.
    """
    shown = visible_table(table)
    _, element, _ = _fragment(shown, frozenset((opened or {}).items()))
    return _bare(shown, element, visible(caption))


def html_page(table: Table) -> str:
    """Write a page with one table, its title and notes, that loads nothing."""
    shown = visible_table(table)
    before, element, after = _fragment(shown)
    return _PAGE.format(
        title=escaped(shown.title or shown.id),
        table=f"{before.strip()}\n{_bare(shown, element, shown.title)}\n{after.strip()}",
    )


def table_display(table: Table) -> GT:
    """Get the table as an object of great_tables, which shows itself in a notebook and can be changed further."""
    shown = visible_table(table)
    identifier = f"tab-{_NOT_IN_SELECTORS.sub('-', shown.id)}"
    display = _laid_out(shown, identifier)
    if shown.title:
        from great_tables import html

        display = display.tab_header(title=html(escaped(shown.title)))
    return _styled(display, identifier, _TITLE_STYLE).tab_options(**_HEADING)


@lru_cache(maxsize=256)  # a table is written as HTML, for the report, and for typst and Word
def _fragment(table: Table, opened: frozenset[tuple[tuple[str, str], str]] = frozenset()) -> tuple[str, str, str]:
    """Let great_tables write a table: the opening `<div>` with a style sheet, the element, the closing tag."""
    fragment = _styled(_laid_out(table, _PAGE_ID, dict(opened)), _PAGE_ID).as_raw_html()
    start, end = fragment.index("<table"), fragment.rindex("</table>") + len("</table>")
    return fragment[:start], fragment[start:end], fragment[end:]


def _bare(table: Table, element: str, caption: str) -> str:
    bare = _BareTable(f"tab-{table.id}", escaped(caption))
    bare.feed(element)
    bare.close()
    return bare.markup()


def escaped(text: str) -> str:
    """Write a text as HTML in which nothing acts upon what reads the page next."""
    return escape(text).translate(_REFERENCES)


def _styled(display: GT, identifier: str, more: str = "") -> GT:
    style = (_MORE_STYLE + more).replace(f"#{_PAGE_ID}", f"#{identifier}")
    return display.tab_options(**_THEME, table_additional_css=style)


def _laid_out(table: Table, identifier: str, opened: Mapping[tuple[str, str], str] | None = None) -> GT:
    """Get the table as great_tables has it; the title is left to the element's caption."""
    try:
        from great_tables import GT, html
    except ImportError as error:
        raise MissingExtraError("great-tables", "report") from error

    # Groups and columns get names of our own: a group may come back and two columns may share a label. Every label
    # enters as HTML that is escaped already: great_tables escapes the cells but not all of the labels.
    runs = [(group, list(rows)) for group, rows in groupby(table.rows, key=lambda row: row.group)]
    group_labels = {f"group-{number}": escaped(group) for number, (group, _) in enumerate(runs, start=1)}
    names = [f"column-{number}" for number in range(1, len(table.columns) + 1)]
    cells = typeset_cells(table)
    frame = pl.DataFrame(
        {
            "group": [name for name, (_, rows) in zip(group_labels, runs, strict=True) for _ in rows],
            "stub": [escaped(row.label) for row in table.rows],
            **{
                name: [
                    _cell(row[at], (opened or {}).get((of.id, table.columns[at].id), ""))
                    for of, row in zip(table.rows, cells, strict=True)
                ]
                for at, name in enumerate(names)
            },
        },
        schema=dict.fromkeys(["group", "stub", *names], pl.String),
    )
    grouped = any(group for group, _ in runs)
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
    for number, (spanner, run) in enumerate(groupby(enumerate(table.columns), key=lambda item: item[1].spanner)):
        if spanner:
            spanned = [names[at] for at, _ in run]
            display = display.tab_spanner(html(escaped(spanner)), columns=spanned, id=f"spanner-{number}")
    for note in table.notes:
        display = display.tab_source_note(html(escaped(note)))
    return display


def _cell(cell: Cell, opens: str) -> str:
    pad = f'<span class="gt_pad" data-pad="{escaped(cell.pad)}"></span>' if cell.pad else ""
    if not opens or not cell.text:
        return escaped(cell.text) + pad
    return f'<button type="button" class="responses" popovertarget="{opens}">{escaped(cell.text)}</button>{pad}'


class _BareTable(HTMLParser):
    """Rewrites great_tables' element: alignment inline, groups strong, nothing empty, no attributes for Quarto.

    great_tables makes the identifiers of header cells from their labels; here they are numbered instead.
    """

    def __init__(self, identifier: str, caption: str) -> None:
        super().__init__(convert_charrefs=False)
        self._identifier = identifier
        self._caption = caption
        self._written: list[str] = []
        self._identifiers: dict[str, str] = {}
        self._within_empty_group = False
        self._strong = False

    def markup(self) -> str:
        """Get the markup, without empty lines."""
        lines = "".join(self._written).splitlines()
        return "\n".join(line.rstrip() for line in lines if line.strip())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        classes = attributes.get("class", "").split()
        if "gt_empty_group_heading" in classes:
            self._within_empty_group = True
        if self._within_empty_group:
            return
        self._write_tag(tag, self._kept(tag, attributes, classes))
        if tag == "table" and self._caption:
            self._written.append(f"\n<caption>{self._caption}</caption>")
        self._strong = "gt_group_heading" in classes
        if self._strong:
            self._written.append("<strong>")

    def _kept(self, tag: str, attributes: dict[str, str], classes: list[str]) -> dict[str, str]:
        if tag == "table":
            return {"id": self._identifier, "class": attributes["class"]}
        kept = {name: value for name, value in attributes.items() if name != "style"}
        if "id" in kept:
            kept["id"] = f"{self._identifier}-{len(self._identifiers) + 1}"
            self._identifiers[attributes["id"]] = kept["id"]
        if "headers" in kept:
            known = (self._identifiers.get(name, "") for name in kept["headers"].split())
            kept["headers"] = " ".join(name for name in known if name)
        for name, side in _ALIGNMENTS.items():
            if name in classes:
                kept["style"] = f"text-align: {side}"
        return {name: value for name, value in kept.items() if (name, value) not in _DEFAULTS}

    def _write_tag(self, tag: str, attributes: dict[str, str]) -> None:
        written = "".join(f' {name}="{escaped(value)}"' for name, value in attributes.items())
        self._written.append(f"<{tag}{written}>")

    def handle_endtag(self, tag: str) -> None:
        if self._within_empty_group:
            self._within_empty_group = tag != "tr"
            return
        if self._strong:
            self._written.append("</strong>")
            self._strong = False
        self._written.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self._write_text(data)

    def handle_entityref(self, name: str) -> None:
        self._write_text(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self._write_text(f"&#{name};")

    def _write_text(self, text: str) -> None:
        if not self._within_empty_group:
            self._written.append(text)


FORMAT = TableFormat("html", one_by_one(html_page))
