"""Every construct a report may use, in every format, by each engine that is installed."""

from __future__ import annotations

import re
import zipfile
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.integration.report import reading
from tests.integration.report.conftest import CONFORMANCE
from tests.integration.report.reading import squeezed

if TYPE_CHECKING:
    from pathlib import Path
    from xml.etree import ElementTree as ET

    from tallybook.report.formats import Rendered
    from tests.integration.report.reading import Node, Word

TABLES = {"tbl-politics": 1, "tbl-pipe": 2, "tbl-wide": 3, "tbl-long": 4}
FIGURES = {"fig-shares": 1, "fig-div": 2}
CAPTIONS = {
    "tbl-politics": "Table 1: Politics analysis of implicit bias for claude-3.5-sonnet.",
    "tbl-pipe": "Table 2: A pipe table, captioned.",
    "tbl-wide": "Table 3: Stereotype and deviation scores, a table of twelve numeric columns.",
    "tbl-long": "Table 4: A table of seventy rows, longer than a page.",
    "fig-shares": "Figure 1: Shares of the categories by group.",
    "fig-div": "Figure 2: A figure in a division.",
}
HEADINGS = [
    (2, "1 Introduction"),
    (2, "2 Method"),
    (3, "2.1 Coding"),
    (2, "3 Results"),
    (3, "3.1 Tables in running text"),
    (3, "3.2 A wide table"),
    (3, "3.3 A long table"),
    (3, "3.4 Figures"),
    (3, "3.5 Callouts"),
    (3, "Conditional content"),
    (2, "References"),
]
CALLOUTS = {
    "What a star means": "One star means",
    "A title of its own": "second",
    "Tip": "A tip without a title.",
    "Folded": "Important, folded where the format can fold.",
    "Caution": "Caution.",
}
CONDITIONAL = {
    "Only in HTML.": {"html"},
    "Only in typst.": {"pdf"},
    "Only in docx.": {"docx"},
    "Hidden in HTML.": {"pdf", "docx"},
    "Everywhere but in docx.": {"html", "pdf"},
    "Raw HTML.": {"html"},
    "Raw typst.": {"pdf"},
}


@pytest.fixture(scope="module")
def page(rendered: Rendered) -> Node:
    return reading.html(rendered.files[0])


@pytest.fixture(scope="module")
def pdf(rendered: Rendered) -> str:
    return reading.pdf_text(rendered.files[1])


@pytest.fixture(scope="module")
def word(rendered: Rendered) -> Word:
    return reading.docx(rendered.files[2])


