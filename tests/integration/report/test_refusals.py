"""The embedded engine refuses by name, and with the place, whatever it does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tallybook.core.errors import ReportError
from tallybook.report import sources
from tallybook.report.engine import render

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.report.conftest import WriteProject

# The body begins on line 5 of index.qmd: front matter of one line between --- lines, and an empty line.
FIRST = 5
TABLE = "| a | b |\n|---|---|\n| 1 | 2 |"


def refusal(project: Path, output: Path, name: str = "html", *, trust: bool = False) -> str:
    with pytest.raises(ReportError) as refused:
        render(project, "index.qmd", [name], output=output, engine="embedded", trust=trust)
    assert not output.exists(), "nothing is left behind"
    return str(refused.value)


SHORTCODES = {
    "an unknown shortcode": ("Watch {{< video x.mp4 >}}", 5, "unknown shortcode {{< video x.mp4 >}}"),
    "a shortcode in code": ("```\na\n{{< var x >}}\n```", 7, "a shortcode in code: write {{{< ... >}}} to show it"),
    "a shortcode over two lines": ("{{< var\nx >}}", 5, "a shortcode that does not end on its line"),
    "an include in running text": ("See {{< include a.qmd >}}", 5, "the shortcode include must be on a line"),
    "an include without a path": ("{{< include >}}", 5, "the shortcode include takes one path"),
    "a missing include": ("\n{{< include none.qmd >}}", 6, "the included file none.qmd does not exist"),
    "an include from outside": ("{{< include ../x.qmd >}}", 5, "the included file ../x.qmd lies outside the project"),
    "a page break in running text": ("a {{< pagebreak >}}", 5, "the shortcode pagebreak must be on a line"),
    "a page break with an argument": ("{{< pagebreak x >}}", 5, "the shortcode pagebreak takes no argument"),
    "an unknown variable": ("{{< var a.b >}}", 5, "unknown variable a.b: it is not in _variables.yml"),
    "a variable without a name": ("{{< var >}}", 5, "the shortcode var takes one name"),
    "an executable cell": ("```{python}\n1\n```", 5, "an executable code cell, ```{python}: reports hold no code"),
    "a shown executable cell": ("```{{r}}\n1\n```", 5, "an executable code cell"),
    "metadata in the body": ("a\n\n---\n\nb", 7, "a line --- (metadata to Quarto): write *** for a rule"),
    "metadata in code": ("~~~\n---\nfilters: [x.lua]\n---\n~~~", 6, "in code, indent it"),
    "metadata behind a comment": ("<!-- a -->---\nfilters: [x.lua]\n...", 5, "a line --- (metadata to Quarto)"),
    "metadata around a comment": ("-<!--\n-->--\nfilters: [x.lua]\n...", 5, "a line --- (metadata to Quarto)"),
    "raw typst": ('a `#read("x")`{=typst}', 5, "raw typst, which is a program: --trust lets your own through"),
    "a forged placeholder": ("a \ue0001\ue001", 5, "private characters"),
}

CONSTRUCTS = {
    "a note that nothing refers to": ("a\n\n[^1]: b", 7, "Note with key '1' defined but not used."),
    "a note twice": ("a[^1]\n\n[^1]: b\n\n[^1]: c", 9, "Duplicate note reference '1'"),
    "mathematics that is none": ("a\n\n$\\frac{$", 7, r"TeX that cannot be read: \frac{"),
    "a division without a name": ("a\n\n<div>\nb\n</div>", 7, "a division without class and name: leave it out"),
    "a tabset": ("::: {.panel-tabset}\n## A {#sec-a}\n:::", 5, "unknown division .panel-tabset"),
    "a margin note": ("a\n\n::: {.column-margin}\nb\n:::", 7, "unknown division .column-margin"),
    "a fence too many": ("a\n\n:::\n\nb", 7, "a fence of a division that opens or closes nothing: :::"),
    "an unknown identifier": ("::: {#lst-a}\na\n:::", 5, "unknown division #lst-a"),
    "an unknown callout": ("::: {.callout-danger}\na\n:::", 5, "unknown callout type callout-danger"),
    "an appearance of a callout": (
        '::: {.callout-note appearance="simple"}\na\n:::',
        5,
        "unknown attribute appearance of a callout",
    ),
    "an odd collapse": ('::: {.callout-note collapse="maybe"}\na\n:::', 5, "collapse is maybe: expected true or false"),
    "a numbered callout": ("::: {#nte-a .callout-note}\na\n:::", 5, "a callout takes no identifier"),
    "a float without a caption": (f"::: {{#tbl-a}}\n{TABLE}\n:::", 5, "tbl-a has no caption"),
    "a float without a table": ("::: {#tbl-a}\nOne.\n\nTwo.\n:::", 5, "tbl-a holds no table"),
    "a layout of floats": (
        f"::: {{#tbl-a layout-ncol=2}}\n{TABLE}\n\nCaption.\n:::",
        5,
        "unknown attribute layout-ncol",
    ),
    "a caption of a table's own": (f"{TABLE}\n\n: Caption here", 9, "a table with a caption of its own"),
    "a caption within a figure": (
        "::: {#fig-a}\n![inner](figures/shares)\n\nCaption.\n:::",
        6,
        "an image with a caption of its own within fig-a",
    ),
    "a figure without an identifier": ("![C](figures/shares)", 5, "a figure without an identifier"),
    "a figure with another prefix": ("![C](figures/shares){#tbl-a}", 5, "a figure's identifier begins with fig-"),
    "an image in running text": ("a ![](figures/shares) b", 5, "an image outside of a figure"),
    "an attribute of an image": (
        "![C](figures/shares){#fig-a fig-align=left}",
        5,
        "unknown attribute fig-align of an image",
    ),
    "a width in pixels": ("![C](figures/shares){#fig-a width=300}", 5, "the width 300: expected a length in %, cm"),
    "a missing image": ("![C](figures/none){#fig-a}", 5, "the image figures/none.svg does not exist"),
    "an image from elsewhere": ("![C](https://x.org/a.png){#fig-a}", 5, "expected a path within the project"),
    "an image from above": ("![C](../a.png){#fig-a}", 5, "the image ../a.png: expected a path within the project"),
    "an image that HTML cannot show": ("![C](figures/a.pdf){#fig-a}", 5, "an image of type .pdf in html"),
    "raw LaTeX": ("a\n\n\\newpage", 7, "raw tex"),
    "a style that would load one": (
        '```{=html}\n<style>@import "a";</style>\n```',
        6,
        "raw html with <style: expected",
    ),
    "a style without its end": ("```{=html}\n<style>\n```", 6, "raw html with <style: expected"),
    "a raw block of another format": ("```{=latex}\nx\n```", 5, "raw latex: raw html and typst are supported"),
    "HTML in running text": ("a <b>b</b>", 5, "HTML in running text, <b>"),
    "a class of a span": ("[a]{.red}", 5, "unknown class .red of a span"),
    "a class of a heading": ("## A {.smaller}", 5, "unknown class .smaller of a heading"),
    "an attribute of code": ('```{.r filename="a.R"}\nx\n```', 5, "unknown attribute filename of a code block"),
    "a button": ("[a](b){.btn}", 5, "unknown class .btn of a link"),
    "a heading of level 1": ("a\n\n# Top", 7, "a heading of level 1: sections begin at level 2"),
    "landscape within a list": (
        "- a\n\n  ::: {.landscape}\n  b\n  :::",
        7,
        "a landscape division within another block",
    ),
    "a condition on metadata": (
        '::: {.content-visible when-meta="x"}\na\n:::',
        5,
        "unknown condition when-meta: when-format and unless-format are supported",
    ),
    "an unknown format": ('::: {.content-hidden when-format="epub"}\na\n:::', 5, "unknown format epub in when-format"),
    "LaTeX for PDF": ('::: {.content-visible when-format="pdf"}\na\n:::', 5, 'when-format="pdf" means LaTeX to Quarto'),
    "no condition": ("::: {.content-visible}\na\n:::", 5, "conditional content without a condition"),
    "a conditional float": (
        f'::: {{#tbl-a .content-visible when-format="html"}}\n{TABLE}\n\nCaption.\n:::',
        5,
        "conditional content takes no other class and no identifier",
    ),
}

REFERENCES = {
    "an unresolved reference": ("See @tbl-none.", 5, "unresolved cross-reference @tbl-none"),
    "a reference by the number": (
        f"::: {{#tbl-pairs-race}}\n{TABLE}\n\nCaption.\n:::\n\nSee @tbl-pairs_race.",
        13,
        "unresolved cross-reference @tbl-pairs_race: did you mean @tbl-pairs-race?",
    ),
    "an unnumbered section": ("## A {#sec-a .unnumbered}\n\n@sec-a", 7, "unresolved cross-reference @sec-a (a section"),
    "an equation": ("See @eq-a.", 5, "unknown cross-reference prefix in @eq-a: sec-, tbl- and fig- are supported"),
    "a theorem in brackets": ("[@thm-a]", 5, "unknown cross-reference prefix in @thm-a"),
    "a prefix of a reference": ("## A {#sec-a}\n\n[see @sec-a]", 7, "text within the cross-reference [@sec-a]"),
    "a mixture": ("## A {#sec-a}\n\n[@sec-a; @known]", 7, "cross-references and citations within the same brackets"),
    "a duplicate": ("## A {#sec-a}\n\n## B {#sec-a}", 7, "duplicate identifier sec-a"),
    "an odd identifier": ("## A {#sec-ä}", 5, "the identifier sec-ä: expected letters, digits"),
    "a missing citation": ("a\n\nSee [@nobody2000].", 7, "the citation @nobody2000 is not in the bibliography"),
}

CASES = SHORTCODES | CONSTRUCTS | REFERENCES


@pytest.mark.parametrize("case", CASES)
def test_refuses(case: str, write_project: WriteProject, tmp_path: Path) -> None:
    body, line, message = CASES[case]
    project = write_project(body, files={"figures/a.pdf": "%PDF"})
    said = refusal(project, tmp_path / "out")
    assert f"index.qmd:{line}: " in said
    assert message in said


def test_duplicate_of_a_raw_identifier(write_project: WriteProject, tmp_path: Path) -> None:
    body = '::: {#tbl-a}\n```{=html}\n<table id="tbl-a"><tr><td>1</td></tr></table>\n```\n\nCaption.\n:::'
    assert "duplicate identifier tbl-a" in refusal(write_project(body), tmp_path / "out")


def test_names_every_problem_at_once(write_project: WriteProject, tmp_path: Path) -> None:
    said = refusal(write_project("::: {.a}\nx\n:::\n\n::: {.b}\ny\n:::"), tmp_path / "out").splitlines()
    assert said == ["index.qmd:5: unknown division .a", "index.qmd:9: unknown division .b"]


def test_many_problems_are_counted(write_project: WriteProject, tmp_path: Path) -> None:
    body = "\n\n".join(f"::: {{.unknown-{number}}}\nx\n:::" for number in range(30))
    said = refusal(write_project(body), tmp_path / "out").splitlines()
    assert len(said) == 20
    assert said[-1] == "... and 11 more"


def test_place_within_an_included_file(write_project: WriteProject, tmp_path: Path) -> None:
    files = {"parts/a.qmd": "one\n\n{{< include parts/b.qmd >}}\n", "parts/b.qmd": "two\n\nSee @fig-none.\n"}
    project = write_project("{{< include parts/a.qmd >}}", files=files)
    assert refusal(project, tmp_path / "out") == "parts/b.qmd:3: unresolved cross-reference @fig-none"


def test_circular_include(write_project: WriteProject, tmp_path: Path) -> None:
    files = {"a.qmd": "{{< include b.qmd >}}\n", "b.qmd": "{{< include a.qmd >}}\n"}
    said = refusal(write_project("{{< include a.qmd >}}", files=files), tmp_path / "out")
    assert said == "b.qmd:1: a circular include: index.qmd -> a.qmd -> b.qmd -> a.qmd"


def test_includes_that_multiply(write_project: WriteProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MOST", 100_000)
    files = {f"{number}.qmd": f"{{{{< include {number + 1}.qmd >}}}}\n" * 10 for number in range(9)} | {"9.qmd": "x\n"}
    said = refusal(write_project("{{< include 0.qmd >}}", files=files), tmp_path / "out")
    assert said.startswith("9.qmd:1: ")
    assert said.endswith("the document and what it includes are too long")


def test_front_matter_of_an_included_file(write_project: WriteProject, tmp_path: Path) -> None:
    project = write_project("{{< include a.qmd >}}", files={"a.qmd": "---\ntitle: A\n---\n"})
    assert refusal(project, tmp_path / "out") == "a.qmd:1: front matter in an included file"


def test_division_that_is_not_closed(write_project: WriteProject, tmp_path: Path) -> None:
    said = refusal(write_project("::: {.callout-note}\na"), tmp_path / "out")
    assert said == f"index.qmd:{FIRST}: Div unclosed, closing implicitly."


def test_file_that_is_not_utf_8(write_project: WriteProject, tmp_path: Path) -> None:
    project = write_project("{{< include a.qmd >}}", files={"a.qmd": ""})
    (project / "a.qmd").write_bytes(b"caf\xe9")
    assert refusal(project, tmp_path / "out") == "a.qmd: not UTF-8 at byte 3"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ('"**bold**"', "the variable x is not text: escape its markup in _variables.yml"),
        ('"<script>"', "the variable x is not text"),
        ('"# a"', "the variable x is not text"),
        ("1.50", "the variable x is not text: put its value in quotes in _variables.yml"),
        ("[1, 2]", "the variable x is not text"),
        ("true", "the variable x is not text"),
    ],
)
def test_variables_that_are_not_plain_text(
    value: str, message: str, write_project: WriteProject, tmp_path: Path
) -> None:
    project = write_project("Value {{< var x >}}.", variables=f"x: {value}\n")
    said = refusal(project, tmp_path / "out")
    assert said.startswith("index.qmd:5: ")
    assert message in said


@pytest.mark.parametrize(
    "body",
    ["`{{< var x >}}`", "[a]({{< var x >}})", "$a {{< var x >}}$", '::: {.callout-note title="{{< var x >}}"}\na\n:::'],
)
def test_variables_outside_of_running_text(body: str, write_project: WriteProject, tmp_path: Path) -> None:
    said = refusal(write_project(body, variables='x: "1"\n'), tmp_path / "out")
    assert "index.qmd:5: the shortcode {{< var x >}}" in said


@pytest.mark.parametrize(
    ("front", "message"),
    [
        ("title: T\njupyter: python3", "index.qmd:3: unknown key jupyter"),
        ("title: T\nformat: html", "index.qmd:3: unknown key format"),
        ("title: T\ndate: today", 'index.qmd:3: date is "today": expected a date such as 2025-06-01'),
        ("title: T\nlang: de", 'index.qmd:3: lang is "de": expected en, en-GB'),
        ("title: T\ntoc-depth: 9", "index.qmd:3: toc-depth is 9: expected a number from 1 to 6"),
        ("title: T\nauthor:\n  - name: A", "index.qmd:3: author is"),
        ("title: T\nengine: jupyter", 'index.qmd:3: engine is "jupyter": expected "markdown"'),
        ("lang: en", "index.qmd:1: a report has a title"),
        ("title: [", "index.qmd: no valid YAML: did not find expected"),
        ("- title", "index.qmd: expected keys and values"),
        ('lang: en\ntitle: "{{< var x >}}"', "index.qmd:3: unknown variable x"),
        ('title: "{{< include x >}}"', "the shortcode include must be on a line of its own"),
    ],
)
def test_front_matter(front: str, message: str, write_project: WriteProject, tmp_path: Path) -> None:
    assert message in refusal(write_project("a", front=front), tmp_path / "out")


def test_front_matter_that_ends_elsewhere_to_quarto(write_project: WriteProject, tmp_path: Path) -> None:
    project, message = write_project(""), "in front matter, which Quarto would read otherwise"
    for front, body, line, found in (
        ('title: "<!--"', '-->"\nfilters: [x.lua]\n...\n', 2, "<!--"),
        ("title: T\nabstract: |\n  ```", "  ```\nfilters: [x.lua]\n...\n", 4, "```"),
        ('title: T\nabstract: "\n---\u2028"', "filters: [x.lua]\n...\n", 4, "\\u2028"),
    ):
        (project / "index.qmd").write_text(f"---\n{front}\n---\n{body}", encoding="utf-8")
        assert refusal(project, tmp_path / "out") == f"index.qmd:{line}: {found} {message}"
    (project / "index.qmd").write_text("---\n\ntitle: T\n---\nfilters: [x.lua]\n...\n")
    assert "a report begins with front matter" in refusal(project, tmp_path / "out")


def test_document_without_front_matter(write_project: WriteProject, tmp_path: Path) -> None:
    project = write_project("a")
    (project / "index.qmd").write_text("## A\n")
    said = refusal(project, tmp_path / "out")
    assert said == "index.qmd:1: a report begins with front matter between --- lines"


@pytest.mark.parametrize("missing", ["theme/tallybook.css", "theme/tables.lua", "references.bib"])
def test_missing_files_of_the_project(missing: str, write_project: WriteProject, tmp_path: Path) -> None:
    project = write_project("a", front="title: T\nbibliography: references.bib")
    (project / missing).unlink()
    name = "html" if missing.endswith(".css") else "pdf"
    assert refusal(project, tmp_path / "out", name) == f"the project's file {missing} does not exist"


def test_style_sheet_that_ends_its_element(write_project: WriteProject, tmp_path: Path) -> None:
    project = write_project("a")
    (project / "theme" / "tallybook.css").write_text("/* </style> */")
    assert "</style in a style sheet" in refusal(project, tmp_path / "out")


def test_svg_in_docx_and_how_to_write_it(write_project: WriteProject, tmp_path: Path) -> None:
    project = write_project("![C](figures/shares.svg){#fig-a}")
    said = refusal(project, tmp_path / "out", "docx")
    assert said == "index.qmd:5: an image of type .svg in docx: leave the extension out and each format takes its own"


@pytest.mark.parametrize("html", ["<table><tr><td><table></table></td></tr></table>", "<table><tr><td>1</td></tr>"])
def test_html_tables_that_cannot_be_read(html: str, write_project: WriteProject, tmp_path: Path) -> None:
    project = write_project(f"::: {{#tbl-a}}\n```{{=html}}\n{html}\n```\n\nCaption.\n:::")
    assert "an HTML table with" in refusal(project, tmp_path / "out", "pdf")


def test_warnings_of_typst(write_project: WriteProject, tmp_path: Path) -> None:
    project = write_project('```{=typst}\n#text(font: "No Such Font")[a]\n```')
    assert "typst warned: unknown font family: no such font" in refusal(project, tmp_path / "out", "pdf", trust=True)


def test_errors_of_typst(write_project: WriteProject, tmp_path: Path) -> None:
    project = write_project("```{=typst}\n#no-such-function()\n```")
    assert "typst failed: unknown variable: no-such-function" in refusal(project, tmp_path / "out", "pdf", trust=True)


def test_typst_reads_no_other_file(write_project: WriteProject, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    project = write_project('```{=typst}\n#read("../../secret.txt")\n```')
    assert "typst failed" in refusal(project, tmp_path / "out", "pdf", trust=True)


def test_messages_are_printable(write_project: WriteProject, tmp_path: Path) -> None:
    project = write_project("::: {.a\u202eb}\nx\n:::")
    said = refusal(project, tmp_path / "out")
    assert "\u202e" not in said
    assert "\\u202e" in said
