"""A small study whose results are committed, and the command that checks them."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tallybook.cli.app import main
from tallybook.cli.commands import computing
from tallybook.cli.options import Wanted
from tests.small_study import study_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

STUDY = (
    study_file(
        "text=answer",
        "model",
        "item=prompt",
        "sample=try:integer",
        "age",
        "label",
        "warmth:number",
        factors={"model": ["alpha", "beta"], "age": ["old", "young"]},
        categories={"politics": ("label", ["left", "right"])},
        scores=["warmth"],
        key=["model", "age", "item", "sample"],
    )
    + """
[analyses.share]
statistic = "proportion"
outcomes = ["politics"]
by = ["model", "age"]

[[tables]]
id = "1"
title = "Politics"
outcomes = ["politics"]
stub = "Age"
rows = ["model", "age"]
row_label = "{label} (n = {n})"
row_n = "share"
columns = ["term"]

[[tables.measures]]
id = "percent"
label = ""
parts = [{ statistic = "percent", analysis = "share", style = "number", scale = 100, digits = 1 }]

[[tables]]
id = "2"
title = "Politics again"
outcomes = ["politics"]
stub = "Age"
rows = ["age"]
columns = ["term"]
where = { model = "alpha" }

[[tables.measures]]
id = "percent"
label = ""
parts = [{ statistic = "percent", analysis = "share", style = "number", scale = 100, digits = 1 }]

[[figures]]
kind = "stacked-bars"
id = "1"
title = "Politics by age and model."
analysis = "share"
outcome = "politics"
terms = ["left", "right"]
x = "age"
panels = "model"
"""
)


def answers() -> str:
    """2 models x 2 ages x 2 prompts x 3 samples."""
    cells = [
        (model, age, prompt, sample)
        for model in ("alpha", "beta")
        for age in ("old", "young")
        for prompt in ("p", "q")
        for sample in range(3)
    ]
    lines = [
        f"says {place},{model},{prompt},{sample},{age},{'left' if place % 5 else 'right'},{place / 7}\n"
        for place, (model, age, prompt, sample) in enumerate(cells)
    ]
    return "answer,model,prompt,try,age,label,warmth\n" + "".join(lines)


class Ran(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small study with its results in `out/small`, made once."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "study.toml").write_text(STUDY)
    (folder / "answers.csv").write_text(answers())
    computing.run(Wanted(study=str(folder), out=folder / "out" / "small", quiet=True))
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, which is the working folder."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def check(
    folder: Path,  # noqa: ARG001  the command runs there
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[..., Ran]:
    """Runs `tallybook check` in it."""

    def run(*arguments: str) -> Ran:
        monkeypatch.setattr(sys, "argv", ["tallybook", "check", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        code = ended.value.code
        return Ran(code if isinstance(code, int) else 0, captured.out, captured.err)

    return run
