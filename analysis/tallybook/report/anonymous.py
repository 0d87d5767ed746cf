"""The anonymous copy of a report for review, with numbered lines."""

from __future__ import annotations

import re
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# Who wrote it, in the front matter: a line, and those below it that belong to it.
_WHO = re.compile(
    r"^(?:authors?|affiliations?|institutes?|institution|orcid|email|thanks|funding|acknowledge?ments|copyright)[ \t]*:"
    r".*\n(?:[ \t].*\n|- .*\n|[ \t]*\n)*",
    re.MULTILINE,
)
_LINES = """
#set par.line(numbering: n => text(size: 7pt, fill: luma(45%))[#n])
#show figure: set par.line(numbering: none)
#show outline: set par.line(numbering: none)
"""

_REFERENCE = "theme/reference.docx"
_TEXT = "word/document.xml"
_WORD_LINES = '<w:lnNumType w:countBy="1" w:restart="continuous" />'
# The page of a section, where its lines are not numbered yet.
_PAGE = re.compile(r"<w:pgSz [^>]*/>(?:\s*<w:pgMar [^>]*/>)?+(?!\s*<w:lnNumType )")


def make_anonymous(project: Path, document: str) -> None:
    """Remove the authors of a project's document, and number the lines of its PDF and of its Word file."""
    path = project / document
    head, end, body = path.read_text(encoding="utf-8-sig").partition("\n---")
    path.write_text(_WHO.sub("", f"{head}\n")[:-1] + end + body, encoding="utf-8", newline="")
    with (project / "theme" / "tallybook.typ").open("a", encoding="utf-8", newline="") as theme:
        theme.write(_LINES)
    _number_lines(project / _REFERENCE)


def finish_word(project: Path, report: Path) -> None:
    """Number the lines of all sections of a Word report, turned pages too, if its reference document does."""
    reference = project / _REFERENCE
    if reference.is_file():
        with zipfile.ZipFile(reference) as archive:
            is_numbered = b"<w:lnNumType " in archive.read(_TEXT)
        if is_numbered:
            _number_lines(report)


def _number_lines(docx: Path) -> None:
    with zipfile.ZipFile(docx) as archive:
        members = [(entry, archive.read(entry)) for entry in archive.infolist()]
    with zipfile.ZipFile(docx, "w") as archive:
        for entry, content in members:
            is_text = entry.filename == _TEXT
            numbered = _PAGE.sub(rf"\g<0>{_WORD_LINES}", content.decode("utf-8")).encode() if is_text else content
            archive.writestr(entry, numbered)
