"""A second report: rendered alone where only its narrative has changed, computed where anything else has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tallybook.report import manifest
from tests.integration.report.test_rendered_again import computes_nothing, drafted, tallybook

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["computes_nothing", "drafted"]

REPORT = ("report", ".", "--to", "html", "--engine", "embedded")


@pytest.fixture(scope="module")
def reported(drafted: Path) -> Path:
    """The drafted study with its report."""
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(drafted)
        tallybook(*REPORT)
    return drafted


@pytest.fixture(autouse=True)
def study(reported: Path, monkeypatch: pytest.MonkeyPatch, computes_nothing: Callable[[], None]) -> Path:
    monkeypatch.chdir(reported)
    computes_nothing()
    return reported


def test_a_changed_narrative_is_rendered(study: Path) -> None:
    narrative = study / "report" / "index.qmd"
    text = narrative.read_text(encoding="utf-8")
    named = text.replace("---", "---\nauthor: Ada Example", 1)
    narrative.write_text(f"{named}\nAnother word.\n", encoding="utf-8")
    try:
        said = tallybook(*REPORT)
    finally:
        narrative.write_text(text, encoding="utf-8")
    assert said.startswith("answers: the numbers are up to date\nReport (embedded engine, pandoc ")
    out = study / "out" / "answers"
    assert "Another word." in (out / "report" / "answers.html").read_text(encoding="utf-8")
    assert "Example" in (out / "CITATION.cff").read_text(encoding="utf-8")


@pytest.mark.parametrize("option", [("--json",), ("--set", "style.digits=1"), ("--to", "html,supplement")])
def test_what_is_asked_for_otherwise_is_computed(option: tuple[str, ...]) -> None:
    with pytest.raises(AssertionError, match="computed"):
        tallybook(*REPORT, *option)


@pytest.mark.parametrize("name", ["study.toml", "answers.csv", "report/own.bib"])
def test_where_a_file_has_changed_it_is_computed(study: Path, name: str) -> None:
    path = study / name
    before = path.read_bytes() if path.is_file() else None
    path.write_bytes((before or b"") + b"\n")
    try:
        with pytest.raises(AssertionError, match="computed"):
            tallybook(*REPORT)
    finally:
        path.unlink() if before is None else path.write_bytes(before)


def test_with_other_code_it_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifest, "code", lambda: "other")
    with pytest.raises(AssertionError, match="computed"):
        tallybook(*REPORT)
