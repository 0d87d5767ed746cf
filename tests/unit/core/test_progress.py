"""Progress: on a terminal it is shown and taken away, elsewhere nothing is written."""

from __future__ import annotations

import io
import sys

import pytest

from tallybook.core.progress import progress


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def work(*, quiet: bool) -> None:
    with progress(quiet=quiet) as shown:
        shown.stage("Reading responses")
        advance = shown.stage("Drawing figures", 2)
        advance(1)
        advance(1)


def test_nothing_is_written_where_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    work(quiet=False)
    assert capsys.readouterr() == ("", "")


def test_a_total_that_is_not_known_is_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with progress(quiet=False) as shown:
        advance = shown.stage("Reading")
        advance(30, 0.5)
        advance(50, 0.8)
    assert "80/100" in terminal.getvalue()


@pytest.mark.parametrize("quiet", [True, False])
def test_on_a_terminal(quiet: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    work(quiet=quiet)
    assert ("Drawing figures" in terminal.getvalue()) is not quiet


def test_on_a_terminal_that_pre_commit_made(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("PRE_COMMIT", "1")
    work(quiet=False)
    assert terminal.getvalue() == ""