class TestHtml:
    def test_metadata_makes_the_title_block(self, page: Node) -> None:
        assert page.one("html").attributes["lang"] == "en"
        assert page.one("title").text == "Conformance of the report engines"
        header = page.by_id("title-block-header")
        assert header.one("h1").text == "Conformance of the report engines"
        assert header.one(of_class="subtitle").text == "A study of *four* models"
        assert [node.text for node in header.every(of_class="author")] == ["Ada Example", "Ben Example"]
        assert header.one(of_class="date").text == "2025-06-01"
        assert "Every construct a report may use, once, with emphasis and 8400 responses." in header.text

    def test_headings_are_numbered_and_keep_their_order(self, page: Node) -> None:
        body = page.one("body")
        found = [(int(node.tag[1]), node.text) for node in body.every() if re.fullmatch("h[1-6]", node.tag)]
        titles = {"Conformance of the report engines", "Table of contents", "Footnotes", *CALLOUTS}
        assert [heading for heading in found if heading[1] not in titles] == HEADINGS

    def test_contents_link_to_every_heading(self, page: Node) -> None:
        links = list(page.by_id("TOC").every("a"))
        assert [link.text for link in links] == [text for _, text in HEADINGS]
        for link in links:
            assert page.by_id(link.attributes["href"].removeprefix("#"))

    def test_variables_are_text(self, page: Node) -> None:
        assert "The study “A study of *four* models” has 8400 responses; 97.8% of the cells agree" in page.text
        assert "The shortcode {{< var study.name >}} is literal in code." in page.text
        assert "set as statistics are: t(8399) = 28.2, padj < .001, d = 0.44 [0.41, 0.47]." in page.text
        assert "adj" in [node.text for node in page.every("sub")]
        assert page.one("pre").text == "{{< include parts/method.qmd >}} is literal here, and so is ::: {.panel-tabset}"

    @pytest.mark.parametrize("identifier", CAPTIONS)
    def test_floats_are_figures_with_numbered_captions(self, page: Node, identifier: str) -> None:
        figure = page.by_id(identifier).one("figure")
        caption = figure.one("figcaption")
        assert caption.text.startswith(CAPTIONS[identifier])
        content = figure.one("table" if identifier in TABLES else "img")
        order = [node for node in figure.every() if node in (caption, content)]
        assert order == ([caption, content] if identifier in TABLES else [content, caption])
        described = [node.attributes.get("aria-describedby") for node in figure.every("div")]
        assert caption.attributes["id"] in described

    def test_references_are_links(self, page: Node) -> None:
        links = [(node.text, node.attributes["href"]) for node in page.every("a", of_class="quarto-xref")]
        assert links[:9] == [
            ("Table 1", "#tbl-politics"),
            ("Figure 1", "#fig-shares"),
            ("Section 2", "#sec-method"),
            ("3", "#tbl-wide"),
            ("2", "#fig-div"),
            ("Table 1", "#tbl-politics"),
            ("Table 4", "#tbl-long"),
            ("Section 1", "#sec-introduction"),
            ("Section 3", "#sec-results"),
        ]
        assert ("Table 2", "#tbl-pipe") in links, "the reference within the footnote"

    def test_raw_table_keeps_its_cells_and_its_attributes(self, page: Node) -> None:
        table = page.by_id("tbl-politics").one("table")
        spanner = next(cell for cell in table.every("th") if cell.text == "Share of responses (%)")
        assert spanner.attributes["colspan"] == "4"
        assert spanner.attributes["scope"] == "colgroup"
        stub = next(cell for cell in table.every("th") if cell.text == "claude-3.5-sonnet")
        assert stub.attributes["rowspan"] == "2"
        notes = [row.text for row in table.one("tfoot").every("tr")]
        assert notes[0].startswith("Denominator: all responses, refusals included. Test: exact two-sided binomial")
        assert notes[1:] == ["A cell without a reference has no test."]
        assert any("<analyst> & co." in cell.text for cell in page.by_id("tbl-long").every("td"))

    def test_images_are_embedded_and_described(self, page: Node) -> None:
        images = list(page.every("img"))
        assert all(image.attributes["src"].startswith("data:image/svg+xml,%3Csvg ") for image in images)
        texts = [image.attributes.get("alt") or image.attributes["aria-label"] for image in images]
        assert texts == ["Four stacked bars of coloured shares.", "The same bars, smaller."]

    def test_callouts_show_title_and_text(self, page: Node) -> None:
        for title, text in CALLOUTS.items():
            assert re.search(rf"{re.escape(title)}.{{0,20}}{re.escape(text)}|{re.escape(title)} first", page.text)

    def test_citations_and_notes_are_links(self, page: Node) -> None:
        entries = [node.text for node in page.by_id("refs").every(of_class="csl-entry")]
        assert [entry.split(".")[0] for entry in entries] == ["Cohen, Jacob", "Wilson, Edwin B"]
        targets = [node.attributes.get("href") for node in page.every("a")]
        assert {"#ref-wilson1927", "#ref-cohen1988", "#fn1"} <= set(targets)
        assert "(Cohen 1988, 181)" in page.text
        assert page.by_id("fn1").text.startswith("A footnote with a reference to Table 2.")

    def test_text_constructs(self, page: Node) -> None:
        assert [node.text for node in page.every("dt")] == ["Refusal", "Invalid"]
        assert len(list(page.every("math"))) == 3
        assert page.one("blockquote").text == "Nothing is ever silently dropped."

    def test_nothing_is_loaded_from_elsewhere(self, page: Node) -> None:
        loaded = [node.attributes.get("src", "data:") for node in page.every()]
        assert all(source.startswith("data:") for source in loaded)
        sheets = [node.attributes["href"] for node in page.every("link") if node.attributes.get("rel") == "stylesheet"]
        assert all(sheet.startswith("data:") for sheet in sheets)

    def test_conditional_content(self, page: Node) -> None:
        assert {text for text in CONDITIONAL if text in page.text} == shown_in("html")


