"""Runs the command beside files that a test writes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tallybook.cli.app import main

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path


class Ran(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def validate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Callable[..., Ran]:
    """Writes files into an empty folder and runs `tallybook validate` there."""
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)

    def run(files: Mapping[str, str | bytes], *arguments: str) -> Ran:
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        monkeypatch.setattr(sys, "argv", ["tallybook", "validate", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        code = ended.value.code
        return Ran(code if isinstance(code, int) else 0, captured.out, captured.err)

    return run
