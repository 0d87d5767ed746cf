"""From a declared figure and the estimates to pictures in every format."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tallybook.core.errors import MissingExtraError
from tallybook.figures.save import save
from tallybook.study.figure_base import Room

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from tallybook.study.figure_base import Numbered, Picture
    from tallybook.study.model import Study


class Drawn(NamedTuple):
    """A figure that was saved."""

    alt_text: str  # what it shows, for those who do not see it
    lacking: frozenset[str]  # the letters that no font has


def draw(study: Study, figure: Numbered, estimates: pl.DataFrame, folder: Path) -> Drawn:
    """Draw one figure and save it as `<folder>/<id>.svg`, `.pdf` and `.png`."""
    drawn = drawing(study, figure, estimates)
    saved = save(drawn.plot, folder, figure.id, drawn.width, drawn.height, font=study.style.font)
    return Drawn(drawn.alt_text, saved.lacking)


def drawing(study: Study, figure: Numbered, estimates: pl.DataFrame) -> Picture:
    """Draw one figure."""
    try:
        return figure.draw(study, estimates, f"figure {figure.id}", Room(figure.width))
    except ModuleNotFoundError as error:
        if error.name != "plotnine":
            raise
        raise MissingExtraError("plotnine", "report") from error
