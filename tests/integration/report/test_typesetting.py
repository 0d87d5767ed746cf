"""PDF that is accessible where it can be, and letters that fonts lack."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tallybook.core.errors import ReportError
from tallybook.report.engine import render
from tallybook.report.methods_section import methods
from tallybook.report.typesetting import typeset
from tallybook.study.loading import load
from tests.fonts import font
from tests.integration.report.reading import pdf_text

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.report.conftest import WriteProject

UNASSIGNED = "\U0003fffd"


def source(folder: Path, body: str) -> Path:
    file = folder / "a.typ"
    file.write_text(f'#set document(title: [T])\n#set text(font: "Libertinus Serif")\n{body}\n', encoding="utf-8")
    return file


def test_pdf_is_tagged_for_readers_who_do_not_see_it(tmp_path: Path) -> None:
    made = typeset(source(tmp_path, "= A\n\nText."))
    assert made.note == ""
    assert b"pdfuaid:part>1<" in made.pdf
    assert b"/StructTreeRoot" in made.pdf


def test_two_runs_give_the_same_bytes(tmp_path: Path) -> None:
    file = source(tmp_path, "= A\n\nText.")
    assert typeset(file) == typeset(file)


def test_a_letter_that_no_font_has_is_named_and_printed_as_its_code_point(tmp_path: Path) -> None:
    file = source(tmp_path, f"= {UNASSIGNED}\n\nText {UNASSIGNED}\u0378. `raw {UNASSIGNED}`")
    before = file.read_bytes()
    made = typeset(file)
    assert made.note == (
        "no installed font has 2 letters of the report, printed as code points: "
        "\\u0378 (U+0378), \\U0003fffd (U+3FFFD); "
        "install fonts that have them, such as Noto (on Debian and Ubuntu: apt install fonts-noto)"
    )
    assert b"pdfuaid:part>1<" in made.pdf
    assert file.read_bytes() == before
    (tmp_path / "a.pdf").write_bytes(made.pdf)
    assert "".join(pdf_text(tmp_path / "a.pdf").split()) == "U+3FFFDTextU+3FFFDU+0378.rawU+3FFFD"


def test_a_letter_of_the_machines_fonts_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    folder = tmp_path / ("Library/Fonts" if sys.platform == "darwin" else ".local/share/fonts")
    font(folder, "One", f"{UNASSIGNED}x")
    made = typeset(source(tmp_path, f"Text {UNASSIGNED}."))
    assert made.note == ""
    assert b"pdfuaid:part>1<" in made.pdf
    assert b"One-Regular" in made.pdf
    # What that font lacks is named, and nothing else.
    made = typeset(source(tmp_path, f"Text {UNASSIGNED}\u0378."))
    assert "has 1 letter of the report, printed as code points: \\u0378 (U+0378);" in made.note
    assert b"One-Regular" in made.pdf


def test_a_thousand_letters_that_no_font_has(tmp_path: Path) -> None:
    letters = "".join(map(chr, range(0x90000, 0x90000 + 1000)))
    made = typeset(source(tmp_path, f"Text {letters}."))
    assert "has 1,000 letters of the report, printed" in made.note
    assert " and 990 more; " in made.note
    assert b"pdfuaid:part>1<" in made.pdf


def test_more_letters_between_quotation_marks_than_typst_can_replace(tmp_path: Path) -> None:
    made = typeset(source(tmp_path, f"'{UNASSIGNED}' " * 600))
    assert "has 1 letter of the report, printed as boxes: " in made.note
    assert made.pdf.startswith(b"%PDF-")


def test_letters_of_pictures_that_no_font_has(tmp_path: Path) -> None:
    picture = f'<svg xmlns="http://www.w3.org/2000/svg" width="90" height="50"><text y="30">a{UNASSIGNED}</text></svg>'
    (tmp_path / "a.svg").write_text(picture, encoding="utf-8")
    made = typeset(source(tmp_path, '#figure(image("a.svg", alt: "A"))'))
    assert made.note.startswith("no installed font has every letter of the report: ")
    assert made.note.isprintable()
    assert made.pdf.startswith(b"%PDF-")


def test_a_picture_without_description_is_printed_all_the_same(tmp_path: Path) -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
    (tmp_path / "a.svg").write_text(svg)
    made = typeset(source(tmp_path, '#figure(image("a.svg"))'))
    assert made.note.startswith("the PDF is not accessible (ua-1): PDF/UA-1 error: missing alt text")
    assert b"pdfuaid:part" not in made.pdf


def test_what_typst_cannot_compile_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="typst failed: unknown variable: nonesuch"):
        typeset(source(tmp_path, "#nonesuch"))


def test_notes_reach_who_asked_for_the_report(write_project: WriteProject, tmp_path: Path) -> None:
    project = write_project(f"Text {UNASSIGNED}.")
    rendered = render(project, "index.qmd", ["html", "pdf"], output=tmp_path / "out", engine="embedded")
    assert len(rendered.notes) == 1
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["index.html", "index.pdf"]


def test_the_methods_of_a_study_are_accessible(write_project: WriteProject, tmp_path: Path) -> None:
    """A formula without a description would take the promise away from the whole report."""
    text = methods(load("wang2025").study, {})
    project = write_project(text.replace("[@", "[at "))
    made = render(project, "index.qmd", ["pdf"], output=tmp_path / "out", engine="embedded")
    assert "10^−12^" in text
    assert b"pdfuaid:part>1<" in made.files[0].read_bytes()
