"""The formats of a report, and what an engine is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

FORMATS = ("html", "pdf", "docx")
"""The formats a report can be made in."""

TYPE_OF_FORMAT = {"html": "html", "pdf": "typst", "docx": "docx"}
"""What Quarto and pandoc call each format: the PDF is made by typst."""

Engine = Callable[[Path, str, tuple[str, ...], Path], tuple[list[Path], str, str]]
"""Takes project, document, formats and an empty working folder; returns the files, the engine's name and version."""