class TestPdf:
    def test_title_contents_and_headings(self, pdf: str) -> None:
        lines = [squeezed(line) for line in pdf.splitlines()]
        assert "Conformance of the report engines" in lines
        assert any(re.fullmatch(r"2\.1 Coding[ .]+\d+", line) for line in lines), "an entry of the contents"
        headings = [text for _, text in HEADINGS]
        assert [line for line in lines if line in headings] == headings

    def test_captions_and_references(self, pdf: str) -> None:
        text = squeezed(pdf)
        for caption in CAPTIONS.values():
            assert caption in text
        assert "(see Table 1, Figure 1 and Section 2)" in text
        assert "table 3 and figure 2; a list: Table 1, Table 4." in text

    def test_few_tables_and_figures_have_no_list(self, pdf: str) -> None:
        assert pdf.index("Table of contents") < pdf.index("The study “A")
        assert "List of" not in pdf

    def test_tables_are_tables_with_repeated_headings(self, pdf: str) -> None:
        lines = [squeezed(line) for line in pdf.splitlines()]
        assert any(line.endswith("Conservative Liberal Neutral Refusal") for line in lines)
        assert "Male (n=500) 13.44 93.91*** 50.77* 64.72*" in lines
        assert lines.count("Model Item n Share (%) Most popular occupations") == 2, "a break within the long table"
        assert sum(bool(re.match(r"\S+ item \d+ \d+ [\d.]+\**", line)) for line in lines) == 70
        assert "A cell without a reference has no test." in lines

    def test_pages_are_numbered_and_headed(self, pdf: str) -> None:
        pages = pdf.rstrip("\f").split("\f")
        for number, page in enumerate(pages, start=1):
            lines = [squeezed(line) for line in page.splitlines() if line.strip()]
            assert lines[-1].replace(" ", "") == f"{number}/{len(pages)}"
            assert number == 1 or lines[0] == "Conformance of the report engines"

    def test_callouts_citations_and_conditions(self, pdf: str) -> None:
        text = squeezed(pdf)
        for title, body in CALLOUTS.items():
            assert title in text
            assert body in text
        assert "Probable Inference, the Law of Succession" in text
        assert {shown for shown in CONDITIONAL if shown in text} == shown_in("pdf")


