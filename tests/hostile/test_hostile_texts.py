"""Thirty texts that would act, as responses, labels and names, through the whole chain: literal in every format."""

from __future__ import annotations

import csv
import html
import re
import subprocess
import zipfile
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import polars as pl
import pytest

from tallybook.cli.commands import computing
from tallybook.cli.options import Wanted
from tallybook.core.untrusted import FORMULA_STARTS, escaped
from tallybook.report.methods_section import PROGRAMS
from tallybook.validation.command import validate
from tests.hostile.hostile import SHOWN, STUDY, TEXTS, dump
from tests.programs import program

if TYPE_CHECKING:
    from pathlib import Path

DOCUMENT = {"html", "head", "meta", "title", "style", "script", "body", "header", "nav", "main", "section", "div"}
TEXT = {"h1", "h2", "h3", "p", "ol", "ul", "li", "a", "em", "strong", "code", "sub", "sup", "span", "figure", "img"}
TABLE = {"table", "caption", "figcaption", "colgroup", "col", "thead", "tbody", "tfoot", "tr", "th", "td"}
CONTROLS = {"button", "input", "label"}


def squeezed(text: str) -> str:
    """The text without spaces and marks of direction, which each format sets in its own way."""
    return re.sub(r"[\s\u200b\u202a-\u202e\u2066-\u2069]+", "", text)


