"""PDF that is accessible where it can be, and letters that fonts lack."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from analysis.errors import ReportError
from analysis.report.engine import render
from analysis.report.methods.section import methods
from analysis.report.typesetting import typeset
from analysis.study_files.loading import load

if TYPE_CHECKING:
    from pathlib import Path

    from tests.report.conftest import WriteProject

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


def test_a_letter_that_no_font_has_is_told(tmp_path: Path) -> None:
    made = typeset(source(tmp_path, f"Text {UNASSIGNED}."))
    assert made.note.startswith("no installed font has every letter of the report: ")
    assert made.note.isprintable()
    assert made.pdf.startswith(b"%PDF-")


def test_a_picture_without_description_is_printed_all_the_same(tmp_path: Path) -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
    (tmp_path / "a.svg").write_text(svg)
    made = typeset(source(tmp_path, '#figure(image("a.svg"))'))
    assert made.note == ""
    assert b"pdfuaid:part" not in made.pdf


def test_what_typst_cannot_compile_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="typst failed: unknown variable: nonesuch"):
        typeset(source(tmp_path, "#nonesuch"))


def test_notes_reach_who_asked_for_the_report(write_project: WriteProject, tmp_path: Path) -> None:
    rendered = render(write_project(f"Text {UNASSIGNED}."), "index.qmd", ["html", "pdf"], output=tmp_path / "out")
    assert len(rendered.notes) == (rendered.engine == "embedded")


def test_the_methods_of_a_study_are_accessible(write_project: WriteProject, tmp_path: Path) -> None:
    """A formula without a description would take the promise away from the whole report."""
    text = methods(load("wang2025").study, {})
    project = write_project(text.replace("[@", "[at "))
    made = render(project, "index.qmd", ["pdf"], output=tmp_path / "out", engine="embedded")
    assert "10^−12^" in text
    assert b"pdfuaid:part>1<" in made.files[0].read_bytes()
