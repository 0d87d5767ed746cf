"""Typst and Word files: compiled by typst, read back by Pandoc, and looked at as XML."""

from __future__ import annotations

import json
import re
import zipfile
from dataclasses import replace
from io import BytesIO
from xml.etree import ElementTree as ET

import pypandoc
import pytest
import typst

from tallybook.core.untrusted import visible
from tallybook.tables.content import Column, Row, Table, visible_table
from tallybook.tables.docx import table_docx
from tallybook.tables.typeset import typeset
from tallybook.tables.typst import table_typst
from tests.integration.tables.render_samples import (
    HOSTILE_EVERYWHERE,
    LONG,
    ORDINARY,
    SAMPLES,
    SPANNED,
)

NAMED = pytest.mark.parametrize("table", SAMPLES, ids=lambda table: table.id)
WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def body_texts(table):
    """What the rows say from left to right and from top to bottom, labels of groups included."""
    before = ""
    for row in visible_table(table).rows:
        if row.group and row.group != before:
            yield row.group
        before = row.group
        yield from (row.label, *(typeset(cell) for cell in row.cells))


# --- typst


def content(source):
    """The figure as typst understands it."""
    return json.loads(typst.query(source, "figure", one=True))


def texts(node):
    """The text of a content; anything that is no plain text is named in brackets."""
    if isinstance(node, list):
        return "".join(texts(each) for each in node)
    kind = node["func"]
    if kind in {"text", "symbol"}:
        return node["text"]
    if kind == "space":
        return " "
    if kind == "hide":
        return ""
    inside = node.get("children", node.get("body"))
    if kind in {"sequence", "strong", "emph", "pad", "styled"}:
        return texts(inside if inside is not None else node["child"])
    return f"[{kind}]"


def nodes(node, kind):
    if isinstance(node, dict):
        if node.get("func") == kind:
            yield node
        for value in node.values():
            yield from nodes(value, kind)
    elif isinstance(node, list):
        for value in node:
            yield from nodes(value, kind)


@NAMED
def test_typst_reads_what_the_table_says(rendered, table):
    figure = content((rendered / f"{table.id}.typ").read_bytes())
    assert figure["kind"] == "table"
    assert figure["label"] == f"<tab-{table.id}>"
    [found] = nodes(figure["body"], "table")
    [head] = nodes(found, "header")
    labels = {visible(column.label) for column in table.columns}
    spanners = {visible(column.spanner) for column in table.columns if column.spanner}
    assert {texts(cell["body"]) for cell in nodes(head, "cell")} == {visible(table.stub), *labels, *spanners}
    cells = [texts(each["body"]) for each in found["children"] if each["func"] == "cell"]
    assert cells == list(body_texts(table))
    if table.title:
        assert texts(figure["caption"]["body"]) == visible(table.title)


def test_typst_notes_are_paragraphs_of_plain_text(rendered):
    body = content((rendered / "hostile.typ").read_bytes())["body"]
    # The table's own text is cut out; what is left is the notes.
    kinds = {each["func"] for each in walk(body)}
    assert kinds <= {
        "align",
        "table",
        "header",
        "cell",
        "hline",
        "sequence",
        "styled",
        "text",
        "symbol",
        "space",
        "parbreak",
        "pad",
        "hide",
        "strong",
        "emph",
    }
    left = without_tables(body)
    assert [part.strip() for part in left.split("[parbreak]")] == list(visible_table(HOSTILE_EVERYWHERE).notes)


def walk(node):
    if isinstance(node, dict):
        if "func" in node:
            yield node
        for value in node.values():
            yield from walk(value)
    elif isinstance(node, list):
        for value in node:
            yield from walk(value)


def without_tables(node):
    if isinstance(node, list):
        return "".join(without_tables(each) for each in node)
    if node["func"] == "table":
        return ""
    if node["func"] in {"align", "sequence", "styled"}:
        return without_tables(node.get("children", node.get("body", node.get("child"))))
    return texts(node)


def test_typst_aligns_columns_and_indents_grouped_rows(rendered):
    text = (rendered / "T-9.b_2.typ").read_text(encoding="utf-8")
    assert "align: (left,right,right,left,center,)," in text
    assert "[#pad(left: 1em)[Politics]]" in text
    assert "    [Rest]," in text


def test_typst_rules_and_group_labels(rendered):
    text = (rendered / "T-9.b_2.typ").read_text(encoding="utf-8")
    assert text.count("table.hline(stroke: 0.08em)") == 2
    assert text.count("table.hline(stroke: 0.05em)") == 1
    assert text.count("stroke: (bottom: 0.05em)") == 2
    assert re.findall(r"#strong\[(.*?)\]", text) == ["Group", "Other group", "Group"]


