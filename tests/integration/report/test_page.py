"""What is left out of a rendered page: it shows the same."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import pytest

from tallybook.report.page import finish_page
from tallybook.tables.content import Column, Row, Table
from tallybook.tables.html import table_html
from tests.integration.report import reading

if TYPE_CHECKING:
    from pathlib import Path

STYLE = "<style>.gt_right { text-align: right; }</style>"
CELL = '<td headers="a" class="gt_right" style="text-align: right">1</td>'


def finished(page: str, folder: Path) -> str:
    file = folder / "page.html"
    file.write_text(page, encoding="utf-8")
    finish_page(file)
    return file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "content",
    [
        '<path d="M1 2" style="fill:#aaa"/>',
        '<text x="1">it\'s &quot;100%&quot; &lt; \u00e9 &amp;amp; \U0001f600?</text>',
        '<text x="1">she "said"</text>',
    ],
)
def test_a_graphic_is_what_it_was(content: str, tmp_path: Path) -> None:
    svg = f'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"\n width="9">{content}</svg>\n'
    packed = base64.b64encode(svg.encode()).decode()
    page = finished(f'<p><img src="data:image/svg+xml;base64,{packed}" alt="A"></p>', tmp_path)
    image = reading.html(tmp_path / "page.html").one("img")
    kind, _, text = image.attributes["src"].partition(",")
    assert (kind, image.attributes["alt"]) == ("data:image/svg+xml", "A")
    assert ET.canonicalize(unquote(text)) == ET.canonicalize(svg).replace("\n", "")
    assert "base64" not in page


def test_alignment_stays_where_no_style_sheet_gives_it(tmp_path: Path) -> None:
    table = f"<table>\n  <tr>\n    {CELL}\n  </tr></table>"
    assert finished(STYLE + table, tmp_path) == (
        f'{STYLE}<table>\n<tr>\n<td headers="a" class="gt_right">1</td>\n</tr></table>'
    )
    assert CELL in finished(table, tmp_path)
    left = CELL.replace("text-align: right", "text-align: left")
    assert left in finished(STYLE + left, tmp_path)


def test_the_text_of_a_page_without_a_main_part_becomes_one(tmp_path: Path) -> None:
    head = '<body>\n<header><h1>T</h1></header>\n<nav id="TOC"><ul></ul></nav>'
    page = f"{head}\n<p>Text.</p>\n<!-- What a report offers -->"
    made = finished(page, tmp_path)
    assert '</nav>\n<main id="content">\n<p>Text.</p>\n</main>\n<!-- What' in made
    assert '<a class="skip-link" href="#content">' in made
    assert finished(made, tmp_path) == made


def test_names_of_header_cells_are_short(tmp_path: Path) -> None:
    table = Table("long.name", "", "G", (Column("x", "X"),), (Row("a", "A", ("1",)), Row("b", "B", ("2",))))
    report = tmp_path / "report.html"
    report.write_text(f"<main>{table_html(table)}</main>", encoding="utf-8")
    finish_page(report)
    page = reading.html(report)
    assert page.one("table").attributes["id"] == "tab-long.name"
    assert [cell.attributes["id"] for cell in page.every("th")] == ["h0", "h1", "h2", "h3"]
    assert [cell.attributes["headers"] for cell in page.every("td")] == ["h2 h1", "h3 h1"]
