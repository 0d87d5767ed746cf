"""Forms of a report: a journal's manuscript, the anonymous copy for review, numbered lines."""

from __future__ import annotations

import json
import re
import zipfile
from typing import TYPE_CHECKING, Any

from tallybook.core.resources import REPORTS
from tallybook.report.project import read_yaml

if TYPE_CHECKING:
    from collections.abc import Callable
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
# The size of the running text, and the space around its paragraphs.
_SIZE = re.compile(r'(<w:szC?s? w:val=)"21"')
_BODY = re.compile(r'(<w:style [^>]*w:styleId="BodyText">(?:(?!</w:style>).)*?)<w:spacing [^>]*/>', re.DOTALL)
# The page of a section, where its lines are not numbered yet.
_PAGE = re.compile(r"<w:pgSz [^>]*/>(?:\s*<w:pgMar [^>]*/>)?+(?!\s*<w:lnNumType )")


def make_anonymous(project: Path, document: str) -> None:
    """Remove the authors of a project's document, and number the lines of its PDF and of its Word file."""
    path = project / document
    head, end, body = path.read_text(encoding="utf-8-sig").partition("\n---")
    path.write_text(_WHO.sub("", f"{head}\n")[:-1] + end + body, encoding="utf-8", newline="")
    _number_lines_of(project)


def set_in_form(project: Path, template: str) -> None:
    """Give a project the page, the print and the lines of a journal's manuscripts (reports/templates)."""
    form: Any = read_yaml((REPORTS / "templates" / f"{template}.yml").read_text(encoding="utf-8"), template)
    settings = project / "_quarto.yml"
    declared: Any = read_yaml(settings.read_text(encoding="utf-8"), settings.name)
    declared["format"]["typst"] |= form["typst"]
    settings.write_text(json.dumps(declared, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    _append(project / "theme" / "tallybook.typ", form["page"])
    _append(project / "theme" / "lists.typ", form.get("text", ""))
    if "word" in form:
        size, line = form["word"]["size"], form["word"]["line"]
        spaced = rf'\1<w:spacing w:before="0" w:after="0" w:line="{line}" w:lineRule="auto" />'
        _rewrite(
            project / _REFERENCE,
            "word/styles.xml",
            lambda text: _BODY.sub(spaced, _SIZE.sub(rf'\g<1>"{size}"', text)),
        )
    if form.get("lines"):
        _number_lines_of(project)


def _append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8", newline="") as file:
        file.write(f"\n{text}")


def _number_lines_of(project: Path) -> None:
    theme = project / "theme" / "tallybook.typ"
    if _LINES not in theme.read_text(encoding="utf-8"):
        _append(theme, _LINES)
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
    _rewrite(docx, _TEXT, lambda text: _PAGE.sub(rf"\g<0>{_WORD_LINES}", text))


def _rewrite(docx: Path, name: str, change: Callable[[str], str]) -> None:
    """Change the text of a member of a Word file."""
    with zipfile.ZipFile(docx) as archive:
        members = [(entry, archive.read(entry)) for entry in archive.infolist()]
    with zipfile.ZipFile(docx, "w") as archive:
        for entry, content in members:
            archive.writestr(entry, change(content.decode("utf-8")) if entry.filename == name else content)
