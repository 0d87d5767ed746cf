"""theme/tables.lua: tables written in HTML as tables of typst and docx."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from analysis.report import pandoc
from analysis.report.engine import render
from analysis.resources import REPORTS
from tests.report import reading
from tests.report.reading import W

if TYPE_CHECKING:
    from pathlib import Path

    from tests.report.conftest import WriteProject

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


def test_docx_styles_of_cells(write_project: WriteProject, tmp_path: Path) -> None:
    rows = '<tr><th colspan="2">Group</th></tr>' + ROWS * 2
    table = f"<table><thead><tr><th>A</th><th>B</th></tr></thead><tbody>{rows}</tbody></table>"
    body = f"::: {{#tbl-a}}\n```{{=html}}\n{table}\n```\n\nCaption.\n:::"
    made = render(write_project(body), "index.qmd", ["docx"], output=tmp_path / "out", engine="embedded")
    word = reading.docx(made.files[0])
    assert word.styled("TableHeading") == ["A", "B"]
    assert word.styled("TableGroup") == ["Group"]
    assert word.styled("TableText")[:4] == ["a", "1"] * 2
    kept = [
        each.find(f"{W}pPr/{W}keepNext") is not None for each in word.body.iter(f"{W}p") if word.text_of(each) == "1"
    ]
    assert kept == [True, False], "all rows but the last stay with the next"
