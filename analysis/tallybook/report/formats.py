"""The formats of a report, the programs that render it, and what they made."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

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


class Program(NamedTuple):
    """An installed program: its executable and its version."""

    executable: str
    version: str


class Rendered(NamedTuple):
    """A rendered report."""

    engine: str  # the engine that rendered it, "quarto" or "embedded"
    version: str  # the versions of the programs involved, such as "pandoc 3.9, typst 0.15.0"
    files: tuple[Path, ...]  # one file per format, in the order in which the formats were requested
    notes: tuple[str, ...] = ()  # problems that did not prevent rendering
