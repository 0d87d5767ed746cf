"""The formats of a report, and what an engine is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

FORMATS = ("html", "pdf", "docx")
"""The formats a report can be made in."""
SUPPLEMENT = "supplement"
"""What is asked for as a format, too, and no engine makes: a folder of LaTeX, which is called so."""

TYPE_OF_FORMAT = {"html": "html", "pdf": "typst", "docx": "docx"}
"""What Quarto and pandoc call each format: the PDF is made by typst."""


class Made(NamedTuple):
    """What an engine made.

    Attributes:
        files: One file a format, within the working folder.
        engine: The engine's name.
        version: The versions of the programs involved.
        notes: What is not as it should be, and not wrong enough to make nothing.
    """

    files: list[Path]
    engine: str
    version: str
    notes: tuple[str, ...] = ()


Engine = Callable[[Path, str, tuple[str, ...], Path], Made]
"""Takes project, document, formats and an empty working folder."""
