"""The locations of the files that come with the program, in a checkout or in an installed package."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
_BUNDLED = _PACKAGE / "_bundled"
_TOP = _BUNDLED if _BUNDLED.is_dir() else _PACKAGE.parents[1]

STUDIES = _PACKAGE / "studies"
"""One folder for each published study's declaration."""
REPORTS = _TOP / "reports"
"""The Quarto project: its settings, its theme and one folder of narrative for each study."""
BUNDLED_DATA = _TOP / "data" / "raw"
"""One folder for each study's bundled data and reference distributions."""
PUBLISHED = _TOP / "data" / "published"
"""One folder for each study's published values."""


def published_studies() -> list[str]:
    """Return the names of the published studies that come with the program."""
    return sorted(folder.parent.name for folder in STUDIES.glob("*/study.toml"))
