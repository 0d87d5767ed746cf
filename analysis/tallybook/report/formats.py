"""The formats of a report, and what an engine is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

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


Engine = Callable[[Path, str, tuple[str, ...], Path], Made]
"""Takes project, document, formats and an empty working folder."""
