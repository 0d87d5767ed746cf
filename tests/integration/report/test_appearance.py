"""How reports look: nothing sticks out, nothing is lost, every text can be read and every character has a glyph."""

from __future__ import annotations

import re
import subprocess
import unicodedata
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from tallybook import Study
from tallybook.core.resources import BUNDLED_DATA
from tests.integration.report import reading
from tests.integration.report.test_theme import contrast
from tests.programs import program

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.report.browser import Browser

WIDTHS = (390, 820, 1440)
HEIGHTS = {"conformance": (1_500, 12_000), "example": (1_500, 16_000)}
"""The least and the greatest height of each page, whatever the width: a lost style or an endless column is neither."""

OUTSIDE = """
[...document.body.querySelectorAll("*")].filter(one => {
  const box = one.getBoundingClientRect();
  const isOutside = box.right > innerWidth + 1 || box.left < -1;
  return isOutside && box.width && one.checkVisibility() && !one.closest(".skip-link, .screen-reader-only, pre");
}).filter(one => {
  for (let around = one.parentElement; around; around = around.parentElement) {
    if (getComputedStyle(around).overflowX !== "visible") return false;
  }
  return true;
}).map(one => one.outerHTML.slice(0, 100))
"""

COLOURS = """
(() => {
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const holder = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !holder.checkVisibility()) continue;
    let behind = holder;
    while (behind && getComputedStyle(behind).backgroundColor === "rgba(0, 0, 0, 0)") behind = behind.parentElement;
    found.add([getComputedStyle(holder).color, getComputedStyle(behind).backgroundColor].join(" on "));
  }
  return [...found];
})()
"""

# A character without a glyph is drawn as the font's box for that, like one that will never have any.
UNDRAWN = """
(text => {
  const canvas = new OffscreenCanvas(40, 40);
  const brush = canvas.getContext("2d", { willReadFrequently: true });
  brush.font = `20px ${getComputedStyle(document.documentElement).fontFamily}`;
  const picture = (character) => {
    brush.clearRect(0, 0, 40, 40);
    brush.fillText(character, 5, 28);
    return brush.getImageData(0, 0, 40, 40).data.join();
  };
  const box = picture("\\u0378");
  const used = new Set(text.replace(/[\\s\\p{Cc}\\p{Cf}\\p{Mn}]/gu, ""));
  return [...used].filter(one => picture(one) === box);
})
"""


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The report that the README's example makes: format -> file."""
    study = Study.draft(BUNDLED_DATA / "example" / "answers.csv")
    files = study.report(["html", "pdf"], tmp_path_factory.mktemp("example") / "out", engine="embedded")
    return {file.suffix[1:]: file for file in files}


@pytest.fixture
def page(request: pytest.FixtureRequest) -> tuple[str, Path]:
    fixture = {"conformance": "embedded"}.get(request.param, request.param)
    return request.param, request.getfixturevalue(fixture)["html"]


@pytest.fixture
def pdf(request: pytest.FixtureRequest) -> Path:
    return request.getfixturevalue({"conformance": "embedded"}.get(request.param, request.param))["pdf"]


@pytest.mark.parametrize("page", HEIGHTS, indirect=True)
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_sticks_out(chromium: Browser, page: tuple[str, Path], width: int) -> None:
    name, file = page
    chromium.open(file, width=width)
    assert chromium.run("document.documentElement.scrollWidth") <= width
    assert chromium.run(OUTSIDE) == []
    if width > 640:  # a table that the window has room for does not scroll
        tables = '[...document.querySelectorAll("figure.quarto-float-tbl > div:not(.controls)")]'
        narrow = "one => one.scrollWidth > one.clientWidth && one.scrollWidth < innerWidth - 300"
        assert not chromium.run(f"{tables}.some({narrow})")
    least, greatest = HEIGHTS[name]
    assert least <= chromium.run("document.documentElement.scrollHeight") <= greatest
    assert chromium.complaints == []


