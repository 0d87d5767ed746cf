"""Letters that no font has are named to who makes a report, whichever way it is made."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

import pytest
import typst
from matplotlib import font_manager

from tallybook import Study
from tallybook.cli.app import main
from tallybook.cli.commands.watching import made_again
from tallybook.cli.options import Wanted

if TYPE_CHECKING:
    from pathlib import Path

STUDY = """
name = "letters"
title = "Letters"
key = ["model", "item", "sample"]

[[sources]]
format = "csv"
files = "dump.csv"

[sources.columns]
model = { path = "model" }
item = { path = "item" }
sample = { path = "sample", type = "integer" }
text = { path = "text" }
vote = { path = "vote" }

[factors.model]
label = "Model"
levels = { m1 = "日本", m2 = "B" }

[instrument]
kind = "profile"

[outcomes.vote]
kind = "category"
label = "Vote"
attribute = "vote"
labels = { yes = ["yes"], no = ["no"] }

[analyses.share]
statistic = "proportion"
outcomes = ["vote"]
by = ["model"]

[[figures]]
kind = "stacked-bars"
id = "1"
title = "Votes"
analysis = "share"
outcome = "vote"
terms = ["yes", "no"]
x = "model"
"""
DUMP = "model,item,sample,text,vote\nm1,a,0,Yes,yes\nm1,b,0,No,no\nm2,a,0,Yes,yes\nm2,b,0,No,no\n"
OF_FIGURE = "no installed font with outlines has 2 letters of figure 1, drawn as boxes: 日 (U+65E5), 本 (U+672C);"
OF_REPORT = "no installed font has 1 letter of the report, printed as code points: 語 (U+8A9E);"


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A study with Japanese names on its only figure and in its text, on a machine without fonts."""
    monkeypatch.setattr(font_manager, "findSystemFonts", list)
    monkeypatch.setattr(typst, "Fonts", partial(typst.Fonts, include_system_fonts=False))
    folder = tmp_path / "study"
    (folder / "report").mkdir(parents=True)
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    (folder / "dump.csv").write_text(DUMP, encoding="utf-8")
    text = "---\ntitle: Letters\n---\n\nA word: 語.\n\n{{< include _generated/figures.qmd >}}\n"
    (folder / "report" / "index.qmd").write_text(text, encoding="utf-8")
    return folder


def test_the_command_says_it_and_succeeds(
    study: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(study)
    monkeypatch.setattr(sys, "argv", ["tallybook", "report", ".", "--to", "pdf", "--engine", "embedded"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    said = capsys.readouterr()
    first, second = (line for line in said.err.splitlines() if "font" in line)
    assert first.startswith(f"warning: {OF_FIGURE}")
    assert second.startswith(f"warning: {OF_REPORT}")
    assert "font" not in said.out
    assert b"pdfuaid:part>1<" in (study / "out" / "letters" / "report" / "letters.pdf").read_bytes()


def test_a_study_in_python_warns_of_it(study: Path, tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="installed font") as caught:
        Study.load(study).report("pdf", tmp_path / "report", engine="embedded")
    first, second = (str(one.message) for one in caught)
    assert first.startswith(OF_FIGURE)
    assert second.startswith(OF_REPORT)
    assert {one.filename for one in caught} == {__file__}
    with pytest.warns(UserWarning, match="installed font") as caught:
        Study.load(study).run(tmp_path / "run")
    assert [str(one.message) for one in caught] == [first]


def test_a_report_that_is_worked_on(study: Path, tmp_path: Path) -> None:
    narrative = study / "report" / "index.qmd"
    text = narrative.read_text(encoding="utf-8")
    narrative.write_text(text.replace("語", "word"), encoding="utf-8")
    wanted = Wanted(study=str(study), out=tmp_path / "out", formats=["pdf"], engine="embedded", quiet=True)
    known: list[str] = []
    # The PDF has outlines of the figure's letters, and its description, which nobody sees.
    _, warning = made_again(wanted, known).splitlines()
    assert warning.startswith(f"warning: {OF_FIGURE}")
    narrative.write_text(text, encoding="utf-8")
    rendered, warning = made_again(wanted, known).splitlines()
    assert rendered.startswith("rendered in ")
    assert warning.startswith(f"warning: {OF_REPORT}")
    narrative.write_text(f"{text}\nMore.\n", encoding="utf-8")
    assert "font" not in made_again(wanted, known), "what was said before is not said again"
