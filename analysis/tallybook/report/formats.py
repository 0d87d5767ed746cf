"""The formats of a report, and the type of engines."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from pathlib import Path

FORMATS = ("html", "pdf", "docx")
"""The file formats of a report."""
PROJECTS = ("website", "manuscript", "book")
"""Quarto's project types, which can be requested as formats: each is a folder that only Quarto can render."""
SUPPLEMENT = "supplement"
"""The name of the LaTeX folder, which can be requested as a format and needs no engine."""

TYPE_OF_FORMAT = {"html": "html", "pdf": "typst", "docx": "docx"}
"""A format -> its name in Quarto and pandoc: the PDF is made by typst."""


class Made(NamedTuple):
    """The output of an engine."""

    files: list[Path]  # one file per format, within the working folder
    engine: str  # the engine's name
    version: str  # the versions of the programs involved
    notes: tuple[str, ...] = ()  # problems that did not prevent rendering


class Engine(Protocol):
    """A function that renders a document of a project in some formats into an empty working folder."""

    def __call__(
        self, project: Path, document: str, formats: tuple[str, ...], folder: Path, *, trust: bool = False
    ) -> Made:
        """Render a document; without `trust`, refuse content that could run code."""
        ...
