"""The supplement of a paper in LaTeX: one self-contained folder, whose parts can be included in a paper."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tallybook.report import data_section
from tallybook.report import pandoc as bounded
from tallybook.report.assembly import own_bibliographies, printed_numbers
from tallybook.report.bibliography import bibliography
from tallybook.report.citation import title_page
from tallybook.report.formats import SUPPLEMENT
from tallybook.report.forms import template
from tallybook.report.fragments import reference
from tallybook.report.methods_section import methods_of
from tallybook.tables.latex import latex, symbols, table_latex

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.pipeline import Results
    from tallybook.validation.model import Report

DOCUMENT = "supplement.tex"
"""The main LaTeX file."""

_ASSETS = Path(__file__).parent / "assets"
_PARTS = {
    "class": re.compile(r"\\documentclass.* % CLASS\n"),
    "front": re.compile(r"% FRONT\n.*% END\n", re.DOTALL),
}
"""The parts of the document that a journal's template replaces."""
_FIGURES = re.compile(r"\\section\{Figures\}.*?\\clearpage\n\n|\\listoffigures\n", re.DOTALL)


def write(results: Results, folder: Path, versions: Mapping[str, str], narrative: Path, validation: Report) -> Path:
    """Write the supplement into an output folder that already has tables and figures."""
    target = folder / "report" / SUPPLEMENT
    (target / "tables").mkdir(parents=True)
    (target / "figures").mkdir()
    own = own_bibliographies(narrative.parent)
    sources = bibliography(own)
    study = results.loaded.study
    page = title_page(study, narrative)
    parts = {
        "README.md": (_ASSETS / "supplement.md").read_text(encoding="utf-8"),
        "references.bib": "\n".join([*(path.read_text(encoding="utf-8-sig") for path in own), sources.text]),
        "methods.tex": _converted(sources.cited(methods_of(results, versions, narrative.parent))),
        "data.tex": _data(results, target, validation),
    }
    for table in results.tables.tables:
        shutil.copy(folder / "tables" / f"{table.id}.tex", target / "tables")
    parts[DOCUMENT] = _document(results, page.title, page.authors, target)
    for figure in study.figures:
        shutil.copy(folder / "figures" / f"{figure.id}.pdf", target / "figures" / f"{_file_name(figure.id)}.pdf")
    for name, text in parts.items():
        (target / name).write_text(text, encoding="utf-8", newline="")
    return target / DOCUMENT


def _file_name(identifier: str) -> str:
    r"""Return a figure's name in a form that LaTeX accepts within a path and a label.

    >>> _file_name("1 #b~c")
    '1--b-c'
    """
    return re.sub(r"[^A-Za-z0-9.-]", "-", identifier)


def _document(results: Results, title: str, authors: tuple[str, ...], target: Path) -> str:
    figures = results.loaded.study.figures
    names = [latex(name) for name in authors]
    numbers = printed_numbers(results.loaded.study)
    tables = [
        _numbered("table", numbers.get(reference("tbl", table.id)), _table(table.id, target / "tables"))
        for table in results.tables.tables
    ]
    drawn = [
        _numbered("figure", numbers.get(reference("fig", one.id)), _figure(_file_name(one.id), one.title))
        for one in figures
    ]
    texts = {
        "TITLE": latex(title),
        "NAMES": ", ".join(names),
        "AUTHORS": r" \and ".join(names),
        "FLOATS": str(len(tables) + len(figures) + 20),
        "% TABLES": "\n".join(tables),
        "% FIGURES": "\n\n".join(drawn),
    }
    frame = (_ASSETS / DOCUMENT).read_text(encoding="utf-8")
    form = template(results.loaded.study.style.template).get("latex", {})
    for part, pattern in _PARTS.items():
        if part in form:
            frame = pattern.sub(lambda _, own=form[part]: own, frame)
    if not figures:
        frame = _FIGURES.sub("", frame)
    # In one pass, so that inserted texts are not searched for placeholders.
    return re.sub("|".join(texts), lambda found: texts[found[0]], frame)


def _numbered(kind: str, number: str | None, text: str) -> str:
    """Number a table or figure as in the publication instead of by the supplement's own counter."""
    if number is None:
        return text
    named = "".join(rf"\def\the{one}{kind}{{{latex(number)}}}" for one in ("", "H"))
    return f"\\begingroup{named}\n{text}\n\\addtocounter{{{kind}}}{{-1}}\\endgroup"


def _table(name: str, folder: Path) -> str:
    """Return the command that inputs a table; before a long one, flush earlier floats so that they do not follow it."""
    is_long = r"\begin{longtable}" in (folder / f"{name}.tex").read_text(encoding="utf-8")
    return ("\\clearpage\n" if is_long else "") + rf"\input{{tables/{name}}}"


def _figure(name: str, title: str) -> str:
    return "\n".join(
        [
            r"\begin{figure}[htbp]",
            r"\centering",
            rf"\includegraphics[width=\linewidth,height=0.8\textheight,keepaspectratio]{{figures/{name}.pdf}}",
            rf"\caption{{{latex(title)}}}",
            rf"\label{{fig:{name}}}",
            r"\end{figure}",
        ]
    )


def _data(results: Results, target: Path, validation: Report) -> str:
    """Write the data section's tables as files, with identifiers that no study's table has, and return its text."""
    checks, statuses = data_section.checks_table(validation), data_section.status_table(results)
    own = (
        replace(checks, id="data-checks", title="Checks of the data and their outcomes."),
        replace(statuses, id="data-responses", title="Responses by model and status after coding."),
    )
    for table in own:
        (target / "tables" / f"{table.id}.tex").write_text(table_latex(table), encoding="utf-8", newline="")
    texts = [
        data_section.sources(results),
        data_section.checks_text(validation).replace("@tbl-checks", r"`Table~\ref{tab:data-checks}`{=latex}"),
        data_section.failures(validation),
        data_section.notes(results),
    ]
    told = r"`Table~\ref{tab:data-responses}`{=latex} shows what coding made of the responses." + "\n"
    inputs = "\n".join(rf"\input{{tables/{table.id}}}" for table in own)
    return _converted("\n".join([*texts[:3], told, texts[3]])) + inputs + "\n"


def _converted(markdown: str) -> str:
    """Convert a Markdown text to LaTeX, with citations for natbib."""
    arguments = ["--wrap=none", "--natbib", "--from=markdown", "--to=latex"]
    return symbols(bounded.converted(arguments, "the supplement", markdown))