class TestDocx:
    def test_title_and_headings(self, word: Word) -> None:
        assert word.styled("Title") == ["Conformance of the report engines"]
        found = [
            (int(style[-1]), word.text_of(paragraph))
            for paragraph in word.body.iter(f"{reading.W}p")
            if re.fullmatch(r"Heading\d", style := word.style_of(paragraph))
        ]
        assert [level for level, _ in found] == [level - 1 for level, _ in HEADINGS]
        # Quarto sets a full stop behind the number of a heading of level 1.
        assert [text.replace(". ", " ", 1) for _, text in found] == [text for _, text in HEADINGS]

    def test_captions_bookmarks_and_references(self, word: Word) -> None:
        for caption in CAPTIONS.values():
            assert caption in word.text
        bookmarks = {each.attrib[f"{reading.W}name"] for each in word.body.iter(f"{reading.W}bookmarkStart")}
        assert {*(f"float-{name}" for name in (*TABLES, *FIGURES)), "sec-method", "sec-results"} <= bookmarks
        links = [
            (word.text_of(each), each.attrib.get(f"{reading.W}anchor"))
            for each in word.body.iter(f"{reading.W}hyperlink")
        ]
        assert ("Table 1", "float-tbl-politics") in links
        assert ("Section 2", "sec-method") in links
        assert ("3", "float-tbl-wide") in links

    def test_tables_keep_cells_spans_and_headings(self, word: Word) -> None:
        assert len(word.tables()) == len(TABLES), "none is only there for its looks"
        table = next(each for each in word.tables() if "Share of responses (%)" in word.text_of(each))
        rows = word.rows(table)
        assert rows[0] == ["claude-3.5-sonnet", "Share of responses (%)"]
        assert rows[1][-4:] == ["Conservative", "Liberal", "Neutral", "Refusal"]
        assert rows[2] == ["Gender"]
        assert rows[3] == ["Male (n=500)", "13.44", "93.91***", "50.77*", "64.72*"]
        spans = [each.attrib[f"{reading.W}val"] for each in table.iter(f"{reading.W}gridSpan")]
        assert "4" in spans
        assert spans.count("5") == 4, "the headings of the three groups, and the notes"
        assert sum(1 for _ in table.iter(f"{reading.W}tblHeader")) == 2
        assert "A cell without a reference has no test." in word.text

    def test_pictures_are_within_and_described(self, word: Word) -> None:
        described = [each.attrib["descr"] for each in word.body.iter() if each.tag.endswith("}docPr")]
        assert described == ["Four stacked bars of coloured shares.", "The same bars, smaller."]
        assert any(name.startswith("word/media/") and name.endswith(".png") for name in word.members)

    def test_text_constructs(self, word: Word) -> None:
        assert "(Cohen 1988, 181)" in word.text
        for title, body in CALLOUTS.items():
            assert title in word.text
            assert body in word.text
        assert {text for text in CONDITIONAL if text in word.text} == shown_in("docx")

    def test_docx_styles_and_sections(self, word: Word) -> None:
        assert word.styled("TableCaption") == [
            caption if identifier != "tbl-politics" else word.styled("TableCaption")[0]
            for identifier, caption in CAPTIONS.items()
            if identifier in TABLES
        ]
        assert word.styled("ImageCaption") == [CAPTIONS[identifier] for identifier in FIGURES]
        assert [len(word.styled(style)) for style in ("TableNoteKept", "TableNote")] == [1, 1]
        assert word.styled("CalloutTitle") == list(CALLOUTS)
        sizes = [each.attrib.get(f"{reading.W}orient", "portrait") for each in word.body.iter(f"{reading.W}pgSz")]
        assert sizes == ["portrait", "landscape", "portrait"]

    def test_captions_of_docx_count_themselves_and_references_repeat_them(self, word: Word) -> None:
        for style, name, count in (("TableCaption", "Table", 4), ("ImageCaption", "Figure", 2)):
            captions = [each for each in word.body.iter(f"{reading.W}p") if word.style_of(each) == style]
            assert [instructions(each) for each in captions] == [[f"SEQ {name} \\* ARABIC"]] * count
            for number, caption in enumerate(captions, start=1):
                marked = [each.attrib[f"{reading.W}name"] for each in caption.iter(f"{reading.W}bookmarkStart")]
                assert marked == [f"_Ref_{name}_{number}", f"_RefNumber_{name}_{number}"]
        identifiers = [each.attrib[f"{reading.W}id"] for each in word.body.iter(f"{reading.W}bookmarkStart")]
        assert len(identifiers) == len(set(identifiers))
        bookmarks = {each.attrib[f"{reading.W}name"] for each in word.body.iter(f"{reading.W}bookmarkStart")}
        links = [(word.text_of(each), instructions(each)) for each in word.body.iter(f"{reading.W}hyperlink")]
        assert ("Table 1", ["REF _Ref_Table_1 \\* MERGEFORMAT"]) in links
        assert ("3", ["REF _RefNumber_Table_3 \\* MERGEFORMAT"]) in links
        assert ("Section 2", []) in links
        assert {told[0].split()[1] for _, told in links if told} <= bookmarks


