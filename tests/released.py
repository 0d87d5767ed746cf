"""Where the released data of the published studies lie on a machine that has them."""

from __future__ import annotations

from pathlib import Path

import pytest

STUDIES = Path(__file__).resolve().parents[2] / "shared" / "studies"


def released_data(study: str) -> Path:
    """The folder of a study's released data; it may not exist."""
    return STUDIES / study / "data"


def needs_released(study: str) -> pytest.MarkDecorator:
    """Skips a test where the released data of a study are absent."""
    return pytest.mark.skipif(
        not released_data(study).is_dir(), reason=f"the released data of {study} (../shared) are not here"
    )
