"""Every table of the published studies, set by a real LaTeX and by typst, and its pages measured."""

from __future__ import annotations

import re
import subprocess
from itertools import pairwise
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
import typst

from tallybook.tables.latex import table_latex
from tallybook.tables.typeset import typeset_cells
from tallybook.tables.typst import table_typst
from tests import computed_once
from tests.programs import latex, program

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.tables.content import Table

STUDIES = ("wang2025", "kamruzzaman2024", "bai2025")
PACKAGES = ("booktabs", "longtable", "rotating", "pdflscape")
TOLERANCE = 1.0
"""What a line may be wider than its measure, in points: about the breadth of a hair."""


def tables(study: str) -> list[Table]:
    return computed_once.bundled(study).tables.tables


@pytest.mark.slow
@pytest.mark.parametrize("study", STUDIES)
def test_every_table_compiles_with_latex_and_fits_its_page(study: str, tmp_path: Path) -> None:
    pdflatex = latex(*PACKAGES)
    inputs: list[str] = []
    for table in tables(study):
        (tmp_path / f"{table.id}.tex").write_text(table_latex(table), encoding="utf-8")
        inputs.append(rf"\typeout{{TABLE {table.id}.}}\input{{{table.id}.tex}}\clearpage")
    uses = rf"\usepackage[T1]{{fontenc}}\usepackage{{{','.join(PACKAGES)}}}"
    references = " ".join(rf"\ref{{tab:{table.id}}}" for table in tables(study))
    source = [r"\documentclass{article}", uses, r"\begin{document}", *inputs, references, r"\end{document}"]
    (tmp_path / "all.tex").write_text("\n".join(source), encoding="utf-8")
    for _ in range(2):  # the second run knows the labels and the widths of long tables
        done = subprocess.run(
            [pdflatex, "-interaction=nonstopmode", "-halt-on-error", "all.tex"],
            cwd=tmp_path,
            capture_output=True,
            check=False,
            timeout=300,
        )
        log = done.stdout.decode("utf-8", "replace")
        assert done.returncode == 0, log[-3000:]
    assert "undefined" not in log, "a label is missing"
    assert "multiply defined" not in log
    assert "Float too large" not in log
    current, wide = "", dict[str, float]()
    for line in log.splitlines():
        if started := re.search(r"TABLE (\S+)\.$", line):
            current = started[1]
        if over := re.search(r"Overfull \\[hv]box \(([\d.]+)pt", line):
            wide[current] = max(wide.get(current, 0.0), float(over[1]))
    assert {name: points for name, points in wide.items() if points > TOLERANCE} == {}


def test_what_latex_needs_is_named_at_the_head_of_each_table() -> None:
    for table in (table for study in STUDIES for table in tables(study)):
        text = table_latex(table)
        named = set(re.findall(r"\\usepackage\{(\w+)\}", text.splitlines()[0]))
        used = {"booktabs"}
        used |= {"longtable"} if r"\begin{longtable}" in text else set()
        used |= {"rotating"} if r"\begin{sidewaystable}" in text else set()
        used |= {"pdflscape"} if r"\begin{landscape}" in text else set()
        assert named == used, table.id


def words(pdf: Path) -> list[tuple[float, float, list[tuple[float, float, float, float, str]]]]:
    """The pages of a PDF: width, height, and each word with its box."""
    done = subprocess.run([program("pdftotext"), "-bbox", str(pdf), "-"], capture_output=True, check=True)
    root = ET.fromstring(done.stdout)  # noqa: S314  made from our own output
    space = "{http://www.w3.org/1999/xhtml}"
    return [
        (
            float(page.attrib["width"]),
            float(page.attrib["height"]),
            [
                (*(float(word.attrib[name]) for name in ("xMin", "yMin", "xMax", "yMax")), word.text or "")
                for word in page.iter(f"{space}word")
            ],
        )
        for page in root.iter(f"{space}page")
    ]  # type: ignore[misc]  # the four coordinates are unpacked


def assert_pages_are_sound(pdf: Path, margin: float) -> None:
    """Nothing stands in the margin, and no word is printed over another."""
    for number, (width, height, found) in enumerate(words(pdf), start=1):
        for left, top, right, bottom, text in found:
            assert margin - 1 <= left <= right <= width - margin + 1, (number, text)
            assert 0 <= top <= bottom <= height, (number, text)
        lines: dict[float, list[tuple[float, float, str]]] = {}
        for left, _, right, bottom, text in found:
            lines.setdefault(round(bottom, 1), []).append((left, right, text))
        for line in lines.values():
            line.sort()
            for (_, end, before), (start, _, after) in pairwise(line):
                assert start >= end - 0.5, (number, before, after)


@pytest.mark.slow
@pytest.mark.parametrize("study", STUDIES)
def test_every_table_stays_within_the_page_of_typst(study: str, tmp_path: Path) -> None:
    sources = [table_typst(table) for table in tables(study)]
    pages = "#set page(margin: 2.5cm)\n" + "\n#pagebreak(weak: true)\n".join(sources)
    pdf = tmp_path / "all.pdf"
    pdf.write_bytes(typst.compile(pages.encode()))
    assert_pages_are_sound(pdf, 70.8)


@pytest.mark.slow
def test_points_stand_below_each_other_in_typst(tmp_path: Path) -> None:
    """Measured: all numbers with one digit before the point begin at one place in each column, stars or not."""
    starred = [
        table for table in tables("wang2025") if any("*" in cell.pad for row in typeset_cells(table) for cell in row)
    ]
    assert len(starred) > 10
    for table in starred[:3]:
        pdf = tmp_path / f"{table.id}.pdf"
        pdf.write_bytes(typst.compile(table_typst(table).encode()))
        [(_, _, found)] = words(pdf)
        begins = sorted(left for left, _, _, _, text in found if re.fullmatch(r"\d\.\d\d\**", text))
        places = 1 + sum(1 for before, after in pairwise(begins) if after - before > 0.2)
        columns = {at for row in table.rows for at, cell in enumerate(row.cells) if re.fullmatch(r"\d\.\d\d\**", cell)}
        assert places == len(columns), table.id
