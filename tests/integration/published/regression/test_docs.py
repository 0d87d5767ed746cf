"""What the docs show of `tallybook check` is what it says, and every option is told."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

from typer.testing import CliRunner

from tallybook.cli.app import app
from tallybook.core.output import CONTENTS
from tests.paths import DOCS, TOP

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

PAGE = (DOCS / "check.md").read_text(encoding="utf-8")


def test_the_transcript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (shown,) = re.findall(r"(?m)^    \$ tallybook (.+)\n((?:    .*\n)+)", PAGE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    answers = tmp_path / "answers.csv"
    shutil.copy(TOP / "data" / "raw" / "example" / "answers.csv", answers)
    run = CliRunner().invoke
    assert run(app, ["init", "answers.csv"]).exit_code == 0
    assert run(app, ["run", "study.toml", "--numbers-only"]).exit_code == 0
    for parquet in (tmp_path / "out").rglob("*.parquet"):
        parquet.unlink()
    answers.write_text(answers.read_text().replace("Final decision: No", "Final decision: Yes", 1))
    ended = run(app, shown[0].split())
    assert ended.exit_code == 1
    assert ended.stdout == re.sub(r"(?m)^    ", "", shown[1])


def test_everything_is_told() -> None:
    for name in CONTENTS - {"report"}:
        assert name.rpartition(".")[0] in PAGE or f"{name}/" in PAGE, name
    options = re.findall(r"--[a-z-]+", CliRunner().invoke(app, ["check", "--help"]).stdout)
    for option in set(options) - {"--quiet", "--help", "--output"}:
        assert f"{option}" in PAGE, option
