"""A report's copy for review: nobody's names, and lines that are numbered."""

from __future__ import annotations

import re
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


def make_anonymous(project: Path, document: str) -> None:
    """Remove the authors of a project's document, and number the lines of its PDF."""
    path = project / document
    head, end, body = path.read_text(encoding="utf-8-sig").partition("\n---")
    path.write_text(_WHO.sub("", f"{head}\n")[:-1] + end + body, encoding="utf-8", newline="")
    with (project / "theme" / "tallybook.typ").open("a", encoding="utf-8", newline="") as theme:
        theme.write(_LINES)