def instructions(element: ET.Element) -> list[str]:
    """What the fields within an element are told to show."""
    return [(each.text or "").strip() for each in element.iter(f"{reading.W}instrText")]


def shown_in(name: str) -> set[str]:
    return {text for text, formats in CONDITIONAL.items() if name in formats}


class TestEmbedded:
    """What the embedded engine does beyond Quarto, or more exactly."""

    def test_raw_table_passes_as_it_is(self, embedded: dict[str, Path]) -> None:
        fragment = (CONFORMANCE / "_generated" / "tables" / "politics.qmd").read_text(encoding="utf-8")
        raw = fragment.partition("```{=html}\n")[2].partition("\n```")[0]
        # But for what tallybook.report.page leaves out.
        left_out = re.compile(r' style="text-align: \w+"|(?<=\n) +|(?<=class=")gt_row ')
        assert left_out.sub("", raw) in left_out.sub("", embedded["html"].read_text(encoding="utf-8"))

    def test_callouts_in_html(self, embedded: dict[str, Path]) -> None:
        page = reading.html(embedded["html"])
        assert [node.classes[1] for node in page.every(of_class="callout")] == [
            "callout-note",
            "callout-warning",
            "callout-tip",
            "callout-important",
            "callout-caution",
        ]
        folded = page.one("details")
        assert "open" not in folded.attributes
        assert folded.one("summary").text == "Important: Folded"
        note = page.one(of_class="callout-note")
        assert note.one(of_class="callout-title").text == "Note: What a star means"
        assert note.one(of_class="screen-reader-only").text == "Note:"

    def test_page_can_be_read_aloud_and_by_keyboard(self, embedded: dict[str, Path]) -> None:
        page = reading.html(embedded["html"])
        assert page.by_id(page.one("a", of_class="skip-link").attributes["href"].removeprefix("#")).tag == "main"
        levels = [int(node.tag[1]) for node in page.one("main").every() if re.fullmatch("h[1-6]", node.tag)]
        assert levels[0] == 2
        assert all(below - above <= 1 for above, below in pairwise(levels)), "no level is left out"
        identifiers = [node.attributes["id"] for node in page.every() if "id" in node.attributes]
        assert len(identifiers) == len(set(identifiers))

    def test_columns_of_docx_are_as_wide_as_their_content(self, embedded: dict[str, Path]) -> None:
        word = reading.docx(embedded["docx"])
        table = next(each for each in word.tables() if "Most popular occupations" in word.text_of(each))
        widths = [int(each.attrib[f"{reading.W}w"]) for each in table.iter(f"{reading.W}gridCol")]
        assert widths.index(max(widths)) == 4
        assert widths.index(min(widths)) == 2

    def test_pdf_has_an_outline_and_a_title(self, embedded: dict[str, Path]) -> None:
        content = embedded["pdf"].read_bytes()
        assert content.startswith(b"%PDF-")
        assert b"/Outlines" in content
        assert b"/Title(Conformance of the report engines)" in content
        assert b"/Author(Ada Example, Ben Example)" in content
        assert b"/Lang(en)" in content
        bookmarks = re.findall(rb"/Title\(([^()]*)\)", content)
        assert bookmarks[0] == b"Table of contents"
        assert b"List of tables" not in bookmarks
        assert b"3.5 Callouts" in bookmarks
        assert b"References" in bookmarks

    def test_docx_says_what_it_is(self, embedded: dict[str, Path]) -> None:
        with zipfile.ZipFile(embedded["docx"]) as archive:
            core = archive.read("docProps/core.xml").decode()
        assert "<dc:title>Conformance of the report engines</dc:title>" in core
        assert "<dc:creator>Ada Example; Ben Example</dc:creator>" in core
        assert "<dc:language>en</dc:language>" in core
        assert "<dc:subject>A study of *four* models</dc:subject>" in core
        assert "<dc:description>Every construct a report may use, once, with emphasis" in core