def test_long_table_goes_on_on_the_next_page(rendered):
    source = (rendered / "long.typ").read_bytes()
    assert len(typst.compile(source, format="png")) > 1
    assert "breakable" not in table_typst(replace(LONG, rows=LONG.rows[:40]))


@pytest.mark.parametrize("table", [ORDINARY, SPANNED, LONG, HOSTILE_EVERYWHERE], ids=lambda table: table.id)
def test_typst_compiles_and_can_be_referred_to(rendered, table):
    source = f"See @tab-{table.id}.\n".encode() + (rendered / f"{table.id}.typ").read_bytes()
    assert typst.compile(source).startswith(b"%PDF")


# --- Word


def xml_root(data):
    parser = ET.XMLPullParser(events=("start",))
    parser.feed(data)
    _, root = next(iter(parser.read_events()))
    parser.close()
    return root


def document(path):
    with zipfile.ZipFile(path) as archive:
        return xml_root(archive.read("word/document.xml"))


def paragraph_text(paragraph):
    style = paragraph.find(f"./{WORD}pPr/{WORD}pStyle")
    text = "".join(each.text or "" for each in paragraph.iter(f"{WORD}t"))
    return (None if style is None else style.get(f"{WORD}val")), text


def paragraph_texts(element):
    return [paragraph_text(paragraph) for paragraph in element.iter(f"{WORD}p")]


@NAMED
def test_word_file_is_a_whole_archive_of_well_formed_xml(rendered, table):
    with zipfile.ZipFile(rendered / f"{table.id}.docx") as archive:
        assert archive.testzip() is None
        for name in archive.namelist():
            if name.endswith((".xml", ".rels")):
                xml_root(archive.read(name))
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


@NAMED
def test_word_reads_what_the_table_says(rendered, table):
    body = document(rendered / f"{table.id}.docx").find(f"{WORD}body")
    [found] = body.findall(f"{WORD}tbl")
    rows = [row for row in found.findall(f"{WORD}tr") if row.find(f"./{WORD}trPr/{WORD}tblHeader") is None]
    cells = ["".join(text for _, text in paragraph_texts(cell)) for row in rows for cell in row.findall(f"{WORD}tc")]
    assert cells == list(body_texts(table))
    outside = [paragraph_text(child) for child in body if child.tag == f"{WORD}p"]
    shown = visible_table(table)
    assert outside == [
        *([("TableCaption", shown.title)] if shown.title else []),
        *(("TableNote", note) for note in shown.notes),
    ]


def test_word_columns_rules_and_styles(rendered):
    [found] = document(rendered / "T-9.b_2.docx").iter(f"{WORD}tbl")
    widths = [int(each.get(f"{WORD}w")) for each in found.iter(f"{WORD}gridCol")]
    assert len(widths) == 5
    assert sum(widths) <= 9070 + len(widths)
    assert widths[3] == max(widths)
    # Its rules above and below are those of the theme's style.
    assert found.find(f"./{WORD}tblPr/{WORD}tblStyle").get(f"{WORD}val") == "RuledTable"
    rows = found.findall(f"{WORD}tr")
    heads = [row for row in rows if row.find(f"./{WORD}trPr/{WORD}tblHeader") is not None]
    assert len(heads) == 2
    ruled = [
        [cell.find(f"./{WORD}tcPr/{WORD}tcBorders") is not None for cell in row.findall(f"{WORD}tc")] for row in heads
    ]
    assert ruled == [[False] * 4, [True] * 5]
    # The rules below spanners are those of paragraphs, so that a gap is left between two.
    spanners = [
        cell.find(f"./{WORD}p/{WORD}pPr/{WORD}pBdr/{WORD}bottom") is not None for cell in heads[0].findall(f"{WORD}tc")
    ]
    assert spanners == [False, True, False, True]
    styles = [style for style, _ in paragraph_texts(found)]
    assert styles.count("TableGroup") == 3
    assert len(list(found.iter(f"{WORD}ind"))) == 3
    assert None not in styles


def tabs(table):
    """For each cell of the first row below the head: the position of its decimal tab, None without one."""
    [found] = document(BytesIO(table_docx(table))).iter(f"{WORD}tbl")
    row = next(each for each in found.findall(f"{WORD}tr") if each.find(f"./{WORD}trPr/{WORD}tblHeader") is None)
    for cell in row.findall(f"{WORD}tc"):
        tab = cell.find(f"./{WORD}p/{WORD}pPr/{WORD}tabs/{WORD}tab")
        side = cell.find(f"./{WORD}p/{WORD}pPr/{WORD}jc")
        if tab is None:
            yield None
        else:
            # Word aligns at the tab without a tab character where the paragraph stands left.
            assert (tab.get(f"{WORD}val"), side.get(f"{WORD}val")) == ("decimal", "left")
            yield int(tab.get(f"{WORD}pos"))


