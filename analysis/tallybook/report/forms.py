"""Forms of a report: a journal's manuscript, the anonymous copy for review, numbered lines."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from tallybook.core.resources import REPORTS
from tallybook.report.project import read_yaml
from tallybook.report.word import REFERENCE, STYLES, number_lines, rewrite

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

# The size of the running text of Word files, and the space around its paragraphs.
_SIZE = re.compile(r'(<w:szC?s? w:val=)"21"')
_BODY = re.compile(r'(<w:style [^>]*w:styleId="BodyText">(?:(?!</w:style>).)*?)<w:spacing [^>]*/>', re.DOTALL)


def make_anonymous(project: Path, document: str) -> None:
    """Remove the authors of a project's document, and number the lines of its PDF and of its Word file."""
    path = project / document
    head, end, body = path.read_text(encoding="utf-8-sig").partition("\n---")
    path.write_text(_WHO.sub("", f"{head}\n")[:-1] + end + body, encoding="utf-8", newline="")
    _number_lines_of(project)


def template(name: str | None) -> dict[str, Any]:
    """Read the form of a journal's manuscripts (reports/templates); nothing without a name."""
    form: Any = {}
    if name:
        form = read_yaml((REPORTS / "templates" / f"{name}.yml").read_text(encoding="utf-8"), name)
    return form


def set_in_form(project: Path, name: str) -> None:
    """Give a project the page, the print and the lines of a journal's manuscripts."""
    form = template(name)
    settings = project / "_quarto.yml"
    declared: Any = read_yaml(settings.read_text(encoding="utf-8"), settings.name)
    declared["format"]["typst"] |= form["typst"]
    settings.write_text(json.dumps(declared, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    _append(project / "theme" / "tallybook.typ", form["page"])
    _append(project / "theme" / "lists.typ", form.get("text", ""))
    if "word" in form:
        size, line = form["word"]["size"], form["word"]["line"]
        spaced = rf'\1<w:spacing w:before="0" w:after="0" w:line="{line}" w:lineRule="auto" />'
        printed = rf'\g<1>"{size}"'
        rewrite(project / REFERENCE, {STYLES: lambda text: _BODY.sub(spaced, _SIZE.sub(printed, text))})
    if form.get("lines"):
        _number_lines_of(project)


def _append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8", newline="") as file:
        file.write(f"\n{text}")


def _number_lines_of(project: Path) -> None:
    theme = project / "theme" / "tallybook.typ"
    if _LINES not in theme.read_text(encoding="utf-8"):
        _append(theme, _LINES)
        number_lines(project / REFERENCE)
