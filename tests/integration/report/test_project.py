"""YAML as Quarto reads it, and which word is the last."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tallybook.report import project
from tallybook.report.engine import render
from tests.integration.report import reading

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.report.conftest import WriteProject


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: no", {"a": "no"}),
        ("a: true", {"a": True}),
        ("a: 1.10", {"a": 1.1}),
        ('a: "1.10"', {"a": "1.10"}),
        ("a: |\n  x\n  y\n", {"a": "x\ny\n"}),
        ("a: {b: [1, c]}", {"a": {"b": [1, "c"]}}),
        ("a: ~", {"a": None}),
        ('{"a": "\\u00e9\\n"}', {"a": "é\n"}),
        ('a: "#{x} \\"q\\" \\\\"', {"a": '#{x} "q" \\'}),
        ("", None),
    ],
)
def test_yaml(text: str, value: project.Yaml) -> None:
    assert project.read_yaml(text, "x.yml") == value


def test_document_overrides_format_and_format_overrides_project(write_project: WriteProject) -> None:
    folder = write_project("a", front="title: T\ntoc-depth: 5")
    (folder / "_quarto.yml").write_text("toc: true\ntoc-depth: 1\nformat:\n  docx:\n    toc: false\n    toc-depth: 2\n")
    settings = project.load(folder, "index.qmd").settings
    assert (settings["html"]["toc"], settings["docx"]["toc"]) == (True, False)
    assert {each["toc-depth"] for each in settings.values()} == {5}


def test_lines_know_their_places(write_project: WriteProject) -> None:
    folder = write_project("{{< include a.qmd >}}\nlast", files={"a.qmd": "one\ntwo\n"})
    sources = project.load(folder, "index.qmd").sources
    assert [(line.text, line.file, line.number) for line in sources.lines] == [
        ("", "index.qmd", 4),
        ("one", "a.qmd", 1),
        ("two", "a.qmd", 2),
        ("", "index.qmd", 5),
        ("last", "index.qmd", 6),
    ]
    assert sources.place("two") == "a.qmd:2: "
    assert sources.place("nowhere") == ""


def test_minimal_project(write_project: WriteProject, tmp_path: Path) -> None:
    folder = write_project("## A\n\ntext", front='title: "A *title* & more"\nlang: en-GB\nauthor: One')
    (folder / "_quarto.yml").write_text("project:\n  type: default\n")
    made = render(folder, "index.qmd", ["html", "pdf", "docx"], output=tmp_path / "out", engine="embedded")
    page = reading.html(made.files[0])
    assert page.one("html").attributes["lang"] == "en-GB"
    assert page.one("title").text == "A title & more"
    assert page.one("h2").text == "A", "sections are not numbered unless the project says so"
    assert not list(page.every("nav"))


def test_unicode_and_markup_stay_what_they_are(write_project: WriteProject, tmp_path: Path) -> None:
    variables = r'{"name": "Ünï \\*not\\* \\<b\\> \\#x \\$y\\$ 名前", "empty": "", "count": 12}'
    body = "A {{< var name >}} b{{< var empty >}}c, {{< var count >}}."
    folder = write_project(body, front='title: "{{< var name >}}"', variables=variables)
    made = render(folder, "index.qmd", ["html", "docx"], output=tmp_path / "out", engine="embedded")
    expected = "A Ünï *not* <b> #x $y$ 名前 bc, 12."
    assert reading.html(made.files[0]).one("main").text == expected
    assert expected in reading.docx(made.files[1]).text
    assert reading.html(made.files[0]).one("h1").text == "Ünï *not* <b> #x $y$ 名前"


def test_variable_at_the_start_of_a_line_makes_no_block(write_project: WriteProject, tmp_path: Path) -> None:
    folder = write_project("{{< var n >}}. of all", variables='n: "12"\n')
    made = render(folder, "index.qmd", ["html"], output=tmp_path / "out", engine="embedded")
    main = reading.html(made.files[0]).one("main")
    assert main.one("p").text == "12. of all"
    assert not list(main.every("ol"))


def test_private_characters_of_a_response_are_kept(write_project: WriteProject, tmp_path: Path) -> None:
    made = render(write_project("a \ue000 b"), "index.qmd", ["html"], output=tmp_path / "out", engine="embedded")
    assert "a \ue000 b" in reading.html(made.files[0]).one("main").text
