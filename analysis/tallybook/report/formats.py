"""The formats of a report, and what an engine is."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from pathlib import Path

FORMATS = ("html", "pdf", "docx")
"""The formats a report can be made in."""
PROJECTS = ("website", "manuscript", "book")
"""Quarto's kinds of projects, which can be asked for as formats: each a folder, made by Quarto alone."""
SUPPLEMENT = "supplement"
"""The name of the folder of LaTeX, which can be asked for as a format and needs no engine."""

TYPE_OF_FORMAT = {"html": "html", "pdf": "typst", "docx": "docx"}
"""The names of formats in Quarto and pandoc: the PDF is made by typst."""


class Made(NamedTuple):
    """The output of an engine."""

    files: list[Path]  # one file a format, within the working folder
    engine: str  # the engine's name
    version: str  # the versions of the programs involved
    notes: tuple[str, ...] = ()  # what is not as it should be, and not wrong enough to make nothing


class Engine(Protocol):
    """Renders a document of a project in some formats into an empty working folder."""

    def __call__(
        self, project: Path, document: str, formats: tuple[str, ...], folder: Path, *, trust: bool = False
    ) -> Made:
        """Render a document; without `trust` only what can do no harm."""
        ...
