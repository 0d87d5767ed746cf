"""theme/tables.lua: tables written in HTML as tables of typst and docx."""

from __future__ import annotations

import re
import subprocess
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tallybook.core.resources import REPORTS
from tallybook.report import pandoc
from tallybook.report.engine import render
from tests.integration.report import reading
from tests.integration.report.reading import W
from tests.programs import program

if TYPE_CHECKING:
    from pathlib import Path
    from xml.etree import ElementTree as ET

    from tests.integration.report.conftest import WriteProject

ROWS = "<tr><td>a</td><td>1</td></tr>"


def typst(html: str, before: str = "", after: str = "") -> str:
    """What pandoc writes in typst for a raw block when the filter alone has seen it."""
    source = f"{before}\n\n```{{=html}}\n{html}\n```\n\n{after}\n"
    command = [pandoc.installed().executable, "--from=markdown", "--to=typst", "--wrap=none"]
    command.append(f"--lua-filter={REPORTS / 'theme' / 'tables.lua'}")
    answer = subprocess.run(command, input=source, capture_output=True, text=True, check=True)
    assert not answer.stderr
    return answer.stdout


def test_alignment_of_columns_comes_from_styles_and_classes() -> None:
    written = typst(
        '<table><thead><tr><th>A</th><th class="gt_right">B</th><th>C</th><th>D</th></tr></thead>'
        '<tbody><tr><td class="gt_row gt_left">a</td><td style="color: red; text-align: right">1</td>'
        '<td class="gt_center gt_row">x</td><td>y</td></tr></tbody></table>'
    )
    assert "align: (left,right,center,auto,)" in written
    assert "table.header([A], [B], [C], [D],)" in written.replace("table.cell(align: auto)", "")


def test_alignment_that_differs_from_the_column_stays() -> None:
    rows = '<tr><td class="gt_right">1</td></tr><tr><td class="gt_center">none</td></tr>'
    written = typst(f"<table><tbody>{rows}</tbody></table>")
    assert "align: (right,)" in written
    assert "table.cell(align: center)[none]" in written


def test_columns_under_cells_that_span_rows() -> None:
    written = typst(
        '<table><tbody><tr><td rowspan="2" class="gt_left">a</td><td class="gt_right">1</td></tr>'
        '<tr><td class="gt_right">2</td></tr></tbody></table>'
    )
    assert "align: (left,right,)" in written
    assert "table.cell(rowspan: 2)[a], [1]," in written


def test_groups_are_bold_rows_and_stubs_are_not() -> None:
    written = typst(
        '<table><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><th colspan="2">Group</th></tr>'
        '<tr><th scope="row">stub</th><td>1</td></tr></tbody></table>'
    )
    assert "table.cell(align: left, colspan: 2, inset: group-inset)[#strong[Group]]" in written
    assert "[stub], [1]," in written


def test_the_first_row_stands_off_the_head() -> None:
    written = typst(
        "<table><thead><tr><th>A</th></tr></thead><tbody><tr><td>1</td></tr><tr><td>2</td></tr></tbody></table>"
    )
    assert "table.cell(inset: first-inset)[1],\n  [2]," in written


def test_group_that_is_bold_already() -> None:
    written = typst('<table><tbody><tr><th colspan="2"><strong>Group</strong></th></tr>' + ROWS + "</tbody></table>")
    assert written.count("#strong[") == 1


def test_head_without_thead() -> None:
    written = typst(f"<table><tr><th>A</th><th>B</th></tr>{ROWS}</table>")
    assert "table.header([A], [B],)" in written


def test_notes_stand_below_the_table_and_totals_within() -> None:
    written = typst(
        f"<table><tbody>{ROWS}</tbody><tfoot><tr><td>Total</td><td>1</td></tr>"
        '<tr><td colspan="2"><span class="gt_from_md">A note.</span></td></tr></tfoot></table>'
    )
    assert "[Total], [1]," in written
    assert re.search(r"#table-notes\[\s+A note\.\s+\]", written)
    assert "table.footer" not in written


def test_cells_are_text() -> None:
    written = typst("<table><tbody><tr><td>&lt;b&gt; #x $y$ *z* <em>e</em><sup>1</sup></td></tr></tbody></table>")
    assert r"\<b\> \#x \$y\$ \*z\* #emph[e]#super[1]" in written