class Page(HTMLParser):
    """What a browser would make of a page: its text, its elements and their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self.scripts: list[str] = []
        self._silent = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {(name, value or "") for name, value in attrs}
        self._silent = tag if tag in {"style", "script"} else ""

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002  the parser calls it so
        self._silent = ""

    def handle_data(self, data: str) -> None:
        if self._silent == "script":
            self.scripts.append(data)
        elif not self._silent:
            self.texts.append(data)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The output folder of the study, with its report in every format, and the warnings."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    (folder / "dump.csv").write_text(dump(), encoding="utf-8", newline="")
    wanted = Wanted(
        study=str(folder),
        out=folder / "out",
        formats=["html", "pdf", "docx", "supplement"],
        engine="embedded",
        quiet=True,
    )
    summary = computing.report(wanted)
    assert all(line.isprintable() for line in [*summary["warnings"], *summary["text"].splitlines()])
    return folder / "out", summary["warnings"]


@pytest.fixture(scope="module")
def out(made: tuple[Path, list[str]]) -> Path:
    return made[0]


def assert_shows_all(text: str) -> None:
    """Each text is there as a reader should see it."""
    found = squeezed(text)
    assert [one for one in SHOWN if squeezed(one) not in found] == []


def assert_is_harmless(page: Page) -> None:
    """Nothing of the texts has become an element, an attribute or an address."""
    assert page.tags <= DOCUMENT | TEXT | TABLE | CONTROLS
    assert not {name for name, _ in page.attributes if name.startswith("on")}
    addresses = {value for name, value in page.attributes if name in {"href", "src"}}
    addresses -= {program.url for program in PROGRAMS.values()}  # the report's own sources
    assert all(value.startswith(("#", "data:")) for value in addresses), addresses
    assert not any("alert" in script for script in page.scripts)


def test_a_page(out: Path) -> None:
    page = Page((out / "report" / "hostile.html").read_text(encoding="utf-8"))
    assert_shows_all("".join(page.texts))
    assert_is_harmless(page)


def test_a_print(made: tuple[Path, list[str]]) -> None:
    out, warnings = made
    command = [program("pdftotext"), "-raw", "report/hostile.pdf", "-"]
    text = subprocess.run(command, cwd=out, capture_output=True, text=True, check=True).stdout
    found = squeezed(text)
    assert [one for one in [*SHOWN[:-1], "é"] if squeezed(one) not in found] == []
    # A letter that no font of this machine has is printed as its code point, and a warning names it.
    named = "".join(one for one in warnings if "letters of the report, printed as code points" in one)
    for letter in squeezed(SHOWN[-1]):
        code_point = f"U+{ord(letter):04X}"
        assert (code_point in found) == (f"{letter} ({code_point})" in named)
        assert letter in found or code_point in found
    # Letters that stand from right to left come in another order.
    joined = "".join(letter if letter in found else f"U+{ord(letter):04X}" for letter in "日本語")
    assert joined in found


def test_a_word_document(out: Path) -> None:
    with zipfile.ZipFile(out / "report" / "hostile.docx") as packed:
        xml = packed.read("word/document.xml").decode()
        links = packed.read("word/_rels/document.xml.rels").decode()
    assert_shows_all(html.unescape("".join(re.findall(r"<w:t(?: [^>]*)?>([^<]*)</w:t>", xml))))
    assert "example.org" not in links
    assert "w:fldSimple" not in xml or "HYPERLINK(" not in "".join(re.findall(r'w:instr="([^"]*)"', xml))


def test_tables_of_their_own(out: Path) -> None:
    pages = [Page(path.read_text(encoding="utf-8")) for path in sorted((out / "tables").glob("*.html"))]
    assert len(pages) == 2
    assert_shows_all("".join(text for page in pages for text in page.texts))
    for page in pages:
        assert_is_harmless(page)


def test_csv_files_call_nothing(out: Path) -> None:
    paths = sorted(out.rglob("*.csv"))
    assert len(paths) >= 5
    for path in paths:
        for row in csv.reader(path.read_text(encoding="utf-8").splitlines()):
            called = [cell for cell in row if cell.startswith(FORMULA_STARTS) and not re.fullmatch(r"-?[\d.e-]+", cell)]
            assert called == [], path
            assert all(cell.isprintable() for cell in row), path
    cells = pl.read_csv(out / "tables.csv", infer_schema=False).get_column("text").to_list()
    ranked = {re.sub(r" \(100\.0%\)$", "", cell).removeprefix("'") for cell in cells if cell.endswith("(100.0%)")}
    assert ranked == {escaped(text).strip() for text in TEXTS}


def test_figures_are_drawn(out: Path) -> None:
    drawn = Page((out / "figures" / "1.svg").read_text(encoding="utf-8"))
    assert not drawn.tags & {"script", "a", "image", "foreignobject"}
    assert not {name for name, _ in drawn.attributes if name.startswith("on")}
    assert all(value.startswith("#") for name, value in drawn.attributes if name.endswith("href"))
    assert "".join(drawn.texts).strip() == "image/svg+xml"


def test_parquet_keeps_the_responses_as_they_are(out: Path) -> None:
    """What programs read is not escaped: nothing of a response is lost."""
    texts = pl.read_parquet(out / "responses.parquet").get_column("text").unique()
    assert set(texts) == set(TEXTS)


@pytest.mark.parametrize("form", ["text", "json", "jsonl", "github", "junit", "sarif", "markdown"])
def test_validation_tells_them_as_texts(form: str, tmp_path: Path) -> None:
    unknown = STUDY.replace("t17 = ", "tx = ").replace('unmapped = "report"', 'unmapped = "error"')
    (tmp_path / "study.toml").write_text(unknown, encoding="utf-8")
    (tmp_path / "dump.csv").write_text(dump(), encoding="utf-8", newline="")
    ended = validate(
        [str(tmp_path)],
        schema=None,
        data=None,
        edition=None,
        settings=[],
        fail_on="error",
        form=form,
        outputs=[],
        failures=None,
        quiet=True,
    )
    assert ended.exit_code == 1
    assert ended.output
    assert all(line.isprintable() for line in ended.output.split("\n"))
    if form == "github":
        assert all(
            re.match(r"::(error|warning|notice)( |::)|[a-z]+: ", line) for line in ended.output.splitlines() if line
        )


def test_a_supplement(out: Path) -> None:
    folder = out / "report" / "supplement"
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.tex")))
    # Commands of the texts have lost their backslashes, and their braces are characters.
    assert not re.search(r"\\(?:write18|immediate|openout|catcode|def)\b", text)
    assert not re.search(r"\\input\{(?!tables/|data\}|methods\})", text)
