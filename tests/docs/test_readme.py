"""What the README shows of the program is what it prints, and every link of the docs leads somewhere."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from tallybook.cli.app import app
from tests.paths import TOP

if TYPE_CHECKING:
    from pathlib import Path

README = (TOP / "README.md").read_text(encoding="utf-8")
TRANSCRIPT = re.compile(r"(?m)^    \$ tallybook (.+)\n((?:(?:    [^$\n].*)?\n)*)")
PAGES = [*TOP.glob("*.md"), *(TOP / "docs").glob("*.md"), *(TOP / "docs").glob("*.qmd")]


@pytest.mark.slow
def test_the_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = TRANSCRIPT.findall(README)
    assert [command.split()[0] for command, _ in shown] == ["init", "run"]
    shutil.copy(TOP / "data" / "raw" / "example" / "answers.csv", tmp_path)
    monkeypatch.chdir(tmp_path)
    for command, output in shown:
        result = CliRunner().invoke(app, command.split())
        assert result.exit_code == 0
        assert result.stdout.rstrip() == re.sub(r"(?m)^    ", "", output).rstrip()
    out = tmp_path / "out" / "answers"
    assert (out / "tables" / "5.md").read_text(encoding="utf-8") in README
    # a changed style of figures: copy the new one there
    assert (out / "figures" / "3.svg").read_bytes() == (TOP / "docs" / "pictures" / "example.svg").read_bytes()


def test_it_is_read_in_some_minutes() -> None:
    assert len(README.splitlines()) <= 150


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)", page.read_text(encoding="utf-8"))
    for link in links:
        assert "://" in link or link.startswith("mailto:") or (page.parent / link).exists(), link


def test_every_command_has_a_line() -> None:
    page = (TOP / "docs" / "commands.md").read_text(encoding="utf-8")
    commands = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    assert commands == set(re.findall(r"^\| `tallybook ([a-z]+)", page, re.MULTILINE))
