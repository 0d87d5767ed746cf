"""Reports of studies by Quarto itself: rendered without a complaint, and saying what the embedded engine's say."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from tallybook.cli.app import app
from tallybook.core.resources import BUNDLED_DATA
from tests.report import reading

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
