"""The HTML of tables, read back by Python's own parser."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from tallybook.core.untrusted import visible
from tallybook.tables.html import table_html
from tallybook.tables.typeset import typeset
from tests.integration.tables.render_samples import (
    HOSTILE,
    HOSTILE_EVERYWHERE,
    HOSTILE_SHOWN,
    LONG,
    ORDINARY,
    PAIRS,
    SAMPLES,
    SPANNED,
)

VOID = {"meta"}


class Read(HTMLParser):
    """Every element with its attributes and its text, and whether all are closed in order."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements = []
        self.open = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        element = {"tag": tag, "text": "", "inside": [each["tag"] for each in self.open], **dict(attrs)}
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag):
        assert self.open.pop()["tag"] == tag

    def handle_data(self, data):
        for element in self.open:
            element["text"] += data

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")

    def all(self, tag, **wanted):
        return [
            each
            for each in self.elements
            if each["tag"] == tag and all(each.get(name) == value for name, value in wanted.items())
        ]


def classes(element):
    return (element.get("class") or "").split()


@pytest.mark.parametrize("table", SAMPLES, ids=lambda table: table.id)
def test_element_is_one_table_and_nothing_else(table):
    text = table_html(table)
    assert text.startswith(f'<table id="tab-{table.id}" class="gt_table">')
    assert text.endswith("</table>")
    read = Read(text)
    assert {each["tag"] for each in read.elements} <= {
        *("table", "thead", "tbody", "tfoot", "tr", "th", "td", "span", "strong", "em")
    }
    assert {each["style"] for each in read.elements if "style" in each} <= {
        *("text-align: left", "text-align: right", "text-align: center")
    }
    names = {name for each in read.elements for name in each} - {"tag", "text", "inside"}
    assert names <= {"id", "class", "style", "scope", "headers", "rowspan", "colspan", "data-pad"}


@pytest.mark.parametrize("table", SAMPLES, ids=lambda table: table.id)
def test_every_cell_says_what_the_table_says(table):
    read = Read(table_html(table))
    cells = [each["text"] for each in read.all("td") if "gt_row" in classes(each)]
    assert cells == [typeset(visible(cell)) for row in table.rows for cell in row.cells]
    stubs = [each["text"] for each in read.all("th", scope="row")]
    assert stubs == [visible(row.label) for row in table.rows]
    assert [each["text"] for each in read.all("td") if "gt_sourcenote" in classes(each)] == [
        visible(note) for note in table.notes if note
    ]
    labels = {each["text"] for each in read.all("th") if "gt_col_heading" in classes(each)}
    assert labels == {visible(table.stub), *(visible(column.label) for column in table.columns)}


@pytest.mark.parametrize("table", SAMPLES, ids=lambda table: table.id)
def test_identifiers_are_unique_and_headers_name_them(table):
    read = Read(table_html(table))
    names = [each["id"] for each in read.elements if "id" in each]
    assert len(names) == len(set(names))
    assert all(re.fullmatch(rf"tab-{re.escape(table.id)}(-\d+)?", name) for name in names)
    named = [name for each in read.elements for name in (each.get("headers") or "").split()]
    assert set(named) <= set(names)
    assert all(each["headers"] for each in read.all("td") if "gt_row" in classes(each))


def test_header_cells_have_a_scope():
    read = Read(table_html(SPANNED))
    assert all(each.get("scope") in {"col", "colgroup", "row"} for each in read.all("th"))


def test_groups_are_strong_and_come_back():
    read = Read(table_html(SPANNED))
    headings = [each for each in read.all("th") if "gt_group_heading" in classes(each)]
    assert [each["text"] for each in headings] == ["Group", "Other group", "Group"]
    assert {each["colspan"] for each in headings} == {"5"}
    assert [each["text"] for each in read.all("strong")] == ["Group", "Other group", "Group"]


def test_rows_keep_their_order_and_only_grouped_rows_are_indented():
    read = Read(table_html(SPANNED))
    rows = [(each["text"], "gt_indent_1" in classes(each)) for each in read.all("th", scope="row")]
    assert rows == [*(("Overall", False), ("Politics", True), ("Religion", True), ("Religion", True), ("Rest", False))]


def test_spanners_span_neighbours_only():
    read = Read(table_html(SPANNED))
    spanners = [each for each in read.all("th") if "gt_column_spanner_outer" in classes(each)]
    assert [(each["text"].strip(), each.get("colspan", "1")) for each in spanners] == [
        ("model-1", "2"),
        ("model-1", "1"),
    ]


def test_alignment_is_in_class_and_style():
    read = Read(table_html(SPANNED))
    last = [each for each in read.all("td") if "gt_row" in classes(each)][-4:]
    assert [each["style"] for each in last] == [
        *("text-align: right", "text-align: right", "text-align: left", "text-align: center")
    ]
    assert [set(classes(each)) & {"gt_left", "gt_right", "gt_center"} for each in last] == [
        *({"gt_right"}, {"gt_right"}, {"gt_left"}, {"gt_center"})
    ]


def test_nothing_for_what_reads_the_html_next():
    """Quarto looks for shortcodes and inline code, and for the fence that ends raw HTML, before it parses anything."""
    for table in (HOSTILE_EVERYWHERE, PAIRS):
        text = table_html(table)
        assert not set("{}`$\\") & set(text)
        assert all(line.lstrip().startswith("<") for line in text.splitlines())
        assert "" not in text.splitlines()


def test_caption_only_when_asked_for():
    assert "<caption>" not in table_html(ORDINARY)
    read = Read(table_html(ORDINARY, caption=HOSTILE))
    assert [each["text"] for each in read.all("caption")] == [HOSTILE_SHOWN]


def test_page_stands_alone(rendered):
    for table in SAMPLES:
        text = (rendered / f"{table.id}.html").read_text(encoding="utf-8")
        assert text.startswith('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">')
        read = Read(text)
        assert not {each["tag"] for each in read.elements} & {"script", "link", "iframe", "img", "object"}
        assert not [each for each in read.elements if {"src", "href"} & set(each)]
        [style] = read.all("style")
        assert "url(" not in style["text"]
        names = [each["id"] for each in read.elements if "id" in each]
        assert len(names) == len(set(names))
        assert f"tab-{table.id}" in names
        assert "@import" not in style["text"]
        assert read.all("title")[0]["text"] == visible(table.title) or table.id
        assert [each["text"] for each in read.all("caption")] == ([visible(table.title)] if table.title else [])


def test_page_has_the_element(rendered):
    text = (rendered / "long.html").read_text(encoding="utf-8")
    assert table_html(LONG, caption=LONG.title) in text
