"""Reports of studies by Quarto itself: rendered without a complaint, and saying what the embedded engine's say."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from tallybook.cli.app import app
from tallybook.core.resources import BUNDLED_DATA
from tests.integration.report import reading

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow
ENGINES = ("quarto", "embedded")


def tallybook(*arguments: str) -> None:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output


@pytest.fixture(scope="module", params=["the example", "wang2025"])
def reports(
    request: pytest.FixtureRequest, installed_quarto: str, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """A study's report by each engine, without its suffix; it is computed once."""
    folder = tmp_path_factory.mktemp("study")
    made: dict[str, Path] = {}
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("QUARTO_PATH", installed_quarto)
        patched.chdir(folder)
        name = study = request.param
        if study == "the example":
            name, study = "answers", "."
            shutil.copy(BUNDLED_DATA / "example" / "answers.csv", folder)
            tallybook("init", "answers.csv", "--quiet")
        for engine in ENGINES:
            again = ["--render-only"] if made else []
            tallybook("report", study, "--out", "out", "--to", "html,pdf,docx", "--engine", engine, "--quiet", *again)
            made[engine] = shutil.copytree(folder / "out" / "report", folder / engine) / name
    return made


def test_html_says_the_same(reports: dict[str, Path]) -> None:
    pages = [reading.html(reports[engine].with_suffix(".html")).one("body") for engine in ENGINES]
    for tags in ("h[1-6]", "figcaption", "t[dh]"):
        quarto, embedded = ([node.text for node in page.every() if re.fullmatch(tags, node.tag)] for page in pages)
        assert quarto == embedded
        assert len(quarto) > 1


def test_word_says_the_same(reports: dict[str, Path]) -> None:
    words = [reading.docx(reports[engine].with_suffix(".docx")) for engine in ENGINES]
    quarto, embedded = ([word.rows(table) for table in word.tables()] for word in words)
    assert quarto == embedded
    assert len(quarto) > 1
    for style in ("TableCaption", "ImageCaption", "TableNote"):
        assert words[0].styled(style) == words[1].styled(style) != []


def test_every_caption_is_in_the_pdf(reports: dict[str, Path]) -> None:
    captions = [node.text for node in reading.html(reports["quarto"].with_suffix(".html")).every("figcaption")]
    for engine in ENGINES:
        text = reading.squeezed(reading.pdf_text(reports[engine].with_suffix(".pdf")))
        assert [caption for caption in captions if caption not in text] == []


@pytest.mark.parametrize("kind", ["website", "manuscript", "book"])
def test_a_study_is_a_project_of_quartos_kinds(
    kind: str, installed_quarto: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUARTO_PATH", installed_quarto)
    monkeypatch.chdir(tmp_path)
    shutil.copy(BUNDLED_DATA / "example" / "answers.csv", tmp_path)
    tallybook("init", "answers.csv", "--quiet")
    tallybook("report", ".", "--to", "html", "--project", kind, "--engine", "embedded", "--quiet")
    page = (tmp_path / "out" / "answers" / "report" / kind / "index.html").read_text(encoding="utf-8")
    assert "Yes" in page
    assert "older − younger" in page


MANUSCRIPT = """\
---
title: Mine
filters: [tallybook]
format: {tallybook-html: default, tallybook-typst: default, tallybook-docx: default}
---

## Results

Of {{< var responses.all >}} responses, @tbl-2 and @fig-1 show what was found.

{{< include _generated/tables/2.qmd >}}

{{< include _generated/figures/1.qmd >}}
"""


def test_tables_stand_in_a_manuscript_of_ones_own(
    installed_quarto: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(BUNDLED_DATA / "example" / "answers.csv", tmp_path)
    tallybook("init", "answers.csv", "--quiet")
    tallybook("run", ".", "--quiet")
    source, own = tmp_path / "out" / "answers" / "report" / "source", tmp_path / "manuscript"
    shutil.copytree(source / "_generated", own / "_generated")
    shutil.copy(source / "_variables.yml", own)
    shutil.copytree(source / "theme", own / "_extensions" / "tallybook")
    (own / "_quarto.yml").write_text("project: {type: default, render: [index.qmd]}\n")
    (own / "index.qmd").write_text(MANUSCRIPT)
    for kind in ("tallybook-html", "tallybook-typst", "tallybook-docx"):
        done = subprocess.run(
            [installed_quarto, "render", "index.qmd", "--to", kind],
            cwd=own,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "WARN" not in done.stderr
    said = reading.docx(own / "index.docx")
    assert [row[0] for row in said.rows(said.tables()[0])][:3] == [
        "Decision",
        "Yes: Orion 2 − Vega (7B)",
        "Yes: Orion 2 − atlas-mini",
    ]