@pytest.mark.parametrize("page", HEIGHTS, indirect=True)
def test_every_picture_is_drawn(chromium: Browser, page: tuple[str, Path]) -> None:
    chromium.open(page[1])
    assert chromium.run("document.images.length") > 0
    assert chromium.run("[...document.images].filter(one => !one.complete || !one.naturalWidth).length") == 0
    assert chromium.run("[...document.images].filter(one => !one.alt).length") == 0


@pytest.mark.parametrize("page", HEIGHTS, indirect=True)
@pytest.mark.parametrize(("scheme", "medium"), [("light", ""), ("dark", ""), ("dark", "print")])
def test_every_text_has_contrast(chromium: Browser, page: tuple[str, Path], scheme: str, medium: str) -> None:
    chromium.open(page[1], scheme=scheme, medium=medium)
    if not medium:
        chromium.press("/")
        chromium.type("the")
    pairs = chromium.run(COLOURS)
    assert len(pairs) >= 2
    for pair in pairs:
        text, ground = (hexadecimal(colour) for colour in pair.split(" on "))
        assert contrast(text, ground) >= 4.5, pair


def hexadecimal(colour: str) -> str:
    """The colour `rgb(255, 0, 0)` as `#ff0000`."""
    found = re.fullmatch(r"rgb\((\d+), (\d+), (\d+)\)", colour)
    assert found, colour
    return "#" + "".join(f"{int(channel):02x}" for channel in found.groups())


@pytest.mark.parametrize("page", HEIGHTS, indirect=True)
def test_every_character_has_a_glyph(chromium: Browser, page: tuple[str, Path]) -> None:
    chromium.open(page[1])
    assert chromium.run(f"{UNDRAWN}('a\\u0378')") == ["\u0378"], "the check itself"
    assert chromium.run(f"{UNDRAWN}(document.body.textContent)") == []


@pytest.mark.parametrize("page", HEIGHTS, indirect=True)
def test_paper_has_all_contents_and_no_control(chromium: Browser, page: tuple[str, Path]) -> None:
    chromium.open(page[1], width=794, medium="print")  # A4 at 96 dots per inch
    assert chromium.run("[...document.querySelectorAll('.controls')].filter(one => one.checkVisibility()).length") == 0
    assert chromium.run("document.documentElement.scrollWidth") <= 794


@pytest.mark.parametrize("pdf", HEIGHTS, indirect=True)
def test_words_of_the_pdf_stand_on_its_pages(pdf: Path) -> None:
    answer = subprocess.run([program("pdftotext"), "-bbox", pdf, "-"], capture_output=True, text=True, check=True)
    name = "{http://www.w3.org/1999/xhtml}"
    pages = list(ET.fromstring(answer.stdout).iter(f"{name}page"))  # noqa: S314 - of our own PDF
    assert pages
    for page in pages:
        width, height = float(page.attrib["width"]), float(page.attrib["height"])
        words = list(page.iter(f"{name}word"))
        assert words, "an empty page"
        for word in words:
            left, top, right, bottom = (float(word.attrib[side]) for side in ("xMin", "yMin", "xMax", "yMax"))
            assert 20 <= left <= right <= width - 20, word.text
            assert 10 <= top <= bottom <= height - 10, word.text


@pytest.mark.parametrize("pdf", HEIGHTS, indirect=True)
def test_fonts_of_the_pdf_are_embedded(pdf: Path) -> None:
    told = subprocess.run([program("pdffonts"), pdf], capture_output=True, text=True, check=True).stdout
    lines = told.splitlines()[2:]
    assert lines
    for line in lines:
        *_, embedded, _subset, unicode, _object, _generation = line.split()
        assert (embedded, unicode) == ("yes", "yes"), line


@pytest.mark.parametrize("pdf", HEIGHTS, indirect=True)
def test_every_letter_of_the_page_is_in_the_pdf(pdf: Path) -> None:
    text = reading.html(pdf.with_suffix(".html")).one("main").text
    letters = {one for one in text if unicodedata.category(one)[0] in "LN"}
    assert len(letters) > 40
    assert letters <= set(reading.pdf_text(pdf))


def test_every_character_of_the_pdf_has_a_glyph(example: dict[str, Path]) -> None:
    # Typst calls a PDF accessible only if every letter has one.
    assert b"pdfuaid:part>1<" in example["pdf"].read_bytes()
