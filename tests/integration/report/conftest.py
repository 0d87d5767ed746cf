"""Projects to render: the conformance document, and small ones written by the test."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tallybook.core.errors import UsageError
from tallybook.core.resources import REPORTS
from tallybook.report import quarto
from tallybook.report.engine import render

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tallybook.report.formats import Rendered

    WriteProject = Callable[..., Path]

# Looked up once: a test may put a stand-in in its place.
QUARTO = os.environ.get("QUARTO_PATH") or shutil.which("quarto")
CONFORMANCE = Path(__file__).parent / "conformance"
FORMATS = ("html", "pdf", "docx")


def with_theme(folder: Path) -> Path:
    """The folder with the settings and the theme that every report gets."""
    shutil.copytree(REPORTS / "theme", folder / "theme")
    shutil.copy(REPORTS / "_quarto.yml", folder / "_quarto.yml")
    return folder


@pytest.fixture(scope="session")
def conformance(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The conformance project, put together as a study's report is."""
    return with_theme(shutil.copytree(CONFORMANCE, tmp_path_factory.mktemp("conformance") / "project"))


@pytest.fixture(scope="session")
def installed_quarto() -> str:
    """The real Quarto; tests that need it are skipped where it is not installed."""
    try:
        return quarto.usable(QUARTO).executable
    except UsageError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session", params=["embedded", "quarto"])
def rendered(request: pytest.FixtureRequest, conformance: Path, tmp_path_factory: pytest.TempPathFactory) -> Rendered:
    """The conformance document rendered by each engine."""
    if request.param == "quarto":
        request.getfixturevalue("installed_quarto")
    output = tmp_path_factory.mktemp(request.param)
    return render(conformance, "index.qmd", FORMATS, output=output, engine=request.param, trust=True)


@pytest.fixture(scope="session")
def embedded(conformance: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The conformance document rendered by the embedded engine: format -> file."""
    made = render(
        conformance, "index.qmd", FORMATS, output=tmp_path_factory.mktemp("made"), engine="embedded", trust=True
    )
    return dict(zip(FORMATS, made.files, strict=True))


@pytest.fixture
def write_project(tmp_path: Path) -> WriteProject:
    """Writes a project around a body and gives its folder."""

    def write(
        body: str,
        *,
        front: str = "title: T",
        variables: str | None = None,
        files: Mapping[str, str] | None = None,
    ) -> Path:
        folder = tmp_path / "project"
        folder.mkdir()
        with_theme(folder)
        (folder / "index.qmd").write_text(f"---\n{front}\n---\n\n{body}\n", encoding="utf-8")
        (folder / "references.bib").write_text("@book{known, author={Known, A.}, title={T}, year={2000}}\n")
        if variables is not None:
            (folder / "_variables.yml").write_text(variables, encoding="utf-8")
        shutil.copytree(CONFORMANCE / "_generated" / "figures", folder / "figures")
        for name, text in (files or {}).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        return folder

    return write
