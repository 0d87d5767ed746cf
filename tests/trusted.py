"""Studies that may read the data that they name, wherever these lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.pipeline import Results, compute
from tallybook.study.loading import load

if TYPE_CHECKING:
    from pathlib import Path


def computed(study: Path) -> Results:
    """A study computed of the data that its file names."""
    loaded = load(str(study))
    return compute(loaded, loaded.declared_data)