def test_several_tables_and_what_stands_around_them() -> None:
    written = typst(f"<p>gone</p><table>{ROWS}</table><style>td {{}}</style><TABLE>{ROWS}</TABLE>")
    assert written.count("#table(") == 2
    assert "gone" not in written


def test_other_raw_html_is_left_alone() -> None:
    assert typst("<p>x</p>", before="Before.", after="After.").split() == ["Before.", "After."]


def test_tables_of_the_text_are_fitted_once() -> None:
    written = typst(f"<table>{ROWS}</table>", before="| a | b |\n|---|---|\n| 1 | 2 |")
    assert written.count("#fitted(") == written.count("#table(") == 2
    assert "#figure(" not in written


@pytest.mark.parametrize(("columns", "fractions"), [(4, False), (40, True)])
def test_columns_get_widths_only_where_the_page_is_too_narrow(columns: int, fractions: bool) -> None:
    row = "".join(f"<td>{number:05}</td>" for number in range(columns))
    written = typst(f"<table><tbody><tr>{row}</tr></tbody></table>")
    assert ("%" in written) == fractions
    assert f"#fitted(columns: {columns}, narrowest: {columns * 2.5:.1f}em)" in written
    if fractions:
        shares = [float(share) for share in re.findall(r"([\d.]+)%", written)]
        assert sum(shares) == pytest.approx(100, abs=1)


def test_long_lines_leave_short_columns_their_words() -> None:
    long = "word " * 60
    written = typst(f"<table><tbody><tr><td>Generation Alpha</td><td>{long}</td></tr></tbody></table>")
    first, second = (float(share) for share in re.findall(r"([\d.]+)%", written))
    assert first + second == pytest.approx(100, abs=1)
    assert first > 100 * len("Generation") / 110, "the longest word fits"


def test_landscape_has_more_room() -> None:
    row = "".join(f"<td>{number:05}</td>" for number in range(18))
    table = f"<table><tbody><tr>{row}</tr></tbody></table>"
    assert "%" in typst(table)
    assert "%" not in typst(table, before="::: {.landscape}", after=":::")


def test_very_wide_table_compiles(write_project: WriteProject, tmp_path: Path) -> None:
    row = "".join(f"<td>{number:07.2f}***</td>" for number in range(25))
    body = f"::: {{#tbl-a}}\n```{{=html}}\n<table><tbody><tr>{row}</tr></tbody></table>\n```\n\nCaption.\n:::"
    made = render(write_project(body), "index.qmd", ["pdf"], output=tmp_path / "out", engine="embedded")
    assert "0024.00***" in reading.pdf_text(made.files[0])


SPANNED = """<table><thead><tr><th rowspan="2">S</th><th colspan="2" class="gt_column_spanner_outer">Span</th></tr>
<tr><th>A</th><th>B</th></tr></thead><tbody><tr><th colspan="3" class="gt_group_heading">Group</th></tr>
<tr><th class="gt_stub gt_indent_1">row</th><td class="gt_right">4.20***</td><td class="gt_right">1.0</td></tr>
<tr><th class="gt_stub gt_indent_1">row</th>
<td class="gt_right">10.00<span class="gt_pad" data-pad="***"></span></td><td class="gt_right">2.0</td></tr>
</tbody></table>"""


