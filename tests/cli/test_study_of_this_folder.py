"""Commands that are not told a study take the one of the folder that they are called in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typer.testing import CliRunner

from tallybook.cli.app import app

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_without_an_argument(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call = CliRunner().invoke
    assert call(app, ["simulate", "judge", "--rows", "120", "--out", str(tmp_path / "here"), "--quiet"]).exit_code == 0
    monkeypatch.chdir(tmp_path / "here")
    validated = call(app, ["validate"])
    assert (validated.exit_code, validated.stdout.startswith("valid: 1 file, 120 responses")) == (0, True)
    ran = call(app, ["run", "--numbers-only"])
    assert (ran.exit_code, ran.stdout.startswith("simulated-judge: 120 responses")) == (0, True)
    assert call(app, ["report", "--to", "html", "--engine", "embedded", "--quiet"]).exit_code == 0
    assert (tmp_path / "here" / "out" / "simulated-judge" / "report" / "simulated-judge.html").is_file()


def test_files_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(app, ["validate", "--schema", "responses"]).exit_code != 0
    assert CliRunner().invoke(app, ["run"]).exit_code != 0
