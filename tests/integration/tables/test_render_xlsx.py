"""Excel workbooks, looked at as XML and read by another library."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from xml.etree import ElementTree as ET

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.tables.content import Column, Row, Table, visible_table
from tallybook.tables.xlsx import plain_number, table_xlsx
from tests.integration.tables.render_samples import HOSTILE_EVERYWHERE, LONG, ORDINARY, PAIRS, SAMPLES, SPANNED

NAMED = pytest.mark.parametrize("table", SAMPLES, ids=lambda table: table.id)
SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


class Read:
    """A workbook's sheet: its cells by place, with their formats, and what it merges."""

    def __init__(self, data: bytes) -> None:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            assert archive.testzip() is None
            self.dates = {entry.date_time for entry in archive.infolist()}
            parts = {name: ET.fromstring(archive.read(name)) for name in archive.namelist()}  # noqa: S314  our own
        self.sheet = parts["xl/worksheets/sheet1.xml"]
        self.book = parts["xl/workbook.xml"]
        strings = parts.get("xl/sharedStrings.xml")
        texts = [] if strings is None else ["".join(each.itertext()) for each in strings.iter(f"{SHEET}si")]
        styles = parts["xl/styles.xml"]
        forms = {each.get("numFmtId"): each.get("formatCode") for each in styles.iter(f"{SHEET}numFmt")}
        formats = [
            forms.get(each.get("numFmtId"), each.get("numFmtId")) for each in styles.find(f"{SHEET}cellXfs") or []
        ]
        self.cells: dict[str, str | float] = {}
        self.forms: dict[str, str | None] = {}
        for cell in self.sheet.iter(f"{SHEET}c"):
            value = cell.find(f"{SHEET}v")
            if value is None:
                continue
            place = cell.attrib["r"]
            self.cells[place] = texts[int(value.text or "")] if cell.get("t") == "s" else float(value.text or "")
            self.forms[place] = formats[int(cell.get("s", "0"))]
        self.merged = [each.attrib["ref"] for each in self.sheet.iter(f"{SHEET}mergeCell")]


@NAMED
def test_nothing_is_a_formula_or_a_link(table):
    read = Read(table_xlsx(table))
    assert next(read.sheet.iter(f"{SHEET}f"), None) is None
    assert next(read.sheet.iter(f"{SHEET}hyperlink"), None) is None
    assert {cell.get("t") for cell in read.sheet.iter(f"{SHEET}c")} <= {"s", None}


@NAMED
def test_every_text_of_the_table_is_in_the_sheet(table):
    cells = list(Read(table_xlsx(table)).cells.values())
    shown = visible_table(table)
    texts = [shown.title, shown.stub, *shown.notes]
    texts += [text for column in shown.columns for text in (column.label, column.spanner)]
    texts += [text for row in shown.rows for text in (row.group, row.label)]
    texts += [text for row in shown.rows for text in row.cells if plain_number(text) is None]
    assert set(texts) - {""} <= {text for text in cells if isinstance(text, str)}


def test_numbers_are_numbers_that_look_as_printed():
    read = Read(table_xlsx(ORDINARY))
    # Title, head, group, then the rows: 4.20***, 93.80***, 0.00 and below 0.00, 99.60***, 0.40.
    assert [read.cells[place] for place in ("B4", "C4", "D4")] == ["4.20***", "93.80***", 0.0]
    assert [read.cells[place] for place in ("B5", "C5", "D5")] == [0.0, "99.60***", 0.4]
    assert [read.forms[place] for place in ("B4", "B5", "D5")] == ["@", "0.00_*_*_*", "0.00"]


@pytest.mark.parametrize(
    ("text", "value", "form"),
    [
        ("0.250", 0.25, "0.000"),
        ("-12", -12.0, "0"),
        ("−1.5", -1.5, "0.0"),
        (".031", 0.031, ".000"),
        ("12,345.6", 12345.6, "#,##0.0"),
        ("29.0%", 0.29, "0.0%"),
        ("4.7e-12", 4.7e-12, "0.0E+00"),
    ],
)
def test_plain_numbers(text, value, form):
    assert plain_number(text) == (value, form)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            ".",
            "-",
            "–",
            "n/a",
            "0.5*",
            "0.1 [0.0, 0.2]",
            "< .001",
            "1,23",
            "1e5e5",
            "+1",
            "=1",
            "1 000",
            "inf",
            "nan",
        ),
        *("4.7e-635", "1.2345678901234567", "１２"),
    ],
)
def test_what_is_no_plain_number_stays_text(text):
    assert plain_number(text) is None


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9, places=5))
def test_a_number_keeps_its_digits(number):
    found = plain_number(f"{number:f}")
    assert found is not None
    assert f"{found.value:.5f}" == f"{float(f'{number:f}'):.5f}"


@given(st.text())
def test_any_text_is_kept_as_a_text(text):
    table = Table("t", "T", "s", (Column("a", "A", align="left"),), (Row("r", "R", (f"={text}",)),))
    read = Read(table_xlsx(table))
    assert read.cells["B3"] == visible_table(table).rows[0].cells[0]


def test_spanners_are_merged_and_the_head_is_repeated():
    read = Read(table_xlsx(SPANNED))
    assert "B2:C2" in read.merged
    assert read.cells["B2"] == read.cells["E2"] == "model-1"
    names = {each.get("name"): each.text for each in read.book.iter(f"{SHEET}definedName")}
    assert names == {"_xlnm.Print_Titles": "'Table T-9.b_2'!$2:$3"}
    pane = next(read.sheet.iter(f"{SHEET}pane"))
    assert (pane.get("topLeftCell"), pane.get("state")) == ("B4", "frozen")


def test_a_wide_sheet_is_printed_along_the_page():
    def orientation(table):
        return next(Read(table_xlsx(table)).sheet.iter(f"{SHEET}pageSetup")).get("orientation")

    assert orientation(PAIRS) == "landscape"
    assert orientation(LONG) == "portrait"


def test_two_runs_write_the_same_bytes_without_a_date(monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    made = table_xlsx(SPANNED)
    assert made == table_xlsx(SPANNED)
    assert Read(made).dates == {(1980, 1, 1, 0, 0, 0)}
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        assert b"1980-01-01T00:00:00Z" in archive.read("docProps/core.xml")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    with zipfile.ZipFile(io.BytesIO(table_xlsx(SPANNED))) as archive:
        assert b"2023-11-14T22:13:20Z" in archive.read("docProps/core.xml")


def test_another_library_reads_the_sheet():
    table = replace(HOSTILE_EVERYWHERE, title="", columns=HOSTILE_EVERYWHERE.columns[:0], rows=(), notes=("=1+1",))
    frame = pl.read_excel(io.BytesIO(table_xlsx(table)), has_header=False)
    assert "=1+1" in [str(value) for row in frame.rows() for value in row]


def test_a_text_longer_than_a_cell_is_cut():
    table = Table("t", "T", "s", (Column("a", "A", align="left"),), (Row("r", "R", ("x" * 40000,)),))
    assert Read(table_xlsx(table)).cells["B3"] == "x" * 32767
