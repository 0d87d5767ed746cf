"""Several plots in one figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.figures.pictures import Picture, picture
from tallybook.figures.selection import chosen, level_names
from tallybook.study.figures import PointPlot

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.figures import Composite
    from tallybook.study.model import Study


def composite(study: Study, figure: Composite, estimates: pl.DataFrame, place: str, width: float) -> Picture:
    """Draw the plots of a figure side by side or below each other.

    Args:
        study: The study.
        figure: The declaration.
        estimates: The study's estimates.
        place: How the figure is called in a message.
        width: The inches it may take.

    Returns:
        The picture.

    Raises:
        UsageError: If a plot has no estimate to show, or not exactly one for each point or cell.
    """
    from plotnine.composition import Beside, Stack

    beside = figure.direction == "beside"
    room = width / len(figure.plots) if beside else width
    named_once = beside and _share_groups(study, figure, estimates, place)
    drawn = [
        picture(study, plot, estimates, f"{place}, plot {number}", room, side_labels=not named_once or number == 1)
        for number, plot in enumerate(figure.plots, start=1)
    ]
    heights = [each.height for each in drawn]
    return Picture(
        (Beside if beside else Stack)([each.plot for each in drawn]),
        " ".join(each.alt_text for each in drawn),
        width,
        max(heights) if beside else sum(heights),
    )


def _share_groups(study: Study, figure: Composite, estimates: pl.DataFrame, place: str) -> bool:
    """Whether plots side by side are points of the same groups, below each other in the same order."""
    groups: list[object] = []
    for number, plot in enumerate(figure.plots, start=1):
        if not isinstance(plot, PointPlot) or not plot.flip or plot.panels or plot.panel_rows:
            return False
        shown = chosen(study, plot, estimates, f"{place}, plot {number}", thing="point")
        present = shown.get_column(plot.x).unique().sort().to_list()
        groups.append((plot.x, present, list(level_names(study, plot, shown)[plot.x].items())))
    return all(each == groups[0] for each in groups)
