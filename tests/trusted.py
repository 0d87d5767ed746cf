"""Studies that may read the data that they name, wherever these lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.pipeline import Results, compute, count, estimates_of, read_and_code
from tallybook.study.loading import load

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from tallybook.coded_dump import Coded


def computed(study: Path) -> Results:
    """A study computed of the data that its file names."""
    loaded = load(str(study))
    return compute(loaded, loaded.declared_data)


def read(study: Path) -> Coded:
    """Its responses, coded: what a test needs that looks at no estimates."""
    loaded = load(str(study))
    return read_and_code(loaded, loaded.declared_data)


def estimated(study: Path) -> pl.DataFrame:
    """Its estimates: what a test needs that looks at no tables."""
    loaded, source = load(str(study)), read(study)
    return estimates_of(loaded.study, loaded.data, source, count(loaded, source))