def test_word_sets_numbers_that_end_differently_on_a_decimal_tab():
    columns = (
        Column("a", "starred"),
        Column("b", "plain"),
        Column("c", "two numbers"),
        Column("d", "text", align="left"),
    )
    cells = (("4.20***", "0.00", "1 [0.5]", "0.5*"), ("10.00", "0.40", "10 [0.25]", "0.25"))
    rows = tuple(Row(f"r{number}", "r", each) for number, each in enumerate(cells))
    stub, starred, plain, intervals, text = tabs(Table("t", "", "", columns, rows))
    assert (stub, plain, intervals, text) == (None, None, None, None)
    assert starred > 0


def test_a_wide_table_turns_its_page():
    columns = tuple(Column(f"c{number}", "0.123 [0.012, 0.345]") for number in range(8))
    table = Table("t", "T", "", columns, (Row("r", "r", ("0.123 [0.012, 0.345]",) * 8),))
    for turned in (False, True):
        own = table if turned else replace(table, columns=columns[:3], rows=(Row("r", "r", table.rows[0].cells[:3]),))
        page = next(document(BytesIO(table_docx(own))).iter(f"{WORD}pgSz"))
        assert (page.get(f"{WORD}orient") == "landscape") == turned
        assert (int(page.get(f"{WORD}w")) > int(page.get(f"{WORD}h"))) == turned
        assert table_typst(own).startswith("#page(flipped: true)[") == turned


def test_numbers_do_not_break():
    table = Table("t", "T", "", (Column("a", "a"),), (Row("r", "r", ("-0.1 [-0.2, 4.7e-05]",)),))
    word = table_docx(table)
    shown = "−0.1\u00a0[−0.2,\u00a04.7e−05]"
    assert shown in "".join(each.text or "" for each in document(BytesIO(word)).iter(f"{WORD}t"))
    assert "−0.1~\\[−0.2,~4.7e−05\\]" in table_typst(table)
    cells = list(document(BytesIO(word)).iter(f"{WORD}tcPr"))
    assert [cell.find(f"{WORD}noWrap") is not None for cell in cells] == [False, False, False, True]


def test_word_knows_what_stands_in_for_a_font_that_is_not_there():
    with zipfile.ZipFile(BytesIO(table_docx(ORDINARY))) as archive:
        fonts = {font.get(f"{WORD}name"): font for font in xml_root(archive.read("word/fontTable.xml"))}
    assert "Liberation Serif" in fonts["Times New Roman"].find(f"{WORD}altName").get(f"{WORD}val")


def test_word_properties_stand_in_the_order_that_the_schema_asks_for(rendered):
    root = document(rendered / "T-9.b_2.docx")
    orders = {
        "tblPr": ["tblStyle", "tblW", "tblBorders", "tblLayout", "tblCellMar", "tblLook", "tblCaption"],
        "tcPr": ["tcW", "gridSpan", "vMerge", "tcBorders", "noWrap", "vAlign"],
        "pPr": ["pStyle", "keepNext", "pBdr", "tabs", "ind", "jc"],
        "trPr": ["cantSplit", "tblHeader"],
        "sectPr": ["footnotePr", "pgSz", "pgMar"],
    }
    for name, order in orders.items():
        found = list(root.iter(f"{WORD}{name}"))
        assert found
        for properties in found:
            names = [each.tag.removeprefix(WORD) for each in properties]
            assert names == [each for each in order if each in names]


def test_word_styles_are_defined_once(rendered):
    with zipfile.ZipFile(rendered / "T-9.b_2.docx") as archive:
        root = xml_root(archive.read("word/styles.xml"))
    names = [style.get(f"{WORD}styleId") for style in root.iter(f"{WORD}style")]
    assert len(names) == len(set(names))
    assert {"TableText", "TableHeading", "TableGroup", "TableNote", "TableCaption"} <= set(names)


def test_pandoc_opens_its_word_file_again(rendered):
    read = pypandoc.convert_file(str(rendered / "A1.docx"), "plain", extra_args=["--wrap=none"])
    for text in ("Politics analysis of implicit bias", "Ethnicity/Race", "Male (n=500)", "93.80***", "p ≤ .001."):
        assert text in read


def test_word_file_takes_its_date_from_the_environment(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    with zipfile.ZipFile(BytesIO(table_docx(ORDINARY))) as archive:
        assert b"2023-11-14T22:13:20Z" in archive.read("docProps/core.xml")
