"""What the README shows of the program is what it says."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tallybook.cli.app import app

TOP = Path(__file__).parents[1]
TRANSCRIPT = re.compile(r"(?m)^    \$ tallybook (.+)\n((?:(?:    [^$\n].*)?\n)*)")


@pytest.mark.slow
def test_the_transcript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = TRANSCRIPT.findall((TOP / "README.md").read_text(encoding="utf-8"))
    assert [command.split()[0] for command, _ in shown] == ["init", "validate", "report"]
    shutil.copy(TOP / "data" / "raw" / "example" / "answers.csv", tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QUARTO_PATH", "none")  # the README shows what is said where Quarto is not installed
    for command, output in shown:
        result = CliRunner().invoke(app, command.split())
        assert result.exit_code == 0
        assert _said(result.stdout) == _said(re.sub(r"(?m)^    ", "", output))


def _said(text: str) -> list[str]:
    """The lines, without the versions of the programs that render reports."""
    return re.sub(r"\d+\.\d+(\.\d+)?", "N", text).rstrip().splitlines()