@pytest.mark.parametrize(
    ("rows", "wide", "parts"), [(5, "", 1), (40, "", 3), (40, "a word or two and more ", 2), (40, "long " * 12, 1)]
)
def test_long_and_narrow_tables_stand_in_parts_beside_each_other(rows: int, wide: str, parts: int) -> None:
    groups = "".join(
        f'<tr><th colspan="2">Group {group}</th></tr>'
        + "".join(f"<tr><td>{wide}row {group}.{row}</td><td>{row}</td></tr>" for row in range(rows // 5))
        for group in range(5)
    )
    written = typst(f"<table><thead><tr><th>A</th><th>B</th></tr></thead><tbody>{groups}</tbody></table>")
    assert written.count("#beside(") == (parts > 1)
    tables = written.split("#fitted(")[1:]
    assert len(tables) == parts
    assert all(one.index("Group") < one.index("row ") for one in tables), "a part begins with the heading of a group"
    assert [written.count(f"row {group}.{row}") for group in range(5) for row in range(rows // 5)] == [1] * rows
    assert all("table.header" in one for one in tables)


def test_what_a_number_lacks_behind_its_point_is_hidden_in_typst() -> None:
    written = typst(SPANNED)
    assert r"[10.00#hide[\*\*\*]]" in written
    assert "inset: indented-inset" in written
    assert "pad" not in written.replace("table.cell", "")


def word_table(write_project: WriteProject, folder: Path, html: str) -> tuple[reading.Word, ET.Element]:
    body = f"::: {{#tbl-a}}\n```{{=html}}\n{html}\n```\n\nCaption.\n:::"
    made = render(write_project(body), "index.qmd", ["docx"], output=folder, engine="embedded")
    word = reading.docx(made.files[0])
    [table] = word.tables()
    return word, table


def test_docx_rules_tabs_and_indents(write_project: WriteProject, tmp_path: Path) -> None:
    word, table = word_table(write_project, tmp_path / "out", SPANNED)
    first, second, group, *rows = table.findall(f"{W}tr")
    assert [row.find(f"{W}trPr/{W}tblHeader") is not None for row in (first, second, group)] == [True, True, False]
    assert all(row.find(f"{W}trPr/{W}cantSplit") is not None for row in table.findall(f"{W}tr"))

    def ruled(row: ET.Element, path: str) -> list[bool]:
        return [cell.find(path) is not None for cell in row.findall(f"{W}tc")]

    assert ruled(first, f"{W}p/{W}pPr/{W}pBdr") == [False, True], "a rule below the heading over two columns"
    assert ruled(second, f"{W}tcPr/{W}tcBorders") == [True] * 3, "a rule below the head, its merged cell included"
    assert [each.attrib[f"{W}val"] for each in table.iter(f"{W}vMerge")] == ["restart", "continue"]
    assert ruled(rows[0], f"{W}p/{W}pPr/{W}ind") == [True, False, False]
    for row in rows:
        assert ruled(row, f"{W}tcPr/{W}noWrap") == [False, True, True], "no number breaks over lines"
        assert ruled(row, f"{W}p/{W}pPr/{W}tabs") == [False, True, False], (
            "only the column whose numbers end differently"
        )
    assert word.rows(table)[3:] == [["row", "4.20***", "1.0"], ["row", "10.00", "2.0"]]
    assert word.styled("TableGroup") == ["Group"]
    orders = {
        "pPr": ["pStyle", "keepNext", "pBdr", "tabs", "ind", "jc"],
        "tcPr": ["tcW", "gridSpan", "vMerge", "tcBorders", "noWrap", "vAlign"],
    }
    for kind, order in orders.items():
        for properties in table.iter(f"{W}{kind}"):
            names = [each.tag.removeprefix(W) for each in properties]
            assert names == [name for name in order if name in names]


def test_docx_text_is_escaped(write_project: WriteProject, tmp_path: Path) -> None:
    word, table = word_table(
        write_project,
        tmp_path / "out",
        "<table><tr><td>&lt;w:t&gt; &amp;amp; &quot;</td><td><em>e</em><sup>2</sup></td></tr></table>",
    )
    assert word.rows(table) == [['<w:t> &amp; "', "e2"]]
    assert table.find(f".//{W}vertAlign") is not None


def test_docx_table_of_more_than_text_is_left_to_pandoc(write_project: WriteProject, tmp_path: Path) -> None:
    word, table = word_table(
        write_project, tmp_path / "out", '<table><tr><td><a href="http://x.y">l</a></td><td>1</td></tr></table>'
    )
    assert word.rows(table) == [["l", "1"]]
    style = table.find(f"{W}tblPr/{W}tblStyle")
    assert style is not None
    assert style.attrib[f"{W}val"] == "RuledTable"


def wide(columns: int) -> str:
    return "<tr>" + f'<td class="gt_right">0.123\u00a0[0.012,\u00a0{columns}]</td>' * columns + "</tr>"


def floats(*tables: str) -> str:
    return "\n\n".join(
        f"::: {{#tbl-t{at}}}\n```{{=html}}\n<table>{table}</table>\n```\n\nCaption {at}.\n:::"
        for at, table in enumerate(tables)
    )


def test_wide_tables_share_turned_pages(write_project: WriteProject, tmp_path: Path) -> None:
    body = floats(ROWS, wide(8), wide(9), ROWS)
    made = render(write_project(body), "index.qmd", ["docx", "pdf"], output=tmp_path / "out", engine="embedded")
    sections = [each.attrib.get(f"{W}orient", "portrait") for each in reading.docx(made.files[0]).body.iter(f"{W}pgSz")]
    assert sections == ["portrait", "landscape", "portrait"]
    command = [program("pdfinfo"), "-l", "9", made.files[1]]
    pages = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    sizes = re.findall(r"size: +([\d.]+) x ([\d.]+)", pages)
    assert [float(width) > float(height) for width, height in sizes] == [False, True, False]


def test_a_wide_table_within_another_block_is_set_smaller(write_project: WriteProject, tmp_path: Path) -> None:
    body = "::: {.callout-note}\n" + floats(wide(9)) + "\n:::"
    made = render(write_project(body), "index.qmd", ["pdf"], output=tmp_path / "out", engine="embedded")
    assert_within(made.files[0], 62.3)


def assert_within(pdf: Path, margin: float) -> None:
    """No word in the margins, and none over another."""
    boxes = subprocess.run([program("pdftotext"), "-bbox", pdf, "-"], capture_output=True, text=True, check=True).stdout
    for page in re.findall(r"<page .*?</page>", boxes, flags=re.DOTALL):
        width = float(re.findall(r'width="([\d.]+)"', page)[0])
        lines: dict[str, list[tuple[float, float]]] = {}
        for left, right, bottom in re.findall(
            r'<word xMin="([\d.]+)" yMin="[\d.]+" xMax="([\d.]+)" yMax="([\d.]+)"', page
        ):
            assert margin - 1 <= float(left) <= float(right) <= width - margin + 1
            lines.setdefault(bottom, []).append((float(left), float(right)))
        for words in lines.values():
            assert all(after[0] >= before[1] - 0.5 for before, after in pairwise(sorted(words)))


@pytest.mark.parametrize("columns", [3, 5, 6, 8, 12, 20])
def test_tables_of_any_width_stay_within_their_pages(write_project: WriteProject, tmp_path: Path, columns: int) -> None:
    made = render(
        write_project(floats(wide(columns))), "index.qmd", ["pdf"], output=tmp_path / "out", engine="embedded"
    )
    assert_within(made.files[0], 62.3)
    # The parts of one that is too wide for any page have the first column again.
    assert reading.pdf_text(made.files[0]).count("0.123") == columns + (columns == 20)


def test_docx_styles_of_cells(write_project: WriteProject, tmp_path: Path) -> None:
    rows = '<tr><th colspan="2">Group</th></tr>' + ROWS * 2
    foot = "".join(f'<tr><td colspan="2">{note}</td></tr>' for note in ("One.", "Two."))
    head = "<thead><tr><th>A</th><th>B</th></tr></thead>"
    tables = [f"<table>{head}<tbody>{rows}</tbody>{own}</table>" for own in ("", f"<tfoot>{foot}</tfoot>")]
    body = "\n\n".join(
        f"::: {{#tbl-{at}}}\n```{{=html}}\n{table}\n```\n\nCaption.\n:::" for at, table in enumerate(tables)
    )
    made = render(write_project(body), "index.qmd", ["docx"], output=tmp_path / "out", engine="embedded")
    word = reading.docx(made.files[0])
    assert word.styled("TableHeading") == ["A", "B"] * 2
    assert word.styled("TableGroup") == ["Group"] * 2
    assert (word.styled("TableNoteKept"), word.styled("TableNote")) == (["One."], ["Two."])
    assert word.styled("TableText")[:4] == ["a", "1"] * 2
    kept = [
        each.find(f"{W}pPr/{W}keepNext") is not None for each in word.body.iter(f"{W}p") if word.text_of(each) == "1"
    ]
    assert kept == [True, False, True, True], "all rows but the last stay with the next, and that one with a note"


def test_notes_of_a_wide_docx_table_are_its_last_row(write_project: WriteProject, tmp_path: Path) -> None:
    foot = "".join(f'<tr><td colspan="7">{note}</td></tr>' for note in ("One.", "<em>p</em>: two."))
    cells = "".join(f"<td>{number}.123 [0.1, 0.2]</td>" for number in range(6))
    word, table = word_table(
        write_project, tmp_path / "out", f"<table><tr><td>a</td>{cells}</tr><tfoot>{foot}</tfoot></table>"
    )
    assert word.rows(table)[1:] == [["One.p: two."]]
    data, notes = table.findall(f"{W}tr")
    rules = [[each.get(f"{W}val") for each in row.iterfind(f".//{W}tcBorders/{W}bottom")] for row in (data, notes)]
    assert rules == [["single"] * 7, ["nil"]], "the table's rule stands above its notes"
    first = data.find(f"{W}tc/{W}p/{W}pPr/{W}keepNext")
    assert first is not None, "no page break between the table and its notes"


def test_notes_with_a_reference_are_the_last_row_too(write_project: WriteProject, tmp_path: Path) -> None:
    table = f"<table><tr><td>a</td>{'<td>0.123 [0.1, 0.2]</td>' * 6}</tr></table>"
    notes = "::: {.table-notes}\nAs under @tbl-a.\n:::"
    project = write_project(f"::: {{#tbl-a}}\n```{{=html}}\n{table}\n```\n\n{notes}\n\nCaption.\n:::")
    made = render(project, "index.qmd", ["docx"], output=tmp_path / "out", engine="embedded")
    word = reading.docx(made.files[0])
    assert [word.rows(each)[1:] for each in word.tables()] == [[["As under Table 1."]]]


def test_numbers_in_docx_have_room_for_wider_fonts_where_labels_can_wrap(
    write_project: WriteProject, tmp_path: Path
) -> None:
    label, number = "a label of many words that can be put on several lines", "0.1234567"
    cells = f"<td>{number}</td>" * 5
    _, table = word_table(write_project, tmp_path / "out", f"<table><tr><td>{label}</td>{cells}</tr></table>")
    first, *others = [int(each.attrib[f"{W}w"]) / 20 for each in table.iter(f"{W}gridCol")]
    # 8.5 points: digits of 0.636 em, as in DejaVu Serif, and the margins of a cell.
    assert min(others) >= 0.636 * 8.5 * len(number) + 8.5
    assert first < 0.45 * 8.5 * len(label), "the label wraps"


def test_no_page_has_a_single_last_row(write_project: WriteProject, tmp_path: Path) -> None:
    """Tables a row longer each, so that some end just behind a page's end."""
    head = '<thead><tr><th>A</th><th class="gt_right">B</th></tr></thead>'
    width = "a label too long for two tables beside each other, and for three all the more"
    tables = [
        f"```{{=html}}\n<table>{head}<tbody>{f'<tr><td>{width}</td><td>1</td></tr>' * count}</tbody></table>\n```"
        for count in range(60, 68)
    ]
    project = write_project("\n\n{{< pagebreak >}}\n\n".join(tables))
    made = render(project, "index.qmd", ["pdf"], output=tmp_path / "out", engine="embedded").files[0]
    rows = [page.count(width) for page in reading.pdf_text(made).split("\f")]
    assert sum(rows) == sum(range(60, 68))
    assert len(rows) > len(tables) + 2
    assert min(count for count in rows if count) == 3


def test_the_next_page_repeats_the_heading_of_a_group(write_project: WriteProject, tmp_path: Path) -> None:
    label = "a label too long for two tables beside each other, and for three all the more"
    groups = "".join(
        f'<tr><th colspan="2">{name}</th></tr>' + f"<tr><td>{label}</td><td>1</td></tr>" * 40
        for name in ("First", "Last")
    )
    head = '<thead><tr><th>A</th><th class="gt_right">B</th></tr></thead>'
    project = write_project(f"```{{=html}}\n<table>{head}<tbody>{groups}</tbody></table>\n```")
    made = render(project, "index.qmd", ["pdf"], output=tmp_path / "out", engine="embedded")
    pages = reading.pdf_text(made.files[0]).rstrip("\f").split("\f")
    assert [page.count("First") for page in pages] == [1, 0]
    assert [page.count("Last") for page in pages] == [1, 1]
    assert not made.notes


def test_a_long_and_narrow_table_begins_where_a_page_has_room(write_project: WriteProject, tmp_path: Path) -> None:
    table = f"<table>{'<tr><td>row</td><td>1</td></tr>' * 96}</table>"
    text = "Before.\n\n" * 24
    project = write_project(f"{text}::: {{#tbl-a}}\n```{{=html}}\n{table}\n```\n\nCaption.\n:::")
    made = render(project, "index.qmd", ["pdf"], output=tmp_path / "out", engine="embedded")
    first, second = [page.count("row") for page in reading.pdf_text(made.files[0]).rstrip("\f").split("\f")]
    assert first + second == 96
    assert first > second > 0
